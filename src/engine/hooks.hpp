// What a driver asks between the steps of a run.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "problem.hpp"

namespace tessera {

// A look that is worth its time only where the error is at least so many times what is tolerated, after so many evaluations more.
struct look_ahead_of_time {
  int64 after;
  double excess;
};

// The box of a mode: the part of the domain that it takes, and where it lies there, in parts of each axis of the box that an infinite range is mapped to; nowhere where all of it is meant.
struct told_mode {
  double share = 1.0;
  std::vector<double> from, to;
};
// Of the mode that regions have met first, and of the others.
struct modes_told {
  told_mode first;
  std::vector<told_mode> others;
};

struct run_hooks {
  virtual ~run_hooks() = default;
  // Is there anything that could end the run?
  virtual bool is_wanted() const { return true; }
  // Called between steps on the caller's thread. Returns outcome::running to go on, or time / stopped.
  virtual outcome between_steps(int64 evaluations, const double *value, const double *error) = 0;
  // The same where value and error are those of a step before.
  virtual outcome between_levels(int64 evaluations, const double *value, const double *error) {
    return between_steps(evaluations, value, error);
  }
  // The same within a step, on any thread. A step that ends here leaves no trace in the result.
  virtual outcome within_step() { return outcome::running; }
  // Called between parts of a step on the caller's thread, when what is known of the run may be written down.
  virtual void between_parts() {}
  // For steps within which nothing can be asked, after so many evaluations: how many more until the next look, and how many a step
  // may have in the time that is left.
  virtual int64 until_look(int64) const { return INT64_MAX; }
  // One before that.
  virtual look_ahead_of_time until_early_look(int64) const { return {INT64_MAX, 0.0}; }
  // The same where no look between steps is to be had before a look between levels.
  virtual int64 until_level_look(int64 n) const { return until_look(n); }
  virtual int64 most_in_step(int64) const { return INT64_MAX; }
  // Evaluations that were made beside those of the steps, and count in their limit.
  virtual int64 evaluations_beside() const { return 0; }
  // Is the state of the run to be kept now, between two steps?
  virtual bool wants_state() const { return false; }
  // Told by a driver that has an idea of its own: evaluations with which its run will meet the tolerance.
  virtual void foresee(int64) {}
  // The value[ncomp] with which another method is about to claim success, where it asks for a look for other modes of the integrand first; null: nobody asks. It is told of those that are known. end: of the run, at its end; else running.
  virtual const double *value_to_look_beside() const { return nullptr; }
  virtual void tell_modes(const modes_told &, outcome /*end*/) {}
};

}  // namespace tessera
