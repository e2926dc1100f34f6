// Integrals over several variables one axis after the other: the integral over each axis is one over one variable, whose integrand is the integral over
// the axes behind it. This is the integral over one of the axes: it asks for a set of integrals inside it, a step's, and is told what became of them.
// Who integrates them, one after the other or side by side, is not its business. Limits that are functions are the integrand's: an axis has them
// within its box.
//
// An integral over an axis is asked for half of the tolerance of the one it belongs to, and those inside it for a tenth of that: relative to their own
// value, or on a finite axis what is left to them of the value in front if that is more. What their errors do to the integral in front is
// integrated as well: for each component there is a second one, the value with its error added. It needs next to no points of its own, and the
// distance of the two integrals is the error carried outward.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "../quadrature/quadrature.hpp"

namespace tessera {

// What is integrated, wherever it is.
struct iterated_domain {
  run_settings settings;
  const quadrature_range *ranges;  // [ndim]
  const axis_rule *rules;          // [ndim]
  bool zero_nonfinite;
  // Of each axis none is longer than one of so many equal ones; 0: of the last axis, where is_to_begin_anew() says so.
  int64 least_intervals;

  int ndim() const { return settings.ndim; }
  int ncomp() const { return settings.ncomp; }
  bool is_last(int axis) const { return axis + 1 == settings.ndim; }
  // The integrals with the errors added are complex as well.
  int components(int axis) const { return settings.ncomp * (is_last(axis) ? 1 : 2); }
  // But for the tolerances.
  quadrature_settings settings_of(int axis) const {
    quadrature_settings s;
    s.ndim = 1;
    s.ncomp = components(axis);
    s.complex_values = settings.complex_values;
    static_cast<axis_rule &>(s) = rules[axis];
    s.zero_nonfinite = zero_nonfinite;
    s.seeks_modes = !is_last(axis) && least_intervals != 1;
    return s;
  }
};

// What the integral over an axis is asked for: tolerances, evaluations at most, and that no interval, of the last axis or of all, is longer than one of so many equal ones.
struct axis_request {
  double reltol, abstol;
  int64 most, least_intervals;
};
inline double possible_reltol(double wanted) {
  constexpr double least = 1e-14;
  return std::fmax(wanted, least);
}
// Of the first axis.
inline axis_request first_request(const iterated_domain &d) {
  constexpr double own_share = 0.5;  // for what the outermost integral does not know
  const run_settings &s = d.settings;
  const double share = s.ndim == 1 ? 1.0 : own_share;
  return {possible_reltol(share * s.reltol), share * s.abstol, s.maxeval, std::max<int64>(1, d.least_intervals)};
}

// No sum to go on with.
inline bool is_hard(outcome o) {
  return o == outcome::callback || o == outcome::nonfinite || is_ended(o) || o == outcome::memory;
}

// What integrals inside others tell beside their values, of a run or of a thread's part in it.
struct iterated_record {
  int64 evaluations = 0, zeroed = 0;
  int64 most_of_row = 0;              // evaluations of an integral over the last axis
  outcome soft = outcome::converged;  // the worst end of one that has a value
  bool limited = false;               // some had no more evaluations

  // The end of one. Returns running where it has a value, else why those in front of it have none.
  outcome take(outcome end, bool has_value) {
    if (is_hard(end)) return end;
    if (!has_value) return end == outcome::evaluations ? end : outcome::nonfinite;
    limited = limited || end == outcome::evaluations;
    if (end != outcome::converged && end != outcome::all_zero) soft = std::max(soft, end);
    return outcome::running;
  }
  void see_row(int64 evaluations_of_row) { most_of_row = std::max(most_of_row, evaluations_of_row); }
  void add(const iterated_record &other) {
    evaluations += other.evaluations;
    most_of_row = std::max(most_of_row, other.most_of_row);
    zeroed += other.zeroed;
    soft = std::max(soft, other.soft);
    limited = limited || other.limited;
  }
};

// Where the integrand is smooth along the last axis, a few points of a rule see all of it there. Where an integral over it takes many times as many, others may have missed altogether what lies
// between their points, and the integrals in front of them are smooth: a thin shell is crossed anywhere. Behind a step of the first axis all begins anew then, once, with shorter intervals along the last.
constexpr int64 least_of_rough = 8, rules_of_rough = 20;
// least: intervals of now.
inline bool is_to_begin_anew(const iterated_domain &d, int64 least, const iterated_record &so_far) {
  const int64 points = 2 * d.rules[d.ndim() - 1].pairs + 1, left = d.settings.maxeval - so_far.evaluations;
  if (d.ndim() == 1 || d.least_intervals != 0 || least >= least_of_rough) return false;
  if (d.rules[d.ndim() - 1].rule == quadrature_rule::double_exponential) return false;
  if (so_far.most_of_row <= rules_of_rough * points || left < so_far.evaluations) return false;
  // What is left is to be enough for what there is by now.
  const auto of_last = static_cast<double>(points * (2 * least_of_rough - 1));
  return of_last * std::pow(3.0 * static_cast<double>(points), d.ndim() - 1) <= 0.5 * static_cast<double>(left);
}
// Of the first axis, and what is left of the record: evaluations.
inline axis_request begin_anew(const iterated_domain &d, iterated_record &record) {
  axis_request asked = first_request(d);
  asked.most -= record.evaluations;
  asked.least_intervals = least_of_rough;
  const int64 spent = record.evaluations;
  record = {};
  record.evaluations = spent;
  return asked;
}

// Integral: quadrature_integral, or one like it.
template <class Integral>
class iterated_axis {
 public:
  // All must stay where they are.
  void start(const iterated_domain &domain, int axis) {
    domain_ = &domain;
    axis_ = axis;
    range_ = domain.ranges[axis];
    settings_ = domain.settings_of(axis);
  }
  void begin(const axis_request &asked) {
    settings_.reltol = asked.reltol;
    settings_.abstol = asked.abstol;
    least_of_last_ = asked.least_intervals;
    settings_.least_intervals = domain_->least_intervals > 0 || domain_->is_last(axis_) ? least_of_last_ : 1;
    most_ = settings_.maxeval = asked.most;
    used_ = 0;
    integral_.begin(settings_, range_);
  }

