// Applies the rule to regions with the user's integrand inlined. Part of the text that is compiled at run time.
//
// A group of lanes shares a region, a warp where the rule has points enough. Where regions are fewer than warps each is cut
// into slices, whose sums are put together afterwards.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../core/node.hpp"
#include "device_problem.hpp"
#include "grid.cuh"

#ifndef TESSERA_NDIM
#define TESSERA_NDIM 5
#define TESSERA_NCOMP 1
#define TESSERA_LANES 8
#define TESSERA_BLOCKS 1
#define TESSERA_PAIRED 1
#define TESSERA_MAPPED 0
#define TESSERA_FULL_VERTICES 1
extern "C" __device__ void tessera_f(const double *x, double *f, const void *params);
#endif

extern "C" {
__constant__ tessera::rule tessera_rule;
__constant__ tessera::axis_map tessera_axes[TESSERA_NDIM];
}

namespace tessera {

constexpr int dim = TESSERA_NDIM;
constexpr int comps = TESSERA_NCOMP;

// Sums of one slice of one region and component: what the rule needs, linear in the integrand.
struct slice_sums {
  double mean, null[null_rules];
  double difference[dim];
  double centre;
};

// The weights of an orbit: the rule's and the null rules'.
constexpr int weights = 1 + null_rules;

class device_evaluator {
 public:
  struct scratch {
    double weight[max_orbits][weights];
    double generator[max_orbits][2];
    double difference[TESSERA_BLOCK / TESSERA_LANES][comps][4 * dim];
    double score[TESSERA_BLOCK / TESSERA_LANES][dim];
  };

  // Collective over the block.
  __device__ device_evaluator(scratch &s, const device_problem &p) : s_(s), p_(p) {
    for (int o = static_cast<int>(threadIdx.x); o < tessera_rule.orbits; o += TESSERA_BLOCK) {
      s_.weight[o][0] = tessera_rule.weight[o];
      s_.generator[o][0] = tessera_rule.orb[o].a;
      s_.generator[o][1] = tessera_rule.orb[o].b;
      for (int i = 0; i < null_rules; ++i) s_.weight[o][1 + i] = tessera_rule.null_weight[i][o];
    }
    __syncthreads();
  }

  __device__ bool failed() const { return *static_cast<volatile int64 *>(p_.failed) != 0; }
  __device__ static outcome failure() { return outcome::nonfinite; }

  // Collective over the grid. Writes value, raw error and ranked axes of n regions.
  __device__ __noinline__ void evaluate(device_grid &grid, const region_view &regions, const region_list &list, int64 n) {
    const int64 threads = int64{gridDim.x} * TESSERA_BLOCK;
    int lanes = TESSERA_LANES;
    while (lanes < 32 && n * lanes * 2 <= threads) lanes *= 2;
    unsigned slices = 1;
    if (lanes == 32 && n < threads / 64) {
      const int64 most = tessera_rule.points / 32 < p_.most_slices / n ? tessera_rule.points / 32 : p_.most_slices / n;
      slices = most < 1 ? 1u : static_cast<unsigned>(most);
    }
    const int group = static_cast<int>(threadIdx.x) / lanes;
    const int64 groups = threads / lanes;
    const int64 items = n * slices;
    const int64 first = (int64{blockIdx.x} * TESSERA_BLOCK + threadIdx.x) / lanes;
    for (int64 item = first; item < items; item += groups) {
      const int64 r = slices == 1 ? item : static_cast<unsigned>(item) / slices;
      const int64 region = list[r];
      chunk_range points = {0, tessera_rule.points};
      if (slices > 1) points = range_of(tessera_rule.points, slices, item - r * slices);
      slice_sums sums[comps];
      double volume;
      sum_slice(regions, region, points, group, lanes, sums, volume);
      if (slices == 1) {
        finish(regions, region, group, lanes, sums, volume);
      } else if ((threadIdx.x & (lanes - 1)) == 0) {
        for (int k = 0; k < comps; ++k) p_.slices[item * comps + k] = sums[k];
      }
    }
    if (slices == 1) return;
    grid.barrier();
    for (int64 r = first; r < n; r += groups) {
      slice_sums sums[comps];
      combine(r, slices, lanes, sums);
      const int64 region = list[r];
      double volume = 1.0;
#pragma unroll
      for (int j = 0; j < dim; ++j) volume *= 2.0 * regions.half(region, j);
      finish(regions, region, group, lanes, sums, volume);
    }
  }

