// Samples of Monte Carlo with the user's integrand inlined, or around a device callback. Part of a text that is compiled at run time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "sample_point.cuh"

namespace tessera {

__device__ __forceinline__ double weighted_value(double f, double jacobian) {
  return weights ? weighted(f, jacobian) : f;
}

}  // namespace tessera

#if !TESSERA_BATCH && !TESSERA_LIST && !TESSERA_GIVEN && TESSERA_NCOMP <= 8  // sampling_most_fused
namespace tessera {

// One component as a thread has seen it in a piece.
struct thread_moments {
  double first = 0.0;  // the piece's first sample
  sample_moments m;
};

// Value of point `half` of a sample, whose coordinates are in x, as part of the sample's.
__device__ __forceinline__ void add_point(const sampling_arguments &a, const sample_piece &piece, int half,
                                          double jacobian, double *x, double *v) {
  double f[comps];
  add_weight(a.pass, piece, jacobian, x);
  user_values(x, f, a.params);
#pragma unroll
  for (int k = 0; k < comps; ++k) {
    const double w = weighted_value(a.pass.unit * f[k], jacobian);
    v[k] = TESSERA_ANTITHETIC ? (half == 0 ? 0.5 * w : v[k] + 0.5 * w) : w;
  }
}
__device__ __forceinline__ void add_sample(const double *v, bool is_first, thread_moments *sums) {
#pragma unroll
  for (int k = 0; k < comps; ++k) {
    sums[k].first = is_first ? v[k] : sums[k].first;
    sums[k].m.add_deviation(v[k] - sums[k].first);
  }
}

#if TESSERA_SOBOL
__device__ __forceinline__ void sum_samples(const sampling_arguments &a, const sobol_net &net, const near_net &near,
                                            const sample_piece &piece, thread_moments *sums) {
  const uint64 first = static_cast<uint64>(piece.first);
  const bool scout = piece.cube == scouts;
  walking_point point;
  point.begin(net, near, piece.first);
  int i = static_cast<int>(threadIdx.x) - sampling_block;
#pragma unroll 1
  for (;;) {
    double v[comps];
#pragma unroll 1
    for (int half = 0; half < halves; ++half) {
      double x[coordinates], jacobian = 1.0, grid = 1.0;
#pragma unroll(near_point ? dim : 1)
      for (int j = 0; j < dim; ++j) {
        double u = uniform52(point.digits[j]);
        int bin;
        if (TESSERA_ANTITHETIC && half != 0) u = 1.0 - u;
        if (TESSERA_GRID && scout) grid *= grid_width(grid_table{a.pass.edges + j * grid_edges}, u, bin);
        if (TESSERA_GRID && !scout) u = grid_coordinate(grid_table{a.pass.edges + j * grid_edges}, u, grid, bin);
        x[j] = coordinate_of(j, u, jacobian);
      }
      if (TESSERA_GRID) jacobian *= weight_of_sample(grid, a.pass.scouting, scout).factor;
      add_point(a, piece, half, jacobian, x, v);
    }
    add_sample(v, i < 0, sums);
    i += sampling_block;
    if (i >= static_cast<int>(piece.count)) return;
    const uint64 next = first + static_cast<uint64>(i);
    if (i >= sampling_block) {
      point.change(net, near, lower_columns + __ffsll(static_cast<int64>(next >> lower_columns)) - 1);
    } else {
      uint64 code = code_of(next) ^ code_of(first);
#pragma unroll 1
      for (int c = 0; code != 0; ++c, code >>= 1)
        if ((code & 1) != 0) point.change(net, near, c);
    }
  }
}
#else
// The samples of a piece that are this thread's. All threads begin with the piece's first sample, about which they sum.
__device__ __forceinline__ void sum_samples(const sampling_arguments &a, const sample_piece &piece,
                                            thread_moments *sums) {
  const uint64 first = static_cast<uint64>(piece.first);
  const uint32 low = static_cast<uint32>(first);
  const int64 room = (int64{1} << 32) - low;  // before the upper word of the index changes
  int i = static_cast<int>(threadIdx.x) - sampling_block,
      end = static_cast<int>(room < piece.count ? room : piece.count);
#pragma unroll 1
  for (uint64 high = first >> 32;; ++high) {
    philox_half inner[near_point ? pairs : 1];
    if (near_point) {
#pragma unroll
      for (int pair = 0; pair < pairs; ++pair)
        inner[near_point ? pair : 0] = philox_inner(static_cast<uint32>(high), static_cast<uint32>(pair), a.keys);
    }
#pragma unroll 1
    for (; i < end; i += sampling_block) {
      const philox_half outer = philox_outer(low + static_cast<uint32>(i < 0 ? 0 : i), a.pass.stream, a.keys);
      double v[comps];
#pragma unroll 1
      for (int half = 0; half < halves; ++half) {
        double x[coordinates], jacobian = 1.0;
        const auto take = [&](int j, double u) { x[j] = coordinate_of(j, u, jacobian); };
        if (TESSERA_THREEFRY)
          each_threefry_coordinate(a.pass, first + static_cast<uint64>(i < 0 ? 0 : i), half, take);
        else
          each_coordinate(
              a.keys, outer, half,
              [&](int pair) {
                return near_point ? inner[near_point ? pair : 0]
                                  : philox_inner(static_cast<uint32>(high), static_cast<uint32>(pair), a.keys);
              },
              take);
        add_point(a, piece, half, jacobian, x, v);
      }
      add_sample(v, i < 0, sums);
    }
    if (end == static_cast<int>(piece.count)) return;
    end = static_cast<int>(piece.count);
  }
}
#endif

}  // namespace tessera

