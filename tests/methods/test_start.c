/* How runs begin and what they must not believe: small peaks from any number of initial regions, nothing but zeros, zeros at all
 * symmetric points, ridges that start out between the points.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "solve.h"

/* ---- A peak at the centre --------------------------------------------------------------------------------------------------- */
static int peak(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double s = 0;
  (void)ncomp, (void)userdata;
  for (int j = 0; j < ndim; ++j) s += (x[j] - 0.5) * (x[j] - 0.5);
  f[0] = exp(-625 * s);
  return 0;
}

/* The cuts of the first levels go through it: it must not get lost among the corners. */
static void a_peak_at_the_centre_is_found_from_any_start(void **state) {
  static const int64_t starts[] = {2, 16, 256, 1024};
  const double exact = pow(sqrt(acos(-1)) / 25, 8); /* the tails beyond 12.5/25 are below 1e-67 of it */
  (void)state;
  for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i += sanitized ? 3 : 1)
    for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
      tessera_solver *s = solver_of(8, 1);
      put_point(s, peak, NULL);
      put_real(s, TESSERA_RELTOL, 0.3);
      put_int(s, TESSERA_SELECTION, selection);
      put_int(s, TESSERA_INITIAL_REGIONS, starts[i]);
      put_int(s, TESSERA_MAXEVAL, 60000000);
      const struct answer a = integrate(s);
      print_message("  from %lld, selection %d: status %d, %lld evaluations, true %.1e, estimate %.1e\n",
                    (long long)starts[i], selection, a.status, (long long)a.evaluations, fabs(a.value / exact - 1),
                    a.error / exact);
      assert_status(s, a.status, TESSERA_OK);
      assert_close(a.value, exact, 0.3, 0);
      assert_at_most(fabs(a.value - exact), a.error);
      tessera_destroy(s);
    }
}

/* ---- A peak beside a bent plane ----------------------------------------------------------------------------------------------- */
static const double slope[3] = {1, 0.7, 0.4}, bend = 0.61;

static int peak_on_a_plane(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const double at = *(const double *)userdata;
  double r = 0, s = -bend;
  (void)ncomp;
  for (int j = 0; j < ndim; ++j) r += (x[j] - at) * (x[j] - at), s += slope[j] * x[j];
  f[0] = fabs(s) + 50 * exp(-2000 * r);
  return 0;
}

/* Where the integrand is linear its differences along the axes are rounding alone. An axis must not be chosen by that, again and again, for the
 * regions that the peak's foot reaches into: such runs had up to a hundred times the evaluations of the others. */
static void a_peak_beside_a_plane_costs_the_same_from_any_start(void **state) {
  static const double places[] = {0.5, 0.4877, 0.503, 0.6};
  static const int64_t starts[] = {1, 64, 1024};
  double below = 0;
  (void)state;
  for (int t = 0; t < 8; ++t) {
    double rest = bend, sign = 1;
    for (int j = 0; j < 3; ++j)
      if ((t >> j & 1) != 0) rest -= slope[j], sign = -sign;
    if (rest > 0) below += sign * pow(rest, 4) / (24 * slope[0] * slope[1] * slope[2]);
  }
  const double exact = (slope[0] + slope[1] + slope[2]) / 2 - bend + 2 * below + 50 * pow(acos(-1) / 2000, 1.5);
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i += sanitized ? 3 : 1)
    for (size_t k = 0; k < sizeof starts / sizeof starts[0]; ++k) {
      double at = places[i];
      tessera_solver *s = solver_of(3, 1);
      put_point(s, peak_on_a_plane, &at);
      put_real(s, TESSERA_RELTOL, 1e-5);
      put_int(s, TESSERA_SELECTION, TESSERA_SELECT_BULK);
      put_int(s, TESSERA_INITIAL_REGIONS, starts[k]);
      const struct answer a = integrate(s);
      print_message("  at %g from %lld: status %d, %lld evaluations, true %.1e, estimate %.1e\n", at,
                    (long long)starts[k], a.status, (long long)a.evaluations, fabs(a.value / exact - 1),
                    a.error / exact);
      assert_status(s, a.status, TESSERA_OK);
      assert_close(a.value, exact, 1e-5, 0);
      assert_at_most((double)a.evaluations, 4e6);
      tessera_destroy(s);
    }
}

/* ---- Nothing but zeros --------------------------------------------------------------------------------------------------------- */
static int zero(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)x, (void)userdata;
  for (int k = 0; k < ncomp; ++k) f[k] = 0;
  return 0;
}

