// The loops of the construction of generating vectors: bodies of engine/construct/cbc_steps.hpp over all elements, with sums, least values and
// lists. Part of a text that is compiled at run time, once for each precision.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../engine/construct/cbc_steps.hpp"
#include "../device/block_sums.cuh"
#include "construct_problem.hpp"

#ifndef TESSERA_REAL
#define TESSERA_REAL double
#endif

namespace tessera {

using real = TESSERA_REAL;
constexpr int construct_warps = construct_block / 32;

__device__ inline int64 first_element() { return int64{blockIdx.x} * construct_block + threadIdx.x; }
__device__ inline int64 all_threads() { return int64{gridDim.x} * construct_block; }

// Does this block come last? Then what the others have written is there. Collective.
__device__ inline bool comes_last(unsigned *arrived) {
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    last = atomicAdd(arrived, 1u) == gridDim.x - 1;
    if (last) *arrived = 0;  // for the next kernel
  }
  __syncthreads();
  __threadfence();
  return last;
}

// Knuth's sum with its exact error: no branch, unlike compensated_sum::add.
__device__ __forceinline__ void add_exactly(compensated_sum &s, double v) {
  const double t = s.sum + v, w = t - s.sum;
  s.lost += (s.sum - (t - w)) + (v - w);
  s.sum = t;
}

template <class Body>
__device__ __forceinline__ void fold(const Body &body, int64 n, compensated_sum *partial, unsigned *arrived,
                                     double *out) {
  constexpr int sums = Body::folds;
  __shared__ compensated_sum of_warp[construct_warps];
  compensated_sum total[sums];
#pragma unroll 2
  for (int64 i = first_element(); i < n; i += all_threads()) {
    double v[3] = {0.0, 0.0, 0.0};
    body(i, v);
#pragma unroll
    for (int k = 0; k < sums; ++k)
      if (k < Body::compensated)
        add_exactly(total[k], v[k]);
      else
        total[k].sum += v[k];
  }
#pragma unroll
  for (int k = 0; k < sums; ++k) {
    fold_block<construct_block>(total[k], of_warp);
    if (threadIdx.x == 0) partial[k * gridDim.x + blockIdx.x] = total[k];
  }
  if (!comes_last(arrived)) return;
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    compensated_sum all;
    if (k < sums)
      for (unsigned b = threadIdx.x; b < gridDim.x; b += construct_block) {
        compensated_sum of_block;
        of_block.sum = __ldcg(&partial[k * gridDim.x + b].sum);
        of_block.lost = __ldcg(&partial[k * gridDim.x + b].lost);
        all.add(of_block);
      }
    fold_block<construct_block>(all, of_warp);
    if (threadIdx.x == 0) out[k] = all.value();
  }
}

__device__ __forceinline__ least_value lower_lane(const least_value &v, int d) {
  least_value other;
  other.value = lower_lane(v.value, d);
  other.index = __shfl_down_sync(~0u, v.index, d);
  other.second = lower_lane(v.second, d);
  other.squares = lower_lane(v.squares, d);
  return other;
}
__device__ inline void fold_in(least_value &a, const least_value &b) {
  const bool first = a.value < b.value || (a.value == b.value && a.index < b.index);
  least_value r = first ? a : b;
  const double other = first ? b.value : a.value;
  r.second = r.second < other ? r.second : other;
  r.squares = a.squares + b.squares;
  a = r;
}

