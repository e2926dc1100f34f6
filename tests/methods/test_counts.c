/* Evaluation counts: those of the formulas, those of the integrand's own count, those of DCUHRE; limits that hold.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "cases.h"
#include "solve.h"

struct counter {
  point_integrand fn;
  int64_t calls, points;
};

static int counted(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  struct counter *c = userdata;
  ++c->calls, ++c->points;
  return c->fn(ndim, x, ncomp, f, NULL);
}

static int counted_batch(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf,
                         void *userdata) {
  struct counter *c = userdata;
  double at[64];
  (void)ldf;
  ++c->calls, c->points += n;
  for (int64_t i = 0; i < n; ++i) {
    for (int j = 0; j < ndim; ++j) at[j] = x[j * ldx + i];
    const int status = c->fn(ndim, at, ncomp, f + i, NULL);
    if (status != 0) return status;
  }
  return 0;
}

static int smooth(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ncomp, (void)userdata;
  double s = 0;
  for (int j = 0; j < ndim; ++j) s += x[j];
  f[0] = exp(-s);
  return 0;
}

/* Not integrated exactly to rounding in two regions, which would be divided on before success is claimed. */
static int steep(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  smooth(ndim, x, ncomp, f, userdata);
  f[0] = pow(f[0], 2.2);
  return 0;
}

/* ---- Points of a rule ----------------------------------------------------------------------------------------------------- */
static int64_t points_of(int rule, int n) {
  const int64_t vertices = (int64_t)1 << n, d = n;
  switch (rule) {
    case TESSERA_RULE_GM7:
      return vertices + 2 * d * d + 2 * d + 1;
    case TESSERA_RULE_DEGREE7:
      return 1 + 6 * d + 2 * d * (d - 1) + vertices;
    case TESSERA_RULE_DEGREE9:
      return 1 + 8 * d + 6 * d * (d - 1) + 4 * d * (d - 1) * (d - 2) / 3 + vertices;
    case TESSERA_RULE_DEGREE11:
      return 127;
    case TESSERA_RULE_DEGREE13:
      return 65;
    default:
      return rule; /* Kronrod */
  }
}

/* What the robust estimate adds: a point near each face, and 2 probes with several variables. */
static int64_t added_points(int n) { return 2 * (int64_t)n + (n < 2 ? 0 : 2); }

/* One application of the rule, which is always made. */
static struct answer apply_once(int ndim, int rule, int estimate, struct counter *c, int *used, int64_t *points) {
  tessera_solver *s = solver_of(ndim, 1);
  put_int(s, TESSERA_ESTIMATE, estimate);
  put_int(s, TESSERA_RULE, rule);
  put_int(s, TESSERA_MAXEVAL, 1);
  put_point(s, counted, c);
  const struct answer a = integrate(s);
  *used = (int)got_int(s, TESSERA_RULE_USED);
  *points = got_int(s, TESSERA_RULE_POINTS);
  tessera_destroy(s);
  return a;
}

/* published: the points of the rule alone, with which the classic estimate does. */
static void check_rule(int ndim, int asked, int expected, int64_t published) {
  double value[2];
  for (int estimate = TESSERA_ESTIMATE_ROBUST; estimate <= TESSERA_ESTIMATE_CLASSIC; ++estimate) {
    const int64_t all = published + (estimate == TESSERA_ESTIMATE_ROBUST ? added_points(ndim) : 0);
    struct counter c = {smooth, 0, 0};
    int used;
    int64_t points;
    const struct answer a = apply_once(ndim, asked, estimate, &c, &used, &points);
    assert_int_equal(a.status, TESSERA_LIMIT_EVALUATIONS);
    assert_int_equal(used, expected);
    assert_int_equal(points, all);
    assert_int_equal(a.evaluations, all);
    assert_int_equal(c.calls, all);
    assert_int_equal(a.regions, 1);
    assert_int_equal(a.iterations, 0);
    assert_true(isfinite(a.value) && isfinite(a.error));
    value[estimate] = a.value;
  }
  assert_close(value[0], value[1], 1e-12, 0); /* what was added has no weight */
}

