// The kernels around a device batch callback: the points before it, the sums and records behind it, and the engine's steps.
// They do not know the integrand. Part of a text that is compiled at run time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "batch_problem.hpp"
#include "step_parts.cuh"
#include "../device/run_steps.cuh"

#ifndef TESSERA_NDIM
#define TESSERA_NDIM 5
#define TESSERA_NCOMP 1
#define TESSERA_MAPPED 0
#endif

extern "C" {
__constant__ tessera::rule tessera_rule;
__constant__ tessera::axis_map tessera_axes[TESSERA_NDIM];
}

namespace tessera {

// Lanes of a warp that work on one item.
template <int width>
class lane_group {
 public:
  __device__ static int lane() { return static_cast<int>(threadIdx.x) & (width - 1); }
  __device__ static constexpr int lanes() { return width; }
  // In an order that never changes.
  __device__ static double sum(double v) {
#pragma unroll
    for (int d = width / 2; d > 0; d >>= 1) v += __shfl_xor_sync(lane_mask(width), v, d);
    return v;
  }
  __device__ static double most(double v) {
#pragma unroll
    for (int d = width / 2; d > 0; d >>= 1) v = larger(v, __shfl_xor_sync(lane_mask(width), v, d));
    return v;
  }
  template <class Value>
  __device__ static double total(int64 from, int64 to, Value value) {
    double v = 0.0;
    for (int64 p = from + lane(); p < to; p += width) v += value(p);
    return sum(v);
  }
  // Pair by pair.
  __device__ static double difference(axis_pair near, axis_pair far, double ratio) {
    return (far.plus + far.minus) - ratio * (near.plus + near.minus);
  }
  __device__ static void add_residuals(double same, double other, axis_pair v, double &low, double &high) {
    low += same * v.plus + other * v.minus;
    high += same * v.minus + other * v.plus;
  }
};

// The item of this group; items are counted over the grid.
template <int width>
__device__ int64 own_item() {
  return (int64{blockIdx.x} * blockDim.x + threadIdx.x) / width;
}

// Lanes for the components of a region: a power of two, at most a warp.
constexpr int finish_width(int ncomp) {
  return ncomp >= 32 ? 32 : (ncomp <= 1 ? 1 : 2 * finish_width((ncomp + 1) / 2));
}

// The evaluation was made before the steps were started.
class made_before {
 public:
  static constexpr bool deferred = true, raises = false, searches = false;
  __device__ explicit made_before(const int64 *failed) : failed_(failed) {}
  __device__ bool failed() const { return *failed_ != 0; }
  __device__ static outcome failure() { return outcome::nonfinite; }

 private:
  const int64 *failed_;
};

}  // namespace tessera

// A thread for each point.
extern "C" __global__ void __launch_bounds__(256) tessera_batch_points(const tessera::batch_arguments a) {
  using namespace tessera;
  const int64 i = own_item<1>();
  if (i >= a.chunk.points()) return;
  const unsigned length = static_cast<unsigned>(a.chunk.length());
  const unsigned which = static_cast<unsigned>(i) / length;
  const int64 p = a.chunk.begin + (static_cast<unsigned>(i) - which * length);
  write_point(tessera_rule, TESSERA_NDIM, a.words, TESSERA_MAPPED ? tessera_axes : nullptr, a.regions,
              a.list[a.chunk.first + which], p, a.x + i, a.chunk.stride());
}

// A warp for each slice of a region and component.
extern "C" __global__ void __launch_bounds__(128) tessera_batch_sums(const tessera::batch_arguments a) {
  using namespace tessera;
  const int64 item = own_item<32>();
  const int64 slices = a.chunk.slices(), stride = a.chunk.stride();
  if (item >= a.chunk.regions * slices * TESSERA_NCOMP) return;
  const int64 k = item % TESSERA_NCOMP;
  const int64 which = item / TESSERA_NCOMP / slices, s = item / TESSERA_NCOMP % slices;
  const int64 from = a.chunk.begin + s * batch_slice;
  const int64 end = from + batch_slice < a.chunk.end ? from + batch_slice : a.chunk.end;
  const int64 first = which * a.chunk.length();  // where the region's points begin
  sum_slice(lane_group<32>(), tessera_rule, from, end, a.chunk.begin, a.f + k * stride + first,
            TESSERA_MAPPED ? a.x + TESSERA_NDIM * stride + first : nullptr, a.slices + item * sum_fields(tessera_rule));
}

// A thread for each number that is kept of a region.
extern "C" __global__ void __launch_bounds__(256) tessera_batch_fold(const tessera::batch_arguments a) {
  using namespace tessera;
  const int64 record = int64{TESSERA_NCOMP} * sum_fields(tessera_rule);
  const int64 t = own_item<1>();
  if (t >= a.chunk.regions * record) return;
  const int64 which = t / record, slices = a.chunk.slices();
  a.sums[t] =
      add_slices(a.chunk.begin == 0 ? 0.0 : a.sums[t], a.slices + which * slices * record + t % record, slices, record);
}

// Some lanes for each region.
extern "C" __global__ void __launch_bounds__(128) tessera_batch_finish(const tessera::batch_arguments a) {
  using namespace tessera;
  constexpr int width = finish_width(TESSERA_NCOMP);
  const int64 which = own_item<width>();
  if (which >= a.chunk.regions) return;
  const int64 region = a.list[a.chunk.first + which];
  double score[TESSERA_NDIM];
  if (!finish_region(lane_group<width>(), tessera_rule, a.estimate, a.regions, region,
                     a.sums + which * TESSERA_NCOMP * sum_fields(tessera_rule), score))
    atomicMax(reinterpret_cast<long long *>(a.failed), static_cast<long long>(region + 1));
}

// Runs the steps until regions are to be evaluated, the run ends or the driver is wanted.
extern "C" __global__ void __launch_bounds__(TESSERA_BLOCK)
    tessera_batch_steps(const __grid_constant__ tessera::bulk_state in, const tessera::batch_control control,
                        tessera::bulk_state *out) {
  using namespace tessera;
  made_before evaluator(control.failed);
  run_steps(in, control.arrived, evaluator, out);
}
