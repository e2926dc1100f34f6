// SPDX-License-Identifier: BSD-3-Clause
#include "solver.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

#include "outcome_status.hpp"

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
    throw failure(TESSERA_ERR_TYPE, std::string(e.name) + (wants_int ? " is a real, not an integer" : " is an integer, not a real"));
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
      lower_(static_cast<std::size_t>(ndim), 0.0),
      upper_(static_cast<std::size_t>(ndim), 1.0) {
  options_.set_int(TESSERA_DEVICE_USED, host);
  options_.set_int(TESSERA_INLINED, on_host);
  source_.function.clear();
}

void tessera_solver::set_domain(const double *lower, const double *upper) {
  if (!lower || !upper) throw failure(TESSERA_ERR_ARGUMENT, lower ? "upper is NULL" : "lower is NULL");
  const std::string trouble = tessera::trouble_with_limits(ndim_, lower, upper);
  if (!trouble.empty()) throw failure(TESSERA_ERR_ARGUMENT, trouble);
  lower_.assign(lower, lower + ndim_);
  upper_.assign(upper, upper + ndim_);
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
  options_.set_int(key, value);
}

void tessera_solver::set_real(int key, double value) {
  const key_entry &e = require_key(key);
  require_option(e);
  require_type(e, false);
  if (!(value >= e.real_least && value <= e.real_greatest))
    throw failure(TESSERA_ERR_RANGE, std::string(e.name) + " = " + show(value) + " is not within " + show(e.real_least) +
                                         " .. " + show(e.real_greatest));
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
  if (log_) log_(level, line.c_str(), log_data_);
}

int tessera_solver::integrate(int method, double *value, double *error) {
  if (method != TESSERA_CUBATURE && method != TESSERA_LATTICE && method != TESSERA_MONTECARLO)
    throw failure(TESSERA_ERR_ARGUMENT, "method " + std::to_string(method) + " is not a value of enum tessera_method");
  if (!value || !error) throw failure(TESSERA_ERR_ARGUMENT, value ? "error is NULL" : "value is NULL");
  const int device = choose_device(method);
  const auto start = clock_type::now();
  begin_statistics();
  regions_there_ = false;
  state_.clear();
  struct given_is_used_once {
    explicit given_is_used_once(tessera_solver &solver) : s(solver) {}
    ~given_is_used_once() {
      s.given_count_ = 0;
      s.given_state_.clear();
    }
    tessera_solver &s;
  } used(*this);
  int status;
  try {
    status = method == TESSERA_LATTICE      ? lattice(device, value, error)
             : method == TESSERA_MONTECARLO ? monte_carlo(device, value, error)
                                            : cubature(device, value, error);
  } catch (const failure &f) {
    if (twin_ && tessera::lasts(f.status())) twin_->refuse(f.status(), f.what());
    throw;
  }
  options_.set_real(TESSERA_SECONDS, seconds_since(start));
  return status;
}

void tessera_solver::begin_statistics() {
  for (const int key : {TESSERA_EVALUATIONS, TESSERA_REGIONS, TESSERA_ITERATIONS, TESSERA_CALLBACK_STATUS, TESSERA_POINTS_USED,
                        TESSERA_SHIFTS_USED, TESSERA_TRANSFORM_USED})
    options_.set_int(key, 0);
  options_.set_int(TESSERA_DEVICE_USED, host);
  options_.set_int(TESSERA_INLINED, on_host);
  options_.set_real(TESSERA_COMPILE_SECONDS, 0.0);
  options_.set_int(TESSERA_SAMPLING_USED, 0);
  options_.set_int(TESSERA_STRATA, 0);
  options_.set_real(TESSERA_CHI2, 0.0);
  chi_square_.clear();
}

int tessera_solver::host_threads() const {
  const std::int64_t threads = options_.get_int(TESSERA_THREADS);
  return threads > 0 ? static_cast<int>(threads) : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// Where two limits are equal the value is 0, without an evaluation.
bool tessera_solver::is_empty_domain(double *value, double *error) const {
  if (tessera::orientation(ndim_, lower_.data(), upper_.data()) != 0) return false;
  std::fill_n(value, ncomp_, 0.0);
  std::fill_n(error, ncomp_, 0.0);
  return true;
}

// The end of a run: its status, what is said of it, and value and error, of which reversed limits change the sign.
int tessera_solver::conclude(const tessera::run_result &result, const std::vector<double> &v, const std::vector<double> &e,
                             double *value, double *error) {
  const int status = tessera::status_of(result.end);
  if (status != TESSERA_OK) last_error = result.message.empty() ? tessera::status_text(status) : result.message;
  if (!result.has_value) {
    if (result.end == tessera::outcome::memory) throw failure(TESSERA_ERR_MEMORY, last_error);
    throw failure(TESSERA_ERR_CALLBACK, last_error + " before there was a value");
  }
  const int sign = tessera::orientation(ndim_, lower_.data(), upper_.data());
  for (std::size_t k = 0; k < v.size(); ++k) {
    value[k] = sign * v[k];
    error[k] = e[k];
  }
  return status;
}
