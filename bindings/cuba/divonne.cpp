// Divonne over libtessera: the arguments and codes of Cuba 4.2. The integral comes from adaptive cubature, from Monte Carlo, or
// from a race between them (docs/cuba.md).
// SPDX-License-Identifier: BSD-3-Clause
#include "divonne.hpp"

#include <cstdio>
#include <memory>

#include "../common/rules.hpp"
#include "cuhre.hpp"
#include "hooks.hpp"
#include "race.hpp"
#include "verbose.hpp"

namespace cuba {
namespace {

constexpr int most_cubature_ndim = 25, most_race_ndim = 10;
constexpr double two_deviations = 0.954499736103642;  // of Monte Carlo: cubature's errors are bounds
constexpr int main_phase = 2;

// The integrand away from the border: in the strip it is extrapolated linearly, along the way to the nearest point outside of
// it, from there and from a point as far again. Two calls in place of one.
template <class Arguments>
struct border_adapter {
  adapter<Arguments> &user;
  double width;
  int64 most_calls;
  std::atomic<int64> calls{0};

  static int point(int n, const double *x, int ncomp, double *f, void *userdata) {
    return static_cast<border_adapter *>(userdata)->value(n, x, ncomp, f);
  }
  dropin::host_form form() { return {point, nullptr, this}; }

