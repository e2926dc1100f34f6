// SPDX-License-Identifier: BSD-3-Clause
#include "solver.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <thread>

#include "agreed_hooks.hpp"
#include "checkpoint_hooks.hpp"
#include "clock_hooks.hpp"
#include "domain.hpp"
#include "outcome_status.hpp"
#include "simplex.hpp"

using tessera::failure;
using tessera::host;
using tessera::key_entry;
using tessera::key_kind;

namespace {

using clock_type = std::chrono::steady_clock;

constexpr int on_host = -1;  // value of TESSERA_INLINED

double seconds_since(clock_type::time_point start) {
  return std::chrono::duration<double>(clock_type::now() - start).count();
}

const key_entry &require_key(int key) {
  const key_entry *e = tessera::find_key(key);
  if (!e) throw failure(TESSERA_ERR_KEY, "key " + std::to_string(key) + " is not an option or statistic");
  return *e;
}

void require_option(const key_entry &e) {
  if (e.kind == key_kind::statistic_int || e.kind == key_kind::statistic_real)
    throw failure(TESSERA_ERR_KEY, std::string(e.name) + " is a statistic and cannot be set");
}

bool is_int(const key_entry &e) { return e.kind == key_kind::option_int || e.kind == key_kind::statistic_int; }

void require_type(const key_entry &e, bool wants_int) {
  if (is_int(e) != wants_int)
    throw failure(TESSERA_ERR_TYPE,
                  std::string(e.name) + (wants_int ? " is a real, not an integer" : " is an integer, not a real"));
}

std::string show(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", v);
  return text;
}

}  // namespace

namespace tessera {

// What makes it useless to try a twin again.
static bool lasts(int status) {
  return status == TESSERA_ERR_NOT_BUILT || status == TESSERA_ERR_COMPILE || status == TESSERA_ERR_DEVICE ||
         status == TESSERA_ERR_CHECK;
}

}  // namespace tessera

tessera_solver::tessera_solver(int ndim, int ncomp)
    : ndim_(ndim),
      ncomp_(ncomp),
      asked_lower_(static_cast<std::size_t>(ndim), 0.0),
      asked_upper_(static_cast<std::size_t>(ndim), 1.0),
      lower_(asked_lower_),
      upper_(asked_upper_) {
  shape_.limits.resize(lower_.size());
  options_.set_int(TESSERA_DEVICE_USED, host);
  options_.set_int(TESSERA_DEVICES_USED, 0);
  options_.set_int(TESSERA_INLINED, on_host);
  source_.function.clear();
}

void tessera_solver::set_domain(const double *lower, const double *upper) {
  if (!lower || !upper) throw failure(TESSERA_ERR_ARGUMENT, lower ? "upper is NULL" : "lower is NULL");
  const std::string trouble = tessera::trouble_with_limits(ndim_, lower, upper);
  if (!trouble.empty()) throw failure(TESSERA_ERR_ARGUMENT, trouble);
  asked_lower_.assign(lower, lower + ndim_);
  asked_upper_.assign(upper, upper + ndim_);
  make_box();
}

void tessera_solver::set_simplex(int map, const double *vertices) {
  tessera::set_simplex(shape_, map, vertices);
  make_box();
}

void tessera_solver::make_box() {
  for (std::size_t j = 0; j < lower_.size(); ++j) {
    const bool is_unit = shape_.is_simplex() || shape_.limits[j].is_set();
    lower_[j] = is_unit ? 0.0 : asked_lower_[j];
    upper_[j] = is_unit ? 1.0 : asked_upper_[j];
  }
}

void tessera_solver::set_integrand(tessera_integrand batch, tessera_integrand1 point, void *userdata) {
  batch_ = batch;
  point_ = point;
  userdata_ = userdata;
  checked_ = false;
}

void tessera_solver::set_integrand_device(tessera_device_integrand batch, void *userdata) {
  device_batch_ = batch;
  device_userdata_ = userdata;
  checked_ = false;
}

