// SPDX-License-Identifier: BSD-3-Clause
#include "solver.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <thread>

#include "clock_hooks.hpp"
#include "../core/rule_build.hpp"
#include "../core/transform.hpp"
#include "../memory.hpp"
#include "outcome_status.hpp"

using tessera::any_device;
using tessera::failure;
using tessera::host;
using tessera::key_entry;
using tessera::key_kind;

namespace {

using clock_type = std::chrono::steady_clock;

constexpr int on_host = -1;  // value of TESSERA_INLINED
constexpr int most_device_ndim = 32;
constexpr tessera::int64 device_initial_regions = 1024;
constexpr int check_points = 64;
constexpr double check_tolerance = 1e-6;

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

std::string show17(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", v);
  return text;
}

// Values of a callback at n points, in calls of at most `most` points. Coordinate j of point i is x[j*n + i].
void call_host(const tessera::host_integrand &integrand, int n, int ndim, int coordinates, int ncomp, tessera::int64 most,
               const double *x, double *f) {
  int status = 0;
  try {
    if (integrand.batch) {
      for (tessera::int64 i = 0; i < n && status == 0; i += most)
        status = integrand.batch(std::min<tessera::int64>(most, n - i), ndim, x + i, n, ncomp, f + i, n, integrand.userdata);
    } else {
      std::vector<double> point(static_cast<std::size_t>(coordinates)), values(static_cast<std::size_t>(ncomp));
      for (int i = 0; i < n && status == 0; ++i) {
        for (int j = 0; j < coordinates; ++j) point[static_cast<std::size_t>(j)] = x[j * n + i];
        status = integrand.point(ndim, point.data(), ncomp, values.data(), integrand.userdata);
        for (int k = 0; k < ncomp; ++k) f[k * n + i] = values[static_cast<std::size_t>(k)];
      }
    }
  } catch (...) {
    throw failure(TESSERA_ERR_CALLBACK, "the callback threw an exception while it was compared with the other form");
  }
  if (status != 0)
    throw failure(TESSERA_ERR_CALLBACK,
                  "the callback returned " + std::to_string(status) + " while it was compared with the other form");
}

// Numbers that a point consists of, and the coordinates and complements of a point at which forms are compared.
int coordinates_of(const tessera::cubature_problem &p) { return p.settings.ndim; }
int coordinates_of(const tessera::sampling_problem &p) { return p.settings.ndim; }
int coordinates_of(const tessera::lattice_problem &p) { return p.settings.ndim * (p.complement ? 2 : 1); }
double coordinate_at(const tessera::cubature_problem &p, std::size_t j, double t, double &) {
  double jacobian = 1.0;
  return tessera::map_axis(p.axes[j], p.lower[j] + (p.upper[j] - p.lower[j]) * t, jacobian);
}
double coordinate_at(const tessera::sampling_problem &p, std::size_t j, double t, double &) {
  double jacobian = 1.0;
  return tessera::sample_coordinate(p.axes[j], t, jacobian);
}
double coordinate_at(const tessera::lattice_problem &p, std::size_t j, double t, double &complement) {
  const tessera::unit_point at = {t, 1.0 - t, 1.0, 1.0};
  double jacobian = 1.0;
  complement = tessera::axis_complement(p.axes[j], at);
  return tessera::axis_value(p.axes[j], at, jacobian);
}

// What this process has compiled for the host.
tessera::code_cache *host_cache(bool disk) {
  static tessera::code_cache with_disk;
  static tessera::code_cache without_disk([] {
    tessera::cache_settings s;
    s.disk = false;
    return s;
  }());
  return disk ? &with_disk : &without_disk;
}

}  // namespace

