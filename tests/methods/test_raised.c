/* Rules of higher degree in smooth regions (bulk selection, robust estimate, the library's own choice of the rule): what they save,
 * that claims stay true, and where they are not used.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "cases.h"
#include "solve.h"

enum { record_5 = 2 * 5 + 3 + 2 };

static tessera_solver *solver(int ndim, int ncomp, tessera_integrand1 f, void *userdata, double reltol, int rule) {
  tessera_solver *s = solver_of(ndim, ncomp);
  put_point(s, f, userdata);
  put_real(s, TESSERA_RELTOL, reltol);
  put_int(s, TESSERA_SELECTION, TESSERA_SELECT_BULK);
  put_int(s, TESSERA_SPARSE, TESSERA_SPARSE_OFF);
  put_int(s, TESSERA_RULE, rule);
  put_int(s, TESSERA_MAXEVAL, 2000000000);
  return s;
}

static struct answer run(tessera_solver *s, const char *what, double exact) {
  struct answer a = {0};
  a.status = tessera_integrate(s, TESSERA_CUBATURE, &a.value, &a.error);
  a.evaluations = got_int(s, TESSERA_EVALUATIONS);
  a.regions = got_int(s, TESSERA_REGIONS);
  print_message("  %-24s status %d, %11lld evaluations, %8lld regions, %.15g +- %.1e, true %.1e\n", what, a.status,
                (long long)a.evaluations, (long long)a.regions, a.value, a.error, fabs(a.value - exact));
  return a;
}

/* A solver that is asked once. */
static struct answer once(tessera_solver *s, const char *what, double exact) {
  const struct answer a = run(s, what, exact);
  tessera_destroy(s);
  return a;
}

static void test_saves(void **state) {
  const struct {
    const char *name;
    double reltol, factor;
  } rows[] = {{"f4_5d", 1e-8, 2}, {"f5_5d", 1e-8, 8}, {"f5_5d", 1e-6, 2}};
  (void)state;
  for (int i = sanitized ? 3 : 0; i < 3; ++i) {
    const struct suite_case *c = suite_find(rows[i].name);
    const struct answer divided =
        once(solver(5, 1, c->fn, NULL, rows[i].reltol, TESSERA_RULE_DEGREE9), "degree 9", c->exact);
    const struct answer raised = once(solver(5, 1, c->fn, NULL, rows[i].reltol, TESSERA_RULE_AUTO), c->name, c->exact);
    assert_int_equal(raised.status, TESSERA_OK);
    assert_int_equal(divided.status, TESSERA_OK);
    assert_true(fabs(raised.value - c->exact) <= raised.error);
    assert_true(rows[i].factor * (double)raised.evaluations <= (double)divided.evaluations);
  }
}

/* Where a few divisions do, nothing changes; and where something says how regions are to be treated. */
static void test_not_used(void **state) {
  const struct suite_case *c = suite_find("f5_5d");
  const struct {
    int key, value;
  } says[] = {{TESSERA_ESTIMATE, TESSERA_ESTIMATE_CLASSIC},
              {TESSERA_PRIORITY, TESSERA_PRIORITY_WORST_COMPONENT},
              {TESSERA_NONFINITE_POLICY, TESSERA_NONFINITE_ZERO},
              {TESSERA_SELECTION, TESSERA_SELECT_WORST_FIRST},
              {TESSERA_MAX_MEMORY, 2000000},
              {TESSERA_INITIAL_REGIONS, 64}};
  (void)state;
  for (size_t i = 0; i < sizeof says / sizeof says[0]; ++i) {
    struct answer a[2];
    const int loose = says[i].key == TESSERA_INITIAL_REGIONS;
    for (int rule = 0; rule < 2; ++rule) {
      tessera_solver *s =
          solver(5, 1, c->fn, NULL, loose ? 1e-2 : 1e-6, rule ? TESSERA_RULE_DEGREE9 : TESSERA_RULE_AUTO);
      put_int(s, says[i].key, says[i].value);
      put_int(s, TESSERA_MAXEVAL, sanitized ? 200000 : 1000000);
      a[rule] = once(s, rule ? "degree 9" : "automatic", c->exact);
    }
    assert_int_equal(a[0].evaluations, a[1].evaluations);
    assert_true(a[0].value == a[1].value && a[0].error == a[1].error);
  }
}

