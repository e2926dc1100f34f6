// Many integrals in one launch: a thread block runs the engine's steps alone, with one integral after another, in a slot of
// global memory of its own. What it gives does not depend on which block that is. Like bulk.cuh it knows nothing of the integrand, nor of the
// rule, and is compiled once for a kind of device (TESSERA_MANY), when it is first needed. Part of the text that is compiled at run time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../engine/cubature/bulk_steps.hpp"
#include "../../engine/cubature/mode_check.hpp"
#include "evaluator_calls.cuh"
#include "many_batch.hpp"

#if TESSERA_MANY
namespace tessera {

// All threads: the integral of a row, at its beginning.
__device__ inline void begin_row(bulk_state &state, device_problem &problem, const many_batch &batch, int64 row) {
  for (int j = static_cast<int>(threadIdx.x); j < state.set.ndim; j += TESSERA_BLOCK) {
    state.lower[j] = batch.lower[row * batch.box_step + j];
    state.upper[j] = batch.upper[row * batch.box_step + j];
    state.grain[j] = 0.0;
    if (batch.axes) {
      problem.own.axes[j] = batch.axes[row * batch.box_step + j];
      state.grain[j] = grain_of(problem.own.axes[j]);
    }
  }
  if (threadIdx.x != 0) return;
  begin_integral(state);
  problem.params = batch.params + row * batch.params_step;
  *problem.failed = 0;
  *problem.own.flags = *problem.own.status = 0;
}

// All threads: a success is none where another mode shows, and the integral is left to a run of its own.
__device__ __noinline__ void check_success(device_team &team, bulk_state &state, const many_batch &batch) {
  const component_sums *const totals = state.totals;
  double *const weights = state.scale;
  for (int k = team.lane(); k < state.set.ncomp; k += team.lanes()) {
    const double t = tolerated(state.set, k, [totals](int c) {
      return value_and_error{totals[c].value.value(), error_of(totals[c].error)};
    });
    weights[k] = t > 0.0 ? 1.0 / t : 1.0;
  }
  team.meet();
  const device_problem &own = own_problem();
  const auto size = [weights, &own](const double *at) { return tessera_size_at(own, at, weights); };
  mode_check<device_team, decltype(size)> check(
      team, state, user_range(state.set.ndim, state.domain(), batch.axes ? own.own.axes : nullptr), weights,
      batch.looks, reinterpret_cast<double *>(batch.slots + blockIdx.x * batch.slot_bytes + batch.check_at), size);
  if (!check.is_owed()) return;
  int64 points = 0;
  const bool shows = check.shows_another(points);
  if (threadIdx.x != 0) return;
  state.evaluations += points;
  if (shows || called_evaluator().failed()) state.end = outcome::running;
}

__device__ inline void finish_row(const bulk_state &state, const own_memory &own, const many_batch &batch, int64 row) {
  const int64 regions = state.count + state.retired_count;
  if (threadIdx.x == 0)
    batch.records[row] = {state.evaluations, regions,    state.iterations, static_cast<int64>(state.end),
                          *own.flags,        *own.status};
  if (state.end == outcome::running || state.evaluations == 0) return;  // there is no value
  const double factor = few_regions_factor(state.set, regions);
  for (int k = static_cast<int>(threadIdx.x); k < state.set.ncomp; k += TESSERA_BLOCK) {
    batch.value[row * state.set.ncomp + k] = state.totals[k].value.value();
    batch.error[row * state.set.ncomp + k] = factor * error_of(state.totals[k].error);
  }
}

}  // namespace tessera

extern "C" __global__ void __launch_bounds__(TESSERA_BLOCK, TESSERA_BLOCKS)
    tessera_many(const tessera::bulk_state common, const tessera::device_problem problem,
                 const tessera::many_batch batch) {
  using namespace tessera;
  bulk_state &state = run_state();
  device_problem &own = own_problem();
  __shared__ device_team::scratch team_scratch;
  __shared__ int64 failed, row;
  device_team team(team_scratch);
  device_block grid(team);
  if (threadIdx.x == 0) {
    state = common;
    place_slot(state, batch.slot_regions, batch.slots + blockIdx.x * batch.slot_bytes);
    own = problem;
    own.failed = &failed;
    own.own = tessera_own_memory();
  }
  tessera_keep_list(problem);
  for (;;) {
    __syncthreads();  // all are done with the row before
    if (threadIdx.x == 0) row = static_cast<int64>(atomicAdd(batch.next, 1ull));
    __syncthreads();
    if (row >= batch.rows) return;
    begin_row(state, own, batch, row);
    __syncthreads();
    called_evaluator evaluator;
    bulk_steps<device_block, called_evaluator>(grid, state, evaluator).run();
    __syncthreads();
    if (batch.looks.rays > 0 && state.end == outcome::converged) check_success(team, state, batch);
    __syncthreads();
    finish_row(state, own.own, batch, row);
  }
}
#endif