static void the_points_of_every_rule_are_those_of_the_formula(void **state) {
  static const int kronrod[] = {15, 21, 31, 41, 51, 61};
  (void)state;
  for (size_t i = 0; i < sizeof kronrod / sizeof kronrod[0]; ++i) check_rule(1, kronrod[i], kronrod[i], kronrod[i]);
  check_rule(2, TESSERA_RULE_DEGREE13, TESSERA_RULE_DEGREE13, 65);
  check_rule(3, TESSERA_RULE_DEGREE11, TESSERA_RULE_DEGREE11, 127);
  for (int n = 2; n <= (sanitized ? 12 : 20); ++n) {
    check_rule(n, TESSERA_RULE_GM7, TESSERA_RULE_GM7, points_of(TESSERA_RULE_GM7, n));
    check_rule(n, TESSERA_RULE_DEGREE7, TESSERA_RULE_DEGREE7, points_of(TESSERA_RULE_DEGREE7, n));
    check_rule(n, TESSERA_RULE_DEGREE9, TESSERA_RULE_DEGREE9, points_of(TESSERA_RULE_DEGREE9, n));
  }
}

/* The same, against numbers counted in runs of DCUHRE (KEY 3 and KEY 4) for n = 2 .. 15. */
static void the_formulas_are_those_of_dcuhre(void **state) {
  static const int64_t key3[] = {33, 77, 153, 273, 453, 717, 1105, 1689, 2605, 4117, 6745, 11521, 20501, 37789};
  static const int64_t key4[] = {21, 39, 65, 103, 161, 255, 417, 711, 1265, 2335, 4433, 8583, 16833, 33279};
  (void)state;
  for (int n = 2; n <= 15; ++n) {
    assert_int_equal(points_of(TESSERA_RULE_DEGREE9, n), key3[n - 2]);
    assert_int_equal(points_of(TESSERA_RULE_DEGREE7, n), key4[n - 2]);
  }
}

static void the_default_rule_goes_by_dimension(void **state) {
  (void)state;
  check_rule(1, TESSERA_RULE_AUTO, TESSERA_RULE_KRONROD21, 21);
  check_rule(2, TESSERA_RULE_AUTO, TESSERA_RULE_DEGREE13, 65);
  check_rule(3, TESSERA_RULE_AUTO, TESSERA_RULE_DEGREE11, 127);
  for (int n = 4; n <= 11; ++n)
    check_rule(n, TESSERA_RULE_AUTO, TESSERA_RULE_DEGREE9, points_of(TESSERA_RULE_DEGREE9, n));
}

/* The vertices of the low-point rule are the words of a code: 2^10 in 12 dimensions, 2^11 to 16, 2^12 to 24, 2^13 in 25. */
static void the_low_point_rule_has_few_points(void **state) {
  (void)state;
  for (int n = 12; n <= 25; ++n) {
    const int bits = n == 12 ? 10 : n <= 16 ? 11 : n <= 24 ? 12 : 13;
    check_rule(n, TESSERA_RULE_AUTO, TESSERA_RULE_LOW, 1 + 6 * n + 2 * n * (n - 1) + (1 << bits));
  }
}

/* ---- Counts of a run ---------------------------------------------------------------------------------------------------- */
static int pieces_of(int splitting, int ndim) {
  static const int pieces[] = {2, 4, 4, 4, 8, 16};
  const int most = 1 << (ndim < 10 ? ndim : 10);
  return splitting >= TESSERA_SPLIT_4R2 && pieces[splitting] > most ? most : pieces[splitting];
}

