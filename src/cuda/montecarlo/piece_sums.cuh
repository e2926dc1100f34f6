// Estimates of pieces from the values of their samples, and what of them makes an iteration of VEGAS. Part of texts that are compiled at
// run time, twice where two of them are one.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef TESSERA_PIECE_SUMS
#define TESSERA_PIECE_SUMS

#include "../../engine/montecarlo/grid_steps.hpp"
#include "../device/block_sums.cuh"
#include "last_block.cuh"

#ifndef TESSERA_GRID
#define TESSERA_GRID 0
#define TESSERA_SOBOL 0
#endif
#ifndef TESSERA_NCOMP
#define TESSERA_NCOMP 1
#endif
// TESSERA_GRID: importance sampling. TESSERA_SOBOL: Sobol points. TESSERA_LIST: in strata, of which there is a list, and training the grid.
#define TESSERA_LIST (TESSERA_GRID && !TESSERA_SOBOL)

namespace tessera {

constexpr int piece_comps = TESSERA_NCOMP;
constexpr int warps = sample_tile / 32;

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

// A run of pieces, one for each thread of a block.
struct piece_work {
  int large[sample_tile];  // those of a warp from the front, those of the block from the back
  int larges, huges;
  sample_moments moments[sample_tile];
  sample_moments of_warp[warps];
};
// Estimates of component k from the values of the samples, added to `sums` by each thread. Pieces begin ... begin+many-1; first: the sample
// to which a.f begins; team: threads that sum a piece, a power of two. failed: the first one that is not finite, or what it was. Collective.
__device__ __forceinline__ void sum_pieces(const sampling_arguments &a, piece_work &w, int k, int64 first, int64 begin,
                                           int64 many, int team, sample_sums &sums, int64 &failed) {
  constexpr int most_of_warp = 2048;
  const int t = static_cast<int>(threadIdx.x), teams = sample_tile / team, lane = t & (team - 1);
  const double *const f = a.f + k * a.stride - first;  // by the samples' indices
  const bool mine = t < many;
  sample_piece piece = {0, 0, 0, 0.0};
  if (mine) piece = piece_at(a, begin + t);
  if (t == 0) w.larges = w.huges = 0;
  __syncthreads();
  const auto is_large = [&](int64 count) { return count > 32 * team; };
  if (mine && is_large(piece.count))
    w.large[piece.count <= most_of_warp ? atomicAdd(&w.larges, 1) : sample_tile - 1 - atomicAdd(&w.huges, 1)] = t;
#pragma unroll 1
  for (int from = 0; from < many; from += teams) {
    const int i = from + t / team;
    const sample_piece other = i < many ? piece_at(a, begin + i) : sample_piece{0, 0, 0, 0.0};
    const sample_moments m = moments_by_team(f, other.first, is_large(other.count) ? 0 : other.count, team, lane);
    if (lane == 0 && i < many) w.moments[i] = m;
  }
  __syncthreads();
  // Their order does not matter.
#pragma unroll 1
  for (int i = t / 32; i < w.larges; i += warps) {
    const sample_piece other = piece_at(a, begin + w.large[i]);
    const sample_moments m = moments_by_team(f, other.first, other.count, 32, t & 31);
    if ((t & 31) == 0) w.moments[w.large[i]] = m;
  }
#pragma unroll 1
  for (int i = 0; i < w.huges; ++i) {
    const int at = w.large[sample_tile - 1 - i];
    const sample_piece other = piece_at(a, begin + at);
    sample_moments m = moments_of_lane(f, other.first, other.count, sample_tile, t);
    fold_block<sample_tile>(m, w.of_warp);
    if (t != 0) continue;
    m.first = f[other.first];
    m.count = other.count;
    w.moments[at] = m;
  }
  __syncthreads();
  if (mine) {
    const sample_moments m = w.moments[t];
    const bool is_bad = !is_finite(m.first) || !is_finite(m.sum);
    if (is_bad && (failed < 0 || begin + t < failed)) failed = begin + t;
    const stratum_estimate e = estimate_stratum(m);
    if (TESSERA_LIST) a.spread[begin + t] = (k > 0 ? a.spread[begin + t] : 0.0) + e.spread * a.pass.scale[k];
    sums.add(e, piece.weight);
  }
  __syncthreads();
}

#if TESSERA_LIST
// The first piece that begins with a tile's first sample, or behind it. marked: marks before those that are there.
__device__ __forceinline__ int64 first_piece_behind(const course_arguments &c, int64 marked, int64 tile) {
  const int p = c.marks[tile * (sample_tile / marked_samples) - marked];
  return c.list[p].first < tile * sample_tile ? p + 1 : p;
}

// The pieces of the parts of a launch, group by group: a.partial[part][group][comps]. The last block folds the groups of each part.
__device__ __forceinline__ void sum_parts(const sampling_arguments &a) {
  __shared__ bool is_last;
  __shared__ piece_work work;
  __shared__ sample_sums of_warp[warps];
  const course_arguments &c = a.course;
  const int t = static_cast<int>(threadIdx.x);
  const int64 first = c.part_sample[c.part], marked = c.all_marks ? 0 : first / marked_samples;
  const int team = team_for(c.shared.samples + c.uniform, c.totals->pieces + pieces_of(cut_into_pieces(c.uniform)));
  const int64 many = static_cast<int64>(c.part_end - c.part) * c.groups;
  int64 failed = -1;
#pragma unroll 1
  for (int64 i = blockIdx.x; i < many; i += gridDim.x) {
    const int part = c.part + static_cast<int>(i / c.groups);
    const int64 before = c.part_sample[part] / sample_tile,
                tiles = (c.part_sample[part + 1] + sample_tile - 1) / sample_tile - before,
                tile = i % c.groups * c.together, last = tile + c.together < tiles ? tile + c.together : tiles;
    const int64 from = tile == 0 || tile >= tiles ? c.part_piece[part] : first_piece_behind(c, marked, before + tile),
                until = tile >= tiles   ? from
                        : last == tiles ? c.part_piece[part + 1]
                                        : first_piece_behind(c, marked, before + last);
#pragma unroll 1
    for (int k = 0; k < piece_comps; ++k) {
      sample_sums sums;
#pragma unroll 1
      for (int64 p = from; p < until; p += sample_tile)
        sum_pieces(a, work, k, first, p, until - p < sample_tile ? until - p : sample_tile, team, sums, failed);
      if (from < until) fold_block<sample_tile>(sums, of_warp);
      if (t == 0) a.partial[i * piece_comps + k] = sums;
      __syncthreads();
    }
  }
  if (failed >= 0) atomicMin(&c.totals->failed, static_cast<uint64>(failed));
  if (!last_block(c.totals->arrived, is_last)) return;
  const int results = (c.part_end - c.part) * piece_comps;
#pragma unroll 1
  for (int j = t / 32; j < results; j += warps) {
    const int part = j / piece_comps, k = j - part * piece_comps;
    sample_sums s;
#pragma unroll 1
    for (int g = t & 31; g < c.groups; g += 32)
      s.add(from_far(a.partial + (static_cast<int64>(part) * c.groups + g) * piece_comps + k));
    fold_warp(s);
    if ((t & 31) == 0) a.part_sums[static_cast<int64>(c.part + part) * piece_comps + k] = s;
  }
  if (t == 0) {
    const uint64 failed = *static_cast<volatile uint64 *>(&c.totals->failed);
    a.result->failed = failed == ~uint64{0} ? -1 : static_cast<int64>(failed);
  }
}
#endif

}  // namespace tessera
#endif
