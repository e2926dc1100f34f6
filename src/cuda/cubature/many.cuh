// Many integrals in one launch: a thread block runs the engine's steps alone, with one integral after another, in a slot of
// global memory of its own. What it gives does not depend on which block that is. Compiled apart from the other kernels
// (TESSERA_MANY), when it is first needed. Part of the text that is compiled at run time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../engine/cubature/bulk_steps.hpp"
#include "device_evaluator.cuh"
#include "many_batch.hpp"

#if TESSERA_MANY
namespace tessera {

// A grid of one team; see engine/cubature/bulk_steps.hpp.
class device_block {
 public:
  using team_type = device_team;
  static constexpr int64 alone_points = 0;  // it always is
  __device__ explicit device_block(device_team &team) : team_(team) {}

  __device__ device_team &team() { return team_; }
  __device__ static bool balances() { return false; }  // the counter of items given out is one for all blocks
  __device__ static bool first_team() { return true; }
  __device__ static bool once() { return threadIdx.x == 0; }
  __device__ static int64 threads() { return TESSERA_BLOCK; }
  __device__ static int64 thread() { return threadIdx.x; }
  __device__ static void barrier() { __syncthreads(); }
  template <class Body>
  __device__ static void barrier_then(Body body) {
    __syncthreads();
    body();
    __syncthreads();
  }

  template <class Body>
  __device__ void chunks(int64 n, Body body) {
    for (int64 c = 0; c < n; ++c) body(team_, c);
  }
  template <class Body>
  __device__ void each(int64 n, Body body) {
    for (int64 i = threadIdx.x; i < n; i += TESSERA_BLOCK) body(i);
  }

 private:
  device_team &team_;
};

// All threads: the integral of a row, at its beginning.
__device__ inline void begin_row(bulk_state &state, device_problem &problem, const many_batch &batch, int64 row) {
  for (int j = static_cast<int>(threadIdx.x); j < dim; j += TESSERA_BLOCK) {
    state.lower[j] = batch.lower[row * batch.box_step + j];
    state.upper[j] = batch.upper[row * batch.box_step + j];
    state.grain[j] = 0.0;
#if TESSERA_MAPPED
    tessera_axes[j] = batch.axes[row * batch.box_step + j];
    state.grain[j] = grain_of(tessera_axes[j]);
#endif
  }
  if (threadIdx.x != 0) return;
  begin_integral(state);
  problem.params = batch.params + row * batch.params_step;
  *problem.failed = 0;
  tessera_flags = tessera_status = 0;
}

__device__ inline void finish_row(const bulk_state &state, const many_batch &batch, int64 row) {
  const int64 regions = state.count + state.retired_count;
  if (threadIdx.x == 0)
    batch.records[row] = {state.evaluations, regions,       state.iterations, static_cast<int64>(state.end),
                          tessera_flags,     tessera_status};
  if (state.end == outcome::running || state.evaluations == 0) return;  // there is no value
  const double factor = few_regions_factor(state.set, regions);
  for (int k = static_cast<int>(threadIdx.x); k < comps; k += TESSERA_BLOCK) {
    batch.value[row * comps + k] = state.totals[k].value.value();
    batch.error[row * comps + k] = factor * error_of(state.totals[k].error);
  }
}

}  // namespace tessera

extern "C" __global__ void __launch_bounds__(TESSERA_BLOCK, TESSERA_BLOCKS)
    tessera_many(const tessera::bulk_state common, const tessera::device_problem problem,
                 const tessera::many_batch batch) {
  using namespace tessera;
  __shared__ bulk_state state;
  __shared__ device_problem own;
  __shared__ device_team::scratch team_scratch;
  __shared__ int64 failed, row;
  device_team team(team_scratch);
  device_block grid(team);
  if (threadIdx.x == 0) {
    state = common;
    place_slot(state, batch.slot_regions, batch.slots + blockIdx.x * batch.slot_bytes);
    own = problem;
    own.failed = &failed;
  }
  for (;;) {
    __syncthreads();  // all are done with the row before
    if (threadIdx.x == 0) row = static_cast<int64>(atomicAdd(batch.next, 1ull));
    __syncthreads();
    if (row >= batch.rows) return;
    begin_row(state, own, batch, row);
    __syncthreads();
    int64 taken = 0;
    device_evaluator evaluator(own, taken);
    bulk_steps<device_block, device_evaluator>(grid, state, evaluator).run();
    __syncthreads();
    finish_row(state, batch, row);
  }
}
#endif
