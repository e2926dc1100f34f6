// Many integrals over one variable on host threads.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../many.hpp"
#include "pool.hpp"

namespace tessera {

// value and error: [rows][ncomp], set where has_value.
many_results quadrature_many(const many_problem &problem, thread_pool &pool, many_hooks &watch, double *value,
                             double *error);

}  // namespace tessera
