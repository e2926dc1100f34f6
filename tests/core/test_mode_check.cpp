// The check of integrals that are run many at a time: a run without looks beside a mode that it has not met is not believed, one of a single peak is.
// SPDX-License-Identifier: BSD-3-Clause
#include "bulk_runs.hpp"
#include "engine/cubature/likely_places.hpp"
#include "engine/cubature/mode_check.hpp"
#include "engine/cubature/ray_directions.hpp"
#include "mixtures.h"

namespace {

using namespace tessera;

// A run in a block's room with its regions, and what a check says of it.
struct checked {
  answer found;
  bool is_owed = false, shows = false;
  int64 points = 0;
};

// What checks have said of runs that claim success.
struct tally {
  int claims = 0, wrong = 0, believed = 0, doubted = 0;  // believed: wrong ones that are

  // False: there is no claim.
  bool add(const checked &c, double exact, double reltol) {
    if (c.found.end != outcome::converged) return false;
    const bool is_wrong = std::fabs(c.found.value[0] - exact) > reltol * exact;
    ++claims;
    wrong += is_wrong ? 1 : 0;
    believed += is_wrong && !c.shows ? 1 : 0;
    doubted += c.shows ? 1 : 0;
    return true;
  }
  void print(const char *what) const {
    print_message("%s: %d claims, %d false; %d doubted, %d false ones believed\n", what, claims, wrong, doubted,
                  believed);
  }
};

double size_of_point(const cubature_problem &p, const double *t, double weight) {
  double x[max_cubature_ndim], v = 0.0, jacobian = 1.0;
  for (int j = 0; j < p.settings.ndim; ++j) x[j] = map_axis(p.axes[static_cast<std::size_t>(j)], t[j], jacobian);
  p.integrand.point(p.settings.ndim, x, 1, &v, p.integrand.userdata);
  v = weighted(v, jacobian);
  return std::isfinite(v) ? std::fabs(v) * weight : nan_value();
}

checked run_and_check(const cubature_problem &p) {
  const int n = p.settings.ndim;
  thread_pool pool(1);
  host_evaluator evaluator;
  evaluator.start(p, pool, nobody_asks, INT64_MAX);
  host_executor executor(pool, evaluator);
  counting_hooks hooks;
  bulk<host_executor> driver(executor, p.settings, p.integration_rule.points, hooks);
  checked c;
  c.found.value.assign(1, 0.0);
  c.found.error.assign(1, 0.0);
  c.found.end = driver.run(p.domain(), c.found.value.data(), c.found.error.data());
  c.found.statistics = driver.statistics();
  if (c.found.end != outcome::converged) return c;

  const int64 fields = region_record_fields(n, 1);
  std::vector<double> records(static_cast<std::size_t>(driver.count() * fields));
  driver.read(0, driver.count(), records.data());
  bulk_state state = {};
  set_up(state, p.settings, p.integration_rule.points);
  state.regions = region_view(records.data(), n, 1, 1, fields);
  state.count = driver.count();
  state.evaluations = c.found.statistics.evaluations;
  for (int j = 0; j < n; ++j) {
    state.lower[j] = p.lower[static_cast<std::size_t>(j)];
    state.upper[j] = p.upper[static_cast<std::size_t>(j)];
  }
  const std::vector<double> directions =
      ray_directions(static_cast<std::size_t>(n), 256, std::vector<int>(static_cast<std::size_t>(n), 0));
  const int rays = static_cast<int>(directions.size()) / n;
  const usual_list &list = listed_places(n);
  const auto places = static_cast<int>(list.count());
  std::vector<double> numbers(static_cast<std::size_t>(numbers_of_check(n, rays, places, 1)));
  const double weight = 1.0 / (p.settings.reltol * std::fabs(c.found.value[0]));
  component_sums totals = {};
  totals.value.add(c.found.value[0]);
  state.totals = &totals;
  int64 calls = 0;
  const auto size = [&](const double *t) {
    ++calls;
    return size_of_point(p, t, weight);
  };
  lone_lane alone;
  const std::vector<uint64> choices = choices_of_axes(static_cast<std::size_t>(n));
  mode_check<lone_lane, decltype(size)> check(
      alone, state, user_range(n, state.domain(), p.axes.data()), &weight,
      {directions.data(), rays, list.parts.data(), places, static_cast<int>(list.first_line),
       static_cast<int>(list.lines), static_cast<int>(list.rows), choices.data(), static_cast<int>(choices.size())},
      numbers.data(), size);
  c.is_owed = check.is_owed();
  if (!c.is_owed) return c;
  c.shows = check.shows_another(c.points);
  assert_int_equal(calls, c.points);
  return c;
}

cubature_problem mapped_problem(int n, enum mixture_range range, point_function f, double reltol) {
  cubature_problem p = problem_of(n, 1, f, reltol);
  p.settings.initial_regions = 16;
  for (std::size_t j = 0; j < static_cast<std::size_t>(n); ++j) {
    if (range == every_second_finite && j % 2 == 1) continue;
    p.axes[j] = {range == above_zero ? axis_up : axis_both, 0.0, -infinity_value(), infinity_value()};
    p.lower[j] = range == above_zero ? 0.0 : -1.0;
  }
  return p;
}

void believes_no_claim_beside_a_mode_that_it_has_not_met(void **) {
  tally all;
  uint64_t seed = 28129461;
  for (int i = 0; i < 180; ++i) {
    const auto range = static_cast<enum mixture_range>(i % mixture_ranges);
    const int n = 2 + i / 3 % 3;
    mixture m = draw_mixture(range, n, 8, 60, &seed);
    cubature_problem p = mapped_problem(n, range, mixture_value, i % 2 == 0 ? 1e-2 : 1e-4);
    p.integrand.userdata = &m;
    const checked c = run_and_check(p);
    if (!all.add(c, 1.0, p.settings.reltol)) continue;
    assert_true(c.is_owed);
    assert_true(4 * (c.points - 1000 * n) <= c.found.statistics.evaluations);
  }
  all.print("far modes");
  assert_true(all.wrong >= 10 && 10 * all.believed <= all.wrong && all.doubted <= all.wrong + all.claims / 10);
}

int oscillating(int n, const double *x, int, double *f, void *) {
  double s = 0.0, c = 2.0;
  for (int j = 0; j < n; ++j) s += x[j] * x[j], c += std::cos(4.0 * x[j]);
  f[0] = c * std::exp(-s);
  return 0;
}
int cauchy(int n, const double *x, int, double *f, void *) {
  f[0] = 1.0;
  for (int j = 0; j < n; ++j) f[0] /= 1.0 + (x[j] - 0.5) * (x[j] - 0.5);
  return 0;
}
int exponential(int n, const double *x, int, double *f, void *) {
  double s = 0.0;
  for (int j = 0; j < n; ++j) s += std::fabs(x[j]) * (1.0 + 0.5 * j);
  f[0] = std::exp(-s);
  return 0;
}
int ridge(int n, const double *x, int, double *f, void *) {
  double s = 0.0, q = 0.0;
  for (int j = 0; j < n; ++j) s += x[j], q += x[j] * x[j];
  f[0] = std::exp(-20.0 * s * s - q);
  return 0;
}
int nowhere_finite_beyond(int n, const double *x, int, double *f, void *) {
  double s = 0.0;
  for (int j = 0; j < n; ++j) s += x[j] * x[j];
  f[0] = s > 3000.0 ? NAN : std::exp(-s);
  return 0;
}

// The same where the infinite range has been cut off, at 200 to 2000 widths.
void also_where_a_range_is_cut_off(void **) {
  tally all;
  uint64_t seed = 28129463;
  for (int i = 0; i < 120; ++i) {
    const int n = 3 + i % 2;
    mixture m = draw_mixture(everywhere, n, 20, 80, &seed);
    if (i % 4 == 3) m.weight[0] = 1.0, m.weight[1] = 0.0;
    cubature_problem p = problem_of(n, 1, mixture_value, 1e-2);
    p.settings.initial_regions = 16;
    p.settings.looks_in_finite_ranges = true;
    p.integrand.userdata = &m;
    const double cut = m.width[0] * 200.0 * std::pow(10.0, splitmix_uniform(&seed));
    for (std::size_t j = 0; j < p.lower.size(); ++j) p.lower[j] = -cut, p.upper[j] = cut;
    for (std::size_t j = 0; j < p.axes.size(); ++j) p.axes[j] = {axis_finite, 0.0, -cut, cut};
    const checked c = run_and_check(p);
    if (!all.add(c, 1.0, p.settings.reltol)) continue;
    assert_false(c.shows && m.weight[1] == 0.0);
  }
  all.print("cut off");
  assert_true(all.wrong >= 5 && 10 * all.believed <= all.wrong);
}

void believes_what_has_one_peak(void **) {
  int claims = 0;
  for (const point_function f : {oscillating, cauchy, exponential, ridge})
    for (const auto range : {everywhere, above_zero, every_second_finite})
      for (int n = 2; n <= 4; ++n) {
        const checked c = run_and_check(mapped_problem(n, range, f, 1e-3));
        if (c.found.end != outcome::converged) continue;
        ++claims;
        assert_true(c.is_owed);
        assert_false(c.shows);
      }
  print_message("%d claims\n", claims);
  assert_true(claims >= 24);
}

// A constant, and at a usual place something: a peak, a singular point that rules see, or what is as wide as the regions.
struct beside_constant {
  std::vector<double> at;
  double width, constant, power;
};
int value_beside(int n, const double *x, int, double *f, void *user) {
  const auto &b = *static_cast<const beside_constant *>(user);
  double q = 0.0;
  for (int j = 0; j < n; ++j) {
    const double z = (x[j] - b.at[static_cast<std::size_t>(j)]) / b.width;
    q += z * z;
  }
  f[0] = b.constant + (b.power > 0.0 ? std::pow(q, -0.5 * b.power) : std::exp(-q));
  return 0;
}
checked check_beside(int n, double place, double last, double width, double constant, double power = 0.0) {
  beside_constant b = {std::vector<double>(static_cast<std::size_t>(n), place), width, constant, power};
  b.at.back() = last;
  cubature_problem p = problem_of(n, 1, value_beside, 1e-3);
  p.settings.initial_regions = 64;
  p.settings.looks_in_finite_ranges = true;
  p.integrand.userdata = &b;
  return run_and_check(p);
}
void looks_at_usual_places(void **) {
  int hidden = 0;
  for (const int n : {3, 4, 5}) {
    const double width = 0.003, constant = std::pow(width, n);
    for (const auto &place : {std::pair{0.0, 0.0}, {1.0, 1.0}, {0.0, 1.0}, {0.5, 0.5}, {0.5, 1.0}, {0.371, 0.371}}) {
      const checked c = check_beside(n, place.first, place.second, width, constant);
      if (c.found.end != outcome::converged || c.found.value[0] > 1.01 * constant) continue;  // the peak has been met
      ++hidden;
      assert_true(c.is_owed && c.shows);
    }
    const checked wide = check_beside(n, 0.0, 0.0, 0.8, 0.1), singular = check_beside(n, 0.0, 0.0, 0.1, 1.0, 1.5);
    assert_true(wide.found.end == outcome::converged && !wide.shows);
    assert_false(singular.shows);
  }
  print_message("%d hidden\n", hidden);
  assert_true(hidden >= 10);
}

// A window of two variables, where something is added, or all is left out.
struct cut_window {
  int axis[2];
  double lower[2], upper[2], height;  // 0: a hole
};
int value_of_window(int n, const double *x, int, double *f, void *user) {
  const auto &w = *static_cast<const cut_window *>(user);
  double smooth = 1.0;
  bool is_inside = true;
  for (int j = 0; j < n; ++j) smooth *= 1.0 + 0.3 * (x[j] - 0.5);
  for (int k = 0; k < 2; ++k) is_inside = is_inside && x[w.axis[k]] > w.lower[k] && x[w.axis[k]] < w.upper[k];
  f[0] = !is_inside ? smooth : w.height > 0.0 ? smooth + w.height : 0.0;
  return 0;
}
void looks_behind_jumps(void **) {
  uint64_t seed = 28129870;
  for (const bool is_hole : {false, true}) {
    tally all;
    for (int i = 0; i < 150; ++i) {
      const int n = 4 + i % 3;
      cut_window w = {{}, {}, {}, is_hole ? 0.0 : 1.0 + 9.0 * splitmix_uniform(&seed)};
      w.axis[0] = static_cast<int>(n * splitmix_uniform(&seed));
      w.axis[1] = (w.axis[0] + 1 + static_cast<int>((n - 1) * splitmix_uniform(&seed))) % n;
      double share = 1.0, smooth = 1.0;
      for (int k = 0; k < 2; ++k) {
        const double length = 0.08 * std::pow(2.5, splitmix_uniform(&seed));
        w.lower[k] = (1.0 - length) * splitmix_uniform(&seed);
        w.upper[k] = w.lower[k] + length;
        share *= length;
        smooth *= length * (1.0 + 0.3 * (0.5 * (w.lower[k] + w.upper[k]) - 0.5));
      }
      cubature_problem p = problem_of(n, 1, value_of_window, 1e-3);
      p.settings.initial_regions = 64;
      p.settings.looks_in_finite_ranges = true;
      p.integrand.userdata = &w;
      all.add(run_and_check(p), is_hole ? 1.0 - smooth : 1.0 + w.height * share, 1e-3);
    }
    all.print(is_hole ? "holes" : "windows");
    assert_true(all.wrong >= 15 && 10 * all.believed <= all.wrong && all.doubted <= all.wrong + all.claims / 5);
  }
  // Where regions are cut at a jump, or it takes much of the range, nothing is doubted.
  cut_window wide = {{0, 1}, {-1.0, 0.0}, {0.5, 1.0}, 2.0};
  for (const double upper : {0.3, 0.5, 0.7}) {
    wide.upper[0] = upper;
    wide.lower[0] = 0.0;
    cubature_problem p = problem_of(4, 1, value_of_window, 1e-3);
    p.settings.initial_regions = 64;
    p.settings.looks_in_finite_ranges = true;
    p.integrand.userdata = &wide;
    const checked c = run_and_check(p);
    assert_true(c.found.end != outcome::converged || !c.shows);
  }
}

// Beside something smooth: what is narrow in one variable, whatever the others are, or in two.
struct sheet {
  int axes, axis[2];
  double place[2], width, height;
};
int value_of_sheet(int n, const double *x, int, double *f, void *user) {
  const auto &s = *static_cast<const sheet *>(user);
  double smooth = 1.0, q = 0.0;
  for (int j = 0; j < n; ++j) smooth *= 1.0 + 0.3 * (x[j] - 0.5);
  for (int k = 0; k < s.axes; ++k) {
    const double z = (x[s.axis[k]] - s.place[k]) / s.width;
    q += z * z;
  }
  f[0] = smooth + s.height * std::exp(-q);
  return 0;
}
void looks_at_lines_and_spread_places(void **) {
  uint64_t seed = 28129677;
  for (const int axes : {1, 2}) {
    tally all;
    for (int i = 0; i < 150; ++i) {
      const int n = 4 + i % 3;
      sheet s = {axes, {}, {}, (axes == 1 ? 0.002 : 0.01) * std::pow(4.0, splitmix_uniform(&seed)), 0.0};
      s.axis[0] = static_cast<int>(n * splitmix_uniform(&seed));
      s.axis[1] = (s.axis[0] + 1 + static_cast<int>((n - 1) * splitmix_uniform(&seed))) % n;
      for (double &place : s.place) place = 0.1 + 0.8 * splitmix_uniform(&seed);
      const double held = i % 5 == 0 ? 0.0 : 0.1 + 0.9 * splitmix_uniform(&seed);
      s.height = held / std::pow(s.width * std::sqrt(M_PI), axes);
      cubature_problem p = problem_of(n, 1, value_of_sheet, 1e-3);
      p.settings.initial_regions = 64;
      p.settings.looks_in_finite_ranges = true;
      p.integrand.userdata = &s;
      const checked c = run_and_check(p);
      if (all.add(c, 1.0 + held, 1e-3)) assert_false(c.shows && held == 0.0);
    }
    all.print(axes == 1 ? "narrow in one variable" : "narrow in two");
    assert_true(10 * all.wrong >= all.claims && all.doubted + all.believed == all.wrong);
    assert_true((axes == 1 ? 10 : 3) * all.believed <= all.wrong);  // a line has 64 places
  }
}
// A narrow normal density upon the top of a wide one.
struct upon_wide {
  double centre[5], wide, narrow, height;
};
int value_upon_wide(int n, const double *x, int, double *f, void *user) {
  const auto &u = *static_cast<const upon_wide *>(user);
  double q = 0.0;
  for (int j = 0; j < n; ++j) q += (x[j] - u.centre[j]) * (x[j] - u.centre[j]);
  f[0] = std::exp(-q / (u.wide * u.wide)) + u.height * std::exp(-q / (u.narrow * u.narrow));
  return 0;
}
void looks_upon_the_top(void **) {
  uint64_t seed = 28129700;
  tally all;
  for (int i = 0; i < 90; ++i) {
    const int n = 3 + i % 3;
    upon_wide u = {{}, 0.1 * std::pow(4.0, splitmix_uniform(&seed)), 0.0, 0.0};
    u.narrow = u.wide / (5.0 * std::pow(8.0, splitmix_uniform(&seed)));
    double wide = 1.0, narrow = 1.0;
    for (int j = 0; j < n; ++j) {
      u.centre[j] = 0.1 + 0.8 * splitmix_uniform(&seed);
      wide *= gauss_between(u.centre[j], u.wide, 0.0, 1.0);
      narrow *= gauss_between(u.centre[j], u.narrow, 0.0, 1.0);
    }
    const double share = i % 5 == 0 ? 0.0 : 0.1 + 0.9 * splitmix_uniform(&seed), exact = wide * (1.0 + share);
    u.height = share * wide / narrow;
    cubature_problem p = problem_of(n, 1, value_upon_wide, 1e-3);
    p.settings.initial_regions = 64;
    p.settings.maxeval = 300000;
    p.settings.looks_in_finite_ranges = true;
    p.integrand.userdata = &u;
    const checked c = run_and_check(p);
    if (all.add(c, exact, 1e-3)) assert_false(c.shows && share == 0.0);
  }
  all.print("upon the top");
  assert_true(3 * all.wrong >= all.claims && 20 * all.believed <= all.wrong);
}

int hump(int n, const double *x, int, double *f, void *) {
  f[0] = 0.5;
  for (int j = 0; j < n; ++j) f[0] += std::exp(-20.0 * (x[j] - 0.3) * (x[j] - 0.3));
  return 0;
}
int waves(int n, const double *x, int, double *f, void *) {
  double s = 0.3;
  for (int j = 0; j < n; ++j) s += 4.0 * x[j] / (j + 1);
  f[0] = 1.5 + std::cos(s);
  return 0;
}
int kink(int n, const double *x, int, double *f, void *) {
  double s = 0.0;
  for (int j = 0; j < n; ++j) s += std::fabs(x[j] - 0.37);
  f[0] = std::exp(-s);
  return 0;
}
int steep(int n, const double *x, int, double *f, void *) {
  double s = 0.0;
  for (int j = 0; j < n; ++j) s += x[j] * x[j];
  f[0] = std::pow(s, 5);
  return 0;
}
int narrow_ridge(int n, const double *x, int, double *f, void *) {
  double s = -0.5 * n;
  for (int j = 0; j < n; ++j) s += x[j];
  f[0] = 1.0 / (0.05 + s * s);
  return 0;
}
void believes_what_regions_have_met(void **) {
  int claims = 0;
  for (const point_function f : {hump, waves, kink, steep, narrow_ridge})
    for (int n = 2; n <= 6; ++n)
      for (const double tolerance : {1e-2, 1e-4}) {
        cubature_problem p = problem_of(n, 1, f, tolerance);
        p.settings.initial_regions = 64;
        p.settings.looks_in_finite_ranges = true;
        const checked c = run_and_check(p);
        if (c.found.end != outcome::converged) continue;
        ++claims;
        assert_true(c.is_owed);
        assert_false(c.shows);
      }
  print_message("%d claims\n", claims);
  assert_true(claims >= 30);
}

// A normal density over an infinite range, and one that is narrow at an end on all axes, or on all but one; or what is singular there.
struct at_end_of_range {
  int narrow_axes;
  double width, share;
};
double normal_at(double x, double at, double width) {
  const double z = (x - at) / width;
  return std::exp(-0.5 * z * z) / (width * std::sqrt(2.0 * M_PI));
}
int value_at_end(int n, const double *x, int, double *f, void *user) {
  const auto &b = *static_cast<const at_end_of_range *>(user);
  double wide = 1.0, narrow = b.share;
  for (int j = 0; j < n; ++j) {
    wide *= normal_at(x[j], 0.6, 0.7);
    narrow *= j < b.narrow_axes ? normal_at(x[j], 0.0, b.width) : normal_at(x[j], 0.6, 0.7);
    if (b.width == 0.0) wide /= std::sqrt(std::fabs(x[j]));
  }
  f[0] = wide + (b.width > 0.0 ? narrow : 0.0);
  return 0;
}
void looks_at_ends_of_infinite_ranges(void **) {
  int hidden = 0;
  for (const auto range : {everywhere, above_zero})
    for (const int n : {2, 3, 4})
      for (const int narrow_axes : {n, n - 1})
        for (const double width : {0.0002, 0.0005, 0.001, 0.003}) {
          at_end_of_range b = {narrow_axes, width, 0.5};
          cubature_problem p = mapped_problem(n, range, value_at_end, 1e-2);
          p.integrand.userdata = &b;
          p.settings.initial_regions = 64;
          const checked c = run_and_check(p);
          b.share = 0.0;
          const checked alone = run_and_check(p);
          assert_false(alone.shows);
          if (c.found.end != outcome::converged || alone.found.end != outcome::converged ||
              std::fabs(c.found.value[0] - alone.found.value[0]) > 0.02 * alone.found.value[0])
            continue;  // it has been met
          ++hidden;
          assert_true(c.is_owed && c.shows);
        }
  print_message("%d hidden\n", hidden);
  assert_true(hidden >= 8);
  for (const auto range : {everywhere, above_zero}) {
    at_end_of_range singular = {0, 0.0, 0.0};
    cubature_problem p = mapped_problem(2, range, value_at_end, 1e-2);
    p.integrand.userdata = &singular;
    assert_false(run_and_check(p).shows);
  }
}

void is_made_where_it_can_be(void **) {
  // In a finite range nothing is looked for where that is not asked for, or no peak is narrow.
  cubature_problem finite = problem_of(2, 1, exponential, 1e-3);
  assert_false(run_and_check(finite).is_owed);
  finite.settings.looks_in_finite_ranges = true;
  const checked wide = run_and_check(finite);
  assert_true(wide.found.end == outcome::converged && wide.is_owed && !wide.shows);
  assert_true(7 * (wide.points - 1) <= wide.found.statistics.evaluations);
  // The points of a check are evaluations too.
  cubature_problem p = mapped_problem(2, everywhere, exponential, 1e-3);
  const int64 needed = run_and_check(p).found.statistics.evaluations;
  for (const int64 more : {0, 500, 5000}) {
    p.settings.maxeval = needed + more;
    const checked c = run_and_check(p);
    assert_true(c.found.end == outcome::converged);
    assert_true(c.points <= more && c.is_owed == (more == 5000));
  }
  // What is not finite is for a run of its own to tell.
  const checked bad = run_and_check(mapped_problem(2, everywhere, nowhere_finite_beyond, 1e-2));
  if (bad.found.end == outcome::converged) assert_true(bad.shows);
}

}  // namespace

int main() {
  const struct CMUnitTest tests[] = {cmocka_unit_test(believes_no_claim_beside_a_mode_that_it_has_not_met),
                                     cmocka_unit_test(also_where_a_range_is_cut_off),
                                     cmocka_unit_test(believes_what_has_one_peak),
                                     cmocka_unit_test(looks_at_usual_places),
                                     cmocka_unit_test(looks_at_lines_and_spread_places),
                                     cmocka_unit_test(looks_behind_jumps),
                                     cmocka_unit_test(looks_upon_the_top),
                                     cmocka_unit_test(believes_what_regions_have_met),
                                     cmocka_unit_test(looks_at_ends_of_infinite_ranges),
                                     cmocka_unit_test(is_made_where_it_can_be)};
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
