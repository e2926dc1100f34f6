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
  // Evaluations at which the tolerance will be met if the error goes on to fall as it has since there were a quarter as many, by no
  // higher power of the evaluations than the one given.
  double needed(double most_power = infinity_value()) const {
    if (moments_.size() < 2) return infinity_value();
    const moment now = moments_.back();
    if (now.ratio <= 1.0) return now.n;
    moment then = moments_.front();
    for (const moment &m : moments_)
      if (m.n <= 0.25 * now.n) then = m;
    const double power = std::fmin(most_power, std::log(then.ratio / now.ratio) / std::log(now.n / then.n));
    return power > least_power ? now.n * std::pow(now.ratio, 1.0 / power) : infinity_value();
  }
  bool is_empty() const { return moments_.empty(); }
  double last_evaluations() const { return moments_.empty() ? 0.0 : moments_.back().n; }
  double last_ratio() const { return moments_.empty() ? infinity_value() : moments_.back().ratio; }

 private:
  static constexpr double least_power = 0.2;
  struct moment {
    double n, ratio;
  };
  std::vector<moment> moments_;
};

}  // namespace tessera
