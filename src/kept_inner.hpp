// Integrals over the inner axes of an iterated integral, behind points of the outer ones, that are known from an earlier run or are to be kept. One that had too few
// evaluations depends on how many there were, and is not kept.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "engine/iterated/iterated_axis.hpp"
#include "kept_answers.hpp"

namespace tessera {

class kept_inner {
 public:
  // answers: null where none are kept.
  kept_inner(kept_answers *answers, int ncomp) : answers_(answers), ncomp_(static_cast<std::size_t>(ncomp)) {}

  bool is_used() const { return answers_ != nullptr; }
  // Behind the coordinates x[0 .. n - 1]. record: empty. On any thread, while nothing is kept.
  bool recall(const double *x, int n, const axis_request &asked, iterated_record &record, double *value,
              double *error) const {
    const uint64 *const known = answers_ ? answers_->find(key_of(x, n, asked), head + 2 * ncomp_) : nullptr;
    if (!known || asked.most < static_cast<int64>(known[0])) return false;
    record.evaluations = static_cast<int64>(known[1]);
    record.soft = static_cast<outcome>(known[2]);
    record.most_of_row = static_cast<int64>(known[3]);
    read_words(known + head, value, ncomp_);
    read_words(known + head + ncomp_, error, ncomp_);
    return true;
  }
  void keep(const double *x, int n, const axis_request &asked, const iterated_record &record, const double *value,
            const double *error) {
    if (!answers_ || record.limited || record.zeroed > 0) return;
    uint64 *const to = answers_->keep(key_of(x, n, asked), head + 2 * ncomp_);
    if (!to) return;
    to[0] = static_cast<uint64>(asked.most);
    to[1] = static_cast<uint64>(record.evaluations);
    to[2] = static_cast<uint64>(record.soft);
    to[3] = static_cast<uint64>(record.most_of_row);
    write_words(to + head, value, ncomp_);
    write_words(to + head + ncomp_, error, ncomp_);
  }

 private:
  static constexpr std::size_t head = 4;
  static answer_key key_of(const double *x, int n, const axis_request &asked) {
    constexpr uint64 kind = 0x697465726174;
    question q(kind);
    for (int j = 0; j < n; ++j) q.add(x[j]);
    return q.add(asked.reltol).add(asked.abstol).add(asked.least_intervals).key();
  }

  kept_answers *const answers_;
  const std::size_t ncomp_;
};

}  // namespace tessera
