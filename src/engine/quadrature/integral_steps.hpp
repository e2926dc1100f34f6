// One integral over one variable as a state machine: it says which intervals it wants to be evaluated, or which level of a double-exponential rule,
// and is told what became of them. Who evaluates, and in whose memory, is not its business.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "exponential_run.hpp"
#include "kept_estimates.hpp"
#include "mode_look.hpp"
#include "smooth_run.hpp"

namespace tessera {

enum class integral_wish : int { nothing, intervals, level };

struct integral_arrays {
  double *value = nullptr, *error = nullptr;  // [ncomp]
  outcome *ends = nullptr;                    // [ncomp]
  double *points = nullptr;                   // [breaks + 3]
  exponential_run::arrays exponential;
};

// Components are integrated one after the other, each by a run of its own; an interval that one of them has had is not evaluated again.
// Run: smooth_run, or one like it that knows weights. Kept: kept_estimates, or one that grows.
template <class Run, class Kept>
class integral_steps {
 public:
  // All must stay where they are.
  TESSERA_HD TESSERA_APART void begin(const quadrature_settings &s, const quadrature_range &r,
                                      const integral_arrays &a) {
    s_ = &s;
    r_ = &r;
    a_ = a;
    for (int k = 0; k < s.ncomp; ++k) {
      a_.value[k] = 0.0;
      a_.error[k] = infinity_value();
      a_.ends[k] = outcome::running;
    }
    end_ = outcome::running;
    wish_ = integral_wish::nothing;
    has_value_ = tried_adaptive_ = tried_exponential_ = saved_ = false;
    zero_ = true;
    component_ = 0;
    remark_ = {};
    statistics_ = {};
    look_.stop();
    points_of_look_ = 0;
    set_map();
    const bool exponential_first =
        s.rule == quadrature_rule::double_exponential || (s.rule == quadrature_rule::automatic && s.complement != 0);
    if (s.weight == quadrature_weight::none && exponential_first)
      begin_exponential();
    else
      begin_adaptive();
  }
  // The integral is known to be 0.
  TESSERA_HD void be_zero() {
    for (int k = 0; k < s_->ncomp; ++k) a_.value[k] = a_.error[k] = 0.0;
    has_value_ = true;
    finish(outcome::converged);
  }

  TESSERA_HD integral_wish wish() const { return wish_; }
  // Intervals.
  TESSERA_HD int missing() const { return missing_count_; }
  TESSERA_HD interval<double> missing(int m) const { return part(missing_[m]); }
  TESSERA_HD int level() const { return run_.request().level; }
  // The integrand itself at the lower ends of the intervals is wanted.
  TESSERA_HD bool wants_points() const { return look_.is_active() || run_.request().points; }
  TESSERA_HD const range_map &map() const { return map_; }
  // Component by component, then tell_intervals. False: it is not finite, and tell_nonfinite ends the integral.
  TESSERA_HD bool tell_estimate(int m, int k, const interval_estimate<double> &e) {
    if (e.value != 0.0 || e.error != 0.0 || e.size != 0.0) zero_ = false;
    if (!is_finite(e) || !is_finite(e.size)) return false;
    take_estimate(m, k, e);
    return true;
  }
  // Of a point the integrand times the Jacobian. False, as of tell_estimate: it is not finite; beside an end the intervals around it decide then,
  // and so they do where such a value is to count as 0.
  TESSERA_HD bool tell_point(int m, int k, double value) {
    if (value != 0.0) zero_ = false;
    interval_estimate<double> e = {value, 0.0, 0.0, 0.0};
    e.rough = !is_finite(value);
    if (e.rough && is_inner(missing_[m]) && !s_->zero_nonfinite) return false;
    if (e.rough) e.value = 0.0;
    take_estimate(m, k, e);
    return true;
  }
  TESSERA_HD TESSERA_APART void tell_intervals() {
    ++statistics_.steps;
    tell_asked();
    advance();
  }
  // A level.
  TESSERA_HD exponential_run &exponential() { return exponential_; }
  TESSERA_HD const exponential_run &exponential() const { return exponential_; }
  TESSERA_HD void see_nonzero() { zero_ = false; }
  TESSERA_HD bool has_seen_nonzero() const { return !zero_; }
  TESSERA_HD TESSERA_APART void tell_level(int64 points) {
    ++statistics_.steps;
    exponential_.tell(points);
    if (exponential_.ended()) end_exponential(exponential_.converged() ? outcome::converged : outcome::slow);
  }
  // A value, or a sum of them, was not finite.
  TESSERA_HD TESSERA_APART void tell_nonfinite() {
    ++statistics_.steps;
    remark_ = {remark_kind::nonfinite, 0.0};
    if (wish_ == integral_wish::level) {
      exponential_.stop();
      end_exponential(outcome::nonfinite);
    } else {
      stop(outcome::nonfinite);
    }
  }

