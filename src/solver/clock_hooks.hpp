// What a run asks between its steps and within them: the clock and the user's progress callback.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "../engine/hooks.hpp"
#include "../rough_clock.hpp"
#include "options.hpp"
#include "tessera.h"

namespace tessera {

// The clock and the callback, for one integral or many.
class progress_clock {
 public:
  // inside: true while the callback runs.
  progress_clock(tessera_progress progress, void *userdata, int ncomp, const option_values &options, bool &inside)
      : progress_(progress),
        userdata_(userdata),
        ncomp_(ncomp),
        every_(options.get_real(TESSERA_PROGRESS_SECONDS)),
        limit_(options.get_real(TESSERA_MAX_SECONDS)),
        inside_(inside) {
    if (!is_wanted()) return;
    start_ = clock::now();
    rough_start_ = rough_seconds();
  }
  bool is_wanted() const { return progress_ || limit_ > 0.0; }

  // Is there something to do? Sets `end` when the time is over.
  bool is_due(outcome &end) const {
    if (!is_wanted()) return false;
    const double t = seconds();
    if (limit_ > 0.0 && t >= limit_) end = outcome::time;
    return end != outcome::running || (progress_ && t >= next_);
  }
  // Asked at many points: is the time over? On any thread.
  bool is_over() const { return limit_ > 0.0 && rough_seconds() - rough_start_ >= limit_ && seconds() >= limit_; }
  // Has the callback not been called for much longer than it should have been? On the caller's thread.
  bool is_overdue() const {
    constexpr double long_step = 0.25;
    return progress_ && rough_seconds() - rough_start_ >= next_ + std::max(every_, long_step);
  }
  // By the pace so far, of which nothing is known at first.
  int64 evaluations_in(double time, int64 evaluations) const {
    constexpr int64 unknown = int64{1} << 24;
    if (!is_wanted()) return INT64_MAX;
    if (evaluations <= 0) return unknown;
    const double n = static_cast<double>(evaluations) * time / std::max(seconds(), 1e-6);
    return n < 9e18 ? std::max<int64>(1, static_cast<int64>(n)) : INT64_MAX;
  }
  // Until the limit, or in a hundredth of it where there is less left.
  int64 evaluations_left(int64 evaluations) const {
    if (!(limit_ > 0.0) || evaluations <= 0) return INT64_MAX;
    return evaluations_in(std::max(limit_ - seconds(), 0.01 * limit_), evaluations);
  }
  // A callback that throws stops the run, and what it threw is its message.
  outcome report(int64 evaluations, const double *value, const double *error, int64 remaining) {
    next_ = seconds() + every_;
    inside_ = true;
    int stop = 1;
    try {
      stop = progress_(evaluations, ncomp_, value, error, remaining, userdata_);
    } catch (const std::exception &e) {
      message_ = std::string("the progress callback threw an exception: ") + e.what();
    } catch (...) {
      message_ = "the progress callback threw an exception";
    }
    inside_ = false;
    return stop != 0 ? outcome::stopped : outcome::running;
  }
  const std::string &message() const { return message_; }

 private:
  using clock = std::chrono::steady_clock;
  double seconds() const { return std::chrono::duration<double>(clock::now() - start_).count(); }

  const tessera_progress progress_;
  void *const userdata_;
  const int ncomp_;
  const double every_, limit_;
  bool &inside_;
  clock::time_point start_;
  double rough_start_ = 0.0, next_ = 0.0;
  std::string message_;
};

// For a run of one integral.
class clock_hooks : public run_hooks {
 public:
  clock_hooks(tessera_progress progress, void *userdata, int ncomp, const option_values &options, bool &inside)
      : clock_(progress, userdata, ncomp, options, inside),
        ncomp_(ncomp),
        reports_(progress != nullptr),
        value_(reports_ ? static_cast<std::size_t>(ncomp) : 0, 0.0),
        error_(value_.size(), infinity_value()) {
    settings_.reltol = options.get_real(TESSERA_RELTOL);
    settings_.abstol = options.get_real(TESSERA_ABSTOL);
    settings_.complex_values = options.get_int(TESSERA_COMPLEX) != 0;
  }

  bool is_wanted() const override { return clock_.is_wanted(); }
  outcome between_steps(int64 evaluations, const double *value, const double *error) override {
    if (reports_) {
      evaluations_ = evaluations;
      std::copy_n(value, ncomp_, value_.begin());
      std::copy_n(error, ncomp_, error_.begin());
    }
    outcome end = outcome::running;
    if (!clock_.is_due(end) || end != outcome::running) return end;
    remaining_ = remaining(evaluations, value, error);
    return clock_.report(evaluations, value, error, remaining_);
  }
  int64 until_look(int64 evaluations) const override { return clock_.evaluations_in(look_seconds, evaluations); }
  int64 most_in_step(int64 evaluations) const override { return clock_.evaluations_left(evaluations); }
  // What was known at the last step is shown again.
  outcome within_step() override {
    if (clock_.is_over()) return outcome::time;
    const outcome end = end_.load(std::memory_order_relaxed);
    if (end != outcome::running || !reports_ || std::this_thread::get_id() != caller_ || !clock_.is_overdue())
      return end;
    const outcome now = clock_.report(evaluations_, value_.data(), error_.data(), remaining_);
    end_.store(now, std::memory_order_relaxed);
    return now;
  }
  const std::string &message() const { return clock_.message(); }

 private:
  // The error is taken to fall like a power of the evaluations, the power read off since the last report.
  int64 remaining(int64 evaluations, const double *value, const double *error) {
    double ratio = 0.0;
    const value_and_error_arrays now = {value, error};
    for (int k = 0; k < ncomp_; ++k) ratio = std::fmax(ratio, error[k] / tolerated(settings_, k, now));
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

  static constexpr double look_seconds = 0.05;

  progress_clock clock_;
  const int ncomp_;
  const bool reports_;  // there is a callback
  const std::thread::id caller_ = std::this_thread::get_id();
  std::atomic<outcome> end_{outcome::running};  // that the callback asked for within a step
  int64 evaluations_ = 0, remaining_ = -1;      // of the last step
  std::vector<double> value_, error_;
  run_settings settings_;  // the tolerances
  double last_ratio_ = 0.0, last_n_ = 0.0;
};

}  // namespace tessera