 private:
  // The lanes of this thread's group; other groups of the warp may be elsewhere.
  __device__ static unsigned group_mask(int lanes) {
    return lanes == 32 ? ~0u : ((1u << lanes) - 1u) << (threadIdx.x & 31u & ~static_cast<unsigned>(lanes - 1));
  }

  // The sums of the slices of region r, always in the same order.
  __device__ void combine(int64 r, unsigned slices, int lanes, slice_sums *sums) const {
    const unsigned lane = threadIdx.x & (lanes - 1);
    for (int k = 0; k < comps; ++k) {
      double *to = &sums[k].mean;
#pragma unroll
      for (int i = 0; i < slice_doubles; ++i) to[i] = 0.0;
      for (unsigned s = lane; s < slices; s += lanes) {
        const double *from = &p_.slices[(r * slices + s) * comps + k].mean;
#pragma unroll
        for (int i = 0; i < slice_doubles; ++i) to[i] += from[i];
      }
#pragma unroll
      for (int i = 0; i < slice_doubles; ++i)
        for (int d = lanes / 2; d > 0; d >>= 1) to[i] += __shfl_xor_sync(group_mask(lanes), to[i], d);
    }
  }
  static constexpr int slice_doubles = static_cast<int>(sizeof(slice_sums) / sizeof(double));

  // The points `range` of the rule in one region, shared by the lanes of a group; every lane gets the sums.
  __device__ void sum_slice(const region_view &regions, int64 region, chunk_range range, int group, int lanes,
                            slice_sums *sums, double &volume) {
    const unsigned mask = group_mask(lanes);
    const int lane = static_cast<int>(threadIdx.x) & (lanes - 1);
    double c[dim], h[dim];
    volume = 1.0;
#pragma unroll
    for (int j = 0; j < dim; ++j) {
      c[j] = regions.centre(region, j);
      h[j] = regions.half(region, j);
    }
#pragma unroll
    for (int j = 0; j < dim; ++j) volume *= 2.0 * h[j];
    double total[comps][weights];
#pragma unroll
    for (int k = 0; k < comps; ++k) {
#pragma unroll
      for (int i = 0; i < weights; ++i) total[k][i] = 0.0;
      sums[k].centre = 0.0;
      for (int m = lane; m < 4 * dim; m += lanes) s_.difference[group][k][m] = 0.0;
    }
    __syncwarp(mask);
    const int64 sparse = p_.sparse_points;
    if (range.begin < sparse)
      add_sparse(c, h, range.begin + lane, range.end < sparse ? range.end : sparse, lanes, group, total);
    if (range.end > sparse)
      add_vertices(c, h, (range.begin > sparse ? range.begin - sparse : 0) + lane, range.end - sparse, lanes, total);
    __syncwarp(mask);
#pragma unroll
    for (int k = 0; k < comps; ++k) {
#pragma unroll
      for (int i = 0; i < weights; ++i)
        for (int d = lanes / 2; d > 0; d >>= 1) total[k][i] += __shfl_xor_sync(mask, total[k][i], d);
      sums[k].mean = total[k][0];
#pragma unroll
      for (int i = 0; i < null_rules; ++i) sums[k].null[i] = total[k][1 + i];
      const double *v = s_.difference[group][k];
#pragma unroll
      for (int j = 0; j < dim; ++j)
        sums[k].difference[j] = (v[2 * j] + v[2 * j + 1]) -
                                tessera_rule.difference_ratio * (v[2 * dim + 2 * j] + v[2 * dim + 2 * j + 1]);
    }
    // The centre is the first point: lane 0 of the slice that begins with it has it.
    if (range.begin == 0)
#pragma unroll
      for (int k = 0; k < comps; ++k) sums[k].centre = __shfl_sync(mask, centre_[k], 0, lanes);
  }

