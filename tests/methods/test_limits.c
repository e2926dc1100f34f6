/* What happens at the limits: memory, round-off, long sums, many variables, one variable.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "cases.h"
#include "solve.h"

/* ---- Memory ----------------------------------------------------------------------------------------------------------------- */
static int all_alike(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  suite_f5(ndim, x, 1, f, userdata);
  for (int k = 1; k < ncomp; ++k) f[k] = f[0];
  return 0;
}

static void a_region_takes_little_memory(void **state) {
  static const int shapes[][2] = {{1, 1}, {2, 1}, {3, 1}, {3, 7}, {5, 2}, {8, 1}, {10, 10}, {2, 100}};
  (void)state;
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i)
    for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
      const int ndim = shapes[i][0], ncomp = shapes[i][1];
      double value[100], error[100];
      tessera_solver *s = solver_of(ndim, ncomp);
      put_point(s, all_alike, NULL);
      put_int(s, TESSERA_SELECTION, selection);
      put_int(s, TESSERA_MAXEVAL, 100000);
      assert_true(tessera_integrate(s, TESSERA_CUBATURE, value, error) >= 0);
      assert_in_range(got_int(s, TESSERA_REGION_BYTES), 8 * (2 * ndim + 2 * ncomp), 8 * (2 * ndim + 2 * ncomp + 3));
      tessera_destroy(s);
    }
}

static void with_little_memory_the_largest_errors_are_refined(void **state) {
  static const struct {
    const char *name;
    int ndim;
    int64_t bytes;
  } cases[] = {{"f5_5d", 5, 350000}, {"f5_5d", 5, 1200000}, {"f4_5d", 5, 350000}, {"f1_5d", 5, 300000}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
      const struct suite_case *c = suite_find(cases[i].name);
      tessera_solver *s = solver_of(c->ndim, 1);
      put_point(s, c->fn, NULL);
      put_real(s, TESSERA_RELTOL, 1e-8);
      put_int(s, TESSERA_SELECTION, selection);
      put_int(s, TESSERA_MAX_MEMORY, cases[i].bytes);
      put_int(s, TESSERA_MAXEVAL, 30000000);
      const struct answer a = integrate(s);
      const int64_t points = got_int(s, TESSERA_RULE_POINTS), peak = got_int(s, TESSERA_PEAK_MEMORY);
      /* Tables and work space take some of the memory, and bulk steps need some for the regions that they are dividing. */
      const int64_t most = (cases[i].bytes - 190000) / 2 / got_int(s, TESSERA_REGION_BYTES) / selection;
      print_message(
          "  %s %s %lld bytes: status %d, %lld regions (at least %lld fit), true %.1e, estimate %.1e, peak %lld\n",
          c->name, selection == TESSERA_SELECT_BULK ? "bulk" : "worst first", (long long)cases[i].bytes, a.status,
          (long long)a.regions, (long long)most, fabs(a.value / c->exact - 1), a.error / fabs(c->exact),
          (long long)peak);
      assert_int_equal(a.status, TESSERA_LIMIT_MEMORY);
      assert_true(strlen(a.sentence) > 0);
      assert_at_most(fabs(a.value - c->exact), a.error);
      assert_true(peak <= cases[i].bytes);
      /* It went on after the store was full, and that was worth it: compare with a run that stops at that moment. */
      assert_true(a.regions > most);
      put_int(s, TESSERA_MAXEVAL, points * most); /* half of the evaluations are of regions that are divided later */
      const struct answer stopped = integrate(s);
      assert_int_equal(stopped.status, TESSERA_LIMIT_EVALUATIONS);
      assert_at_most(a.error, 0.9 * stopped.error);
      tessera_destroy(s);
    }
}

static void too_little_memory_is_refused(void **state) {
  static const int methods[] = {TESSERA_CUBATURE, TESSERA_LATTICE, TESSERA_MONTECARLO};
  (void)state;
  for (int m = 0; m < 3; ++m) {
    double value = -1, error = -1;
    tessera_solver *s = solver_of(5, 1);
    put_point(s, suite_f5, NULL);
    put_int(s, TESSERA_MAX_MEMORY, 1000);
    assert_status(s, tessera_integrate(s, methods[m], &value, &error), TESSERA_ERR_MEMORY);
    assert_says(tessera_last_error(s), "TESSERA_MAX_MEMORY: ");
    assert_says(tessera_last_error(s), " bytes are needed, and 1000 are allowed");
    assert_true(value == -1 && error == -1);
    int status = 0; /* of many integrals it is the status of each */
    if (m == 0) {
      assert_status(s, tessera_integrate_many(s, methods[m], 1, NULL, 0, NULL, NULL, &value, &error, &status),
                    TESSERA_SOME_FAILED);
      assert_int_equal(status, TESSERA_ERR_MEMORY);
      assert_says(tessera_last_error(s), "TESSERA_MAX_MEMORY: ");
    }
    tessera_destroy(s);
  }
}

