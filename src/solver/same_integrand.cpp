// Two forms of one integrand, a callback and what runs in its place, are compared at some points before the second is believed.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "../core/spread_turns.hpp"
#include "../jit/child.hpp"
#include "solver.hpp"

using tessera::failure;
using tessera::shown_number;
using tessera::shown_point;

namespace {

using clock_type = std::chrono::steady_clock;

double seconds_since(clock_type::time_point start) {
  return std::chrono::duration<double>(clock_type::now() - start).count();
}

constexpr int check_points = 64, most_compared = 256;

// Of `many` points, spread over n, the i-th.
std::int64_t place_of(int i, int many, std::int64_t n) { return many == n ? i : i * (n / many); }

// n points of the box, coordinate j of point i at x[j*n + i].
void to_the_domain(const tessera::domain_shape &shape, void *params, int n, double *x) try {
  const tessera::limited_integrand map(shape, params);
  std::vector<double> point(shape.limits.size()), spare(point);
  for (std::size_t i = 0, every = static_cast<std::size_t>(n); i < every; ++i) {
    for (std::size_t j = 0; j < point.size(); ++j) point[j] = x[j * every + i];
    int status = 0;
    map.map(point.data(), spare.data(), status);
    if (status != 0) throw failure(TESSERA_ERR_CALLBACK, "the limits returned " + std::to_string(status));
    for (std::size_t j = 0; j < point.size(); ++j) x[j * every + i] = point[j];
  }
} catch (const tessera::impossible_limits &e) {
  throw failure(TESSERA_ERR_CALLBACK, e.what());
}

}  // namespace

// Points all over the domain. Of a simplex on a device those of the cube: the way from there is a part of the kernels, and is compared as well.
tessera_solver::form_points tessera_solver::points_of_domain(const tessera::problem &problem, bool on_device) const {
  constexpr int n = check_points;
  const int coordinates = problem.coordinates();
  const auto ndim = static_cast<std::size_t>(ndim_);
  const std::vector<double> turns = tessera::spread_turns(ndim_);
  std::vector<double> x(static_cast<std::size_t>(coordinates) * n);
  for (std::size_t j = 0; j < ndim; ++j) {
    for (std::size_t i = 0; i < n; ++i) {
      const double u = 0.5 + static_cast<double>(i + 1) * turns[j], t = u - std::floor(u);
      double complement = 0.0;
      x[j * n + i] = problem.coordinate_at(j, t, complement);
      if (coordinates == 2 * ndim_) x[(ndim + j) * n + i] = complement;
    }
  }
  if (options_.get_int(TESSERA_WEIGHTS) != 0) {  // as in an iteration of these points
    std::fill_n(&x[ndim * n], n, 1.0 / n);
    std::fill_n(&x[(ndim + 1) * n], n, 1.0);
  }
  const bool of_the_box = problem.shape && on_device && !(problem.shape->has_limits && problem.limits_are_hosts());
  if (problem.shape && !of_the_box) to_the_domain(*problem.shape, problem.integrand.params, n, x.data());
  return {n, std::move(x), of_the_box};
}

// Compares the callback with another form. form(n, x, f): its values at n points, coordinate j of point i at x[j*n + i].
template <class Form>
void tessera_solver::check_form(const tessera::problem &problem, const form_name &name, const form_points &at,
                                Form form) {
  const int n = at.n;
  const std::vector<double> &x = at.x;
  const auto every = static_cast<std::size_t>(n), ncomp = static_cast<std::size_t>(ncomp_);
  std::vector<double> there(ncomp * every), here(ncomp * every);
  form(n, x.data(), there.data());
  tessera::limited_integrand limited(shape_);
  const std::unique_ptr<tessera::problem> callback = problem.copy();
  if (at.of_the_box) callback->integrand = limited.of(problem.integrand);
  const std::string stopped = place_here().evaluate(*callback, {}, n, x.data(), here.data());
  if (!stopped.empty()) throw failure(TESSERA_ERR_CALLBACK, stopped + " while it was compared with the other form");

  std::vector<double> sizes(ncomp, 0.0);  // the largest value of each component
  for (std::size_t i = 0; i < here.size(); ++i)
    if (std::isfinite(here[i])) sizes[i / every] = std::fmax(sizes[i / every], std::fabs(here[i]));
  const double tolerance = options_.get_real(TESSERA_CHECK_TOLERANCE);
  double worst = 0.0;
  std::size_t worst_at = 0;
  for (std::size_t k = 0; k < ncomp; ++k) {
    const double largest = problem.asked().complex_values ? std::fmax(sizes[k], sizes[k ^ 1]) : sizes[k];
    for (std::size_t i = k * every; i < (k + 1) * every; ++i) {
      double ratio;  // of the difference to what is allowed
      if (std::isfinite(here[i]) != std::isfinite(there[i]))
        ratio = std::numeric_limits<double>::infinity();
      else if (!std::isfinite(here[i]) || here[i] == there[i])
        ratio = 0.0;
      else
        ratio = largest > 0.0 ? std::fabs(here[i] / largest - there[i] / largest) / tolerance
                              : std::numeric_limits<double>::infinity();
      if (ratio > worst) worst = ratio, worst_at = i;
    }
  }
  if (worst <= 1.0) return;
  throw failure(TESSERA_ERR_CHECK, "the callback and the " + name.full + " are not the same integrand: component " +
                                       std::to_string(worst_at / every + 1) + " at " +
                                       shown_point(&x[worst_at % every], ndim_, n) + " is " +
                                       shown_number(here[worst_at]) + " by the callback and " +
                                       shown_number(there[worst_at]) + " by the " + name.brief);
}

