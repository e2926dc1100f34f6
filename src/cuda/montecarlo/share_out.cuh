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
// The tiles of a part that begin in a piece. `last`: of the part.
__device__ __forceinline__ void mark_tiles(const course_arguments &c, int64 part_begin, bool last, int64 p,
                                           const sample_piece &piece) {
  const int64 before = part_begin / sample_tile, end = piece.first + piece.count;
  int64 tile = piece.first == part_begin ? before : (piece.first + sample_tile - 1) / sample_tile;
#pragma unroll 1
  for (; tile * sample_tile < end; ++tile) c.tile_piece[tile - before] = static_cast<int>(p);
  if (last) c.tile_piece[(end + sample_tile - 1) / sample_tile - before] = static_cast<int>(p);
}

__device__ __forceinline__ void list_piece(const sampling_arguments &a, int64 p, const sample_piece &piece) {
  const course_arguments &c = a.course;
  c.list[p] = {piece.first, static_cast<int>(piece.cube), static_cast<int>(piece.count), piece.weight,
               training_share(a.pass, piece)};
  const int64 end = piece.first + piece.count;
  const bool last = end == c.shared.samples + c.uniform;
  if (piece.first == 0) {
    c.part_piece[0] = 0;
    c.part_sample[0] = 0;
  }
  if (c.parts == 1) {
    if (last) {
      c.part_piece[1] = p + 1;
      c.part_sample[1] = end;
    }
    mark_tiles(c, 0, last, p, piece);
    return;
  }
  const int64 until = last ? c.parts : end / c.part_samples;
#pragma unroll 1
  for (int64 part = piece.first / c.part_samples + 1; part <= until; ++part) {
    c.part_piece[part] = p + 1;
    c.part_sample[part] = end;
  }
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

extern "C" __global__ void __launch_bounds__(tessera::chunk_cubes)
    tessera_list_pieces(const __grid_constant__ tessera::sampling_arguments a) {
  using namespace tessera;
  constexpr int few_pieces = 8;  // that a lane lists alone
  const course_arguments &c = a.course;
  const int t = static_cast<int>(threadIdx.x), lane = t & 31;
  const double weight = weight_of_cube(c.shared.cubes);
  each_chunk(c, [&](int chunk, int64 base, int n) {
    int64 samples = c.chunk_samples[chunk], pieces = c.chunk_pieces[chunk];  // of the chunks and rows before
#pragma unroll 1
    for (int row = 0; row < n; row += 32) {
      const bool mine = row + lane < n;
      const int64 cube = base + row + lane, count = mine ? c.counts[cube] : 0, of_cube = mine ? pieces_for(count) : 0;
      const int64 first = samples + sum_before_lane(count), at = pieces + sum_before_lane(of_cube);
      samples += sum_over_warp(count);
      pieces += sum_over_warp(of_cube);
      if (mine) {
        c.cube_piece[cube] = at;
        if (of_cube == 1)
          list_piece(a, at, {cube, first, count, weight});
        else if (of_cube <= few_pieces)
          list_pieces(a, cube, at, first, count, weight, 0, 1);
      }
      for (unsigned large = __ballot_sync(~0u, of_cube > few_pieces); large != 0; large &= large - 1) {
        const int other = __ffs(static_cast<int>(large)) - 1;
        list_pieces(a, base + row + other, __shfl_sync(~0u, at, other), __shfl_sync(~0u, first, other),
                    __shfl_sync(~0u, count, other), weight, lane, 32);
      }
    }
  });
  if (c.uniform > 0)
    list_pieces(a, scouts, c.totals->pieces, c.shared.samples, c.uniform, 1.0, int64{blockIdx.x} * chunk_cubes + t,
                int64{gridDim.x} * chunk_cubes);
}

// The tiles of a part, where there are several parts.
extern "C" __global__ void __launch_bounds__(tessera::sample_tile)
    tessera_list_tiles(const __grid_constant__ tessera::sampling_arguments a) {
  using namespace tessera;
  const course_arguments &c = a.course;
  const int64 end = c.part_piece[c.part + 1], begin = c.part_sample[c.part];
  for (int64 p = c.part_piece[c.part] + int64{blockIdx.x} * sample_tile + threadIdx.x; p < end;
       p += int64{gridDim.x} * sample_tile)
    mark_tiles(c, begin, p + 1 == end, p, c.list[p].piece());
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
  __shared__ double near[sample_tile];
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
  double squares = 0.0;
  if (!c.believe_all) {
    double sum = 0.0;
    for (int b = t; b < c.value_blocks; b += sample_tile) sum += a.squares[b];
    near[t] = sum;
    __syncthreads();
    squares = fold_numbers(lanes, sample_tile, near);
  }
  uint64 *const counts = a.training + blockIdx.x * grid_bins;
  refine_axis(lanes, work, counts, squares, c.damping, c.edges + blockIdx.x * grid_edges);
  __syncthreads();
  lanes.each(grid_bins, [&](int i) { counts[i] = 0; });
}
