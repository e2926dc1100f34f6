// A grid of thread blocks that run through the engine's steps together. A block is a team; see engine/cubature/bulk_steps.hpp.
// Part of the text that is compiled at run time, after the engine's headers; includes nothing.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../engine/cubature/bulk_state.hpp"

namespace tessera {

#ifndef TESSERA_BLOCK
#define TESSERA_BLOCK 128
#endif

// The state of the run that a block is at, in its near memory.
alignas(16) static __shared__ unsigned char run_state_bytes[sizeof(bulk_state)];
__device__ inline bulk_state &run_state() { return *reinterpret_cast<bulk_state *>(run_state_bytes); }

// Of `lanes` lanes of a warp that work on one item together, a power of two: those of this thread's group. Other groups of the warp
// may be elsewhere.
__device__ inline unsigned lane_mask(int lanes) {
  return lanes == 32 ? ~0u : ((1u << (lanes & 31)) - 1u) << (threadIdx.x & 31u & ~static_cast<unsigned>(lanes - 1));
}

// A warp. Functions but lane() and lanes() are collective: all its threads call them.
struct device_warp {
  __device__ static int lane() { return static_cast<int>(threadIdx.x) & 31; }
  __device__ static constexpr int lanes() { return 32; }
  // The least of each of three numbers.
  __device__ static void least(int &a, int &b, int &c) {
    a = __reduce_min_sync(~0u, a);
    b = __reduce_min_sync(~0u, b);
    c = __reduce_min_sync(~0u, c);
  }
  __device__ static int total(int n) { return __reduce_add_sync(~0u, n); }
  __device__ static uint32 either(uint32 bits) { return __reduce_or_sync(~0u, bits); }
};

// A group of lanes of a warp, one for each item of a few: see lone_lane.hpp.
class device_lanes {
 public:
  __device__ explicit device_lanes(int lanes) : lanes_(lanes), mask_(lane_mask(lanes)) {}
  __device__ int lane() const { return static_cast<int>(threadIdx.x) & (lanes_ - 1); }
  __device__ int lanes() const { return lanes_; }
  __device__ bool all(bool v) const { return __all_sync(mask_, v); }
  __device__ void meet() const { __syncwarp(mask_); }
  template <class T, class Both>
  __device__ T fold(T v, Both both) const {
#pragma unroll 1
    for (int d = lanes_ / 2; d > 0; d /= 2) {
      static_assert(sizeof(T) % sizeof(unsigned) == 0, "it travels by words");
      unsigned words[sizeof(T) / sizeof(unsigned)];
      memcpy(words, &v, sizeof v);
#pragma unroll
      for (unsigned &word : words) word = __shfl_xor_sync(mask_, word, d);
      T other;
      memcpy(&other, words, sizeof v);
      v = both(v, other);
    }
    return v;
  }

  template <class T>
  struct numbers {
    T mine;
    __device__ T &own(int) { return mine; }
    __device__ const T &own(int) const { return mine; }
    __device__ T of(const device_lanes &lanes, int q) const { return __shfl_sync(lanes.mask_, mine, q, lanes.lanes_); }
  };

 private:
  const int lanes_;
  const unsigned mask_;
};

// body(lanes, i) for n items, by so many lanes each, a power of two. Where there are more threads they are as far apart in warps as can be, for others' ways
// are not theirs. thread: this one's number of `threads`.
template <class Body>
__device__ void lanes_each_of(int64 n, int lanes, int64 thread, int64 threads, Body body) {
  int apart = lanes;
  while (apart < 32 && 2 * apart * n <= threads) apart *= 2;
  if ((static_cast<int>(threadIdx.x) & (apart - 1)) >= lanes) return;
  device_lanes group(lanes);
  const int shift = __ffs(apart) - 1;
  for (int64 i = thread >> shift; i < n; i += threads >> shift) body(group, i);
}

// One block. All functions but lane() and lanes() are collective: every thread calls them.
class device_team {
 public:
  static constexpr int warps = TESSERA_BLOCK / 32;
  static constexpr int most_lanes = TESSERA_BLOCK;
  struct scratch {
    compensated_sum real[warps][team_sums];
    long long whole[warps];
    int least[warps][3];
    unsigned bins[histogram_bins];
  };
  __device__ explicit device_team(scratch &s) : s_(s) {}

