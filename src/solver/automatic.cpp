// TESSERA_AUTO: methods as contenders of a race (engine/choice/method_race.hpp), which is run by them and says which gave the result.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <functional>
#include <limits>
#include <new>

#include "../engine/choice/method_race.hpp"
#include "../engine/montecarlo/importance_grid.hpp"
#include "agreed_hooks.hpp"
#include "checkpoint_hooks.hpp"
#include "clock_hooks.hpp"
#include "domain.hpp"
#include "outcome_status.hpp"
#include "solver.hpp"

using tessera::contender_kind;
using tessera::failure;
using tessera::host;

namespace {

using clock_type = std::chrono::steady_clock;

// Options as a contender has them while its problem is prepared and run; then again as they were.
class lent_options {
 public:
  explicit lent_options(tessera::option_values &of) : of_(of) {}
  ~lent_options() {
    for (const auto &[key, value] : before_) of_.set_int(key, value);
  }
  lent_options(const lent_options &) = delete;
  lent_options &operator=(const lent_options &) = delete;
  void lend(int key, std::int64_t value) {
    before_.emplace_back(key, of_.get_int(key));
    of_.set_int(key, value);
  }

 private:
  tessera::option_values &of_;
  std::vector<std::pair<int, std::int64_t>> before_;
};

// Other points than those that Monte Carlo itself looks at, so that the values are evidence for each other.
constexpr std::int64_t other_seed = 0x2b7e151628aed2a6;

void lend_sobol(lent_options &lent) {
  lent.lend(TESSERA_GENERATOR, TESSERA_GENERATOR_SOBOL);
  lent.lend(TESSERA_SAMPLING, TESSERA_SAMPLING_PLAIN);
}

// Small rules are tried first, but none of them ends a run.
constexpr std::int64_t lattice_points = 256, sobol_points = 32, least_evaluations = 32768;
constexpr std::int64_t default_points = 1024;
// Evaluations in the first trial; regions that a cubature is seen to divide.
constexpr std::int64_t usual_share = 4096, regions_tried = 5, most_share = 13500;

}  // namespace

// The contenders of a solver, and their runs.
class tessera_solver::automatic_course final : public tessera::race_course {
 public:
  struct entry {
    tessera::method *method;
    contender_kind kind;
    int number, device;
    tessera::int64 first_share;
    tessera::run_result *result;
    std::vector<double> grid;  // of the points of its last run, empty where they lie evenly
  };

  explicit automatic_course(tessera_solver &solver) : s_(solver) {
    if (s_.ndim_ == 1) {
      add(s_.method_of(tessera::method_quadrature), contender_kind::cubature, TESSERA_QUADRATURE);
      if (!entries_.empty()) return;
    } else {
      add(s_.method_of(tessera::method_cubature), contender_kind::cubature, TESSERA_CUBATURE);
    }
    add(s_.method_of(tessera::method_lattice), contender_kind::lattice, TESSERA_LATTICE);
    add(s_.method_of(tessera::method_monte_carlo), contender_kind::samples, TESSERA_MONTECARLO);
    const tessera::option_values &o = s_.options_;
    if (o.get_int(TESSERA_GENERATOR) == TESSERA_GENERATOR_AUTO &&
        o.get_int(TESSERA_SAMPLING) == TESSERA_SAMPLING_AUTO && o.get_int(TESSERA_ANTITHETIC) == 0 &&
        s_.ndim_ <= tessera::sobol_axes) {
      if (!s_.sobol_)
        s_.sobol_ = tessera::make_monte_carlo({s_.ndim_, s_.ncomp_, s_.lower_, s_.upper_, s_.options_, s_.host_place_});
      add(*s_.sobol_, contender_kind::sobol_points, TESSERA_MONTECARLO);
    }
    if (entries_.empty()) throw *refusal_;
  }

  std::vector<tessera::contender> contenders() const {
    std::vector<tessera::contender> all;
    for (const entry &e : entries_)
      all.emplace_back(
          e.kind, name_of(e), s_.ncomp_, e.first_share,
          e.kind == contender_kind::lattice || e.kind == contender_kind::sobol_points ? least_evaluations : 0);
    return all;
  }
  const entry &of(int c) const { return entries_[static_cast<std::size_t>(c)]; }
  // Which one can look for other modes of the integrand, -1: none; and whether it has to, also where it has had no turn: in a range that is infinite.
  int looker() const { return looker_; }
  bool has_to_look() const { return has_to_look_; }

