// A bulk cubature beside which a sparse grid takes its turns, stopped anywhere and gone on with from its answers: the bits of the uninterrupted run,
// whoever of the two is the first to end. SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <vector>

#include "bulk_runs.hpp"
#include "host/sparse.hpp"
#include "kept_course.hpp"
#include "sparse_run.hpp"

using namespace tessera;

namespace {

int64 calls;

int wave(int n, const double *x, int, double *f, void *) {
  double s = 0.0;
  for (int j = 0; j < n; ++j) s += x[j] * (1 + 0.3 * j);
  ++calls;
  f[0] = std::cos(2 * s);
  return 0;
}

int wave_and_decay(int n, const double *x, int m, double *f, void *) {
  double s = 0.0;
  for (int j = 0; j < n; ++j) s += x[j];
  ++calls;
  for (int k = 0; k < m; ++k) f[k] = k == 0 ? std::sin(s) : std::exp(-s * k);
  return 0;
}

// Along a plane across the axes, which no map of a product has.
int kink(int n, const double *x, int, double *f, void *) {
  double s = 0.0;
  for (int j = 0; j < n; ++j) s += x[j] - 0.3;
  ++calls;
  f[0] = std::exp(-std::fabs(s));
  return 0;
}

// Across each axis: a product that is hardly narrow.
int kinks(int n, const double *x, int, double *f, void *) {
  double s = 0.0;
  for (int j = 0; j < n; ++j) s += std::fabs(x[j] - 0.3);
  ++calls;
  f[0] = std::exp(-s);
  return 0;
}
// Moments of it, and behind them what they are of.
int moments_of_kinks(int n, const double *x, int, double *f, void *userdata) {
  kinks(n, x, 1, f + 2, userdata);
  f[0] = x[1] * x[2] * f[2];
  f[1] = x[0] * x[0] * f[2];
  return 0;
}

// Two normal densities, or the first alone, over an infinite range.
int normals(int n, const double *x, int, double *f, int modes) {
  f[0] = 0.0;
  for (int m = 0; m < modes; ++m) {
    double s = 0.0;
    for (int j = 0; j < n; ++j) {
      const double away = x[j] - 0.3 - 11.0 * m * (j + 1);
      s += away * away;
    }
    f[0] += std::exp(-0.5 * s);
  }
  ++calls;
  return 0;
}
int one_mode(int n, const double *x, int m, double *f, void *) { return normals(n, x, m, f, 1); }
int two_modes(int n, const double *x, int m, double *f, void *) { return normals(n, x, m, f, 2); }

struct stopping final : run_hooks {
  explicit stopping(int64 at) : at_(at) {}
  outcome between_steps(int64 n, const double *, const double *) override {
    return n >= at_ ? outcome::stopped : outcome::running;
  }
  bool wants_state() const override { return ++asked_ % 5 == 0; }  // a file is due now and then

 private:
  const int64 at_;
  mutable int asked_ = 0;
};

// One that goes on for long without a look between its steps, as a device does.
struct seldom_paused : host_executor {
  using host_executor::host_executor;
  static constexpr int64 pause_after = int64{1} << 40;
};

// The regions with the largest errors are asked for once at a look.
template <class Executor>
class once_at_a_look : public bulk<Executor> {
 public:
  using bulk<Executor>::bulk;
  std::vector<double> largest(int wanted, const double *weight) {
    assert_true(this->statistics().evaluations > last_);
    last_ = this->statistics().evaluations;
    return bulk<Executor>::largest(wanted, weight);
  }

