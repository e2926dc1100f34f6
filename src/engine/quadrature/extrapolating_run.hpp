// Global adaptive bisection with the epsilon algorithm: QAGS, QAGI, QAGP and QAWO of QUADPACK (Piessens, de Doncker-Kapenga, Ueberhuber and
// Kahaner, 1983, sections 2.2 and 3.4; E. de Doncker, An adaptive extrapolation algorithm for automatic integration, SIGNUM
// Newsletter 13, 1978). Intervals of the smallest width so far are put off until the wider ones have hardly any error; the sums at the
// times when that is reached are the sequence that is extrapolated. With arrays of doubts the run is more careful than QUADPACK: it divides before
// it believes, the extrapolation has to say the same twice, and a success is first looked at once more in the widest intervals.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bisection.hpp"
#include "epsilon_table.hpp"
#include "recent_sums.hpp"

namespace tessera {

template <class Real, class Int>
class extrapolating_run {
 public:
  extrapolating_run() = default;
  // One range, with a weight cos or sin(frequency x) if there are levels: there is no extrapolation before the intervals are
  // short in comparison with the period. How often an interval has been halved is kept in levels[limit] for its moments; without
  // a weight `levels` is null. The limit is at least 1.
  TESSERA_HD extrapolating_run(interval<Real> range, Real frequency, Int *levels, tolerances<Real> wanted,
                               const interval_arrays<Real, Int> &arrays, Int limit)
      : wanted_(wanted), list_(arrays, limit), levels_(levels), frequency_(frequency) {
    request_.count = 1;
    request_.part[0] = range;
    if (levels) levels[0] = 0;
    small_ = fabs(range.upper - range.lower) * Real(0.75);
  }

  // Between break points, ascending, the ends of the range among them: intervals are compared by how often they have been halved,
  // which is kept in levels[limit]; doubtful[pieces] becomes 1 where a first estimate tells nothing.
  TESSERA_HD extrapolating_run(const Real *points, Int pieces, Int *levels, Int *doubtful, tolerances<Real> wanted,
                               const interval_arrays<Real, Int> &arrays, Int limit)
      : wanted_(wanted), list_(arrays, limit), points_(points), pieces_(pieces), levels_(levels), doubtful_(doubtful) {
    request_.count = 1;
    request_.part[0] = {points[0], points[1]};
  }

  TESSERA_HD const quadrature_request<Real, Int> &request() const { return request_; }
  TESSERA_HD quadrature_end end() const { return end_; }
  TESSERA_HD Real value() const { return value_; }
  TESSERA_HD Real error() const { return error_; }
  TESSERA_HD Int size() const { return list_.size(); }
  TESSERA_HD const interval_list<Real, Int> &list() const { return list_; }