  // Would stop() leave a value?
  TESSERA_HD TESSERA_APART bool can_stop() const {
    if (wish_ == integral_wish::level) return tried_adaptive_ || exponential_.has_value() || saved_;
    return has_value_ || saved_ || (component_ < s_->ncomp && run_.can_stop());
  }
  // Ends with what there is. Components that have not been integrated yet are, as far as intervals are known.
  TESSERA_HD TESSERA_APART void stop(outcome why) {
    if (end_ != outcome::running) return;
    if (wish_ == integral_wish::level) {
      if (!tried_adaptive_) take_exponential();
      finish(why);
      return;
    }
    look_.stop();
    bool mode_unseen = is_mode_unseen();
    const quadrature_end reason = why == outcome::evaluations ? quadrature_end::limit : quadrature_end::stopped;
    bool all = true;
    for (;;) {
      while (!run_.ended() && !ask()) {
      }
      all = all && run_.can_stop();
      if (!run_.ended()) run_.stop(reason);
      a_.value[component_] = run_.value();
      a_.error[component_] = run_.error() + (mode_unseen ? fabs(run_.value()) : 0.0);
      mode_unseen = false;
      if (++component_ == s_->ncomp || !all) break;
      begin_component();
    }
    count_intervals();
    has_value_ = all;
    if (saved_) {  // of the double-exponential rule before
      statistics_.exponential = !all || exponential_is_better();
      if (statistics_.exponential) copy_exponential();
      has_value_ = true;
    }
    finish(why);
  }
  // Values become those of the moment.
  TESSERA_HD void show_running() {
    if (wish_ == integral_wish::level) {
      if (!tried_adaptive_) take_exponential();
    } else if (component_ < s_->ncomp && run_.can_stop()) {
      a_.value[component_] = run_.sum();
      a_.error[component_] = larger_of(0.0, run_.sum_of_errors());
    }
  }

  TESSERA_HD bool has_value() const { return has_value_; }
  TESSERA_HD outcome end() const { return end_; }
  TESSERA_HD const integral_remark &remark() const { return remark_; }
  TESSERA_HD quadrature_statistics &statistics() { return statistics_; }
  TESSERA_HD const quadrature_statistics &statistics() const { return statistics_; }
  TESSERA_HD Run &run() { return run_; }
  TESSERA_HD const Run &run() const { return run_; }
  TESSERA_HD Kept &kept() { return kept_; }
  TESSERA_HD const Kept &kept() const { return kept_; }

 private:
  static constexpr int most_passes_of_pair = 8;
  static constexpr double loosest = 1e300;       // absolute tolerance that everything meets
  static constexpr double equal_share = 0.7071;  // of the tolerance of a complex value, for each of its parts

  TESSERA_HD void take_estimate(int m, int k, const interval_estimate<double> &e) {
    if (keeps_) kept_.keep(key(missing(m)), k, e);
    if (k == component_) take_asked(missing_[m], e);
  }