// Block b of a shift: pieces first_piece + b*block_pieces and those behind it.
extern "C" __global__ void __launch_bounds__(tessera::sampling_block, TESSERA_BLOCKS)
    tessera_sample_sums(const __grid_constant__ tessera::sampling_arguments a) {
  using namespace tessera;
  __shared__ sample_moments warp[2][sampling_block / 32][comps];
  __shared__ sample_sums total[comps];
  __shared__ int flags[2];
  if (threadIdx.x == 0)
    for (int k = 0; k < comps; ++k) total[k] = sample_sums();
#if TESSERA_SOBOL
  __shared__ near_net near;
  const int64 block = a.first_block + blockIdx.x, shift = block / a.shift_blocks;
  const sobol_net net = {a.pass.sobol.axes + shift * sobol_words(dim, a.pass.sobol.columns), a.pass.sobol.columns};
  fetch_columns(net, near);
  const int64 begin = a.first_piece + (block - shift * a.shift_blocks) * a.block_pieces;
#else
  const int64 begin = a.first_piece + (a.first_block + blockIdx.x) * a.block_pieces;
#endif
  const int64 end = begin + a.block_pieces < a.end_piece ? begin + a.block_pieces : a.end_piece;
  int64 failed = -1;
  int turn = 0;
#pragma unroll 1
  for (int64 p = begin; p < end; ++p, turn ^= 1) {
    const sample_piece piece = piece_at(a, p);
    thread_moments sums[comps];
#if TESSERA_SOBOL
    fetch_point(net, piece.first, near);
    __syncthreads();
    sum_samples(a, net, near, piece, sums);
#else
    sum_samples(a, piece, sums);
#endif
#pragma unroll
    for (int k = 0; k < comps; ++k) {
      fold_warp(sums[k].m);
      if ((threadIdx.x & 31u) == 0) warp[turn][threadIdx.x / 32][k] = sums[k].m;
    }
    if (threadIdx.x == 0) flags[turn] = flags_now();
    __syncthreads();
    if (threadIdx.x == 0) {
#pragma unroll 1
      for (int k = 0; k < comps; ++k) {
        sample_moments m = warp[turn][0][k];
        for (int w = 1; w < sampling_block / 32; ++w) m.add_deviations(warp[turn][w][k]);
        m.count = piece.count;
        m.first = 0.0;
#pragma unroll
        for (int q = 0; q < comps; ++q) m.first = q == k ? sums[q].first : m.first;
        if (failed < 0 && !is_finite(m.sum)) failed = p;
        total[k].add(estimate_stratum(m), piece.weight);
      }
    }
    if (ends_run(flags[turn])) break;
  }
  if (threadIdx.x == 0) {
    for (int k = 0; k < comps; ++k) a.partial[blockIdx.x * comps + k] = total[k];
    a.failed[blockIdx.x] = failed;
  }
  report_flags(a.answer);
}
#else

