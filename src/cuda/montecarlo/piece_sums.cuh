// Estimates of pieces from the values of their samples, and what of them makes an iteration of VEGAS. Part of texts that are compiled at
// run time, twice where two of them are one.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef TESSERA_PIECE_SUMS
#define TESSERA_PIECE_SUMS

#include "../../engine/montecarlo/grid_steps.hpp"
#include "../device/block_sums.cuh"
#include "montecarlo_problem.hpp"

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
__device__ __forceinline__ sample_moments of_lane(const sample_moments &m, int lane) {
  sample_moments o;
  o.sum = __shfl_sync(~0u, m.sum, lane);
  o.squares = __shfl_sync(~0u, m.squares, lane);
  o.least = __shfl_sync(~0u, m.least, lane);
  o.most = __shfl_sync(~0u, m.most, lane);
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
constexpr int staged_samples = 256;  // of a warp

// What a piece has shown: deviations from its first sample.
struct seen_piece {
  double sum, squares, least, most;
};
struct piece_work {
  union {
    double staged[warps][staged_samples];
    seen_piece of_warp[warps * warps];
  };
  seen_piece seen[2][sample_tile];  // by turns, so that a warp can go on while others read
  // Pieces that are too large for a team: those of a warp from the front, those of the block from the back.
  unsigned char large[sample_tile];
  int larges, huges;
};
__device__ __forceinline__ seen_piece seen_in(const sample_moments &m) { return {m.sum, m.squares, m.least, m.most}; }
__device__ __forceinline__ sample_moments moments_of(const seen_piece &s) {
  sample_moments m;
  m.sum = s.sum;
  m.squares = s.squares;
  m.least = s.least;
  m.most = s.most;
  return m;
}

// Deviations from `about` of samples lane, lane + team, ... Loads are under way together, for those behind the last sample too: a deviation of
// 0 changes nothing.
template <int together>
__device__ __forceinline__ void add_samples(sample_moments &m, const double *values, int from, int end, int team,
                                            double about) {
#pragma unroll 1
  for (int q = from; q < end; q += together * team) {
    double v[together];
#pragma unroll
    for (int i = 0; i < together; ++i) v[i] = q + i * team < end ? values[q + i * team] : about;
#pragma unroll
    for (int i = 0; i < together; ++i) m.add_deviation(v[i] - about);
  }
}
// A lane for each piece, of samples from ... end-1 of f. What the pieces of a warp have lies side by side, but for those that it leaves out, and
// is read as it lies. Collective for a warp.
__device__ __forceinline__ sample_moments moments_by_lanes(double *near, const double *f, int from, int end,
                                                           double about) {
  constexpr int none = 0x7fffffff;
  const int lane = static_cast<int>(threadIdx.x) & 31, behind = -least_of_warp(-end);
  int at = from < end ? from : none;
  sample_moments m;
#pragma unroll 1
  for (int base = least_of_warp(at); base != none; base = least_of_warp(at)) {
    double v[staged_samples / 32];
#pragma unroll
    for (int i = 0; i < staged_samples / 32; ++i) v[i] = base + lane + 32 * i < behind ? f[base + lane + 32 * i] : 0.0;
    __syncwarp();
#pragma unroll
    for (int i = 0; i < staged_samples / 32; ++i) near[lane + 32 * i] = v[i];
    __syncwarp();
    const int stop = min(end, base + staged_samples);
    if (at < stop) {
      add_samples<4>(m, near - base, at, stop, 1, about);
      at = stop < end ? stop : none;
    }
  }
  return m;
}
// Teams of a warp take its pieces, one turn of them after the other; m of the lane whose piece it is. Collective for a warp.
__device__ __forceinline__ sample_moments moments_by_teams(const double *f, int from, int end, double about, int team,
                                                           int turns) {
  const int lane = static_cast<int>(threadIdx.x) & 31, teams = 32 / team, within = lane & (team - 1);
  sample_moments mine;
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
    const int other = turn * teams + lane / team;
    sample_moments m;
    add_samples<16>(m, f, __shfl_sync(~0u, from, other) + within, __shfl_sync(~0u, end, other), team,
                    __shfl_sync(~0u, about, other));
#pragma unroll 1
    for (int d = team / 2; d > 0; d /= 2) fold_in(m, lower_lane(m, d));
    const sample_moments of_team = of_lane(m, (lane & (teams - 1)) * team);
    if (lane / teams == turn) mine = of_team;
  }
  return mine;
}