 private:
  int value(int n, const double *x, int ncomp, double *f) {
    bool inside = true;
    for (int j = 0; j < n; ++j) inside = inside && x[j] >= width && x[j] <= 1.0 - width;
    if (calls.fetch_add(inside ? 1 : 2) + (inside ? 1 : 2) > most_calls) {
      calls.fetch_sub(inside ? 1 : 2);
      return no_more_calls;
    }
    if (inside) return user.call(1, n, x, ncomp, f);
    // The far point must stay inside too.
    const double step = std::fmin(1.0, (1.0 - 2.0 * width) / width);
    std::vector<double> memory(static_cast<std::size_t>(2 * n + ncomp));
    double *near = memory.data(), *far = near + n, *beyond = far + n;
    for (int j = 0; j < n; ++j) {
      near[j] = std::fmin(std::fmax(x[j], width), 1.0 - width);
      far[j] = near[j] + step * (near[j] - x[j]);
    }
    int status = user.call(1, n, near, ncomp, f);
    if (status == 0) status = user.call(1, n, far, ncomp, beyond);
    for (int k = 0; status == 0 && k < ncomp; ++k) f[k] += (f[k] - beyond[k]) / step;
    return status;
  }
};

// ---- Given points ---------------------------------------------------------------------------------------------------------

// Points where the caller expects peaks, from its array and from its function: the first of those in the unit cube.
template <class Count>
std::vector<double> points_given(const divonne_arguments<Count> &a) {
  constexpr std::size_t most_points = 64;
  const std::size_t most_numbers = most_points * static_cast<std::size_t>(a.ndim);
  std::vector<double> points;
  const auto add = [&](const double *x, int64 n) {
    for (int64 i = 0; i < n && points.size() < most_numbers; ++i, x += a.ldxgiven)
      if (std::all_of(x, x + a.ndim, [](double v) { return v >= 0.0 && v <= 1.0; }))
        points.insert(points.end(), x, x + a.ndim);
  };
  if (a.ngiven > 0) add(a.xgiven, a.ngiven);
  if (a.nextra > 0) {
    constexpr int64 most_found = 1 << 16;
    Count n = static_cast<Count>(std::min<int64>(a.nextra, most_found));
    const int64 most = n;
    std::vector<double> box;
    for (int j = 0; j < a.ndim; ++j) box.insert(box.end(), {0.0, 1.0});
    // Rows that are not written count for nothing. Of long ones only what is looked at is touched.
    const std::unique_ptr<double[]> found(
        new double[static_cast<std::size_t>(most) * static_cast<std::size_t>(a.ldxgiven)]);
    for (int64 i = 0; i < most; ++i) std::fill_n(&found[static_cast<std::size_t>(i * a.ldxgiven)], a.ndim, -1.0);
    // In llDivonne `n` is a long long, whatever the header says.
    using finder = void (*)(const int *, const double *, Count *, double *, void *);
    const auto find = reinterpret_cast<finder>(reinterpret_cast<void (*)()>(a.peakfinder));
    find(&a.ndim, box.data(), &n, found.get(), a.userdata);
    add(found.get(), std::min<int64>(n, most));
  }
  return points;
}

// A grid for Monte Carlo in which half of the samples are uniform and the others gather at the points: with a density like
// 1/distance, so that peaks of any width are met.
std::vector<double> grid_at(const std::vector<double> &points, int ndim) {
  constexpr int bins = 128, halvings = 60;
  constexpr double finest = 1e-5;
  const auto nd = static_cast<std::size_t>(ndim);
  const std::size_t n = points.size() / nd;
  std::vector<double> grid;
  for (std::size_t j = 0; j < nd; ++j) {
    const auto below = [&](double x) {  // share of the samples
      double sum = 0.0;
      for (std::size_t i = 0; i < n; ++i) {
        const double g = points[i * nd + j], left = std::log1p(g / finest), right = std::log1p((1.0 - g) / finest);
        const double d = std::log1p(std::fabs(x - g) / finest);
        sum += (left + (x < g ? -d : d)) / (left + right);
      }
      return 0.5 * x + 0.5 * sum / static_cast<double>(n);
    };
    grid.push_back(0.0);
    for (int i = 1; i < bins; ++i) {
      double low = grid.back(), high = 1.0;
      for (int h = 0; h < halvings; ++h) {
        const double middle = 0.5 * (low + high);
        (below(middle) < static_cast<double>(i) / bins ? low : high) = middle;
      }
      grid.push_back(0.5 * (low + high));
    }
    grid.push_back(1.0);
  }
  return grid;
}

// ---- Cubature -------------------------------------------------------------------------------------------------------------

int rule_of(int key, int ndim) {
  if (ndim > most_cubature_ndim) return TESSERA_RULE_AUTO;
  if (key == 7) return TESSERA_RULE_DEGREE7;
  if (key == 9) return TESSERA_RULE_DEGREE9;
  if (key == 11 && ndim == 3) return TESSERA_RULE_DEGREE11;
  if (key == 13 && ndim == 2) return TESSERA_RULE_DEGREE13;
  return TESSERA_RULE_AUTO;
}
int race_rule(int ndim) {
  return ndim == 2 ? TESSERA_RULE_DEGREE13 : ndim == 3 ? TESSERA_RULE_DEGREE11 : TESSERA_RULE_DEGREE9;
}

template <class Count>
bool run_twin(const divonne_arguments<Count> &a, int rule, adapter<divonne_arguments<Count>> &user, results &r) {
  const dropin::twin_problem problem = {a.routine,
                                        reinterpret_cast<dropin::user_function>(a.function),
                                        adapter<divonne_arguments<Count>>::point,
                                        &user,
                                        a.userdata,
                                        a.ndim,
                                        a.ncomp,
                                        nullptr,
                                        nullptr,
                                        std::max<int64>(a.mineval, 0),
                                        a.maxeval,
                                        dropin::robust_rule_points(rule, a.ndim),
                                        tolerance(a.epsabs, least_epsabs),
                                        tolerance(a.epsrel, 0.0)};
  dropin::twin_end there;
  const bool done = dropin::run_twin(problem, r.value.data(), r.error.data(), there);
  user.exception.rethrow();
  if (!done) return false;
  r.end = {there.status, there.evaluations, dropin::place::device};
  r.callback_status = there.callback_status;
  r.regions = there.regions;
  return true;
}

// How many evaluations more it may take: `fail` of Divonne.
template <class Count>
int still_needed(const divonne_arguments<Count> &a, const results &r) {
  const double ratio = distance(a, r);
  const double more = static_cast<double>(r.end.evaluations) * (ratio * ratio - 1.0);
  return more >= 1.0 && std::isfinite(more) ? static_cast<int>(std::fmin(more, std::numeric_limits<int>::max()))
                                            : not_met;
}

template <class Count>
results integrate(const divonne_arguments<Count> &a) {
  using arguments_type = divonne_arguments<Count>;
  adapter<arguments_type> user = {a, core_numbers(dropin::threads())};
  user.first = &main_phase;
  const bool strip = a.border > 0.0;
  border_adapter<arguments_type> bordered{user, a.border, a.maxeval};
  const dropin::host_form form = strip ? bordered.form() : user.form();
  const std::vector<double> given = points_given(a);
  const int wanted = rule_of(a.key1, a.ndim);
  const int rule = wanted == TESSERA_RULE_AUTO ? race_rule(a.ndim) : wanted;
  const bool affordable = a.ndim <= most_cubature_ndim && a.maxeval >= dropin::robust_rule_points(rule, a.ndim);
  const bool by_cubature = affordable && wanted != TESSERA_RULE_AUTO;
  const bool by_race = affordable && !by_cubature && a.ndim <= most_race_ndim;
  results r(a.ncomp);
  sampling how;
  how.seed = a.seed;
  how.confidence = two_deviations;
  how.mineval = a.mineval;
  how.maxeval = a.maxeval;
  how.may_leave = !strip;
  if (!given.empty()) how.grid = grid_at(given, a.ndim);
  if ((by_cubature || by_race) && !a.has_file() && !strip &&
      (given.empty() ? run_twin(a, rule, user, r) : sample_on_device(a, how, user, r)))
    return r;
  if (by_cubature || by_race) {
    r = race<Count>(a, rule, how, user, form, by_race, given).run();
  } else {
    sample(a, how, user, form, r);
  }
  if (strip) r.end.evaluations = bordered.calls;
  return r;
}

}  // namespace

template <class Count>
void divonne(const divonne_arguments<Count> &a) {
  introduce(a, [&](parameter_lines &lines) {
    lines.add("seed", a.seed);
    lines.add("mineval", a.mineval);
    lines.add("maxeval", a.maxeval);
    lines.add("key1", a.key1);
    lines.add("key2", a.key2);
    lines.add("key3", a.key3);
    lines.add("maxpass", a.maxpass);
    lines.add("border", a.border);
    lines.add("maxchisq", a.maxchisq);
    lines.add("mindeviation", a.mindeviation);
    lines.add("ngiven", a.ngiven);
    lines.add("nextra", a.nextra);
  });
  if (!begin(a, 2, most_sampled_ndim)) return;
  if (!require_pointers(a) || !require(a, a.nregions, "nregions is NULL") ||
      !require(a, a.border < 0.5, "border is not below 0.5") ||
      !require(a, a.ngiven <= 0 || a.xgiven, "xgiven is NULL, and ngiven is not 0") ||
      !require(a, a.nextra <= 0 || a.peakfinder, "peakfinder is NULL, and nextra is not 0") ||
      !require(a, (a.ngiven <= 0 && a.nextra <= 0) || a.ldxgiven >= a.ndim, "ldxgiven is less than ndim"))
    return;
  call_init();
  serve(a, [&] {
    results r = integrate(a);
    if (verbosity(a.flags) >= 1) say_main_integration(r.regions, r.end.evaluations);
    deliver(a, r);
    if (*a.fail == not_met) *a.fail = still_needed(a, r);
    conclude(a, r);
  });
}

template void divonne(const divonne_arguments<int> &);
template void divonne(const divonne_arguments<long long> &);

}  // namespace cuba
