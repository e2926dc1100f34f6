// The engine on host threads.
// SPDX-License-Identifier: BSD-3-Clause
#include "cubature.hpp"

namespace tessera {

run_result host_cubature(const cubature_problem &problem, run_hooks &hooks, double *value, double *error) {
  thread_pool pool(problem.threads);
  host_evaluator evaluator(problem, pool);
  host_executor executor(pool, evaluator);
  return run_on_host(problem, evaluator, executor, hooks, value, error);
}

}  // namespace tessera
