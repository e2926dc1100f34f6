// Applies the rule to regions with the user's integrand inlined. Part of the text that is compiled at run time.
//
// A group of lanes shares a region; how many depends on the rule (few leave idle lanes in small orbits) and on how many
// regions there are. Where regions are fewer than warps each is cut into slices, whose sums are put together afterwards.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../core/node.hpp"
#include "device_problem.hpp"
#include "grid.cuh"

#ifndef TESSERA_NDIM
#define TESSERA_NDIM 5
#define TESSERA_NCOMP 1
#define TESSERA_LANES 8
#define TESSERA_BLOCKS 4
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

class device_evaluator {
 public:
  struct scratch {
    double difference_values[TESSERA_BLOCK / TESSERA_LANES][comps][4 * dim];
    double score[TESSERA_BLOCK / TESSERA_LANES][dim];
  };

  __device__ device_evaluator(scratch &s, const device_problem &p) : s_(s), p_(p) {}

  __device__ bool failed() const { return *static_cast<volatile int64 *>(p_.failed) != 0; }
  __device__ static outcome failure() { return outcome::nonfinite; }

  // Collective over the grid. Writes value, raw error and ranked axes of n regions.
  __device__ __noinline__ void evaluate(device_grid &grid, const region_view &regions, const region_list &list, int64 n) {
    const int64 threads = int64{gridDim.x} * TESSERA_BLOCK;
    int lanes = TESSERA_LANES;
    while (lanes < 32 && n * lanes * 2 <= threads) lanes *= 2;
    int64 slices = lanes < 32 ? 1 : threads / (32 * n);
    const int64 most = tessera_rule.points / 64 < p_.most_slices / n ? tessera_rule.points / 64 : p_.most_slices / n;
    if (slices > most) slices = most;
    if (slices < 1) slices = 1;
    const int group = static_cast<int>(threadIdx.x) / lanes;
    const int64 groups = threads / lanes;
    const int64 items = n * slices;
    const int64 first = (int64{blockIdx.x} * TESSERA_BLOCK + threadIdx.x) / lanes;
    for (int64 item = first; item < items; item += groups) {
      const int64 r = item / slices, slice = item - r * slices;
      const int64 region = list[r];
      slice_sums sums[comps];
      sum_slice(regions, region, range_of(tessera_rule.points, slices, slice), group, lanes, sums);
      if (slices == 1) {
        finish(regions, region, group, lanes, sums);
      } else if ((threadIdx.x & (lanes - 1)) == 0) {
        for (int k = 0; k < comps; ++k) p_.slices[item * comps + k] = sums[k];
      }
    }
    if (slices == 1) return;
    grid.barrier();
    for (int64 r = first; r < n; r += groups) {
      slice_sums sums[comps];
      for (int k = 0; k < comps; ++k) {
        sums[k] = p_.slices[r * slices * comps + k];
        for (int64 s = 1; s < slices; ++s) add(sums[k], p_.slices[(r * slices + s) * comps + k]);
      }
      finish(regions, list[r], group, lanes, sums);
    }
  }

 private:
  // The lanes of this thread's group; other groups of the warp may be elsewhere.
  __device__ static unsigned group_mask(int lanes) {
    return lanes == 32 ? ~0u : ((1u << lanes) - 1u) << (threadIdx.x & 31u & ~static_cast<unsigned>(lanes - 1));
  }

  __device__ static void add(slice_sums &to, const slice_sums &from) {
    to.mean += from.mean;
    for (int i = 0; i < null_rules; ++i) to.null[i] += from.null[i];
    for (int j = 0; j < dim; ++j) to.difference[j] += from.difference[j];
    to.centre += from.centre;
  }

  // The points `range` of the rule in one region, shared by the lanes of a group; every lane gets the sums.
  __device__ void sum_slice(const region_view &regions, int64 region, chunk_range range, int group, int lanes,
                            slice_sums *sums) {
    const int lane = static_cast<int>(threadIdx.x) & (lanes - 1);
    double c[dim], h[dim];
#pragma unroll
    for (int j = 0; j < dim; ++j) {
      c[j] = regions.centre(region, j);
      h[j] = regions.half(region, j);
    }
    for (int k = 0; k < comps; ++k) {
      sums[k].mean = sums[k].centre = 0.0;
      for (int i = 0; i < null_rules; ++i) sums[k].null[i] = 0.0;
      for (int m = lane; m < 4 * dim; m += lanes) s_.difference_values[group][k][m] = 0.0;
    }
    __syncwarp(group_mask(lanes));
    int64 start = 0;
    for (int o = 0; o < tessera_rule.orbits; ++o) {
      const int64 end = start + tessera_rule.orb[o].count;
      const int64 from = range.begin > start ? range.begin : start;
      const int64 to = range.end < end ? range.end : end;
      double of_orbit[comps];
#pragma unroll
      for (int k = 0; k < comps; ++k) of_orbit[k] = 0.0;
      if (tessera_rule.orb[o].kind == orbit_vertex) {
        vertices(c, h, tessera_rule.orb[o].a, from - start + lane, to - start, lanes, of_orbit);
      } else {
        const int difference = o == tessera_rule.difference_orbit[0]   ? 0
                               : o == tessera_rule.difference_orbit[1] ? 1
                                                                       : -1;
        sparse(c, h, tessera_rule.orb[o], start, from + lane, to, lanes, difference, group, of_orbit);
      }
#pragma unroll
      for (int k = 0; k < comps; ++k) {
        sums[k].mean += tessera_rule.weight[o] * of_orbit[k];
        for (int i = 0; i < null_rules; ++i) sums[k].null[i] += tessera_rule.null_weight[i][o] * of_orbit[k];
        if (o == 0) sums[k].centre = of_orbit[k];
      }
      start = end;
    }
    reduce(group, lanes, sums);
  }

