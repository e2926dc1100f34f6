// What an executor asks of those among whom large steps of a run are shared out: the devices of its rank, its own and others, and other ranks.
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

  // Of ranks, all of which ask at the same places of a run; without others they return what they are given.
  virtual double slowest(double seconds, int64 points) = 0;  // for what each of them has done
  virtual outcome agreed(outcome end) = 0;                   // of what each of them has evaluated by itself
  // Regions and divisions that all have room for; there: whether all got what they asked for.
  virtual void agree_on_room(int64 &regions, int64 &parents, bool &there) = 0;

 protected:
  ~step_sharing() = default;
};

// Of the regions that wait to be evaluated.
inline int64 pending_points(const bulk_state &state) {
  return state.pending * (state.raising > 0 ? state.set.raised_points[state.raising - 1] : state.points);
}

}  // namespace tessera
