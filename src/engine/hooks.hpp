// What a driver asks between the steps of a run.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "problem.hpp"

namespace tessera {

struct run_hooks {
  virtual ~run_hooks() = default;
  // Is there anything that could end the run?
  virtual bool is_wanted() const { return true; }
  // Called between steps on the caller's thread. Returns outcome::running to go on, or time / stopped.
  virtual outcome between_steps(int64 evaluations, const double *value, const double *error) = 0;
  // The same within a step, on any thread. A step that ends here leaves no trace in the result.
  virtual outcome within_step() { return outcome::running; }
};

}  // namespace tessera
