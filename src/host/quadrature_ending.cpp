// How the integral of quadrature_integral.hpp ends: which rule is tried next, and whose value is taken.
// SPDX-License-Identifier: BSD-3-Clause
#include "quadrature_integral.hpp"

namespace tessera {

// The worst of the components counts.
void quadrature_integral::conclude_adaptive() {
  outcome end = outcome::converged;
  for (const outcome e : ends_)
    if (e != outcome::converged && (end == outcome::converged || e == outcome::nonfinite || e == outcome::divergent))
      end = e;
  const bool may_change = s_.rule == quadrature_rule::automatic && s_.weight == quadrature_weight::none;
  if (end == outcome::converged) {
    finish(zero_ && s_.abstol == 0.0 ? outcome::all_zero : end);
  } else if (tried_exponential_) {
    choose_better(end);
  } else if (may_change && end != outcome::nonfinite) {
    adaptive_end_ = end;
    adaptive_message_ = message_;
    begin_exponential();
  } else {
    finish(end);
  }
}

void quadrature_integral::begin_exponential() {
  tried_exponential_ = in_exponential_ = true;
  exponential_.begin(s_, *r_);
  wanted_ = exponential_.points();
}

// How far the worst component is from its tolerance.
double quadrature_integral::excess(const double *value, const double *error) const {
  double worst = 0.0;
  for (int k = 0; k < s_.ncomp; ++k)
    worst = std::max(
        worst, error[k] / std::max(tolerated(s_, k, value_and_error_arrays{value, error}), real_limits<double>::least));
  return worst;
}

void quadrature_integral::take_exponential() {
  if (!exponential_.has_value()) return;
  value_ = exponential_.value();
  error_ = exponential_.error();
  has_value_ = statistics_.exponential = true;
}

void quadrature_integral::end_exponential(outcome end) {
  in_exponential_ = false;
  wanted_ = 0;
  if (end == outcome::converged) {
    take_exponential();
    message_.clear();
    finish(zero_ && s_.abstol == 0.0 ? outcome::all_zero : end);
    return;
  }
  if (tried_adaptive_) {
    message_ = adaptive_message_;
    choose_better(adaptive_end_);
    return;
  }
  take_exponential();
  if (s_.rule != quadrature_rule::automatic || (end != outcome::slow && end != outcome::roundoff)) {
    finish(end);
    return;
  }
  saved_ = {value_, error_};
  has_value_ = false;
  error_.assign(at(s_.ncomp), infinity_value());
  begin_adaptive();
}

// Neither rule has met the tolerance: the value that is closer to it, with the reason of the adaptive run.
void quadrature_integral::choose_better(outcome end) {
  const bool adaptive_first = saved_.value.empty();
  const double *other_value = adaptive_first ? exponential_.value().data() : saved_.value.data();
  const double *other_error = adaptive_first ? exponential_.error().data() : saved_.error.data();
  const bool there = !adaptive_first || exponential_.has_value();
  statistics_.exponential = there && excess(other_value, other_error) < excess(value_.data(), error_.data());
  if (statistics_.exponential) {
    std::copy_n(other_value, s_.ncomp, value_.begin());
    std::copy_n(other_error, s_.ncomp, error_.begin());
  }
  finish(end);
}

void quadrature_integral::finish(outcome end) {
  wanted_ = 0;
  end_ = end;
}

void quadrature_integral::show_running() {
  if (in_exponential_) {
    if (!tried_adaptive_) take_exponential();
    return;
  }
  if (component_ < s_.ncomp && run_.has_value()) {
    value_[at(component_)] = run_.sum();
    error_[at(component_)] = std::max(0.0, run_.sum_of_errors());
  }
}

// Components that have not been integrated yet are, as far as intervals are known.
void quadrature_integral::stop(outcome why) {
  if (end_ != outcome::running) return;
  if (in_exponential_) {
    if (!tried_adaptive_) take_exponential();
    in_exponential_ = false;
    finish(why);
    return;
  }
  const quadrature_end reason = why == outcome::evaluations ? quadrature_end::limit : quadrature_end::stopped;
  bool all = true;
  for (;;) {
    while (!run_.ended() && !ask()) {
    }
    const bool there = run_.has_value() && !(fourier_ && passes_ == 0);
    if (!run_.ended()) run_.stop(reason);
    all = all && there;
    double value = run_.value();
    if (s_.weight == quadrature_weight::sine && (s_.omega < 0.0) != (fourier_ && mirrored_)) value = -value;
    value_[at(component_)] = value;
    error_[at(component_)] = run_.error();
    if (fourier_ && whole_) all = false;
    if (++component_ == s_.ncomp || !all) break;
    begin_component();
  }
  statistics_.intervals = std::max(statistics_.intervals, run_.intervals());
  has_value_ = all;
  if (!saved_.value.empty()) {  // of the double-exponential rule before
    const bool better = !all || excess(saved_.value.data(), saved_.error.data()) < excess(value_.data(), error_.data());
    if (better) {
      value_ = saved_.value;
      error_ = saved_.error;
    }
    statistics_.exponential = better;
    has_value_ = true;
  }
  finish(why);
}

}  // namespace tessera
