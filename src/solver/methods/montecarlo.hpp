// TESSERA_MONTECARLO: what the solver knows of it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../engine/montecarlo/sampling_state.hpp"
#include "../method.hpp"

namespace tessera {

class monte_carlo_method final : public method {
 public:
  static constexpr method_number number = method_monte_carlo;
  using method::method;
  void save_grid(const char *path) const;
  void load_grid(const char *path);
  void get_grid(double *edges) const;
  void set_grid(const double *edges);
  void get_state(std::int64_t n, double *state, std::int64_t *count) const;
  void set_state(std::int64_t n, const double *state);
  void get_chi2(double *chi2) const;

  bool hands_weights() const override { return true; }
  // Numbers of cuRAND are made one after the other.
  bool shares_evaluations(bool on_host) const override {
    return on_host || !is_of_curand(static_cast<int>(get_int(TESSERA_GENERATOR)));
  }
  void sign(fingerprint &to) const override {
    to.add(given_state_);
    if (get_int(TESSERA_KEEP_GRID) != 0 || grid_is_given_) to.add(grid_);
  }
  void begin_run() override;
  problem &prepare(bool on_host) override;
  void record_empty() override;
  void start(bool on_host) override;
  void start_many(bool on_host) override;
  run_result &new_result() override { return result_ = {}; }
  void record(bool on_host) override;
  std::string summary(const std::string &where) const override;
  void end_run() override {
    given_state_.clear();
    shown_chi_square_.clear();
  }

 private:
  sampling_problem problem_;
  sampling_result result_;
  std::vector<double> grid_;    // of importance sampling, from the last run or a file; or empty
  bool grid_is_given_ = false;  // by a file or as numbers, and not used yet
  std::vector<double> grid_of_run_;
  std::vector<double> state_;             // of the last run with VEGAS, if it is kept
  std::vector<double> given_state_;       // to start the next run from
  std::vector<double> chi_square_;        // of the last run; empty: there was none
  std::vector<double> shown_chi_square_;  // of the run that goes on
};

}  // namespace tessera
