// The handle: problem, options, statistics, callbacks and the last error of one solver.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../failure.hpp"
#include "../place.hpp"
#include "../ranks.hpp"
#include "../jit/host_compiler.hpp"
#include "../jit/integrand_source.hpp"
#include "../limited_integrand.hpp"
#include "kept_run.hpp"
#include "method.hpp"
#include "options.hpp"
#include "signature.hpp"
#include "tessera.h"
#include "twins.hpp"

namespace tessera {

// A text as the public functions receive it, or the path of its file, which is read now; axis: that it gives limits of, or -1. Throws failure.
integrand_source make_source(int language, const char *text_or_path, bool is_file, const char *function, int axis = -1);

// How a parameter goes to 0 in tessera_integrate_limit, and where its table goes.
struct approach {
  std::size_t offset;
  double first, ratio;
  int extrapolation, most;
};
struct limit_table {
  int *count;
  double *parameter, *values, *errors;
};

constexpr int host = -1, any_device = -2;  // values of TESSERA_DEVICE

int compile_status(const compile_error &e);  // a compiler or linker that is missing is not the text's fault

}  // namespace tessera

struct tessera_solver {
 public:
  tessera_solver(int ndim, int ncomp);

  void set_domain(const double *lower, const double *upper);
  void set_limits(int axis, tessera_limits fn, void *userdata);
  void set_limits_source(int axis, int language, const char *source, const char *function);
  void set_simplex(int map, const double *vertices);
  void set_integrand(tessera_integrand batch, tessera_integrand1 point, void *userdata);
  void set_integrand_device(tessera_device_integrand batch, void *userdata);
  void set_integrand_source(int language, const char *source, const char *function);
  void set_integrand_file(int language, const char *path, const char *function);
  void set_integrand_code(int form, const void *code, std::size_t bytes, const char *function);
  void set_twin(const void *function, const void *userdata);
  void set_devices(int n, const int *ordinals);
  void set_stream(void *stream) { stream_ = stream; }
  void set_params(const void *params, std::size_t bytes);
  void set_comm(int kind, const void *comm, std::size_t bytes);  // kind: enum tessera_comm_handle
  void reset() { options_.reset(); }
  void set_int(int key, std::int64_t value);
  void set_real(int key, double value);
  std::int64_t get_int(int key) const;
  double get_real(int key) const;
  void set_progress(tessera_progress fn, void *userdata);
  void set_log(tessera_log fn, void *userdata);
  void log(int level, const std::string &line) const;
  int integrate(int method, double *value, double *error);
  void save_state(const char *path) const;
  void load_state(const char *path);
  void set_checkpoint(const char *path) { checkpoint_ = path ? path : ""; }
  int evaluate(std::int64_t n, const double *x, double *f);
  int integrate_many(int method, std::int64_t count, const void *params, std::size_t params_bytes, const double *lower,
                     const double *upper, double *value, double *error, int *status);

  int integrate_limit(int method, const tessera::approach &to_zero, double *value, double *error,
                      const tessera::limit_table &table);

  // What it keeps for a method, which has functions of its own.
  template <class Method>
  Method &of() const {
    return static_cast<Method &>(method_of(Method::number));
  }

  // Guards against calls from the solver's own callbacks. The progress callback may read the regions and the state.
  bool busy = false;
  bool in_progress_callback = false;
  mutable std::string last_error;