static void the_count_of_a_run_is_the_integrands_own(void **state) {
  (void)state;
  for (int ndim = 1; ndim <= 6; ++ndim)
    for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection)
      for (int splitting = TESSERA_SPLIT_2R; splitting <= TESSERA_SPLIT_16R4; ++splitting)
        for (int form = 0; form < 4; ++form) { /* points and batches, with the rule asked for and not */
          static const int rules[] = {0, TESSERA_RULE_KRONROD21, TESSERA_RULE_DEGREE13, TESSERA_RULE_DEGREE11};
          struct counter c = {suite_f5, 0, 0};
          tessera_solver *s = solver_of(ndim, 1);
          if (form < 2) put_int(s, TESSERA_RULE, ndim < 4 ? rules[ndim] : TESSERA_RULE_DEGREE9);
          put_real(s, TESSERA_RELTOL, 1e-4);
          put_int(s, TESSERA_MAXEVAL, 50000);
          put_int(s, TESSERA_SPARSE, TESSERA_SPARSE_OFF); /* evaluations are those of regions */
          put_int(s, TESSERA_BREAK_POINTS, 0);
          put_int(s, TESSERA_LEAST_REGIONS, 1); /* which would be divided in another way */
          put_int(s, TESSERA_SELECTION, selection);
          put_int(s, TESSERA_SPLITTING, splitting);
          if (form % 2 == 0) put_point(s, counted, &c);
          if (form % 2 == 1) put_batch(s, counted_batch, &c);
          const struct answer a = integrate(s);
          const int64_t points = got_int(s, TESSERA_RULE_POINTS), pieces = pieces_of(splitting, ndim);
          assert_int_equal(c.points, a.evaluations);
          /* Every division evaluates all its pieces and adds all but one to the regions. */
          assert_int_equal((a.regions - 1) % (pieces - 1), 0);
          const int64_t divisions = (a.regions - 1) / (pieces - 1);
          if (form < 2 || ndim < 3 || selection == TESSERA_SELECT_WORST_FIRST) /* else some get a higher degree */
            assert_int_equal(a.evaluations, points * (1 + pieces * divisions));
          else
            assert_true(a.evaluations >= points * (1 + pieces * divisions));
          if (selection == TESSERA_SELECT_WORST_FIRST) assert_int_equal(a.iterations, divisions);
          if (selection == TESSERA_SELECT_BULK && form < 2) assert_true(a.iterations <= divisions);
          if (a.status == 0) assert_true(divisions >= 1); /* one application cannot judge itself */
          tessera_destroy(s);
        }
}

static void the_limit_of_evaluations_is_kept(void **state) {
  (void)state;
  for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection)
    for (int splitting = TESSERA_SPLIT_2R; splitting <= TESSERA_SPLIT_16R4; ++splitting)
      for (int64_t maxeval = 1; maxeval < (sanitized ? 300000 : 2000000); maxeval = maxeval * 7 / 3 + 1)
        for (int64_t initial = 1; initial <= 4096; initial *= 64) {
          tessera_solver *s = solver_of(3, 1);
          put_point(s, suite_f5, NULL);
          put_real(s, TESSERA_RELTOL, 0);
          put_int(s, TESSERA_SELECTION, selection);
          put_int(s, TESSERA_SPLITTING, splitting);
          put_int(s, TESSERA_INITIAL_REGIONS, initial);
          put_int(s, TESSERA_MAXEVAL, maxeval);
          const struct answer a = integrate(s);
          const int64_t points = 127 + added_points(3), step = points * pieces_of(splitting, 3);
          assert_status(s, a.status, TESSERA_LIMIT_EVALUATIONS);
          assert_true(a.evaluations <= maxeval || a.evaluations == points);
          /* and it is used up as far as whole divisions go */
          assert_true(a.evaluations + step > maxeval);
          tessera_destroy(s);
        }
}