  TESSERA_HD void tell(const interval_estimate<Real> *e) {
    if (!is_finite(e[0]) || (request_.count == 2 && !is_finite(e[1])))
      conclude(quadrature_end::not_finite);
    else if (request_.count == 2)
      tell_halves(e);
    else if (points_)
      tell_piece(*e);
    else
      tell_first(*e);
  }
  // Ends with what there is, once the first estimates have been told.
  TESSERA_HD void stop() {
    if (request_.count == 2) conclude_with_sums(quadrature_end::stopped);
  }
  TESSERA_HD void stop_with_best(quadrature_end why) {
    if (request_.count == 2) conclude_best(why);
  }
  // Of a careful run: intervals that there shall be at least, and how many equal ones no interval shall be longer than.
  TESSERA_HD void set_least(Int intervals, Real equal_ones) {
    least_ = intervals;
    least_equal_ = equal_ones;
  }
  // Of a careful run, before it is told what it has asked for: is nothing known yet of the outer ends of that? They were those of an interval
  // that did not look smooth, or are ends of a piece. The first interval of a range is divided in any case.
  TESSERA_HD bool has_open_ends() const {
    if (request_.count == 1) return points_ != nullptr;
    return (!points_ && list_.size() == 1) || list_.doubt(list_.selected()) == is_rough<Real>;
  }
  // Is it an end of the range, or of a piece of it?
  TESSERA_HD bool is_end_of_piece(Real x) const {
    if (!points_) return x == range_.lower || x == range_.upper;
    Int below = 0, above = pieces_;
    while (above - below > 1) {
      const Int middle = below + (above - below) / 2;
      (points_[middle] <= x ? below : above) = middle;
    }
    return x == points_[below] || x == points_[above];
  }
  // The width of the piece; the tolerance.
  TESSERA_HD Real width_of_piece() const {
    if (!points_) return whole_;
    Real width = fabs(request_.part[request_.count - 1].upper - request_.part[0].lower);
    for (Int level = request_.level; level > 1; --level) width *= Real(2);
    return width;
  }
  TESSERA_HD Real bound_with(const interval_estimate<Real> *e) const {
    return wanted_.bound(request_.count == 1 ? value_ + e->value : list_.value());
  }
  // Of a careful run that has met its tolerance: the interval there is divided before it says so again.
  TESSERA_HD void look_into(Real at) {
    change_ = Real(0);
    to_explore_ = 0;
    list_.select(list_.rank_of(at));
    exploring_ = true;
    divide_selected();
  }
  TESSERA_HD Real sum() const { return list_.value(); }
  TESSERA_HD Real sum_of_errors() const { return list_.error(); }
  TESSERA_HD interval<Real> selected() const { return list_.at(list_.selected()); }
  TESSERA_HD void move_to(const interval_arrays<Real, Int> &arrays, Int *levels, Int *doubtful) {
    list_.move_to(arrays);
    levels_ = levels;
    doubtful_ = doubtful;  // read while pieces are told
  }

 private:
  static constexpr Real spacing = real_limits<Real>::spacing, greatest = real_limits<Real>::greatest;

  // ---- The first estimates ------------------------------------------------------------------------------------------------

  TESSERA_HD TESSERA_APART void tell_first(const interval_estimate<Real> &e) {
    list_.append(request_.part[0], e.value, e.error);
    list_.begin(e.value, e.error);
    value_ = e.value;
    error_ = e.error;
    size_of_integrand_ = e.size;
    if (is_careful()) list_.set_doubt(1, e.rough ? is_rough<Real> : Real(0));
    range_ = request_.part[0];
    whole_ = fabs(range_.upper - range_.lower);
    const bool met = e.error <= wanted_.bound(e.value);
    if (stopped_by_first(e.error, e.size, list_.limit() == 1)) return;
    if (!is_careful() && ((met && (levels_ || e.error != e.spread)) || e.error == Real(0))) {
      conclude(quadrature_end::converged);
      return;
    }
    const Real periods = fabs(request_.part[0].upper - request_.part[0].lower) * frequency_;
    short_enough_ = Real(0.25) * periods <= Real(2);
    if (Real(0.5) * periods <= Real(2)) table_.push(e.value);
    start();
  }

  TESSERA_HD TESSERA_APART void tell_piece(const interval_estimate<Real> &e) {
    const Int i = list_.size();
    const Real error = larger_of(e.error, larger_of(e.lower_doubt, e.upper_doubt));
    list_.append(request_.part[0], e.value, error);
    if (is_careful()) {
      const bool both = e.lower_doubt > Real(0) && e.upper_doubt > Real(0);
      list_.set_doubt(i + 1, e.rough || both ? is_rough<Real> : e.upper_doubt - e.lower_doubt);
    }
    value_ += e.value;
    error_ += error;
    size_of_integrand_ += e.size;
    levels_[i] = 0;
    doubtful_[i] = e.error == e.spread && e.error != Real(0) ? 1 : 0;
    if (i + 1 < pieces_) {
      request_.part[0] = {points_[i + 1], points_[i + 2]};
      return;
    }
    whole_ = fabs(points_[pieces_] - points_[0]);
    // An estimate that tells nothing counts as the errors of all.
    Real sum = 0;
    for (Int j = 0; j < pieces_; ++j) {
      if (doubtful_[j] == 1) list_.set_error(j + 1, error_);
      sum += list_.error_of(j + 1);
    }
    list_.sort();
    list_.begin(value_, sum);
    if (stopped_by_first(error_, size_of_integrand_, list_.full() && pieces_ > 1)) return;
    const bool met = error_ <= wanted_.bound(value_);
    if (met && (!is_careful() || (list_.size() >= least_ && !(least_equal_ > Real(1))))) {
      conclude(quadrature_end::converged);
      return;
    }
    if (list_.full()) {
      conclude(quadrature_end::limit);
      return;
    }
    table_.push(value_);
    short_enough_ = true;
    set_goal(wanted_.bound(value_));
    start();
    if (met) claim(true);
  }

