// The kernels around the integrand for sparse grids: points before it, values and differences behind it. They do not know the integrand.
// Part of a text that is compiled at run time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "sparse_problem.hpp"

#ifndef TESSERA_NDIM
#define TESSERA_NDIM 5
#define TESSERA_NCOMP 1
#endif

namespace tessera {

// The index of a point of the step, the last that begins before it or with it.
__device__ __forceinline__ const sparse_index &index_of(const sparse_arguments &a, int64 point) {
  int64 low = 0, high = a.count;
  while (high - low > 1) {
    const int64 middle = (low + high) / 2;
    if (a.indices[middle].first <= point)
      low = middle;
    else
      high = middle;
  }
  return a.indices[low];
}

}  // namespace tessera

// A thread for each point.
extern "C" __global__ void __launch_bounds__(128) tessera_sparse_points(const tessera::sparse_arguments a) {
  using namespace tessera;
  const int64 i = int64{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= a.n) return;
  const int64 box = (a.first + i) / a.points, point = (a.first + i) - box * a.points;
  const sparse_index q = index_of(a, point);
  a.jacobian[i] = write_sparse_point(*a.tables, a.domain, TESSERA_NDIM, static_cast<int>(box), q, a.words,
                                     point - q.first, a.x + i, a.n);
}

// A thread for each point.
extern "C" __global__ void __launch_bounds__(128) tessera_sparse_values(const tessera::sparse_arguments a) {
  using namespace tessera;
  const int64 i = int64{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= a.n) return;
  const int64 box = (a.first + i) / a.points, point = (a.first + i) - box * a.points;
  const sparse_index q = index_of(a, point);
  bool finite = true;
  for (int k = 0; k < TESSERA_NCOMP; ++k) {
    const double v = weighted(a.f[k * a.n + i], a.jacobian[i]);
    finite &= 0.0 * v == 0.0;
    a.store[q.place + (point - q.first) + (box * TESSERA_NCOMP + k) * q.stride] = v;
  }
  if (!finite) a.answer[1] = 1;
  if (i == 0 && a.flags) a.answer[0] |= *a.flags;
}

// A block for each index and component of a box.
extern "C" __global__ void __launch_bounds__(512) tessera_sparse_sums(const tessera::sparse_arguments a) {
  using namespace tessera;
  const sparse_index q = a.indices[blockIdx.x];
  const int64 k = blockIdx.y;
  double *const own = a.store + q.place + k * q.stride;
  const int64 *word = a.words + q.words;
  int64 place = 0;
  int bits = q.bits;
  for (int s = 0; s < q.active && s < a.end_stage; ++s) {
    const int level = level_of_word(*word);
    place += int64{1} << bits;
    bits -= level - 1;
    const int64 size = int64{1} << bits;
    for (int64 r = threadIdx.x; r < size && s >= a.stage; r += blockDim.x)
      own[place + r] = sum_over_axis(*a.tables, word, size, r, a.store, k);
    __syncthreads();
    word += words_of_axis(level);
  }
  if (threadIdx.x == 0 && q.active <= a.end_stage) a.differences[k * a.count + blockIdx.x] = own[place];
}