void tessera_solver::set_params(const void *params, std::size_t bytes) {
  if (!params && bytes > 0) throw failure(TESSERA_ERR_ARGUMENT, "params is NULL and bytes is not 0");
  constexpr std::size_t unit = sizeof(std::max_align_t);
  if (bytes > static_cast<std::size_t>(PTRDIFF_MAX) - unit) throw std::bad_alloc();
  std::vector<std::max_align_t> copy(bytes / unit + (bytes % unit != 0));
  if (bytes > 0) std::memcpy(static_cast<void *>(copy.data()), params, bytes);
  params_.swap(copy);
  params_bytes_ = bytes;
}

void tessera_solver::set_int(int key, std::int64_t value) {
  const key_entry &e = require_key(key);
  require_option(e);
  require_type(e, true);
  if (value < e.int_least || value > e.int_greatest)
    throw failure(TESSERA_ERR_RANGE, std::string(e.name) + " = " + std::to_string(value) + " is not within " +
                                         std::to_string(e.int_least) + " .. " + std::to_string(e.int_greatest));
  if (!tessera::is_value(key, value))
    throw failure(TESSERA_ERR_RANGE,
                  std::string(e.name) + " = " + std::to_string(value) + " is none of the option's values");
  if (key == TESSERA_COMPLEX && value != 0 && ncomp_ % 2 != 0)
    throw failure(TESSERA_ERR_RANGE,
                  "TESSERA_COMPLEX = 1 with ncomp = " + std::to_string(ncomp_) +
                      ": a complex component takes two, its real and its imaginary part, so that ncomp is even");
  options_.set_int(key, value);
}

void tessera_solver::set_real(int key, double value) {
  const key_entry &e = require_key(key);
  require_option(e);
  require_type(e, false);
  if (!(value >= e.real_least && value <= e.real_greatest))
    throw failure(TESSERA_ERR_RANGE, std::string(e.name) + " = " + show(value) + " is not within " +
                                         show(e.real_least) + " .. " + show(e.real_greatest));
  options_.set_real(key, value);
}

std::int64_t tessera_solver::get_int(int key) const {
  require_type(require_key(key), true);
  return options_.get_int(key);
}

double tessera_solver::get_real(int key) const {
  require_type(require_key(key), false);
  return options_.get_real(key);
}

void tessera_solver::set_progress(tessera_progress fn, void *userdata) {
  progress_ = fn;
  progress_data_ = userdata;
}

void tessera_solver::set_log(tessera_log fn, void *userdata) {
  log_ = fn;
  log_data_ = userdata;
}

void tessera_solver::log(int level, const std::string &line) const {
  if (!log_) return;
  try {
    log_(level, line.c_str(), log_data_);
  } catch (...) {  // no reason to lose a result
  }
}

tessera::method &tessera_solver::method_of(tessera::method_number which) const {
  std::unique_ptr<tessera::method> &m = methods_[which];
  if (m) return *m;
  const tessera::solver_view view = {ndim_,      ncomp_, lower_, upper_, const_cast<tessera_solver *>(this)->options_,
                                     host_place_};
  switch (which) {
#define METHOD(name, number, constant) \
  case tessera::method_##name:         \
    m = tessera::make_##name(view);    \
    break;
#include "../methods.def"
  }
  return *m;
}

