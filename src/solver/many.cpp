// Many integrals of one integrand: what the solver adds to the single run.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "clock_hooks.hpp"
#include "domain.hpp"
#include "outcome_status.hpp"
#include "run.hpp"

using tessera::failure;
using tessera::host;

namespace {

using clock_type = std::chrono::steady_clock;

constexpr tessera::int64 small_regions =
    16;  // TESSERA_INITIAL_REGIONS = 1 for integrals that a part of a device works at

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

class watch : public tessera::many_hooks {
 public:
  watch(const tessera::progress_clock &clock, int ncomp, std::int64_t rows)
      : clock_(clock), rows_(rows), none_(at(ncomp), 0.0) {}

  bool is_wanted() const override { return clock_.is_wanted(); }
  bool is_over() const override { return clock_.is_over(); }
  bool due() override {
    tessera::outcome end = tessera::outcome::running;
    return clock_.is_due(end);
  }

  tessera::outcome look(tessera::int64 evaluations, tessera::int64 finished, const double *value,
                        const double *error) override {
    tessera::outcome end = tessera::outcome::running;
    if (!clock_.is_due(end) || end != tessera::outcome::running) return end;
    // As many for each as for those that are finished.
    const double left = finished > 0 ? static_cast<double>(evaluations) / static_cast<double>(finished) *
                                           static_cast<double>(rows_ - finished)
                                     : -1.0;
    return clock_.report(evaluations, value ? value : none_.data(), error ? error : none_.data(),
                         left < 9e18 ? static_cast<std::int64_t>(left) : -1);
  }
  const std::string &message() const { return clock_.message(); }

 private:
  tessera::progress_clock clock_;
  const std::int64_t rows_;
  const std::vector<double> none_;
};

int status_of(const tessera::many_row &r) {
  if (r.elsewhere) return TESSERA_ELSEWHERE;
  if (r.has_value || r.end == tessera::outcome::stopped || r.end == tessera::outcome::time)
    return tessera::status_of(r.end);
  return r.end == tessera::outcome::memory ? TESSERA_ERR_MEMORY : TESSERA_ERR_CALLBACK;
}

// The first row as a problem of its own, with which the callback and the text are compared.
struct first_row {
  first_row(const tessera::many_problem &many, void *params) : problem(many.common->copy()), shared(params) {
    many.give_row(0, *problem);
    if (!many.params) return;
    block.resize(many.params_bytes / sizeof(std::max_align_t) + 1);
    std::memcpy(static_cast<void *>(block.data()), many.block(0), many.params_bytes);
    shared = problem->integrand.userdata = problem->integrand.params = block.data();
  }
  const std::unique_ptr<tessera::problem> problem;
  std::vector<std::max_align_t> block;
  void *shared;
};

// Why the limits of a row leave nothing to run.
struct row_trouble {
  int status;
  std::string why;
};
row_trouble trouble_with_row(tessera::problem &p, const double *lower, const double *upper) {
  std::string why = tessera::trouble_with_limits(p.ndim(), lower, upper);
  if (!why.empty()) return {TESSERA_ERR_ARGUMENT, why};
  if (tessera::orientation(p.ndim(), lower, upper) == 0) return {TESSERA_OK, {}};
  p.set_limits(p.ndim(), lower, upper);
  why = p.trouble_with_limits();
  if (!why.empty()) return {TESSERA_ERR_ARGUMENT, why};
  why = tessera::trouble_with_volume(p.finite_volume());
  return {why.empty() ? TESSERA_OK : TESSERA_ERR_UNSUPPORTED, why};
}

int threads_for(std::int64_t wanted, std::int64_t rows) {
  return static_cast<int>(std::max<std::int64_t>(1, std::min(wanted, rows)));
}

bool fits(std::int64_t count, std::size_t each) {
  std::size_t bytes;
  return !__builtin_mul_overflow(at(count), each, &bytes) && bytes <= static_cast<std::size_t>(PTRDIFF_MAX);
}

}  // namespace

