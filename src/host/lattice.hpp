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
  int64 slice_points() const { return ranks_there() * std::max(int64{1} << 20, call_points_); }
  outcome run(const lattice_pass &pass, int64 first, int64 end, compensated_sum *sums, int64 &done);
  void watch(run_hooks &hooks) { block_calls::watch(work_, hooks); }

  static memory_needs needs(const lattice_problem &problem, int threads);
  int64 work_bytes() const;  // that there are

 private:
  // Eight chains of additions that run side by side: term i of a sum goes to chain i modulo 8.
  struct chained_sum {
    double chain[8] = {};
    template <class Term>
    void add(int64 first, int64 n, const Term &term);
    bool is_finite() const;
    double value() const;
  };
  // Of a thread.
  struct workspace : point_block {
    std::vector<chained_sum> sums;  // [ncomp], of the block that the points have come to
  };

  static int64 block_for(const lattice_problem &problem);
  static int64 thread_bytes(const lattice_problem &problem, int64 points);
  static int64 room_for(const lattice_problem &problem, int threads);
  void share_out(const lattice_pass &pass, int64 first, int64 end);
  void sum_items(const lattice_pass &pass, int64 first, int64 end, workspace &w, compensated_sum *to);
  bool add_values(const lattice_pass &pass, int64 first, int64 begin, int64 q, int64 n, bool weights, workspace &w,
                  compensated_sum *to);

  const lattice_problem &problem_;
  bool jacobians_ = false;  // there are any
  const int64 block_;       // points that are summed up before their sum is added to others: the same for every form
  std::vector<compensated_sum> parts_;
  std::vector<workspace> work_;
};

}  // namespace tessera
