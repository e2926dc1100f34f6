// Sums of lattice rules with the user's integrand inlined, or the points and sums around a device callback. Part of a text that is
// compiled at run time.
//
// A thread walks along a stretch: one integer addition takes a coordinate to its next point. The steps are kernel arguments, which
// additions read at no cost; the phases stay in registers. With many variables they are made anew from the stretch's first.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../device/block_sums.cuh"
#include "../device/user_function.cuh"
#include "lattice_problem.hpp"

#ifndef TESSERA_TRANSFORM
#define TESSERA_TRANSFORM 1
#endif
// TESSERA_TRANSFORM: enum tessera_transform; 0: the one among the arguments.

extern "C" {
__constant__ tessera::unit_axis tessera_axes[TESSERA_NDIM];
}

namespace tessera {

constexpr bool staged = dim > lattice_near_dim;
constexpr bool infinite = TESSERA_AXES == axes_any;
constexpr bool weights = infinite || TESSERA_TRANSFORM == 0 || has_weight(TESSERA_TRANSFORM);
constexpr int most_stretches = staged ? 1 : lattice_block / lattice_least_lanes;
constexpr int most_spread_dim = 20;  // steps are kept in registers in part; with more variables these are too dear
constexpr int weight_group = 16;     // of roots that are multiplied before the power is taken

struct lattice_launch {
  lattice_arguments a;
  uint64 z[near_arrays(dim)], one[near_arrays(dim)], step[near_arrays(dim)];
};

// What a block keeps in near memory.
struct lattice_scratch {
  uint64 shift[dim];
  uint64 phase[most_stretches][dim];  // at the beginnings of the unit's stretches
  uint64 one[staged ? dim : 1];
  unsigned step_high[near_arrays(dim)];
  compensated_sum warp[lattice_block / 32];
  int flags;
};

// The units of a block's run.
struct unit_range {
  int64 shift, begin, end;  // shift: within the pass; units within the shift
};
__device__ inline unit_range range_of_run(const lattice_arguments &a, int64 run) {
  const int64 shift = run / a.runs_per_shift, begin = (run - shift * a.runs_per_shift) * a.units_per_run;
  const int64 lowest = a.first_unit - shift * a.units_per_shift, highest = a.end_unit - shift * a.units_per_shift;
  int64 end = begin + a.units_per_run < a.units_per_shift ? begin + a.units_per_run : a.units_per_shift;
  end = end < highest ? end : highest;
  return {shift, begin > lowest ? begin : lowest, end};
}

// phase += step. The upper half of the step comes from near memory, so that the compiler does not know that all threads have the same:
// such a sum is done by the multipliers, which are idle, while the shifts wait for the adders.
__device__ __forceinline__ void advance(uint64 &phase, uint64 step, unsigned step_high) {
  asm("{\n .reg .b32 l, h, sl, sh;\n mov.b64 {l, h}, %0;\n mov.b64 {sl, sh}, %1;\n add.cc.u32 l, l, sl;\n addc.u32 h, "
      "h, %2;\n"
      " mov.b64 %0, {l, h};\n}"
      : "+l"(phase)
      : "l"(step), "r"(step_high));
}

// ---- Points --------------------------------------------------------------------------------------------------------------
#if TESSERA_TRANSFORM == 0
__device__ __noinline__ unit_point periodize_any(int transform, double a, bool low) {
  switch (transform) {
#define TESSERA_CASE(t) \
  case t:               \
    return periodize_folded<t>(a, low);
    TESSERA_CASE(transform_baker)
    TESSERA_CASE(transform_tanh)
    TESSERA_CASE(transform_korobov + 1)
    TESSERA_CASE(transform_korobov + 2)
    TESSERA_CASE(transform_korobov + 3)
    TESSERA_CASE(transform_sidi + 3)
#undef TESSERA_CASE
    default:
      return periodize_folded<transform_none>(a, low);
  }
}
#endif

// One point as it grows, coordinate by coordinate.
struct lattice_point {
  double x[coordinates];
  double root, jacobian;

