// The race of methods with made-up contenders: who has success where a look for other modes is to come before that of samples.
// SPDX-License-Identifier: BSD-3-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <algorithm>
#include <vector>

extern "C" {
#include <cmocka.h>
}

#include "engine/choice/method_race.hpp"

namespace {

using namespace tessera;

struct nobody_asks : run_hooks {
  outcome between_steps(int64, const double *, const double *) override { return outcome::running; }
};

// A run in steps: after each its value, and an error that is met at so many evaluations.
struct made_up {
  made_up(double its_value, int64 met) : value(its_value), met_at(met) {}
  double value;
  int64 met_at;
  std::vector<double> shares_of_modes;  // that it tells of where it is asked for them, beside the first
  double share_of_first = 1.0;
  double gathers = 1.0;               // so many times the points there that an even run has
  bool knows_at_the_end = false;      // and at its end
  int64 ends_after = greatest_int64;  // for want of memory
  outcome ends_in_look = outcome::running;

  int runs = 0, asked_for_modes = 0;

  modes_told told() const {
    modes_told modes;
    modes.first.share = share_of_first;
    for (const double share : shares_of_modes) modes.others.push_back({share, {}, {}});
    return modes;
  }
};

struct made_up_course final : race_course {
  explicit made_up_course(std::vector<made_up> methods) : all(std::move(methods)) {}
  double share_of_points(int c, const told_mode &mode) const override {
    return all[static_cast<std::size_t>(c)].gathers * mode.share;
  }
  outcome run(int c, int64 maxeval, run_hooks &hooks, double *value, double *error, bool &has_value, int64 &n,
              bool &) override {
    made_up &m = all[static_cast<std::size_t>(c)];
    ++m.runs;
    outcome end = outcome::running;
    for (n = 0; end == outcome::running;) {
      if (n + step > maxeval - hooks.evaluations_beside()) return outcome::evaluations;
      n += step;
      has_value = true;
      *value = m.value;
      const double met = static_cast<double>(m.met_at) / static_cast<double>(n);
      *error = 1e-3 * m.value * met * met;
      if (n >= m.met_at) {
        if (m.knows_at_the_end) hooks.tell_modes(m.told(), outcome::converged);
        return outcome::converged;
      }
      if (n >= m.ends_after) {
        if (m.knows_at_the_end) hooks.tell_modes(m.told(), outcome::memory);
        return outcome::memory;
      }
      end = hooks.between_steps(n, value, error);
      if (end == outcome::running && hooks.value_to_look_beside()) {
        ++m.asked_for_modes;
        if (m.ends_in_look != outcome::running) {
          end = m.ends_in_look;
          break;
        }
        hooks.tell_modes(m.told(), outcome::running);
        end = hooks.between_steps(n, value, error);
      }
    }
    if (m.knows_at_the_end) hooks.tell_modes(m.told(), end);
    return end;
  }
  static constexpr int64 step = 500;
  std::vector<made_up> all;
};

struct result {
  outcome end;
  int chosen;
  double value = 0.0, error = 0.0;
  int64 evaluations;
};

// Regions first, and samples beside them.
result run(made_up_course &course, int looker, int64 maxeval = 1000000) {
  run_settings asked;
  asked.ndim = 3;
  asked.ncomp = 1;
  asked.reltol = 1e-3;
  asked.maxeval = maxeval;
  nobody_asks hooks;
  std::vector<contender> contenders;
  contenders.emplace_back(contender_kind::cubature, "regions", 1, 4096, 0);
  contenders.emplace_back(contender_kind::samples, "samples", 1, 4096, 0);
  method_race race(asked, std::move(contenders), course, hooks, looker);
  result r;
  bool has_value = false;
  r.end = race.run(&r.value, &r.error, has_value);
  r.chosen = race.chosen();
  r.evaluations = race.evaluations();
  assert_true(has_value && r.evaluations <= maxeval);
  return r;
}

made_up slow_regions(const std::vector<double> &shares) {
  made_up m(2.0, 300000);
  m.shares_of_modes = shares;
  return m;
}
made_up quick_samples() { return {1.0, 20000}; }

void where_nothing_is_hidden_nobody_looks(void **) {
  made_up_course course({slow_regions({1e-9}), quick_samples()});
  const result r = run(course, -1);
  assert_true(r.end == outcome::converged && r.chosen == 1 && r.value == 1.0);
  assert_int_equal(course.all[0].asked_for_modes, 0);
}

void samples_that_have_met_the_modes_have_success(void **) {
  for (const std::vector<double> &shares : {std::vector<double>{}, {0.01}, {0.5, 0.001}}) {
    made_up_course course({slow_regions(shares), quick_samples()});
    course.all[0].value = 1.0;
    const result r = run(course, 0);
    assert_true(r.end == outcome::converged && r.chosen == 1 && r.value == 1.0);
    assert_int_equal(course.all[0].asked_for_modes, 1);
    assert_true(r.evaluations < 60000);
  }
}

void samples_that_have_missed_one_leave_the_run_to_regions(void **) {
  for (const std::vector<double> &shares : {std::vector<double>{1e-6}, {0.5, 1e-5}, {0.0}}) {
    made_up_course course({slow_regions(shares), quick_samples()});
    const result r = run(course, 0);
    assert_true(r.end == outcome::converged && r.chosen == 0 && r.value == 2.0);
    assert_int_equal(course.all[0].asked_for_modes, 1);
  }
}

// Unless they gather there.
void samples_may_have_missed_the_first(void **) {
  for (const double gathers : {1.0, 100.0, 10000.0})
    for (const double share : {1e-6, 0.01}) {
      made_up_course course({slow_regions({}), quick_samples()});
      course.all[0].share_of_first = share;
      course.all[1].gathers = gathers;
      const result r = run(course, 0);
      const bool has_missed = gathers * share < 3e-4;
      assert_true(r.end == outcome::converged && r.chosen == (has_missed ? 0 : 1));
    }
}

// Their value is not reported where the limit comes first either, however small its error.
void nor_is_their_value_that_of_a_limit(void **) {
  made_up_course course({slow_regions({1e-6}), quick_samples()});
  const result r = run(course, 0, 100000);
  assert_true(r.end == outcome::evaluations && r.chosen == 0 && r.value == 2.0 && r.error > 1e-3);
}

// Of regions that have claimed more is known than of samples that contradict them.
void samples_that_have_missed_one_contradict_nothing(void **) {
  made_up_course course({{2.0, 40000}, {1.0, 60000}});
  const result contradicted = run(course, -1);
  course.all[0].shares_of_modes = {1e-6};
  course.all[0].knows_at_the_end = true;
  const result r = run(course, 0);
  assert_true(r.end == outcome::converged && r.chosen == 0 && r.value == 2.0);
  assert_true(contradicted.evaluations > 2 * r.evaluations);
}

// What it knew when its run ended without success still holds.
void what_was_known_at_the_end_holds(void **) {
  made_up_course course({slow_regions({1e-6}), quick_samples()});
  course.all[0].ends_after = 2000;
  course.all[0].knows_at_the_end = true;
  const result r = run(course, 0);
  assert_true(r.end != outcome::converged && r.chosen == 0 && r.error > 1e-3);
  course.all[0].shares_of_modes = {0.1};
  assert_true(run(course, 0).end == outcome::converged);
}

// Whatever the run that looks for modes tells at its end, which the user or the clock asks for.
void a_look_that_is_ended_ends_all(void **) {
  for (const outcome asked : {outcome::stopped, outcome::time})
    for (const bool knows : {false, true}) {
      made_up_course course({slow_regions({0.5}), quick_samples()});
      course.all[0].ends_in_look = asked;
      course.all[0].knows_at_the_end = knows;
      const result r = run(course, 0);
      assert_int_equal(course.all[0].asked_for_modes, 1);
      assert_true(r.end == asked);
    }
}

// One that has ended, or ends before it can look, keeps nobody from success.
void without_a_look_samples_have_success(void **) {
  for (const int64 ends_after : {500, 2000, 5000}) {
    made_up_course course({slow_regions({1e-6}), quick_samples()});
    course.all[0].value = 1.0;
    course.all[0].ends_after = ends_after;
    const result r = run(course, 0);
    if (course.all[0].asked_for_modes == 0)
      assert_true(r.end == outcome::converged && r.chosen == 1 && r.value == 1.0);
    else
      assert_true(r.end == outcome::memory && r.chosen == 0 && r.error > 1e-3);
    assert_int_equal(course.all[0].asked_for_modes, ends_after < 4096 ? 0 : 1);
  }
  made_up_course no_room({slow_regions({1e-6}), {1.0, 9000}});
  no_room.all[0].value = 1.0;
  no_room.all[0].ends_after = 500;
  assert_true(run(no_room, 0, 12000).end == outcome::converged);
}

}  // namespace

int main() {
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_was_known_at_the_end_holds),
                                     cmocka_unit_test(where_nothing_is_hidden_nobody_looks),
                                     cmocka_unit_test(a_look_that_is_ended_ends_all),
                                     cmocka_unit_test(samples_that_have_met_the_modes_have_success),
                                     cmocka_unit_test(samples_that_have_missed_one_leave_the_run_to_regions),
                                     cmocka_unit_test(samples_may_have_missed_the_first),
                                     cmocka_unit_test(nor_is_their_value_that_of_a_limit),
                                     cmocka_unit_test(samples_that_have_missed_one_contradict_nothing),
                                     cmocka_unit_test(without_a_look_samples_have_success)};
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