void tessera_solver::require_many(int method, std::int64_t count, const void *params, std::size_t params_bytes,
                                  const double *lower, const double *upper, const double *value,
                                  const double *error) const {
  const auto refuse = [](const std::string &message) { throw failure(TESSERA_ERR_ARGUMENT, message); };
  if (!tessera::is_method(method) && method != TESSERA_AUTO)
    refuse("method " + std::to_string(method) + " is not a value of enum tessera_method");
  if (count < 0) refuse("count = " + std::to_string(count) + " is negative");
  if (count > 0 && (!value || !error)) refuse(value ? "error is NULL" : "value is NULL");
  if (!lower != !upper) refuse(lower ? "upper is NULL and lower is not" : "lower is NULL and upper is not");
  if (!params && params_bytes > 0) refuse("params is NULL and params_bytes is not 0");
  if (params && params_bytes == 0) refuse("params_bytes is 0 and params is not NULL");
  if (params && has_callback() && userdata_)
    refuse("params is not NULL, but the callback has a userdata of its own and would not see the blocks");
  if (params && !source_.variables.empty() && params_bytes != params_bytes_)
    refuse("params_bytes = " + std::to_string(params_bytes) +
           ": the twin's block, with the program's data in it, has " + std::to_string(params_bytes_));
  if (!fits(count, sizeof(double) * at(std::max(ndim_, ncomp_))) || !fits(count, params_bytes))
    refuse("count = " + std::to_string(count) + ": the arrays would be larger than the memory can be");
  if (params && device_batch_ && device_userdata_ && options_.get_int(TESSERA_DEVICE) != host)
    refuse("params is not NULL, but the device callback has a userdata of its own and would not see the blocks");
  if (params && batch_ && !shape_.is_plain() && method == TESSERA_QUADRATURE &&
      options_.get_int(TESSERA_SHARED_CALLS) != 0)
    throw failure(TESSERA_ERR_UNSUPPORTED,
                  std::string("TESSERA_SHARED_CALLS = 1 and ") + shape_.name() + " do not go together");
}

int tessera_solver::integrate_many_here(int method, std::int64_t count, const void *params, std::size_t params_bytes,
                                        const double *lower, const double *upper, double *value, double *error,
                                        int *status) {
  require_many(method, count, params, params_bytes, lower, upper, value, error);
  if (method == TESSERA_AUTO)
    return integrate_many_automatically(count, params, params_bytes, lower, upper, value, error, status);
  tessera::method &m = method_of(static_cast<tessera::method_number>(method));
  int device = choose_device(m, true);
  const auto start = clock_type::now();
  begin_run();
  const std::vector<double> box_lower = limits_of_boxes(count, lower, 0.0),
                            box_upper = limits_of_boxes(count, upper, 1.0);
  if (lower && !shape_.is_plain()) lower = box_lower.data(), upper = box_upper.data();

  std::vector<int> ends(at(count), TESSERA_OK);
  tessera::many_problem problem = make_many(m, device, count, params, params_bytes, lower, upper, ends);
  watch between({progress_, progress_data_, ncomp_, options_, in_progress_callback}, ncomp_, problem.rows());
  std::vector<double> v(at(problem.rows() * ncomp_)), e(v.size());
  tessera::many_results results(0);
  try {
    results = ranks_ ? run_many_on_ranks(m, problem, device, between, v.data(), e.data())
                     : run_many(m, problem, device, between, v.data(), e.data());
  } catch (const tessera::out_of_time &late) {
    results = tessera::many_results(problem.rows());
    for (tessera::many_row &row : results.rows) row.end = tessera::outcome::time;
    results.keep_message(0, late.what());
    options_.set_real(TESSERA_COMPILE_SECONDS, std::chrono::duration<double>(clock_type::now() - start).count());
  }
  for (std::int64_t r = 0; r < problem.rows(); ++r) {
    std::string message;
    tessera::many_row &row = results.rows[at(r)];
    double *const value_of_row = &v[at(r * ncomp_)], *const error_of_row = &e[at(r * ncomp_)];
    if (row.has_value)
      tessera::charge_zeroed(row.end, message, row.zeroed, row.zeroed_share, problem.common->asked(), value_of_row,
                             error_of_row);
    tessera::doubt_success(row.end, message, ncomp_, value_of_row, error_of_row);
    results.keep_message(r, message);
  }

  std::vector<std::int64_t> row_of(at(count), -1);
  for (std::int64_t r = 0; r < problem.rows(); ++r) row_of[at(problem.index[at(r)])] = r;
  int worst = TESSERA_OK;
  std::int64_t worst_at = -1;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t r = row_of[at(i)];
    if (r >= 0) ends[at(i)] = status_of(results.rows[at(r)]);
    const int rank = ends[at(i)] < 0                    ? TESSERA_SOME_FAILED
                     : ends[at(i)] == TESSERA_ELSEWHERE ? TESSERA_OK
                                                        : ends[at(i)];
    if (rank > worst) worst = rank, worst_at = i;
  }
  record_many(m, results, device);
  if (problem.rows() > 0) options_.set_int(TESSERA_METHOD_USED, method);
  if (worst != TESSERA_OK) {
    const std::int64_t r = row_of[at(worst_at)];
    std::string why = r >= 0
                          ? results.message_of(r)
                          : trouble_with_row(*problem.common, lower + worst_at * ndim_, upper + worst_at * ndim_).why;
    if (why.empty()) {
      why = tessera::status_text(ends[at(worst_at)]);
    } else if (ends[at(worst_at)] == TESSERA_ERR_CALLBACK) {
      why += " before there was a value";
    }
    if (!between.message().empty()) why = between.message();
    last_error = "integral " + std::to_string(worst_at) + " (counted from 0): " + why;
  }
  // Nothing fails from here on: what is written is the result.
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t r = row_of[at(i)];
    const tessera::many_row *row = r < 0 ? nullptr : &results.rows[at(r)];
    if (status) status[i] = ends[at(i)];
    if (ends[at(i)] < 0) continue;
    const int sign = lower ? tessera::orientation(ndim_, lower + i * ndim_, upper + i * ndim_)
                           : tessera::orientation(ndim_, lower_.data(), upper_.data());
    for (std::int64_t k = 0; k < ncomp_; ++k) {
      double &to = value[i * ncomp_ + k], &error_to = error[i * ncomp_ + k];
      if (!row) {
        to = error_to = 0.0;  // some limits are equal
      } else if (!row->has_value) {
        to = std::numeric_limits<double>::quiet_NaN();
        error_to = std::numeric_limits<double>::infinity();
      } else {
        to = sign * v[at(r * ncomp_ + k)];
        error_to = e[at(r * ncomp_ + k)];
      }
    }
  }
  options_.set_real(TESSERA_SECONDS, std::chrono::duration<double>(clock_type::now() - start).count());
  return worst;
}

