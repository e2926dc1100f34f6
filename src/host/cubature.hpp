// One run of the engine on host threads: the choice of the driver.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../engine/bulk.hpp"
#include "../engine/worst_first.hpp"
#include "evaluator.hpp"
#include "executor.hpp"
#include "pool.hpp"

namespace tessera {

inline run_result run_on_host(const cubature_problem &problem, host_evaluator &evaluator, host_executor &executor,
                              run_hooks &hooks, double *value, double *error) {
  constexpr int look_ahead_per_thread = 4;
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
