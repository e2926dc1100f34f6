// The points of sparse grids by calling the user's host function, on one thread or several.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <vector>

#include "../engine/sparse/density_bound.hpp"
#include "../engine/sparse/sparse_grid.hpp"
#include "../engine/sparse/tested_points.hpp"
#include "block_calls.hpp"

namespace tessera {

class host_sparse final : public sparse_executor, public block_calls {
 public:
  // The problem and its domain must stay where they are.
  host_sparse(const cubature_problem &problem, thread_pool &pool, run_hooks &hooks);

  void begin(const sparse_domain &domain) override;
  outcome evaluate(const sparse_step &step, double *differences) override;
  int64 bytes_of_point() const override { return 0; }
  outcome sample(int64 n, const double *x, double *values) override;
  outcome find_unexplained(const tested_set &points, const double *means, double *sizes) override;
  void read_store(int64 first, int64 end, double *numbers) const {
    std::copy_n(&store_[index(first)], end - first, numbers);
  }
  void write_store(int64 first, int64 end, const double *numbers) {
    store_.resize(index(end));
    std::copy_n(numbers, end - first, &store_[index(first)]);
  }
  // Did the last step end the run?
  bool is_ended() const { return end_ == outcome::callback || tessera::is_ended(end_); }
  // Of its threads.
  static int64 fixed_bytes(const cubature_problem &problem, int threads);

 private:
  static int64 block_for(const cubature_problem &problem);
  template <class Visit>
  static void each_index(const sparse_step &step, int64 first, int64 n, Visit visit);
  template <class Visit>
  static void in_boxes(const sparse_step &step, int64 first, int64 n, const Visit &visit);
  void write_points(int box, const sparse_index &q, const axis_link *links, int64 point, int64 count, int64 to,
                    point_block &b) const;
  void evaluate_points(const sparse_step &step, int64 first, int64 n, point_block &b);
  void sum_up(const sparse_set &all, int i, double *difference, int64 apart);
  template <class Write>
  outcome by_blocks(int64 points, const Write &write);
  void write_spread(const tested_set &set, const density_bound &bound, int64 first, int64 n, int64 to, point_block &b,
                    double *density) const;

  const int64 block_;
  const sparse_tables tables_ = make_sparse_tables();
  thread_pool &pool_;
  sparse_domain domain_ = {};
  outcome end_ = outcome::running;      // of the last step
  std::vector<double> store_, values_;  // values_: [point][ncomp] of what ranks share, and of points that are no grid's
  std::vector<point_block> work_;
};

}  // namespace tessera