static void the_least_number_of_evaluations_is_made(void **state) {
  (void)state;
  for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection)
    for (int64_t mineval = 1; mineval < 1000000; mineval *= 10) {
      tessera_solver *s = solver_of(3, 1);
      put_point(s, smooth, NULL);
      put_real(s, TESSERA_RELTOL, 1e-3);
      put_int(s, TESSERA_SPARSE, TESSERA_SPARSE_OFF);
      put_int(s, TESSERA_SELECTION, selection);
      put_int(s, TESSERA_LEAST_REGIONS, 1);
      put_int(s, TESSERA_MINEVAL, mineval);
      const struct answer a = integrate(s);
      const int64_t points = 127 + added_points(3);
      assert_status(s, a.status, TESSERA_OK);
      assert_true(a.evaluations >= mineval);
      /* not much more: bulk steps at most double the regions here */
      assert_true(a.evaluations <= (selection == TESSERA_SELECT_BULK ? 4 * mineval : mineval + 2 * points) ||
                  a.evaluations == 3 * points);
      assert_close(a.value, pow(1 - exp(-1), 3), 1e-12, 0);
      tessera_destroy(s);
    }
}

/* The domain, then all regions of each level divided until there are enough: a power of two. Every level has at least twice the
 * regions of the one before, so that the binary digits of their sum say which levels there were, whatever they are divided into. */
static void the_domain_is_divided_into_the_initial_regions(void **state) {
  (void)state;
  for (int ndim = 1; ndim <= 5; ++ndim)
    for (int estimate = TESSERA_ESTIMATE_ROBUST; estimate <= TESSERA_ESTIMATE_CLASSIC; ++estimate)
      for (int64_t initial = 2; initial <= 5000; initial = 3 * initial - 1) {
        struct answer answers[3];
        int64_t cells = 1;
        while (cells < initial) cells *= 2;
        for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
          tessera_solver *s = solver_of(ndim, 1);
          struct counter c = {steep, 0, 0};
          put_point(s, counted, &c);
          put_real(s, TESSERA_RELTOL, 1e-3);
          put_int(s, TESSERA_ESTIMATE, estimate);
          put_int(s, TESSERA_SELECTION, selection);
          put_int(s, TESSERA_INITIAL_REGIONS, initial);
          put_int(s, TESSERA_LEAST_REGIONS, 1);
          const struct answer a = integrate(s);
          const int64_t points = got_int(s, TESSERA_RULE_POINTS), applied = a.evaluations / points;
          assert_status(s, a.status, TESSERA_OK);
          assert_int_equal(a.regions, cells);
          assert_int_equal(c.points, a.evaluations);
          assert_int_equal(a.evaluations % points, 0);
          assert_true(applied >= cells &&
                      applied < 2 * cells); /* the last level is the final one, the others cost less than it */
          assert_int_equal(applied % 2, 1); /* the first is the domain */
          int levels = 0;
          for (int64_t digits = applied; digits > 0; digits /= 2) levels += (int)(digits % 2);
          assert_int_equal(a.iterations, levels - 1);
          assert_close(a.value, pow((1 - exp(-2.2)) / 2.2, ndim), 1e-12, a.error);
          answers[selection] = a;
          tessera_destroy(s);
        }
        const struct answer *first = &answers[TESSERA_SELECT_WORST_FIRST], *bulk = &answers[TESSERA_SELECT_BULK];
        assert_int_equal(first->evaluations, bulk->evaluations);
        assert_int_equal(first->iterations, bulk->iterations);
        assert_close(first->value, bulk->value, 1e-14, 0);
        assert_close(first->error, bulk->error, 1e-6, 1e-15);
      }
}

/* ---- DCUHRE ---------------------------------------------------------------------------------------------------------------
 * Evaluations of Algorithm 698 (double precision, GNU Fortran 12.2, x86-64) on the same integrands; counts as reported
 * and as counted agreed. The classic estimate divides the same regions in the same order. */
