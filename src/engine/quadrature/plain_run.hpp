// Global adaptive bisection without extrapolation: QAG, QAWS and QAWC of QUADPACK (Piessens, de Doncker-Kapenga, Ueberhuber and Kahaner,
// 1983, section 3.4). The interval with the largest error is halved until the errors together meet the tolerance.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bisection.hpp"

namespace tessera {

enum class plain_kind {
  smooth,      // no weight
  ends,        // singular weights at both ends: starts with two halves
  singularity  // a pole, which is kept away from the ends of intervals
};

template <class Real, class Int>
class plain_run {
 public:
  // The limit is at least 1, at least 2 for `ends`.
  TESSERA_HD plain_run(plain_kind kind, interval<Real> range, Real pole, tolerances<Real> wanted,
                       const interval_arrays<Real, Int> &arrays, Int limit)
      : kind_(kind), range_(range), pole_(pole), wanted_(wanted), list_(arrays, limit) {
    if (kind == plain_kind::ends) {
      request_.count = 2;
      halve(range, request_.part);
    } else {
      request_.count = 1;
      request_.part[0] = range;
    }
  }

  TESSERA_HD const quadrature_request<Real, Int> &request() const { return request_; }
  TESSERA_HD quadrature_end end() const { return end_; }
  TESSERA_HD Real value() const { return value_; }
  TESSERA_HD Real error() const { return error_; }
  TESSERA_HD Int size() const { return list_.size(); }

  TESSERA_HD void tell(const interval_estimate<Real> *e) {
    const bool good = is_finite(e[0]) && (request_.count == 1 || is_finite(e[1]));
    if (!good) {
      finish(quadrature_end::not_finite);
      return;
    }
    if (list_.size() > 0)
      tell_halves(e);
    else if (kind_ == plain_kind::ends)
      tell_first_halves(e);
    else
      tell_first(*e);
  }
  // Ends with what there is, if there is anything.
  TESSERA_HD void stop(quadrature_end why = quadrature_end::stopped) {
    if (list_.size() > 0) finish_with_sums(why);
  }
  TESSERA_HD Real sum() const { return list_.value(); }
  TESSERA_HD Real sum_of_errors() const { return list_.error(); }
  TESSERA_HD void move_to(const interval_arrays<Real, Int> &arrays) { list_.move_to(arrays); }

 private:
  TESSERA_HD void tell_first(const interval_estimate<Real> &e) {
    list_.append(range_, e.value, e.error);
    list_.begin(e.value, e.error);
    value_ = e.value;
    error_ = e.error;
    const Real bound = wanted_.bound(e.value);
    if (kind_ == plain_kind::singularity) {
      const bool met = e.error < smaller_of(Real(0.01) * fabs(e.value), bound);
      if (list_.limit() == 1)
        finish(quadrature_end::limit);
      else if (met)
        finish(quadrature_end::converged);
      else
        divide_selected();
      return;
    }
    if (list_.limit() == 1)
      finish(quadrature_end::limit);
    else if (e.error <= Real(50) * real_limits<Real>::spacing * e.size && e.error > bound)
      finish(quadrature_end::roundoff);
    else if ((e.error <= bound && e.error != e.spread) || e.error == Real(0))
      finish(quadrature_end::converged);
    else
      divide_selected();
  }

  TESSERA_HD void tell_first_halves(const interval_estimate<Real> *e) {
    const int larger = e[1].error > e[0].error ? 1 : 0, smaller = 1 - larger;
    list_.append(request_.part[larger], e[larger].value, e[larger].error);
    list_.append(request_.part[smaller], e[smaller].value, e[smaller].error);
    value_ = e[0].value + e[1].value;
    error_ = e[0].error + e[1].error;
    list_.begin(value_, error_);
    if (list_.limit() == 2)
      finish(quadrature_end::limit);
    else if (error_ <= wanted_.bound(value_))
      finish(quadrature_end::converged);
    else
      divide_selected();
  }

  TESSERA_HD void tell_halves(const interval_estimate<Real> *e) {
    const division<Real> d = list_.divide(request_.part, e);
    look_for_rounding(d, e);
    if (!list_.sums_are_finite()) {
      finish(quadrature_end::not_finite);
      return;
    }
    const Real bound = wanted_.bound(list_.value());
    if (list_.error() <= bound) {
      finish_with_sums(quadrature_end::converged);
      return;
    }
    const bool rounding =
        kind_ == plain_kind::singularity ? stalled_ >= 6 && grown_ > 20 : stalled_ >= 6 || grown_ >= 20;
    if (too_narrow(d.first, d.second))
      finish_with_sums(quadrature_end::bad_point);
    else if (list_.full())
      finish_with_sums(quadrature_end::limit);
    else if (rounding)
      finish_with_sums(quadrature_end::roundoff);
    else
      divide_selected();
  }

  TESSERA_HD void look_for_rounding(const division<Real> &d, const interval_estimate<Real> *e) {
    if (kind_ == plain_kind::ends && (d.first.lower == range_.lower || d.second.upper == range_.upper)) return;
    if (e[0].spread == e[0].error || e[1].spread == e[1].error) return;
    // With a weight 0 = 0 does not count.
    const bool changed = kind_ == plain_kind::smooth || d.parent_value != d.value || d.value != Real(0);
    if (changed && stalled(d)) ++stalled_;
    if (list_.size() > 10 && d.error > d.parent_error) ++grown_;
  }

  TESSERA_HD void divide_selected() {
    request_.count = 2;
    const interval<Real> whole = list_.at(list_.selected());
    halve(whole, request_.part);
    if (kind_ != plain_kind::singularity) return;
    Real middle = request_.part[0].upper;
    if (pole_ <= middle && pole_ > whole.lower) middle = Real(0.5) * (pole_ + whole.upper);
    if (pole_ > middle && pole_ < whole.upper) middle = Real(0.5) * (whole.lower + pole_);
    request_.part[0].upper = request_.part[1].lower = middle;
  }

  TESSERA_HD void finish_with_sums(quadrature_end end) {
    value_ = list_.summed_value();
    error_ = list_.error();
    finish(end);
  }
  TESSERA_HD void finish(quadrature_end end) {
    end_ = or_not_finite(end, value_, error_);
    request_.count = 0;
  }

  const plain_kind kind_;
  const interval<Real> range_;
  const Real pole_;
  const tolerances<Real> wanted_;
  interval_list<Real, Int> list_;
  quadrature_request<Real, Int> request_;
  quadrature_end end_ = quadrature_end::converged;
  Real value_ = 0, error_ = 0;
  int stalled_ = 0, grown_ = 0;
};

}  // namespace tessera