  tessera::outcome run(int c, tessera::int64 maxeval, tessera::run_hooks &hooks, double *value, double *error,
                       bool &has_value, tessera::int64 &n, bool &broken) override {
    entry &e = entries_[static_cast<std::size_t>(c)];
    lent_options lent(s_.options_);
    lend(e.kind, lent);
    lent.lend(TESSERA_MAXEVAL, std::max<tessera::int64>(1, maxeval));
    const std::int64_t memory = s_.options_.get_int(TESSERA_MAX_MEMORY);  // all may have some at the same time
    if (memory > 0) lent.lend(TESSERA_MAX_MEMORY, std::max<std::int64_t>(1, memory / count()));
    try {
      tessera::problem &problem = s_.prepare(*e.method, e.device == host);
      tessera::run_result &result =
          s_.run(*e.method, &problem, e.device, hooks, value, error, static_cast<std::size_t>(c));
      e.result = &result;
      const std::vector<double> *const grid = result.is_even() ? nullptr : problem.grid_of_points();
      e.grid = grid ? *grid : std::vector<double>();
      has_value = result.has_value;
      n = result.counts().evaluations;
      if (has_value)
        tessera::charge_zeroed(result.end, result.message, result.zeroed, result.zeroed_share, problem.asked(), value,
                               error);
      tessera::doubt_success(result.end, result.message, s_.ncomp_, value, error);
      return result.end;
    } catch (const std::bad_alloc &) {
      return tessera::outcome::memory;
    } catch (const tessera::common_failure &) {
      caught_ = std::current_exception();
    } catch (const failure &f) {
      if (f.status() == TESSERA_ERR_UNSUPPORTED) {  // of one method: others may take what it refuses
        if (!refusal_) refusal_ = std::make_unique<failure>(f);
        return tessera::outcome::memory;
      }
      caught_ = std::current_exception();
    } catch (...) {
      caught_ = std::current_exception();
    }
    broken = true;
    return tessera::outcome::stopped;
  }
  double share_of_points(int c, const tessera::told_mode &mode) const override {
    const std::vector<double> &grid = entries_[static_cast<std::size_t>(c)].grid;
    return grid.empty() || mode.from.empty() ? mode.share
                                             : tessera::share_between(grid, mode.from.data(), mode.to.data());
  }
  tessera::int64 zeroed() const {
    tessera::int64 all = 0;
    for (const entry &e : entries_) all += e.result ? e.result->zeroed : 0;
    return all;
  }
  tessera::int64 peak_bytes() const {
    tessera::int64 all = 0;
    for (const entry &e : entries_) all += e.result ? e.result->counts().peak_bytes : 0;
    return all;
  }
  bool is_on_host() const {
    for (const entry &e : entries_)
      if (e.device != host) return false;
    return true;
  }
  std::int64_t count() const { return static_cast<std::int64_t>(entries_.size()); }
  // What ended a run by an exception, or kept every method from having a result.
  void rethrow(bool has_result) const {
    if (caught_) std::rethrow_exception(caught_);
    if (!has_result && refusal_) throw *refusal_;
    if (!has_result) throw std::bad_alloc();
  }

 private:
  void add(tessera::method &m, contender_kind kind, int number) {
    try {
      lent_options lent(s_.options_);
      lend(kind, lent);
      const int device = s_.choose_device(m, false);
      const tessera::problem &p = s_.prepare(m, device == host);
      tessera::int64 first = usual_share;
      if (number == TESSERA_CUBATURE &&
          (p.is_mapped() || static_cast<const tessera::cubature_problem &>(p).settings.looks_in_finite_ranges)) {
        looker_ = static_cast<int>(entries_.size());
        has_to_look_ = p.is_mapped();
      }
      if (number == TESSERA_CUBATURE)
        first = std::clamp<tessera::int64>(
            regions_tried * static_cast<const tessera::cubature_problem &>(p).integration_rule.points, usual_share,
            most_share);
      entries_.push_back({&m, kind, number, device, first, nullptr, {}});
    } catch (const failure &f) {
      if (f.status() != TESSERA_ERR_UNSUPPORTED) throw;
      if (!refusal_) refusal_ = std::make_unique<failure>(f);
    }
  }
  static void lend(contender_kind kind, lent_options &lent, tessera::option_values &o) {
    if (kind != contender_kind::lattice && kind != contender_kind::sobol_points) return;
    lent.lend(TESSERA_MINEVAL, std::max(o.get_int(TESSERA_MINEVAL), least_evaluations));
    if (o.get_int(TESSERA_POINTS) == default_points)
      lent.lend(TESSERA_POINTS, kind == contender_kind::lattice ? lattice_points : sobol_points);
    if (kind == contender_kind::lattice) return;
    lend_sobol(lent);
    lent.lend(TESSERA_SEED, o.get_int(TESSERA_SEED) ^ other_seed);
  }
  void lend(contender_kind kind, lent_options &lent) { lend(kind, lent, s_.options_); }
  static const char *name_of(const entry &e) {
    if (e.number == TESSERA_QUADRATURE) return "quadrature";
    switch (e.kind) {
      case contender_kind::cubature:
        return "cubature";
      case contender_kind::lattice:
        return "lattice rules";
      case contender_kind::sobol_points:
        return "Sobol points";
      case contender_kind::samples:
        break;
    }
    return "Monte Carlo";
  }