/* A peak with a kink, a component that is constant, and one with a ridge. */
static int several(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double s = 0;
  (void)ncomp, (void)userdata;
  for (int j = 0; j < ndim; ++j) s += fabs(x[j] - 0.5);
  f[0] = 10 * exp(-10 * s);
  f[1] = 3;
  f[2] = exp(-4 * fabs(x[0] - 0.5)) * (1 + x[1] * x[2]);
  return 0;
}
static int several_batch(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf,
                         void *userdata) {
  for (int64_t i = 0; i < n; ++i) {
    double at[8], value[3];
    for (int j = 0; j < ndim; ++j) at[j] = x[j * ldx + i];
    several(ndim, at, ncomp, value, userdata);
    for (int k = 0; k < ncomp; ++k) f[k * ldf + i] = value[k];
  }
  return 0;
}

static void test_components(void **state) {
  const double one = (1 - exp(-5)) / 5, exact[3] = {10 * one * one * one * one * one, 3, (1 - exp(-2)) / 2 * 1.25};
  int64_t evaluations[3];
  double first[3] = {0, 0, 0};
  (void)state;
  for (int form = 0; form < 3; ++form) { /* points, batches, and batches on threads */
    double value[3], error[3];
    tessera_solver *s = solver(5, 3, several, NULL, 1e-7, TESSERA_RULE_AUTO);
    if (form > 0) put_batch(s, several_batch, NULL);
    if (form == 2) put_int(s, TESSERA_THREADS, 2);
    assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_OK);
    evaluations[form] = got_int(s, TESSERA_EVALUATIONS);
    for (int k = 0; k < 3; ++k) {
      assert_true(error[k] <= 1e-7 * fabs(value[k]));
      assert_true(fabs(value[k] - exact[k]) <= error[k]);
      if (form == 0) first[k] = value[k];
      assert_true(value[k] == first[k]);
    }
    tessera_destroy(s);
  }
  assert_int_equal(evaluations[0], evaluations[1]);
  assert_int_equal(evaluations[0], evaluations[2]);
  if (sanitized) return; /* no other code, and the most evaluations */
  tessera_solver *s = solver(5, 3, several, NULL, 1e-7, TESSERA_RULE_DEGREE9);
  double value[3], error[3];
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_OK);
  assert_true(2 * evaluations[0] <= got_int(s, TESSERA_EVALUATIONS));
  tessera_destroy(s);
}

static int decay(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double s = 0;
  (void)ncomp, (void)userdata;
  for (int j = 0; j < ndim; ++j) s += x[j] * x[j];
  f[0] = exp(-s);
  return 0;
}

static void test_infinite(void **state) {
  const double lower[4] = {-INFINITY, -INFINITY, 0, -1}, upper[4] = {INFINITY, INFINITY, INFINITY, 1};
  const double pi = acos(-1), exact = pi * 0.5 * sqrt(pi) * sqrt(pi) * erf(1);
  struct answer a[2];
  (void)state;
  for (int rule = 0; rule < 2; ++rule) {
    tessera_solver *s = solver(4, 1, decay, NULL, 1e-7, rule ? TESSERA_RULE_DEGREE9 : TESSERA_RULE_AUTO);
    assert_status(s, tessera_set_domain(s, lower, upper), TESSERA_OK);
    a[rule] = once(s, rule ? "infinite, degree 9" : "infinite", exact);
    assert_int_equal(a[rule].status, TESSERA_OK);
    assert_true(fabs(a[rule].value - exact) <= a[rule].error);
  }
  assert_true(a[0].evaluations < a[1].evaluations);
}