  __device__ static int lane() { return static_cast<int>(threadIdx.x); }
  __device__ static constexpr int lanes() { return TESSERA_BLOCK; }
  __device__ static void meet() { __syncthreads(); }

  // Sums over the lanes of up to team_sums at a time, in an order that never changes; every lane gets them. A tree of few additions
  // does not drift.
  template <int n>
  __device__ __noinline__ void sum(compensated_sum (&v)[n]) {
    static_assert(n <= team_sums, "");
    compensated_sum own[n];  // not where the caller has them, which is memory
#pragma unroll
    for (int i = 0; i < n; ++i) own[i] = v[i];
#pragma unroll 1
    for (int d = 16; d > 0; d >>= 1)
#pragma unroll
      for (int i = 0; i < n; ++i) {
        own[i].sum += __shfl_xor_sync(~0u, own[i].sum, d);
        own[i].lost += __shfl_xor_sync(~0u, own[i].lost, d);
      }
    __syncthreads();
    if ((lane() & 31) == 0)
#pragma unroll
      for (int i = 0; i < n; ++i) s_.real[lane() / 32][i] = own[i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < n; ++i) own[i] = compensated_sum{};
#pragma unroll 1
    for (int w = 0; w < warps; ++w)
#pragma unroll
      for (int i = 0; i < n; ++i) {
        own[i].sum += s_.real[w][i].sum;
        own[i].lost += s_.real[w][i].lost;
      }
#pragma unroll
    for (int i = 0; i < n; ++i) v[i] = own[i];
  }

  __device__ __noinline__ int64 total(int64 v) {
#pragma unroll 1
    for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(~0u, v, d);
    __syncthreads();
    if ((lane() & 31) == 0) s_.whole[lane() / 32] = v;
    __syncthreads();
    v = 0;
    for (int w = 0; w < warps; ++w) v += s_.whole[w];
    return v;
  }

  // Turns the lanes' numbers into the sums over the lanes before; returns the sum of the second over all.
  __device__ __noinline__ int64 scan(double &a, int64 &n) {
    double sum = a;
    int64 count = n;
#pragma unroll 1
    for (int d = 1; d < 32; d <<= 1) {
      const double below = __shfl_up_sync(~0u, sum, d);
      const int64 fewer = __shfl_up_sync(~0u, count, d);
      if ((lane() & 31) >= d) {
        sum += below;
        count += fewer;
      }
    }
    __syncthreads();
    if ((lane() & 31) == 31) {
      s_.real[lane() / 32][0].sum = sum;
      s_.whole[lane() / 32] = count;
    }
    __syncthreads();
    a = __shfl_up_sync(~0u, sum, 1);
    n = count - n;
    if ((lane() & 31) == 0) a = 0.0;
    int64 all = 0;
    double before = 0.0;
    for (int w = 0; w < warps; ++w) {
      if (w == lane() / 32) {
        a += before;
        n += all;
      }
      before += s_.real[w][0].sum;
      all += s_.whole[w];
    }
    return all;
  }

  // Of the numbers i of all lanes that with the largest v, the least of these where several are as large.
  __device__ __noinline__ int highest(double v, int i) {
    const auto take = [&v, &i](double other, int its_i) {
      if (other > v || (other == v && its_i < i)) v = other, i = its_i;
    };
#pragma unroll 1
    for (int d = 16; d > 0; d >>= 1) {
      const double other = __shfl_xor_sync(~0u, v, d);
      take(other, __shfl_xor_sync(~0u, i, d));
    }
    __syncthreads();
    if ((lane() & 31) == 0) {
      s_.real[lane() / 32][0].sum = v;
      s_.whole[lane() / 32] = i;
    }
    __syncthreads();
    for (int w = 0; w < warps; ++w) take(s_.real[w][0].sum, static_cast<int>(s_.whole[w]));
    return i;
  }

