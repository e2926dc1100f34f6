// The handle: problem, options, statistics, callbacks and the last error of one solver.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "../place.hpp"
#include "../failure.hpp"
#include "../jit/host_compiler.hpp"
#include "../jit/integrand_source.hpp"
#include "options.hpp"
#include "tessera.h"
#include "twins.hpp"

namespace tessera {

// A text as the public functions receive it, or the path of its file, which is read now. Throws failure.
integrand_source make_source(int language, const char *text_or_path, bool is_file, const char *function);

constexpr int host = -1, any_device = -2;  // values of TESSERA_DEVICE

int compile_status(const compile_error &e);  // a compiler or linker that is missing is not the text's fault

// What is wrong with the limits of a domain; empty when nothing is.
std::string trouble_with_limits(int ndim, const double *lower, const double *upper);

// The finite box that is divided and the way from there to the user's limits, which may be reversed and infinite.
void set_box(cubature_problem &p, int ndim, const double *lower, const double *upper);

// What limits in the wrong order do to the value: -1, 1, or 0 where limits are equal.
int orientation(int ndim, const double *lower, const double *upper);

}  // namespace tessera

struct tessera_solver {
 public:
  tessera_solver(int ndim, int ncomp);

  void set_domain(const double *lower, const double *upper);
  void set_integrand(tessera_integrand batch, tessera_integrand1 point, void *userdata);
  void set_integrand_device(tessera_device_integrand batch, void *userdata);
  void set_integrand_source(int language, const char *source, const char *function);
  void set_integrand_file(int language, const char *path, const char *function);
  void set_integrand_code(int form, const void *code, std::size_t bytes, const char *function);
  void set_twin(const void *function, const void *userdata);
  void set_stream(void *stream) { stream_ = stream; }
  void set_params(const void *params, std::size_t bytes);
  void set_lattice(const tessera_lattice *l);
  void save_grid(const char *path) const;
  void load_grid(const char *path);
  void get_grid(double *edges) const;
  void set_grid(const double *edges);
  void get_state(std::int64_t n, double *state, std::int64_t *count) const;
  void set_state(std::int64_t n, const double *state);
  void get_chi2(double *chi2) const;
  void reset() { options_.reset(); }
  void set_int(int key, std::int64_t value);
  void set_real(int key, double value);
  std::int64_t get_int(int key) const;
  double get_real(int key) const;
  void set_progress(tessera_progress fn, void *userdata);
  void set_log(tessera_log fn, void *userdata);
  int integrate(int method, double *value, double *error);
  int integrate_many(int method, std::int64_t count, const void *params, std::size_t params_bytes, const double *lower,
                     const double *upper, double *value, double *error, int *status);
  void get_regions(std::int64_t first, std::int64_t n, double *records, std::int64_t *count) const;
  void set_regions(std::int64_t n, const double *records, std::int64_t evaluations);

  // Guards against calls from the solver's own callbacks. The progress callback may read the regions and the state.
  bool busy = false;
  bool in_progress_callback = false;
  mutable std::string last_error;

