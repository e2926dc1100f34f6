// A bulk cubature that can be gone on with: its regions as words, in the place of those of before, and what was seen at each look between its
// steps. Whoever decides there, a sparse grid or TESSERA_AUTO, decides once more when the run goes on, by the limits of then, and comes to where it stood.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <new>
#include <utility>
#include <vector>

#include "engine/hooks.hpp"
#include "kept_answers.hpp"
#include "problem.hpp"

namespace tessera {

// The hooks of the driver. Without answers they are those that it is given.
template <class Driver>
class kept_course final : public run_hooks {
 public:
  kept_course(const cubature_problem &p, run_hooks &own)
      : problem_(p), answers_(p.answers), ncomp_(static_cast<std::size_t>(p.ncomp())), own_(own) {}

  // Its run from the beginning, or from where the answers leave it.
  outcome run(Driver &driver, double *value, double *error) {
    driver_ = &driver;
    if (!answers_) return driver.run(problem_.domain(), value, error);
    driver.keep_steps_whole();
    const std::vector<uint64> words = known_state();
    if (words.empty()) {
      const outcome end = driver.run(problem_.domain(), value, error);
      keep();
      return end;
    }
    driver.foresee_modes(words);
    const outcome end = look_again(value, error);
    if (end != outcome::running) return end;
    shown_ = {};
    const outcome at_last = driver.go_on(words.data(), problem_.domain(), value, error);
    keep();
    return at_last;
  }
  cubature_statistics statistics() const {
    cubature_statistics s = driver_->statistics();
    if (shown_.evaluations == 0) return s;
    s.evaluations = shown_.evaluations;
    s.regions = shown_.regions;
    s.iterations = shown_.iterations;
    s.breaks = shown_.breaks_and_level >> 1;
    return s;
  }
  listed_regions listed() const {
    return shown_.evaluations > 0 ? listed_regions{{}, shown_.regions, false} : driver_->listed();
  }
  // As of the driver. What was seen at a look of before is not there any more unless it was asked for then.
  std::vector<double> largest(int wanted, const double *weight) {
    if (!answers_) return driver_->largest(wanted, weight);
    const answer_key key = question(of_largest).add(looks_).add(wanted).add(weight, problem_.ncomp()).key();
    if (key.first == asked_.first && key.second == asked_.second) return answer_;  // once more at the same look
    asked_ = key;
    if (shown_.evaluations > 0) {
      std::size_t n = 0;
      const uint64 *const known = answers_->find_any(key, n);
      std::vector<double> records(n);
      if (known) read_words(known, records.data(), n);
      return answer_ = std::move(records);
    }
    answer_ = driver_->largest(wanted, weight);
    if (uint64 *const to = answers_->keep(key, answer_.size())) write_words(to, answer_.data(), answer_.size());
    return answer_;
  }

  bool is_wanted() const override { return own_.is_wanted(); }
  outcome between_steps(int64 n, const double *value, const double *error) override {
    return look(n, value, error, false);
  }
  outcome between_levels(int64 n, const double *value, const double *error) override {
    return look(n, value, error, true);
  }
  outcome within_step() override { return own_.within_step(); }
  // A look after each step, for the next run may ask at other ones.
  int64 until_look(int64 n) const override {
    const int64 wanted = own_.until_look(n);
    return answers_ ? 1 : wanted;
  }
  look_ahead_of_time until_early_look(int64 n) const override { return own_.until_early_look(n); }
  int64 until_level_look(int64 n) const override { return answers_ ? 1 : own_.until_level_look(n); }
  int64 most_in_step(int64 n) const override { return own_.most_in_step(n); }
  int64 evaluations_beside() const override { return own_.evaluations_beside(); }
  bool wants_state() const override { return own_.wants_state(); }
  void foresee(int64 n) override { own_.foresee(n); }
  const double *value_to_look_beside() const override { return own_.value_to_look_beside(); }
  void tell_modes(const modes_told &shares, outcome end) override { own_.tell_modes(shares, end); }