 private:
  void sign(tessera::signature &to, bool for_state = false) const;
  void begin_state(int method, bool on_host);
  void end_state();
  bool writes_checkpoints() const;
  void write_checkpoint() const;
  std::function<void()> checkpoint_writer() const;
  void write_kept(const std::string &path) const;
  void take_state(const std::string &name, const unsigned char *bytes, std::size_t n);
  void agree(const tessera::signature &mine);
  void confirm(int status, std::uint64_t result);
  template <class Body>
  int together(const Body &body);
  double agreed_seconds(double own) const;  // the most of all ranks, where the time is limited
  int integrate_here(int method, double *value, double *error);
  int integrate_many_here(int method, std::int64_t count, const void *params, std::size_t params_bytes,
                          const double *lower, const double *upper, double *value, double *error, int *status);
  int integrate_limit_here(int method, const tessera::approach &to_zero, double *value, double *error,
                           const tessera::limit_table &table);
  void require_many(int method, std::int64_t count, const void *params, std::size_t params_bytes, const double *lower,
                    const double *upper, const double *value, const double *error) const;
  tessera::many_results run_many_on_ranks(tessera::method &m, tessera::many_problem &problem, int &device,
                                          tessera::many_hooks &watch, double *value, double *error);
  void change_limits(int axis, tessera::axis_limits limits, std::unique_ptr<tessera::integrand_source> text);
  void make_box();
  std::string trouble_with_shape_on_devices(const tessera::method &m) const;
  void compile_limits(int &threads);
  std::vector<double> limits_of_boxes(std::int64_t count, const double *asked, double end) const;
  void take_source(tessera::integrand_source next);
  tessera::method &method_of(tessera::method_number which) const;
  void begin_run();
  void end_run();
  tessera::problem &prepare(tessera::method &m, bool on_host);
  bool is_empty_domain(double *value, double *error) const;
  void conclude(const tessera::run_settings &asked, const tessera::run_result &result, const std::vector<double> &v,
                const std::vector<double> &e, double *value, double *error);
  std::string explain_limit(const tessera::run_settings &asked, tessera::outcome end, const std::vector<double> &v,
                            const std::vector<double> &e) const;
  int host_threads() const;  // all processors for TESSERA_THREADS = 0
  void require_form(int wanted) const;
  int choose_device(const tessera::method &m, bool many) const;
  int device_if_any() const;
  std::vector<int> devices_with(int device) const;
  void agree_on_place(const tessera::place &there);
  int do_without_device(const std::string &why) const;
  void forget_failed_device();
  tessera::run_result &run(tessera::method &m, tessera::problem *problem, int &device, tessera::run_hooks &hooks,
                           double *value, double *error, std::size_t level);
  int integrate_automatically(double *value, double *error, bool alone = true);
  class automatic_course;
  int integrate_many_automatically(std::int64_t count, const void *params, std::size_t params_bytes,
                                   const double *lower, const double *upper, double *value, double *error, int *status);
  struct chosen_method {
    int method;
    bool sobol;  // TESSERA_MONTECARLO with Sobol points
    std::int64_t evaluations;
  };
  chosen_method choose_for_many(std::int64_t count, const void *params, std::size_t params_bytes, const double *lower,
                                const double *upper);
  std::unique_ptr<tessera::problem> common_problem(tessera::method &m, int device);
  template <class Body>
  auto reach_device(Body body);
  template <class There, class Here>
  auto device_or_host(int &device, There there, Here here);
  template <class Check>
  void use_host_form(tessera::host_integrand &integrand, int &threads, int coordinates, Check check);
  const tessera::compiled_source &compiled_for_host(int coordinates);
  void tell_compiled(const tessera::compiled_source &code);
  void use_source(tessera::host_integrand &integrand, int &threads, int coordinates);
  tessera::many_problem make_many(tessera::method &m, int device, std::int64_t count, const void *params,
                                  std::size_t params_bytes, const double *lower, const double *upper,
                                  std::vector<int> &status);
  tessera::many_results run_many(tessera::method &m, tessera::many_problem &problem, int &device,
                                 tessera::many_hooks &watch, double *value, double *error);
  tessera::many_results run_many_on_host(tessera::many_problem &problem, tessera::many_hooks &watch, double *value,
                                         double *error);
  tessera::many_results run_many_on_device(const tessera::method &m, const tessera::many_problem &problem, int device,
                                           tessera::many_hooks &watch, double *value, double *error);
  void record_many(tessera::method &m, const tessera::many_results &results, int device);
  tessera::place &place_on(int device, std::size_t level = 0);
  tessera::place &place_here(std::size_t level = 0);
  struct form_name {
    std::string full, brief, article;
  };
  form_name device_form_name() const;
  form_name source_name() const;
  struct form_points {  // coordinate j of point i at x[j*n + i]
    int n;
    std::vector<double> x;
    bool of_the_box;  // a simplex is not there yet
  };
  form_points points_of_domain(const tessera::problem &problem, bool on_device) const;
  form_points some_of(std::int64_t n, const double *x) const;
  template <class Form>
  void check_form(const tessera::problem &problem, const form_name &name, const form_points &at, Form form);
  void check_values(const tessera::problem &problem, std::int64_t n, const double *x, const double *f);
  void check_on_device(const tessera::problem &problem, const tessera::device_integrand &integrand,
                       tessera::place &there);
  void check_fallback(const tessera::problem &problem, const form_points &at, void *block);
  void call_text(const tessera::problem &problem, tessera::batch_function text, void *block, int n, const double *x,
                 double *f);
  std::string about_parameters() const;
  [[noreturn]] void refuse_twin_and_throw(const tessera::failure &why);
  tessera::device_integrand device_integrand(bool with_limits) const;
  void take_report(const tessera::device_report &report, int device);
  void *params() const { return params_.empty() ? nullptr : const_cast<std::max_align_t *>(params_.data()); }
  bool has_callback() const { return batch_ || point_; }
  bool has_source() const { return !source_.function.empty(); }
  bool has_code() const { return has_source() && tessera::is_device_code(source_.language); }
  bool has_host_form() const { return has_callback() || (has_source() && !has_code()); }
  bool has_device_form() const { return device_batch_ || has_source(); }