  TESSERA_HD bool stopped_by_first(Real error, Real size, bool full) {
    if (full)
      conclude(quadrature_end::limit);
    else if (error <= Real(100) * spacing * size && error > wanted_.bound(value_))
      conclude(quadrature_end::roundoff);
    else
      return false;
    return true;
  }

  TESSERA_HD void start() {
    one_sign_ = fabs(value_) >= (Real(1) - Real(50) * spacing) * size_of_integrand_;
    error_ = greatest;  // nothing has been extrapolated
    divide_selected();
  }

  // ---- A division -----------------------------------------------------------------------------------------------------------

  TESSERA_HD TESSERA_APART void tell_halves(const interval_estimate<Real> *e) {
    const Int parent = list_.selected();
    const division<Real> d = divide(e);
    if (levels_) levels_[parent - 1] = levels_[list_.size() - 1] = request_.level;
    if (!list_.sums_are_finite()) {
      conclude(quadrature_end::not_finite);
      return;
    }
    quadrature_end found = look_for_rounding(d, e);
    if (list_.full()) found = quadrature_end::limit;
    if (too_narrow(d.first, d.second)) found = quadrature_end::bad_point;
    const Real bound = wanted_.bound(list_.value());
    if (is_careful() && list_.error() <= bound) list_.sum_anew();
    if (exploring_ && found == quadrature_end::converged) {
      explored(d, bound);
      return;
    }
    exploring_ = false;
    if (list_.error() <= bound && found == quadrature_end::converged && is_careful())
      claim(true);
    else if (list_.error() <= bound)
      conclude_with_sums(found);
    else if (found != quadrature_end::converged)
      conclude_best(found);
    else
      go_on(d, bound);
  }

  TESSERA_HD bool is_careful() const { return list_.is_careful(); }
  TESSERA_HD division<Real> divide(const interval_estimate<Real> *e) {
    if (!is_careful()) return list_.divide(request_.part, e);
    interval_estimate<Real> careful[2] = {e[0], e[1]};
    Real doubts[2];
    careful_halves(list_, careful, doubts);
    return list_.divide(request_.part, careful, doubts);
  }

  // The tolerance is met, by the sums or by the extrapolated value. Where there was something to be divided there may be more of it that
  // no point has met: some of the widest intervals are divided, and what changes the value is gone after.
  TESSERA_HD void claim(bool by_sums) {
    by_sums_ = by_sums;
    change_ = Real(0);
    to_explore_ = list_.size() < 4 ? 0 : list_.size() / 2;
    if (to_explore_ < least_ - list_.size()) to_explore_ = least_ - list_.size();
    explore_or_conclude();
  }
  TESSERA_HD TESSERA_APART void explore_or_conclude() {
    exploring_ = false;
    if (to_explore_ > 0 || least_equal_ > Real(1)) {
      list_.select(list_.rank_of_widest());
      const Real width = list_.width(list_.selected());
      exploring_ = (to_explore_ > 0 && (width > whole_ / Real(16) || list_.size() < least_)) ||
                   width * least_equal_ > Real(1.001) * whole_;
    }
    if (exploring_) {
      --to_explore_;
      divide_selected();
      return;
    }
    if (by_sums_) {
      conclude_with_sums(quadrature_end::converged);
      return;
    }
    value_ += change_;
    conclude_best(quadrature_end::converged);
  }
  TESSERA_HD void explored(const division<Real> &d, Real bound) {
    const Real change = fabs(d.value - d.parent_value);
    change_ += d.value - d.parent_value;
    const bool surprised = (change > d.parent_error || d.error > d.parent_error) &&
                           larger_of(change, d.error - d.parent_error) > Real(0.05) * bound;
    if (!surprised) {
      explore_or_conclude();
      return;
    }
    exploring_ = false;
    table_ = epsilon_table<Real>();
    error_ = greatest;
    extrapolating_ = abandoned_ = false;
    since_better_ = claims_ = 0;
    sums_.forget();
    list_.select_largest();
    set_goal(bound);
    if (list_.error() <= bound)
      claim(true);
    else
      divide_selected();
  }

