// The user's integrand at a point, for all kernels, and the kernel that gives it at points. Part of texts that are compiled at run
// time, after the head that says how many coordinates and components there are.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#if !TESSERA_BATCH  // around a device callback there is none
namespace tessera {

// A component that the integrand does not write is no number. Where the integrand is inlined and writes them all, the compiler
// leaves this out.
__device__ __forceinline__ void user_values(const double *x, double *f, const void *params) {
#pragma unroll
  for (int k = 0; k < comps; ++k) f[k] = __longlong_as_double(0x7ff8000000000000ll);
  tessera_f(x, f, params);
}

}  // namespace tessera

#if !TESSERA_MANY
// The integrand at n points: coordinate j of point i is x[j*n + i].
extern "C" __global__ void tessera_points(long long n, const double *x, double *f, const void *params) {
  using namespace tessera;
  for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < n;
       i += static_cast<long long>(gridDim.x) * blockDim.x) {
    double at[coordinates], value[comps];
    for (int j = 0; j < coordinates; ++j) at[j] = x[j * n + i];
    user_values(at, value, params);
    for (int k = 0; k < comps; ++k) f[k * n + i] = value[k];
  }
}
#endif
#endif