 private:
  enum kind : uint64 { of_state = 0x62756c6b, of_looks, of_look, of_largest };
  struct seen {
    int64 breaks_and_level, evaluations, regions, iterations;  // the latter in the lowest bit
    int64 modes[2];                                            // of mode_search
  };
  static constexpr std::size_t head = sizeof(seen) / sizeof(uint64);

  answer_key key_of(kind k) const {
    return question(k).add(problem_.integration_rule.family).add(problem_.integration_rule.points).key();
  }
  static answer_key key_of_look(int64 i) { return question(of_look).add(i).key(); }

  outcome look(int64 n, const double *value, const double *error, bool level) {
    if (!answers_) return tell(n, value, error, level);
    const cubature_statistics now = driver_->statistics();
    seen s = {now.breaks << 1 | (level ? 1 : 0), n, now.regions, now.iterations, {}};
    if (modes()) modes()->write_progress(s.modes);
    note(s, value, error);
    const bool has_state = driver_->has_state();
    if (has_state && own_.wants_state()) keep();
    const outcome o = stop_ != outcome::running ? stop_ : tell(n, value, error, level);
    if (has_state || !is_ended(o)) return o;
    stop_ = o;  // where there is a state to stop with
    return outcome::running;
  }
  mode_search *modes() const { return driver_->modes(); }
  outcome tell(int64 n, const double *value, const double *error, bool level) {
    return level ? own_.between_levels(n, value, error) : own_.between_steps(n, value, error);
  }

  void note(const seen &s, const double *value, const double *error) {
    uint64 *const to = answers_->keep(key_of_look(looks_++), head + 2 * ncomp_);
    if (!to) return;
    write_words(to, &s, 1);
    write_words(to + head, value, ncomp_);
    write_words(to + head + ncomp_, error, ncomp_);
  }
  // The looks of before the state, one after the other. Not running: one has ended the run.
  outcome look_again(double *value, double *error) {
    const int64 looks = *answers_->find(key_of(of_looks), 1);
    for (int64 n = 0; looks_ < looks; n = shown_.evaluations) {
      const uint64 *const known = answers_->find(key_of_look(looks_++), head + 2 * ncomp_);
      read_words(known, &shown_, 1);
      read_words(known + head, value, ncomp_);
      read_words(known + head + ncomp_, error, ncomp_);
      if (modes()) modes()->catch_up(shown_.modes);
      own_.until_look(n);  // as the driver asks
      const outcome o = tell(shown_.evaluations, value, error, (shown_.breaks_and_level & 1) != 0);
      if (o != outcome::running) return o;
    }
    return outcome::running;
  }

  void keep() try {
    std::vector<uint64> words;
    if (!driver_->write_state(words)) return;
    answers_->replace(key_of(of_state), std::move(words));
    if (uint64 *const to = answers_->keep(key_of(of_looks), 1)) *to = static_cast<uint64>(looks_);
  } catch (const std::bad_alloc &) {
    answers_->lack_memory();
  }
  // Empty: there is none, or not with all that belongs to it.
  std::vector<uint64> known_state() const {
    std::size_t n = 0;
    const uint64 *const words = answers_->find_any(key_of(of_state), n);
    const uint64 *const looks = answers_->find(key_of(of_looks), 1);
    if (!words || !looks || !driver_->is_state(words, n)) return {};
    for (uint64 i = 0; i < *looks; ++i)
      if (!answers_->find(key_of_look(static_cast<int64>(i)), head + 2 * ncomp_)) return {};
    return {words, words + n};
  }

  const cubature_problem &problem_;
  kept_answers *const answers_;
  const std::size_t ncomp_;
  run_hooks &own_;
  Driver *driver_ = nullptr;
  int64 looks_ = 0;
  seen shown_ = {};  // a look of before; its evaluations are 0 where the driver is at work
  outcome stop_ = outcome::running;
  answer_key asked_;  // for the largest errors, and what there was
  std::vector<double> answer_;
};

}  // namespace tessera
