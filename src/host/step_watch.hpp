// A thread's look at the clock between the points at which it calls the integrand, and how many of them it gives to one call.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "../engine/hooks.hpp"
#include "../rough_clock.hpp"

namespace tessera {

// How often it looks follows from what the points before have cost: after each one where they take milliseconds, after most_apart where
// they take none.
class step_watch {
 public:
  // For the points of one run. The pace of a run before is kept for the same function.
  void start(run_hooks &hooks, const host_integrand &f) {
    hooks_ = hooks.is_wanted() ? &hooks : nullptr;
    end_ = outcome::running;
    left_ = apart_ = 1;
    then_ = is_wanted() ? rough_seconds() : 0.0;
    if (function_ != f.batch) forget();
    function_ = f.batch;
  }
  bool is_wanted() const { return hooks_ != nullptr; }
  outcome end() const { return end_; }  // why a step does not go on

  // n points, or as much work as that, have been done. False: the step ends here.
  bool goes_on(int64 n) {
    left_ -= n;
    return left_ > 0 || look();
  }

  int64 until_look() const { return is_wanted() ? left_ : INT64_MAX; }  // points, 1 or more

  // call(first, points) for n points, at most `most` at a time. Returns the status of the integrand, or ended.
  static constexpr int ended = -0x7e55e4a;
  template <class Call>
  int each_batch(int64 n, int64 most, const Call &call) {
    for (int64 i = 0; i < n;) {
      const int64 now = std::min({n - i, most, is_wanted() ? batch_ : n});
      const int status = is_wanted() ? timed(i, now, call) : call(i, now);
      if (status != 0) return status;
      i += now;
      if (is_wanted() && !look()) return ended;
    }
    return 0;
  }

  // Points that take no longer than some tens of milliseconds.
  int64 room(bool batch) const {
    if (!is_wanted() || (!batch && apart_ == most_apart)) return INT64_MAX;
    return batch ? batch_ : apart_;
  }

 private:
  static constexpr int64 most_apart = 128;
  static constexpr double long_apart = 5e-3, batch_seconds = 20e-3;

  bool look() {
    const double now = rough_seconds(), passed = now - then_;
    then_ = now;
    apart_ = passed <= long_apart
                 ? std::min(2 * apart_, most_apart)
                 : std::max<int64>(1, static_cast<int64>(static_cast<double>(apart_) * long_apart / passed));
    left_ = apart_;
    end_ = hooks_ ? hooks_->within_step() : outcome::running;
    return end_ == outcome::running;
  }

  template <class Call>
  int timed(int64 first, int64 n, const Call &call) {
    using clock = std::chrono::steady_clock;
    const auto start = clock::now();
    const int status = call(first, n);
    learn(static_cast<double>(n), std::chrono::duration<double>(clock::now() - start).count());
    return status;
  }
  // A call costs so much for itself and so much for each point, as the last two of different size show. Where the first is the larger
  // part, smaller calls would not end sooner.
  void learn(double n, double seconds) {
    const bool first = last_points_ == 0.0;
    if (!first && seconds > 4.0 * (own_ + n * per_point_) + batch_seconds) return forget();  // these points are others
    if (n != last_points_) {
      per_point_ = (seconds - last_seconds_) / (n - last_points_);
      last_points_ = n;
    }
    last_seconds_ = seconds;
    own_ = std::max(0.0, seconds - n * per_point_);
    const double most = std::max(4.0 * n, static_cast<double>(batch_));
    const double fit = per_point_ > 0.0 ? std::max(batch_seconds - own_, own_) / per_point_ : most;
    batch_ = static_cast<int64>(std::max(first ? 2.0 : 1.0, std::min({fit, most, 1e15})));
  }

  void forget() {
    batch_ = 1;
    last_points_ = last_seconds_ = 0.0;
  }

  run_hooks *hooks_ = nullptr;
  outcome end_ = outcome::running;
  int64 left_ = 1, apart_ = 1;  // points until the next look, and from one to the next
  double then_ = 0.0;           // of the last look
  batch_function function_ = nullptr;
  int64 batch_ = 1;  // points of a call
  double last_points_ = 0.0, last_seconds_ = 0.0, per_point_ = 0.0, own_ = 0.0;
};

}  // namespace tessera
