// Samples of Monte Carlo with the user's integrand inlined, or around a device callback. Part of a text that is compiled at run time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "sample_point.cuh"

namespace tessera {

__device__ __forceinline__ double weighted_value(double f, double jacobian) {
  return weights ? weighted(f, jacobian) : f;
}

// ---- Sums ------------------------------------------------------------------------------------------------------------------
// Deviations alone: the rest is the same in all lanes, or set afterwards.
__device__ __forceinline__ sample_moments lower_lane(const sample_moments &m, int d) {
  sample_moments o;
  o.sum = lower_lane(m.sum, d);
  o.squares = lower_lane(m.squares, d);
  o.least = lower_lane(m.least, d);
  o.most = lower_lane(m.most, d);
  return o;
}
__device__ __forceinline__ void fold_in(sample_moments &m, const sample_moments &o) { m.add_deviations(o); }

__device__ __forceinline__ sample_sums lower_lane(const sample_sums &s, int d) {
  sample_sums o;
  o.value = lower_lane(s.value, d);
  o.variance = lower_lane(s.variance, d);
  o.square = lower_lane(s.square, d);
  o.doubt = lower_lane(s.doubt, d);
  return o;
}
__device__ __forceinline__ void fold_in(sample_sums &s, const sample_sums &o) { s.add(o); }

__device__ __forceinline__ bool is_finite(double v) { return fabs(v) < infinity_value(); }

__device__ __forceinline__ sample_piece piece_at(const sampling_arguments &a, int64 p) {
  return TESSERA_LIST ? a.list[p - a.first_piece] : plain_piece(a.cut, a.pass.cube, a.first, a.samples, p);
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
        if (TESSERA_GRID) u = place_on_axis(a.pass.edges + j * grid_edges, scout, 0, 1, u, grid, bin);
        x[j] = coordinate_of(j, u, jacobian);
      }
      if (TESSERA_GRID) jacobian *= weight_of_sample(grid, a.pass.share, scout).factor;
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
  const int64 shift = blockIdx.x / a.shift_blocks;
  const sobol_net net = {a.pass.sobol.axes + shift * sobol_words(dim, a.pass.sobol.columns), a.pass.sobol.columns};
  fetch_columns(net, near);
  const int64 begin = a.first_piece + (blockIdx.x - shift * a.shift_blocks) * a.block_pieces;
#else
  const int64 begin = a.first_piece + blockIdx.x * a.block_pieces;
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

// The piece that has the sample; of a plain pass the first one, for all of them are of one cube and weigh as much.
__device__ __forceinline__ sample_piece piece_of_sample(const sampling_arguments &a, int64 tile, int64 index) {
  if (!TESSERA_LIST) return plain_piece(a.cut, a.pass.cube, a.first, a.samples, 0);
  int low = a.tile_piece[tile], high = a.tile_piece[tile + 1];
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (a.list[middle].first <= index)
      low = middle;
    else
      high = middle - 1;
  }
  return a.list[low];
}

#if TESSERA_LIST
// Counts a point on all axes. Near memory has the lower words; their carries go to far memory.
__device__ __forceinline__ double train(const sampling_arguments &a, const sample_point &p, const double *f,
                                        double share, uint32 *low) {
  double squares = 0.0;
#pragma unroll(comps <= sampling_most_fused ? comps : 1)
  for (int k = 0; k < comps; ++k) squares += f[k] * f[k] * a.pass.scale[k];
  const uint64 quantum = training_quantum(a.pass, squares * p.boost, share);
  if (quantum == 0) return 0.0;
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
  return static_cast<double>(quantum) * static_cast<double>(quantum);
}
#endif

}  // namespace tessera