  int axis() const { return axis_; }
  Integral &integral() { return integral_; }
  const Integral &integral() const { return integral_; }
  // Points that are wanted, each of them an integral over the axes behind this one; 0: it has ended.
  int64 wanted() const { return integral_.wanted(); }

  int64 least_of_last() const { return least_of_last_; }

  // Evaluations behind this axis.
  void use(int64 evaluations) { used_ += evaluations; }
  int64 used() const { return used_; }
  int64 left() const { return most_ - used_; }

  // ---- A step: begin_step; keep for each point; end_step. Only where there are axes behind -----------------------------------------

  // What each of the integrals inside is asked for; of the evaluations that are left one has share().
  axis_request begin_step() {
    const int64 n = wanted();
    x_.resize(at(n));
    f_.resize(at(n * domain_->components(axis_)));
    integral_.write(x_.data(), n);
    return request_inside();
  }
  double x(int64 i) const { return x_[at(i)]; }
  int64 share(int64 points) const { return left() / points; }
  void keep(int64 i, const double *value, const double *error) {
    const int64 n = wanted();
    const int ncomp = domain_->ncomp();
    for (int k = 0; k < ncomp; ++k) {
      f_[at(k * n + i)] = value[k];
      f_[at((ncomp + k) * n + i)] = value[k] + error[k];
    }
  }
  void end_step() { integral_.tell(f_.data(), wanted()); }
  // A step that comes to nothing. False: there is no value, and for the integrals in front neither.
  bool survives(outcome why) {
    if (why != outcome::evaluations || !integral_.can_stop()) return false;
    integral_.stop(why);
    return true;
  }

  // Value and error, with the errors of those behind this axis. Returns as iterated_record::take.
  outcome finish(iterated_record &record, double *value, double *error) const {
    const outcome why = record.take(integral_.end(), integral_.has_value());
    if (why == outcome::running) result(value, error);
    return why;
  }
  void result(double *value, double *error) const {
    const int ncomp = domain_->ncomp();
    for (int k = 0; k < ncomp; ++k) {
      value[k] = integral_.value()[k];
      error[k] = integral_.error()[k];
      if (!domain_->is_last(axis_)) error[k] += std::fabs(integral_.value()[ncomp + k] - value[k]);
    }
  }

 private:
  axis_request request_inside() {
    constexpr double inner_share = 0.1;  // of the tolerance
    const double length = range_.upper - range_.lower, part = inner_share / length;
    double absolute = 0.0;
    if (std::isfinite(length)) {
      double least = infinity_value();  // of the components' values so far
      if (integral_.can_stop()) {
        integral_.show_running();
        const auto value = [&](int k) { return integral_.value()[k]; };
        for (int k = 0; k < domain_->ncomp(); ++k) least = std::fmin(least, magnitude(settings_, k, value));
      }
      absolute = part * std::fmax(settings_.abstol, std::isfinite(least) ? settings_.reltol * least : 0.0);
    }
    return {possible_reltol(inner_share * settings_.reltol), std::isfinite(absolute) ? absolute : 0.0, 0,
            least_of_last_};
  }
  static std::size_t at(int64 i) { return static_cast<std::size_t>(i); }

  const iterated_domain *domain_ = nullptr;
  int axis_ = 0;
  quadrature_range range_;
  quadrature_settings settings_;
  Integral integral_;
  int64 most_ = 0, used_ = 0, least_of_last_ = 1;
  std::vector<double> x_, f_;  // of a step: [points], [components][points]
};

struct iterated_end {
  outcome end;
  bool has_value, by_inner_errors;  // the first axis has what it wants, those behind it have not
};
// Of a run whose first axis has ended so, with value[ncomp] and error[ncomp] where it has_value.
inline iterated_end conclude_iterated(const run_settings &s, outcome end, bool has_value, const iterated_record &inside,
                                      double *value, double *error) {
  bool met = has_value, by_inner_errors = false;
  for (int k = 0; k < s.ncomp && has_value; ++k)
    met = met && error[k] <= tolerated(s, k, value_and_error_arrays{value, error});
  if (end == outcome::converged && !met) {
    end = inside.limited ? outcome::evaluations : inside.soft == outcome::converged ? outcome::roundoff : inside.soft;
    by_inner_errors = !inside.limited;
  }
  // Not even the points that every axis begins with.
  if (!has_value && (end == outcome::evaluations || end == outcome::nonfinite || is_ended(end))) {
    has_value = true;
    std::fill_n(value, s.ncomp, nan_value());
    std::fill_n(error, s.ncomp, infinity_value());
  }
  return {end, has_value, by_inner_errors};
}
inline const char *why_inner_errors() { return "the errors of the inner integrals are too large for the tolerance"; }

}  // namespace tessera