  // Coordinate and pieces.
  TESSERA_HD TESSERA_APART void set_map() {
    const quadrature_range &r = *r_;
    const bool plain = s_->weight == quadrature_weight::none;
    double half = 0.5 * r.upper - 0.5 * r.lower;
    map_ = {range_kind::plain, r.lower, r.upper, r.first, r.last, 0.0};
    if (plain && r.is_infinite()) {
      map_.kind = is_finite(r.lower) ? range_kind::up : (is_finite(r.upper) ? range_kind::down : range_kind::whole);
      if (map_.kind == range_kind::whole && r.count > 0) map_.centre = r.breaks[r.count / 2];
      half = 1.0;
    } else if (plain && (s_->complement != 0 || r.is_huge())) {
      map_.kind = range_kind::folded;
    }
    pieces_ = 0;
    if (map_.kind == range_kind::plain) {
      a_.points[pieces_++] = r.lower;
      a_.points[pieces_] = r.upper;
    } else {
      a_.points[pieces_++] = -half;
      a_.points[pieces_++] = 0.0;
      a_.points[pieces_] = half;
    }
    for (int b = 0; b < r.count; ++b) add_point(map_.coordinate(r.breaks[b]));
  }
  TESSERA_HD void add_point(double u) {
    double *const points = a_.points;
    int at = pieces_ + 1;
    while (at > 0 && points[at - 1] > u) --at;
    if (at > 0 && points[at - 1] == u) return;
    for (int i = ++pieces_; i > at; --i) points[i] = points[i - 1];
    points[at] = u;
  }

  TESSERA_HD TESSERA_APART void begin_adaptive() {
    tried_adaptive_ = true;
    keeps_ = s_->ncomp > 1 || (s_->is_oscillating() && r_->is_infinite());  // such a run comes by more than once
    if (keeps_) kept_.clear(s_->ncomp);
    component_ = 0;
    if (s_->complex_values) begin_pair();
    begin_component();
    advance();
  }
  TESSERA_HD TESSERA_APART void begin_component() {
    const tolerances<double> wanted = s_->complex_values
                                          ? tolerances<double>{absolute_of_pair_, equal_share * s_->reltol}
                                          : tolerances<double>{s_->abstol, s_->reltol};
    run_.begin(*s_, *r_, wanted, a_.points, pieces_);
    mode_count_ = examined_ = sources_ = looks_ = 0;
    is_range_searched_ = false;
  }

  // How large a complex value is, and so what its parts are to be integrated to, is not known before both have been. A first pass takes hardly
  // more than their first estimates; a later one is made anew, from the intervals that there are, with what the one before has shown.
  TESSERA_HD void begin_pair() {
    absolute_of_pair_ = loosest;
    passes_of_pair_ = 0;
    remark_before_ = remark_;
  }
  // Behind the imaginary part: is there to be one more pass?
  TESSERA_HD TESSERA_APART bool next_pass_of_pair() {
    const int im = component_, re = im - 1;
    const double bound =
        equal_share * larger_of(s_->abstol, modulus(s_->reltol * a_.value[re], s_->reltol * a_.value[im]));
    if (!(bound < infinity_value()) || passes_of_pair_ == most_passes_of_pair) return false;
    if (passes_of_pair_ > 0) {
      const bool good = a_.ends[re] == outcome::converged && a_.ends[im] == outcome::converged && met(re) && met(im);
      if (good || (absolute_of_pair_ <= bound && absolute_of_pair_ >= 0.1 * bound)) return false;
    }
    ++passes_of_pair_;
    absolute_of_pair_ = 0.9 * bound;
    remark_ = remark_before_;
    return true;
  }
  TESSERA_HD bool met(int k) const {
    return a_.error[k] <= tolerated(*s_, k, value_and_error_arrays{a_.value, a_.error});
  }

