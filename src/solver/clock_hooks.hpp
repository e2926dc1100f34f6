// What a run asks between its steps: the clock and the user's progress callback.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cmath>

#include "../engine/hooks.hpp"
#include "options.hpp"
#include "tessera.h"

namespace tessera {

// Looks at the clock and the progress callback between the steps of a run.
class clock_hooks : public run_hooks {
 public:
  // inside: true while the progress callback runs.
  clock_hooks(tessera_progress progress, void *userdata, int ncomp, const option_values &options, bool &inside)
      : progress_(progress),
        userdata_(userdata),
        every_(options.get_real(TESSERA_PROGRESS_SECONDS)),
        limit_(options.get_real(TESSERA_MAX_SECONDS)),
        ncomp_(ncomp),
        inside_(inside) {
    settings_.reltol = options.get_real(TESSERA_RELTOL);
    settings_.abstol = options.get_real(TESSERA_ABSTOL);
    if (progress_ || limit_ > 0.0) start_ = clock::now();
  }

  outcome between_steps(int64 evaluations, const double *value, const double *error) override {
    if (!progress_ && limit_ <= 0.0) return outcome::running;
    const double t = std::chrono::duration<double>(clock::now() - start_).count();
    if (limit_ > 0.0 && t >= limit_) return outcome::time;
    if (progress_ && t >= next_) {
      next_ = t + every_;
      const int64 left = remaining(evaluations, value, error);
      inside_ = true;
      const int stop = progress_(evaluations, ncomp_, value, error, left, userdata_);
      inside_ = false;
      if (stop != 0) return outcome::stopped;
    }
    return outcome::running;
  }

 private:
  using clock = std::chrono::steady_clock;

  // The error is taken to fall like a power of the evaluations, the power read off since the last report.
  int64 remaining(int64 evaluations, const double *value, const double *error) {
    double ratio = 0.0;
    for (int k = 0; k < ncomp_; ++k) ratio = std::fmax(ratio, error[k] / tolerated(settings_, value[k]));
    const double n = static_cast<double>(evaluations);
    int64 guess = -1;
    if (last_ratio_ > ratio && ratio > 1.0 && n > last_n_ && std::isfinite(last_ratio_)) {
      const double power = std::log(last_ratio_ / ratio) / std::log(n / last_n_);
      const double left = n * (std::pow(ratio, 1.0 / power) - 1.0);
      if (left < 9e18) guess = static_cast<int64>(left);
    }
    last_ratio_ = ratio;
    last_n_ = n;
    return guess;
  }

  tessera_progress progress_;
  void *userdata_;
  const double every_, limit_;
  const int ncomp_;
  run_settings settings_;  // the tolerances
  bool &inside_;
  clock::time_point start_;
  double next_ = 0.0;
  double last_ratio_ = 0.0, last_n_ = 0.0;
};

}  // namespace tessera
