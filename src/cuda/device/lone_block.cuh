// A thread block that runs through the engine's steps alone, beside others. Part of the text that is compiled at run time, after the
// engine's headers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "grid.cuh"

namespace tessera {

// A grid of one team; see engine/cubature/bulk_steps.hpp.
class device_block {
 public:
  using team_type = device_team;
  static constexpr bool own_state = true;
  static constexpr int64 alone_points = 0;  // it always is
  static constexpr int64 lone_regions = 4 * TESSERA_BLOCK;
  using small_team = device_warp;
  static constexpr int small_lanes = device_warp::lanes();
  __device__ explicit device_block(device_team &team) : team_(&team) {}
  __device__ device_block(unsigned *, unsigned, unsigned) : team_(nullptr) {}
  __device__ static unsigned wanted() { return 0; }
  __device__ static unsigned blocks() { return 1; }
  __device__ static void go_on_behind(unsigned) {}

  __device__ static bulk_state &state(bulk_state &) { return run_state(); }
  __device__ device_team &team() const { return *team_; }
  __device__ static bool balances() { return false; }  // the counter of items given out is one for all blocks
  __device__ static bool first_team() { return true; }
  __device__ static bool once() { return threadIdx.x == 0; }
  __device__ static int64 threads() { return TESSERA_BLOCK; }
  __device__ static int64 thread() { return threadIdx.x; }
  __device__ static void barrier() { __syncthreads(); }
  __device__ static void go_alone() {}
  __device__ static void go_together() {}
  template <class Body>
  __device__ static void in_first(bool, Body body) {
    __syncthreads();
    body();
    __syncthreads();
  }

  template <class Body>
  __device__ void chunks(int64 n, Body body) {
    for (int64 c = 0; c < n; ++c) body(*team_, c);
  }
  template <class Body>
  __device__ void small_teams(int64 n, Body body) {
    device_warp team;
    for (int64 c = threadIdx.x / 32; c < n; c += TESSERA_BLOCK / 32) body(team, c);
  }
  template <class Body>
  __device__ void each(int64 n, Body body) {
    for (int64 i = threadIdx.x; i < n; i += TESSERA_BLOCK) body(i);
  }
  template <class Body>
  __device__ void lanes_each(int64 n, int lanes, Body body) {
    lanes_each_of(n, lanes, threadIdx.x, TESSERA_BLOCK, body);
  }

 private:
  device_team *team_;
};

}  // namespace tessera