  // Until intervals are wanted, or the end.
  TESSERA_HD TESSERA_APART void advance() {
    wish_ = integral_wish::nothing;
    while (end_ == outcome::running && wish_ == integral_wish::nothing) {
      if (run_.ended() && !look_.is_active())
        end_component();
      else if (ask())
        wish_ = integral_wish::intervals;
    }
  }
  // Positive where there are two sides; of a point one that no interval has.
  TESSERA_HD interval<double> key(interval<double> on) const {
    if (wants_points()) return {on.lower, infinity_value()};
    return {run_.mirrored() ? -on.lower : on.lower, on.upper};
  }
  // False: all that the run has asked for is known, and has been told.
  TESSERA_HD TESSERA_APART bool ask() {
    const int asked = look_.is_active() ? look_.count() : run_.request().count;
    missing_count_ = 0;
    TESSERA_ROLLED
    for (int i = 0; i < asked; ++i) {
      const int number = keeps_ ? kept_.find(key(part(i))) : -1;
      if (number >= 0)
        take_asked(i, kept_.estimate(number, component_));
      else
        missing_[missing_count_++] = i;
    }
    if (missing_count_ > 0) return true;
    tell_asked();
    return false;
  }

  TESSERA_HD void count_intervals() {
    if (run_.intervals() > statistics_.intervals) statistics_.intervals = run_.intervals();
  }
  TESSERA_HD TESSERA_APART outcome outcome_of(quadrature_end e) {
    switch (e) {
      case quadrature_end::converged:
        return outcome::converged;
      case quadrature_end::limit:
        remark_ = {remark_kind::intervals, 0.0};
        return outcome::evaluations;
      case quadrature_end::bad_point: {
        const interval<double> p = run_.place();
        const double middle = 0.5 * (p.lower + p.upper);
        const double x = map_.kind == range_kind::plain ? middle : map_.at(middle).x;
        remark_ = {remark_kind::bad_point, run_.mirrored() ? -x : x};
        return outcome::roundoff;
      }
      case quadrature_end::roundoff:
        return outcome::roundoff;
      case quadrature_end::no_convergence:
        return outcome::slow;
      case quadrature_end::divergent:
        return outcome::divergent;
      case quadrature_end::not_finite:
        remark_ = {remark_kind::overflow, 0.0};
        return outcome::nonfinite;
      case quadrature_end::stopped:
        break;
    }
    return outcome::stopped;
  }
  TESSERA_HD TESSERA_APART void end_component() {
    count_intervals();
    if (seek_modes()) return;
    a_.value[component_] = run_.value();
    a_.error[component_] = run_.error();
    a_.ends[component_] = outcome_of(run_.end());
    const bool has_parts = s_->complex_values, is_first = has_parts && component_ % 2 == 0;
    if (has_parts && !is_first && next_pass_of_pair()) {
      --component_;
      begin_component();
      return;
    }
    for (int k = component_ - (has_parts ? 1 : 0); !is_first && k <= component_; ++k)
      if (a_.ends[k] == outcome::converged && !met(k)) a_.ends[k] = outcome::slow;
    if (++component_ < s_->ncomp) {
      if (has_parts && !is_first) begin_pair();
      begin_component();
      return;
    }
    has_value_ = true;
    conclude_adaptive();
  }

  // ---- Other modes ---------------------------------------------------------------------------------------