// Those that are too large; `at`: the thread's, -1: none. f[sample]: its value. Collective.
__device__ __forceinline__ void sum_large(const sampling_arguments &a, piece_work &w, const double *f, int64 first,
                                          int64 begin, int at, int count, seen_piece *seen) {
  constexpr int most_of_warp = 2048, together = 8;
  const int t = static_cast<int>(threadIdx.x), lane = t & 31;
  const auto sum_of = [&](int piece, int team) {
    const sample_piece other = piece_at(a, begin + piece);
    const int from = static_cast<int>(other.first - first), end = from + static_cast<int>(other.count);
    sample_moments m;
    add_samples<together>(m, f, from + (t & (team - 1)), end, team, f[from]);
    fold_warp(m);
    return m;
  };
  if (at >= 0)
    w.large[count > most_of_warp ? sample_tile - 1 - atomicAdd(&w.huges, 1) : atomicAdd(&w.larges, 1)] =
        static_cast<unsigned char>(at);
  __syncthreads();
  // Their order does not matter.
#pragma unroll 1
  for (int i = t / 32; i < w.larges; i += warps) {
    const sample_moments m = sum_of(w.large[i], 32);
    if (lane == 0) seen[w.large[i]] = seen_in(m);
  }
  const int last = sample_tile - w.huges;
#pragma unroll 1
  for (int next = sample_tile - 1; next >= last; next -= warps) {
    const int many = min(next - last + 1, warps);
#pragma unroll 1
    for (int i = 0; i < many; ++i) {
      const sample_moments m = sum_of(w.large[next - i], sample_tile);
      if (lane == 0) w.of_warp[i * warps + t / 32] = seen_in(m);
    }
    __syncthreads();
    if (t < many) {
      sample_moments m = moments_of(w.of_warp[t * warps]);
      for (int v = 1; v < warps; ++v) fold_in(m, moments_of(w.of_warp[t * warps + v]));
      seen[w.large[next - t]] = seen_in(m);
    }
    __syncthreads();
  }
  if (last == sample_tile) __syncthreads();
  if (t == 0) w.larges = w.huges = 0;
}

// Before the first pieces. Collective; a barrier comes behind it.
__device__ __forceinline__ void begin_pieces(piece_work &w) {
  if (threadIdx.x == 0) w.larges = w.huges = 0;
}
// Estimates of component k from the values of the samples, added to `sums` by each thread. Pieces begin ... begin+many-1; first: the sample
// to which a.f begins; team: threads that sum a piece, a power of two; bad(p): the sum of piece p is not finite. Collective.
template <class Bad>
__device__ __forceinline__ void sum_pieces(const sampling_arguments &a, piece_work &w, int turn, int k, int64 first,
                                           int64 begin, int many, int team, sample_sums &sums, const Bad &bad) {
  const int t = static_cast<int>(threadIdx.x), lane = t & 31, warp = t / 32, teams = 32 / team;
  const double *const f = a.f + k * a.stride;
  // All warps have as many, in whole turns.
  const int turns = ((many + warps - 1) / warps + teams - 1) / teams, at = warp * turns * teams + lane;
  int from = 0, end = 0;
  double about = 0.0;
  bool is_large = false;
  if (lane < turns * teams && at < many) {
    const sample_piece piece = piece_at(a, begin + at);
    from = static_cast<int>(piece.first - first);
    end = from + static_cast<int>(piece.count);
    about = f[from];
    is_large = piece.count > 32 * team;
  }
  const int count = end - from;
  if (is_large) end = from;
  const sample_moments m = team == 1 ? moments_by_lanes(w.staged[warp], f, from, end, about)
                                     : moments_by_teams(f, from, end, about, team, turns);
  if (end > from) w.seen[turn][at] = seen_in(m);
  double weight = 0.0, own_first = 0.0;
  int own_count = 0;
  if (t < many) {
    const sample_piece piece = piece_at(a, begin + t);
    weight = piece.weight;
    own_count = static_cast<int>(piece.count);
    own_first = f[piece.first - first];
  }
  if (__syncthreads_or(is_large)) sum_large(a, w, f, first, begin, is_large ? at : -1, count, w.seen[turn]);
  if (t >= many) return;
  sample_moments own = moments_of(w.seen[turn][t]);
  own.first = own_first;
  own.count = own_count;
  if (!is_finite(own.first) || !is_finite(own.sum)) bad(begin + t);
  const stratum_estimate e = estimate_stratum(own);
  if (TESSERA_LIST) a.spread[begin + t] = (k > 0 ? a.spread[begin + t] : 0.0) + e.spread * a.pass.scale[k];
  sums.add(e, weight);
}