int tessera_solver::integrate_here(int method, double *value, double *error) {
  if (!tessera::is_method(method) && method != TESSERA_AUTO)
    throw failure(TESSERA_ERR_ARGUMENT, "method " + std::to_string(method) + " is not a value of enum tessera_method");
  if (!value || !error) throw failure(TESSERA_ERR_ARGUMENT, value ? "error is NULL" : "value is NULL");
  if (method == TESSERA_AUTO) return integrate_automatically(value, error);
  tessera::method &m = method_of(static_cast<tessera::method_number>(method));
  int device = choose_device(m, false);
  const auto start = clock_type::now();
  begin_run();
  struct ending {
    explicit ending(tessera_solver &solver) : s(solver) {}
    ~ending() { s.end_run(); }
    tessera_solver &s;
  } at_the_end(*this);
  begin_state(method, device == host);
  int status = TESSERA_OK;
  try {
    tessera::problem &problem = prepare(m, device == host);
    if (is_empty_domain(value, error)) {
      m.record_empty();
    } else {
      tessera::clock_hooks hooks(progress_, progress_data_, ncomp_, options_, in_progress_callback);
      value_.resize(static_cast<std::size_t>(ncomp_));
      error_.resize(value_.size());
      tessera::agreed_hooks agreed(hooks, ranks_.get(), any_looks_);
      tessera::checkpoint_hooks kept(agreed, options_.get_real(TESSERA_CHECKPOINT_SECONDS), checkpoint_writer());
      tessera::run_result &result = run(m, &problem, device, kept, value_.data(), error_.data(), 0);
      if (result.message.empty()) result.message = hooks.message();
      options_.set_int(TESSERA_CALLBACK_STATUS, result.callback_status);
      options_.set_int(TESSERA_NONFINITE_POINTS, result.zeroed);
      if (result.has_value)
        tessera::charge_zeroed(result.end, result.message, result.zeroed, result.zeroed_share, problem.asked(),
                               value_.data(), error_.data());
      tessera::doubt_success(result.end, result.message, ncomp_, value_.data(), error_.data());
      m.record(device == host);
      options_.set_int(TESSERA_METHOD_USED, method);
      status = tessera::status_of(result.end);
      if (log_) {
        const std::string where = device == host ? "" : " on device " + std::to_string(device);
        log(2, m.summary(where) + ": " + tessera::status_text(status));
      }
      conclude(problem.asked(), result, value_, error_, value, error);
    }
  } catch (const tessera::out_of_time &e) {
    last_error = e.what();
    std::fill_n(value, ncomp_, std::numeric_limits<double>::quiet_NaN());
    std::fill_n(error, ncomp_, std::numeric_limits<double>::infinity());
    options_.set_real(TESSERA_COMPILE_SECONDS, seconds_since(start));
    status = TESSERA_LIMIT_TIME;
  } catch (const tessera::common_failure &) {
    throw;
  } catch (const failure &f) {
    refuse_twin_and_throw(f);
  }
  options_.set_real(TESSERA_SECONDS, seconds_since(start));
  return status;
}

// A run that failed with a twin, which is not tried again where that would be useless.
void tessera_solver::refuse_twin_and_throw(const failure &why) {
  if (!twin_ || !tessera::lasts(why.status())) throw failure(why);
  const failure told(why.status(),
                     why.what() + (why.status() == TESSERA_ERR_DEVICE ? about_parameters() : std::string()));
  twin_->refuse(told.status(), told.what());
  throw failure(told);
}

// The problem of a run, on the host or on a device.
tessera::problem &tessera_solver::prepare(tessera::method &m, bool on_host) {
  tessera::problem &p = m.prepare(on_host);
  tessera::run_settings &s = p.asked();
  s.ndim = ndim_;
  s.ncomp = ncomp_;
  s.reltol = options_.get_real(TESSERA_RELTOL);
  s.abstol = options_.get_real(TESSERA_ABSTOL);
  s.complex_values = options_.get_int(TESSERA_COMPLEX) != 0;
  s.maxeval = options_.get_int(TESSERA_MAXEVAL);
  s.mineval = options_.get_int(TESSERA_MINEVAL);
  const std::int64_t limit = options_.get_int(TESSERA_MAX_MEMORY);
  p.memory_is_given = limit > 0;
  if (p.memory_is_given) s.memory = limit;
  p.integrand = {batch_, point_, userdata_ ? userdata_ : params(), false, params()};
  p.shape = shape_.is_plain() ? nullptr : &shape_;
  p.answers = answers_;
  p.threads = on_host ? host_threads() : 1;
  p.shared = m.shares_evaluations(on_host) ? ranks_.get() : nullptr;
  p.batch_points = options_.get_int(TESSERA_BATCH_POINTS);
  p.zero_nonfinite = options_.get_int(TESSERA_NONFINITE_POLICY) == TESSERA_NONFINITE_ZERO;
  if (p.zero_nonfinite && !on_host)
    throw failure(
        TESSERA_ERR_UNSUPPORTED,
        "TESSERA_NONFINITE_POLICY = TESSERA_NONFINITE_ZERO is for runs on the host; for a device let the integrand "
        "itself give 0");
  return p;
}

void tessera_solver::begin_run() {
  forget_failed_device();
  options_.reset_statistics();
  options_.set_int(TESSERA_DEVICE_USED, host);
  options_.set_int(TESSERA_INLINED, on_host);
  kept_state_.reset();
  no_state_.clear();
  until_ = tessera::deadline_in(options_.get_real(TESSERA_MAX_SECONDS));
  for (const auto &m : methods_)
    if (m) m->begin_run();
}