  __device__ __forceinline__ void set(int j, uint64 phase, const lattice_arguments &a) {
    const bool low = static_cast<long long>(phase) >= 0;
#if TESSERA_TRANSFORM == 0
    const unit_point p = periodize_any(a.pass.transform, unit_of(low ? phase : ~phase), low);
    jacobian *= p.weight;
#elif TESSERA_TRANSFORM == 1
    const double t = unit_of(phase);
    const unit_point p = {t, 1.0 - t, 1.0, 1.0};
#else
    const unit_point p = periodize_folded<TESSERA_TRANSFORM>(unit_of(low ? phase : ~phase), low);
    if (has_weight(TESSERA_TRANSFORM)) root *= p.root;
#endif
    x[j] = lattice_coordinate<TESSERA_AXES, weights>(tessera_axes[j], p, jacobian);
    if (TESSERA_COMPLEMENT) x[coordinates - dim + j] = lattice_complement<TESSERA_AXES>(tessera_axes[j], p);
    if (TESSERA_TRANSFORM != 0 && has_weight(TESSERA_TRANSFORM)) {
      if (j % weight_group == weight_group - 1) take_roots<weight_group>();
      if (j == dim - 1 && dim % weight_group != 0) take_roots<(dim % weight_group != 0 ? dim % weight_group : 1)>();
    }
  }

 private:
  template <int count>
  __device__ __forceinline__ void take_roots() {
    jacobian *= weight_of<TESSERA_TRANSFORM, count>(root);
    root = 1.0;
  }
};

// Calls sink(q, point) for this thread's points of a unit, q counted within the shift. Collective over the block.
template <class Sink>
__device__ __forceinline__ void each_point(const lattice_launch &l, int64 unit, lattice_scratch &near, Sink sink) {
  const lattice_arguments &a = l.a;
  const int lanes = staged ? lattice_most_lanes : a.lanes;
  const int stretches = lattice_block / lanes;
  const int64 begin = unit * unit_points(lanes);
  for (int e = static_cast<int>(threadIdx.x); e < stretches * dim; e += lattice_block) {
    const int s = e / dim, j = e - s * dim;
    const uint64 point = point_of(a.pass, begin + s * resynchronise);
    near.phase[s][j] = lattice_phase(point, staged ? a.pass.z[j] : l.z[staged ? 0 : j], a.modulus) + near.shift[j];
  }
  __syncthreads();
  const int s = static_cast<int>(threadIdx.x) / lanes, lane = static_cast<int>(threadIdx.x) & (lanes - 1);
  const int64 from = begin + s * resynchronise, left = a.pass.count - from;
  const int many = left < resynchronise ? static_cast<int>(left < 0 ? 0 : left) : static_cast<int>(resynchronise);
  if (staged) {
#pragma unroll 1
    for (int i = lane; i < many; i += lanes) {
      lattice_point p;
      p.root = p.jacobian = 1.0;
#pragma unroll 4
      for (int j = 0; j < dim; ++j)
        p.set(j, near.phase[0][j] + static_cast<uint64>(static_cast<unsigned>(i)) * near.one[staged ? j : 0], a);
      sink(from + i, p);
    }
  } else {
    uint64 phase[near_arrays(dim)];
    unsigned high[near_arrays(dim)];
#pragma unroll
    for (int j = 0; j < near_arrays(dim); ++j) high[j] = near.step_high[j];
#pragma unroll
    for (int j = 0; j < near_arrays(dim); ++j)
      phase[j] = near.phase[s][j] + static_cast<uint64>(static_cast<unsigned>(lane)) * l.one[j];
#pragma unroll 1
    for (int i = lane; i < many; i += lanes) {
      lattice_point p;
      p.root = p.jacobian = 1.0;
#pragma unroll
      for (int j = 0; j < near_arrays(dim); ++j) {
        p.set(j, phase[j], a);
        if (dim <= most_spread_dim)
          advance(phase[j], l.step[j], high[j]);
        else
          phase[j] += l.step[j];
      }
      sink(from + i, p);
    }
  }
  __syncthreads();
}

// The shifts of a run. Collective; the block's next barrier makes them known.
__device__ inline void make_shifts(const lattice_launch &l, int64 shift, lattice_scratch &near) {
  for (int j = static_cast<int>(threadIdx.x); j < dim; j += lattice_block) {
    near.shift[j] = shift_of(l.a.pass.source, static_cast<uint64>(l.a.pass.first_shift + shift), j);
    if (!staged) near.step_high[staged ? 0 : j] = static_cast<unsigned>(l.step[staged ? 0 : j] >> 32);
    if (staged) near.one[staged ? j : 0] = lattice_phase(l.a.pass.stride, l.a.pass.z[j], l.a.modulus);
  }
}

// ---- Sums ------------------------------------------------------------------------------------------------------------------
// Adds up the threads' sums of one component. Collective. No number where the run has been asked to stop: what is missing in the sum
// cannot be told then.
__device__ inline void store_partial(const lattice_arguments &a, int64 run, int k, compensated_sum v,
                                     lattice_scratch &near) {
  fold_block<lattice_block>(v, near.warp);
#if !TESSERA_BATCH
  if (threadIdx.x == 0 && ends_run(flags_now())) v.sum = nan_value();
#endif
  if (threadIdx.x == 0) a.partial[(run - a.first_run) * comps + k] = v;
}

// Of finite factors, where the jacobian is: weighted() without its comparison.
__device__ __forceinline__ double weighted_value(double f, double jacobian) {
  return infinite ? weighted(f, jacobian) : (weights ? f * jacobian : f);
}

}  // namespace tessera