  tessera_solver &s_;
  std::vector<entry> entries_;
  int looker_ = -1;
  bool has_to_look_ = false;
  std::unique_ptr<failure> refusal_;
  std::exception_ptr caught_;
};

int tessera_solver::integrate_automatically(double *value, double *error, bool alone) {
  const auto seconds = [start = clock_type::now()] {
    return std::chrono::duration<double>(clock_type::now() - start).count();
  };
  begin_run();
  chose_sobol_ = false;
  struct ending {
    explicit ending(tessera_solver &solver) : s(solver) {}
    ~ending() { s.end_run(); }
    tessera_solver &s;
  } at_the_end(*this);
  int status = TESSERA_OK;
  try {
    automatic_course course(*this);
    if (alone) begin_state(TESSERA_AUTO, course.is_on_host());
    if (is_empty_domain(value, error)) {
      course.of(0).method->record_empty();
    } else {
      tessera::clock_hooks hooks(progress_, progress_data_, ncomp_, options_, in_progress_callback);
      value_.resize(static_cast<std::size_t>(ncomp_));
      error_.resize(value_.size());
      tessera::problem &first = prepare(*course.of(0).method, course.of(0).device == host);
      const tessera::run_settings asked = first.asked();
      tessera::agreed_hooks agreed(hooks, ranks_.get(), any_looks_);
      tessera::checkpoint_hooks kept(agreed, options_.get_real(TESSERA_CHECKPOINT_SECONDS), checkpoint_writer());
      tessera::method_race race(asked, course.contenders(), course, kept, course.looker(), course.has_to_look());
      bool has_value = false;
      tessera::outcome end = race.run(value_.data(), error_.data(), has_value);
      const automatic_course::entry &chosen = course.of(race.chosen());
      course.rethrow(chosen.result != nullptr);
      tessera::run_result &result = *chosen.result;
      const tessera::run_result *const last = course.of(race.ended_by()).result;
      std::string message = hooks.message();
      if (message.empty() && last && end != tessera::outcome::converged) message = last->message;
      if (message.empty()) message = race.doubt();
      options_.set_int(TESSERA_CALLBACK_STATUS, last ? last->callback_status : 0);
      options_.set_int(TESSERA_NONFINITE_POINTS, course.zeroed());
      if (end == tessera::outcome::memory && !has_value)
        message += "; each of the " + std::to_string(course.count()) + " methods of TESSERA_AUTO has an equal share";
      result.end = end;
      result.has_value = has_value;
      result.message = message;
      if (chosen.number != TESSERA_CUBATURE) {  // regions of which nobody is told
        method_of(tessera::method_cubature).begin_run();
        if (host_place_) host_place_->release();
      }
      chosen.method->record(chosen.device == host);
      options_.set_int(TESSERA_METHOD_USED, chosen.number);
      options_.set_int(TESSERA_PEAK_MEMORY, course.peak_bytes());
      options_.set_int(TESSERA_EVALUATIONS, race.evaluations());
      chose_sobol_ = chosen.kind == contender_kind::sobol_points;
      status = tessera::status_of(end);
      if (log_) {
        const std::string where = chosen.device == host ? "" : " on device " + std::to_string(chosen.device);
        log(2, "automatic choice: " + race.story());
        log(2, chosen.method->summary(where) + ": " + tessera::status_text(status));
      }
      conclude(asked, result, value_, error_, value, error);
    }
  } catch (const tessera::out_of_time &e) {
    last_error = e.what();
    std::fill_n(value, ncomp_, std::numeric_limits<double>::quiet_NaN());
    std::fill_n(error, ncomp_, std::numeric_limits<double>::infinity());
    options_.set_real(TESSERA_COMPILE_SECONDS, seconds());
    status = TESSERA_LIMIT_TIME;
  } catch (const tessera::common_failure &) {
    throw;
  } catch (const failure &f) {
    refuse_twin_and_throw(f);
  }
  options_.set_real(TESSERA_SECONDS, seconds());
  return status;
}

