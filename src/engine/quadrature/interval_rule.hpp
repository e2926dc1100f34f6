// A rule on one interval whose points and values go apart: Gauss-Kronrod, by itself or with one of the weights.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "end_rule.hpp"
#include "null_rules.hpp"
#include "oscillating_rule.hpp"
#include "pair_counts.hpp"
#include "pole_rule.hpp"
#include "quadrature.hpp"

namespace tessera {

class interval_rule {
 public:
  static constexpr int most_points = 61;

  // The range of rules that know its ends.
  void begin(const quadrature_settings &s, interval<double> range) {
    s_ = &s;
    range_ = range;
    ends_.reset();
    pole_.reset();
    if (s.has_ends())
      ends_.emplace(kronrod_of<double, 7>, cosines<double>, range, s.alpha, s.beta, s.lower_log(), s.upper_log(),
                    log_sums::exact);
    if (s.weight == quadrature_weight::pole) pole_.emplace(kronrod_of<double, 7>, cosines<double>, s.pole);
    if (!s.is_oscillating()) {
      oscillating_.reset();
    } else if (!oscillating_ || omega_ != s.omega || sine_ != (s.weight == quadrature_weight::sine)) {
      start_moments();
    }
  }
  // Moments belong to lengths that are those of the range over powers of 2.
  void start_moments() {
    moments_.resize(25 * moment_rows);
    omega_ = s_->omega;
    sine_ = s_->weight == quadrature_weight::sine;
    oscillating_.emplace(kronrod_of<double, 7>, cosines<double>, std::fabs(omega_), sine_,
                         moment_table<double, int>{moments_.data(), moment_rows, 0});
  }
  void set_range(interval<double> range) { range_ = range; }

  bool is_plain() const { return s_->weight == quadrature_weight::none; }

  // Writes the points, at most most_points. Returns how many there are.
  int points(interval<double> on, int level, double *u) {
    if (!is_plain()) return weighted_points(on, level, u);
    return with_pairs(s_->pairs, [&](auto count) { return kronrod_points(kronrod_of<double, count.value>, on, u); });
  }

  // Of the values at those points.
  interval_estimate<double> estimate(interval<double> on, int level, const double *value) {
    if (!is_plain()) return weighted_estimate(on, level, value);
    return with_pairs(s_->pairs, [&](auto count) { return kronrod<count.value>(on, value); });
  }

 private:
  static constexpr int moment_rows = 40;

  template <int Pairs>
  static int kronrod_points(const kronrod_pair<double, Pairs> &rule, interval<double> on, double *u) {
    const double centre = 0.5 * (on.lower + on.upper), half = 0.5 * (on.upper - on.lower);
    u[0] = centre;
    for (int p = 0; p < Pairs; ++p) {
      const double distance = half * rule.node[p];
      u[1 + p] = centre - distance;
      u[1 + Pairs + p] = centre + distance;
    }
    return 2 * Pairs + 1;
  }
  template <int Pairs>
  static interval_estimate<double> kronrod(interval<double> on, const double *value) {
    return estimate_carefully(kronrod_of<double, Pairs>, null_weights_of<double, Pairs>, 0.5 * (on.upper - on.lower),
                              value);
  }

  template <class Function>
  interval_estimate<double> apply(interval<double> on, int level, Function &&f) {
    if (ends_) return ends_->apply(on, f);
    if (pole_) return pole_->apply(on, f);
    return oscillating_->apply(on, level, f);
  }
  // Rules with weights ask for values in an order that does not depend on them. At an end of the range they are taken next to it.
  int weighted_points(interval<double> on, int level, double *u) {
    int n = 0;
    const double beside = 4.0 * real_limits<double>::spacing * (on.upper - on.lower);
    apply(on, level, [&](double x) {
      const double at = x <= range_.lower ? range_.lower + beside : (x >= range_.upper ? range_.upper - beside : x);
      u[n++] = at;
      return 0.0;
    });
    return n;
  }
  // A value beside an end of the range that is far above all others is that of a singularity, and left out.
  interval_estimate<double> weighted_estimate(interval<double> on, int level, const double *value) {
    constexpr double far = 1e3;
    int n = 0;
    double largest = 0.0;
    apply(on, level, [&](double x) {
      const double v = value[n++];
      if (x > range_.lower && x < range_.upper) largest = std::fmax(largest, std::fabs(v));
      return 0.0;
    });
    n = 0;
    return apply(on, level, [&](double x) {
      const double v = value[n++];
      const bool at_end = x <= range_.lower || x >= range_.upper;
      return at_end && std::fabs(v) > far * largest && largest > 0.0 ? 0.0 : v;
    });
  }

  const quadrature_settings *s_ = nullptr;
  interval<double> range_ = {0.0, 1.0};
  std::optional<end_rule<double>> ends_;
  std::optional<pole_rule<double>> pole_;
  std::vector<double> moments_;
  double omega_ = 0.0;
  bool sine_ = false;
  std::optional<oscillating_rule<double, int>> oscillating_;
};

}  // namespace tessera
