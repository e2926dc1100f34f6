// How a device shares out the samples of an iteration of VEGAS, lists their pieces, and learns from them. A text of its own that is compiled
// at run time, once for a kind of device: it knows no integrand. The arithmetic is that of engine/montecarlo/strata_steps.hpp and grid_steps.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../engine/montecarlo/grid_steps.hpp"
#include "../device/block_sums.cuh"
#include "montecarlo_problem.hpp"

namespace tessera {

struct block_lanes {
  template <class F>
  __device__ __forceinline__ void each(int n, const F &f) const {
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x); i < n; i += static_cast<int>(blockDim.x)) f(i);
    __syncthreads();
  }
};

// The sum of a chunk's numbers by halves, as fold_numbers() has it: of those that lane l has, l, l + 32, ... In lane 0.
__device__ __forceinline__ double fold_chunk(double (&v)[chunk_cubes / 32]) {
#pragma unroll
  for (int half = chunk_cubes / 64; half > 0; half /= 2)
#pragma unroll
    for (int i = 0; i < half; ++i) v[i] += v[i + half];
  fold_warp(v[0]);
  return v[0];
}

// ---- The list ------------------------------------------------------------------------------------------------------------
// Marks where the samples of a piece are, behind sample `begin`, with which a piece begins. `last`: of those that are marked.
__device__ __forceinline__ void mark_piece(const course_arguments &c, int64 begin, bool last, int64 p,
                                           const sample_piece &piece) {
  const int64 before = begin / marked_samples, end = (piece.first + piece.count + marked_samples - 1) / marked_samples,
              first = piece.first == begin ? before : (piece.first + marked_samples - 1) / marked_samples;
  int *mark = c.marks + (first - before), *const behind = c.marks + (end - before) + (last ? 1 : 0);
#pragma unroll 4
  for (; mark < behind; ++mark) *mark = static_cast<int>(p);
}
// The same by a warp, whose lanes have pieces one behind the other, the first lane piece p. Their marks are shared out, for pieces differ.
__device__ __forceinline__ void mark_row(const course_arguments &c, int64 begin, bool last, int64 p, int pieces,
                                         int64 first, int64 count) {
  const int lane = static_cast<int>(threadIdx.x) & 31;
  const int64 before = begin / marked_samples, of_row = __shfl_sync(~0u, first, 0),
              samples = __shfl_sync(~0u, first + count, pieces - 1),
              end = (samples + marked_samples - 1) / marked_samples,
              from = of_row == begin ? before : (of_row + marked_samples - 1) / marked_samples;
#pragma unroll 1
  for (int64 row = from; row < end; row += 32) {
    const int64 mark = row + lane, sample = mark * marked_samples;
    int at = 0;
    for (int step = 16; step > 0; step /= 2) {
      const int64 there = __shfl_sync(~0u, first, (at + step) & 31);
      if (at + step < pieces && there <= sample) at += step;
    }
    if (mark < end) c.marks[mark - before] = static_cast<int>(p + at);
  }
  if (last && lane == 0) c.marks[end - before] = static_cast<int>(p + pieces - 1);
}

// To the list, with what it says of the parts.
__device__ __forceinline__ bool is_last_piece(const course_arguments &c, int64 end) {
  return end == c.shared.samples + c.uniform;
}
__device__ __forceinline__ void list_unmarked(const sampling_arguments &a, int64 p, const sample_piece &piece) {
  const course_arguments &c = a.course;
  c.list[p] = {piece.first, static_cast<int>(piece.cube), static_cast<int>(piece.count), piece.weight,
               training_share(a.pass, piece)};
  const int64 end = piece.first + piece.count;
  const bool last = is_last_piece(c, end);
  if (piece.first == 0) {
    c.part_piece[0] = 0;
    c.part_sample[0] = 0;
  }
  const int64 until = last ? c.parts : end >> c.log_part;
#pragma unroll 1
  for (int64 part = (piece.first >> c.log_part) + 1; part <= until; ++part) {
    c.part_piece[part] = p + 1;
    c.part_sample[part] = end;
  }
}
__device__ __forceinline__ void list_piece(const sampling_arguments &a, int64 p, const sample_piece &piece) {
  const course_arguments &c = a.course;
  list_unmarked(a, p, piece);
  if (c.all_marks) mark_piece(c, 0, is_last_piece(c, piece.first + piece.count), p, piece);
}

