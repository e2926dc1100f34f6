// A grid of thread blocks that run through the engine's steps together. A block is a team; see engine/bulk_steps.hpp.
// Part of the text that is compiled at run time, after the engine's headers; includes nothing.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../engine/bulk_steps.hpp"

namespace tessera {

#ifndef TESSERA_BLOCK
#define TESSERA_BLOCK 128
#endif

// One block. All functions but lane() and lanes() are collective: every thread calls them.
class device_team {
 public:
  struct scratch {
    double real[2][TESSERA_BLOCK / 32];
    long long whole[TESSERA_BLOCK / 32];
    unsigned bins[histogram_bins];
  };
  __device__ explicit device_team(scratch &s) : s_(s) {}

  __device__ static int lane() { return static_cast<int>(threadIdx.x); }
  __device__ static constexpr int lanes() { return TESSERA_BLOCK; }
  __device__ static void sync() { __syncthreads(); }

  // The sum over the lanes, in an order that never changes; every lane gets it. A tree of few additions does not drift.
  __device__ __noinline__ void sum(compensated_sum &v) {
    for (int d = 16; d > 0; d >>= 1) {
      v.sum += __shfl_xor_sync(~0u, v.sum, d);
      v.lost += __shfl_xor_sync(~0u, v.lost, d);
    }
    __syncthreads();
    if ((lane() & 31) == 0) {
      s_.real[0][lane() / 32] = v.sum;
      s_.real[1][lane() / 32] = v.lost;
    }
    __syncthreads();
    v = compensated_sum{};
    for (int w = 0; w < TESSERA_BLOCK / 32; ++w) {
      v.sum += s_.real[0][w];
      v.lost += s_.real[1][w];
    }
  }

  __device__ __noinline__ int64 total(int64 v) {
        for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(~0u, v, d);
    return over_warps(v, TESSERA_BLOCK / 32);
  }

  // The sum over the lanes before this one.
  template <class T>
  __device__ __noinline__ T exclusive(T v) {
    T inclusive = v;
        for (int d = 1; d < 32; d <<= 1) {
      const T below = __shfl_up_sync(~0u, inclusive, d);
      if ((lane() & 31) >= d) inclusive += below;
    }
    __syncthreads();
    T *of_warp = reinterpret_cast<T *>(s_.real[0]);
    if ((lane() & 31) == 31) of_warp[lane() / 32] = inclusive;
    __syncthreads();
    T before = T{0};
        for (int w = 0; w < lane() / 32; ++w) before += of_warp[w];
    const T own = __shfl_up_sync(~0u, inclusive, 1);
    return (lane() & 31) == 0 ? before : before + own;
  }

  __device__ __noinline__ int least(int v) {
    v = __reduce_min_sync(~0u, v);
    __syncthreads();
    if ((lane() & 31) == 0) s_.whole[lane() / 32] = v;
    __syncthreads();
        for (int w = 0; w < TESSERA_BLOCK / 32; ++w) v = s_.whole[w] < v ? static_cast<int>(s_.whole[w]) : v;
    return v;
  }

  __device__ __noinline__ int64 place(bool add, int64 &next) {
    const unsigned those = __ballot_sync(~0u, add);
    __syncthreads();
    if ((lane() & 31) == 0) s_.whole[lane() / 32] = __popc(those);
    __syncthreads();
    int64 mine = next;
        for (int w = 0; w < TESSERA_BLOCK / 32; ++w) {
      if (w < lane() / 32) mine += s_.whole[w];
      next += s_.whole[w];
    }
    return mine + __popc(those & ((1u << (lane() & 31)) - 1u));
  }

  // A histogram in near memory.
  __device__ __noinline__ const uint32 *near(const uint32 *histogram) {
    __syncthreads();
    for (int b = lane(); b < histogram_bins; b += lanes()) s_.bins[b] = histogram[b];
    __syncthreads();
    return s_.bins;
  }

  class counters {
   public:
    __device__ explicit counters(device_team &team) : bins_(team.s_.bins) {
      __syncthreads();
            for (int b = lane(); b < histogram_bins; b += lanes()) bins_[b] = 0;
      __syncthreads();
    }
    __device__ void add(int bin) { atomicAdd(&bins_[bin], 1u); }
    __device__ __noinline__ void flush(uint32 *histogram) {
      __syncthreads();
            for (int b = lane(); b < histogram_bins; b += lanes())
        if (bins_[b] != 0) atomicAdd(&histogram[b], bins_[b]);
    }

   private:
    unsigned *bins_;
  };

 private:
  __device__ int64 over_warps(int64 v, int warps) {
    __syncthreads();
    if ((lane() & 31) == 0) s_.whole[lane() / 32] = v;
    __syncthreads();
    v = 0;
        for (int w = 0; w < warps; ++w) v += s_.whole[w];
    return v;
  }

  scratch &s_;
};

// All blocks of a cooperative launch. `arrived` is a counter in global memory that starts at 0 and belongs to this launch.
class device_grid {
 public:
  using team_type = device_team;
  __device__ device_grid(device_team &team, unsigned *arrived) : team_(team), arrived_(arrived) {}

  __device__ device_team &team() { return team_; }
  __device__ static bool first_team() { return blockIdx.x == 0; }
  __device__ static bool once() { return blockIdx.x == 0 && threadIdx.x == 0; }
  __device__ static int64 threads() { return int64{gridDim.x} * TESSERA_BLOCK; }
  __device__ static int64 thread() { return int64{blockIdx.x} * TESSERA_BLOCK + threadIdx.x; }

  __device__ __noinline__ void barrier() {
    __syncthreads();
    wanted_ += gridDim.x;
    if (threadIdx.x == 0) {
      __threadfence();
      atomicAdd(arrived_, 1u);
      while (load(arrived_) < wanted_) {
      }
      __threadfence();
    }
    __syncthreads();
  }

  template <class Body>
  __device__ void chunks(int64 n, Body body) {
        for (int64 c = blockIdx.x; c < n; c += gridDim.x) body(team_, c);
  }
  template <class Body>
  __device__ void each(int64 n, Body body) {
        for (int64 i = int64{blockIdx.x} * TESSERA_BLOCK + threadIdx.x; i < n; i += int64{gridDim.x} * TESSERA_BLOCK) body(i);
  }

 private:
  __device__ static unsigned load(const unsigned *p) {
    unsigned v;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
  }

  device_team &team_;
  unsigned *arrived_;
  unsigned wanted_ = 0;
};

}  // namespace tessera
