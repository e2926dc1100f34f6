// The kernels of a step that is shared out among devices or ranks: those that pack and unpack, on the first device of a rank, what others
// evaluate and what goes to other ranks. Part of texts that are compiled at run time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "step_part.hpp"

extern "C" __global__ void __launch_bounds__(256) tessera_pack(const tessera::step_part a) {
  using namespace tessera;
  for (int64 t = int64{blockIdx.x} * blockDim.x + threadIdx.x; t < a.n * a.fields; t += int64{gridDim.x} * blockDim.x)
    pack(a, t);
}

extern "C" __global__ void __launch_bounds__(256) tessera_unpack(const tessera::step_part a) {
  using namespace tessera;
  for (int64 t = int64{blockIdx.x} * blockDim.x + threadIdx.x; t < a.n * a.fields; t += int64{gridDim.x} * blockDim.x)
    if (!unpack(a, t) && a.failed)
      atomicMax(reinterpret_cast<long long *>(a.failed), static_cast<long long>(a.region_of(t) + 1));
}