static void enough_memory_is_not_noticed(void **state) {
  (void)state;
  for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
    struct answer a[2];
    for (int i = 0; i < 2; ++i) {
      tessera_solver *s = solver_of(5, 1);
      put_point(s, suite_f5, NULL);
      put_real(s, TESSERA_RELTOL, 1e-4);
      put_int(s, TESSERA_SELECTION, selection);
      put_int(s, TESSERA_MAX_MEMORY, i == 0 ? 0 : 100000000);
      a[i] = integrate(s);
      assert_int_equal(a[i].status, 0);
      tessera_destroy(s);
    }
    assert_same_answer(a[1], a[0]);
  }
}

/* ---- Round-off ---------------------------------------------------------------------------------------------------------------- */
static int step(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp, (void)userdata;
  f[0] = x[0] < 1.0 / 3 ? 1 : 2;
  return 0;
}

static void a_tolerance_beyond_double_precision_ends_the_run(void **state) {
  static const double tolerances[] = {0, 1e-300, 1e-18, 1e-16};
  (void)state;
  for (size_t t = 0; t < sizeof tolerances / sizeof tolerances[0]; ++t)
    for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection)
      for (int estimate = 0; estimate < 2; ++estimate) {
        tessera_solver *s = solver_of(1, 1);
        put_point(s, step, NULL);
        put_real(s, TESSERA_RELTOL, tolerances[t]);
        put_int(s, TESSERA_SELECTION, selection);
        put_int(s, TESSERA_ESTIMATE, estimate);
        put_int(s, TESSERA_MAXEVAL, 1000000);
        const struct answer a = integrate(s);
        print_message(
            "  tolerance %g, selection %d, estimate %d: status %d, %lld evaluations, true %.1e, estimate %.1e\n",
            tolerances[t], selection, estimate, a.status, (long long)a.evaluations, fabs(a.value / (5.0 / 3) - 1),
            a.error / (5.0 / 3));
        assert_true(a.status == TESSERA_ROUNDOFF || a.status == TESSERA_LIMIT_EVALUATIONS);
        assert_close(a.value, 5.0 / 3, 1e-14, 0);
        tessera_destroy(s);
      }
}

static int two_steps(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ncomp, (void)userdata;
  f[0] = x[0] < 1.0 / 3 ? 1 : 2;
  for (int j = 1; j < ndim; ++j) f[0] += x[j] < 1.0 / 7 ? 1 : 2;
  return 0;
}

static void steps_in_several_dimensions_end_too(void **state) {
  (void)state;
  for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
    tessera_solver *s = solver_of(2, 1);
    put_point(s, two_steps, NULL);
    put_real(s, TESSERA_RELTOL, 1e-15);
    put_int(s, TESSERA_SELECTION, selection);
    put_int(s, TESSERA_MAXEVAL, 1000000);
    const struct answer a = integrate(s);
    assert_true(a.status > 0);
    assert_close(a.value, 5.0 / 3 + 13.0 / 7, 1e-4, 0);
    tessera_destroy(s);
  }
}

/* ---- Long sums ----------------------------------------------------------------------------------------------------------------- */
static int constant(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)x, (void)ncomp, (void)userdata;
  f[0] = 0.1;
  return 0;
}

static void sums_do_not_drift(void **state) {
  (void)state;
  for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection)
    for (int ndim = 1; ndim <= 3; ++ndim) {
      tessera_solver *s = solver_of(ndim, 1);
      put_cube(s, ndim, 0, 0.7);
      put_point(s, constant, NULL);
      put_int(s, TESSERA_SELECTION, selection);
      put_int(s, TESSERA_MINEVAL, sanitized ? 2000000 : 12000000);
      const struct answer a = integrate(s);
      assert_int_equal(a.status, 0);
      assert_true(a.evaluations >= (sanitized ? 2000000 : 12000000));
      assert_close(a.value, 0.1 * pow(0.7, ndim), 1e-14, 0);
      assert_at_most(a.error, 1e-12);
      tessera_destroy(s);
    }
}

/* ---- Many variables ---------------------------------------------------------------------------------------------------------------- */
static int wave(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double p = 1;
  (void)ncomp, (void)userdata;
  for (int j = 0; j < ndim; ++j) p *= cos(x[j] / 2);
  f[0] = p;
  return 0;
}

static int quadratic(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double s = 0;
  (void)ncomp, (void)userdata;
  for (int j = 0; j < ndim; ++j) s += x[j] * x[j] + x[j] * x[(j + 1) % ndim];
  f[0] = s;
  return 0;
}