  __device__ void point(double *x, double *f) const {
#if TESSERA_MAPPED
    double jacobian = 1.0;
#pragma unroll
    for (int j = 0; j < dim; ++j) x[j] = map_axis(tessera_axes[j], x[j], jacobian);
    tessera_f(x, f, p_.params);
#pragma unroll
    for (int k = 0; k < comps; ++k) f[k] = weighted(f[k], jacobian);
#else
    tessera_f(x, f, p_.params);
#endif
  }

  // Points with few coordinates off the centre.
  __device__ void add_sparse(const double *c, const double *h, int64 from, int64 to, int lanes, int group,
                             double (*total)[weights]) {
#if TESSERA_PAIRED
#pragma unroll 2
#else
#pragma unroll 1
#endif
    for (int64 m = from; m < to; m += lanes) {
      const uint4 node = __ldg(reinterpret_cast<const uint4 *>(p_.nodes) + m);
      const uint32 moved = node.x, minus = node.y, uses_b = node.z, orbit_index = node.w & 0xffu;
      const double a = s_.generator[orbit_index][0];
      const uint32 low = static_cast<uint32>(bits_of(a)), high = static_cast<uint32>(bits_of(a) >> 32);
      double x[dim], f[comps];
#pragma unroll
      for (int j = 0; j < dim; ++j) {
        const bool is_moved = (moved & (1u << j)) != 0u;
        const uint32 sign = (minus << (31 - j)) & 0x80000000u;
        const double g =
            __hiloint2double(static_cast<int>((is_moved ? high : 0u) ^ sign), static_cast<int>(is_moved ? low : 0u));
        x[j] = fma(g, h[j], c[j]);
      }
      if (uses_b != 0u) {
        const double b = s_.generator[orbit_index][1];
#pragma unroll
        for (int j = 0; j < dim; ++j)
          if ((uses_b & (1u << j)) != 0u) x[j] = fma((minus & (1u << j)) != 0u ? -b : b, h[j], c[j]);
      }
      point(x, f);
      const uint32 place = node.w >> 8;  // 0, or one more than the place among the values for the differences
#pragma unroll
      for (int k = 0; k < comps; ++k) {
#pragma unroll
        for (int i = 0; i < weights; ++i) total[k][i] = fma(s_.weight[orbit_index][i], f[k], total[k][i]);
        if (place != 0u) s_.difference[group][k][place - 1] = f[k];
        if (m == 0) centre_[k] = f[k];
      }
    }
  }

  __device__ void add_vertices(const double *c, const double *h, int64 from, int64 to, int lanes,
                               double (*total)[weights]) {
    const orbit &orb = tessera_rule.orb[tessera_rule.orbits - 1];
    const uint32 low = static_cast<uint32>(bits_of(orb.a)), high = static_cast<uint32>(bits_of(orb.a) >> 32);
    double sum[comps];
#pragma unroll
    for (int k = 0; k < comps; ++k) sum[k] = 0.0;
#if TESSERA_PAIRED
#pragma unroll 2
#else
#pragma unroll 1
#endif
    for (int64 m = from; m < to; m += lanes) {
      const uint32 code = static_cast<uint32>(m);
      double x[dim], f[comps];
#pragma unroll
      for (int j = 0; j < dim; ++j) {
#if TESSERA_FULL_VERTICES
        const uint32 sign = (code << (31 - j)) & 0x80000000u;
#else
        const uint32 sign = static_cast<uint32>(__popc(code & tessera_rule.vertex_mask[j])) << 31;
#endif
        x[j] = fma(__hiloint2double(static_cast<int>(high ^ sign), static_cast<int>(low)), h[j], c[j]);
      }
      point(x, f);
#pragma unroll
      for (int k = 0; k < comps; ++k) sum[k] += f[k];
    }
#pragma unroll
    for (int k = 0; k < comps; ++k)
#pragma unroll
      for (int i = 0; i < weights; ++i)
        total[k][i] = fma(s_.weight[tessera_rule.orbits - 1][i], sum[k], total[k][i]);
  }