// A run for "a GPU if there is one" that has to do without: what would be refused there is refused here. A text that only
// the device's compiler takes cannot be checked, and is not needed.
void tessera_solver::check_fallback(const tessera::problem &problem, const form_points &at, void *block) {
  try {
    const tessera::compiled_source &code = compiled_for_host(problem.coordinates());
    check_form(problem, source_name(), at,
               [&](int n, const double *x, double *f) { call_text(problem, code.function(), block, n, x, f); });
  } catch (const tessera::compile_error &e) {
    log(1, std::string("the source text was not compared with the callback: ") + e.what());
    if (dynamic_cast<const tessera::out_of_time *>(&e)) return;  // the next run may have the time
  }
  checked_ = at.n >= check_points;
}

// In a child process: nobody has seen the text run yet, and the callback is there to take its place. The callback itself is called here,
// for what it counts and keeps is the program's.
void tessera_solver::call_text(const tessera::problem &problem, tessera::batch_function text, void *block, int n,
                               const double *x, double *f) {
  using how = tessera::calls_end::how;
  const tessera::calls_end end = tessera::call_in_child({text, n, ndim_, ncomp_, x, f, block}, until_);
  const std::string name = "the " + source_name().full, then = " while it was compared with the callback";
  const std::string at = " at " + shown_point(x + end.point, problem.ndim(), n);
  switch (end.end) {
    case how::good:
      return;
    case how::stopped:
      throw failure(TESSERA_ERR_CALLBACK, "the source text asked to stop" + then);
    case how::broken:
      throw failure(TESSERA_ERR_CHECK, name + " " + end.why + at + then + about_parameters());
    case how::stuck:
      throw failure(TESSERA_ERR_CHECK, name + " took more than a minute" + at + then);
    case how::overdue:
      throw tessera::out_of_time(name + " was compared with the callback");
    case how::no_child:
      throw tessera::compile_error(tessera::jit_stage::check, end.why);
  }
}

// What the text has been given, for a text that broke down.
std::string tessera_solver::about_parameters() const {
  if (twin_) return "; " + twin_->about_parameters();
  if (params_.empty()) return "; it has no parameter block: tessera_set_params gives one";
  return "; its parameter block has " + std::to_string(params_bytes_) + " bytes";
}

void tessera_solver::check_on_device(const tessera::problem &problem, const tessera::device_integrand &integrand,
                                     tessera::place &there) {
  if (!has_callback() || checked_) return;
  int threads = 1;
  compile_limits(threads);
  check_form(problem, device_form_name(), points_of_domain(problem, true), [&](int n, const double *x, double *f) {
    const auto start = clock_type::now();
    const std::string stopped = there.evaluate(problem, integrand, n, x, f);
    if (!device_batch_) options_.set_real(TESSERA_COMPILE_SECONDS, seconds_since(start));  // nearly all of it
    if (!stopped.empty())
      throw failure(TESSERA_ERR_CALLBACK,
                    stopped + (device_batch_ ? "" : " on the device") + " while it was compared with the callback");
  });
  checked_ = true;
}

// Values that a device has given at n points, f[ncomp][n]: compared at all of them, or at some where there are many.
void tessera_solver::check_values(const tessera::problem &problem, std::int64_t n, const double *x, const double *f) {
  if (!has_callback() || checked_) return;
  const form_points at = some_of(n, x);
  check_form(problem, device_form_name(), at, [&](int many, const double *, double *there) {
    for (int k = 0; k < ncomp_; ++k)
      for (int i = 0; i < many; ++i) there[k * many + i] = f[k * n + place_of(i, many, n)];
  });
  checked_ = at.n >= check_points;
}

tessera_solver::form_points tessera_solver::some_of(std::int64_t n, const double *x) const {
  const int many = static_cast<int>(std::min<std::int64_t>(n, most_compared));
  form_points at = {many, std::vector<double>(static_cast<std::size_t>(ndim_) * static_cast<std::size_t>(many)), false};
  for (int j = 0; j < ndim_; ++j)
    for (int i = 0; i < many; ++i) at.x[static_cast<std::size_t>(j * many + i)] = x[j * n + place_of(i, many, n)];
  return at;
}