  std::unique_ptr<tessera::ranks> ranks_;  // that share the runs; or null
  bool any_looks_ = false;                 // some rank has a clock or a callback to look at
  const int ndim_, ncomp_;
  std::vector<double> asked_lower_, asked_upper_;  // of the domain, as the user gave it
  std::vector<double> lower_,
      upper_;  // of the box: 0 and 1 where an axis has limits that are functions, and of a simplex
  tessera::domain_shape shape_;
  struct limits_text {
    tessera::integrand_source source;
    std::unique_ptr<tessera::compiled_source> code;  // for the host
  };
  std::vector<limits_text> limits_texts_;  // of the axes that have one
  // The integrand: a callback, a text or compiled code, a callback for a device, or one of each kind.
  tessera_integrand batch_ = nullptr;
  tessera_integrand1 point_ = nullptr;
  void *userdata_ = nullptr;
  tessera_device_integrand device_batch_ = nullptr;
  void *device_userdata_ = nullptr;
  std::vector<std::max_align_t> params_;
  std::size_t params_bytes_ = 0;
  tessera::integrand_source source_;                     // no function: there is none
  std::shared_ptr<tessera::twin> twin_;                  // that source_ is of
  std::unique_ptr<tessera::compiled_source> host_code_;  // of source_
  int host_coordinates_ = 0;                             // numbers a point that it takes
  std::unique_ptr<tessera::place> host_place_;
  std::unique_ptr<tessera::method> sobol_;  // TESSERA_MONTECARLO with Sobol points, for TESSERA_AUTO,
  bool chose_sobol_ = false;                // which has taken it in its last run
  std::vector<double> value_, error_;
  std::unique_ptr<tessera::place> device_place_;
  std::vector<int> devices_of_place_;
  bool device_failed_ = false;
  struct more_places {
    std::unique_ptr<tessera::place> host, device;
    std::vector<int> devices_of_place;
  };
  std::array<more_places, 3> more_places_;  // of levels 1, 2, ...: runs above one another have places of their own
  std::vector<int> devices_;                // that share the runs on the first of them; or none
  void *stream_ = nullptr;                  // the caller's, for that place
  bool checked_ =
      false;  // what runs on the device (or source_, where there is none) and the callback give the same values
  bool warned_of_calls_ = false;    // that the device calls source_
  bool warned_of_changes_ = false;  // that the program's data stay as they are
  tessera_progress progress_ = nullptr;
  void *progress_data_ = nullptr;
  tessera_log log_ = nullptr;
  void *log_data_ = nullptr;
  tessera::option_values options_;
  std::unique_ptr<tessera::kept_run> given_state_;  // of a file, for the next run
  std::unique_ptr<tessera::kept_run> kept_state_;   // of the run that goes on, or of the last one
  tessera::kept_answers *answers_ = nullptr;        // of the run that goes on
  std::string no_state_;                            // why the last run has kept none
  std::string checkpoint_;                          // the file that runs write their state to; "" for none
  tessera::deadline until_;                         // the end of the run at the latest
  mutable std::array<std::unique_ptr<tessera::method>, tessera::methods_end>
      methods_;  // those that have been asked for
};
