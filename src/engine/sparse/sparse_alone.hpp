// A sparse grid by itself, for integrands that are known to be smooth.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "../hooks.hpp"
#include "sparse_grid.hpp"

namespace tessera {

// value[ncomp] and error[ncomp] are set where the grid has points. memory: bytes that it may take.
inline outcome run_alone(sparse_grid &grid, const cubature_settings &set, int64 memory, run_hooks &hooks, double *value,
                         double *error) {
  if (grid.bytes_with(2 * sparse_grid::first_points(set.ndim)) > memory) return outcome::memory;
  outcome o = grid.begin();
  while (o == outcome::running || grid.points() > 0) {
    bool met = grid.is_judged() && grid.points() >= set.mineval, zero = true;
    for (int k = 0; k < set.ncomp; ++k) {
      value[k] = grid.value(k);
      error[k] = grid.error(k);
      met = met && error[k] <= tolerated(set, k, grid);
      zero = zero && value[k] == 0.0 && error[k] == 0.0;
    }
    if (o != outcome::running) break;
    if (met && grid.look_far_above()) continue;
    if (met && zero && set.abstol == 0.0) return outcome::all_zero;
    if (met) return outcome::converged;
    o = hooks.between_steps(grid.points(), value, error);
    const int64 step = next_sparse_step(grid.points());
    if (o == outcome::running)
      o = grid.bytes_with(2 * step) > memory ? outcome::memory : grid.grow(step, set.maxeval - grid.points(), memory);
  }
  return o;
}

}  // namespace tessera