static void many_variables(void **state) {
  static const int dimensions[] = {12, 13, 16, 20, 24, 25};
  (void)state;
  for (size_t d = 0; d < sizeof dimensions / sizeof dimensions[0]; ++d) {
    const int n = dimensions[d];
    tessera_solver *s = solver_of(n, 1);
    put_point(s, quadratic, NULL);
    put_real(s, TESSERA_RELTOL, 1e-10);
    put_int(s, TESSERA_MAXEVAL, 2000000);
    struct answer a = integrate(s);
    assert_status(s, a.status, TESSERA_OK);
    assert_int_equal(got_int(s, TESSERA_RULE_USED), TESSERA_RULE_LOW);
    assert_close(a.value, n * (1.0 / 3 + 0.25), 1e-12, 0);
    assert_rules_and_places(a.evaluations, 3 * got_int(s, TESSERA_RULE_POINTS), most_around_top(n));
    put_point(s, wave, NULL);
    put_real(s, TESSERA_RELTOL, 1e-4);
    put_int(s, TESSERA_MAXEVAL, 20000000);
    a = integrate(s);
    const double exact = pow(2 * sin(0.5), n);
    print_message("  %d-D wave: %lld evaluations, true %.1e, estimate %.1e\n", n, (long long)a.evaluations,
                  fabs(a.value / exact - 1), a.error / exact);
    assert_status(s, a.status, TESSERA_OK);
    assert_close(a.value, exact, 1e-4, 0);
    tessera_destroy(s);
  }
}

static void more_than_25_variables_when_asked_for(void **state) {
  static const int dimensions[] = {26, 30, 33, 40, 64};
  (void)state;
  for (size_t d = 0; d < sizeof dimensions / sizeof dimensions[0]; ++d) {
    const int n = dimensions[d];
    tessera_solver *s = solver_of(n, 1);
    put_int(s, TESSERA_NDIM_LIMIT, 64);
    put_point(s, quadratic, NULL);
    put_real(s, TESSERA_RELTOL, 1e-9);
    put_int(s, TESSERA_MAXEVAL, 2000000);
    const struct answer a = integrate(s);
    assert_status(s, a.status, TESSERA_OK);
    assert_close(a.value, n * (1.0 / 3 + 0.25), 1e-11, 0);
    tessera_destroy(s);
  }
}

/* ---- One variable --------------------------------------------------------------------------------------------------------------------- */
struct ends {
  int touched;
};

static int inverse_root(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  struct ends *e = userdata;
  (void)ndim, (void)ncomp;
  e->touched |= !(x[0] > 0 && x[0] < 1);
  f[0] = 1 / sqrt(x[0]);
  return 0;
}

static int exponential(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp, (void)userdata;
  f[0] = exp(x[0]);
  return 0;
}

static void one_variable(void **state) {
  static const int rules[] = {15, 21, 31, 41, 51, 61};
  (void)state;
  for (size_t r = 0; r < sizeof rules / sizeof rules[0]; ++r)
    for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
      struct ends e = {0};
      tessera_solver *s = solver_of(1, 1);
      put_int(s, TESSERA_RULE, rules[r]);
      put_int(s, TESSERA_SELECTION, selection);
      put_point(s, exponential, NULL);
      put_real(s, TESSERA_RELTOL, 1e-13);
      struct answer a = integrate(s);
      assert_status(s, a.status, TESSERA_OK);
      assert_close(a.value, 1.71828182845904523536, 1e-14, 0);
      put_point(s, inverse_root, &e);
      put_real(s, TESSERA_RELTOL, 1e-6);
      a = integrate(s);
      print_message("  Kronrod %d, selection %d: 1/sqrt(x) %lld evaluations, true %.1e, estimate %.1e\n", rules[r],
                    selection, (long long)a.evaluations, fabs(a.value / 2 - 1), a.error / 2);
      assert_status(s, a.status, TESSERA_OK);
      assert_close(a.value, 2, 1e-6, 0);
      assert_true(a.evaluations < 10000);
      assert_false(e.touched); /* the ends are never evaluated */
      tessera_destroy(s);
    }
}

static int inverse_root_from_above(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  struct ends *e = userdata;
  (void)ndim, (void)ncomp;
  e->touched |= !(x[0] > 0 && x[0] < 1);
  f[0] = 1 / sqrt(1 - x[0]);
  return 0;
}

/* Towards 0 doubles get ever denser, towards 1 they do not: regions become too small to be divided before the tolerance is
 * met. Their points must still lie inside. */
