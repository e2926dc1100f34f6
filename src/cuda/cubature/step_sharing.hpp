// What an executor asks of the devices over which large steps of a run are shared out: its own and others.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../engine/cubature/bulk_state.hpp"

namespace tessera {

class step_sharing {
 public:
  virtual bool has_others() const = 0;
  virtual bool always() const = 0;                      // they take part in every step that can be shared: a test
  virtual int64 least_points() const = 0;               // of a step that is worth it
  virtual void took(double seconds, int64 points) = 0;  // of what the executor's device has done alone
  // Evaluates the pending regions. Returns callback, time or stopped where that ended the run.
  virtual outcome share_out(const bulk_state &state) = 0;

 protected:
  ~step_sharing() = default;
};

// Of the regions that wait to be evaluated.
inline int64 pending_points(const bulk_state &state) {
  return state.pending * (state.raising > 0 ? state.set.raised_points[state.raising - 1] : state.points);
}

}  // namespace tessera