// ---- Through memory --------------------------------------------------------------------------------------------------------
namespace tessera {

// The samples of a launch, in tiles; those of a list are in warps that begin at multiples of 32.
struct sample_range {
  int64 begin, end;
  int before;    // of the first tile
  int64 marked;  // marks before it
};
__device__ __forceinline__ sample_range range_of(const sampling_arguments &a) {
#if TESSERA_LIST
  const int64 begin = a.course.part_sample[a.course.part], end = a.course.part_sample[a.course.part_end];
  return {begin, end, static_cast<int>(begin % marked_samples), a.course.all_marks ? begin / marked_samples : 0};
#else
  return {a.first_sample, a.first_sample + a.count, 0, 0};
#endif
}

// Pieces of the samples of a warp, which takes 32 of them every `step` samples. Of a plain pass the first one, for all of them are of one cube
// and weigh as much. What a list says of the next 32 and the mark of those behind them are fetched ahead. Collective.
class piece_finder {
 public:
  __device__ __forceinline__ piece_finder(const sampling_arguments &a, const sample_range &range, int first, int step)
      : step_(step) {
    fetch_mark(a, range, first);
    fetch_begins(a, range, first);
    fetch_mark(a, range, first + step);
  }

  // That of the lane; `first`: of the warp.
  __device__ __forceinline__ int next(const sampling_arguments &a, const sample_range &range, int first) {
#if TESSERA_LIST
    // A piece has two samples at least: no more than 16 begin behind the first lane.
    const int lane = static_cast<int>(threadIdx.x) & 31;
    const uint32 behind = begins_ - static_cast<uint32>(range.begin + first);
    const unsigned begins = any_bits(behind < 32 ? 1u << behind : 0u);
    const int piece = before_ + __popc(begins & ((2u << lane) - 1));
    fetch_begins(a, range, first + step_);
    fetch_mark(a, range, first + 2 * step_);
    return piece;
#else
    return 0;
#endif
  }

 private:
  // The piece that has the warp's first sample, and the one that has the next warp's.
  __device__ __forceinline__ void fetch_mark(const sampling_arguments &a, const sample_range &range, int first) {
#if TESSERA_LIST
    if (first >= static_cast<int>(range.end - range.begin)) return;
    const int *const mark =
        a.course.marks + range.marked + static_cast<unsigned>(first + range.before) / marked_samples;
    mark_ = mark[0];
    last_ = mark[1];
#endif
  }
  // Where the lane's piece begins, of those behind the first one, modulo 2^32; where there is none, behind the warp.
  __device__ __forceinline__ void fetch_begins(const sampling_arguments &a, const sample_range &range, int first) {
#if TESSERA_LIST
    before_ = mark_;
    begins_ = static_cast<uint32>(range.begin + first) + 32;
    const int piece = mark_ + 1 + (static_cast<int>(threadIdx.x) & 31);
    if (first < static_cast<int>(range.end - range.begin) && piece <= last_)
      begins_ = static_cast<uint32>(a.course.list[piece].first);
#endif
  }