  // The number of the one lane that has it.
  __device__ int64 told(bool has_it, int64 v) {
    __syncthreads();
    if (has_it) s_.whole[0] = v;
    __syncthreads();
    return s_.whole[0];
  }

  // The least of each of three numbers.
  __device__ __noinline__ void least(int &a, int &b, int &c) {
    device_warp::least(a, b, c);
    __syncthreads();
    if ((lane() & 31) == 0) {
      s_.least[lane() / 32][0] = a;
      s_.least[lane() / 32][1] = b;
      s_.least[lane() / 32][2] = c;
    }
    __syncthreads();
    for (int w = 0; w < warps; ++w) {
      a = min(a, s_.least[w][0]);
      b = min(b, s_.least[w][1]);
      c = min(c, s_.least[w][2]);
    }
  }

  __device__ __noinline__ int64 place(bool add, int64 &next) {
    const unsigned those = __ballot_sync(~0u, add);
    __syncthreads();
    if ((lane() & 31) == 0) s_.whole[lane() / 32] = __popc(those);
    __syncthreads();
    int64 mine = next;
    for (int w = 0; w < warps; ++w) {
      if (w < lane() / 32) mine += s_.whole[w];
      next += s_.whole[w];
    }
    return mine + __popc(those & ((1u << (lane() & 31)) - 1u));
  }

  // Adds to a histogram in global memory, by way of one in near memory where a chunk has many regions.
  class counters {
   public:
    __device__ counters(device_team &team, uint32 *histogram, int64 n)
        : histogram_(histogram), bins_(team.s_.bins), near_(n > few * lanes()) {
      if (!near_) return;
      __syncthreads();
      for (int b = lane(); b < histogram_bins; b += lanes()) bins_[b] = 0;
      __syncthreads();
    }
    __device__ void add(int bin) {
      if (near_) {
        atomicAdd(&bins_[bin], 1u);
      } else {
        // Errors of neighbours are often alike: one addition for all lanes with the same bin.
        const unsigned same = __match_any_sync(__activemask(), bin);
        if ((lane() & 31) == __ffs(static_cast<int>(same)) - 1)
          atomicAdd(&histogram_[bin], static_cast<unsigned>(__popc(same)));
      }
    }
    __device__ void flush() {
      if (!near_) return;
      __syncthreads();
      for (int b = lane(); b < histogram_bins; b += lanes())
        if (bins_[b] != 0) atomicAdd(&histogram_[b], bins_[b]);
    }

   private:
    static constexpr int few = 4;
    uint32 *histogram_;
    unsigned *bins_;
    const bool near_;
  };

 private:
  scratch &s_;
};

// All blocks of a cooperative launch. `arrived` is a counter in global memory that starts at 0 and belongs to this launch.
class device_grid {
 public:
  using team_type = device_team;
  static constexpr bool own_state = true;
  static constexpr int64 alone_points = 32 * TESSERA_BLOCK;  // measured
  static constexpr int64 lone_regions = 4 * TESSERA_BLOCK;
  using small_team = device_warp;
  static constexpr int small_lanes = device_warp::lanes();
  __device__ device_grid(device_team &team, unsigned *arrived) : team_(&team), arrived_(arrived) {}
  // For a function that is handed the numbers of another, and hands on what becomes of them. It has no team.
  __device__ device_grid(unsigned *arrived, unsigned wanted, unsigned blocks)
      : team_(nullptr), arrived_(arrived), wanted_(wanted), blocks_(blocks) {}
  __device__ unsigned wanted() const { return wanted_; }
  __device__ unsigned blocks() const { return blocks_; }
  __device__ void go_on_behind(unsigned wanted) { wanted_ = wanted; }

  __device__ static bulk_state &state(bulk_state &) { return run_state(); }
  __device__ device_team &team() const { return *team_; }
  __device__ static bool first_team() { return blockIdx.x == 0; }
  __device__ static bool once() { return blockIdx.x == 0 && threadIdx.x == 0; }
  __device__ int64 threads() const { return int64{blocks_} * TESSERA_BLOCK; }
  __device__ static int64 thread() { return int64{blockIdx.x} * TESSERA_BLOCK + threadIdx.x; }