static void zeros_alone_are_no_success_without_an_absolute_tolerance(void **state) {
  static const double tolerances[] = {0, 1e-300};
  (void)state;
  for (int ndim = 1; ndim <= 12; ndim += sanitized ? 4 : 1)
    for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection)
      for (int64_t initial = 1; initial <= 1024; initial *= 1024)
        for (int t = 0; t < 2; ++t) {
          tessera_solver *s = solver_of(ndim, 2);
          double value[2] = {1, 1}, error[2] = {1, 1};
          put_point(s, zero, NULL);
          put_real(s, TESSERA_ABSTOL, tolerances[t]);
          put_int(s, TESSERA_SELECTION, selection);
          put_int(s, TESSERA_INITIAL_REGIONS, initial);
          assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error),
                        t == 0 ? TESSERA_ALL_ZERO : TESSERA_OK);
          if (t == 0) assert_says(tessera_last_error(s), "TESSERA_ALL_ZERO");
          for (int k = 0; k < 2; ++k) {
            assert_close(value[k], 0, 0, 0);
            assert_close(error[k], 0, 0, 0);
          }
          assert_true(got_int(s, TESSERA_REGIONS) >= 256);
          tessera_destroy(s);
        }
}

/* Zero in one component is a value like any other when the other component is not. */
static int zero_and_one(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  zero(ndim, x, ncomp, f, userdata);
  f[0] = 1;
  return 0;
}

static void a_component_may_be_zero(void **state) {
  (void)state;
  for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
    tessera_solver *s = solver_of(3, 2);
    double value[2], error[2];
    put_point(s, zero_and_one, NULL);
    put_int(s, TESSERA_SELECTION, selection);
    assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_OK);
    assert_close(value[0], 1, 1e-14, 0);
    assert_close(value[1], 0, 0, 0);
    tessera_destroy(s);
  }
}

/* ---- Zero at all symmetric points ------------------------------------------------------------------------------------------------ */
static int differences(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double p = 1;
  (void)ncomp, (void)userdata;
  for (int i = 0; i < ndim; ++i)
    for (int j = 0; j < i; ++j) p *= (x[i] - x[j]) * (x[i] - x[j]);
  f[0] = p;
  return 0;
}

/* Selberg's integral with alpha = beta = gamma = 1. */
static double exact_differences(int n) {
  double p = 1;
  for (int j = 0; j < n; ++j) p *= tgamma(1 + j) * tgamma(1 + j) * tgamma(2 + j) / tgamma(n + 1 + j);
  return p;
}

/* With three variables at most off the centre, or all alike, two are equal wherever there are four and more. */
static void zeros_at_symmetric_points_are_not_believed(void **state) {
  static const int rules[] = {TESSERA_RULE_GM7, TESSERA_RULE_DEGREE7, TESSERA_RULE_DEGREE9};
  (void)state;
  for (int ndim = 4; ndim <= 5; ++ndim)
    for (int r = 0; r < 3; ++r)
      for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
        const double exact = exact_differences(ndim);
        tessera_solver *s = solver_of(ndim, 1);
        put_point(s, differences, NULL);
        put_int(s, TESSERA_RULE, rules[r]);
        put_int(s, TESSERA_SELECTION, selection);
        put_real(s, TESSERA_RELTOL, 0.1);
        put_int(s, TESSERA_MAXEVAL, sanitized ? 300000 : 2000000);
        const struct answer a = integrate(s);
        print_message("  %d-D rule %d selection %d: status %d, %lld evaluations, true %.1e, estimate %.1e\n", ndim,
                      rules[r], selection, a.status, (long long)a.evaluations, fabs(a.value / exact - 1),
                      a.error / exact);
        assert_true(a.status == TESSERA_OK || a.status == TESSERA_LIMIT_EVALUATIONS);
        assert_true(a.value > 0);
        assert_at_most(fabs(a.value - exact), a.error);
        if (a.status == TESSERA_OK) assert_close(a.value, exact, 0.1, 0);
        tessera_destroy(s);
      }
}

/* ---- Ridges -------------------------------------------------------------------------------------------------------------------------- */
struct ridge {
  double at[3], along[3]; /* a point of it, its direction */
};
static const double narrow = 0.02, wide = 0.5; /* standard deviations */