// Those of many integrals with `end` on the axes that are those of the unit cube; nothing where there are none.
std::vector<double> tessera_solver::limits_of_boxes(std::int64_t count, const double *asked, double end) const {
  if (!asked || shape_.is_plain()) return {};
  std::vector<double> limits(asked, asked + count * ndim_);
  for (std::size_t i = 0; i < limits.size(); ++i)
    if (shape_.is_simplex() || shape_.limits[i % shape_.limits.size()].is_set()) limits[i] = end;
  return limits;
}

// What all integrals share.
std::unique_ptr<tessera::problem> tessera_solver::common_problem(tessera::method &m, int device) {
  const tessera::problem &problem = prepare(m, device == host);
  m.start_many(device == host);
  std::unique_ptr<tessera::problem> common = problem.copy();
  common->shared = nullptr;  // whole integrals are what ranks share
  return common;
}

// The integrals that need a run. status[count] receives what is known of the others.
tessera::many_problem tessera_solver::make_many(tessera::method &m, int device, std::int64_t count, const void *params,
                                                std::size_t params_bytes, const double *lower, const double *upper,
                                                std::vector<int> &status) {
  tessera::many_problem many;
  many.common = common_problem(m, device);
  const std::int64_t initial = options_.get_int(TESSERA_INITIAL_REGIONS);
  many.small_regions = initial == 1 ? small_regions : initial;
  many.params = static_cast<const unsigned char *>(params);
  many.params_bytes = params_bytes;
  many.lower = lower;
  many.upper = upper;
  if (!lower) {
    if (tessera::orientation(ndim_, lower_.data(), upper_.data()) == 0) return many;
    const std::string trouble = many.common->trouble_with_limits();
    if (!trouble.empty()) throw failure(TESSERA_ERR_ARGUMENT, trouble);
    tessera::require_normal_volume(many.common->finite_volume());
    many.any_mapped = many.common->is_mapped();
  }
  many.index.reserve(at(count));
  const std::unique_ptr<tessera::problem> box = many.common->copy();
  for (std::int64_t i = 0; i < count; ++i) {
    if (lower) {
      const double *lo = lower + i * ndim_, *hi = upper + i * ndim_;
      status[at(i)] = trouble_with_row(*box, lo, hi).status;
      if (status[at(i)] != TESSERA_OK || tessera::orientation(ndim_, lo, hi) == 0) continue;
      many.any_mapped = many.any_mapped || box->is_mapped();
    }
    many.index.push_back(i);
  }
  many.common->threads = threads_for(many.common->threads, many.rows());
  many.of_rows = many.rows();
  return many;
}

