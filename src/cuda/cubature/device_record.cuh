// From the sums of a region to its record: what the kernels with the user's integrand inlined keep of a region while they are at it,
// and the end of the rule's application by the lanes of a group together. Part of the text that is compiled at run time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../core/node.hpp"
#include "device_problem.hpp"
#include "../device/grid.cuh"

#ifndef TESSERA_NDIM
#define TESSERA_NDIM 5
#define TESSERA_NCOMP 1
#define TESSERA_LANES 8
#define TESSERA_BLOCKS 1
#define TESSERA_MAPPED 0
#define TESSERA_FULL_VERTICES 1
#define TESSERA_AXIS_ORBITS 5
#define TESSERA_PROBES 1
#define TESSERA_MANY 0
#define TESSERA_RAISED 1
#define TESSERA_NODES 15
#define TESSERA_POINTS 285
#define TESSERA_ORBITS 11
extern "C" __device__ void tessera_f(const double *x, double *f, const void *params);
extern "C" {
__device__ int tessera_flags, tessera_status;
}
#endif

extern "C" {
__constant__ tessera::rule tessera_rule;
__device__ tessera::pair_factors tessera_pairs[tessera::max_orbits];  // in memory: lanes read those of different orbits
#if !TESSERA_MANY
__constant__ tessera::axis_map tessera_axes[TESSERA_NDIM];
#endif
}
#if TESSERA_MANY
__shared__ tessera::axis_map tessera_axes[TESSERA_NDIM];  // of the integral that the block is at; see many.cuh
#endif