static int ridge(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const struct ridge *r = userdata;
  double t = 0, all = 0;
  (void)ncomp;
  for (int j = 0; j < ndim; ++j) {
    const double d = x[j] - r->at[j];
    t += d * r->along[j];
    all += d * d;
  }
  f[0] = exp(-0.5 * ((all - t * t) / (narrow * narrow) + t * t / (wide * wide)));
  return 0;
}

/* Over the first variable in closed form, over the others by Gauss in panels narrower than the ridge. */
static double exact_ridge(const struct ridge *r) {
  enum { panels = 120 };
  static const double node[] = {0.33998104358485626, 0.86113631159405258},
                      weight[] = {0.65214515486254614, 0.34785484513745386};
  const double p = 1 / (narrow * narrow), q = 1 / (wide * wide) - p; /* exponent: -(p |d|^2 + q t^2)/2 */
  const double a = p + q * r->along[0] * r->along[0];
  double sum = 0;
  for (int i = 0; i < 4 * panels; ++i)
    for (int j = 0; j < 4 * panels; ++j) {
      const int m = i % 4, n = j % 4;
      const double y = (i / 4 + 0.5 + 0.5 * (m % 2 ? node[m / 2] : -node[m / 2])) / panels - r->at[1];
      const double z = (j / 4 + 0.5 + 0.5 * (n % 2 ? node[n / 2] : -node[n / 2])) / panels - r->at[2];
      const double t = y * r->along[1] + z * r->along[2];
      const double b = q * r->along[0] * t, c = p * (y * y + z * z) + q * t * t; /* a d^2 + 2 b d + c */
      const double low = -r->at[0] + b / a, root = sqrt(0.5 * a);
      sum += weight[m / 2] * weight[n / 2] * exp(-0.5 * (c - b * b / a)) * (erf(root * (low + 1)) - erf(root * low)) /
             root;
    }
  return sum * 0.5 * sqrt(acos(-1)) * 0.25 / (panels * (double)panels);
}

static void a_ridge_at_an_angle_is_right_or_no_success(void **state) {
  static const struct ridge ridges[] = {
      {{0.5, 0.5, 0.5}, {0.36, 0.48, 0.8}},     {{0.31, 0.62, 0.47}, {0.48, -0.6, 0.64}},
      {{0.7, 0.2, 0.4}, {-0.28, 0.96, 0}},      {{0.13, 0.57, 0.81}, {2.0 / 3, 2.0 / 3, 1.0 / 3}},
      {{0.55, 0.35, 0.9}, {0.6, -0.64, -0.48}}, {{0.26, 0.74, 0.5}, {2.0 / 7, -3.0 / 7, 6.0 / 7}}};
  enum { count = sizeof ridges / sizeof ridges[0] };
  int runs = 0, met = 0, wrong = 0;
  (void)state;
  for (int i = 0; i < count; ++i) {
    struct ridge r = ridges[i];
    const double exact = exact_ridge(&r);
    for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection)
      for (double tolerance = 1e-1; tolerance > 5e-5; tolerance /= 10) {
        tessera_solver *s = solver_of(3, 1);
        put_point(s, ridge, &r);
        put_real(s, TESSERA_RELTOL, tolerance);
        put_int(s, TESSERA_SELECTION, selection);
        put_int(s, TESSERA_MAXEVAL, 1000000);
        const struct answer a = integrate(s);
        const int bad = a.status == TESSERA_OK && !close_enough(a.value, exact, tolerance, 0);
        print_message("  ridge %d selection %d tolerance %g: status %d, %lld evaluations, true %.1e, estimate %.1e%s\n",
                      i, selection, tolerance, a.status, (long long)a.evaluations, fabs(a.value / exact - 1),
                      a.error / exact, bad ? "  WRONG" : "");
        assert_true(a.status == TESSERA_OK || a.status == TESSERA_LIMIT_EVALUATIONS);
        ++runs, met += a.status == TESSERA_OK, wrong += bad;
        tessera_destroy(s);
      }
  }
  assert_int_equal(wrong, 0);
  assert_true(met > runs / 2); /* else this says nothing */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_peak_at_the_centre_is_found_from_any_start),
      cmocka_unit_test(a_peak_beside_a_plane_costs_the_same_from_any_start),
      cmocka_unit_test(zeros_alone_are_no_success_without_an_absolute_tolerance),
      cmocka_unit_test(a_component_may_be_zero),
      cmocka_unit_test(zeros_at_symmetric_points_are_not_believed),
      cmocka_unit_test(a_ridge_at_an_angle_is_right_or_no_success),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