 private:
  void take_source(tessera::integrand_source next);
  int cubature(int device, double *value, double *error);
  const tessera::cubature_problem &make_problem(int device);
  int lattice(int device, double *value, double *error);
  tessera::lattice_problem make_lattice_problem() const;
  bool is_empty_domain(double *value, double *error) const;
  int conclude(const tessera::run_result &result, const std::vector<double> &v, const std::vector<double> &e, double *value,
               double *error);
  int host_threads() const;  // all processors for TESSERA_THREADS = 0
  int choose_rule() const;
  int choose_device(int method) const;
  int do_without_device(const std::string &why) const;
  tessera::cubature_result run(int &device, tessera::run_hooks &hooks, double *value, double *error);
  tessera::lattice_result run(tessera::lattice_problem &problem, int &device, tessera::run_hooks &hooks, double *value,
                              double *error);
  tessera::sampling_result run(tessera::sampling_problem &problem, int &device, std::vector<double> &grid,
                               tessera::run_hooks &hooks, double *value, double *error, double *chi_square);
  template <class Problem, class Body>
  auto run_on_device(const Problem &problem, int device, Body body);
  template <class Problem, class Prepare, class Body>
  auto run_somewhere(Problem &problem, int &device, Prepare prepare, Body body);
  template <class Body>
  auto reach_device(Body body);
  template <class There, class Here>
  auto device_or_host(int &device, There there, Here here);
  template <class Check>
  void use_host_form(tessera::host_integrand &integrand, int &threads, int coordinates, Check check);
  const tessera::compiled_source &compiled_for_host(int coordinates);
  void use_source(tessera::host_integrand &integrand, int &threads, int coordinates);
  tessera::many_problem make_many(int device, std::int64_t count, const void *params, std::size_t params_bytes,
                                  const double *lower, const double *upper, std::vector<int> &status);
  tessera::many_results run_many(tessera::many_problem &problem, int &device, tessera::many_hooks &watch, double *value,
                                 double *error);
  tessera::many_results run_many_on_host(tessera::many_problem &problem, tessera::many_hooks &watch, double *value,
                                         double *error);
  tessera::many_results run_many_on_device(const tessera::many_problem &problem, int device, tessera::many_hooks &watch,
                                           double *value, double *error);
  void record_many(const tessera::many_results &results, const tessera::many_problem &problem, int device);
  int monte_carlo(int device, double *value, double *error);
  tessera::sampling_problem make_sampling_problem() const;
  tessera::place &place_on(int device);
  tessera::place &place_here();
  struct form_name {
    std::string full, brief, article;
  };
  form_name device_form_name() const;
  form_name source_name() const;
  template <class Problem, class Form>
  void check_form(const Problem &problem, const form_name &name, Form form);
  template <class Problem>
  void check_on_device(const Problem &problem, const tessera::device_integrand &integrand, tessera::place &there);
  template <class Problem>
  void check_fallback(const Problem &problem, void *block);
  tessera::device_integrand device_integrand() const;
  void take_report(const tessera::device_report &report, int device);
  void *params() const { return params_.empty() ? nullptr : const_cast<std::max_align_t *>(params_.data()); }
  bool has_callback() const { return batch_ || point_; }
  bool has_source() const { return !source_.function.empty(); }
  bool has_code() const { return has_source() && tessera::is_device_code(source_.language); }
  bool has_host_form() const { return has_callback() || (has_source() && !has_code()); }
  bool has_device_form() const { return device_batch_ || has_source(); }
  void begin_statistics();
  void record(const tessera::cubature_result &result, int device);
  void log(int level, const std::string &line) const;

  const int ndim_, ncomp_;
  std::vector<double> lower_, upper_;
  // The integrand: a callback, a text or compiled code, a callback for a device, or one of each kind.
  tessera_integrand batch_ = nullptr;
  tessera_integrand1 point_ = nullptr;
  void *userdata_ = nullptr;
  tessera_device_integrand device_batch_ = nullptr;
  void *device_userdata_ = nullptr;
  std::vector<std::max_align_t> params_;
  std::size_t params_bytes_ = 0;
  tessera::integrand_source source_;                        // no function: there is none
  std::shared_ptr<tessera::twin> twin_;                     // that source_ is of
  std::unique_ptr<tessera::compiled_source> host_code_;     // of source_
  int host_coordinates_ = 0;                                // numbers a point that it takes
  tessera::cubature_problem problem_;                       // of the last run
  std::unique_ptr<tessera::place> host_place_;
  bool regions_there_ = false;                              // host_place_ has those of the last run
  std::vector<double> given_;                               // records to start the next run from
  std::int64_t given_count_ = 0, given_evaluations_ = 0;
  std::vector<double> value_, error_;
  std::unique_ptr<tessera::place> device_place_;
  int device_of_place_ = -1;
  void *stream_ = nullptr;                                  // the caller's, for that place
  bool checked_ = false;  // what runs on the device (or source_, where there is none) and the callback give the same values
  bool warned_of_calls_ = false;                                // that the device calls source_
  tessera::lattice_vector vector_;                          // of set_lattice; no z: the built-in one
  std::vector<double> grid_;                                // of importance sampling, from the last run or a file; or empty
  std::vector<double> state_;                               // of the last run with VEGAS, if it is kept
  std::vector<double> given_state_;                         // to start the next run from
  std::vector<double> chi_square_;                          // of the last run; empty: there was none
  tessera_progress progress_ = nullptr;
  void *progress_data_ = nullptr;
  tessera_log log_ = nullptr;
  void *log_data_ = nullptr;
  tessera::option_values options_;
};