#if !TESSERA_BATCH
// A block for each run.
extern "C" __global__ void __launch_bounds__(tessera::lattice_block, TESSERA_BLOCKS)
    tessera_lattice(const __grid_constant__ tessera::lattice_launch l) {
  using namespace tessera;
  __shared__ lattice_scratch near;
  const lattice_arguments &a = l.a;
  const int64 run = a.first_run + blockIdx.x;
  const unit_range units = range_of_run(a, run);
  make_shifts(l, units.shift, near);
  compensated_sum total[comps];
#pragma unroll 1
  for (int64 unit = units.begin; unit < units.end; ++unit) {
    if (threadIdx.x == 0) near.flags = flags_now();
    __syncthreads();
    if (ends_run(near.flags)) break;
    double sum[comps];
#pragma unroll
    for (int k = 0; k < comps; ++k) sum[k] = 0.0;
    each_point(l, unit, near, [&](int64, lattice_point &p) {
      double f[comps];
      user_values(p.x, f, a.params);
#pragma unroll
      for (int k = 0; k < comps; ++k) sum[k] += weighted_value(f[k], p.jacobian);
    });
#pragma unroll
    for (int k = 0; k < comps; ++k) total[k].add(sum[k]);
  }
#pragma unroll 1
  for (int k = 0; k < comps; ++k) store_partial(a, run, k, total[k], near);
  report_flags(a.answer);
}
#else
// Writes the points of a run, which is a unit, and their weights.
extern "C" __global__ void __launch_bounds__(tessera::lattice_block)
    tessera_lattice_points(const __grid_constant__ tessera::lattice_launch l) {
  using namespace tessera;
  __shared__ lattice_scratch near;
  const lattice_arguments &a = l.a;
  const unit_range units = range_of_run(a, a.first_run + blockIdx.x);
  make_shifts(l, units.shift, near);
  __syncthreads();
  double *const x = a.x + (units.shift * a.pass.count - a.first_point);
  each_point(l, units.begin, near, [&](int64 q, lattice_point &p) {
#pragma unroll(staged ? 4 : coordinates)
    for (int j = 0; j < coordinates; ++j) x[j * a.stride_x + q] = p.x[j];
    if (weights) x[coordinates * a.stride_x + q] = p.jacobian;
  });
}

// Adds up the values at them.
extern "C" __global__ void __launch_bounds__(tessera::lattice_block)
    tessera_lattice_sums(const __grid_constant__ tessera::lattice_launch l) {
  using namespace tessera;
  __shared__ lattice_scratch near;
  const lattice_arguments &a = l.a;
  const int64 run = a.first_run + blockIdx.x;
  const unit_range units = range_of_run(a, run);
  const int64 size = unit_points(a.lanes), begin = units.begin * size;
  const int64 end = begin + size < a.pass.count ? begin + size : a.pass.count;
  const int64 column = units.shift * a.pass.count - a.first_point;
#pragma unroll 1
  for (int k = 0; k < comps; ++k) {
    double sum = 0.0;
    for (int64 q = begin + threadIdx.x; q < end; q += lattice_block)
      sum +=
          weighted_value(a.f[k * a.stride_x + column + q], weights ? a.x[coordinates * a.stride_x + column + q] : 1.0);
    compensated_sum total;
    total.add(sum);
    store_partial(a, run, k, total, near);
  }
}
#endif
