// The user's integrand at a point, for all kernels, and the kernel that gives it at points. Part of texts that are compiled at run
// time, after the head that says how many coordinates and components there are.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../core/limited_axis.hpp"
#include "../../core/simplex.hpp"

#ifndef TESSERA_SIMPLEX
#define TESSERA_SIMPLEX 0
#endif
// TESSERA_SIMPLEX: enum simplex_map. With TESSERA_SIMPLEX_CORNERS, numbers of a domain_shape, other vertices than those of the unit simplex.
// TESSERA_LIMITED_AXES: TESSERA_LIMITED_AXIS(j) for all axes whose limits are a function tessera_limits_j (jit/limits_text.hpp).
#if TESSERA_SIMPLEX || defined(TESSERA_LIMITED_AXES)
#define TESSERA_SHAPED 1
#else
#define TESSERA_SHAPED 0
#endif

#if !TESSERA_BATCH  // around a device callback there is none
#if TESSERA_SIMPLEX && defined(TESSERA_SIMPLEX_CORNERS)
__device__ const double tessera_corners[] = {TESSERA_SIMPLEX_CORNERS};
#endif
namespace tessera {

// A component that the integrand does not write is no number. Where the integrand is inlined and writes them all, the compiler
// leaves this out.
__device__ __forceinline__ void values_at(const double *x, double *f, const void *params) {
#pragma unroll
  for (int k = 0; k < comps; ++k) f[k] = nan_value();
  tessera_f(x, f, params);
}

#ifdef TESSERA_LIMITED_AXES
// The run ends; of several axes the last one is told of. What is written here why_stopped (jit/device_compiler.cpp) reads.
__device__ __noinline__ void report_limits(int axis, int trouble) {
  const int code = 2 * axis + trouble;
  int now = *static_cast<volatile int *>(&tessera_flags);
  while ((now >> 8) < code) {
    const int before = atomicCAS(&tessera_flags, now, (now & 255) | 8 | code << 8);
    if (before == now) break;
    now = before;
  }
}
#endif

#if TESSERA_SHAPED
// From the box to the user's coordinates. Returns the Jacobian; 0: there is nothing to integrate, NaN: there are no limits, which is told.
__device__ __forceinline__ double to_user(const double *x, double *at, const void *params) {
#if TESSERA_SIMPLEX
#ifdef TESSERA_SIMPLEX_CORNERS
  const simplex s = {TESSERA_SIMPLEX, tessera_corners, tessera_corners + (dim + 1) * dim,
                     tessera_corners + (dim + 2) * dim, TESSERA_SIMPLEX_VOLUME};
#else
  const simplex s = {TESSERA_SIMPLEX, nullptr, nullptr, nullptr, 1.0};
#endif
  double t[dim];
  for (int j = 0; j < dim; ++j) t[j] = x[j];
  return simplex_point(s, dim, t, at);
#else
  for (int j = 0; j < dim; ++j) at[j] = x[j];
  double volume = 1.0;
#define TESSERA_LIMITED_AXIS(j)                                                     \
  {                                                                                 \
    double lower = nan_value(), upper = nan_value();                                \
    tessera_limits_##j(at, &lower, &upper, params);                                 \
    const limits_trouble trouble = limited_coordinate(lower, upper, at[j], volume); \
    if (trouble != limits_good) {                                                   \
      report_limits(j, trouble);                                                    \
      return nan_value();                                                           \
    }                                                                               \
    if (volume == 0.0) return 0.0;                                                  \
  }
  TESSERA_LIMITED_AXES
#undef TESSERA_LIMITED_AXIS
  return volume;
#endif
}

// x: of the box, which becomes the user's.
__device__ __forceinline__ void take_values(double *x, double *f, const void *params) {
  double at[dim];
  const double jacobian = to_user(x, at, params);
  if (jacobian > 0.0) values_at(at, f, params);
#pragma unroll
  for (int k = 0; k < comps; ++k) f[k] = jacobian > 0.0 ? f[k] * jacobian : jacobian;
  for (int j = 0; j < dim; ++j) x[j] = at[j];
}
__device__ __forceinline__ void user_values(const double *x, double *f, const void *params) {
  double at[dim];
  for (int j = 0; j < dim; ++j) at[j] = x[j];
  take_values(at, f, params);
}
#else
__device__ __forceinline__ void take_values(double *x, double *f, const void *params) { values_at(x, f, params); }
__device__ __forceinline__ void user_values(const double *x, double *f, const void *params) { values_at(x, f, params); }
#endif

}  // namespace tessera

#if !TESSERA_MANY
// The integrand at n points of the box, which become the user's: coordinate j of point i is x[j*n + i]. *said, where there is such a place, is not touched
// unless the integrand has said something beside its values. A point's values are written last, so that the host, which may look before the kernel is through, finds the rest.
extern "C" __global__ void tessera_points(long long n, double *x, double *f, const void *params, int *said) {
  using namespace tessera;
  for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < n;
       i += static_cast<long long>(gridDim.x) * blockDim.x) {
    double at[coordinates], value[comps];
    for (int j = 0; j < coordinates; ++j) at[j] = x[j * n + i];
    take_values(at, value, params);
#if TESSERA_SHAPED
    for (int j = 0; j < coordinates; ++j) x[j * n + i] = at[j];
#endif
    const int flags = *static_cast<volatile int *>(&tessera_flags);
    if (flags != 0 && said) *said = flags;
    if (TESSERA_SHAPED || flags != 0) __threadfence_system();
    for (int k = 0; k < comps; ++k) static_cast<volatile double *>(f)[k * n + i] = value[k];
  }
}
#endif
#endif
