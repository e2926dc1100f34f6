// How a device shares out the samples of an iteration of VEGAS, lists their pieces, and learns from them. A text of its own that is compiled
// at run time, once for a kind of device: it knows no integrand. The arithmetic is that of engine/montecarlo/strata_steps.hpp and grid_steps.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../engine/montecarlo/grid_steps.hpp"
#include "last_block.cuh"

namespace tessera {

struct block_lanes {
  template <class F>
  __device__ __forceinline__ void each(int n, const F &f) const {
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x); i < n; i += static_cast<int>(blockDim.x)) f(i);
    __syncthreads();
  }
};

struct warp_lanes {
  template <class F>
  __device__ __forceinline__ void each(int n, const F &f) const {
#pragma unroll 4
    for (int i = static_cast<int>(threadIdx.x) & 31; i < n; i += 32) f(i);
    __syncwarp();
  }
};

// The sum of v over the threads before this one; `all`: over all of them. near[chunk_cubes]. Collective.
__device__ __forceinline__ int64 sum_before(int64 v, int64 *near, int64 &all) {
  const int t = static_cast<int>(threadIdx.x);
  int64 sum = v;
  near[t] = sum;
  __syncthreads();
  for (int d = 1; d < chunk_cubes; d *= 2) {
    const int64 more = t >= d ? near[t - d] : 0;
    __syncthreads();
    near[t] = sum += more;
    __syncthreads();
  }
  all = near[chunk_cubes - 1];
  __syncthreads();
  return sum - v;
}
// What is in `of` to what is before it; returns the sum. Collective.
__device__ __forceinline__ int64 sums_before(int64 *of, int n, int64 *near) {
  const int each = (n + chunk_cubes - 1) / chunk_cubes, first = static_cast<int>(threadIdx.x) * each,
            end = first + each < n ? first + each : n;
  int64 mine = 0, all;
#pragma unroll 8
  for (int i = first; i < end; ++i) mine += __ldcg(of + i);
  int64 before = sum_before(mine, near, all);
#pragma unroll 8
  for (int i = first; i < end; ++i) {
    const int64 here = __ldcg(of + i);
    of[i] = before;
    before += here;
  }
  return all;
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

// each(chunk, base, n) for the chunks of a warp, of the n cubes from `base` on.
template <class Each>
__device__ __forceinline__ void each_chunk(const course_arguments &c, Each each) {
  const int chunks = cube_chunks(c.shared.cubes), warp = static_cast<int>(threadIdx.x) / 32;
#pragma unroll 1
  for (int chunk = static_cast<int>(blockIdx.x) * chunk_warps + warp; chunk < chunks;
       chunk += static_cast<int>(gridDim.x) * chunk_warps) {
    const int64 base = int64{chunk} * chunk_cubes, left = c.shared.cubes - base;
    each(chunk, base, static_cast<int>(left < chunk_cubes ? left : chunk_cubes));
  }
}

// sum_of_chunks() by a block, the groups of which are folded by a warp each. near[chunk_warps][chunk_cubes].
__device__ __forceinline__ double wish_of_all(const course_arguments &c, double (*near)[chunk_cubes]) {
  __shared__ double groups[most_cube_chunks / chunk_cubes];
  const int chunks = cube_chunks(c.shared.cubes), many = (chunks + chunk_cubes - 1) / chunk_cubes,
            warp = static_cast<int>(threadIdx.x) / 32;
#pragma unroll 1
  for (int g = warp; g < many; g += chunk_warps) {
    const int first = g * chunk_cubes;
    const double sum =
        sum_of_chunk(warp_lanes(), near[warp], chunks - first < chunk_cubes ? chunks - first : chunk_cubes,
                     [&](int i) { return __ldcg(c.chunk_wishes + first + i); });
    groups[g] = sum;
  }
  __syncthreads();
  return sum_of_groups(groups, many);
}

}  // namespace tessera

// ---- The steps of an iteration before its samples are made: a warp for each chunk of cubes ---------------------------------
extern "C" __global__ void __launch_bounds__(tessera::chunk_cubes)
    tessera_wishes(const __grid_constant__ tessera::sampling_arguments a) {
  using namespace tessera;
  __shared__ double near[chunk_warps][chunk_cubes];
  __shared__ bool is_last;
  const course_arguments &c = a.course;
  each_chunk(c, [&](int chunk, int64 base, int n) {
    const double sum = sum_of_chunk(warp_lanes(), near[threadIdx.x / 32], n, [&](int i) {
      const double wish = c.known ? wish_of_cube(c.shared, c.spread[base + i]) : 1.0;
      c.wishes[base + i] = wish;
      return wish;
    });
    if ((threadIdx.x & 31u) == 0) c.chunk_wishes[chunk] = sum;
  });
  if (!last_block(c.totals->arrived, is_last)) return;
  const double sum = wish_of_all(c, near);
  if (threadIdx.x != 0) return;
  c.totals->wish = sum;
  c.totals->failed = ~uint64{0};
}