  TESSERA_HD quadrature_end look_for_rounding(const division<Real> &d, const interval_estimate<Real> *e) {
    // Noise is in both halves; where one of them is rough there is a jump or a kink in it, whose estimates are erratic.
    if (e[0].spread != e[0].error && e[1].spread != e[1].error && e[0].rough == e[1].rough && !exploring_) {
      if (stalled(d)) ++(extrapolating_ ? stalled_extrapolating_ : stalled_);
      if (list_.size() > 10 && d.error > d.parent_error) ++grown_;
    }
    if (stalled_extrapolating_ >= 5) rounding_ = true;
    return stalled_ + stalled_extrapolating_ >= 10 || grown_ >= 20 ? quadrature_end::roundoff
                                                                   : quadrature_end::converged;
  }

  TESSERA_HD void go_on(const division<Real> &d, Real bound) {
    if (!points_ && short_enough_ && list_.size() == 2) {
      small_ *= Real(0.5);
      table_.push(list_.value());
      set_goal(bound);
    } else if (!abandoned_ && reached_next_width(d, bound)) {
      if (extrapolate()) return;
      list_.select_largest();
      extrapolating_ = false;
      small_ *= Real(0.5);
      ++greatest_level_;
      wide_error_ = list_.error();
    }
    divide_selected();
  }

  // Whether the wide intervals have so little error that it is time to extrapolate. If not, one of them is selected, or the one with the
  // largest error of all.
  TESSERA_HD bool reached_next_width(const division<Real> &d, Real bound) {
    if (short_enough_) {
      wide_error_ -= d.parent_error;
      const bool wide = points_ ? request_.level + 1 <= greatest_level_ : fabs(d.first.upper - d.first.lower) > small_;
      if (wide) wide_error_ += d.error;
    }
    if (!extrapolating_) {
      if (is_wide(list_.selected())) return false;
      if (!short_enough_) {
        small_ *= Real(0.5);
        if (Real(0.25) * list_.width(list_.selected()) * frequency_ > Real(2)) return false;
        short_enough_ = true;
        set_goal(bound);
        return false;
      }
      extrapolating_ = true;
      list_.set_rank(2);
    }
    if (!rounding_ && wide_error_ > (is_careful() ? larger_of(goal_, bound) : goal_)) {
      const Int last = list_.ranked();
      for (Int rank = list_.rank(); rank <= last; ++rank) {
        list_.select(rank);
        if (is_wide(list_.selected())) return false;
      }
    }
    return true;
  }

  // True when that has ended the run.
  TESSERA_HD TESSERA_APART bool extrapolate() {
    table_.push(list_.value());
    if (is_careful()) {
      sums_.add(list_.value());
      if (sums_.diverge()) {
        conclude_with_sums(quadrature_end::divergent);
        return true;
      }
    }
    if (table_.size() < 3) return false;
    extrapolated<Real> x = table_.extrapolate();
    if (is_careful()) {
      x.error *= Real(10);
      if (!sums_.are_regular()) x.error = greatest;
    }
    quadrature_end found = quadrature_end::converged;
    ++since_better_;
    if (since_better_ > 5 && error_ < Real(1e-3) * list_.error()) found = quadrature_end::no_convergence;
    if (claims_ == 1) {  // the second time
      if (fabs(x.value - value_) <= goal_) {
        claim(false);
        return true;
      }
      claims_ = 0;
      error_ = greatest;
    }
    if (x.error < error_) {
      since_better_ = 0;
      error_ = x.error;
      value_ = x.value;
      correction_ = wide_error_;
      goal_ = wanted_.bound(value_);
      if (points_ ? error_ < goal_ : error_ <= goal_) {
        if (!is_careful() || found != quadrature_end::converged) {
          conclude_best(found);
          return true;
        }
        claims_ = 1;
      }
    }
    if (table_.size() == 1 && !is_careful()) abandoned_ = true;
    if (found == quadrature_end::converged) return false;
    conclude_best(found);
    return true;
  }