/* Regions that have a higher degree are handed out, and a run goes on from them. */
static void test_regions(void **state) {
  const struct suite_case *c = suite_find("f5_5d");
  tessera_solver *s = solver(5, 1, c->fn, NULL, 1e-8, TESSERA_RULE_AUTO);
  int64_t n = 0;
  int raised = 0;
  (void)state;
  put_int(s, TESSERA_KEEP_REGIONS, 1);
  put_int(s, TESSERA_INITIAL_REGIONS, 1024);
  put_int(s, TESSERA_MAXEVAL, 4000000);
  const struct answer part = run(s, "stopped", c->exact);
  assert_int_equal(part.status, TESSERA_LIMIT_EVALUATIONS);
  assert_status(s, tessera_get_regions(s, 0, 0, NULL, &n), TESSERA_OK);
  double *records = malloc((size_t)n * record_5 * sizeof *records);
  assert_non_null(records);
  assert_status(s, tessera_get_regions(s, 0, n, records, &n), TESSERA_OK);
  for (int64_t i = 0; i < n; ++i) raised += records[i * record_5 + record_5 - 1] >= 2147483648.0;
  print_message("  %d of %lld regions have a higher degree\n", raised, (long long)n);
  assert_true(raised > 0);
  tessera_solver *next = solver(5, 1, c->fn, NULL, 1e-8, TESSERA_RULE_AUTO);
  assert_status(next, tessera_set_regions(next, n, records, part.evaluations), TESSERA_OK);
  const struct answer whole = run(next, "gone on", c->exact);
  assert_int_equal(whole.status, TESSERA_OK);
  assert_true(fabs(whole.value - c->exact) <= whole.error);
  assert_true(whole.evaluations < 40000000);
  const double wrong[] = {-1.0, -0.06}; /* more axes than there are, and fewer than one */
  for (int i = 0; i < 2; ++i) {
    records[record_5 - 2] = wrong[i];
    assert_status(next, tessera_set_regions(next, n, records, part.evaluations), TESSERA_ERR_ARGUMENT);
    assert_says(tessera_last_error(next), "suspicion");
  }
  free(records);
  tessera_destroy(s);
  tessera_destroy(next);
}

/* A jump across an axis in an otherwise smooth integrand. */
struct jump {
  double a[4], at;
};
static int jumps(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const struct jump *p = userdata;
  double s = 0;
  (void)ncomp;
  for (int j = 0; j < ndim; ++j) s += p->a[j] * x[j];
  f[0] = x[0] < p->at ? exp(s) : 0;
  return 0;
}

static void test_jumps(void **state) {
  const int instances = sanitized ? 1 : 6;
  unsigned long long seed = 90871;
  int claims = 0;
  (void)state;
  for (int i = 0; i < instances; ++i) {
    struct jump p = {{0}, 0};
    double exact = 1;
    for (int j = 0; j < 4; ++j) {
      seed = seed * 6364136223846793005ull + 1442695040888963407ull;
      p.a[j] = 0.5 + 3 * (double)(seed >> 11) * 0x1p-53;
    }
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    p.at = (double)(seed >> 11) * 0x1p-53;
    for (int j = 0; j < 4; ++j) exact *= (exp(p.a[j] * (j == 0 ? p.at : 1)) - 1) / p.a[j];
    const struct answer a = once(solver(4, 1, jumps, &p, 1e-7, TESSERA_RULE_AUTO), "jump", exact);
    if (a.status != TESSERA_OK) continue;
    ++claims;
    assert_true(fabs(a.value - exact) <= 1e-7 * exact);
  }
  assert_true(claims >= instances / 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_saves),      cmocka_unit_test(test_not_used),
                                     cmocka_unit_test(test_components), cmocka_unit_test(test_infinite),
                                     cmocka_unit_test(test_regions),    cmocka_unit_test(test_jumps)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
