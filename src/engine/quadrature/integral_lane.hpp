// One integral over one variable as a thread of a device evaluates it: in turns of as many points as the Gauss-Kronrod rule has, those of one
// interval or of a part of a level, or of the few next to ends, so that threads side by side are at their integrands together. Weights and holes are the host's.
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

template <int Pairs, int Comps>
class integral_lane {
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

  // Not ended. f(x, v): x[0] and the distance x[1] to v[Comps]; asked(): has it asked to end the run?
  template <class Function, class Asked>
  TESSERA_HD void turn(const kronrod_tables<Pairs> &t, Function &&f, Asked &&asked) {
    const bool level = steps_.wish() == integral_wish::level, points = !level && steps_.wants_points();
    const int count = points ? steps_.missing() : turn_points;
    const interval<double> on = level ? interval<double>{0.0, 1.0} : steps_.missing(part_);
    const double centre = 0.5 * (on.lower + on.upper), half = 0.5 * (on.upper - on.lower);
    const range_map map = steps_.map();
    double value[Comps * turn_points];
    TESSERA_ROLLED
    for (int i = 0; i < count; ++i) {
      double x[2], weight = 1.0, v[Comps];
      exponential_sample at = {0.0, 0.0, 0.0, 0.0};
      if (level) {
        if (!find_sample(next_ + i, at)) continue;
        x[0] = at.x;
        x[1] = steps_.exponential().complement(at);
      } else {
        const int pair = i == 0 ? 0 : (i - 1) % Pairs;
        const double distance = i == 0 ? 0.0 : half * t.rule.node[pair];
        const mapped_point p =
            map.at(points ? steps_.missing(i).lower : (i <= Pairs ? centre - distance : centre + distance));
        x[0] = p.x;
        x[1] = s_->complement == 1 ? map.complement(p) : p.away;
        weight = p.jacobian;
      }
      f(x, v);
      ++points_;
      for (int k = 0; k < Comps; ++k) {
        if (!is_finite(v[k]) && !bad_) bad_ = true, bad_x_ = x[0];
        if (level) {
          if (v[k] != 0.0) steps_.see_nonzero();
          steps_.exponential().level_sums(k).add(at, v[k]);
        } else {
          value[k * turn_points + i] = weighted(v[k], weight);
        }
      }
    }
    if (asked())
      steps_.stop(outcome::callback);
    else if (level)
      end_turn_of_level();
    else if (points)
      end_turn_of_points(value);
    else
      end_turn_of_interval(t, half, value);
  }

 private:
  TESSERA_HD bool find_sample(int i, exponential_sample &at) {
    if (!only_middle_) return i < steps_.exponential().candidates() && steps_.exponential().sample(i, at);
    at = steps_.exponential().middle();
    return i == 0;
  }
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
      for (int k = 0; k < Comps; ++k) steps_.tell_point(i, k, value[k * turn_points + i]);
    steps_.statistics().evaluations += points;
    steps_.tell_intervals();
    begin_step();
  }
  TESSERA_HD void end_turn_of_interval(const kronrod_tables<Pairs> &t, double half, const double *value) {
    bool good = true;
    TESSERA_ROLLED
    for (int k = 0; k < Comps && good; ++k)
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

  const quadrature_settings *s_ = nullptr;
  integral_steps<smooth_run, kept_estimates> steps_;
  int part_ = 0, next_ = 0, points_ = 0;  // of the step: interval, number of the sample, points so far
  bool too_large_ = false, only_middle_ = false, bad_ = false;
  double bad_x_ = 0.0;  // where a value was not finite
};

}  // namespace tessera