static void the_classic_estimate_needs_the_evaluations_of_dcuhre(void **state) {
  static const struct {
    const char *name;
    double tolerance;
    int64_t evaluations;
  } runs[] = {
      {"f3_3d", 1e-3, 1651},   {"f3_3d", 1e-4, 3683},    {"f3_3d", 1e-5, 6223},    {"f3_3d", 1e-6, 7493},
      {"f3_3d", 1e-7, 9271},   {"f3_3d", 1e-8, 13081},   {"f4_5d", 1e-3, 1307943}, {"f4_5d", 1e-4, 3560193},
      {"f5_5d", 1e-3, 344799}, {"f5_5d", 1e-4, 1022931}, {"f7_8d", 1e-3, 177905},  {"f7_8d", 1e-4, 681785},
      {"f8_8d", 1e-3, 3315},   {"f8_8d", 1e-4, 135915},  {"f8_8d", 1e-5, 626535},
  };
  int failures = 0;
  (void)state;
  for (size_t i = 0; i < sizeof runs / sizeof runs[0]; ++i) {
    const struct suite_case *c = suite_find(runs[i].name);
    tessera_solver *s = solver_of(c->ndim, 1);
    put_point(s, c->fn, NULL);
    put_real(s, TESSERA_RELTOL, runs[i].tolerance);
    put_int(s, TESSERA_ESTIMATE, TESSERA_ESTIMATE_CLASSIC);
    const struct answer a = integrate(s);
    assert_status(s, a.status, TESSERA_OK);
    print_message("  %s %g: %lld, DCUHRE %lld%s\n", c->name, runs[i].tolerance, (long long)a.evaluations,
                  (long long)runs[i].evaluations, a.evaluations == runs[i].evaluations ? "" : "  DIFFERENT");
    failures += a.evaluations != runs[i].evaluations;
    tessera_destroy(s);
  }
  assert_int_equal(failures, 0);
}

/* ---- Splitting policies ----------------------------------------------------------------------------------------------------- */
static void every_splitting_policy_converges(void **state) {
  static const struct {
    const char *what;
    int ndim, family;
    double tolerance;
  } cases[] = {{"smooth", 5, GENZ_OSCILLATORY, 1e-7},
               {"peaked", 3, GENZ_GAUSSIAN, 1e-6},
               {"peaked", 4, GENZ_PRODUCT_PEAK, 1e-4}};
  int failures = 0;
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    struct genz g;
    genz_make(cases[i].family, cases[i].ndim, 2, &g);
    for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection)
      for (int splitting = TESSERA_SPLIT_2R; splitting <= TESSERA_SPLIT_16R4; ++splitting) {
        tessera_solver *s = solver_of(cases[i].ndim, 1);
        put_point(s, genz_point, &g);
        put_real(s, TESSERA_RELTOL, cases[i].tolerance);
        put_int(s, TESSERA_SELECTION, selection);
        put_int(s, TESSERA_SPLITTING, splitting);
        put_int(s, TESSERA_MAXEVAL, 10000000);
        const struct answer a = integrate(s);
        const int bad = a.status != TESSERA_OK || !close_enough(a.value, g.exact, cases[i].tolerance, 0) ||
                        !(a.error <= cases[i].tolerance * fabs(a.value));
        print_message("  %s %d-D selection %d splitting %d: %lld evaluations, true %.1e, estimate %.1e%s\n",
                      cases[i].what, cases[i].ndim, selection, splitting, (long long)a.evaluations,
                      fabs(a.value / g.exact - 1), a.error / fabs(g.exact), bad ? "  NOT CONVERGED" : "");
        failures += bad;
        tessera_destroy(s);
      }
  }
  assert_int_equal(failures, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_points_of_every_rule_are_those_of_the_formula),
      cmocka_unit_test(the_formulas_are_those_of_dcuhre),
      cmocka_unit_test(the_default_rule_goes_by_dimension),
      cmocka_unit_test(the_low_point_rule_has_few_points),
      cmocka_unit_test(the_count_of_a_run_is_the_integrands_own),
      cmocka_unit_test(the_limit_of_evaluations_is_kept),
      cmocka_unit_test(the_least_number_of_evaluations_is_made),
      cmocka_unit_test(the_domain_is_divided_into_the_initial_regions),
      cmocka_unit_test(the_classic_estimate_needs_the_evaluations_of_dcuhre),
      cmocka_unit_test(every_splitting_policy_converges),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
