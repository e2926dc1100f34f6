// Many integrals on host threads.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../many.hpp"

namespace tessera {

// On problem.common->threads threads, each row on one. value and error: [rows][ncomp], set where has_value.
many_results host_many(const many_problem &problem, many_hooks &watch, double *value, double *error);

}  // namespace tessera
