// What a driver asks between the steps of a run.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "problem.hpp"

namespace tessera {

// Called between steps on the caller's thread.
struct run_hooks {
  virtual ~run_hooks() = default;
  // Returns outcome::running to go on, or time / stopped.
  virtual outcome between_steps(int64 evaluations, const double *value, const double *error) = 0;
};

}  // namespace tessera