// The method that the first integral with limits of use is given; where it has no result, the first one that takes the integrals.
tessera_solver::chosen_method tessera_solver::choose_for_many(std::int64_t count, const void *params,
                                                              std::size_t params_bytes, const double *lower,
                                                              const double *upper) {
  if (ndim_ == 1) return {TESSERA_QUADRATURE, false, 0};
  const std::vector<double> asked_lower = asked_lower_, asked_upper = asked_upper_;
  const auto block = params_;
  const std::size_t bytes = params_bytes_;
  const std::string said = last_error;
  struct restoring {
    ~restoring() { back(); }
    const std::function<void()> back;
  } at_the_end{[&] {
    asked_lower_ = asked_lower;
    asked_upper_ = asked_upper;
    make_box();
    params_ = block;
    params_bytes_ = bytes;
    last_error = said;
  }};
  std::int64_t first = 0;
  const auto is_of_use = [&](std::int64_t i) {
    const double *const lo = lower + i * ndim_, *const hi = upper + i * ndim_;
    return tessera::trouble_with_limits(ndim_, lo, hi).empty() && tessera::orientation(ndim_, lo, hi) != 0;
  };
  while (lower && first < count && !is_of_use(first)) ++first;
  const int usual = automatic_course(*this).of(0).number;
  if (first == count) return {usual, false, 0};
  if (lower) set_domain(lower + first * ndim_, upper + first * ndim_);
  if (params)
    set_params(static_cast<const unsigned char *>(params) + static_cast<std::size_t>(first) * params_bytes,
               params_bytes);
  std::vector<double> value(static_cast<std::size_t>(ncomp_)), error(value.size());
  try {
    integrate_automatically(value.data(), error.data(), false);
  } catch (const failure &f) {
    if (f.status() != TESSERA_ERR_CALLBACK && f.status() != TESSERA_ERR_MEMORY) throw;
    return {usual, false, options_.get_int(TESSERA_EVALUATIONS)};
  }
  return {static_cast<int>(options_.get_int(TESSERA_METHOD_USED)), chose_sobol_, options_.get_int(TESSERA_EVALUATIONS)};
}

// One method for all of them.
int tessera_solver::integrate_many_automatically(std::int64_t count, const void *params, std::size_t params_bytes,
                                                 const double *lower, const double *upper, double *value, double *error,
                                                 int *status) {
  const auto start = clock_type::now();
  const auto seconds = [&] { return std::chrono::duration<double>(clock_type::now() - start).count(); };
  const chosen_method chosen = choose_for_many(count, params, params_bytes, lower, upper);
  log(2, "automatic choice for " + std::to_string(count) + " integrals: TESSERA_" +
             (chosen.method == TESSERA_QUADRATURE ? "QUADRATURE"
              : chosen.method == TESSERA_CUBATURE ? "CUBATURE"
              : chosen.method == TESSERA_LATTICE  ? "LATTICE"
              : chosen.sobol                      ? "MONTECARLO with Sobol points"
                                                  : "MONTECARLO") +
             ", by " + std::to_string(chosen.evaluations) + " evaluations of the first");
  const double limit = options_.get_real(TESSERA_MAX_SECONDS);
  lent_options lent(options_);
  if (chosen.sobol) lend_sobol(lent);
  struct restoring {
    ~restoring() { of.set_real(TESSERA_MAX_SECONDS, limit); }
    tessera::option_values &of;
    const double limit;
  } at_the_end{options_, limit};
  constexpr double least_seconds = 1e-9;
  if (limit > 0.0) options_.set_real(TESSERA_MAX_SECONDS, std::max(limit - seconds(), least_seconds));
  const int worst = integrate_many_here(chosen.method, count, params, params_bytes, lower, upper, value, error, status);
  options_.set_int(TESSERA_EVALUATIONS, options_.get_int(TESSERA_EVALUATIONS) + chosen.evaluations);
  options_.set_real(TESSERA_SECONDS, seconds());
  return worst;
}