// Those of a cube, or the scouts: every `stride`-th from `from` on. `at` and `first`: of all of them.
__device__ __noinline__ void list_pieces(const sampling_arguments &a, int64 cube, int64 at, int64 first, int64 samples,
                                         double weight, int64 from, int64 stride) {
  const sample_cut cut = cut_into_pieces(samples);
#pragma unroll 1
  for (int64 p = from; p < pieces_of(cut); p += stride) {
    const int64 before = samples_before(cut, p), n = samples_before(cut, p + 1) - before;
    list_piece(a, at + p, {cube, first + before, n, weight * static_cast<double>(n) / static_cast<double>(samples)});
  }
}

// ---- Steps ---------------------------------------------------------------------------------------------------------------
// The sum over a warp, in all its lanes, and that over the lanes before this one.
__device__ __forceinline__ int64 sum_over_warp(int64 v) {
  for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(~0u, v, d);
  return v;
}
__device__ __forceinline__ int64 sum_before_lane(int64 v) {
  int64 sum = v;
  for (int d = 1; d < 32; d *= 2) {
    const int64 more = __shfl_up_sync(~0u, sum, static_cast<unsigned>(d));
    if ((static_cast<int>(threadIdx.x) & 31) >= d) sum += more;
  }
  return sum - v;
}
__device__ __forceinline__ int64 pieces_for(int64 samples) {
  return samples <= most_piece ? 1 : pieces_of(cut_into_pieces(samples));
}

constexpr int chunk_warps = chunk_cubes / 32;

// Over a block, in thread 0. Collective; before of_warp is used again there must be a barrier.
__device__ __forceinline__ int64 sum_over_block(int64 v, int64 (&of_warp)[chunk_warps]) {
  const int t = static_cast<int>(threadIdx.x);
  v = sum_over_warp(v);
  if ((t & 31) == 0) of_warp[t / 32] = v;
  __syncthreads();
  if (t == 0)
    for (int w = 1; w < chunk_warps; ++w) v += of_warp[w];
  return v;
}
__device__ __forceinline__ void add_to(int64 &to, int64 v) {
  atomicAdd(reinterpret_cast<uint64 *>(&to), static_cast<uint64>(v));
}

// each(chunk, cube, mine) for the chunks of a block and the thread's cube, if it is one.
template <class Each>
__device__ __forceinline__ void each_chunk(const course_arguments &c, Each each) {
  const int chunks = cube_chunks(c.shared.cubes);
#pragma unroll 1
  for (int chunk = static_cast<int>(blockIdx.x); chunk < chunks; chunk += static_cast<int>(gridDim.x)) {
    const int64 cube = int64{chunk} * chunk_cubes + threadIdx.x;
    each(chunk, cube, cube < c.shared.cubes);
  }
}

// A chunk's wishes are there: with the last one of a group those of the group are summed. By a warp.
__device__ __forceinline__ void end_wishes(const course_arguments &c, int chunk, double sum) {
  const int lane = static_cast<int>(threadIdx.x) & 31, group = chunk / group_chunks, first = group * group_chunks,
            chunks = cube_chunks(c.shared.cubes), n = min(chunks - first, group_chunks);
  bool is_last = false;
  if (lane == 0) {
    c.chunk_wishes[chunk] = sum;
    __threadfence();
    is_last = atomicAdd(&c.totals->chunks_wished[group], 1u) + 1 == static_cast<unsigned>(n);
    __threadfence();
  }
  if (!__any_sync(~0u, is_last)) return;
  __syncwarp();
  double v[chunk_cubes / 32];
#pragma unroll
  for (int i = 0; i < chunk_cubes / 32; ++i)
    v[i] = lane + 32 * i < n ? __ldcg(c.chunk_wishes + first + lane + 32 * i) : 0.0;
  sum = fold_chunk(v);
  if (lane == 0) c.totals->wishes[group] = sum;
}

static_assert(most_chunk_groups <= 32, "a lane for each");
// What is before a chunk, in all lanes of a warp, from what its group and those before it have.
__device__ __forceinline__ int64 before_chunk(const int64 *of_groups, const int64 *of_chunks, int chunk) {
  const int lane = static_cast<int>(threadIdx.x) & 31, group = chunk / group_chunks, first = group * group_chunks;
  int64 sum = lane < group ? of_groups[lane] : 0;
#pragma unroll
  for (int i = lane; i < group_chunks; i += 32) sum += first + i < chunk ? of_chunks[first + i] : 0;
  return sum_over_warp(sum);
}

}  // namespace tessera

