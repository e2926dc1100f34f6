// The handle: problem, options, statistics, callbacks and the last error of one solver.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "backend.hpp"
#include "options.hpp"
#include "tessera.h"

namespace tessera {

// Leaves a call with a negative status and a sentence.
class failure : public std::runtime_error {
 public:
  failure(int status, const std::string &sentence) : std::runtime_error(sentence), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

}  // namespace tessera

struct tessera_solver {
 public:
  tessera_solver(int ndim, int ncomp);

  void set_domain(const double *lower, const double *upper);
  void set_integrand(tessera_integrand batch, tessera_integrand1 point, void *userdata);
  void set_params(const void *params, std::size_t bytes);
  void set_int(int key, std::int64_t value);
  void set_real(int key, double value);
  std::int64_t get_int(int key) const;
  double get_real(int key) const;
  void set_progress(tessera_progress fn, void *userdata);
  void set_log(tessera_log fn, void *userdata);
  int integrate(int method, double *value, double *error);

  // Guards against calls from the solver's own callbacks.
  bool busy = false;
  mutable std::string last_error;

 private:
  int cubature(double *value, double *error);
  tessera::cubature_problem make_problem() const;
  int choose_rule() const;
  void record(const tessera::run_result &result, const tessera::cubature_problem &problem);
  void log(int level, const std::string &line) const;

  const int ndim_, ncomp_;
  std::vector<double> lower_, upper_;
  tessera_integrand batch_ = nullptr;
  tessera_integrand1 point_ = nullptr;
  void *userdata_ = nullptr;
  std::vector<std::max_align_t> params_;
  tessera_progress progress_ = nullptr;
  void *progress_data_ = nullptr;
  tessera_log log_ = nullptr;
  void *log_data_ = nullptr;
  tessera::option_values options_;
};