  __device__ __noinline__ void reduce(int group, int lanes, slice_sums *sums) {
    const unsigned mask = group_mask(lanes);
    __syncwarp(mask);
    for (int k = 0; k < comps; ++k) {
      for (int d = lanes / 2; d > 0; d >>= 1) {
        sums[k].mean += __shfl_xor_sync(mask, sums[k].mean, d);
        sums[k].centre += __shfl_xor_sync(mask, sums[k].centre, d);
        for (int i = 0; i < null_rules; ++i) sums[k].null[i] += __shfl_xor_sync(mask, sums[k].null[i], d);
      }
      const double *v = s_.difference_values[group][k];
      for (int j = 0; j < dim; ++j)
        sums[k].difference[j] = (v[2 * j] + v[2 * j + 1]) -
                                tessera_rule.difference_ratio * (v[2 * dim + 2 * j] + v[2 * dim + 2 * j + 1]);
    }
    __syncwarp(mask);
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
  __device__ void sparse(const double *c, const double *h, const orbit &orb, int64 start, int64 from, int64 to, int lanes,
                         int difference, int group, double *of_orbit) {
    const uint32 low = static_cast<uint32>(bits_of(orb.a)), high = static_cast<uint32>(bits_of(orb.a) >> 32);
    const bool two = orb.kind == orbit_pair2 || orb.kind == orbit_triple2;
#pragma unroll 1
    for (int64 m = from; m < to; m += lanes) {
      const device_node node = p_.nodes[m];
      double x[dim], f[comps];
#pragma unroll
      for (int j = 0; j < dim; ++j) {
        const bool moved = (node.moved & (1u << j)) != 0u;
        const uint32 sign = (node.minus << (31 - j)) & 0x80000000u;
        const double g = __hiloint2double(static_cast<int>((moved ? high : 0u) ^ sign), static_cast<int>(moved ? low : 0u));
        x[j] = fma(g, h[j], c[j]);
      }
      if (two) {
#pragma unroll
        for (int j = 0; j < dim; ++j)
          if ((node.uses_b & (1u << j)) != 0u) x[j] = fma((node.minus & (1u << j)) != 0u ? -orb.b : orb.b, h[j], c[j]);
      }
      point(x, f);
#pragma unroll
      for (int k = 0; k < comps; ++k) {
        of_orbit[k] += f[k];
        if (difference >= 0) s_.difference_values[group][k][difference * 2 * dim + (m - start)] = f[k];
      }
    }
  }

  __device__ void vertices(const double *c, const double *h, double a, int64 from, int64 to, int lanes, double *of_orbit) {
    const uint32 low = static_cast<uint32>(bits_of(a)), high = static_cast<uint32>(bits_of(a) >> 32);
#pragma unroll 1
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
      for (int k = 0; k < comps; ++k) of_orbit[k] += f[k];
    }
  }

  // From the sums to the region's record. All lanes of the group come here with the same sums.
  __device__ __noinline__ void finish(const region_view &regions, int64 region, int group, int lanes, const slice_sums *sums) {
    const int lane = static_cast<int>(threadIdx.x) & (lanes - 1);
    const double volume = regions.volume(region);
    double *score = s_.score[group];
    for (int j = lane; j < dim; j += lanes) score[j] = 0.0;
    __syncwarp(group_mask(lanes));
    bool rough = false, finite = true;
    for (int k = 0; k < comps; ++k) {
      const rule_result result = estimate_error(tessera_rule, sums[k].mean, sums[k].null,
                                                null_noise(p_.estimate, sums[k].mean, sums[k].centre), volume);
      rough = rough || !result.asymptotic;
      finite = finite && isfinite(result.value) && isfinite(result.error);
      if (lane == 0) {
        regions.value(region, k) = result.value;
        regions.error(region, k) = result.error;
        add_differences(tessera_rule, sums[k].difference, sums[k].centre, score);
      }
    }
    if (lane != 0) return;
    if (!finite) atomicMax(reinterpret_cast<long long *>(p_.failed), static_cast<long long>(region + 1));
    const uint32 axes = rank_axes(dim, score, [&](int j) { return regions.half(region, j); });
    regions.state(region) = {0.0f, axes | (rough ? region_rough : 0u)};
  }

  scratch &s_;
  const device_problem &p_;
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