namespace tessera {

constexpr int dim = TESSERA_NDIM;
constexpr int comps = TESSERA_NCOMP;
constexpr int coordinates = dim;  // that the integrand is given

// Orbits 1 .. axis_orbits, all on the axes: those of the fourth differences, or where there are points near the faces all up to
// these. The values at the first points of the rule are kept in near memory: the centre, then by orbit, by axis, plus and minus.
constexpr int axis_orbits = TESSERA_AXIS_ORBITS;
constexpr bool near_faces = axis_orbits > 2;
constexpr int first_points = 1 + 2 * dim * axis_orbits;  // the centre and these

// The probes, a lane for each. Lanes enough, and those beside the one that has the centre take them at the same time.
constexpr int probes_here = TESSERA_PROBES ? probes : 0;
constexpr bool probes_join = TESSERA_LANES > probes;
constexpr int probe_lane = probes_join ? 1 : 0;  // of the first
static_assert(probes == 2 && TESSERA_LANES >= probes, "lanes for them");

// Sums of one slice of one region and component: what the rule needs, linear in the integrand. The last two are those of the
// first slice.
struct slice_sums {
  double mean, null[null_rules];
  double centre, probe;
};
struct slice_record {
  slice_sums sums;
  double difference[dim], residual[dim], axis_sum[dim];  // of the first slice; else unset
};

// The rule is there as a list of points (core/listed_rule.hpp), with so many nodes on an axis, or 0.
constexpr int rule_nodes = TESSERA_NODES;
constexpr bool is_listed = rule_nodes > 0;
// Do lanes mostly stay in an orbit from one of their points to the next?
constexpr bool long_orbits = TESSERA_POINTS >= 5 * TESSERA_LANES * TESSERA_ORBITS;

// The list in near memory, as long as the kernel runs.
struct rule_list {
  double2 weights[TESSERA_ORBITS][listed_sums / 2];
  double offsets[dim * rule_nodes + 1];
  uint64 words[(is_listed ? TESSERA_POINTS : 0) + listed_beyond];
};
__device__ inline rule_list &kept_list() {
  __shared__ rule_list kept;
  return kept;
}
// n numbers, by all threads of a block, up to eight of each on their way at a time.
template <int n, class T>
__device__ __forceinline__ void keep_all(T *to, const T *from) {
  constexpr int of_thread = n / TESSERA_BLOCK + 1, together = of_thread < 8 ? of_thread : 8;
#pragma unroll 1
  for (int first = static_cast<int>(threadIdx.x); first < n; first += together * TESSERA_BLOCK) {
    T own[together];
#pragma unroll
    for (int q = 0; q < together; ++q) own[q] = from[first + q * TESSERA_BLOCK < n ? first + q * TESSERA_BLOCK : first];
#pragma unroll
    for (int q = 0; q < together; ++q)
      if (first + q * TESSERA_BLOCK < n) to[first + q * TESSERA_BLOCK] = own[q];
  }
}
__device__ inline void keep_list(const listed_rule &rule) {
  rule_list &kept = kept_list();
  keep_all<TESSERA_ORBITS *(listed_sums / 2)>(&kept.weights[0][0], reinterpret_cast<const double2 *>(rule.weights));
  keep_all<dim * rule_nodes>(kept.offsets, rule.offsets);
  keep_all<TESSERA_POINTS + listed_beyond>(kept.words, rule.words);
}

// What the groups of a block keep in near memory.
struct device_scratch {
  double values[TESSERA_BLOCK / TESSERA_LANES][comps][first_points];
  double score[TESSERA_BLOCK / TESSERA_LANES][dim];
};
extern __shared__ double near_memory[];
__device__ inline device_scratch &scratch() { return *reinterpret_cast<device_scratch *>(near_memory); }

// What is left of an axis' values, in their place: read and written by one lane of the group.
__device__ inline double &difference(int group, int k, int j) { return scratch().values[group][k][2 * j + 1]; }
__device__ inline double &residual(int group, int k, int j) { return scratch().values[group][k][2 * j + 2]; }
__device__ inline double &axis_sum(int group, int k, int j) { return scratch().values[group][k][2 * dim + 2 * j + 1]; }

// Sums over the lanes of a group; each gets them. All lanes of a warp are by far the most frequent, and then nothing has to be asked.
template <int n>
__device__ __forceinline__ void sum_over(double (&v)[n], int lanes) {
  if (lanes == 32) {
#pragma unroll
    for (int d = 16; d > 0; d >>= 1)
#pragma unroll
      for (int i = 0; i < n; ++i) v[i] += __shfl_xor_sync(~0u, v[i], d);
  } else {
    const unsigned mask = lane_mask(lanes);
#pragma unroll 1
    for (int d = lanes / 2; d > 0; d >>= 1)
#pragma unroll
      for (int i = 0; i < n; ++i) v[i] += __shfl_xor_sync(mask, v[i], d);
  }
}

// body(j) for the axes of a lane.
template <class Body>
__device__ __forceinline__ void each_axis(int lane, int lanes, Body body) {
  if constexpr (dim <= TESSERA_LANES) {
    if (lane < dim) body(lane);
  } else {
#pragma unroll 1
    for (int j = lane; j < dim; j += lanes) body(j);
  }
}

// The fourth differences, which still lack the centre, and where there are points near the faces the residuals there and the sums of all values on an
// axis; the axes shared by the lanes.
__device__ inline void reduce_axes(int group, int lane, int lanes, const slice_sums *sums) {
#pragma unroll 1
  for (int k = 0; k < comps; ++k)
    each_axis(lane, lanes, [=](int j) {
      const double *const v = scratch().values[group][k] + 1 + 2 * j;  // of the first orbit
      double low = 0.0, high = 0.0, sum = 0.0;
      if (near_faces) {
#pragma unroll
        for (int o = 0; o < axis_orbits; ++o) {
          const double same = tessera_rule.face_same[o + 1], other = tessera_rule.face_other[o + 1];
          const double plus = v[2 * dim * o], minus = v[2 * dim * o + 1];
          low = fma(same, plus, fma(other, minus, low));
          high = fma(same, minus, fma(other, plus, high));
          sum += plus + minus;
        }
      }
      const double d = (v[2 * dim] + v[2 * dim + 1]) - tessera_rule.difference_ratio * (v[0] + v[1]);
      difference(group, k, j) = d;
      if (near_faces) {
        residual(group, k, j) = face_residuals(tessera_rule, low, high, sums[k].centre);
        axis_sum(group, k, j) = sum;
      }
    });
}

// null_pair for all pairs, the orbits shared by the lanes.
__device__ inline void widest_pairs(const double *null, int lanes, double *e) {
#pragma unroll
  for (int i = 0; i < null_rules - 1; ++i) e[i] = 0.0;
#pragma unroll 1
  for (int k = static_cast<int>(threadIdx.x) & (lanes - 1); k < tessera_rule.orbits; k += lanes) {
    const auto *const pair = reinterpret_cast<const double2 *>(tessera_pairs + k);
#pragma unroll
    for (int i = 0; i < null_rules - 1; ++i) {
      const double2 factors = __ldg(pair + i);
      e[i] = larger(e[i], fabs(null[i + 1] + factors.x * null[i]) * factors.y);
    }
  }
  if (lanes == 32) {
#pragma unroll
    for (int d = 16; d > 0; d >>= 1)
#pragma unroll
      for (int i = 0; i < null_rules - 1; ++i) e[i] = larger(e[i], __shfl_xor_sync(~0u, e[i], d));
  } else {
#pragma unroll 1
    for (int d = lanes / 2; d > 0; d >>= 1)
#pragma unroll
      for (int i = 0; i < null_rules - 1; ++i) e[i] = larger(e[i], __shfl_xor_sync(lane_mask(lanes), e[i], d));
  }
}

// rank_axes, the axes shared by the lanes. How many behind the first are comparable travels as a bit, so that one reduction does.
__device__ inline uint32 ranked_axes(const double *score, double largest, const double *half, int64 apart, int lane,
                                     int lanes) {
  uint32 packed = 0;
  each_axis(lane, lanes, [&](int j) {
    const int place = axis_place(
        dim, score, [=](int i) { return half[i * apart]; }, j);
    packed |= packed_axis(place, j) | 1u << 24 << comparable_place(place, score[j], largest);
  });
  packed = __reduce_or_sync(lane_mask(lanes), packed);
  const uint32 comparable = packed >> 24 == 0u ? 0u : 31u - static_cast<uint32>(__clz(static_cast<int>(packed >> 24)));
  return (packed & 0xffffffu) | comparable << 24;
}

// From the sums to the region's record, whose fields lie `apart`. Inlined: a call once a region costs a tenth with few variables. All lanes of the group come here with the same sums.
__device__ __forceinline__ void finish_group(const device_problem &problem, double *record, int64 apart, int64 region,
                                             int group, int lanes, const slice_sums *sums, double volume) {
  const unsigned mask = lane_mask(lanes);
  const int lane = static_cast<int>(threadIdx.x) & (lanes - 1);
  double *const score = scratch().score[group];
  each_axis(lane, lanes, [=](int j) { score[j] = 0.0; });
  bool rough = false, finite = true;
  double excess = 1.0;
#pragma unroll 1
  for (int k = 0; k < comps; ++k) {
    double e[null_rules - 1];
    widest_pairs(sums[k].null, lanes, e);
    rule_result result = judge_nulls(tessera_rule.error, problem.estimate, sums[k].mean, sums[k].centre, e, volume);
    if (near_faces) {
      if (is_off_axes(result, sums[k].centre, volume)) {
        double sum[1] = {0.0};
        each_axis(lane, lanes, [&](int j) { sum[0] += axis_sum(group, k, j); });
        sum_over(sum, lanes);
        add_corner_error(result, sum[0] / (2.0 * dim * axis_orbits), volume);
      }
      double all[1] = {0.0};
      each_axis(lane, lanes, [&](int j) {
        all[0] += residual(group, k, j);
        score[j] += residual(group, k, j);
      });
      sum_over(all, lanes);
      add_face_error(result, all[0], volume);
    }
    if (probes_here > 0) add_probe_error(result, sums[k].probe, sums[k].centre, volume);
    rough = rough || !result.asymptotic;
    excess = larger(excess, result.excess);
    finite = finite && isfinite(result.value) && isfinite(result.error);
    each_axis(lane, lanes, [&](int j) {
      add_difference(tessera_rule, problem.estimate, difference(group, k, j), sums[k].centre, score[j]);
    });
    if (lane == 0) {
      record[(2 * dim + k) * apart] = result.value;
      record[(2 * dim + comps + k) * apart] = result.error;
    }
  }
  __syncwarp(mask);
  double largest = 0.0;
#pragma unroll
  for (int j = 0; j < dim; ++j) largest = larger(largest, score[j]);
  const uint32 axes = ranked_axes(score, largest, record + dim * apart, apart, lane, lanes);
  double in_use = 0.0;
#if TESSERA_RAISED
  each_axis(lane, lanes, [=](int j) { difference(group, 0, j) = axis_in_use(score[j], largest); });
  __syncwarp(mask);
  if (lane == 0)
#pragma unroll
    for (int j = 0; j < dim; ++j) in_use += difference(group, 0, j);  // in the order of count_axes
#endif
  if (lane != 0) return;
  if (!finite) atomicMax(reinterpret_cast<long long *>(problem.failed), static_cast<long long>(region + 1));
  *reinterpret_cast<region_state *>(record + (2 * dim + 2 * comps) * apart) = fresh_state(axes, rough, excess, in_use);
}

}  // namespace tessera