static void the_upper_end_is_never_evaluated(void **state) {
  static const int rules[] = {15, 21, 31, 41, 51, 61};
  int failures = 0;
  (void)state;
  for (size_t r = 0; r < sizeof rules / sizeof rules[0]; ++r)
    for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
      struct ends e = {0};
      tessera_solver *s = solver_of(1, 1);
      put_int(s, TESSERA_RULE, rules[r]);
      put_int(s, TESSERA_SELECTION, selection);
      put_int(s, TESSERA_MAXEVAL, 1000000);
      put_point(s, inverse_root_from_above, &e);
      put_real(s, TESSERA_RELTOL, 1e-10);
      const struct answer a = integrate(s);
      const int bad = e.touched || (a.status != TESSERA_ROUNDOFF && a.status != TESSERA_LIMIT_EVALUATIONS) ||
                      !close_enough(a.value, 2, 1e-6, 0);
      if (bad)
        print_error("  Kronrod %d, selection %d: status %d, value %.17g: %s\n", rules[r], selection, a.status, a.value,
                    a.sentence);
      failures += bad;
      tessera_destroy(s);
    }
  assert_int_equal(failures, 0);
}

/* ---- Nothing there ----------------------------------------------------------------------------------------------------------------- */
static int zero(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)x, (void)ncomp, (void)userdata;
  f[0] = 0;
  return 0;
}

static void zero_is_zero(void **state) {
  (void)state;
  for (int ndim = 1; ndim <= 13; ++ndim)
    for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
      tessera_solver *s = solver_of(ndim, 1);
      put_point(s, zero, NULL);
      put_int(s, TESSERA_SELECTION, selection);
      put_real(s, TESSERA_ABSTOL, 1e-300); /* else the run ends with TESSERA_ALL_ZERO: test_start.c */
      const struct answer a = integrate(s);
      assert_status(s, a.status, TESSERA_OK);
      assert_close(a.value, 0, 0, 0);
      assert_close(a.error, 0, 0, 0);
      assert_true(a.regions >= 256); /* not believed at first sight */
      tessera_destroy(s);
    }
}

/* A domain whose pieces have points that cannot be told apart in double precision: after one division at most the run ends. */
static void a_domain_too_small_to_be_divided(void **state) {
  (void)state;
  for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection)
    for (int threads = 1; threads <= 2; ++threads) {
      tessera_solver *s = solver_of(2, 1);
      const double lower[2] = {1, 0}, upper[2] = {1 + 4e-16, 1};
      put_point(s, suite_f5, NULL);
      put_int(s, TESSERA_SELECTION, selection);
      put_int(s, TESSERA_SPLITTING, TESSERA_SPLIT_4R2);
      put_int(s, TESSERA_THREADS, threads);
      assert_status(s, tessera_set_domain(s, lower, upper), TESSERA_OK);
      const struct answer a = integrate(s);
      assert_int_equal(a.status, TESSERA_ROUNDOFF);
      assert_true(a.regions <= 4);
      assert_true(a.value > 0 && a.value < 1e-15);
      tessera_destroy(s);
    }
}

/* What is said after a limit: how far the run has come, and what to raise. */
static void a_limit_says_what_is_missing(void **state) {
  (void)state;
  for (int method = TESSERA_CUBATURE; method <= TESSERA_MONTECARLO; ++method) {
    double value[2], error[2];
    char text[128];
    tessera_solver *s = solver_of(3, 2);
    put_point(s, all_alike, NULL);
    put_real(s, TESSERA_RELTOL, 1e-12);
    put_int(s, TESSERA_MAXEVAL, 5000);
    assert_status(s, tessera_integrate(s, method, value, error), TESSERA_LIMIT_EVALUATIONS);
    assert_says(tessera_last_error(s), "TESSERA_LIMIT_EVALUATIONS");
    snprintf(text, sizeof text,
             "error of component 1 %.9g > %.9g tolerated after %lld evaluations; raise TESSERA_MAXEVAL", error[0],
             1e-12 * fabs(value[0]), (long long)got_int(s, TESSERA_EVALUATIONS));
    assert_says(tessera_last_error(s), text);
    tessera_destroy(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_limit_says_what_is_missing),
      cmocka_unit_test(a_region_takes_little_memory),
      cmocka_unit_test(with_little_memory_the_largest_errors_are_refined),
      cmocka_unit_test(too_little_memory_is_refused),
      cmocka_unit_test(enough_memory_is_not_noticed),
      cmocka_unit_test(a_tolerance_beyond_double_precision_ends_the_run),
      cmocka_unit_test(steps_in_several_dimensions_end_too),
      cmocka_unit_test(sums_do_not_drift),
      cmocka_unit_test(many_variables),
      cmocka_unit_test(more_than_25_variables_when_asked_for),
      cmocka_unit_test(one_variable),
      cmocka_unit_test(the_upper_end_is_never_evaluated),
      cmocka_unit_test(zero_is_zero),
      cmocka_unit_test(a_domain_too_small_to_be_divided),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