  // null_pair, its orbits shared by the lanes.
  __device__ double widest_pair(int i, double lower, double upper, int lanes) const {
    double e = 0.0;
    for (int k = static_cast<int>(threadIdx.x) & (lanes - 1); k < tessera_rule.orbits; k += lanes)
      e = larger(e, fabs(upper + tessera_rule.scale[i][k] * lower) * tessera_rule.norm[i][k]);
    for (int d = lanes / 2; d > 0; d >>= 1) e = larger(e, __shfl_xor_sync(group_mask(lanes), e, d));
    return e;
  }

  // From the sums to the region's record. All lanes of the group come here with the same sums.
  __device__ __noinline__ void finish(const region_view &regions, int64 region, int group, int lanes,
                                      const slice_sums *sums, double volume) {
    const unsigned mask = group_mask(lanes);
    const int lane = static_cast<int>(threadIdx.x) & (lanes - 1);
    double *score = s_.score[group];
    for (int j = lane; j < dim; j += lanes) score[j] = 0.0;
    __syncwarp(mask);
    bool rough = false, finite = true;
    for (int k = 0; k < comps; ++k) {
      double e[null_rules - 1];
      for (int i = 0; i < null_rules - 1; ++i) e[i] = widest_pair(i, sums[k].null[i], sums[k].null[i + 1], lanes);
      const rule_result result =
          judge_nulls(tessera_rule.error, sums[k].mean, e, null_noise(p_.estimate, sums[k].mean, sums[k].centre), volume);
      rough = rough || !result.asymptotic;
      finite = finite && isfinite(result.value) && isfinite(result.error);
      for (int j = lane; j < dim; j += lanes) add_difference(tessera_rule, sums[k].difference[j], sums[k].centre, score[j]);
      if (lane == 0) {
        regions.value(region, k) = result.value;
        regions.error(region, k) = result.error;
      }
    }
    __syncwarp(mask);
    if (lane != 0) return;
    if (!finite) atomicMax(reinterpret_cast<long long *>(p_.failed), static_cast<long long>(region + 1));
    const uint32 axes = rank_axes(dim, score, [&](int j) { return regions.half(region, j); });
    regions.state(region) = {0.0f, axes | (rough ? region_rough : 0u)};
  }

  scratch &s_;
  const device_problem &p_;
  double centre_[comps];
};

}  // namespace tessera

// Runs the steps until the run ends or the driver is wanted.
extern "C" __global__ void __launch_bounds__(TESSERA_BLOCK, TESSERA_BLOCKS)
    tessera_bulk(const tessera::bulk_state in, const tessera::device_problem problem, tessera::bulk_state *out) {
  using namespace tessera;
  __shared__ bulk_state state;
  __shared__ device_team::scratch team_scratch;
  extern __shared__ double evaluator_scratch[];
  if (threadIdx.x == 0) state = in;
  __syncthreads();
  device_team team(team_scratch);
  device_grid grid(team, problem.arrived);
  device_evaluator evaluator(*reinterpret_cast<device_evaluator::scratch *>(evaluator_scratch), problem);
  bulk_steps<device_grid, device_evaluator>(grid, state, evaluator).run();
  if (grid.once()) {
    *out = state;
    *problem.failed_out = *static_cast<volatile int64 *>(problem.failed);
  }
}

// The integrand at n points: coordinate j of point i is x[j*n + i].
extern "C" __global__ void tessera_points(long long n, const double *x, double *f, const void *params) {
  for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < n;
       i += static_cast<long long>(gridDim.x) * blockDim.x) {
    double at[TESSERA_NDIM], value[TESSERA_NCOMP];
    for (int j = 0; j < TESSERA_NDIM; ++j) at[j] = x[j * n + i];
    tessera_f(at, value, params);
    for (int k = 0; k < TESSERA_NCOMP; ++k) f[k * n + i] = value[k];
  }
}
