// Many integrals of one integrand in one call: the seam between the solver and the places where they are run.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "problem.hpp"

namespace tessera {

// The integrals that need a run, one a row. They share everything but the box and, where there are blocks, the parameters.
struct many_problem {
  std::unique_ptr<problem> common;                  // without rows of limits its box is that of all
  std::vector<int64> index;                         // [rows] place among the caller's integrals
  const double *lower = nullptr, *upper = nullptr;  // the caller's limits, by `index`; or null
  bool any_mapped = false;                          // axis of a row
  int64 small_regions = 1;                          // cubature: first regions of what a small part of a device works at
  const unsigned char *params = nullptr;            // the caller's blocks, by `index`
  std::size_t params_bytes = 0;

  int64 of_rows = 0;  // of the call that these are a part of, by which the place decides how to run them

  int64 rows() const { return static_cast<int64>(index.size()); }
  const unsigned char *block(int64 row) const { return params + at(row) * params_bytes; }
  // Some of them: rows first ... first + n - 1.
  many_problem part(int64 first, int64 n) const {
    many_problem p;
    p.common = common->copy();
    p.common->threads = static_cast<int>(std::min<int64>(common->threads, n));
    p.index.assign(index.begin() + first, index.begin() + first + n);
    p.lower = lower;
    p.upper = upper;
    p.any_mapped = any_mapped;
    p.of_rows = of_rows;
    p.small_regions = small_regions;
    p.params = params;
    p.params_bytes = params_bytes;
    return p;
  }
  // Makes a copy of `common` the problem of a row.
  void give_row(int64 row, problem &p) const {
    p.begin_row();
    const std::size_t first = at(row) * static_cast<std::size_t>(p.ndim());
    if (lower) p.set_limits(p.ndim(), lower + first, upper + first);
  }

 private:
  std::size_t at(int64 row) const { return static_cast<std::size_t>(index[static_cast<std::size_t>(row)]); }
};

struct many_row {
  outcome end = outcome::stopped;
  bool has_value = false;
  bool elsewhere = false;  // another rank has it
  int callback_status = 0;
  int64 evaluations = 0, regions = 0, iterations = 0;
  int64 zeroed = 0;  // see run_result
  double zeroed_share = 0.0;

  void take(const run_result &one) {
    end = one.end;
    has_value = one.has_value;
    callback_status = one.callback_status;
    zeroed = one.zeroed;
    zeroed_share = one.zeroed_share;
    const run_counts counts = one.counts();
    evaluations = counts.evaluations;
    regions = counts.regions;
    iterations = counts.iterations;
  }
};

struct many_results {
  std::vector<many_row> rows;
  std::vector<std::string> messages;  // for each outcome, without and with a value, that of its first row
  std::vector<int64> message_rows;
  int64 region_bytes = 0, peak_bytes = 0;
  int threads = 1;  // of the host that there were

  explicit many_results(int64 n) : rows(static_cast<std::size_t>(n)), messages(kinds), message_rows(kinds, -1) {}
  // rows[row] has its outcome.
  void keep_message(int64 row, const std::string &message) {
    const std::size_t k = kind(row);
    if (message.empty() || (message_rows[k] >= 0 && message_rows[k] <= row)) return;
    message_rows[k] = row;
    messages[k] = message;
  }
  std::string message_of(int64 row) const {
    const std::size_t k = kind(row);
    return message_rows[k] == row ? messages[k] : std::string();
  }

 private:
  static constexpr std::size_t kinds = 2 * (static_cast<std::size_t>(outcome::running) + 1);
  std::size_t kind(int64 row) const {
    const many_row &r = rows[static_cast<std::size_t>(row)];
    return 2 * static_cast<std::size_t>(r.end) + (r.has_value ? 1 : 0);
  }
};

// What is asked while they are run, on the caller's thread but for is_over.
struct many_hooks {
  virtual ~many_hooks() = default;
  virtual bool is_wanted() const = 0;  // can there be anything to look at?
  virtual bool is_over() const = 0;    // the time; on any thread
  virtual bool due() = 0;              // is there anything to look at now?
  // evaluations: of all rows so far; value[ncomp] and error[ncomp] of one that is finished, or null. Returns running, time or
  // stopped: then no further row is begun, and those under way end.
  virtual outcome look(int64 evaluations, int64 finished, const double *value, const double *error) = 0;
};

}  // namespace tessera
