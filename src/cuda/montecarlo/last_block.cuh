// Where the last block of a launch goes on with what all of them have left. Part of texts that are compiled at run time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "montecarlo_problem.hpp"

namespace tessera {

// Is this block the last one to come here? What the others have written before is there then. `is_last` is near memory. Collective.
__device__ __forceinline__ bool last_block(unsigned &arrived, bool &is_last) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    is_last = atomicAdd(&arrived, 1u) + 1 == gridDim.x;
    if (is_last) arrived = 0;
    __threadfence();
  }
  __syncthreads();
  return is_last;
}

// Past what this multiprocessor may remember of it.
__device__ __forceinline__ sample_sums from_far(const sample_sums *s) {
  sample_sums v;
  v.value.sum = __ldcg(&s->value.sum);
  v.value.lost = __ldcg(&s->value.lost);
  v.variance.sum = __ldcg(&s->variance.sum);
  v.variance.lost = __ldcg(&s->variance.lost);
  v.square.sum = __ldcg(&s->square.sum);
  v.square.lost = __ldcg(&s->square.lost);
  v.doubt = __ldcg(&s->doubt);
  return v;
}

}  // namespace tessera