// ---- The steps of an iteration before its samples are made: a block for each chunk of cubes, a thread for each cube -------------
extern "C" __global__ void __launch_bounds__(tessera::chunk_cubes)
    tessera_wishes(const __grid_constant__ tessera::sampling_arguments a) {
  using namespace tessera;
  __shared__ double near[2][chunk_cubes];
  const course_arguments &c = a.course;
  const int t = static_cast<int>(threadIdx.x);
  int turn = 0;
  if (blockIdx.x == 0 && t == 0) {
    c.totals->left = c.shared.samples;
    c.totals->failed = ~uint64{0};
  }
  each_chunk(c, [&](int chunk, int64 cube, bool mine) {
    double wish = 0.0;
    if (mine) c.wishes[cube] = wish = c.known ? wish_of_cube(c.shared, c.spread[cube]) : 1.0;
    turn ^= 1;
    near[turn][t] = wish;
    __syncthreads();
    if (t >= 32) return;
    double v[chunk_cubes / 32];
#pragma unroll
    for (int i = 0; i < chunk_cubes / 32; ++i) v[i] = near[turn][t + 32 * i];
    end_wishes(c, chunk, fold_chunk(v));
  });
}

// Samples of the cubes as far as they are whole.
extern "C" __global__ void __launch_bounds__(tessera::chunk_cubes)
    tessera_whole_samples(const __grid_constant__ tessera::sampling_arguments a) {
  using namespace tessera;
  __shared__ int64 of_warp[chunk_warps];
  const course_arguments &c = a.course;
  const double wish = sum_of_groups(c.totals->wishes, (cube_chunks(c.shared.cubes) + group_chunks - 1) / group_chunks);
  int64 samples = 0;
  each_chunk(c, [&](int, int64 cube, bool mine) {
    if (!mine) return;
    const int64 count = whole_samples(c.shared, wish, c.wishes[cube]);
    c.counts[cube] = count;
    samples += count;
  });
  samples = sum_over_block(samples, of_warp);
  if (threadIdx.x == 0) add_to(c.totals->left, -samples);
}

// All of them.
extern "C" __global__ void __launch_bounds__(tessera::chunk_cubes)
    tessera_all_samples(const __grid_constant__ tessera::sampling_arguments a) {
  using namespace tessera;
  __shared__ int64 of_warp[2][chunk_warps];
  const course_arguments &c = a.course;
  const left_samples left = share_left(c.shared, c.totals->left);
  int64 all = 0;
  each_chunk(c, [&](int chunk, int64 cube, bool mine) {
    int64 samples = 0, pieces = 0;
    if (mine) {
      samples = samples_of_cube(left, cube, c.counts[cube]);
      pieces = pieces_for(samples);
      c.counts[cube] = samples;
    }
    samples = sum_over_block(samples, of_warp[0]);
    pieces = sum_over_block(pieces, of_warp[1]);
    if (threadIdx.x != 0) return;
    c.chunk_samples[chunk] = samples;
    c.chunk_pieces[chunk] = pieces;
    add_to(c.totals->group_samples[chunk / group_chunks], samples);
    add_to(c.totals->group_pieces[chunk / group_chunks], pieces);
    all += pieces;
  });
  if (threadIdx.x == 0) add_to(c.totals->pieces, all);
}

// A block for each chunk, a row of 32 cubes for each warp.
extern "C" __global__ void __launch_bounds__(tessera::chunk_cubes)
    tessera_list_pieces(const __grid_constant__ tessera::sampling_arguments a) {
  using namespace tessera;
  constexpr int few_pieces = 8;  // that a lane lists alone
  __shared__ int64 samples_of_row[chunk_warps], pieces_of_row[chunk_warps], before[2];
  const course_arguments &c = a.course;
  const int t = static_cast<int>(threadIdx.x), lane = t & 31, row = t / 32;
  each_chunk(c, [&](int chunk, int64 cube, bool mine) {
    const double weight = weight_of_cube(c.shared.cubes);
    if (row < 2) {
      const int64 sum = row == 0 ? before_chunk(c.totals->group_samples, c.chunk_samples, chunk)
                                 : before_chunk(c.totals->group_pieces, c.chunk_pieces, chunk);
      if (lane == 0) before[row] = sum;
    }
    const int64 in_row = c.shared.cubes - (cube - lane);
    const int64 count = mine ? c.counts[cube] : 0, of_cube = mine ? pieces_for(count) : 0,
                samples = sum_over_warp(count), pieces = sum_over_warp(of_cube);
    if (lane == 0) {
      samples_of_row[row] = samples;
      pieces_of_row[row] = pieces;
    }
    __syncthreads();
    int64 first = before[0] + sum_before_lane(count), at = before[1] + sum_before_lane(of_cube);
    for (int r = 0; r < row; ++r) {
      first += samples_of_row[r];
      at += pieces_of_row[r];
    }
    const bool simple = __all_sync(~0u, of_cube <= 1);
    if (mine) {
      c.cube_piece[cube] = at;
      if (simple)
        list_unmarked(a, at, {cube, first, count, weight});
      else if (of_cube <= few_pieces)
        list_pieces(a, cube, at, first, count, weight, 0, 1);
    }
    const int64 p = __shfl_sync(~0u, at, 0), end = __shfl_sync(~0u, first + count, 31);
    if (simple && c.all_marks && in_row > 0)
      mark_row(c, 0, is_last_piece(c, end), p, in_row < 32 ? static_cast<int>(in_row) : 32, first, count);
    for (unsigned large = __ballot_sync(~0u, of_cube > few_pieces); large != 0; large &= large - 1) {
      const int other = __ffs(static_cast<int>(large)) - 1;
      list_pieces(a, cube - lane + other, __shfl_sync(~0u, at, other), __shfl_sync(~0u, first, other),
                  __shfl_sync(~0u, count, other), weight, lane, 32);
    }
    __syncthreads();
  });
  if (c.uniform > 0)
    list_pieces(a, scouts, c.totals->pieces, c.shared.samples, c.uniform, 1.0, int64{blockIdx.x} * chunk_cubes + t,
                int64{gridDim.x} * chunk_cubes);
}