#if TESSERA_LIST
// ---- Parts -----------------------------------------------------------------------------------------------------------------
// Tiles before a part, and those that it has. A part has as many groups as are needed for its tiles, and one at least.
struct part_tiles {
  int64 before, tiles;
  __device__ __forceinline__ explicit part_tiles(const course_arguments &c, int part)
      : before(c.part_sample[part] / sample_tile),
        tiles((c.part_sample[part + 1] + sample_tile - 1) / sample_tile - before) {}
  __device__ __forceinline__ int groups(const course_arguments &c) const {
    return tiles > c.together ? (static_cast<int>(tiles) + c.together - 1) / c.together : 1;
  }
};

// The first piece that begins with a tile's first sample, or behind it. marked: marks before those that are there.
__device__ __forceinline__ int first_piece_behind(const course_arguments &c, int64 marked, int64 tile) {
  const int p = c.marks[tile * (sample_tile / marked_samples) - marked];
  return c.list[p].first < tile * sample_tile ? p + 1 : p;
}

// A group of pieces, i of those of a launch. The last groups of all parts come last, for most parts do not have them.
struct piece_group {
  int part, group;
  __device__ __forceinline__ piece_group(const course_arguments &c, int i) {
    const int parts = c.part_end - c.part;
    group = i / parts;
    part = c.part + (i - group * parts);
  }
};
struct piece_range {
  int from, until;  // -1: the part does not have the group
};
__device__ __forceinline__ piece_range range_of_group(const course_arguments &c, const piece_group &g) {
  const int64 marked = c.all_marks ? 0 : c.part_sample[c.part] / marked_samples;
  const part_tiles of(c, g.part);
  piece_range r = {0, -1};
  if (g.group >= of.groups(c)) return r;
  const int64 tile = int64{g.group} * c.together, last = tile + c.together;
  r.from = g.group == 0 ? static_cast<int>(c.part_piece[g.part]) : first_piece_behind(c, marked, of.before + tile);
  r.until = of.tiles == 0      ? r.from
            : last >= of.tiles ? static_cast<int>(c.part_piece[g.part + 1])
                               : first_piece_behind(c, marked, of.before + last);
  return r;
}

// Rolled, for there is much of it.
__device__ __forceinline__ void fold_sums(sample_sums &s) {
#pragma unroll 1
  for (int d = 16; d > 0; d >>= 1) fold_in(s, lower_lane(s, d));
}

// Past what this multiprocessor may remember of it.
__device__ __forceinline__ sample_sums from_far(const sample_sums *s) {
  sample_sums v;
  v.value.sum = __ldcg(&s->value.sum);
  v.value.lost = __ldcg(&s->value.lost);
  v.variance.sum = __ldcg(&s->variance.sum);
  v.variance.lost = __ldcg(&s->variance.lost);
  v.square.sum = __ldcg(&s->square.sum);
  v.square.lost = __ldcg(&s->square.lost);
  v.doubt = __ldcg(&s->doubt);
  return v;
}