  TESSERA_HD void divide_selected() {
    const Int i = list_.selected();
    request_.count = 2;
    if (levels_) request_.level = levels_[i - 1] + 1;
    halve(list_.at(i), request_.part);
  }
  TESSERA_HD bool is_wide(Int i) const {
    return points_ ? levels_[i - 1] + 1 <= greatest_level_ : list_.width(i) > small_;
  }
  TESSERA_HD void set_goal(Real bound) {
    goal_ = bound;
    wide_error_ = list_.error();
  }

  // ---- The end --------------------------------------------------------------------------------------------------------------

  // With the extrapolated value or the sum, whichever has the smaller relative error.
  TESSERA_HD TESSERA_APART void conclude_best(quadrature_end found) {
    if (error_ == greatest || table_.extrapolations() == 0) {
      conclude_with_sums(found);
      return;
    }
    const Real sum = list_.value();
    if (found != quadrature_end::converged || rounding_) {
      if (rounding_) error_ += correction_;
      if (found == quadrature_end::converged) found = quadrature_end::roundoff;
      const bool comparable = value_ != Real(0) && sum != Real(0);
      const bool sum_is_better =
          comparable ? error_ / fabs(value_) > list_.error() / fabs(sum) : error_ > list_.error();
      if (sum_is_better) {
        conclude_with_sums(found);
        return;
      }
      if (!comparable && sum == Real(0)) {
        conclude(found);
        return;
      }
    }
    // Extrapolated far away from the sum: divergence, unless the value is small because signs vary.
    if (one_sign_ || larger_of(fabs(value_), fabs(sum)) > size_of_integrand_ * Real(0.01)) {
      const Real ratio = value_ / sum;
      if (Real(0.01) > ratio || ratio > Real(100) || list_.error() > fabs(sum)) found = quadrature_end::divergent;
    }
    conclude(found);
  }
  TESSERA_HD TESSERA_APART void conclude_with_sums(quadrature_end end) {
    if (is_careful()) list_.sum_anew();
    value_ = list_.summed_value();
    error_ = list_.error();
    conclude(end);
  }
  TESSERA_HD void conclude(quadrature_end end) {
    end_ = or_not_finite(end, value_, error_);
    request_.count = 0;
  }

  tolerances<Real> wanted_ = {Real(0), Real(0)};
  interval_list<Real, Int> list_;
  quadrature_request<Real, Int> request_;
  quadrature_end end_ = quadrature_end::converged;
  Real value_ = 0, error_ = 0;  // before the first extrapolation the error is the greatest number

  // What an interval is called wide by: its width, or the number of halvings.
  Real small_ = 0;
  Int greatest_level_ = 1;
  const Real *points_ = nullptr;
  Int pieces_ = 1, *levels_ = nullptr, *doubtful_ = nullptr;

  bool short_enough_ = false;
  Real frequency_ = 0;

  epsilon_table<Real> table_;
  Real wide_error_ = 0, goal_ = 0, correction_ = 0, size_of_integrand_ = 0;
  bool one_sign_ = false, extrapolating_ = false, abandoned_ = false, rounding_ = false;
  // Of a careful run.
  bool exploring_ = false, by_sums_ = false;
  Int to_explore_ = 0, least_ = 0;
  Real least_equal_ = 1;
  interval<Real> range_ = {0, 0};
  Real change_ = 0, whole_ = 0;  // of the value, while it explores; width of the range
  recent_sums<Real> sums_;       // that were extrapolated
  int claims_ = 0;

  int since_better_ = 0, stalled_ = 0, stalled_extrapolating_ = 0, grown_ = 0;
};

}  // namespace tessera
