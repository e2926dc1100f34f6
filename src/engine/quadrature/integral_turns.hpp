// One integral over one variable in turns of as many points as the Gauss-Kronrod rule has: its state, and what becomes of a turn's values. Who
// evaluates is integral_lane.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "careful_kronrod.hpp"
#include "integral_steps.hpp"
#include "kept_turns.hpp"

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
  static_assert(turn_points > mode_look::most_asked, "points of a look are those of a turn");

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

  // Words of an answer at most.
  static TESSERA_HD int64 words_of_turn(int ncomp) {
    const int64 values = int64{turn_points} * ncomp, sums = sums_head + sums_words * int64{ncomp};
    return values > sums ? values : sums;
  }
  // In the place of integral_lane::evaluate. False: what the integrand has to say at these points is not known.
  TESSERA_HD TESSERA_APART bool recall(const kept_turns &kept, double *value) {
    const uint64 *const known = kept.find(key_of_turn(), words_now());
    if (!known) return false;
    if (steps_.wish() == integral_wish::level) {
      points_ = static_cast<int>(known[0]);
      if (known[1] != 0) steps_.see_nonzero();
      TESSERA_ROLLED
      for (int k = 0; k < s_->ncomp; ++k)
        steps_.exponential().level_sums(k) = sums_of(known + sums_head + k * sums_words);
    } else {
      const int n = values_now();
      TESSERA_ROLLED
      for (int i = 0; i < n * s_->ncomp; ++i) value[i / n * turn_points + i % n] = double_of(known[i]);
    }
    return true;
  }
  // Behind integral_lane::evaluate. Values that are not finite are not noted.
  TESSERA_HD TESSERA_APART void note(const kept_turns &kept, const double *value) {
    uint64 *const to = bad_ ? nullptr : kept.note(key_of_turn(), words_now());
    if (!to) return;
    if (steps_.wish() == integral_wish::level) {
      to[0] = static_cast<uint64>(points_);
      to[1] = steps_.has_seen_nonzero() ? 1 : 0;
      TESSERA_ROLLED
      for (int k = 0; k < s_->ncomp; ++k)
        write_sums(steps_.exponential().level_sums(k), to + sums_head + k * sums_words);
    } else {
      const int n = values_now();
      TESSERA_ROLLED
      for (int i = 0; i < n * s_->ncomp; ++i) to[i] = bits_of(value[i / n * turn_points + i % n]);
    }
  }

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
  static constexpr int64 sums_head = 2, sums_words = 6;

  // Of a component, where intervals or points are wanted.
  TESSERA_HD int values_now() const { return steps_.wants_points() ? steps_.missing() : turn_points; }
  TESSERA_HD int64 words_now() const {
    return steps_.wish() == integral_wish::level ? sums_head + sums_words * s_->ncomp : int64{values_now()} * s_->ncomp;
  }
  // Of a level what has been added up so far follows from the turns before.
  TESSERA_HD TESSERA_APART answer_key key_of_turn() const {
    constexpr uint64 of_interval = 0x7475726e, of_points = of_interval + 1, of_level = of_interval + 2;
    uint64 kind = of_level;
    int n = 2;
    double where[mode_look::most_asked];
    if (steps_.wish() == integral_wish::level) {
      const exponential_run::piece &p = steps_.exponential().wanted_piece();
      where[0] = p.at.lower;
      where[1] = p.at.upper;
      where[2] = p.level;
      where[3] = only_middle_ ? -1.0 : next_;
      n = 4;
    } else if (steps_.wants_points()) {
      kind = of_points;
      n = steps_.missing();
      for (int i = 0; i < n; ++i) where[i] = steps_.missing(i).lower;
    } else {
      kind = of_interval;
      where[0] = steps_.missing(part_).lower;
      where[1] = steps_.missing(part_).upper;
    }
    question asked(kind);
    TESSERA_ROLLED
    for (int i = 0; i < n; ++i) asked.add(where[i]);
    return asked.key();
  }
  static TESSERA_HD exponential_sums sums_of(const uint64 *from) {
    return {double_of(from[0]), double_of(from[1]), double_of(from[2]),
            double_of(from[3]), double_of(from[4]), double_of(from[5])};
  }
  static TESSERA_HD void write_sums(const exponential_sums &s, uint64 *to) {
    to[0] = bits_of(s.sum);
    to[1] = bits_of(s.size);
    to[2] = bits_of(s.first);
    to[3] = bits_of(s.last);
    to[4] = bits_of(s.first_term);
    to[5] = bits_of(s.last_term);
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
    bool good = true;
    for (int i = 0; i < points && good; ++i)
      for (int k = 0; k < s_->ncomp && good; ++k) good = steps_.tell_point(i, k, value[k * turn_points + i]);
    end_turn_of(points, good);
  }
  TESSERA_HD void end_turn_of_interval(const kronrod_tables<Pairs> &t, const double *value) {
    const double half = half_of(steps_.missing(part_));
    bool good = true;
    TESSERA_ROLLED
    for (int k = 0; k < s_->ncomp && good; ++k)
      good = steps_.tell_estimate(part_, k, estimate_carefully(t.rule, t.null, half, value + k * turn_points));
    const int parts = steps_.missing();
    if (good && ++part_ < parts) return;
    end_turn_of(parts * turn_points, good);
  }
  // good: all values, or the sums of them, are finite.
  TESSERA_HD void end_turn_of(int points, bool good) {
    steps_.statistics().evaluations += points;
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
