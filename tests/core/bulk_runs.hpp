// Runs of the bulk steps on the host, and the problems that they are given.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cfloat>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "problem.hpp"
#include "cases.h"
#include "core/raised_build.hpp"
#include "core/rule_build.hpp"
#include "engine/cubature/bulk.hpp"
#include "host/executor.hpp"
#include "tessera.h"

extern "C" {
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "close.h"
}

namespace tessera {

struct counting_hooks : run_hooks {
  outcome between_steps(int64 evaluations, const double *, const double *) override {
    assert_true(evaluations > 0);
    return ++calls == stop_after ? outcome::stopped : outcome::running;
  }
  int calls = 0, stop_after = 0;
};
inline counting_hooks nobody_asks;

struct answer {
  outcome end = outcome::running;
  std::vector<double> value, error;
  cubature_statistics statistics;
};

template <class Executor>
inline answer run(Executor &executor, const cubature_problem &p, int stop_after = 0) {
  answer a;
  a.value.assign(static_cast<std::size_t>(p.settings.ncomp), -1.0);
  a.error = a.value;
  counting_hooks hooks;
  hooks.stop_after = stop_after;
  bulk<Executor> driver(executor, p.settings, p.integration_rule.points, hooks);
  a.end = driver.run(p.domain(), a.value.data(), a.error.data());
  a.statistics = driver.statistics();
  return a;
}

inline answer direct(const cubature_problem &p, int stop_after = 0) {
  thread_pool pool(p.threads);
  host_evaluator evaluator;
  evaluator.start(p, pool, nobody_asks, INT64_MAX);
  host_executor executor(pool, evaluator);
  return run(executor, p, stop_after);
}

inline cubature_problem problem_of(int ndim, int ncomp, point_function f, double reltol,
                                   int family = TESSERA_RULE_AUTO) {
  cubature_problem p;
  p.settings.ndim = ndim;
  p.settings.ncomp = ncomp;
  p.settings.reltol = reltol;
  p.settings.maxeval = 3000000;
  p.settings.initial_regions = 64;
  p.settings.memory = int64{1} << 30;
  build_rule(choose_rule(family, ndim), ndim, p.integration_rule, true);
  p.settings.margin = rule_margin(p.integration_rule);
  p.lower.assign(static_cast<std::size_t>(ndim), 0.0);
  p.upper.assign(static_cast<std::size_t>(ndim), 1.0);
  p.axes.assign(static_cast<std::size_t>(ndim), {axis_finite, 0.0, 0.0, 1.0});
  p.grain.assign(static_cast<std::size_t>(ndim), 0.0);
  p.integrand.point = f;
  return p;
}

// The same with rules of higher degree.
inline cubature_problem raising_problem(int ndim, point_function f, double reltol) {
  cubature_problem p = problem_of(ndim, 1, f, reltol);
  p.raised = std::make_shared<const raised_tables>(build_raised(ndim));
  p.integration_rule.raises = true;
  for (int level = 0; level < raised_levels; ++level) p.settings.raised_points[level] = p.raised->points[level];
  return p;
}

inline void assert_same_course(const answer &a, const answer &b) {
  assert_true(a.end == b.end);
  for (std::size_t k = 0; k < a.value.size(); ++k) {
    assert_int_equal(bits_of(a.value[k]), bits_of(b.value[k]));
    assert_int_equal(bits_of(a.error[k]), bits_of(b.error[k]));
  }
  assert_int_equal(a.statistics.evaluations, b.statistics.evaluations);
  assert_int_equal(a.statistics.regions, b.statistics.regions);
  assert_int_equal(a.statistics.iterations, b.statistics.iterations);
}

// In the same room too.
inline void assert_same(const answer &a, const answer &b) {
  assert_same_course(a, b);
  assert_int_equal(a.statistics.peak_bytes, b.statistics.peak_bytes);
}

inline int three(int, const double *x, int, double *f, void *) {
  const double s = x[0] + 2 * x[1] + 3 * x[2];
  f[0] = std::exp(-s);
  f[1] = 1 / (0.1 + s * x[1]);
  f[2] = 1 / (0.01 + (x[0] - 0.3) * (x[0] - 0.3));
  return 0;
}

inline int infinite_somewhere(int, const double *x, int, double *f, void *) {
  const double distance = std::fabs(x[0] - 0.7);
  f[0] = distance < 1e-4 ? std::numeric_limits<double>::infinity() : std::sqrt(distance);
  return 0;
}

inline int bell(int, const double *x, int, double *f, void *) {
  f[0] = std::exp(-x[0] * x[0] - x[1]) * x[2] * x[2];
  return 0;
}

inline cubature_problem infinite_problem() {
  cubature_problem p = problem_of(3, 1, bell, 1e-6);
  p.lower = {-1.0, 0.0, -1.0};
  p.axes = {{axis_both, 0.0, -DBL_MAX, DBL_MAX}, {axis_up, 0.0, DBL_MIN, DBL_MAX}, {axis_finite, 0.0, -1.0, 1.0}};
  return p;
}

}  // namespace tessera
