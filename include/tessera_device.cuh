// Tessera: functors as integrands on a CUDA device, for programs that are compiled by nvcc.
//
// A functor with `__device__ double operator()(const double *x) const`, or for several components
// `__device__ void operator()(const double *x, double *f) const`, becomes the device callback of a solver: a kernel that
// loads the points into registers and calls the functor, which the compiler inlines there. The engine is the same as for
// all other forms.
//
//   auto integrand = tessera::integrand_of<5>(my_functor{...});   // five variables, one component
//   tessera_set_int(s, TESSERA_DEVICE, 0);
//   status = integrand.set(s);
//
// Ownership: the object holds the functor, and the solver keeps the object's address. It must live as long as the solver may
// integrate with it: until the solver is destroyed, or another device callback or none is set. It may serve several solvers.
// Needs C++17, nvcc, tessera.h and the CUDA run-time library.
//
// SPDX-License-Identifier: BSD-3-Clause
#ifndef TESSERA_DEVICE_CUH
#define TESSERA_DEVICE_CUH

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include "tessera.h"

namespace tessera {

// Found under TESSERA_CALLBACK_STATUS when the solver has another number of variables or components than the functor; errors of
// CUDA are found there with their own, positive numbers.
constexpr int wrong_shape = -1;

template <int ndim, int ncomp, class Functor>
__global__ void evaluate_functor(std::int64_t n, const double *x, std::int64_t ldx, double *f, std::int64_t ldf,
                                 const Functor functor) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    double at[ndim], value[ncomp];
#pragma unroll
    for (int j = 0; j < ndim; ++j) at[j] = x[j * ldx + i];
    const double *const point = at;
    if constexpr (std::is_invocable_v<const Functor &, const double *, double *>) {
      functor(point, static_cast<double *>(value));
    } else {
      static_assert(ncomp == 1, "a functor of several components is called with (const double *x, double *f)");
      value[0] = functor(point);
    }
#pragma unroll
    for (int k = 0; k < ncomp; ++k) f[k * ldf + i] = value[k];
  }
}

template <int ndim, int ncomp, class Functor>
class device_integrand {
 public:
  static_assert(ndim >= 1 && ncomp >= 1, "at least one variable and one component");
  static_assert(sizeof(Functor) <= 4000, "the functor is an argument of a kernel: let it hold addresses of large data");

  explicit device_integrand(const Functor &functor) : functor_(functor) {}
  device_integrand(const device_integrand &) = delete;
  device_integrand &operator=(const device_integrand &) = delete;

  // Makes it the device callback of s. Returns a status of tessera.h.
  int set(tessera_solver *s) { return tessera_set_integrand_device(s, call, this); }

  const Functor &functor() const { return functor_; }

 private:
  static int call(std::int64_t n, int solver_ndim, const double *x, std::int64_t ldx, int solver_ncomp, double *f,
                  std::int64_t ldf, void *stream, void *userdata) {
    if (solver_ndim != ndim || solver_ncomp != ncomp) return wrong_shape;
    constexpr int block = 128;
    const std::int64_t blocks = (n + block - 1) / block;
    Functor functor = static_cast<const device_integrand *>(userdata)->functor_;
    void *arguments[] = {&n, &x, &ldx, &f, &ldf, &functor};
    return static_cast<int>(cudaLaunchKernel(reinterpret_cast<const void *>(evaluate_functor<ndim, ncomp, Functor>),
                                             dim3(static_cast<unsigned>(blocks < 65536 ? blocks : 65536)), dim3(block),
                                             arguments, 0, static_cast<cudaStream_t>(stream)));
  }

  const Functor functor_;
};

template <int ndim, int ncomp = 1, class Functor>
device_integrand<ndim, ncomp, Functor> integrand_of(const Functor &functor) {
  return device_integrand<ndim, ncomp, Functor>(functor);
}

}  // namespace tessera

#endif  // TESSERA_DEVICE_CUH
