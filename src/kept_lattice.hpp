// The executor of a lattice rule with the sums that an earlier run has made: of each pass those of the items at its front.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/lattice/lattice_state.hpp"
#include "kept_answers.hpp"

namespace tessera {

template <class Executor>
class kept_lattice {
 public:
  // answers: null, or what is known and is to be kept.
  kept_lattice(Executor &exec, int ndim, int ncomp, kept_answers *answers)
      : exec_(exec), ndim_(ndim), ncomp_(ncomp), answers_(answers) {}

  int64 slice_points() const { return exec_.slice_points(); }
  // Items of a pass whose values are known, and are in the sums then; at the beginning of the pass.
  int64 recall(const lattice_pass &pass, compensated_sum *sums) {
    if (!answers_) return 0;
    const std::size_t n = numbers(pass);
    question asked(kind);
    asked.add(pass.z, ndim_).add(pass.n).add(pass.first).add(pass.stride).add(pass.count);
    asked.add(pass.first_shift).add(pass.shifts).add(pass.source.seed).add(pass.source.stream).add(pass.source.copies);
    asked.add(pass.transform).add(pass.trial).add(&sums->sum, static_cast<int64>(2 * n));
    key_ = asked.key();
    const uint64 *const known = answers_->find(key_, 1 + 2 * n);
    if (!known || *known > static_cast<uint64>(items_per_shift(pass) * pass.shifts)) return 0;
    read_words(known + 1, sums, n);
    return static_cast<int64>(*known);
  }
  outcome run(const lattice_pass &pass, int64 first, int64 end, compensated_sum *sums, int64 &done) {
    const outcome o = exec_.run(pass, first, end, sums, done);
    if (!answers_ || o != outcome::running) return o;
    const std::size_t n = numbers(pass);
    if (uint64 *const to = answers_->keep(key_, 1 + 2 * n)) {
      *to = static_cast<uint64>(end);
      write_words(to + 1, sums, n);
    }
    return o;
  }

 private:
  static constexpr uint64 kind = 0x6c617474696365;
  static_assert(sizeof(compensated_sum) == 2 * sizeof(double));
  std::size_t numbers(const lattice_pass &pass) const {
    return static_cast<std::size_t>(pass.shifts) * static_cast<std::size_t>(ncomp_);
  }

  Executor &exec_;
  const int ndim_, ncomp_;
  kept_answers *const answers_;
  answer_key key_;  // of the pass
};

}  // namespace tessera
