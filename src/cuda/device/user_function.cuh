// The user's integrand as the kernels of sampling methods see it. Part of texts that are compiled at run time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "user_answer.hpp"

#ifndef TESSERA_NDIM
#define TESSERA_NDIM 5
#define TESSERA_NCOMP 1
#define TESSERA_AXES 0
#define TESSERA_BATCH 0
#define TESSERA_BLOCKS 4
extern "C" __device__ void tessera_f(const double *x, double *f, const void *params);
extern "C" {
__device__ int tessera_flags, tessera_status;
}
#endif
#ifndef TESSERA_COMPLEMENT
#define TESSERA_COMPLEMENT 0
#endif
#ifndef TESSERA_WEIGHTS
#define TESSERA_WEIGHTS 0
#endif
// TESSERA_AXES: enum known_axes. TESSERA_COMPLEMENT: coordinates are followed by their complements. TESSERA_WEIGHTS: by the point's weight
// and its iteration. TESSERA_BATCH: around a device callback.

namespace tessera {

constexpr int dim = TESSERA_NDIM;
constexpr int comps = TESSERA_NCOMP;
constexpr int coordinates = TESSERA_COMPLEMENT ? 2 * dim : TESSERA_WEIGHTS ? dim + 2 : dim;

#if !TESSERA_BATCH
__device__ __forceinline__ int flags_now() { return *static_cast<volatile int *>(&tessera_flags); }
__device__ __forceinline__ bool ends_run(int flags) {
  return (flags & 14) != 0;
}  // flags_that_end in device_compiler.hpp

// The end of a block: what the integrand said beside its values.
__device__ __forceinline__ void report_flags(user_answer *answer) {
  if (threadIdx.x == 0 && flags_now() != 0) {
    answer->flags = flags_now();
    answer->status = *static_cast<volatile int *>(&tessera_status);
  }
}
#endif

}  // namespace tessera

#include "user_values.cuh"