 private:
  int64 last_ = 0;
};

struct ending {
  answer a;
  int64 by_grid, calls;
  bool from_grid;
  int modes;
};

constexpr int64 everything = int64{1} << 50;

// Turns of the grid come early, so that there are some, or late, so that a look for other modes comes before all of them.
double first_turn = 1500.0;

template <class Executor = host_executor>
ending run_beside_grid(const cubature_problem &regions_of, kept_answers *answers, int64 stop_at = everything) {
  sparse_pace soon;
  soon.first_look = first_turn;
  soon.start = 2.0 * first_turn;
  soon.apart = 1.3;
  soon.step = 10.0;
  soon.index = 0.1;
  soon.point = soon.lead = soon.check_share = soon.seen_first = 1.0;
  soon.share = soon.foresight = 0.5;
  soon.patience = 4.0;
  thread_pool pool(1);
  host_evaluator evaluator;
  evaluator.start(regions_of, pool, nobody_asks, INT64_MAX);  // which keeps none, as on a device
  Executor executor(pool, evaluator);
  stopping hooks(stop_at);
  cubature_problem p = regions_of;
  p.answers = answers;
  kept_grids grids;
  sparse_run<host_sparse> sparse(p, grids, [&](grid_of) { return std::make_unique<host_sparse>(p, pool, hooks); });
  sparse_race race(p.settings, soon, &sparse, 0, int64{1} << 30, hooks);
  kept_course<once_at_a_look<Executor>> course(p, race);
  mode_search modes(p.settings, p.domain(), any_mapped(p.axes) ? p.axes.data() : nullptr,
                    [&](int64 n, const double *x, double *values, int64 &evaluations) {
                      return sparse.sample(n, x, values, evaluations);
                    });
  once_at_a_look<Executor> driver(executor, p.settings, p.integration_rule.points, course, &modes);
  race.heed(modes, answers != nullptr);
  race.look_at({[&course](int n, const double *weight) { return course.largest(n, weight); },
                [&course] { return course.listed(); }, [&course] { return course.statistics().iterations; },
                [&course] { return course.statistics().breaks; }},
               answers != nullptr);
  ending e;
  e.a.value.assign(static_cast<std::size_t>(p.settings.ncomp), -1.0);
  e.a.error = e.a.value;
  calls = 0;
  e.a.end = course.run(driver, e.a.value.data(), e.a.error.data());
  e.calls = calls;
  e.a.statistics = course.statistics();
  e.a.statistics.peak_bytes = 0;
  e.by_grid = race.all_evaluations();
  e.from_grid = race.is_won(e.a.value.data(), e.a.error.data());
  e.modes = modes.count();
  return e;
}

// As from a file.
kept_answers carried_over(const kept_answers &from) {
  std::vector<uint64> words;
  for (const kept_answers::part &p : from.parts()) words.insert(words.end(), p.words, p.words + p.n);
  kept_answers to;
  assert_true(to.take(std::move(words)));
  return to;
}

// So many evaluations that no step is near the limit.
cubature_problem long_problem(int ndim, int ncomp, point_function f, double reltol, int family = TESSERA_RULE_AUTO) {
  cubature_problem p = problem_of(ndim, ncomp, f, reltol, family);
  p.settings.maxeval = 100000000;
  return p;
}

// with_limits: also where it is a limit of evaluations that stops. One that a map's last look at all regions would exceed leaves that look to be made later.
void goes_on(const cubature_problem &p, bool grid_wins, int modes = 0, bool with_limits = true) {
  const ending all = run_beside_grid(p, nullptr);
  assert_true(all.a.end == outcome::converged && all.by_grid > 0);
  assert_true(all.from_grid == grid_wins);
  assert_int_equal(all.modes, modes);
  kept_answers of_all;
  assert_same(all.a, run_beside_grid(p, &of_all).a);                 // keeping changes nothing
  const ending seldom = run_beside_grid<seldom_paused>(p, nullptr);  // nor do looks at which nothing is due
  assert_same(all.a, seldom.a);
  assert_int_equal(seldom.by_grid, all.by_grid);
  for (int cut = 1; cut <= 12; cut += grid_wins || modes > 0 ? 1 : 4) {
    const int64 at = all.a.statistics.evaluations * cut / 13;
    for (const bool by_limit : {false, true}) {
      if (by_limit && !with_limits) continue;
      kept_answers answers;
      cubature_problem limited = p;
      if (by_limit) limited.settings.maxeval = at + all.by_grid * cut / 13;
      const ending first = run_beside_grid(limited, &answers, by_limit ? everything : at);
      assert_true(by_limit || first.a.end == outcome::stopped);
      kept_answers there = carried_over(answers);
      const ending twice = run_beside_grid(p, &there, all.a.statistics.evaluations * (cut + 1) / 13);
      kept_answers again = carried_over(there);
      const ending rest = run_beside_grid(p, &again);
      assert_same(all.a, rest.a);
      assert_int_equal(rest.by_grid, all.by_grid);
      assert_true(rest.from_grid == grid_wins);
      assert_int_equal(rest.modes, modes);
      if (by_limit || cut < 3) continue;  // all that was made before is found
      assert_true(twice.calls + rest.calls <= all.calls - first.calls + p.integration_rule.points);
    }
  }
}

void the_grid_is_ahead(void **) { goes_on(long_problem(6, 1, wave, 1e-9, TESSERA_RULE_GM7), true); }
void the_grid_is_ahead_of_components(void **) {
  goes_on(long_problem(5, 3, wave_and_decay, 1e-10, TESSERA_RULE_GM7), true);
}
void the_regions_are_ahead(void **) { goes_on(long_problem(3, 1, kink, 1e-5), false); }

// A run that is stopped, or comes to its limit, between the growth of a grid with a map and the look at that makes the look when it is gone on with: perhaps later, beside other regions, but the map is not lost.
void has_a_broad_map(const cubature_problem &p, const std::vector<double> &right, int apart) {
  const ending all = run_beside_grid(p, nullptr);
  assert_true(all.a.end == outcome::converged && all.from_grid);
  kept_answers of_all;
  assert_same(all.a, run_beside_grid(p, &of_all).a);
  assert_same(all.a, run_beside_grid<seldom_paused>(p, nullptr).a);
  kept_answers known = carried_over(of_all);
  const ending again = run_beside_grid(p, &known);
  assert_same(all.a, again.a);
  assert_int_equal(again.calls, 0);
  int cut = 0;
  for (const bool by_limit : {false, true})
    for (int64 n = 500; n < all.a.statistics.evaluations + all.by_grid; n += n / apart) {
      cubature_problem limited = p;
      if (by_limit) limited.settings.maxeval = n;
      kept_answers answers;
      const ending first = run_beside_grid(limited, &answers, by_limit ? everything : n);
      cut += first.a.end == outcome::evaluations || first.a.end == outcome::stopped ? 1 : 0;
      kept_answers there = carried_over(answers);
      const ending rest = run_beside_grid(p, &there);
      assert_true(rest.a.end == outcome::converged && rest.from_grid);
      for (std::size_t k = 0; k < right.size(); ++k)
        assert_true(std::fabs(rest.a.value[k] / right[k] - 1.0) < p.settings.reltol);
    }
  assert_true(cut > 8 * apart - 2);
}
void the_grid_has_a_broad_map(void **) {
  const double mass = 2.0 - std::exp(-0.3) - std::exp(-0.7);  // of an axis
  has_a_broad_map(long_problem(3, 1, kinks, 1e-6), {std::pow(mass, 3)}, 4);
  const double first = 0.6 + std::exp(-0.3) - 2.0 * std::exp(-0.7),
               second = 0.18 + 4.0 - 2.0 * std::exp(-0.3) - 5.0 * std::exp(-0.7);
  has_a_broad_map(long_problem(3, 3, moments_of_kinks, 1e-6),
                  {mass * first * first, second * mass * mass, std::pow(mass, 3)}, 2);
}

// The grid wants to claim success, and other modes are looked for first: where there is none it wins, else the regions go on.
cubature_problem over_all(point_function f, double reltol) {
  cubature_problem p = long_problem(3, 1, f, reltol);
  const std::vector<double> lower(3, -infinity_value()), upper(3, infinity_value());
  p.set_limits(3, lower.data(), upper.data());
  return p;
}
void the_grid_is_ahead_of_one_mode(void **) { goes_on(over_all(one_mode, 1e-8), true, 0, false); }
void there_are_two_modes(void **) { goes_on(over_all(two_modes, 1e-4), false, 1); }
void modes_are_looked_for_early(void **) {
  first_turn = 1e6;
  goes_on(over_all(two_modes, 1e-5), false, 1);
  goes_on(over_all(one_mode, 1e-7), false, 0);
  // Stopped before it, where it is due, and behind it.
  for (const point_function f : {one_mode, two_modes}) {
    const cubature_problem p = over_all(f, 1e-5);
    const ending all = run_beside_grid(p, nullptr);
    for (const int64 at : {3000, 8192, 20000, 100000}) {
      kept_answers answers;
      const ending first = run_beside_grid(p, &answers, at);
      assert_true(first.a.end == outcome::stopped && (first.by_grid > 0) == (first.a.statistics.evaluations >= 8192));
      kept_answers there = carried_over(answers);
      const ending rest = run_beside_grid(p, &there);
      assert_same(all.a, rest.a);
      assert_int_equal(rest.by_grid, all.by_grid);
    }
  }
  first_turn = 1500.0;
}
// Asked after so many evaluations, and sooner while they explore.
struct asked_now_and_then : run_hooks {
  explicit asked_now_and_then(int64 every) : every_(every) {}
  outcome between_steps(int64, const double *, const double *) override { return outcome::running; }
  int64 until_look(int64) const override { return every_; }
  int64 until_level_look(int64) const override { return every_ / 3 + 1; }

