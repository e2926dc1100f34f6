// Sums of lattice rules by calling the user's host function, on one thread or several.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "../problem.hpp"
#include "../engine/lattice/lattice_state.hpp"
#include "pool.hpp"

namespace tessera {

class host_lattice {
 public:
  host_lattice(const lattice_problem &problem, thread_pool &pool);

  // See engine/lattice_rule.hpp.
  static int64 slice_points() { return int64{1} << 20; }
  outcome run(const lattice_pass &pass, int64 first, int64 end, compensated_sum *sums);

  int callback_status() const { return failure_.status; }
  const std::string &message() const { return failure_.message; }
  int64 work_bytes() const;

 private:
  struct failure {
    int64 item = -1;
    outcome what = outcome::running;
    int status = 0;
    std::string message;
  };
  // Per thread: coordinates x[coordinates][block], jacobians and values f[ncomp][block], and one point.
  struct workspace {
    std::vector<double> x, jacobian, f, point;
  };

  void prepare(workspace &w) const;
  void sum_item(const lattice_pass &pass, int64 item, workspace &w, compensated_sum *to);
  int call(int64 n, workspace &w) const;
  void report_nonfinite(int64 item, int64 n, const workspace &w);
  void report(int64 item, outcome what, int status, const std::string &message);

  const lattice_problem &problem_;
  thread_pool &pool_;
  const int coordinates_;   // ndim, or twice as many with the complements
  int64 block_;             // points of one call
  bool jacobians_ = false;  // there are any
  std::vector<compensated_sum> parts_;
  std::vector<workspace> work_;
  std::mutex mutex_;
  failure failure_;
  std::atomic<int64> first_failed_{-1};
};

// A run on the threads of a pool; value[ncomp] and error[ncomp].
lattice_result host_lattice_rule(const lattice_problem &problem, thread_pool &pool, run_hooks &hooks, double *value, double *error);

}  // namespace tessera