// The marks of a launch, where they are not all there.
extern "C" __global__ void __launch_bounds__(tessera::sample_tile)
    tessera_mark_pieces(const __grid_constant__ tessera::sampling_arguments a) {
  using namespace tessera;
  const course_arguments &c = a.course;
  const int64 end = c.part_piece[c.part_end], begin = c.part_sample[c.part];
  const int lane = static_cast<int>(threadIdx.x) & 31;
#pragma unroll 1
  for (int64 p = c.part_piece[c.part] + int64{blockIdx.x} * sample_tile + threadIdx.x - lane; p < end;
       p += int64{gridDim.x} * sample_tile) {
    const int pieces = end - p < 32 ? static_cast<int>(end - p) : 32;
    const sample_piece piece = c.list[p + (lane < pieces ? lane : 0)].piece();
    mark_row(c, begin, p + pieces == end, p, pieces, piece.first, piece.count);
  }
}

// What the cubes of the last cut have shown for those of this one.
extern "C" __global__ void __launch_bounds__(tessera::sample_tile)
    tessera_cut_again(const __grid_constant__ tessera::sampling_arguments a) {
  using namespace tessera;
  const course_arguments &c = a.course;
  for (int64 h = int64{blockIdx.x} * sample_tile + threadIdx.x; h < c.shared.cubes; h += int64{gridDim.x} * sample_tile)
    c.spread[h] = c.before[cube_at_centre(h, c.ndim, c.cells, c.cells + c.ndim)];
}

// ---- What an iteration has taught ------------------------------------------------------------------------------------------
// A block for each axis, and the others for the cubes.
extern "C" __global__ void __launch_bounds__(tessera::sample_tile)
    tessera_learn(const __grid_constant__ tessera::sampling_arguments a) {
  using namespace tessera;
  __shared__ axis_refinement work;
  const course_arguments &c = a.course;
  const int t = static_cast<int>(threadIdx.x);
  const int axis = static_cast<int>(blockIdx.x);
  if (axis >= c.ndim) {
    for (int64 h = int64{axis - c.ndim} * sample_tile + t; h < c.shared.cubes;
         h += (int64{gridDim.x} - c.ndim) * sample_tile) {
      const int64 end = h + 1 < c.shared.cubes ? c.cube_piece[h + 1] : c.totals->pieces;
      const auto count = static_cast<double>(c.counts[h]);
      double shown = 0.0;
      for (int64 p = c.cube_piece[h]; p < end; ++p)
        shown += a.spread[p] * (static_cast<double>(c.list[p].count) / count);
      c.spread[h] = learnt_spread(c.known, c.known ? c.spread[h] : 0.0, shown);
    }
    return;
  }
  const block_lanes lanes;
  const uint64 *const counted = c.totals->squares;
  const double squares =
      c.believe_all ? 0.0 : static_cast<double>(counted[1]) * 18446744073709551616.0 + static_cast<double>(counted[0]);
  uint64 *const counts = a.training + blockIdx.x * grid_bins;
  refine_axis(lanes, work, counts, squares, c.damping, c.edges + blockIdx.x * grid_edges);
  __syncthreads();
  lanes.each(grid_bins, [&](int i) { counts[i] = 0; });
}