// `device` and `problem` become those of the host where a device that was not insisted on lacks something.
tessera::many_results tessera_solver::run_many(tessera::method &m, tessera::many_problem &problem, int &device,
                                               tessera::many_hooks &watch, double *value, double *error) {
  if (problem.rows() == 0) return tessera::many_results(0);
  const bool wanted = device != host;
  return device_or_host(
      device, [&] { return run_many_on_device(m, problem, device, watch, value, error); },
      [&] {
        if (wanted) {
          problem.common = common_problem(m, device);
          problem.common->threads = threads_for(problem.common->threads, problem.rows());
        }
        return run_many_on_host(problem, watch, value, error);
      });
}

tessera::many_results tessera_solver::run_many_on_host(tessera::many_problem &problem, tessera::many_hooks &watch,
                                                       double *value, double *error) {
  tessera::problem &common = *problem.common;
  compile_limits(common.threads);
  use_host_form(common.integrand, common.threads, common.coordinates(), [&] {
    if (!common.compares_forms()) return;
    const first_row first(problem, params());
    check_fallback(*first.problem, points_of_domain(*first.problem, false), first.shared);
  });
  if (options_.get_int(TESSERA_MAX_MEMORY) == 0) common.share_memory(common.threads);  // what is free is shared out
  tessera::device_report unused;
  return place_here().run_many(problem, {}, watch, value, error, unused);
}

tessera::many_results tessera_solver::run_many_on_device(const tessera::method &m, const tessera::many_problem &problem,
                                                         int device, tessera::many_hooks &watch, double *value,
                                                         double *error) {
  return reach_device([&] {
    tessera::place &there = place_on(device);
    const tessera::device_integrand integrand = device_integrand(!m.takes_limit_functions());
    if (m.takes_limit_functions()) compile_limits(problem.common->threads);
    if (has_callback() && !checked_) {
      const first_row first(problem, params());
      tessera::device_integrand with_block = integrand;
      if (problem.params) with_block.params.assign(problem.block(0), problem.block(0) + problem.params_bytes);
      check_on_device(*first.problem, with_block, there);
    }
    tessera::device_report report;
    tessera::many_results results = there.run_many(problem, integrand, watch, value, error, report);
    take_report(report, device);
    return results;
  });
}

void tessera_solver::record_many(tessera::method &m, const tessera::many_results &results, int device) {
  std::int64_t evaluations = 0, regions = 0, iterations = 0, zeroed = 0, converged = 0;
  int callback_status = 0;
  for (const tessera::many_row &r : results.rows) {
    evaluations += r.evaluations;
    regions += r.regions;
    iterations += r.iterations;
    zeroed += r.zeroed;
    converged += r.end == tessera::outcome::converged;
    if (callback_status == 0) callback_status = r.callback_status;
  }
  options_.set_int(TESSERA_EVALUATIONS, evaluations);
  options_.set_int(TESSERA_REGIONS, regions);
  options_.set_int(TESSERA_ITERATIONS, iterations);
  options_.set_int(TESSERA_CALLBACK_STATUS, callback_status);
  options_.set_int(TESSERA_NONFINITE_POINTS, zeroed);
  options_.set_int(TESSERA_THREADS_USED, results.threads);
  options_.set_int(TESSERA_PEAK_MEMORY, results.peak_bytes);
  m.record_many(results);
  log(2,
      (device == host ? std::string("many integrals: ") : "many integrals on device " + std::to_string(device) + ": ") +
          std::to_string(converged) + " of " + std::to_string(results.rows.size()) + " converged, " +
          std::to_string(evaluations) + " evaluations" +
          (regions > 0 ? ", " + std::to_string(regions) + " regions" : ""));
}
