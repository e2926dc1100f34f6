// Bulk steps that stop before each evaluation and go on behind it, as on a device whose integrand is launched by the caller:
// the same bits as in one go. And the rule applied call by call (engine/cubature/batch.hpp) in place of the host's evaluator.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>
#include <vector>

#include "bulk_runs.hpp"
#include "core/node_table.hpp"
#include "engine/cubature/batch.hpp"

using namespace tessera;

namespace {

// What the steps see of an evaluation that was made elsewhere.
struct remembered_outcome {
  static constexpr bool deferred = true, raises = false, searches = false;
  outcome end = outcome::running;
  bool failed() const { return end != outcome::running; }
  outcome failure() const { return end; }
};

// Evaluate(regions, list, n) -> outcome
template <class Evaluate>
class deferred_executor : public host_executor {
 public:
  deferred_executor(thread_pool &pool, host_evaluator &unused, Evaluate evaluate)
      : host_executor(pool, unused), pool_(pool), evaluate_(evaluate) {}

  void run_bulk(bulk_state &state) {
    remembered_outcome made;
    if (state.pending > 0) {
      made.end = evaluate_(state.regions, state.pending_list, state.pending);
      ++evaluations;
    }
    host_grid grid(pool_);
    bulk_steps<host_grid, remembered_outcome>(grid, state, made).run();
    ++starts;
  }

  int evaluations = 0, starts = 0;

