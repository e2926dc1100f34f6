// Between the steps of a run its state is written to a file, from time to time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <functional>
#include <utility>

#include "../engine/hooks.hpp"

namespace tessera {

class checkpoint_hooks final : public run_hooks {
 public:
  // write: null where nothing is to be written.
  checkpoint_hooks(run_hooks &own, double seconds, std::function<void()> write)
      : own_(own), seconds_(seconds), write_(std::move(write)), last_(clock::now()) {}

  bool is_wanted() const override { return write_ || own_.is_wanted(); }
  outcome between_steps(int64 evaluations, const double *value, const double *error) override {
    look();
    return own_.between_steps(evaluations, value, error);
  }
  outcome between_levels(int64 evaluations, const double *value, const double *error) override {
    look();
    return own_.between_levels(evaluations, value, error);
  }
  outcome within_step() override { return own_.within_step(); }
  void between_parts() override { look(); }
  int64 until_look(int64 n) const override { return own_.until_look(n); }
  int64 most_in_step(int64 n) const override { return own_.most_in_step(n); }
  int64 evaluations_beside() const override { return own_.evaluations_beside(); }
  bool wants_state() const override { return write_ && is_due(); }
  void foresee(int64 n) override { own_.foresee(n); }

 private:
  using clock = std::chrono::steady_clock;
  bool is_due() const { return std::chrono::duration<double>(clock::now() - last_).count() >= seconds_; }
  void look() {
    if (!write_ || !is_due()) return;
    write_();
    last_ = clock::now();  // what writing takes does not count
  }

  run_hooks &own_;
  const double seconds_;
  const std::function<void()> write_;
  clock::time_point last_;
};

}  // namespace tessera