  // What is asked for: by the look, or by the run.
  TESSERA_HD interval<double> part(int i) const {
    return look_.is_active() ? interval<double>{look_.point(i), look_.point(i)} : run_.request().part[i];
  }
  TESSERA_HD bool is_inner(int i) const { return look_.is_active() || run_.request().inner[i]; }
  TESSERA_HD void take_asked(int i, const interval_estimate<double> &e) {
    if (look_.is_active())
      look_.set_value(i, e.value);
    else
      told_[i] = e;
  }
  TESSERA_HD TESSERA_APART void tell_asked() {
    if (!look_.is_active()) {
      run_.tell(told_);
    } else if (!look_.go_on()) {
      for (int side = 0; side < 2; ++side)
        if (look_.has_found(side) && mode_count_ < most_modes_of_component) modes_[mode_count_++] = look_.found(side);
    }
  }
  TESSERA_HD bool can_afford(int64 points) const { return points <= s_->maxeval - statistics_.evaluations; }
  // A run has met its tolerance. From the highest place that it knows, and from each mode that this finds, there is a look for others, and what is found the run has to divide until
  // its intervals are short there. True: that wants something, or has ended the integral. Where the evaluations do not suffice for a look there is none.
  TESSERA_HD TESSERA_APART bool seek_modes() {
    const bool is_first_pass_of_pair = s_->complex_values && passes_of_pair_ == 0;
    if (!s_->seeks_modes || is_first_pass_of_pair || run_.end() != quadrature_end::converged) return false;
    for (;;) {
      for (; examined_ < mode_count_; ++examined_) {
        const found_mode &m = modes_[examined_];
        if (run_.list().full() || !mode_look::is_unseen(run_.list(), map_, m)) continue;
        if (can_afford(2 * (2 * s_->pairs + 1)))
          run_.look_into(map_.coordinate(m.at));
        else
          stop(outcome::evaluations);
        return true;
      }
      if (points_of_look_ == 0)
        points_of_look_ = mode_look::points_after(statistics_.evaluations, s_->maxeval - statistics_.evaluations);
      if (points_of_look_ == 0 || !can_afford(points_of_look_)) return false;
      if (is_range_searched_ && sources_ == mode_count_) return false;
      interval<double> on = {map_.lower, map_.upper};
      if (is_range_searched_) on = mode_look::around(modes_[sources_++]);
      is_range_searched_ = true;
      if (!look_.begin(run_.list(), map_, on, points_of_look_)) continue;
      if (is_new_source(look_.source())) return true;
      look_.stop();
    }
  }
  // Where the highest place around a mode is one from which was looked before, its points are known.
  TESSERA_HD bool is_new_source(double at) {
    bool is_new = true;
    for (int i = 0; i < looks_; ++i) is_new = is_new && looked_from_[i] != at;
    if (is_new) looked_from_[looks_++] = at;
    return is_new;
  }
  // Is there a mode that the run has not seen yet? It may be as large as what the run knows.
  TESSERA_HD TESSERA_APART bool is_mode_unseen() const {
    bool any = false;
    for (int m = examined_; m < mode_count_; ++m) any = any || mode_look::is_unseen(run_.list(), map_, modes_[m]);
    return any;
  }

  // ---- The end: which rule is tried next, and whose value is taken ------------------------------------------------------------

  // The worst of the components counts.
  TESSERA_HD void conclude_adaptive() {
    outcome end = outcome::converged;
    for (int k = 0; k < s_->ncomp; ++k) {
      const outcome e = a_.ends[k];
      if (e != outcome::converged && (end == outcome::converged || e == outcome::nonfinite || e == outcome::divergent))
        end = e;
    }
    const bool may_change = s_->rule == quadrature_rule::automatic && s_->weight == quadrature_weight::none;
    if (end == outcome::converged) {
      finish(is_all_zero() ? outcome::all_zero : end);
    } else if (tried_exponential_) {
      choose_better(end);
    } else if (may_change && end != outcome::nonfinite) {
      adaptive_end_ = end;
      adaptive_remark_ = remark_;
      begin_exponential();
    } else {
      finish(end);
    }
  }

