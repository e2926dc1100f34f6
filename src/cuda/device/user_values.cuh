// The user's integrand at a point, for all kernels, and the kernel that gives it at points. Part of texts that are compiled at run
// time, after the head that says how many coordinates and components there are.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../core/simplex.hpp"

#ifndef TESSERA_SIMPLEX
#define TESSERA_SIMPLEX 0
#endif
// TESSERA_SIMPLEX: enum simplex_map. With TESSERA_SIMPLEX_CORNERS, numbers of a domain_shape, other vertices than those of the unit simplex.

#if !TESSERA_BATCH  // around a device callback there is none
#if TESSERA_SIMPLEX && defined(TESSERA_SIMPLEX_CORNERS)
__device__ const double tessera_corners[] = {TESSERA_SIMPLEX_CORNERS};
#endif
namespace tessera {

// A component that the integrand does not write is no number. Where the integrand is inlined and writes them all, the compiler
// leaves this out.
__device__ __forceinline__ void values_at(const double *x, double *f, const void *params) {
#pragma unroll
  for (int k = 0; k < comps; ++k) f[k] = __longlong_as_double(0x7ff8000000000000ll);
  tessera_f(x, f, params);
}

#if TESSERA_SIMPLEX
// x: of the cube.
__device__ __forceinline__ void user_values(const double *x, double *f, const void *params) {
#ifdef TESSERA_SIMPLEX_CORNERS
  const simplex s = {TESSERA_SIMPLEX, tessera_corners, tessera_corners + (dim + 1) * dim,
                     tessera_corners + (dim + 2) * dim, TESSERA_SIMPLEX_VOLUME};
#else
  const simplex s = {TESSERA_SIMPLEX, nullptr, nullptr, nullptr, 1.0};
#endif
  double t[dim], at[dim];
  for (int j = 0; j < dim; ++j) t[j] = x[j];
  const double jacobian = simplex_point(s, dim, t, at);
  values_at(at, f, params);
#pragma unroll
  for (int k = 0; k < comps; ++k) f[k] = jacobian == 0.0 ? 0.0 : f[k] * jacobian;
}
#else
__device__ __forceinline__ void user_values(const double *x, double *f, const void *params) { values_at(x, f, params); }
#endif

}  // namespace tessera

#if !TESSERA_MANY
// The integrand at n points, over a simplex those of the cube: coordinate j of point i is x[j*n + i]. *said, where there is such a place, is not touched unless the
// integrand has said something beside its values.
extern "C" __global__ void tessera_points(long long n, const double *x, double *f, const void *params, int *said) {
  using namespace tessera;
  for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < n;
       i += static_cast<long long>(gridDim.x) * blockDim.x) {
    double at[coordinates], value[comps];
    for (int j = 0; j < coordinates; ++j) at[j] = x[j * n + i];
    user_values(at, value, params);
    for (int k = 0; k < comps; ++k) f[k * n + i] = value[k];
  }
  const int flags = *static_cast<volatile int *>(&tessera_flags);
  if (flags != 0 && said) *said = flags;
}
#endif
#endif
