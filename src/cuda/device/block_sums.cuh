// Sums and the like over the threads of a block, in an order that never changes. Part of texts that are compiled at run time.
//
// A type can be folded that has lower_lane(v, d), what the thread d lanes above has, and fold_in(v, other).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../core/sum.hpp"

namespace tessera {

__device__ __forceinline__ double lower_lane(double v, int d) { return __shfl_down_sync(~0u, v, d); }
__device__ __forceinline__ void fold_in(double &v, double other) { v += other; }

__device__ __forceinline__ compensated_sum lower_lane(const compensated_sum &v, int d) {
  compensated_sum other;
  other.sum = lower_lane(v.sum, d);
  other.lost = lower_lane(v.lost, d);
  return other;
}
__device__ __forceinline__ void fold_in(compensated_sum &v, const compensated_sum &other) { v.add(other); }

// Over a warp, in lane 0.
template <class T>
__device__ __forceinline__ void fold_warp(T &v) {
  for (int d = 16; d > 0; d >>= 1) fold_in(v, lower_lane(v, d));
}

// The bits that any lane of a warp has, in all of them.
__device__ __forceinline__ unsigned any_bits(unsigned v) {
#if __CUDA_ARCH__ >= 800
  return __reduce_or_sync(~0u, v);
#else
  for (int d = 16; d > 0; d >>= 1) v |= __shfl_xor_sync(~0u, v, d);
  return v;
#endif
}

// The least number of a warp, in all lanes.
__device__ __forceinline__ int least_of_warp(int v) {
#if __CUDA_ARCH__ >= 800
  return __reduce_min_sync(~0u, v);
#else
  for (int d = 16; d > 0; d >>= 1) v = min(v, __shfl_xor_sync(~0u, v, d));
  return v;
#endif
}

// Over a block, in thread 0, by way of of_warp[threads / 32] in near memory. Collective.
template <int threads, class T>
__device__ __forceinline__ void fold_block(T &v, T *of_warp) {
  fold_warp(v);
  __syncthreads();
  if ((threadIdx.x & 31u) == 0) of_warp[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0)
    for (int w = 1; w < threads / 32; ++w) fold_in(v, of_warp[w]);
}

}  // namespace tessera
