// Evaluates the samples of a Monte Carlo pass by calling the user's host function, on one thread or several.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "block_calls.hpp"

namespace tessera {

class host_sampler : public block_calls {
 public:
  host_sampler(const sampling_problem &problem, thread_pool &pool);

  // What engine/montecarlo/monte_carlo.hpp asks of an executor.
  outcome run_plain(const sample_pass &pass, int64 first, int64 samples, sample_sums *sums);
  outcome run(const sample_pass &pass, const sample_piece *pieces, int64 n, sample_sums *sums, double *spread);
  static int64 slice_samples(bool) { return cut_samples; }
  static std::size_t slice_pieces() { return std::size_t{1} << 17; }
  double take_training(uint64 *counts);

  int64 work_bytes() const;

 private:
  // Per thread.
  struct workspace : point_block {
    std::vector<double> grid, boost;       // grid, boost: with a grid
    std::vector<unsigned char> bins;       // bins[j*block_ + i], with a grid
    std::vector<uint64> training;          // with a grid
    std::vector<sample_moments> moments;   // of one piece
  };
  // Samples first .. first+n-1 of a piece, at places offset .. in the block.
  struct stretch {
    int64 piece, first, n, offset;
  };

  void make_items(const sample_piece *pieces, int64 n);
  void prepare(workspace &w, bool grid) const;
  void sum_item(const sample_pass &pass, const sample_piece *pieces, int64 first, int64 end, int64 item, workspace &w,
                sample_sums *sums, double *spread, double &squares);
  bool evaluate(const sample_pass &pass, const sample_piece *pieces, const std::vector<stretch> &all, int64 item,
                workspace &w);
  void fill(const sample_pass &pass, const sample_piece *pieces, const std::vector<stretch> &all, int64 samples,
            workspace &w) const;
  double train(const sample_pass &pass, const sample_piece &piece, int64 from, int64 to, workspace &w) const;

  const sampling_problem &problem_;
  bool infinite_;
  std::vector<workspace> work_;
  std::vector<sample_piece> plain_;
  std::vector<double> unused_;      // spreads
  std::vector<int64> items_;        // pieces items_[i] ... items_[i + 1] - 1 are the work of one thread at a time
  std::vector<sample_sums> parts_;  // of each item
  std::vector<double> squares_;     // of each item's training
  double training_squares_ = 0.0;
};

// A run on the threads of a pool; value[ncomp] and error[ncomp].
sampling_result host_monte_carlo(const sampling_problem &problem, thread_pool &pool, std::vector<double> &grid, run_hooks &hooks,
                                 double *value, double *error, double *chi_square);

}  // namespace tessera
