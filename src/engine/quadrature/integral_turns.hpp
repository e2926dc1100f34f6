// One integral over one variable in turns of as many points as the Gauss-Kronrod rule has: its state, and what becomes of a turn's values. Who
// evaluates is integral_lane.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "careful_kronrod.hpp"
#include "integral_steps.hpp"

namespace tessera {

template <int Pairs>
struct kronrod_tables {
  kronrod_pair<double, Pairs> rule;
  null_weights<double, Pairs> null;
};

template <int Pairs>
class integral_turns {
 public:
  static constexpr int turn_points = 2 * Pairs + 1;

  // All must stay where they are. Without room for estimates there is one component.
  TESSERA_HD void begin(const quadrature_settings &s, const quadrature_range &r, const integral_arrays &a,
                        const smooth_run::memory &intervals, const kept_estimates::arrays &estimates) {
    s_ = &s;
    too_large_ = false;
    steps_.run().set_memory(intervals);
    steps_.kept().set_memory(estimates);
    steps_.begin(s, r, a);
    begin_step();
  }
  TESSERA_HD bool ended() const { return too_large_ || steps_.wish() == integral_wish::nothing; }
  // The memory does not suffice: what there is is of no use.
  TESSERA_HD bool too_large() const { return too_large_; }
  TESSERA_HD const integral_steps<smooth_run, kept_estimates> &steps() const { return steps_; }
  TESSERA_HD double nonfinite_x() const { return bad_x_; }
  TESSERA_HD void stop(outcome why) { steps_.stop(why); }

  // After integral_lane::evaluate: value [ncomp][turn_points]; stop: the integrand has asked to end the run.
  TESSERA_HD void end_turn(const kronrod_tables<Pairs> &t, const double *value, bool stop) {
    if (stop)
      steps_.stop(outcome::callback);
    else if (steps_.wish() == integral_wish::level)
      end_turn_of_level();
    else if (steps_.wants_points())
      end_turn_of_points(value);
    else
      end_turn_of_interval(t, value);
  }

 protected:
  static TESSERA_HD double half_of(const interval<double> &on) { return 0.5 * (on.upper - on.lower); }

  const quadrature_settings *s_ = nullptr;
  integral_steps<smooth_run, kept_estimates> steps_;
  int part_ = 0, next_ = 0, points_ = 0;  // of the step: interval, number of the sample, points so far
  bool too_large_ = false, only_middle_ = false, bad_ = false;
  double bad_x_ = 0.0;  // where a value was not finite

 private:
  TESSERA_HD void end_turn_of_level() {
    next_ += turn_points;
    if (!only_middle_ && next_ < steps_.exponential().candidates()) return;
    if (points_ == 0) {
      only_middle_ = true;
      next_ = 0;
      return;
    }
    steps_.statistics().evaluations += points_;
    if (bad_)
      steps_.tell_nonfinite();
    else
      steps_.tell_level(points_);
    begin_step();
  }
  TESSERA_HD void end_turn_of_points(const double *value) {
    const int points = steps_.missing();
    for (int i = 0; i < points; ++i)
      for (int k = 0; k < s_->ncomp; ++k) steps_.tell_point(i, k, value[k * turn_points + i]);
    steps_.statistics().evaluations += points;
    steps_.tell_intervals();
    begin_step();
  }
  TESSERA_HD void end_turn_of_interval(const kronrod_tables<Pairs> &t, const double *value) {
    const double half = half_of(steps_.missing(part_));
    bool good = true;
    TESSERA_ROLLED
    for (int k = 0; k < s_->ncomp && good; ++k)
      good = steps_.tell_estimate(part_, k, estimate_carefully(t.rule, t.null, half, value + k * turn_points));
    const int parts = steps_.missing();
    if (good && ++part_ < parts) return;
    steps_.statistics().evaluations += parts * turn_points;
    if (good)
      steps_.tell_intervals();
    else
      steps_.tell_nonfinite();
    begin_step();
  }
  // Whether there are evaluations left for what is wanted.
  TESSERA_HD void begin_step() {
    too_large_ = steps_.run().lacks_room() || steps_.kept().lacks_room();
    part_ = next_ = points_ = 0;
    bad_ = only_middle_ = false;
    if (ended()) return;
    const bool level = steps_.wish() == integral_wish::level;
    const int64 left = s_->maxeval - steps_.statistics().evaluations;
    int n = level ? steps_.exponential().candidates() : steps_.missing() * (steps_.wants_points() ? 1 : turn_points);
    if (n > left && level) n = count_samples();
    if (n > left && (s_->strict || steps_.can_stop())) steps_.stop(outcome::evaluations);
  }
  TESSERA_HD TESSERA_APART int count_samples() const {
    int n = 0;
    exponential_sample at;
    for (int i = 0; i < steps_.exponential().candidates(); ++i) n += steps_.exponential().sample(i, at) ? 1 : 0;
    return n > 0 ? n : 1;
  }
};

}  // namespace tessera
