// Evaluates the samples of a Monte Carlo pass by calling the user's host function, on one thread or several.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "../problem.hpp"
#include "pool.hpp"

namespace tessera {

// A run on the threads of a pool; value[ncomp] and error[ncomp].
sampling_result host_monte_carlo(const sampling_problem &problem, thread_pool &pool, std::vector<double> &grid, run_hooks &hooks,
                                 double *value, double *error, double *chi_square);

}  // namespace tessera
