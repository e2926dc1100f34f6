// The kernel of a run on the whole device: the engine's steps. It knows nothing of the integrand, nor of the rule, and is compiled once for a
// kind of device, apart from the functions that it calls. Part of the text that is compiled at run time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "evaluator_calls.cuh"
#include "../device/run_steps.cuh"
#include "step_parts.cuh"

#ifndef TESSERA_BLOCKS
#define TESSERA_BLOCKS 1
#endif

namespace tessera {
// The host may read what this block has written before a barrier of its own, and does not wait until the driver knows that the kernel is through.
__device__ __forceinline__ void tell_host(int *written) {
  asm volatile("st.release.sys.global.s32 [%0], 1;" : : "l"(written) : "memory");
}
// Runs the steps until the run ends or the driver is wanted.
__device__ __forceinline__ void run_bulk(const bulk_state &in, const device_problem &problem, bulk_state *out) {
  keep_problem(problem);
  called_evaluator evaluator;
  run_steps(in, problem.arrived, evaluator, out);
  if (device_grid::once()) {
    *problem.failed_out = *static_cast<volatile int64 *>(problem.failed);
    problem.flags_out[0] = *static_cast<volatile int *>(&tessera_flags);
    problem.flags_out[1] = *static_cast<volatile int *>(&tessera_status);
  }
  if (device_grid::first_team()) __syncthreads();
  if (device_grid::once()) tell_host(problem.flags_out + 2);
  // The last block to leave puts the counters back to 0: one operation less for the host before each launch.
  if (threadIdx.x != 0 || !device_grid::last_to_leave(problem.left)) return;
  *problem.arrived = 0;
  *problem.left = 0;
  *problem.failed = 0;
  *problem.taken = 0;
}
}  // namespace tessera

extern "C" __global__ void __launch_bounds__(TESSERA_BLOCK, TESSERA_BLOCKS)
    tessera_bulk(const __grid_constant__ tessera::bulk_state in,
                 const __grid_constant__ tessera::device_problem problem, tessera::bulk_state *out) {
  tessera::run_bulk(in, problem, out);
}
// With a block on each multiprocessor, which has registers enough.
extern "C" __global__ void __launch_bounds__(TESSERA_BLOCK, 1)
    tessera_bulk_of_few(const __grid_constant__ tessera::bulk_state in,
                        const __grid_constant__ tessera::device_problem problem, tessera::bulk_state *out) {
  tessera::run_bulk(in, problem, out);
}

// A device's part of the pending regions, of which there are `all`: the first n of the list. level: to which they are raised, or 0.
extern "C" __global__ void __launch_bounds__(TESSERA_BLOCK, TESSERA_BLOCKS)
    tessera_part(const __grid_constant__ tessera::device_problem problem, const tessera::region_view regions,
                 const tessera::region_list list, int level, tessera::int64 n, tessera::int64 all) {
  using namespace tessera;
  __shared__ device_team::scratch team_scratch;
  device_team team(team_scratch);
  device_grid grid(team, problem.arrived);
  keep_problem(problem);
  called_evaluator evaluator;
  if (level == 0) {
    evaluator.evaluate(grid, regions, list, n, all);
  } else {
    if constexpr (called_evaluator::raises) evaluator.raise(grid, regions, list.ids, n, level, all);
  }
  __syncthreads();
  if (threadIdx.x != 0 || !device_grid::last_to_leave(problem.left)) return;
  problem.flags_out[0] = *static_cast<volatile int *>(&tessera_flags);
  problem.flags_out[1] = *static_cast<volatile int *>(&tessera_status);
  *problem.left = 0;
  *problem.taken = 0;
}
