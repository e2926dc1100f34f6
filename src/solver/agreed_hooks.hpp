// The clock and the callback of a run that ranks share: what ends it on one of them ends it on all, after the same step.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstring>

#include "../engine/hooks.hpp"
#include "../ranks.hpp"

namespace tessera {

class agreed_hooks final : public run_hooks {
 public:
  // all: null for a run of one process. wanted: on some rank; the same on all of them.
  agreed_hooks(run_hooks &own, ranks *all, bool wanted) : own_(own), all_(all), wanted_(wanted) {}

  bool is_wanted() const override { return all_ ? wanted_ : own_.is_wanted(); }
  // They tell each other at evaluations that they have agreed upon the time before: about as often as each would look at its clock.
  outcome between_steps(int64 evaluations, const double *value, const double *error) override {
    if (!all_) return own_.between_steps(evaluations, value, error);
    if (!wanted_) return outcome::running;
    if (end_ == outcome::running) end_ = own_.between_steps(evaluations, value, error);
    if (evaluations < next_) return outcome::running;
    struct {
      outcome end;
      int64 wait;
    } mine = {end_, std::max<int64>(1, std::min(own_.until_look(evaluations), evaluations))}, its = mine;
    const ranks::gathered all = all_->exchange(ranks::step::look, static_cast<uint64>(evaluations), &mine, sizeof mine);
    int64 wait = mine.wait;
    outcome end = outcome::running;
    for (int r = 0; r < all_->size(); ++r) {
      std::memcpy(&its, all.of(r), sizeof its);
      wait = std::min(wait, its.wait);
      if (end == outcome::running) end = its.end;
    }
    next_ = evaluations + wait;
    return end;
  }
  outcome within_step() override { return own_.within_step(); }
  // Until the next time that all have agreed upon: of the first nothing is known.
  int64 until_look(int64 n) const override {
    constexpr int64 unknown = int64{1} << 24;
    if (!all_) return own_.until_look(n);
    return !wanted_ ? INT64_MAX : (next_ > n ? next_ - n : unknown);
  }
  // What a step may have is not to depend on the clock of a rank.
  int64 most_in_step(int64 n) const override { return all_ ? INT64_MAX : own_.most_in_step(n); }
  int64 evaluations_beside() const override { return own_.evaluations_beside(); }
  void foresee(int64 evaluations) override { own_.foresee(evaluations); }

 private:
  run_hooks &own_;
  ranks *const all_;
  const bool wanted_;
  int64 next_ = 0;
  outcome end_ = outcome::running;  // of this rank
};

// For a run that each rank makes for itself: within a step it would end on one of them alone.
class hooks_between_steps final : public run_hooks {
 public:
  explicit hooks_between_steps(run_hooks &all) : all_(all) {}
  bool is_wanted() const override { return all_.is_wanted(); }
  outcome between_steps(int64 evaluations, const double *value, const double *error) override {
    return all_.between_steps(evaluations, value, error);
  }
  outcome between_levels(int64 evaluations, const double *value, const double *error) override {
    return all_.between_levels(evaluations, value, error);
  }
  void between_parts() override { all_.between_parts(); }
  int64 until_look(int64 evaluations) const override { return all_.until_look(evaluations); }
  int64 most_in_step(int64 evaluations) const override { return all_.most_in_step(evaluations); }
  int64 evaluations_beside() const override { return all_.evaluations_beside(); }
  bool wants_state() const override { return all_.wants_state(); }
  void foresee(int64 evaluations) override { all_.foresee(evaluations); }
  const double *value_to_look_beside() const override { return all_.value_to_look_beside(); }
  void tell_modes(const modes_told &shares, outcome end) override { all_.tell_modes(shares, end); }

 private:
  run_hooks &all_;
};

}  // namespace tessera
