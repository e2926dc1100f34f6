// SPDX-License-Identifier: BSD-3-Clause
#include "iterated.hpp"

#include <algorithm>

namespace tessera {
namespace {

// Between the launches of a round.
class hooks_within final : public many_hooks {
 public:
  explicit hooks_within(run_hooks &hooks) : hooks_(hooks) {}
  bool is_wanted() const override { return hooks_.is_wanted(); }
  bool is_over() const override { return false; }
  bool due() override { return hooks_.is_wanted(); }
  outcome look(int64, int64, const double *, const double *) override { return hooks_.within_step(); }

 private:
  run_hooks &hooks_;
};

// The same among many integrals.
class progress_within final : public many_hooks {
 public:
  progress_within(many_hooks &watch, rows_progress &progress) : watch_(watch), progress_(progress) {}
  bool is_wanted() const override { return watch_.is_wanted(); }
  bool is_over() const override { return watch_.is_over(); }
  bool due() override { return watch_.due(); }
  outcome look(int64, int64, const double *, const double *) override {
    return progress_.go_on() ? outcome::running : progress_.end();
  }

 private:
  many_hooks &watch_;
  rows_progress &progress_;
};

// Between rounds.
outcome look(const iterated_call &call, run_hooks &hooks) {
  if (!hooks.is_wanted() || call.under_way().empty()) return outcome::running;
  const iterated_call::rounds::tree &t = *call.under_way().front();
  quadrature_integral &q = t.first->axis.integral();
  if (!q.can_stop()) {
    hooks.between_parts();
    return hooks.within_step();
  }
  q.show_running();
  return hooks.between_steps(t.record.evaluations, q.value(), q.error());
}

}  // namespace

std::unique_ptr<cuda_method> make_cuda_iterated(cuda_setting &setting) {
  return std::make_unique<device_iterated>(setting);
}

void device_iterated::integrate(const problem &of_a_method, const device_integrand &integrand, run_hooks &hooks,
                                double *value, double *error, run_result &to, device_report &report) {
  auto &result = static_cast<iterated_result &>(to);
  many_problem many;
  many.common = of_a_method.copy();
  many.index = {0};
  iterated_call call(device_, many, integrand, report);
  hooks_within within(hooks);
  hooks_of_row alone(hooks, of_a_method.ncomp());
  while (call.round(of_a_method.ndim() == 1 ? static_cast<many_hooks &>(alone) : within)) {
    const outcome end = look(call, hooks);
    if (end != outcome::running) call.stop(end);
  }
  const std::vector<iterated_call::answer> answers = call.take_answers();
  result.end = outcome::memory;  // not even for its beginning
  if (answers.empty()) return;
  const iterated_call::answer &a = answers.front();
  result.end = a.row.end;
  result.has_value = a.row.has_value;
  result.callback_status = a.row.callback_status;
  result.message = a.message;
  result.statistics.evaluations = a.row.evaluations;
  result.statistics.intervals = a.row.regions;
  result.statistics.steps = a.row.iterations;
  result.statistics.bytes = call.bytes();
  std::copy(a.value.begin(), a.value.end(), value);
  std::copy(a.error.begin(), a.error.end(), error);
}

many_results device_iterated::run_many(const many_problem &problem, const device_integrand &integrand,
                                       many_hooks &watch, double *value, double *error, device_report &report) {
  many_results results(problem.rows());
  rows_progress progress(problem, watch, results, value, error);
  iterated_call call(device_, problem, integrand, report);
  progress_within within(watch, progress);
  for (bool more = true; more;) {
    more = call.round(within);
    for (const iterated_call::answer &a : call.take_answers()) {
      results.rows[static_cast<std::size_t>(a.number)] = a.row;
      results.keep_message(a.number, a.message);
      std::copy(a.value.begin(), a.value.end(), value + a.number * problem.common->ncomp());
      std::copy(a.error.begin(), a.error.end(), error + a.number * problem.common->ncomp());
      progress.count(a.number);
    }
    if (more && !progress.go_on()) call.stop(progress.end());
  }
  progress.give_up_the_rest();
  for (many_row &r : results.rows)
    if (r.end == outcome::running) r.end = outcome::memory;
  results.peak_bytes = call.bytes();
  return results;
}

std::string device_iterated::evaluate(const problem &p, const device_integrand &integrand, int64 n, const double *x,
                                      double *values) {
  return device_.evaluate_points_of(p, false, integrand, n, x, values);
}

}  // namespace tessera
