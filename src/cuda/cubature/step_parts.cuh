// The kernels of a step that is shared out among devices: on the first one those that pack and unpack what others evaluate. Part of
// texts that are compiled at run time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "step_part.hpp"

extern "C" __global__ void __launch_bounds__(256) tessera_pack(const tessera::step_part a) {
  using namespace tessera;
  const int64 items = a.n * box_fields(a.regions.ndim());
  for (int64 t = int64{blockIdx.x} * blockDim.x + threadIdx.x; t < items; t += int64{gridDim.x} * blockDim.x)
    pack_box(a, t);
}

extern "C" __global__ void __launch_bounds__(256) tessera_unpack(const tessera::step_part a) {
  using namespace tessera;
  const int64 items = a.n * (a.regions.fields() - box_fields(a.regions.ndim()));
  for (int64 t = int64{blockIdx.x} * blockDim.x + threadIdx.x; t < items; t += int64{gridDim.x} * blockDim.x)
    if (!unpack_result(a, t) && a.failed)
      atomicMax(reinterpret_cast<long long *>(a.failed), static_cast<long long>(a.list[t % a.n] + 1));
}