  TESSERA_HD TESSERA_APART void begin_exponential() {
    tried_exponential_ = true;
    wish_ = integral_wish::level;
    exponential_.begin(*s_, *r_, a_.exponential);
  }
  // How far the worst component is from its tolerance.
  TESSERA_HD double excess(const double *value, const double *error) const {
    double worst = 0.0;
    for (int k = 0; k < s_->ncomp; ++k)
      worst = larger_of(worst, error[k] / larger_of(tolerated(*s_, k, value_and_error_arrays{value, error}),
                                                    real_limits<double>::least));
    return worst;
  }
  TESSERA_HD TESSERA_APART bool exponential_is_better() const {
    return excess(exponential_.value(), exponential_.error()) < excess(a_.value, a_.error);
  }
  TESSERA_HD TESSERA_APART void copy_exponential() {
    for (int k = 0; k < s_->ncomp; ++k) {
      a_.value[k] = exponential_.value()[k];
      a_.error[k] = exponential_.error()[k];
    }
  }
  TESSERA_HD void take_exponential() {
    if (!exponential_.has_value()) return;
    copy_exponential();
    has_value_ = statistics_.exponential = true;
  }
  TESSERA_HD TESSERA_APART void end_exponential(outcome end) {
    if (end == outcome::converged) {
      take_exponential();
      remark_ = {};
      finish(is_all_zero() ? outcome::all_zero : end);
      return;
    }
    if (tried_adaptive_) {
      remark_ = adaptive_remark_;
      choose_better(adaptive_end_);
      return;
    }
    take_exponential();
    if (s_->rule != quadrature_rule::automatic || (end != outcome::slow && end != outcome::roundoff)) {
      finish(end);
      return;
    }
    saved_ = true;
    has_value_ = false;
    for (int k = 0; k < s_->ncomp; ++k) a_.error[k] = infinity_value();
    begin_adaptive();
  }
  // Neither rule has met the tolerance: the value that is closer to it, with the reason of the adaptive run.
  TESSERA_HD void choose_better(outcome end) {
    statistics_.exponential = (saved_ || exponential_.has_value()) && exponential_is_better();
    if (statistics_.exponential) copy_exponential();
    finish(end);
  }
  // Nothing but zeros was seen; or what was not 0 lay between the points of the intervals that came after it.
  TESSERA_HD TESSERA_APART bool is_all_zero() const {
    bool all = true;
    for (int k = 0; k < s_->ncomp; ++k) all = all && a_.value[k] == 0.0 && a_.error[k] == 0.0;
    return s_->abstol == 0.0 && (zero_ || all);
  }
  TESSERA_HD void finish(outcome end) {
    wish_ = integral_wish::nothing;
    end_ = end;
  }

  const quadrature_settings *s_ = nullptr;
  const quadrature_range *r_ = nullptr;
  integral_arrays a_;
  range_map map_;
  int pieces_ = 1;
  Run run_;
  Kept kept_;
  // Of the component.
  static constexpr int most_modes_of_component = 4;
  mode_look look_;
  found_mode modes_[most_modes_of_component];
  int mode_count_ = 0, examined_ = 0, sources_ = 0;  // found; divided for; looked from
  int looks_ = 0;
  double looked_from_[1 + most_modes_of_component] = {};
  bool is_range_searched_ = false;
  int points_of_look_ = 0;  // the same for all
  exponential_run exponential_;
  integral_wish wish_ = integral_wish::nothing;
  bool keeps_ = false, tried_adaptive_ = false, tried_exponential_ = false;
  bool saved_ = false;  // the double-exponential rule came first and did not converge
  bool has_value_ = false, zero_ = true;
  int component_ = 0, missing_count_ = 0, missing_[mode_look::most_asked] = {};
  interval_estimate<double> told_[most_asked_of_run];
  // Of a complex value, whose two parts are integrated one after the other, in several passes: the absolute tolerance of both.
  double absolute_of_pair_ = 0.0;
  int passes_of_pair_ = 0;
  outcome end_ = outcome::running, adaptive_end_ = outcome::running;
  integral_remark remark_, remark_before_, adaptive_remark_;
  quadrature_statistics statistics_;
};

}  // namespace tessera