void tessera_solver::end_run() {
  end_state();
  for (const auto &m : methods_)
    if (m) m->end_run();
}

int tessera_solver::host_threads() const {
  const std::int64_t threads = options_.get_int(TESSERA_THREADS);
  if (ranks_ && !ranks_->may_have_threads()) {
    if (threads > 1)
      throw failure(TESSERA_ERR_RANKS,
                    "TESSERA_THREADS = " + std::to_string(threads) +
                        " with MPI_THREAD_SINGLE: MPI_Init_thread must be asked for MPI_THREAD_FUNNELED");
    return 1;
  }
  return threads > 0 ? static_cast<int>(threads) : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// Where two limits are equal the value is 0, without an evaluation.
bool tessera_solver::is_empty_domain(double *value, double *error) const {
  if (tessera::orientation(ndim_, lower_.data(), upper_.data()) != 0) return false;
  std::fill_n(value, ncomp_, 0.0);
  std::fill_n(error, ncomp_, 0.0);
  return true;
}

// After a limit: how far the run has come, and what to raise.
std::string tessera_solver::explain_limit(const tessera::run_settings &asked, tessera::outcome end,
                                          const std::vector<double> &v, const std::vector<double> &e) const {
  const char *option = end == tessera::outcome::evaluations || end == tessera::outcome::heavy_tail ? "TESSERA_MAXEVAL"
                       : end == tessera::outcome::time   ? "TESSERA_MAX_SECONDS"
                       : end == tessera::outcome::memory ? "TESSERA_MAX_MEMORY"
                                                         : nullptr;
  if (!option) return {};
  // The parts of a complex value are told of together.
  const int step = asked.complex_values ? 2 : 1, n = static_cast<int>(v.size());
  const auto size_of = [&](const std::vector<double> &of, int k) {
    return tessera::magnitude(asked, k, [&](int c) { return of[static_cast<std::size_t>(c)]; });
  };
  const auto tolerance = [&](int k) { return std::max(asked.abstol, asked.reltol * size_of(v, k)); };
  const auto excess = [&](int k) { return size_of(e, k) / tolerance(k); };
  int worst = 0;
  for (int k = step; k < n; k += step)
    if (excess(k) > excess(worst)) worst = k;
  if (!(size_of(e, worst) > tolerance(worst))) return {};
  const std::string which = n > step ? " of component " + std::to_string(worst / step + 1) : "";
  return std::string("; ") + (asked.complex_values ? "modulus of the error" : "error") + which + " " +
         show(size_of(e, worst)) + " > " + show(tolerance(worst)) + " tolerated after " +
         std::to_string(options_.get_int(TESSERA_EVALUATIONS)) + " evaluations; raise " + option;
}

// The end of a run: its status, what is said of it, and value and error, of which reversed limits change the sign.
void tessera_solver::conclude(const tessera::run_settings &asked, const tessera::run_result &result,
                              const std::vector<double> &v, const std::vector<double> &e, double *value,
                              double *error) {
  const int status = tessera::status_of(result.end);
  if (status != TESSERA_OK)
    last_error = !result.message.empty() ? result.message
                 : result.has_value      ? tessera::status_text(status) + explain_limit(asked, result.end, v, e)
                                         : tessera::status_text(status);
  if (!result.has_value && (result.end == tessera::outcome::time || result.end == tessera::outcome::stopped)) {
    last_error += " before there was a value";
    std::fill_n(value, ncomp_, std::numeric_limits<double>::quiet_NaN());
    std::fill_n(error, ncomp_, std::numeric_limits<double>::infinity());
    return;
  }
  if (!result.has_value) {
    if (result.end == tessera::outcome::memory) throw failure(TESSERA_ERR_MEMORY, last_error);
    throw failure(TESSERA_ERR_CALLBACK, last_error + " before there was a value");
  }
  const int sign = tessera::orientation(ndim_, lower_.data(), upper_.data());
  for (std::size_t k = 0; k < v.size(); ++k) {
    value[k] = sign * v[k];
    error[k] = e[k];
  }
}