  const int step_;
  int mark_ = 0, last_ = 0, before_ = 0;
  uint32 begins_ = 0;
};

#if TESSERA_LIST
// A sum of squares that is exact, lower word first.
struct exact_squares {
  uint64 low = 0, high = 0;
  __device__ __forceinline__ void add(uint64 lower, uint64 upper) {
    low += lower;
    high += upper + (low < lower ? 1 : 0);
  }
  __device__ __forceinline__ void add_square(uint64 v) { add(v * v, __umul64hi(v, v)); }
};
__device__ __forceinline__ void add_squares(uint64 *to, const exact_squares &s) {
  const uint64 before = atomicAdd(&to[0], s.low), more = s.high + (before + s.low < before ? 1 : 0);
  if (more != 0) atomicAdd(&to[1], more);
}
__device__ __forceinline__ exact_squares lower_lane(const exact_squares &s, int d) {
  exact_squares o;
  o.low = __shfl_down_sync(~0u, s.low, d);
  o.high = __shfl_down_sync(~0u, s.high, d);
  return o;
}
__device__ __forceinline__ void fold_in(exact_squares &s, const exact_squares &o) { s.add(o.low, o.high); }

// Counts a point on all axes. Near memory has the lower words; their carries go to far memory.
__device__ __forceinline__ uint64 train(const sampling_arguments &a, const sample_point &p, const double *f,
                                        double share, uint32 *low) {
  double squares = 0.0;
#pragma unroll(comps <= sampling_most_fused ? comps : 1)
  for (int k = 0; k < comps; ++k) squares += f[k] * f[k] * a.pass.scale[k];
  const uint64 quantum = training_quantum(a.pass, squares * p.boost, share);
  if (quantum == 0) return 0;
  const uint32 lower = static_cast<uint32>(quantum), upper = static_cast<uint32>(quantum >> 32);
#pragma unroll(near_point ? dim : 1)
  for (int j = 0; j < dim; ++j) {
    const int at = j * grid_bins + static_cast<int>(p.bins[j / 4] >> (8 * (j % 4)) & 255u);
    if (near_training) {
      const uint32 before = atomicAdd(&low[at], lower), more = upper + (before + lower < before ? 1u : 0u);
      if (more != 0) atomicAdd(&a.training[at], uint64{more} << 32);
    } else {
      atomicAdd(&a.training[at], quantum);
    }
  }
  return quantum;
}
#endif

// Where they do for it, so many registers that a thousand threads go on beside each other.
constexpr int value_blocks_at_least = TESSERA_LIST && !TESSERA_BATCH && dim <= 6 && comps == 1 ? 4 : 1;

}  // namespace tessera

