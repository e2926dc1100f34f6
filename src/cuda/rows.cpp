// SPDX-License-Identifier: BSD-3-Clause
#include "rows.hpp"

#include <algorithm>
#include <new>

namespace tessera {

void rows_progress::count(int64 row) {
  const many_row &r = results_.rows[static_cast<std::size_t>(row)];
  if (r.end == outcome::running) return;
  evaluations_ += r.evaluations;
  ++finished_;
  if (r.has_value) last_ = row;
}

void rows_progress::count_up_to(int64 end) {
  for (end = std::min(end, static_cast<int64>(results_.rows.size())); counted_ < end; ++counted_) count(counted_);
}

bool rows_progress::go_on() {
  look(0);
  return end_ == outcome::running;
}

void rows_progress::look(int64 evaluations_now) {
  if (end_ != outcome::running || !watch_.due()) return;
  end_ = watch_.look(evaluations_ + evaluations_now, finished_, last_ < 0 ? nullptr : value_ + last_ * ncomp_,
                     last_ < 0 ? nullptr : error_ + last_ * ncomp_);
}

void rows_progress::give_up_the_rest() {
  if (end_ == outcome::running) return;
  for (many_row &r : results_.rows)
    if (r.end == outcome::running) r.end = end_;
}

void run_rows(cuda_method &method, const many_problem &problem, const device_integrand &integrand,
              rows_progress &progress, many_results &results, double *value, double *error, device_report &report) {
  device_integrand one = integrand;
  const std::unique_ptr<tessera::problem> p = problem.common->copy();
  for (int64 row = 0; row < problem.rows() && progress.go_on(); ++row) {
    many_row &r = results.rows[static_cast<std::size_t>(row)];
    if (r.end != outcome::running) continue;
    const auto at = static_cast<std::size_t>(row) * static_cast<std::size_t>(p->ncomp());
    problem.give_row(row, *p);
    if (problem.params) one.params.assign(problem.block(row), problem.block(row) + problem.params_bytes);
    try {
      const std::unique_ptr<run_result> result = p->new_result();
      method.integrate(*p, one, progress, value + at, error + at, *result, report);
      r.take(*result);
      results.keep_message(row, result->message);
      results.peak_bytes = std::max(results.peak_bytes, result->counts().peak_bytes);
    } catch (const std::bad_alloc &) {
      r.end = outcome::memory;
      results.keep_message(row, "no memory left");
    }
    progress.count(row);
  }
}

many_results cuda_method::run_many(const many_problem &problem, const device_integrand &integrand, many_hooks &watch,
                                   double *value, double *error, device_report &report) {
  many_results results(problem.rows());
  rows_progress progress(problem, watch, results, value, error);
  run_rows(*this, problem, integrand, progress, results, value, error, report);
  progress.give_up_the_rest();
  return results;
}

}  // namespace tessera