 private:
  const int64 every_;
};
template <class Executor>
answer run_with_modes(const cubature_problem &p, int64 every) {
  thread_pool pool(1);
  host_evaluator evaluator;
  evaluator.start(p, pool, nobody_asks, INT64_MAX);
  Executor executor(pool, evaluator);
  asked_now_and_then hooks(every);
  kept_grids grids;
  sparse_run<host_sparse> sparse(p, grids, [&](grid_of) { return std::make_unique<host_sparse>(p, pool, hooks); });
  mode_search modes(
      p.settings, p.domain(), p.axes.data(),
      [&](int64 n, const double *x, double *values, int64 &points) { return sparse.sample(n, x, values, points); });
  answer a;
  a.value.assign(1, -1.0);
  a.error = a.value;
  bulk<Executor> driver(executor, p.settings, p.integration_rule.points, hooks, &modes);
  a.end = driver.run(p.domain(), a.value.data(), a.error.data());
  a.statistics = driver.statistics();
  a.statistics.evaluations += modes.evaluations();
  a.statistics.peak_bytes = 0;
  return a;
}
void looks_do_not_depend_on_pauses(void **) {
  for (const point_function f : {one_mode, two_modes})
    for (const double reltol : {1e-3, 1e-4, 1e-5, 1e-6, 1e-9}) {
      cubature_problem p = over_all(f, reltol);
      p.settings.initial_regions = 2;
      p.settings.maxeval = 400000;
      const answer each_step = run_with_modes<host_executor>(p, 1);
      for (const int64 every : {int64{1} << 40, int64{100}, int64{7000}, int64{20000}, int64{50000}})
        assert_same(each_step, run_with_modes<seldom_paused>(p, every));
    }
}
// From one first turn to the next; an argument makes them closer.
double next_turn = 1.1;

// A turn of the grid may be due where modes are explored.
void turns_do_not_depend_on_pauses(void **) {
  for (const double reltol : {1e-4, 1e-6})
    for (first_turn = 35000.0; first_turn < 200000.0; first_turn *= next_turn) {
      const cubature_problem p = over_all(two_modes, reltol);
      const ending each_step = run_beside_grid(p, nullptr), seldom = run_beside_grid<seldom_paused>(p, nullptr);
      assert_same(each_step.a, seldom.a);
      assert_int_equal(each_step.by_grid, seldom.by_grid);
    }
  first_turn = 1500.0;
}
// A look that the limit does not allow is made when the run goes on.
void limits_within_a_look(void **) {
  const cubature_problem p = over_all(two_modes, 1e-3);
  const ending all = run_beside_grid(p, nullptr);
  int64 before = 0;  // the first look
  for (int64 n = all.a.statistics.evaluations; n > 1000; n -= n / 20) {
    cubature_problem limited = p;
    limited.settings.maxeval = n;
    kept_answers answers;
    const ending e = run_beside_grid(limited, &answers);
    if (before == 0 && e.modes == 0) before = n;
  }
  assert_true(before > 0);
  int within = 0;
  for (int64 n = before - 3000; n < before + before / 16; n += 150) {
    cubature_problem limited = p;
    limited.settings.maxeval = n;
    kept_answers answers;
    const ending first = run_beside_grid(limited, &answers);
    assert_true(first.a.statistics.evaluations <= n);
    within += first.a.end == outcome::evaluations && first.modes == 0 ? 1 : 0;
    kept_answers there = carried_over(answers);
    const ending rest = run_beside_grid(p, &there);
    assert_same(all.a, rest.a);
    assert_int_equal(rest.modes, all.modes);
  }
  assert_true(within > 3);
}

// What belongs to a state and is not there: the run begins anew.
void what_is_not_whole_is_not_used(void **) {
  const cubature_problem p = long_problem(3, 1, kink, 1e-4);
  const ending all = run_beside_grid(p, nullptr);
  kept_answers answers;
  run_beside_grid(p, &answers, all.a.statistics.evaluations / 2);
  const auto parts = answers.parts();
  for (const bool regions_alone : {true, false}) {
    std::vector<uint64> words;
    for (std::size_t i = 0; i < parts.size(); ++i)
      if ((i > 0) == regions_alone) words.insert(words.end(), parts[i].words, parts[i].words + parts[i].n);
    kept_answers there;
    assert_true(there.take(std::move(words)));
    const ending rest = run_beside_grid(p, &there);
    assert_same(all.a, rest.a);
    assert_true(rest.calls + rest.by_grid >= all.a.statistics.evaluations);
  }
}

}  // namespace

int main(int argc, char **) {
  if (argc > 1) next_turn = 1.02;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_grid_is_ahead),
      cmocka_unit_test(the_grid_is_ahead_of_components),
      cmocka_unit_test(the_regions_are_ahead),
      cmocka_unit_test(the_grid_has_a_broad_map),
      cmocka_unit_test(the_grid_is_ahead_of_one_mode),
      cmocka_unit_test(there_are_two_modes),
      cmocka_unit_test(modes_are_looked_for_early),
      cmocka_unit_test(looks_do_not_depend_on_pauses),
      cmocka_unit_test(turns_do_not_depend_on_pauses),
      cmocka_unit_test(limits_within_a_look),
      cmocka_unit_test(what_is_not_whole_is_not_used),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