// Weighted values of the samples of a chunk; with a device callback a.f has those of the points, and becomes those.
extern "C" __global__ void __launch_bounds__(tessera::sample_tile)
    tessera_sample_values(const __grid_constant__ tessera::sampling_arguments a) {
  using namespace tessera;
#if TESSERA_LIST
  __shared__ uint32 low[near_training ? dim * grid_bins : 1];
  __shared__ double warp_squares[warps];
  if (near_training) {
    for (int i = static_cast<int>(threadIdx.x); i < dim * grid_bins; i += sample_tile) low[near_training ? i : 0] = 0;
    __syncthreads();
  }
#endif
  double squares = 0.0;
#pragma unroll 1
  for (int64 tile = blockIdx.x; tile * sample_tile < a.count; tile += gridDim.x) {
    const int64 s = tile * sample_tile + threadIdx.x;
    if (s >= a.count) break;
#if !TESSERA_BATCH
    if (ends_run(flags_now())) break;
#endif
    const int64 index = a.first_sample + s;
    const sample_piece piece = piece_of_sample(a, tile, index);
    const double share = TESSERA_LIST ? training_share(a.pass, piece) : 0.0;
    double v[comps];
#pragma unroll 1
    for (int half = 0; half < halves; ++half) {
      sample_point p;
      double f[comps];
      p.make(a, static_cast<uint64>(index), piece.cube, half);
#if TESSERA_BATCH
      for (int k = 0; k < comps; ++k) f[k] = a.f[k * a.stride + half * a.count + s];
#else
      add_weight(a.pass, piece, p.jacobian, p.x);
      user_values(p.x, f, a.params);
#endif
      for (int k = 0; k < comps; ++k) {
        f[k] = weighted_value(a.pass.unit * f[k], p.jacobian);
        v[k] = TESSERA_ANTITHETIC ? (half == 0 ? 0.5 * f[k] : v[k] + 0.5 * f[k]) : f[k];
      }
#if TESSERA_LIST
      squares += train(a, p, f, share, low);
#endif
    }
    for (int k = 0; k < comps; ++k) a.f[k * a.stride + s] = v[k];
  }
#if TESSERA_LIST
  fold_block<sample_tile>(squares, warp_squares);
  if (threadIdx.x == 0) a.squares[blockIdx.x] = squares;
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

// Estimates of pieces from the values of their samples. Block b: pieces first_piece + b*block_pieces and those behind it.
extern "C" __global__ void __launch_bounds__(tessera::sample_tile)
    tessera_sample_pieces(const __grid_constant__ tessera::sampling_arguments a) {
  using namespace tessera;
  __shared__ int large[sample_tile], larges;
  __shared__ sample_moments moments[sample_tile];
  __shared__ sample_sums warp_sums[warps];
  __shared__ int least_failed;
  const int t = static_cast<int>(threadIdx.x), lane = t & 31;
  const int64 begin = a.first_piece + blockIdx.x * a.block_pieces;
  const int64 left = a.end_piece - begin, many = left < a.block_pieces ? left : a.block_pieces;
  const bool mine = t < many;
  sample_piece piece = {0, 0, 0, 0.0};
  if (mine) piece = piece_at(a, begin + t);
  if (t == 0) {
    larges = 0;
    least_failed = sample_tile;
  }
  __syncthreads();
  if (mine && piece.count > small_piece) large[atomicAdd(&larges, 1)] = t;
  __syncthreads();
  double together = 0.0;
#pragma unroll 1
  for (int k = 0; k < comps; ++k) {
    const double *const f = a.f + k * a.stride - a.first_sample;  // by the samples' indices
    if (mine && piece.count <= small_piece) {
      sample_moments m;
      for (int64 i = 0; i < piece.count; ++i) m.add(f[piece.first + i]);
      moments[t] = m;
    }
    for (int i = t / 32; i < larges; i += warps) {
      const sample_piece other = piece_at(a, begin + large[i]);
      const double first = f[other.first];
      sample_moments m;
      for (int64 q = lane; q < other.count; q += 32) m.add_deviation(f[other.first + q] - first);
      fold_warp(m);
      m.first = first;
      m.count = other.count;
      if (lane == 0) moments[large[i]] = m;
    }
    __syncthreads();
    sample_sums sums;
    if (mine) {
      const sample_moments m = moments[t];
      if (!is_finite(m.first) || !is_finite(m.sum)) atomicMin(&least_failed, t);
      const stratum_estimate e = estimate_stratum(m);
      if (TESSERA_LIST) together += e.spread * a.pass.scale[k];
      sums.add(e, piece.weight);
    }
    fold_block<sample_tile>(sums, warp_sums);
    if (t == 0) a.partial[blockIdx.x * comps + k] = sums;
  }
  if (TESSERA_LIST && mine) a.spread[begin - a.first_piece + t] = together;
  if (t == 0) a.failed[blockIdx.x] = least_failed < sample_tile ? begin + least_failed : -1;
}
#endif

#if TESSERA_BATCH
// The points of a chunk for a device callback.
extern "C" __global__ void __launch_bounds__(tessera::sample_tile)
    tessera_sample_points(const __grid_constant__ tessera::sampling_arguments a) {
  using namespace tessera;
#pragma unroll 1
  for (int64 tile = blockIdx.x; tile * sample_tile < a.count; tile += gridDim.x) {
    const int64 s = tile * sample_tile + threadIdx.x;
    if (s >= a.count) break;
    const sample_piece piece = piece_of_sample(a, tile, a.first_sample + s);
#pragma unroll 1
    for (int half = 0; half < halves; ++half) {
      sample_point p;
      p.make(a, static_cast<uint64>(a.first_sample + s), piece.cube, half);
      add_weight(a.pass, piece, p.jacobian, p.x);
      for (int j = 0; j < coordinates; ++j) a.x[j * a.stride + half * a.count + s] = p.x[j];
    }
  }
}
#endif