// Samples of the cubes as far as they are whole.
extern "C" __global__ void __launch_bounds__(tessera::chunk_cubes)
    tessera_whole_samples(const __grid_constant__ tessera::sampling_arguments a) {
  using namespace tessera;
  __shared__ int64 near[chunk_cubes];
  __shared__ bool is_last;
  const course_arguments &c = a.course;
  const double wish = c.totals->wish;
  each_chunk(c, [&](int chunk, int64 base, int n) {
    int64 samples = 0;
#pragma unroll 4
    for (int i = static_cast<int>(threadIdx.x) & 31; i < n; i += 32) {
      const int64 count = whole_samples(c.shared, wish, c.wishes[base + i]);
      c.counts[base + i] = count;
      samples += count;
    }
    samples = sum_over_warp(samples);
    if ((threadIdx.x & 31u) == 0) c.chunk_samples[chunk] = samples;
  });
  if (!last_block(c.totals->arrived, is_last)) return;
  const int64 sum = sums_before(c.chunk_samples, cube_chunks(c.shared.cubes), near);
  if (threadIdx.x == 0) c.totals->left = c.shared.samples - sum;
}

// All of them.
extern "C" __global__ void __launch_bounds__(tessera::chunk_cubes)
    tessera_all_samples(const __grid_constant__ tessera::sampling_arguments a) {
  using namespace tessera;
  __shared__ int64 near[chunk_cubes];
  __shared__ bool is_last;
  const course_arguments &c = a.course;
  const left_samples left = share_left(c.shared, c.totals->left);
  each_chunk(c, [&](int chunk, int64 base, int n) {
    int64 samples = 0, pieces = 0;
#pragma unroll 4
    for (int i = static_cast<int>(threadIdx.x) & 31; i < n; i += 32) {
      const int64 count = samples_of_cube(left, base + i, c.counts[base + i]);
      c.counts[base + i] = count;
      samples += count;
      pieces += pieces_for(count);
    }
    samples = sum_over_warp(samples);
    pieces = sum_over_warp(pieces);
    if ((threadIdx.x & 31u) != 0) return;
    c.chunk_samples[chunk] = samples;
    c.chunk_pieces[chunk] = pieces;
  });
  if (!last_block(c.totals->arrived, is_last)) return;
  const int chunks = cube_chunks(c.shared.cubes);
  sums_before(c.chunk_samples, chunks, near);
  const int64 pieces = sums_before(c.chunk_pieces, chunks, near);
  if (threadIdx.x == 0) c.totals->pieces = pieces;
}

// A block for each chunk, a row of 32 cubes for each warp.
extern "C" __global__ void __launch_bounds__(tessera::chunk_cubes)
    tessera_list_pieces(const __grid_constant__ tessera::sampling_arguments a) {
  using namespace tessera;
  constexpr int few_pieces = 8;  // that a lane lists alone
  __shared__ int64 samples_of_row[chunk_warps], pieces_of_row[chunk_warps];
  const course_arguments &c = a.course;
  const int t = static_cast<int>(threadIdx.x), lane = t & 31, row = t / 32;
  const double weight = weight_of_cube(c.shared.cubes);
#pragma unroll 1
  for (int64 chunk = blockIdx.x; chunk < cube_chunks(c.shared.cubes); chunk += gridDim.x) {
    const int64 cube = chunk * chunk_cubes + t, in_row = c.shared.cubes - (cube - lane);
    const bool mine = cube < c.shared.cubes;
    const int64 count = mine ? c.counts[cube] : 0, of_cube = mine ? pieces_for(count) : 0,
                samples = sum_over_warp(count), pieces = sum_over_warp(of_cube);
    if (lane == 0) {
      samples_of_row[row] = samples;
      pieces_of_row[row] = pieces;
    }
    __syncthreads();
    int64 first = c.chunk_samples[chunk] + sum_before_lane(count),
          at = c.chunk_pieces[chunk] + sum_before_lane(of_cube);
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
    const int64 p = __shfl_sync(~0u, at, 0), end = __shfl_sync(~0u, first, 0) + samples;
    if (simple && c.all_marks && in_row > 0)
      mark_row(c, 0, is_last_piece(c, end), p, in_row < 32 ? static_cast<int>(in_row) : 32, first, count);
    for (unsigned large = __ballot_sync(~0u, of_cube > few_pieces); large != 0; large &= large - 1) {
      const int other = __ffs(static_cast<int>(large)) - 1;
      list_pieces(a, cube - lane + other, __shfl_sync(~0u, at, other), __shfl_sync(~0u, first, other),
                  __shfl_sync(~0u, count, other), weight, lane, 32);
    }
    __syncthreads();
  }
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
