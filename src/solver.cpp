// SPDX-License-Identifier: BSD-3-Clause
#include "solver.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <thread>

#include "core/rule_build.hpp"

using tessera::failure;
using tessera::key_entry;
using tessera::key_kind;

namespace {

using clock_type = std::chrono::steady_clock;

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

// Three quarters of the memory that is free now.
tessera::int64 free_memory_share() {
  const long pages = sysconf(_SC_AVPHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  const tessera::int64 free = pages > 0 && size > 0 ? tessera::int64{pages} * size : tessera::int64{1} << 30;
  return free / 4 * 3;
}

// Looks at the clock and the progress callback between the steps of a run.
class hooks : public tessera::run_hooks {
 public:
  hooks(tessera_progress progress, void *userdata, double limit, int ncomp, tessera::cubature_settings settings)
      : progress_(progress), userdata_(userdata), limit_(limit), ncomp_(ncomp), settings_(settings) {}

  tessera::outcome between_steps(tessera::int64 evaluations, const double *value, const double *error) override {
    if (!progress_ && limit_ <= 0.0) return tessera::outcome::running;
    const double t = seconds_since(start_);
    if (limit_ > 0.0 && t >= limit_) return tessera::outcome::time;
    if (progress_ && t >= next_) {
      next_ = t + 0.1;
      if (progress_(evaluations, ncomp_, value, error, remaining(evaluations, value, error), userdata_) != 0)
        return tessera::outcome::stopped;
    }
    return tessera::outcome::running;
  }

 private:
  // The error is taken to fall like a power of the evaluations, the power read off since the last report.
  tessera::int64 remaining(tessera::int64 evaluations, const double *value, const double *error) {
    double ratio = 0.0;
    for (int k = 0; k < ncomp_; ++k) ratio = std::fmax(ratio, error[k] / tessera::tolerated(settings_, value[k]));
    const double n = static_cast<double>(evaluations);
    tessera::int64 guess = -1;
    if (last_ratio_ > ratio && ratio > 1.0 && n > last_n_ && std::isfinite(last_ratio_)) {
      const double power = std::log(last_ratio_ / ratio) / std::log(n / last_n_);
      const double left = n * (std::pow(ratio, 1.0 / power) - 1.0);
      if (left < 9e18) guess = static_cast<tessera::int64>(left);
    }
    last_ratio_ = ratio;
    last_n_ = n;
    return guess;
  }

  tessera_progress progress_;
  void *userdata_;
  const double limit_;
  const int ncomp_;
  const tessera::cubature_settings settings_;
  const clock_type::time_point start_ = clock_type::now();
  double next_ = 0.0;
  double last_ratio_ = 0.0, last_n_ = 0.0;
};

int to_status(tessera::outcome o) {
  switch (o) {
    case tessera::outcome::converged: return TESSERA_OK;
    case tessera::outcome::evaluations: return TESSERA_LIMIT_EVALUATIONS;
    case tessera::outcome::memory: return TESSERA_LIMIT_MEMORY;
    case tessera::outcome::time: return TESSERA_LIMIT_TIME;
    case tessera::outcome::roundoff: return TESSERA_ROUNDOFF;
    case tessera::outcome::stopped: return TESSERA_STOPPED;
    case tessera::outcome::callback: return TESSERA_CALLBACK_STOPPED;
    case tessera::outcome::nonfinite: return TESSERA_NONFINITE;
    case tessera::outcome::running: break;
  }
  return TESSERA_ERR_INTERNAL;
}

}  // namespace

tessera_solver::tessera_solver(int ndim, int ncomp)
    : ndim_(ndim),
      ncomp_(ncomp),
      lower_(static_cast<std::size_t>(ndim), 0.0),
      upper_(static_cast<std::size_t>(ndim), 1.0) {}

void tessera_solver::set_domain(const double *lower, const double *upper) {
  if (!lower || !upper) throw failure(TESSERA_ERR_ARGUMENT, lower ? "upper is NULL" : "lower is NULL");
  for (int j = 0; j < ndim_; ++j) {
    if (std::isnan(lower[j])) throw failure(TESSERA_ERR_ARGUMENT, "lower[" + std::to_string(j) + "] is NaN");
    if (std::isnan(upper[j])) throw failure(TESSERA_ERR_ARGUMENT, "upper[" + std::to_string(j) + "] is NaN");
    if (std::isfinite(lower[j]) && std::isfinite(upper[j]) && !std::isfinite(upper[j] - lower[j]))
      throw failure(TESSERA_ERR_ARGUMENT, "upper[" + std::to_string(j) + "] - lower[" + std::to_string(j) + "] overflows");
  }
  lower_.assign(lower, lower + ndim_);
  upper_.assign(upper, upper + ndim_);
}

void tessera_solver::set_integrand(tessera_integrand batch, tessera_integrand1 point, void *userdata) {
  batch_ = batch;
  point_ = point;
  userdata_ = userdata;
}

void tessera_solver::set_params(const void *params, std::size_t bytes) {
  if (!params && bytes > 0) throw failure(TESSERA_ERR_ARGUMENT, "params is NULL and bytes is not 0");
  constexpr std::size_t unit = sizeof(std::max_align_t);
  if (bytes > static_cast<std::size_t>(PTRDIFF_MAX) - unit) throw std::bad_alloc();
  std::vector<std::max_align_t> copy(bytes / unit + (bytes % unit != 0));
  if (bytes > 0) std::memcpy(static_cast<void *>(copy.data()), params, bytes);
  params_.swap(copy);
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
  if (method != TESSERA_CUBATURE)
    throw failure(TESSERA_ERR_ARGUMENT, "method " + std::to_string(method) + " is not a value of enum tessera_method");
  if (!value || !error) throw failure(TESSERA_ERR_ARGUMENT, value ? "error is NULL" : "value is NULL");
  if (!batch_ && !point_) throw failure(TESSERA_ERR_NO_INTEGRAND, "no integrand has been set");
  const auto start = clock_type::now();
  for (const int key : {TESSERA_EVALUATIONS, TESSERA_REGIONS, TESSERA_ITERATIONS, TESSERA_CALLBACK_STATUS})
    options_.set_int(key, 0);
  const int status = cubature(value, error);
  options_.set_real(TESSERA_SECONDS, seconds_since(start));
  return status;
}

int tessera_solver::choose_rule() const {
  const std::int64_t limit = options_.get_int(TESSERA_NDIM_LIMIT);
  if (ndim_ > limit)
    throw failure(TESSERA_ERR_UNSUPPORTED, "ndim = " + std::to_string(ndim_) + " is above TESSERA_NDIM_LIMIT = " + std::to_string(limit));
  const int wanted = static_cast<int>(options_.get_int(TESSERA_RULE));
  const int family = tessera::choose_rule(wanted, ndim_);
  if (family < 0)
    throw failure(TESSERA_ERR_UNSUPPORTED,
                  "TESSERA_RULE = " + std::to_string(wanted) + " does not exist for ndim = " + std::to_string(ndim_));
  return family;
}

tessera::cubature_problem tessera_solver::make_problem() const {
  tessera::cubature_problem p;
  tessera::cubature_settings &s = p.settings;
  s.ndim = ndim_;
  s.ncomp = ncomp_;
  s.reltol = options_.get_real(TESSERA_RELTOL);
  s.abstol = options_.get_real(TESSERA_ABSTOL);
  s.maxeval = options_.get_int(TESSERA_MAXEVAL);
  s.mineval = options_.get_int(TESSERA_MINEVAL);
  s.splitting = static_cast<int>(options_.get_int(TESSERA_SPLITTING));
  s.estimate = static_cast<int>(options_.get_int(TESSERA_ESTIMATE));
  s.initial_regions = options_.get_int(TESSERA_INITIAL_REGIONS);
  s.bulk_fraction = options_.get_real(TESSERA_BULK_FRACTION);
  s.memory = options_.get_int(TESSERA_MAX_MEMORY);
  if (s.memory == 0) s.memory = free_memory_share();
  tessera::build_rule(choose_rule(), ndim_, p.integration_rule);
  s.margin = tessera::rule_margin(p.integration_rule);
  for (std::size_t j = 0; j < lower_.size(); ++j) {
    const double lo = std::min(lower_[j], upper_[j]), hi = std::max(lower_[j], upper_[j]);
    const bool down = std::isinf(lo), up = std::isinf(hi);
    const int kind = down ? (up ? tessera::axis_both : tessera::axis_down) : (up ? tessera::axis_up : tessera::axis_finite);
    p.axes.push_back({kind, up ? lo : hi});
    p.lower.push_back(kind == tessera::axis_finite ? lo : (kind == tessera::axis_both ? -1.0 : 0.0));
    p.upper.push_back(kind == tessera::axis_finite ? hi : 1.0);
  }
  void *data = userdata_ || params_.empty() ? userdata_ : const_cast<std::max_align_t *>(params_.data());
  p.integrand = {batch_, point_, data};
  p.worst_first = options_.get_int(TESSERA_SELECTION) != TESSERA_SELECT_BULK;
  const std::int64_t threads = options_.get_int(TESSERA_THREADS);
  p.threads = threads > 0 ? static_cast<int>(threads) : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  p.batch_points = options_.get_int(TESSERA_BATCH_POINTS);
  return p;
}

int tessera_solver::cubature(double *value, double *error) {
  const tessera::cubature_problem problem = make_problem();
  if (lower_ == upper_ || [this] {
        for (std::size_t j = 0; j < lower_.size(); ++j)
          if (lower_[j] == upper_[j]) return true;
        return false;
      }()) {
    std::fill_n(value, ncomp_, 0.0);
    std::fill_n(error, ncomp_, 0.0);
    return TESSERA_OK;
  }
  hooks between(progress_, progress_data_, options_.get_real(TESSERA_MAX_SECONDS), ncomp_, problem.settings);
  std::vector<double> v(static_cast<std::size_t>(ncomp_)), e(v.size());
  const tessera::run_result result = tessera::host_cubature(problem, between, v.data(), e.data());
  record(result, problem);
  if (result.end != tessera::outcome::converged) last_error = result.sentence;
  if (!result.has_value) {
    if (result.end == tessera::outcome::memory) throw failure(TESSERA_ERR_MEMORY, result.sentence);
    throw failure(TESSERA_ERR_CALLBACK, result.sentence + " before there was a value");
  }
  bool flip = false;
  for (std::size_t j = 0; j < lower_.size(); ++j) flip ^= lower_[j] > upper_[j];
  for (std::size_t k = 0; k < v.size(); ++k) {
    value[k] = flip ? -v[k] : v[k];
    error[k] = e[k];
  }
  const int status = to_status(result.end);
  if (status != TESSERA_OK && last_error.empty()) last_error = tessera::status_text(status);
  return status;
}

void tessera_solver::record(const tessera::run_result &result, const tessera::cubature_problem &problem) {
  const tessera::cubature_statistics &s = result.statistics;
  options_.set_int(TESSERA_EVALUATIONS, s.evaluations);
  options_.set_int(TESSERA_REGIONS, s.regions);
  options_.set_int(TESSERA_ITERATIONS, s.iterations);
  options_.set_int(TESSERA_CALLBACK_STATUS, result.callback_status);
  options_.set_int(TESSERA_REGION_BYTES, s.region_bytes);
  options_.set_int(TESSERA_RULE_USED, problem.integration_rule.family);
  options_.set_int(TESSERA_RULE_POINTS, problem.integration_rule.points);
  options_.set_int(TESSERA_THREADS_USED, problem.threads);
  options_.set_int(TESSERA_PEAK_MEMORY, s.peak_bytes);
  log(2, "cubature: " + std::to_string(s.evaluations) + " evaluations, " + std::to_string(s.regions) + " regions, " +
             std::to_string(s.iterations) + " steps: " + tessera::status_text(to_status(result.end)));
}