// Sums of a part from those of its groups, once the last of them has come. By a warp.
__device__ __forceinline__ void sum_groups(const sampling_arguments &a, int part) {
  const course_arguments &c = a.course;
  const int lane = static_cast<int>(threadIdx.x) & 31, groups = part_tiles(c, part).groups(c);
#pragma unroll 1
  for (int k = 0; k < piece_comps; ++k) {
    const sample_sums *const of_group = a.partial + static_cast<int64>(part - c.part) * c.groups * piece_comps + k;
    sample_sums s, next;
    if (lane < groups) next = from_far(of_group + lane * piece_comps);
#pragma unroll 1
    for (int g = lane; g < groups; g += 32) {
      const sample_sums now = next;
      if (g + 32 < groups) next = from_far(of_group + (g + 32) * piece_comps);
      s.add(now);
    }
    __syncwarp();
    fold_sums(s);
    if (lane == 0) a.part_sums[static_cast<int64>(part) * piece_comps + k] = s;
  }
}

// A warp has left the sums of a group: the one that comes last sums those of the part, and the last of these says what was not finite.
__device__ __forceinline__ void end_group(const sampling_arguments &a, int part) {
  const course_arguments &c = a.course;
  const int lane = static_cast<int>(threadIdx.x) & 31;
  bool is_last = false;
  if (lane == 0) {
    __threadfence();
    is_last = atomicAdd(&c.part_arrived[part], 1u) + 1 == static_cast<unsigned>(part_tiles(c, part).groups(c));
    if (is_last) c.part_arrived[part] = 0;
    __threadfence();
  }
  if (!__any_sync(~0u, is_last)) return;
  if (lane == 0 && atomicAdd(&c.totals->arrived, 1u) + 1 == static_cast<unsigned>(c.part_end - c.part)) {
    __threadfence();
    c.totals->arrived = 0;
    const uint64 failed = *static_cast<volatile uint64 *>(&c.totals->failed);
    a.result->failed = failed == ~uint64{0} ? -1 : static_cast<int64>(failed);
  }
  __syncwarp();
  sum_groups(a, part);
}

// The pieces of the parts of a launch, group by group: a.partial[part][group][comps].
__device__ __forceinline__ void sum_parts(const sampling_arguments &a) {
  __shared__ piece_work work;
  __shared__ sample_sums of_thread[sample_tile], of_warp[warps];
  __shared__ piece_range ahead[32];  // of the next groups
  const course_arguments &c = a.course;
  const int t = static_cast<int>(threadIdx.x), lane = t & 31, warp = t / 32;
  begin_pieces(work);
  const int64 first = c.part_sample[c.part];
  const int team = team_for(c.shared.samples + c.uniform, c.totals->pieces + pieces_of(cut_into_pieces(c.uniform)));
  int turn = 0;
  const int many = (c.part_end - c.part) * c.groups, step = static_cast<int>(gridDim.x);
#pragma unroll 1
  for (int i = static_cast<int>(blockIdx.x), n = 0; i < many; i += step, n = (n + 1) % 32) {
    if (n == 0) {
      __syncthreads();
      const int64 of_lane = i + int64{lane} * step;
      if (warp == 0 && of_lane < many) ahead[lane] = range_of_group(c, {c, static_cast<int>(of_lane)});
      __syncthreads();
    }
    const int from = ahead[n].from, until = ahead[n].until;
    if (until < 0) continue;
    const piece_group g(c, i);
    sample_sums *const of_group = a.partial + (static_cast<int64>(g.part - c.part) * c.groups + g.group) * piece_comps;
#pragma unroll 1
    for (int k = 0; k < piece_comps; ++k) {
      sample_sums &sums = of_thread[t];
      sums = sample_sums();
#pragma unroll 1
      for (int p = from; p < until; p += sample_tile, turn ^= 1)
        sum_pieces(a, work, turn, k, first, p, min(until - p, sample_tile), team, sums,
                   [&](int64 bad) { atomicMin(&c.totals->failed, static_cast<uint64>(bad)); });
      const int have = min((until - from + 31) / 32, warps);  // warps with pieces
      if (warp < have) {
        sample_sums all = sums;
        fold_sums(all);
        if (lane == 0) of_warp[warp] = all;
      }
      __syncthreads();
      // By the warp that has the fewest pieces, while the others go on: what they leave here comes behind a barrier.
      if (t == sample_tile - 32) {
        sample_sums all;
#pragma unroll 1
        for (int v = 0; v < have; ++v) all.add(of_warp[v]);
        of_group[k] = all;
      }
    }
    if (warp == warps - 1) end_group(a, g.part);
  }
}
#endif

}  // namespace tessera
#endif
