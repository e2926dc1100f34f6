// Sums of lattice rules by calling the user's host function, on one thread or several.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../problem.hpp"
#include "pool.hpp"

namespace tessera {

// A run on the threads of a pool; value[ncomp] and error[ncomp].
lattice_result host_lattice_rule(const lattice_problem &problem, thread_pool &pool, run_hooks &hooks, double *value, double *error);

}  // namespace tessera
