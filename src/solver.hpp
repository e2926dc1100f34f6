// The handle: problem, options, statistics, callbacks and the last error of one solver.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "backend.hpp"
#include "device.hpp"
#include "host/compiled_source.hpp"
#include "integrand_source.hpp"
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
  void set_integrand_source(int language, const char *source, const char *function);
  void set_integrand_file(int language, const char *path, const char *function);
  void set_integrand_code(int form, const void *code, std::size_t bytes, const char *function);
  void set_stream(void *stream) { stream_ = stream; }
  void set_params(const void *params, std::size_t bytes);
  void save_grid(const char *path) const;
  void load_grid(const char *path);
  void get_chi2(double *chi2) const;
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
  void take_source(tessera::integrand_source next);
  int cubature(int device, double *value, double *error);
  int monte_carlo(double *value, double *error);
  tessera::sampling_problem make_sampling_problem() const;
  bool empty_domain() const;
  void hand_out(const std::vector<double> &v, const std::vector<double> &e, double *value, double *error) const;
  tessera::cubature_problem make_problem(int device) const;
  int choose_rule() const;
  int choose_device(int method) const;
  int do_without_device(const std::string &why) const;
  tessera::run_result run(tessera::cubature_problem &problem, int &device, tessera::run_hooks &hooks, double *value,
                          double *error);
  tessera::run_result run_on_host(tessera::cubature_problem &problem, tessera::run_hooks &hooks, double *value,
                                  double *error);
  tessera::run_result run_on_device(const tessera::cubature_problem &problem, int device, tessera::run_hooks &hooks,
                                    double *value, double *error);
  const tessera::compiled_source &compiled_for_host();
  void use_source(tessera::host_integrand &integrand, int &threads);
  tessera::device_session &session(int device);
  template <class Source>
  void check_source(const tessera::cubature_problem &problem, Source source) const;
  void check_fallback(const tessera::cubature_problem &problem);
  void *params() const { return params_.empty() ? nullptr : const_cast<std::max_align_t *>(params_.data()); }
  bool has_callback() const { return batch_ || point_; }
  bool has_source() const { return !source_.function.empty(); }
  bool has_code() const { return has_source() && tessera::is_device_code(source_.language); }
  bool has_host_form() const { return has_callback() || !has_code(); }
  void record(const tessera::run_result &result, const tessera::cubature_problem &problem, int device);
  void log(int level, const std::string &line) const;

  const int ndim_, ncomp_;
  std::vector<double> lower_, upper_;
  // The integrand: a callback, a text or compiled code, or one of each kind.
  tessera_integrand batch_ = nullptr;
  tessera_integrand1 point_ = nullptr;
  void *userdata_ = nullptr;
  std::vector<std::max_align_t> params_;
  std::size_t params_bytes_ = 0;
  tessera::integrand_source source_;                        // no function: there is none
  std::unique_ptr<tessera::compiled_source> host_code_;     // of source_
  std::unique_ptr<tessera::device_session> session_;
  int session_device_ = -1;
  void *stream_ = nullptr;                                  // the caller's, for the session
  bool checked_ = false;                                    // source_ and the callback give the same values
  bool told_called_ = false;                                // that the device calls source_
  std::vector<double> grid_;                                // of importance sampling, from the last run or a file; or empty
  std::vector<double> chi_square_;                          // of the last run; empty: there was none
  tessera_progress progress_ = nullptr;
  void *progress_data_ = nullptr;
  tessera_log log_ = nullptr;
  void *log_data_ = nullptr;
  tessera::option_values options_;
};
