// One solver and one lattice under random calls of tessera.h; what must hold after each.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "integrand.hpp"
#include "dice.hpp"
#include "report.hpp"
#include "tessera.h"

namespace fuzz {

// Bits that no result has, for outputs that must be left alone.
double untouched();
bool is_untouched(double v);
bool is_known(int status);

class api_fuzzer {
 public:
  api_fuzzer(std::uint64_t seed, int thread, const std::string &directory);
  ~api_fuzzer();
  api_fuzzer(const api_fuzzer &) = delete;
  api_fuzzer &operator=(const api_fuzzer &) = delete;

  void trial(std::uint64_t number);
  const counts &all() const { return counts_; }
  std::uint64_t runs() const { return runs_; }

 private:
  // Every call goes through one of these: counted, and looked at.
  template <class Call>
  int call(const char *name, const Call &body) {
    const int status = counted(counts_, thread_, name, body);
    if (!is_known(status) || status == TESSERA_ERR_INTERNAL) fail(thread_, "status %d: %s", status, last_error());
    return status;
  }
  // A failure has a message.
  template <class Call>
  int solver_call(const char *name, const Call &body) {
    const int status = call(name, body);
    if (status < 0 && solver_ && !*last_error()) fail(thread_, "status %d without a message", status);
    return status;
  }
  template <class Call>
  int lattice_call(const char *name, const Call &body) {
    const int status = call(name, body);
    if (status < 0 && lattice_ && !*tessera_lattice_last_error(lattice_))
      fail(thread_, "status %d without a message", status);
    return status;
  }
  const char *last_error() const { return solver_ ? tessera_last_error(solver_) : ""; }
  void require(bool good, const char *what) const {
    if (!good) fail(thread_, "%s (message: %s)", what, last_error());
  }

  // api_solver.cpp: set and get
  void create();
  void destroy();
  void set_something();
  void set_domain();
  void set_breakpoints();
  void set_comm();
  void set_devices();
  void set_limits();
  void set_limits_text();
  void set_simplex();
  void set_integrand();
  void set_text();
  void set_twin();
  void set_options();
  void get_options();
  void set_callbacks();
  void ask_the_library();
  void extrapolate();
  void integrate_limit();
  // api_runs.cpp
  void choose_limits();
  void integrate();
  void evaluate();
  void integrate_many();
  void look_at_results();
  void check_run(int method, int status, const double *value, const double *error, bool single);
  void plain_run();
  void exchange_regions();
  void exchange_state();
  void exchange_grid();
  void exchange_saved();
  // api_lattice.cpp
  void use_lattice();
  void make_vector();
  void set_lattice_options();
  std::vector<double> odd_reals(std::size_t n);

  const std::uint64_t seed_;
  const int thread_;
  const std::string directory_;
  counts counts_;
  dice r_;
  std::uint64_t runs_ = 0;

  tessera_solver *solver_ = nullptr;
  tessera_lattice *lattice_ = nullptr;
  int ndim_ = 1, ncomp_ = 1;
  integrand f_;
  std::vector<double> lower_, upper_;  // of the domain
  bool limits_equal_ = false;          // between such there are evaluations without a call
  bool is_simplex_ = false;            // where an evaluation may be several calls or none
  int odd_limits_ = 0;                 // what is wrong with limits that are functions
  bool batch_ = false, points_in_block_ = false, small_vector_ = false, has_callback_ = false, goes_on_ = false;
  int progress_left_ = -1;
  int log_lines_ = 0;

  static int progress(std::int64_t evaluations, int ncomp, const double *value, const double *error,
                      std::int64_t remaining, void *userdata);
  static void log(int level, const char *line, void *userdata);
  static int lattice_progress(std::int64_t done, std::int64_t all, void *userdata);
};

}  // namespace fuzz
