// Sums of lattice rules by calling the user's host function, on one thread or several.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "../engine/lattice/lattice_state.hpp"
#include "block_calls.hpp"
#include "method.hpp"

namespace tessera {

class host_lattice : public block_calls {
 public:
  host_lattice(const lattice_problem &problem, thread_pool &pool);

  // See engine/lattice/lattice_rule.hpp.
  static int64 slice_points() { return int64{1} << 20; }
  outcome run(const lattice_pass &pass, int64 first, int64 &end, compensated_sum *sums);
  void watch(run_hooks &hooks) { block_calls::watch(work_, hooks); }

  static memory_needs needs(const lattice_problem &problem, int threads);

 private:
  static int64 block_for(const lattice_problem &problem);
  void sum_item(const lattice_pass &pass, int64 item, point_block &b, compensated_sum *to);

  const lattice_problem &problem_;
  bool jacobians_ = false;  // there are any
  std::vector<compensated_sum> parts_;
  std::vector<point_block> work_;  // of each thread
};

}  // namespace tessera
