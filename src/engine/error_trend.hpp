// How an error falls as evaluations are spent, and what is foreseen from that.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "../core/hd.hpp"

namespace tessera {

// From the numbers at some moments.
class error_trend {
 public:
  // ratio: of the error to what is tolerated.
  void add(int64 evaluations, double ratio) {
    if (!moments_.empty() && moments_.back().n >= static_cast<double>(evaluations)) return;
    moments_.push_back({static_cast<double>(evaluations), ratio});
  }
  // Evaluations at which the tolerance will be met if the error goes on to fall as it has since there were a quarter as many.
  double needed() const {
    if (moments_.size() < 2) return infinity_value();
    const double power = seen_power();
    return power > least_power || moments_.back().ratio <= 1.0 ? at_power(power) : infinity_value();
  }
  // The same where no power of the evaluations below or above these is believed.
  double needed(double least, double most) const {
    return moments_.empty() ? infinity_value() : at_power(std::fmin(most, std::fmax(least, seen_power())));
  }
  bool has_trend() const { return moments_.size() > 1; }
  double last_evaluations() const { return moments_.empty() ? 0.0 : moments_.back().n; }

 private:
  static constexpr double least_power = 0.2;
  struct moment {
    double n, ratio;
  };
  double at_power(double power) const {
    const moment now = moments_.back();
    return now.ratio <= 1.0 ? now.n : now.n * std::pow(now.ratio, 1.0 / power);
  }
  // Of one moment nothing is seen.
  double seen_power() const {
    if (moments_.size() < 2) return 0.0;
    const moment now = moments_.back();
    moment then = moments_.front();
    for (const moment &m : moments_)
      if (m.n <= 0.25 * now.n) then = m;
    return std::log(then.ratio / now.ratio) / std::log(now.n / then.n);
  }
  std::vector<moment> moments_;
};

}  // namespace tessera