namespace tessera {

int compile_status(const compile_error &e) {
  return e.stage() == jit_stage::load ? TESSERA_ERR_NOT_BUILT : TESSERA_ERR_COMPILE;
}

// What makes it useless to try a twin again.
static bool lasts(int status) {
  return status == TESSERA_ERR_NOT_BUILT || status == TESSERA_ERR_COMPILE || status == TESSERA_ERR_DEVICE ||
         status == TESSERA_ERR_CHECK;
}

std::string trouble_with_limits(int ndim, const double *lower, const double *upper) {
  for (int j = 0; j < ndim; ++j) {
    if (std::isnan(lower[j])) return "lower[" + std::to_string(j) + "] is NaN";
    if (std::isnan(upper[j])) return "upper[" + std::to_string(j) + "] is NaN";
    if (std::isfinite(lower[j]) && std::isfinite(upper[j]) && !std::isfinite(upper[j] - lower[j]))
      return "upper[" + std::to_string(j) + "] - lower[" + std::to_string(j) + "] overflows";
  }
  return {};
}

void set_box(cubature_problem &p, int ndim, const double *lower, const double *upper) {
  const auto n = static_cast<std::size_t>(ndim);
  p.axes.resize(n);
  p.lower.resize(n);
  p.upper.resize(n);
  for (std::size_t j = 0; j < n; ++j) {
    const double lo = std::min(lower[j], upper[j]), hi = std::max(lower[j], upper[j]);
    const bool down = std::isinf(lo), up = std::isinf(hi);
    const int kind = down ? (up ? axis_both : axis_down) : (up ? axis_up : axis_finite);
    p.axes[j] = {kind, up ? lo : hi};
    p.lower[j] = kind == axis_finite ? lo : (kind == axis_both ? -1.0 : 0.0);
    p.upper[j] = kind == axis_finite ? hi : 1.0;
  }
}

int orientation(int ndim, const double *lower, const double *upper) {
  int sign = 1;
  for (int j = 0; j < ndim; ++j) {
    if (lower[j] == upper[j]) return 0;
    if (lower[j] > upper[j]) sign = -sign;
  }
  return sign;
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

// Where the integrand is to run: a CUDA ordinal or `host`.
int tessera_solver::choose_device(int method) const {
  const int wanted = static_cast<int>(options_.get_int(TESSERA_DEVICE));
  if (!has_host_form() && !has_device_form()) throw failure(TESSERA_ERR_NO_INTEGRAND, "no integrand has been set");
  if (wanted >= 0 && !has_device_form())
    throw failure(TESSERA_ERR_NO_INTEGRAND, "a callback cannot run on a device: TESSERA_DEVICE = " + std::to_string(wanted) +
                                                " needs an integrand set by tessera_set_integrand_source, "
                                                "tessera_set_integrand_file, tessera_set_integrand_code or "
                                                "tessera_set_integrand_device");
  if (wanted == host && !has_host_form())
    throw failure(TESSERA_ERR_NO_INTEGRAND,
                  device_form_name().article + " cannot run on the host: TESSERA_DEVICE = -1 needs a callback or a source text");
  const bool cubature = method == TESSERA_CUBATURE;
  if (method != TESSERA_LATTICE && options_.get_int(TESSERA_COMPLEMENT) != 0)
    throw failure(TESSERA_ERR_UNSUPPORTED, "TESSERA_COMPLEMENT = 1 is for lattice rules");
  if (cubature && (wanted >= 0 || !has_host_form()) && ndim_ > most_device_ndim)
    throw failure(TESSERA_ERR_UNSUPPORTED, "ndim = " + std::to_string(ndim_) + ": the device engine takes up to " +
                                               std::to_string(most_device_ndim) + " variables");
  if (wanted != any_device) return wanted;
  if (!has_device_form() || (cubature && ndim_ > most_device_ndim)) return host;
  try {
    if (tessera::load_device_plugin().device_count() > 0) return 0;
  } catch (const tessera::device_failure &e) {
    return do_without_device(e.what());
  }
  return do_without_device("there is no CUDA device");
}

// For "a device if there is one", when it cannot be used.
int tessera_solver::do_without_device(const std::string &why) const {
  if (!has_host_form())
    throw failure(TESSERA_ERR_NOT_BUILT, why + ", and " + device_form_name().article + " cannot run on the host");
  log(2, why + ": the host is used");
  return host;
}

// What runs on a device.
tessera_solver::form_name tessera_solver::device_form_name() const {
  if (device_batch_) return {"device callback", "device callback", "a device callback"};
  if (has_code()) return {"compiled code '" + source_.function + "'", "code", "compiled code"};
  return source_name();
}

tessera_solver::form_name tessera_solver::source_name() const {
  return {"source text '" + source_.function + "'", "text", "a source text"};
}

int tessera_solver::host_threads() const {
  const std::int64_t threads = options_.get_int(TESSERA_THREADS);
  return threads > 0 ? static_cast<int>(threads) : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// Sets problem_; what a run before has already found out is kept.
const tessera::cubature_problem &tessera_solver::make_problem(int device) {
  tessera::cubature_problem &p = problem_;
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
  s.by_component = options_.get_int(TESSERA_PRIORITY) == TESSERA_PRIORITY_WORST_COMPONENT;
  s.bulk_fraction = options_.get_real(TESSERA_BULK_FRACTION);
  s.memory = options_.get_int(TESSERA_MAX_MEMORY);
  if (s.memory == 0) s.memory = device == host ? tessera::free_memory_share() : std::numeric_limits<tessera::int64>::max();
  s.may_do_with_fewer = device != host && s.initial_regions == 1;
  if (s.may_do_with_fewer) s.initial_regions = device_initial_regions;
  const int family = choose_rule();
  const bool faces = s.estimate == TESSERA_ESTIMATE_ROBUST;
  if (p.integration_rule.family != family || p.integration_rule.ndim != ndim_ || p.integration_rule.faces != faces)
    tessera::build_rule(family, ndim_, p.integration_rule, faces);
  s.margin = tessera::rule_margin(p.integration_rule);
  tessera::set_box(p, ndim_, lower_.data(), upper_.data());
  p.integrand = {batch_, point_, userdata_ ? userdata_ : params()};
  p.worst_first = device == host && options_.get_int(TESSERA_SELECTION) != TESSERA_SELECT_BULK;
  p.threads = device == host ? host_threads() : 1;
  p.batch_points = options_.get_int(TESSERA_BATCH_POINTS);
  return p;
}

// The source text for the host, compiled at the first call. Throws compile_error.
const tessera::compiled_source &tessera_solver::compiled_for_host(int coordinates) {
  if (!host_code_ || host_coordinates_ != coordinates) {
    host_code_ = std::make_unique<tessera::compiled_source>(
        source_, ndim_, ncomp_, host_cache(options_.get_int(TESSERA_DISK_CACHE) != 0), tessera_version_string(), coordinates);
    host_coordinates_ = coordinates;
    options_.set_real(TESSERA_COMPILE_SECONDS, host_code_->seconds());
    const std::string &said = host_code_->log();
    for (std::size_t begin = 0, end; begin < said.size(); begin = end + 1) {
      end = std::min(said.find('\n', begin), said.size());
      log(3, said.substr(begin, end - begin));
    }
  }
  return *host_code_;
}

tessera::device_session &tessera_solver::session(int device) {
  if (!session_ || session_device_ != device) {
    session_.reset();
    session_.reset(tessera::load_device_plugin().open(device));
    session_device_ = device;
  }
  session_->use_stream(stream_);
  return *session_;
}

// Compares the callback with another form. form(n, x, f): its values at n points, coordinate j of point i at x[j*n + i].
template <class Problem, class Form>
void tessera_solver::check_form(const Problem &problem, const form_name &name, Form form) const {
  constexpr int n = check_points;
  const int coordinates = coordinates_of(problem);
  const auto ndim = static_cast<std::size_t>(ndim_), ncomp = static_cast<std::size_t>(ncomp_);
  // Additive recurrence with the powers of the root of r^(ndim+1) = r + 1.
  double root = 2.0;
  for (int i = 0; i < 60; ++i) root = std::pow(1.0 + root, 1.0 / (ndim_ + 1.0));
  std::vector<double> x(static_cast<std::size_t>(coordinates) * n), there(ncomp * n), here(ncomp * n);
  double step = 1.0;
  for (std::size_t j = 0; j < ndim; ++j) {
    step /= root;
    for (std::size_t i = 0; i < n; ++i) {
      const double u = 0.5 + static_cast<double>(i + 1) * step, t = u - std::floor(u);
      double complement = 0.0;
      x[j * n + i] = coordinate_at(problem, j, t, complement);
      if (coordinates > ndim_) x[(ndim + j) * n + i] = complement;
    }
  }
  form(n, x.data(), there.data());
  call_host(problem.integrand, n, ndim_, coordinates, ncomp_, problem.batch_points, x.data(), here.data());

  double worst = 0.0;
  std::size_t worst_at = 0;
  for (std::size_t k = 0; k < ncomp; ++k) {
    double largest = 0.0;
    for (std::size_t i = k * n; i < (k + 1) * n; ++i)
      if (std::isfinite(here[i])) largest = std::fmax(largest, std::fabs(here[i]));
    for (std::size_t i = k * n; i < (k + 1) * n; ++i) {
      double ratio;  // of the difference to what is allowed
      if (std::isfinite(here[i]) != std::isfinite(there[i]))
        ratio = std::numeric_limits<double>::infinity();
      else if (!std::isfinite(here[i]) || here[i] == there[i])
        ratio = 0.0;
      else
        ratio = largest > 0.0 ? std::fabs(here[i] / largest - there[i] / largest) / check_tolerance
                              : std::numeric_limits<double>::infinity();
      if (ratio > worst) worst = ratio, worst_at = i;
    }
  }
  if (worst <= 1.0) return;
  std::string point;
  for (std::size_t j = 0; j < ndim; ++j) point += (j == 0 ? "" : ", ") + show17(x[j * n + worst_at % n]);
  throw failure(TESSERA_ERR_CHECK, "the callback and the " + name.full + " are not the same integrand: component " +
                                       std::to_string(worst_at / n + 1) + " at x = (" + point + ") is " +
                                       show17(here[worst_at]) + " by the callback and " + show17(there[worst_at]) +
                                       " by the " + name.brief);
}

// A run for "a GPU if there is one" that has to do without: what would be refused there is refused here. A text that only
// the device's compiler takes cannot be checked, and is not needed.
template <class Problem>
void tessera_solver::check_fallback(const Problem &problem, void *block) {
  try {
    const tessera::compiled_source &code = compiled_for_host(coordinates_of(problem));
    check_form(problem, source_name(), [&](int n, const double *x, double *f) {
      if (code.function()(n, ndim_, x, n, ncomp_, f, n, block) != 0)
        throw failure(TESSERA_ERR_CALLBACK, "the source text asked to stop while it was compared with the callback");
    });
  } catch (const tessera::compile_error &e) {
    log(1, std::string("the source text was not compared with the callback: ") + e.what());
  }
  checked_ = true;
}

template <class Problem>
void tessera_solver::check_on_device(const Problem &problem, const tessera::device_integrand &integrand,
                                     tessera::device_session &there) {
  if (!has_callback() || checked_) return;
  check_form(problem, device_form_name(), [&](int n, const double *x, double *f) {
    const auto start = clock_type::now();
    const std::string stopped = there.evaluate(problem, integrand, n, x, f);
    if (!device_batch_) options_.set_real(TESSERA_COMPILE_SECONDS, seconds_since(start));  // nearly all of it
    if (!stopped.empty())
      throw failure(TESSERA_ERR_CALLBACK,
                    stopped + (device_batch_ ? "" : " on the device") + " while it was compared with the callback");
  });
  checked_ = true;
}

// For solver_many.cpp.
template void tessera_solver::check_fallback(const tessera::cubature_problem &problem, void *block);
template void tessera_solver::check_on_device(const tessera::cubature_problem &problem, const tessera::device_integrand &integrand,
                                              tessera::device_session &there);

// What a device is given.
tessera::device_integrand tessera_solver::device_integrand() const {
  tessera::device_integrand integrand;
  integrand.batch = device_batch_;
  integrand.userdata = device_userdata_;
  if (!device_batch_) integrand.source = source_;
  const auto *bytes = static_cast<const unsigned char *>(params());
  if (bytes) integrand.params.assign(bytes, bytes + params_bytes_);
  integrand.disk_cache = options_.get_int(TESSERA_DISK_CACHE) != 0;
  return integrand;
}

void tessera_solver::take_report(const tessera::device_report &report, int device) {
  if (report.compile_seconds > 0.0) options_.set_real(TESSERA_COMPILE_SECONDS, report.compile_seconds);
  if (!report.inlined && !told_called_) log(1, "the integrand is called on the device, not inlined, which is slower");
  told_called_ = told_called_ || !report.inlined;
  if (!report.remark.empty()) log(1, report.remark);
  if (!device_batch_) options_.set_int(TESSERA_INLINED, report.inlined ? 1 : 0);
  options_.set_int(TESSERA_DEVICE_USED, device);
}

// body(session, integrand, report) runs there.
template <class Problem, class Body>
auto tessera_solver::run_on_device(const Problem &problem, int device, Body body) {
  try {
    tessera::device_session &there = session(device);
    const tessera::device_integrand integrand = device_integrand();
    check_on_device(problem, integrand, there);
    tessera::device_report report;
    const auto result = body(there, integrand, report);
    take_report(report, device);
    return result;
  } catch (const tessera::device_failure &e) {
    session_.reset();  // a device that failed is started again by the next run
    throw failure(e.missing() ? TESSERA_ERR_NOT_BUILT : TESSERA_ERR_DEVICE, e.what());
  } catch (const tessera::compile_error &e) {
    throw failure(tessera::compile_status(e), e.what());
  }
}

// there() runs on the device, here() on the host, where the first lacks something that was not insisted on; `device` is then that of
// the host.
template <class There, class Here>
auto tessera_solver::run_somewhere(int &device, There there, Here here) {
  if (device == host) return here();
  std::string why;
  try {
    return there();
  } catch (const failure &f) {
    if (f.status() != TESSERA_ERR_NOT_BUILT || options_.get_int(TESSERA_DEVICE) != any_device || !has_host_form()) throw;
    why = f.what();
  }
  device = do_without_device(why);
  try {
    return here();
  } catch (const failure &f) {
    if (f.status() != TESSERA_ERR_NOT_BUILT) throw;
    throw failure(f.status(), why + "; and " + f.what());
  }
}

// The host form for a run.
template <class Problem>
void tessera_solver::use_host_form(Problem &problem) {
  if (!has_callback()) {
    use_source(problem.integrand, problem.threads, coordinates_of(problem));
    return;
  }
  const bool wanted_device = options_.get_int(TESSERA_DEVICE) == any_device;
  if (wanted_device && has_source() && !has_code() && !checked_) check_fallback(problem, params());
}

tessera::run_result tessera_solver::run(int &device, tessera::run_hooks &hooks, double *value, double *error) {
  const bool wanted = device != host;
  if (wanted && given_count_ > 0) throw failure(TESSERA_ERR_UNSUPPORTED, "a run on a device cannot start from given regions");
  return run_somewhere(
      device,
      [&] {
        return run_on_device(problem_, device,
                             [&](tessera::device_session &there, const tessera::device_integrand &integrand,
                                 tessera::device_report &report) {
                               return there.cubature(problem_, integrand, hooks, value, error, report);
                             });
      },
      [&] {
        if (wanted) make_problem(device);
        use_host_form(problem_);
        if (!host_session_) host_session_ = tessera::make_host_session();
        regions_there_ = true;
        return host_session_->cubature(problem_, {given_count_, given_.data(), given_evaluations_}, hooks, value, error);
      });
}

tessera::lattice_result tessera_solver::run(tessera::lattice_problem &problem, int &device, tessera::run_hooks &hooks,
                                            double *value, double *error) {
  return run_somewhere(
      device,
      [&] {
        return run_on_device(problem, device,
                             [&](tessera::device_session &there, const tessera::device_integrand &integrand,
                                 tessera::device_report &report) {
                               return there.lattice(problem, integrand, hooks, value, error, report);
                             });
      },
      [&] {
        use_host_form(problem);
        return tessera::host_lattice_rule(problem, hooks, value, error);
      });
}

tessera::sampling_result tessera_solver::run(tessera::sampling_problem &problem, int &device, std::vector<double> &grid,
                                             tessera::run_hooks &hooks, double *value, double *error, double *chi_square) {
  return run_somewhere(
      device,
      [&] {
        return run_on_device(problem, device,
                             [&](tessera::device_session &there, const tessera::device_integrand &integrand,
                                 tessera::device_report &report) {
                               return there.monte_carlo(problem, integrand, grid, hooks, value, error, chi_square, report);
                             });
      },
      [&] {
        if (problem.settings.generator != tessera::generator_philox)
          throw failure(TESSERA_ERR_UNSUPPORTED,
                        "TESSERA_GENERATOR: cuRAND's generators are for integrands on a device; on the host there is Philox "
                        "alone");
        use_host_form(problem);
        return tessera::host_monte_carlo(problem, grid, hooks, value, error, chi_square);
      });
}

// The source text as a host function of so many coordinates.
void tessera_solver::use_source(tessera::host_integrand &integrand, int &threads, int coordinates) try {
  const tessera::compiled_source &code = compiled_for_host(coordinates);
  integrand = {code.function(), nullptr, params()};
  if (code.one_thread()) threads = 1;
} catch (const tessera::compile_error &e) {
  throw failure(tessera::compile_status(e), e.what());
}

// Reversed limits change the sign.
void tessera_solver::hand_out(const std::vector<double> &v, const std::vector<double> &e, double *value, double *error) const {
  const int sign = tessera::orientation(ndim_, lower_.data(), upper_.data());
  for (std::size_t k = 0; k < v.size(); ++k) {
    value[k] = sign * v[k];
    error[k] = e[k];
  }
}

int tessera_solver::cubature(int device, double *value, double *error) {
  make_problem(device);
  if (tessera::orientation(ndim_, lower_.data(), upper_.data()) == 0) {
    std::fill_n(value, ncomp_, 0.0);
    std::fill_n(error, ncomp_, 0.0);
    return TESSERA_OK;
  }
  tessera::clock_hooks between(progress_, progress_data_, options_.get_real(TESSERA_PROGRESS_SECONDS),
                               options_.get_real(TESSERA_MAX_SECONDS), ncomp_, problem_.settings, in_progress_callback);
  std::vector<double> &v = value_, &e = error_;
  v.resize(static_cast<std::size_t>(ncomp_));
  e.resize(v.size());
  const tessera::run_result result = run(device, between, v.data(), e.data());
  record(result, device);
  if (options_.get_int(TESSERA_KEEP_REGIONS) == 0) {
    regions_there_ = false;
    if (device == host) host_session_->release();
  }
  if (result.end != tessera::outcome::converged) last_error = result.sentence;
  if (!result.has_value) {
    if (result.end == tessera::outcome::memory) throw failure(TESSERA_ERR_MEMORY, result.sentence);
    throw failure(TESSERA_ERR_CALLBACK, result.sentence + " before there was a value");
  }
  hand_out(v, e, value, error);
  const int status = tessera::status_of(result.end);
  if (status != TESSERA_OK && last_error.empty()) last_error = tessera::status_text(status);
  return status;
}

void tessera_solver::record(const tessera::run_result &result, int device) {
  const tessera::cubature_problem &problem = problem_;
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
  if (log_) log(2, (device == host ? std::string("cubature: ") : "cubature on device " + std::to_string(device) + ": ") + std::to_string(s.evaluations) + " evaluations, " +
             std::to_string(s.regions) + " regions, " +
             std::to_string(s.iterations) + " steps: " + tessera::status_text(tessera::status_of(result.end)));
}

void tessera_solver::get_regions(std::int64_t first, std::int64_t n, double *records, std::int64_t *count) const {
  if (!regions_there_)
    throw failure(TESSERA_ERR_UNSUPPORTED, "there are no regions: the last run was not on the host, or TESSERA_KEEP_REGIONS is 0");
  const std::int64_t there = host_session_->regions();
  if (there < 0) throw failure(TESSERA_ERR_UNSUPPORTED, "the regions are not complete: some were given up for want of memory, or "
                                                 "the integrand failed in the middle of a bulk step");
  if (first < 0 || n < 0 || n > there || first > there - n)
    throw failure(TESSERA_ERR_ARGUMENT, "regions " + std::to_string(first) + " .. first + " + std::to_string(n) + " - 1 of " +
                                            std::to_string(there) + " were asked for");
  if (n > 0 && !records) throw failure(TESSERA_ERR_ARGUMENT, "records is NULL");
  if (n > 0) host_session_->read_regions(first, n, records);
  if (count) *count = there;
}

void tessera_solver::set_regions(std::int64_t n, const double *records, std::int64_t evaluations) {
  if (n < 0) throw failure(TESSERA_ERR_ARGUMENT, "n is negative");
  if (evaluations < 0) throw failure(TESSERA_ERR_ARGUMENT, "evaluations is negative");
  if (n > 0 && !records) throw failure(TESSERA_ERR_ARGUMENT, "records is NULL");
  const int fields = tessera::region_record_fields(ndim_, ncomp_);
  if (n > std::numeric_limits<std::int64_t>::max() / 64 / fields) throw std::bad_alloc();
  for (std::int64_t i = 0; i < n; ++i) {
    const double *record = records + i * fields;
    const char *wrong = tessera::wrong_in_record(record, ndim_, ncomp_);
    if (wrong) throw failure(TESSERA_ERR_ARGUMENT, std::string(wrong) + " of region " + std::to_string(i) + " is not possible");
  }
  given_.assign(records, records + n * fields);
  given_count_ = n;
  given_evaluations_ = evaluations;
}
