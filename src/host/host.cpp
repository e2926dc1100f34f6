// The engine on host threads.
// SPDX-License-Identifier: BSD-3-Clause
#include "../backend.hpp"
#include "../engine/bulk.hpp"
#include "../engine/worst_first.hpp"
#include "evaluator.hpp"
#include "executor.hpp"
#include "pool.hpp"

namespace tessera {
namespace {

constexpr int look_ahead_per_thread = 4;

}  // namespace

run_result host_cubature(const cubature_problem &problem, run_hooks &hooks, double *value, double *error) {
  thread_pool pool(problem.threads);
  host_evaluator evaluator(problem, pool);
  host_executor executor(pool, evaluator);
  run_result result;
  const auto run = [&](auto &&driver) {
    result.end = driver.run(problem.lower.data(), problem.upper.data(), value, error);
    result.statistics = driver.statistics();
  };
  if (problem.worst_first) {
    const int ahead = problem.threads > 1 ? look_ahead_per_thread * problem.threads : 1;
    run(worst_first<host_executor, host_evaluator>(executor, evaluator, problem.settings, hooks, ahead));
  } else {
    run(bulk<host_executor>(executor, problem.settings, evaluator.points(), hooks));
  }
  result.has_value = result.statistics.evaluations > 0;
  result.callback_status = evaluator.callback_status();
  result.sentence = evaluator.sentence();
  result.statistics.peak_bytes += evaluator.work_bytes();
  return result;
}

}  // namespace tessera
