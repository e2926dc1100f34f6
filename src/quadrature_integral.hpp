// One integral over one variable as a state machine on the host: it says at which points it wants the integrand, and is told the values. Who
// evaluates, and whether the points of other integrals are evaluated with them, is not its business.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "engine/quadrature/component_run.hpp"
#include "engine/quadrature/integral_steps.hpp"
#include "engine/quadrature/interval_rule.hpp"
#include "limited_integrand.hpp"

namespace tessera {

// With memory that grows.
class growing_estimates : public kept_estimates {
 public:
  growing_estimates() = default;
  growing_estimates(const growing_estimates &) = delete;
  growing_estimates &operator=(const growing_estimates &) = delete;

  void clear(int ncomp) {
    estimates_.resize(ends_.size() * static_cast<std::size_t>(ncomp));
    set_memory(memory());
    kept_estimates::clear(ncomp);
  }
  void keep(interval<double> on, int k, const estimate_type &e) {
    if (full()) {
      const std::size_t capacity = ends_.empty() ? 64 : 2 * ends_.size();
      ends_.resize(capacity);
      estimates_.resize(capacity * static_cast<std::size_t>(ncomp()));
      slots_.resize(2 * capacity);
      move_to(memory());
    }
    kept_estimates::keep(on, k, e);
  }
  std::size_t bytes() const {
    return ends_.size() * sizeof(interval<double>) + estimates_.size() * sizeof(estimate_type) +
           slots_.size() * sizeof(int);
  }

 private:
  arrays memory() {
    return {ends_.data(), estimates_.data(), slots_.data(), static_cast<int>(ends_.size()),
            static_cast<int>(slots_.size())};
  }

  std::vector<interval<double>> ends_;
  std::vector<estimate_type> estimates_;
  std::vector<int> slots_;
};

class quadrature_integral {
 public:
  // All must stay where they are. shape: in whose coordinates points are shown, of the parameter block `params`; null: their own.
  void begin(const quadrature_settings &s, const quadrature_range &r, const domain_shape *shape = nullptr,
             void *params = nullptr);

  int64 wanted() const { return wanted_; }  // points; 0: ended
  // x[i], and with a complement x[ldx + i].
  void write(double *x, int64 ldx);
  // Component k of point i: f[k * ldf + i]. Values that are not finite end the integral.
  void tell(const double *f, int64 ldf);
  // Ends with what there is.
  void stop(outcome why) {
    steps_.stop(why);
    prepare();
  }
  // value() and error() become those of the moment.
  void show_running() { steps_.show_running(); }

  // Would stop() leave a value?
  bool can_stop() const { return steps_.can_stop(); }
  bool has_value() const { return steps_.has_value(); }
  outcome end() const { return steps_.end(); }
  const std::string &message() const { return message_; }
  const quadrature_statistics &statistics() const { return steps_.statistics(); }
  // Of the end, or so far.
  const double *value() const { return value_.data(); }
  const double *error() const { return error_.data(); }

 private:
  void prepare();
  void prepare_level();
  interval_estimate<double> estimate(interval<double> on, int level, const double *f, int first, int n);
  bool tell_both_halves(const double *f);
  void tell_intervals(const double *f, int64 ldf);
  void tell_level(const double *f, int64 ldf);
  void count_bytes();
  void say();
  std::string find_nonfinite(const double *f, int64 ldf, int k, int first, int n);
  std::string sentence_of_nonfinite(int k, double value, double x) const;
  static std::size_t at(int64 i) { return static_cast<std::size_t>(i); }

  quadrature_settings s_;
  const quadrature_range *r_ = nullptr;
  const domain_shape *shape_ = nullptr;
  void *params_ = nullptr;
  interval_rule rule_;
  integral_steps<component_run, growing_estimates> steps_;

  int64 wanted_ = 0;
  int points_of_[mode_look::most_asked] = {};
  double u_[2 * interval_rule::most_points], jacobian_[2 * interval_rule::most_points];
  std::vector<exponential_sample> samples_;  // of a level

  std::vector<double> value_, error_, points_, exponential_value_, exponential_error_, work_;
  std::vector<outcome> ends_;
  std::vector<exponential_run::piece> pieces_;
  std::vector<exponential_run::component> components_;
  std::vector<exponential_sums> level_;
  double largest_ = 0.0;  // value, of mapped points; where holes count as 0
  std::string message_, nonfinite_;
};

}  // namespace tessera
