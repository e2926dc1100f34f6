// One integral over one variable as a state machine: it says at which points it wants the integrand, and is told the values. Who evaluates, and whether
// the points of other integrals are evaluated with them, is not its business.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <vector>

#include "../engine/quadrature/component_run.hpp"
#include "../engine/quadrature/exponential_run.hpp"
#include "../engine/quadrature/interval_rule.hpp"
#include "../limited_integrand.hpp"

namespace tessera {

// Components are integrated one after the other, each by a run of its own; an interval that one of them has had is not evaluated again.
class quadrature_integral {
 public:
  // All must stay where they are. shape: in whose coordinates points are shown; null: their own.
  void begin(const quadrature_settings &s, const quadrature_range &r, const domain_shape *shape = nullptr);

  int64 wanted() const { return wanted_; }  // points; 0: ended
  // x[i], and with a complement x[ldx + i].
  void write(double *x, int64 ldx);
  // Component k of point i: f[k * ldf + i]. Values that are not finite end the integral.
  void tell(const double *f, int64 ldf);
  // Ends with what there is.
  void stop(outcome why);
  // value() and error() become those of the moment.
  void show_running();

  // Would stop() leave a value?
  bool can_stop() const {
    if (in_exponential_) return tried_adaptive_ || exponential_.has_value() || !saved_.value.empty();
    return has_value_ || !saved_.value.empty() ||
           (component_ < s_.ncomp && run_.has_value() && (!fourier_ || (passes_ > 0 && !whole_)));
  }
  bool has_value() const { return has_value_; }
  outcome end() const { return end_; }
  const std::string &message() const { return message_; }
  const quadrature_statistics &statistics() const { return statistics_; }
  // Of the end, or so far.
  const double *value() const { return value_.data(); }
  const double *error() const { return error_.data(); }

 private:
  struct bits_of_interval {
    uint64 lower, upper;
    bool operator==(const bits_of_interval &o) const { return lower == o.lower && upper == o.upper; }
  };
  struct hash {
    std::size_t operator()(const bits_of_interval &b) const {
      return static_cast<std::size_t>((b.lower * 0x9e3779b97f4a7c15u) ^
                                      (b.upper + (b.lower >> 29)) * 0xbf58476d1ce4e5b9u);
    }
  };

  struct result {
    double value, error;
    outcome end;
  };
  struct results {
    std::vector<double> value, error;
  };

  void set_map(bool infinite);
  void begin_adaptive();
  void begin_pair();
  bool next_pass_of_pair();
  tolerances<double> wanted_of_run() const;
  void begin_component();
  void begin_side();
  bool next_pass();
  void advance();
  bits_of_interval key(interval<double> on) const;
  bool ask();
  interval_estimate<double> estimate_of_point(double f, int i);
  interval_estimate<double> estimate(interval<double> on, int level, const double *f, int first, int n);
  void see(const interval_estimate<double> &e) {
    if (e.value != 0.0 || e.error != 0.0 || e.size != 0.0) zero_ = false;
  }
  void tell_run(const interval_estimate<double> *e);
  void tell_intervals(const double *f, int64 ldf);
  void count_bytes();
  void find_nonfinite(const double *f, int64 ldf, int k, int first, int n);
  void end_component();
  void conclude_adaptive();
  void begin_exponential();
  void take_exponential();
  void end_exponential(outcome end);
  double excess(const double *value, const double *error) const;
  void choose_better(outcome end);
  void finish(outcome end);
  outcome outcome_of(quadrature_end e);
  bool met(int k) const {
    return error_[at(k)] <= tolerated(s_, k, value_and_error_arrays{value_.data(), error_.data()});
  }
  static std::size_t at(int k) { return static_cast<std::size_t>(k); }

  quadrature_settings s_;
  const quadrature_range *r_ = nullptr;
  const domain_shape *shape_ = nullptr;
  range_map map_;
  std::vector<double> points_;  // between which the pieces are
  interval_rule rule_;
  component_run run_;
  exponential_run exponential_;
  bool in_exponential_ = false, tried_adaptive_ = false, tried_exponential_ = false;
  outcome adaptive_end_ = outcome::running;
  std::string adaptive_message_;
  results saved_;  // of the double-exponential rule that was tried first and did not converge
  int component_ = 0;
  // Of a complex value, whose two parts are integrated one after the other, in several passes: the absolute tolerance of both.
  double absolute_of_pair_ = 0.0;
  int passes_of_pair_ = 0;
  std::string message_before_;
  // Of an infinite range with an oscillating weight: from `lower` on in u, with x = -u where it is mirrored.
  bool fourier_ = false, mirrored_ = false, whole_ = false;
  int passes_ = 0;
  double absolute_ = 0.0;
  result first_side_ = {0.0, 0.0, outcome::running};

  int64 wanted_ = 0;
  int missing_[2] = {0, 0}, missing_count_ = 0, points_of_[2] = {0, 0};
  double u_[2 * interval_rule::most_points], jacobian_[2 * interval_rule::most_points];
  std::vector<double> away_;
  bool keeps_ = false;
  std::vector<interval_estimate<double>> estimates_;  // [intervals][ncomp], of those that are kept
  std::unordered_map<bits_of_interval, std::size_t, hash> kept_;

  std::vector<double> value_, error_, work_;
  std::vector<outcome> ends_;
  outcome end_ = outcome::running;
  bool has_value_ = false, zero_ = true;
  double largest_ = 0.0;  // value, of mapped points; where holes count as 0
  std::string message_;
  quadrature_statistics statistics_;
};

}  // namespace tessera