 private:
  thread_pool &pool_;
  Evaluate evaluate_;
};

answer deferred(const cubature_problem &p, int stop_after = 0) {
  thread_pool pool(p.threads);
  host_evaluator evaluator;
  evaluator.start(p, pool, nobody_asks, INT64_MAX);
  const auto evaluate = [&](const region_view &regions, const region_list &list, int64 n) {
    return evaluator.evaluate(regions, list, n);
  };
  deferred_executor<decltype(evaluate)> executor(pool, evaluator, evaluate);
  const answer a = run(executor, p, stop_after);
  assert_true(executor.evaluations > 0);
  return a;
}

// The same calls as on a device, of at most `most` points.
answer in_calls(const cubature_problem &p, int64 most) {
  const rule &r = p.integration_rule;
  const int ndim = r.ndim, ncomp = p.settings.ncomp;
  const bool mapped = any_mapped(p.axes);
  const std::vector<node_word> words = make_node_table(r);
  const batch_plan plan = plan_batches(r, ncomp, mapped, most, int64{1} << 30);
  assert_true(plan.regions * plan.stretch <= most);
  thread_pool pool(1);
  host_evaluator unused;
  unused.start(p, pool, nobody_asks, INT64_MAX);
  const auto evaluate = [&](const region_view &regions, const region_list &list, int64 n) {
    const int fields = sum_fields(r);
    std::vector<double> sums(static_cast<std::size_t>(plan.regions * ncomp * fields));
    bool finite = true;
    int64 covered = 0;
    each_batch(plan, r.points, n, [&](const batch_chunk &c) {
      const double nan = std::numeric_limits<double>::quiet_NaN();
      const int64 step = c.stride();
      std::vector<double> x(static_cast<std::size_t>((ndim + 1) * step), nan),
          f(static_cast<std::size_t>(ncomp * step), nan);
      for (int64 i = 0; i < c.points(); ++i)
        write_point(r, ndim, words.data(), mapped ? p.axes.data() : nullptr, regions, list[c.first + i / c.length()],
                    c.begin + i % c.length(), &x[static_cast<std::size_t>(i)], step);
      std::vector<double> at(static_cast<std::size_t>(ndim)), v(static_cast<std::size_t>(ncomp));
      for (int64 i = 0; i < c.points(); ++i) {
        for (int j = 0; j < ndim; ++j) at[static_cast<std::size_t>(j)] = x[static_cast<std::size_t>(j * step + i)];
        p.integrand.point(ndim, at.data(), ncomp, v.data(), p.integrand.userdata);
        for (int k = 0; k < ncomp; ++k) f[static_cast<std::size_t>(k * step + i)] = v[static_cast<std::size_t>(k)];
      }
      covered += c.points();
      std::vector<double> slices(static_cast<std::size_t>(c.regions * c.slices() * ncomp * fields), nan);
      for (int64 q = 0; q < c.regions; ++q)
        for (int64 s = 0; s < c.slices(); ++s)
          for (int k = 0; k < ncomp; ++k) {
            const int64 from = c.begin + s * batch_slice, to = std::min(c.end, from + batch_slice);
            sum_slice(host_lane{}, r, from, to, c.begin, &f[static_cast<std::size_t>(k * step + q * c.length())],
                      mapped ? &x[static_cast<std::size_t>(ndim * step + q * c.length())] : nullptr,
                      &slices[static_cast<std::size_t>(((q * c.slices() + s) * ncomp + k) * fields)]);
          }
      for (int64 q = 0; q < c.regions; ++q)
        for (int64 t = 0; t < ncomp * fields; ++t) {
          double &sum = sums[static_cast<std::size_t>(q * ncomp * fields + t)];
          sum = add_slices(c.begin == 0 ? 0.0 : sum,
                           &slices[static_cast<std::size_t>(q * c.slices() * ncomp * fields + t)], c.slices(),
                           ncomp * fields);
        }
      if (c.end == r.points)
        for (int64 q = 0; q < c.regions; ++q)
          if (!finish_region(host_lane{}, r, p.settings.estimate, regions, list[c.first + q],
                             &sums[static_cast<std::size_t>(q * ncomp * fields)], at.data()))
            finite = false;
      return true;
    });
    assert_int_equal(covered, n * r.points);
    return finite ? outcome::running : outcome::nonfinite;
  };
  deferred_executor<decltype(evaluate)> executor(pool, unused, evaluate);
  return run(executor, p);
}

int infinite_nearly_everywhere(int, const double *x, int, double *f, void *) {
  f[0] = x[0] > 0.1 ? std::numeric_limits<double>::infinity() : 1.0;
  return 0;
}

int stops(int, const double *x, int, double *f, void *) {
  f[0] = std::sqrt(std::fabs(x[0] - 0.123));
  return x[0] > 0.12299 && x[0] < 0.12301 ? 23 : 0;
}

// ---- Steps ---------------------------------------------------------------------------------------------------------------

void the_steps_go_on_behind_an_evaluation(void **) {
  for (int c = 0; c < suite_size; ++c) {
    cubature_problem p = problem_of(suite[c].ndim, 1, suite[c].fn, 1e-4);
    for (int splitting = 0; splitting <= TESSERA_SPLIT_16R4; splitting += 3) {
      p.settings.splitting = splitting;
      assert_same(direct(p), deferred(p));
    }
  }
  assert_same(direct(problem_of(3, 3, three, 1e-7)), deferred(problem_of(3, 3, three, 1e-7)));
  assert_same(direct(infinite_problem()), deferred(infinite_problem()));
}

void limits_and_ends_are_the_same(void **) {
  cubature_problem p = problem_of(5, 1, suite_f4, 1e-12);
  assert_same(direct(p), deferred(p));  // evaluations
  assert_true(direct(p).end == outcome::evaluations);
  for (const int64 kilobytes : {20, 100, 400}) {  // regions are given up
    p.settings.memory = kilobytes << 10;
    assert_same(direct(p), deferred(p));
  }
  p.settings.maxeval = 1;  // the least there is
  assert_same(direct(p), deferred(p));
  p = problem_of(2, 1, infinite_somewhere, 1e-9);
  assert_same(direct(p), deferred(p));
  assert_true(direct(p).end == outcome::nonfinite && std::isfinite(direct(p).value[0]));
  p = problem_of(2, 1, infinite_nearly_everywhere, 1e-9);
  assert_same(direct(p), deferred(p));
  assert_true(direct(p).end == outcome::nonfinite && std::isnan(direct(p).value[0]));
  p = problem_of(1, 1, stops, 1e-12);
  p.settings.initial_regions = 1;
  assert_same(direct(p), deferred(p));
  assert_true(direct(p).end == outcome::callback);
}

void a_run_can_be_stopped_while_regions_wait(void **) {
  const cubature_problem p = problem_of(3, 1, suite_f4, 1e-9);
  const answer whole = deferred(p);
  for (int stop_after = 1; stop_after < 8; ++stop_after) {
    const answer a = deferred(p, stop_after);
    assert_true(a.end == outcome::stopped);
    assert_true(a.statistics.evaluations > 0 && a.statistics.evaluations < whole.statistics.evaluations);
    assert_true(std::isfinite(a.value[0]) && a.error[0] > 0.0);
  }
}

// ---- States of a run between its steps ---------------------------------------------------------------------------------------

// Stopped after so many looks, or for the evaluations; goes on in other memory.
answer in_two_parts(const cubature_problem &p, int stop_after, int64 maxeval, int64 &first_evaluations) {
  thread_pool pool(1);
  host_evaluator evaluator;
  evaluator.start(p, pool, nobody_asks, INT64_MAX);
  host_executor executor(pool, evaluator);
  std::vector<uint64> words;
  answer a;
  a.value.assign(static_cast<std::size_t>(p.settings.ncomp), -1.0);
  a.error = a.value;
  {
    cubature_settings limited = p.settings;
    limited.maxeval = maxeval;
    counting_hooks hooks;
    hooks.stop_after = stop_after;
    bulk<host_executor> driver(executor, limited, p.integration_rule.points, hooks);
    driver.keep_steps_whole();
    a.end = driver.run(p.domain(), a.value.data(), a.error.data());
    first_evaluations = driver.statistics().evaluations;
    assert_true(first_evaluations <= std::max(maxeval, p.integration_rule.points));
    assert_true(driver.write_state(words));
  }
  counting_hooks hooks;
  bulk<host_executor> driver(executor, p.settings, p.integration_rule.points, hooks);
  driver.keep_steps_whole();
  assert_true(driver.is_state(words.data(), words.size()));
  assert_false(driver.is_state(words.data(), words.size() - 1));
  assert_false(driver.is_state(words.data(), 3));
  a.end = driver.go_on(words.data(), p.domain(), a.value.data(), a.error.data());
  a.statistics = driver.statistics();
  return a;
}

#ifdef __SANITIZE_ADDRESS__
constexpr int every_cut = 3;
#else
constexpr int every_cut = 1;
#endif
void a_state_goes_on_as_if_nothing_had_been(void **) {
  std::vector<cubature_problem> problems = {problem_of(3, 3, three, 1e-6), infinite_problem(),
                                            problem_of(5, 1, suite_f4, 1e-3)};
  for (int splitting = 0; splitting <= TESSERA_SPLIT_16R4; splitting += 3) {
    problems.push_back(problem_of(4, 1, suite_f4, 1e-4));
    problems.back().settings.splitting = splitting;
  }
  for (cubature_problem &p : problems) {
    p.settings.maxeval = 30000000;
    answer all = direct(p);
    assert_true(all.end == outcome::converged);
    all.statistics.peak_bytes = 0;
    int64 before = 0;
    for (int cut = 1; cut <= 24; cut += every_cut) {
      const bool by_limit = cut % 2 == 0;
      const int64 limit = by_limit ? all.statistics.evaluations * cut / 26 : p.settings.maxeval;
      if (limit < p.integration_rule.points) continue;
      int64 first;
      answer a = in_two_parts(p, by_limit ? 0 : cut, limit, first);
      a.statistics.peak_bytes = 0;
      assert_same(all, a);
      if (by_limit) assert_true(first >= before), before = first;
    }
    assert_true(before > all.statistics.evaluations / 3);  // what is left out is less than a step
  }
}

// ---- Calls ---------------------------------------------------------------------------------------------------------------

void assert_near(const answer &a, const answer &b) {
  assert_true(a.end == b.end);
  assert_int_equal(a.statistics.evaluations, b.statistics.evaluations);
  assert_int_equal(a.statistics.regions, b.statistics.regions);
  for (std::size_t k = 0; k < a.value.size(); ++k) {
    assert_close(a.value[k], b.value[k], 1e-12, 0);
    assert_close(a.error[k], b.error[k], 1e-4, 0);
  }
}

void calls_give_what_the_evaluator_gives(void **) {
  static const struct {
    int family, ndim;
    int64 points[3];  // of a call: many regions, some, a part of one
  } cases[] = {{TESSERA_RULE_KRONROD15, 1, {100000, 100, 10}}, {TESSERA_RULE_AUTO, 2, {100000, 700, 40}},
               {TESSERA_RULE_AUTO, 3, {100000, 1000, 1}},      {TESSERA_RULE_DEGREE7, 4, {50000, 900, 33}},
               {TESSERA_RULE_AUTO, 5, {1000000, 5000, 100}},   {TESSERA_RULE_GM7, 13, {100000, 8543, 4097}},
               {TESSERA_RULE_LOW, 14, {200000, 7000, 1999}}};
  for (const auto &c : cases)
    for (const int64 points : c.points) {
      cubature_problem p = problem_of(c.ndim, 1, suite_f5, 1e-4, c.family);
      p.settings.initial_regions = 4;
      p.settings.maxeval = 400000;
      assert_near(direct(p), in_calls(p, points));
    }
}

void calls_with_components_and_infinite_ranges(void **) {
  for (const int64 points : {100000, 1000, 50}) {
    assert_near(direct(problem_of(3, 3, three, 1e-6)), in_calls(problem_of(3, 3, three, 1e-6), points));
    assert_near(direct(infinite_problem()), in_calls(infinite_problem(), points));
  }
  assert_close(in_calls(infinite_problem(), 1000).value[0], 1.7724538509055160273 * 2 / 3, 1e-6, 0);
  assert_true(in_calls(problem_of(2, 1, infinite_somewhere, 1e-9), 1000).end == outcome::nonfinite);
  assert_true(in_calls(problem_of(2, 1, infinite_nearly_everywhere, 1e-9), 20).end == outcome::nonfinite);
}

void a_call_keeps_to_its_bounds(void **) {
  rule r;
  for (const int ndim : {1, 3, 8, 13, 20}) {
    build_rule(choose_rule(TESSERA_RULE_AUTO, ndim), ndim, r);
    for (const int ncomp : {1, 7, 65536})
      for (const int64 points : {int64{1}, int64{1000}, int64{1} << 22})
        for (const int64 bytes : {int64{1} << 20, int64{1} << 29}) {
          const batch_plan plan = plan_batches(r, ncomp, true, points, bytes);
          assert_true(plan.regions >= 1 && plan.stretch >= 1);
          assert_true(plan.regions == 1 || plan.stretch == r.points);
          assert_true(plan.regions * plan.stretch <= points);
          assert_true(plan.regions * plan.stretch * (ndim + 1 + ncomp) * 8 <= bytes ||
                      plan.regions * plan.stretch == 1);
        }
  }
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(the_steps_go_on_behind_an_evaluation),
      cmocka_unit_test(limits_and_ends_are_the_same),
      cmocka_unit_test(a_run_can_be_stopped_while_regions_wait),
      cmocka_unit_test(a_state_goes_on_as_if_nothing_had_been),
      cmocka_unit_test(calls_give_what_the_evaluator_gives),
      cmocka_unit_test(calls_with_components_and_infinite_ranges),
      cmocka_unit_test(a_call_keeps_to_its_bounds),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