template <class Body>
__device__ __forceinline__ void minimum(const Body &body, int64 n, least_value *partial, unsigned *arrived,
                                        least_value *out) {
  constexpr int64 none = 0x7fffffffffffffff;
  constexpr int side = 4;  // that are read before the first is looked at
  __shared__ least_value of_warp[construct_warps];
  using number = decltype(body(0));
  number first = static_cast<number>(infinity_value()), second = first;
  int64 index = none, i = first_element();
  double squares = 0.0;
  const auto look = [&](number v, int64 at) {
    squares += static_cast<double>(v) * static_cast<double>(v);
    if (v < first) {
      second = first;
      first = v;
      index = at;
    } else if (v < second) {
      second = v;
    }
  };
  for (; i + (side - 1) * all_threads() < n; i += side * all_threads()) {
    number v[side];
#pragma unroll
    for (int s = 0; s < side; ++s) v[s] = body(i + s * all_threads());
#pragma unroll
    for (int s = 0; s < side; ++s) look(v[s], i + s * all_threads());
  }
  for (; i < n; i += all_threads()) look(body(i), i);
  least_value least = {static_cast<double>(first), index, static_cast<double>(second), squares};
  fold_block<construct_block>(least, of_warp);
  if (threadIdx.x == 0) partial[blockIdx.x] = least;
  if (!comes_last(arrived)) return;
  least = {infinity_value(), none, infinity_value(), 0.0};
  for (unsigned b = threadIdx.x; b < gridDim.x; b += construct_block) {
    least_value of_block;
    of_block.value = __ldcg(&partial[b].value);
    of_block.index = __ldcg(&partial[b].index);
    of_block.second = __ldcg(&partial[b].second);
    of_block.squares = __ldcg(&partial[b].squares);
    fold_in(least, of_block);
  }
  fold_block<construct_block>(least, of_warp);
  if (least.index == none) least.index = 0;  // all are infinite or no numbers
  if (threadIdx.x == 0) *out = least;
}

// The indices come in no order; the host sorts them.
template <class Body>
__device__ __forceinline__ void collect(const Body &body, int64 n, int64 *list, int64 most, unsigned long long *found) {
  for (int64 i = first_element(); i < n; i += all_threads())
    if (body(i)) {
      const int64 place = static_cast<int64>(atomicAdd(found, 1ull));
      if (place < most) list[place] = i;
    }
}

}  // namespace tessera

#define TESSERA_EACH(body)                                                                      \
  extern "C" __global__ void __launch_bounds__(tessera::construct_block)                        \
      tessera_##body(const tessera::body<tessera::real> b, tessera::int64 n) {                  \
    for (tessera::int64 i = tessera::first_element(); i < n; i += tessera::all_threads()) b(i); \
  }
TESSERA_EACH_BODIES(TESSERA_EACH)

extern "C" __global__ void __launch_bounds__(tessera::construct_block)
    tessera_fill_kernel(const tessera::fill_kernel<tessera::real> b, tessera::int64 n) {
  using namespace tessera;
  for (int64 begin = first_element() * construct_range; begin < n; begin += all_threads() * construct_range)
    b(begin, begin + construct_range < n ? begin + construct_range : n);
}

#define TESSERA_FOLD(body)                                                                                      \
  extern "C" __global__ void __launch_bounds__(tessera::construct_block)                                        \
      tessera_##body(const tessera::body<tessera::real> b, tessera::int64 n, tessera::compensated_sum *partial, \
                     unsigned *arrived, double *out) {                                                          \
    tessera::fold(b, n, partial, arrived, out);                                                                 \
  }
TESSERA_FOLD_BODIES(TESSERA_FOLD)

#define TESSERA_LEAST(body, type)                                                                           \
  extern "C" __global__ void __launch_bounds__(tessera::construct_block)                                    \
      tessera_##body##_##type(const tessera::body<type> b, tessera::int64 n, tessera::least_value *partial, \
                              unsigned *arrived, tessera::least_value *out) {                               \
    tessera::minimum(b, n, partial, arrived, out);                                                          \
  }
TESSERA_LEAST_BODIES(TESSERA_LEAST)

#define TESSERA_LIST(body, type)                                                                   \
  extern "C" __global__ void __launch_bounds__(tessera::construct_block)                           \
      tessera_##body##_##type(const tessera::body<type> b, tessera::int64 n, tessera::int64 *list, \
                              tessera::int64 most, unsigned long long *found) {                    \
    tessera::collect(b, n, list, most, found);                                                     \
  }
TESSERA_LIST_BODIES(TESSERA_LIST)
