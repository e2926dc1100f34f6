// Estimates of pieces from the values of their samples, and what of them makes an iteration of VEGAS. Part of a text that is compiled at
// run time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../engine/montecarlo/grid_steps.hpp"
#include "last_block.cuh"
#include "sample_point.cuh"

namespace tessera {

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
#if TESSERA_LIST
  return a.course.list[p].piece();
#else
  return plain_piece(a.cut, a.pass.cube, a.first, a.samples, p);
#endif
}

// ---- Pieces ----------------------------------------------------------------------------------------------------------------
__device__ __forceinline__ int team_for(int64 samples, int64 pieces) {
  int team = 1;
  while (team < 32 && 4 * team * pieces < samples) team *= 2;
  return team;
}

// Deviations from the piece's first sample: of samples lane, lane + team, ...
__device__ __forceinline__ sample_moments moments_of_lane(const double *f, int64 first, int64 count, int team,
                                                          int lane) {
  sample_moments m;
  const double *const values = f + first;
  const double about = count > 0 ? values[0] : 0.0;
  const int many = static_cast<int>(count);
  TESSERA_OVERLAPPED for (int q = lane; q < many; q += team) m.add_deviation(values[q] - about);
  return m;
}
// In the team's first lane. `count` is 0 where there is no piece, and its threads come along.
__device__ __forceinline__ sample_moments moments_by_team(const double *f, int64 first, int64 count, int team,
                                                          int lane) {
  sample_moments m = moments_of_lane(f, first, count, team, lane);
  for (int d = team / 2; d > 0; d /= 2) fold_in(m, lower_lane(m, d));
  m.first = count > 0 ? f[first] : 0.0;
  m.count = count;
  return m;
}

// Estimates of pieces from the values of their samples: pieces begin ... begin+many-1, one for each thread; first: the sample to which a.f
// begins; team: threads that sum a piece, a power of two. take(k, sums) has those of component k, in thread 0. Returns the first one that
// is not finite, or -1. Collective.
template <class Take>
__device__ __forceinline__ int64 sum_pieces(const sampling_arguments &a, int64 first, int64 begin, int64 many, int team,
                                            Take take) {
  __shared__ int large[sample_tile], larges;
  __shared__ sample_moments moments[sample_tile];
  __shared__ sample_moments warp_moments[warps];
  __shared__ sample_sums warp_sums[warps];
  __shared__ int least_failed;
  const int t = static_cast<int>(threadIdx.x), teams = sample_tile / team, lane = t & (team - 1);
  const bool mine = t < many;
  sample_piece piece = {0, 0, 0, 0.0};
  if (mine) piece = piece_at(a, begin + t);
  if (t == 0) {
    larges = 0;
    least_failed = sample_tile;
  }
  __syncthreads();
  const auto is_large = [&](int64 count) { return count > 32 * team; };
  if (mine && is_large(piece.count)) large[atomicAdd(&larges, 1)] = t;
  __syncthreads();
  double together = 0.0;
#pragma unroll 1
  for (int k = 0; k < comps; ++k) {
    const double *const f = a.f + k * a.stride - first;  // by the samples' indices
#pragma unroll 1
    for (int from = 0; from < many; from += teams) {
      const int i = from + t / team;
      const sample_piece other = i < many ? piece_at(a, begin + i) : sample_piece{0, 0, 0, 0.0};
      const sample_moments m = moments_by_team(f, other.first, is_large(other.count) ? 0 : other.count, team, lane);
      if (lane == 0 && i < many) moments[i] = m;
    }
    __syncthreads();
    // These by the whole block. Their order does not matter.
#pragma unroll 1
    for (int i = 0; i < larges; ++i) {
      const sample_piece other = piece_at(a, begin + large[i]);
      sample_moments m = moments_of_lane(f, other.first, other.count, sample_tile, t);
      fold_block<sample_tile>(m, warp_moments);
      if (t != 0) continue;
      m.first = f[other.first];
      m.count = other.count;
      moments[large[i]] = m;
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
    if (t == 0) take(k, sums);
  }
  if (TESSERA_LIST && mine) a.spread[begin + t] = together;
  const int failed = least_failed;
  __syncthreads();
  return failed < sample_tile ? begin + failed : -1;
}

#if TESSERA_LIST
// The first piece that begins with this sample, the first one of a tile, or behind it.
__device__ __forceinline__ int64 first_piece_behind(const course_arguments &c, int64 sample, int64 tile) {
  const int p = c.tile_piece[tile];
  return c.list[p].first < sample ? p + 1 : p;
}

// The pieces of a part. sums[comps]: of this block, over the parts so far; the last block of the last part folds those of all.
__device__ __forceinline__ void sum_part(const sampling_arguments &a, sample_sums *sums) {
  __shared__ bool is_last;
  const course_arguments &c = a.course;
  const int t = static_cast<int>(threadIdx.x);
  const int64 begin = c.part_piece[c.part], end = c.part_piece[c.part + 1], first = c.part_sample[c.part],
              count = c.part_sample[c.part + 1] - first;
  const int team = team_for(count, end - begin);
  if (c.part == 0 && t == 0)
    for (int k = 0; k < comps; ++k) sums[k] = sample_sums();
  // A block takes the pieces that begin in some tiles, so that all have about as many samples, and so many tiles that all blocks have some.
  const int64 before = first / sample_tile, tiles = (first + count + sample_tile - 1) / sample_tile - before;
  int64 together = 16;
  while (together > 1 && together * gridDim.x > tiles) together /= 2;
#pragma unroll 1
  for (int64 tile = blockIdx.x * together; tile < tiles; tile += gridDim.x * together) {
    const int64 last = tile + together < tiles ? tile + together : tiles,
                from = tile == 0 ? begin : first_piece_behind(c, (before + tile) * sample_tile, tile),
                until = last == tiles ? end : first_piece_behind(c, (before + last) * sample_tile, last);
#pragma unroll 1
    for (int64 p = from; p < until; p += sample_tile) {
      const int64 failed = sum_pieces(a, first, p, until - p < sample_tile ? until - p : sample_tile, team,
                                      [&](int k, const sample_sums &s) { sums[k].add(s); });
      if (t == 0 && failed >= 0) atomicMin(&c.totals->failed, static_cast<uint64>(failed));
    }
  }
  if (!last_block(c.totals->arrived, is_last)) return;
  if (c.part + 1 == c.parts) {
    __shared__ sample_sums of_warp[warps];
#pragma unroll 1
    for (int k = 0; k < comps; ++k) {
      sample_sums s;
#pragma unroll 1
      for (unsigned b = static_cast<unsigned>(t); b < gridDim.x; b += sample_tile)
        s.add(from_far(a.partial + static_cast<int64>(b) * comps + k));
      fold_block<sample_tile>(s, of_warp);
      if (t == 0) a.sums[k] = s;
    }
  }
  if (t == 0) {
    const uint64 failed = *static_cast<volatile uint64 *>(&c.totals->failed);
    a.result->failed = failed == ~uint64{0} ? -1 : static_cast<int64>(failed);
  }
}
#endif

}  // namespace tessera