  // Whether regions are handed out as groups of lanes become free; see device_evaluator.cuh.
  __device__ bool balances() const { return blocks_ > 1; }

  __device__ void go_alone() { blocks_ = 1; }
  __device__ void go_together() { blocks_ = gridDim.x; }

  __device__ void barrier() {
    if (blocks_ != 1) wanted_ += blocks_;
    meet(arrived_, wanted_, blocks_ == 1, crowded_);
  }

  // One thread of each block asks, when the block is through.
  __device__ static bool last_to_leave(unsigned *left) { return arrive_and_count(left) == gridDim.x; }

  // The first block runs the body, for which it waits for all or not, then lets the others go by coming once more.
  template <class Body>
  __device__ void in_first(bool behind_all, Body body) {
    const bool alone = blocks_ == 1;
    if (behind_all && !alone) {
      wanted_ += blocks_;
      if (first_team()) {
        meet(arrived_, wanted_, false, false);
      } else {
        __syncthreads();
        if (threadIdx.x == 0) arrive(arrived_);
      }
    }
    if (!alone) wanted_ += 1;
    if (first_team()) {
      __syncthreads();
      body();
      __syncthreads();
      if (threadIdx.x == 0 && !alone) arrive(arrived_);
    } else {
      wait(arrived_, wanted_, crowded_);
    }
  }

  template <class Body>
  __device__ void chunks(int64 n, Body body) {
    for (int64 c = blockIdx.x; c < n; c += blocks_) body(*team_, c);
  }
  template <class Body>
  __device__ void small_teams(int64 n, Body body) {
    device_warp team;
    for (int64 c = thread() / 32; c < n; c += threads() / 32) body(team, c);
  }
  template <class Body>
  __device__ void each(int64 n, Body body) {
    lanes_each(n, 1, [&body](device_lanes &, int64 i) { body(i); });
  }
  template <class Body>
  __device__ void lanes_each(int64 n, int lanes, Body body) {
    lanes_each_of(n, lanes, thread(), threads(), body);
  }

 private:
  // What is asked of an object that functions have the address of is read from memory each time: these are given numbers.
  __device__ __noinline__ static void meet(unsigned *arrived, unsigned wanted, bool lone, bool crowded) {
    __syncthreads();
    if (lone) return;
    if (threadIdx.x == 0) arrive(arrived);
    wait(arrived, wanted, crowded);
  }
  __device__ __noinline__ static void wait(unsigned *arrived, unsigned wanted, bool crowded) {
    if (threadIdx.x == 0) {
      while (look(arrived) < wanted)
        if (crowded) __nanosleep(rest);
      acquire(arrived);
    }
    __syncthreads();
  }
  // Release and acquire for the whole block: the block's barriers around them carry them on to its other threads.
  __device__ static void arrive(unsigned *p) {
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" : : "l"(p) : "memory");
  }
  __device__ static unsigned arrive_and_count(unsigned *p) {
    unsigned before;
    asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;" : "=r"(before) : "l"(p) : "memory");
    return before + 1u;
  }
  // Looks without that, for it empties the near memory, which blocks of the same multiprocessor are at work with.
  __device__ static unsigned look(const unsigned *p) {
    unsigned v;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
  }
  __device__ static unsigned multiprocessors() {
    unsigned n;
    asm("mov.u32 %0, %%nsmid;" : "=r"(n));
    return n;
  }
  __device__ static void acquire(const unsigned *p) {
    unsigned v;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  }

  device_team *team_;
  unsigned *arrived_;
  unsigned wanted_ = 0;
  // Where several blocks share a multiprocessor those that wait rest between two looks, the first one apart: for it all others wait.
  static constexpr unsigned rest = 100;  // nanoseconds
  bool crowded_ = blockIdx.x != 0 && gridDim.x > multiprocessors();
  unsigned blocks_ = gridDim.x;  // that go through the steps; one while it is alone
};

}  // namespace tessera
