// Many integrals on one device: those that are run one after another, and the account of what is finished.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "method.hpp"

namespace tessera {

// Asks the progress callback on behalf of all rows.
class rows_progress final : public run_hooks {
 public:
  rows_progress(const many_problem &problem, many_hooks &watch, many_results &results, const double *value,
                const double *error)
      : watch_(watch), results_(results), value_(value), error_(error), ncomp_(problem.common->ncomp()) {
    for (many_row &r : results.rows) r.end = outcome::running;
  }

  // A row is finished, or all before `end` that are not left for later.
  void count(int64 row);
  void count_up_to(int64 end);
  // False when the call is to end.
  bool go_on();
  outcome end() const { return end_; }  // why not
  // The rows that were not run end as the call does.
  void give_up_the_rest();

  outcome between_steps(int64 evaluations, const double *, const double *) override {
    look(evaluations);
    return end_;
  }

 private:
  void look(int64 evaluations_now);

  many_hooks &watch_;
  many_results &results_;
  const double *const value_, *const error_;
  const int64 ncomp_;
  int64 counted_ = 0, evaluations_ = 0, finished_ = 0, last_ = -1;
  outcome end_ = outcome::running;
};

// Asks the hooks of a single run on behalf of its only row.
class hooks_of_row final : public many_hooks {
 public:
  hooks_of_row(run_hooks &hooks, int ncomp)
      : hooks_(hooks),
        none_(static_cast<std::size_t>(ncomp), 0.0),
        infinite_(static_cast<std::size_t>(ncomp), infinity_value()) {}
  bool is_wanted() const override { return hooks_.is_wanted(); }
  bool is_over() const override { return false; }
  bool due() override { return hooks_.is_wanted(); }
  outcome look(int64 evaluations, int64, const double *value, const double *error) override {
    return hooks_.between_steps(evaluations, value ? value : none_.data(), error ? error : infinite_.data());
  }

 private:
  run_hooks &hooks_;
  const std::vector<double> none_, infinite_;
};

// Runs the rows whose end is `running`, each on the whole device. What differs from row to row is data: kernels and memory stay.
void run_rows(cuda_method &method, const many_problem &problem, const device_integrand &integrand,
              rows_progress &progress, many_results &results, double *value, double *error, device_report &report);

}  // namespace tessera