// Weighted values of the samples of a chunk; with a device callback a.f has those of the points, and becomes those.
extern "C" __global__ void __launch_bounds__(tessera::sample_tile, tessera::value_blocks_at_least)
    tessera_sample_values(const __grid_constant__ tessera::sampling_arguments a) {
  using namespace tessera;
#if TESSERA_LIST
  __shared__ uint32 low[near_training ? dim * grid_bins : 1];
  __shared__ exact_squares warp_squares[warps];
  exact_squares squares;
  __shared__ alignas(16) grid_interval near_edges[near_grid ? dim * grid_bins : 1];
  const grid_of_axes edges = {a.course.edges, near_edges};
  const sample_cells *const cells = near_point ? a.cells : a.pass.cells;
  if (near_training)
    for (int i = static_cast<int>(threadIdx.x); i < dim * grid_bins; i += sample_tile) low[near_training ? i : 0] = 0;
  if (near_grid)
    for (int i = static_cast<int>(threadIdx.x); i < dim * grid_bins; i += sample_tile)
      near_edges[near_grid ? i : 0] = grid_table{a.course.edges + i / grid_bins * grid_edges}.at(i % grid_bins);
  __syncthreads();
#else
  const far_grid edges = {a.pass.edges};
  const sample_cells *const cells = nullptr;
#endif
  const sample_range range = range_of(a);
  const int count = static_cast<int>(range.end - range.begin), step = static_cast<int>(gridDim.x) * sample_tile,
            lane = static_cast<int>(threadIdx.x) & 31;
  int first = static_cast<int>(blockIdx.x * sample_tile + threadIdx.x) - lane - range.before;  // of the warp
  piece_finder pieces(a, range, first, step);
#pragma unroll 1
  for (; first < count; first += step) {
#if !TESSERA_BATCH
    if (__any_sync(~0u, ends_run(flags_now()))) break;
#endif
    const int at = pieces.next(a, range, first);
    const int s = first + lane;
    if (s >= 0 && s < count) {
      const sample_piece piece = piece_at(a, at);
      const int64 index = range.begin + s;
#if TESSERA_LIST
      const bool trains = is_training_sample(a.pass, index);
#endif
      double v[comps];
#pragma unroll 1
      for (int half = 0; half < halves; ++half) {
        sample_point p;
        double f[comps];
        p.make(a, edges, cells, static_cast<uint64>(index), piece.cube, half);
#if TESSERA_BATCH
        for (int k = 0; k < comps; ++k) f[k] = a.f[k * a.stride + half * count + s];
#else
        add_weight(a.pass, piece, p.jacobian, p.x);
        user_values(p.x, f, a.params);
#endif
        for (int k = 0; k < comps; ++k) {
          f[k] = weighted_value(a.pass.unit * f[k], p.jacobian);
          v[k] = TESSERA_ANTITHETIC ? (half == 0 ? 0.5 * f[k] : v[k] + 0.5 * f[k]) : f[k];
        }
#if TESSERA_LIST
        if (trains) squares.add_square(train(a, p, f, a.course.list[at].share, low));
#endif
      }
      for (int k = 0; k < comps; ++k) a.f[k * a.stride + s] = v[k];
    }
  }
#if TESSERA_LIST
  fold_block<sample_tile>(squares, warp_squares);
  if (threadIdx.x == 0) add_squares(a.course.totals->squares, squares);
  if (near_training)
    for (int i = static_cast<int>(threadIdx.x); i < dim * grid_bins; i += sample_tile) {
      const uint32 counted = low[near_training ? i : 0];
      if (counted != 0) atomicAdd(&a.training[i], uint64{counted});
    }
#endif
#if !TESSERA_BATCH
  report_flags(a.answer);
#endif
}
#endif

#if TESSERA_BATCH
// The points of a chunk for a device callback.
extern "C" __global__ void __launch_bounds__(tessera::sample_tile)
    tessera_sample_points(const __grid_constant__ tessera::sampling_arguments a) {
  using namespace tessera;
  const sample_range range = range_of(a);
  const int count = static_cast<int>(range.end - range.begin);
  const far_grid edges = {TESSERA_LIST ? a.course.edges : a.pass.edges};
  const int step = static_cast<int>(gridDim.x) * sample_tile, lane = static_cast<int>(threadIdx.x) & 31;
  int first = static_cast<int>(blockIdx.x * sample_tile + threadIdx.x) - lane - range.before;
  piece_finder pieces(a, range, first, step);
#pragma unroll 1
  for (; first < count; first += step) {
    const int at = pieces.next(a, range, first);
    const int s = first + lane;
    if (s < 0 || s >= count) continue;
    const sample_piece piece = piece_at(a, at);
#pragma unroll 1
    for (int half = 0; half < halves; ++half) {
      sample_point p;
      p.make(a, edges, near_point ? a.cells : a.pass.cells, static_cast<uint64>(range.begin + s), piece.cube, half);
      add_weight(a.pass, piece, p.jacobian, p.x);
      for (int j = 0; j < coordinates; ++j) a.x[j * a.stride + half * count + s] = p.x[j];
    }
  }
}
#endif
