// The engine's steps on a grid of thread blocks. Part of texts that are compiled at run time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../engine/cubature/bulk_steps.hpp"
#include "grid.cuh"

namespace tessera {

// All threads: runs the steps on copies of the state in the blocks' near memory, and writes down what it is in the end. All of a block copy: one
// thread alone would take longer than a barrier of the grid.
template <class Evaluator>
__device__ void run_steps(const bulk_state &in, unsigned *arrived, Evaluator &evaluator, bulk_state *out) {
  bulk_state &state = run_state();
  __shared__ device_team::scratch team_scratch;
  for (unsigned i = threadIdx.x; i < sizeof state / sizeof(unsigned); i += TESSERA_BLOCK)
    reinterpret_cast<unsigned *>(&state)[i] = reinterpret_cast<const unsigned *>(&in)[i];
  __syncthreads();
  device_team team(team_scratch);
  device_grid grid(team, arrived);
  bulk_steps<device_grid, Evaluator>(grid, state, evaluator).run();
  if (!grid.first_team()) return;
  __syncthreads();
  for (unsigned i = threadIdx.x; i < sizeof state / sizeof(unsigned); i += TESSERA_BLOCK)
    reinterpret_cast<unsigned *>(out)[i] = reinterpret_cast<const unsigned *>(&state)[i];
}

}  // namespace tessera
