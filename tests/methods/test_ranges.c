/* Infinite, half-infinite, reversed and scaled ranges against known values.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "solve.h"

#define PI 3.14159265358979323846

static double squares(int n, const double *x) {
  double s = 0;
  for (int j = 0; j < n; ++j) s += x[j] * x[j];
  return s;
}

/* ---- Integrands ----------------------------------------------------------------------------------------------------------- */
#define INTEGRAND(name, expression)                                                  \
  static int name(int ndim, const double *x, int ncomp, double *f, void *userdata) { \
    (void)ndim, (void)ncomp, (void)userdata;                                         \
    f[0] = (expression);                                                             \
    return 0;                                                                        \
  }

INTEGRAND(gauss, exp(-squares(ndim, x)))
INTEGRAND(exponential, exp(-fabs(x[0])))
INTEGRAND(cauchy, 1 / (1 + x[0] * x[0]))
INTEGRAND(keister, cos(sqrt(squares(ndim, x))) * exp(-squares(ndim, x)))
INTEGRAND(mixed, exp(-x[0] * x[0] - x[1]) * (1 + x[2])) /* R x [0,inf) x [0,1] */
INTEGRAND(gamma_like, x[0] * x[0] * exp(-x[0] / 8))
INTEGRAND(fermi, sqrt(x[0]) / (exp(x[0] - 2) + 1))
INTEGRAND(planck, x[0] * x[0] * x[0] / expm1(x[0]))
INTEGRAND(power_tail, pow(x[0], 0.9) / ((1 + 10 * x[0]) * (1 + 10 * x[0])))
INTEGRAND(log_one_over, pow(x[0], 2.6) * log(1 / x[0]))
INTEGRAND(lorentz, 1 / ((x[0] - PI / 4) * (x[0] - PI / 4) + 1))
INTEGRAND(bessel, cos(16 * sin(x[0])))
INTEGRAND(bessel_fast, cos(256 * sin(x[0])))
INTEGRAND(root_log, sqrt(x[0]) * log(x[0]))
INTEGRAND(logarithm, log(x[0]))
INTEGRAND(kink_power, pow(fabs(x[0] - PI / 4), 2.1))
INTEGRAND(decaying_wave, exp(20 * (x[0] - 1)) * sin(512 * x[0]))
INTEGRAND(rational, 1 / (x[0] * x[0] * x[0] * x[0] + x[0] * x[0] + 0.9))
INTEGRAND(kink_499, exp(fabs(x[0] - 0.499)))
INTEGRAND(sine_squared, sin(x[0]) * sin(x[0]))
INTEGRAND(polynomial, 1 + x[0] + 2 * x[ndim - 1])

/* ---- Known values ----------------------------------------------------------------------------------------------------------
 * Closed forms; the 1-D ones are parameter studies of the QUADPACK book (Piessens, de Doncker-Kapenga, Ueberhuber,
 * Kahaner 1983, ch. 4), of Kahaner's list (1971) and of the bug reports of other libraries. Keister: Computers in Physics
 * 10 (1996) 119-122, pi^(d/2) 1F1(d/2; 1/2; -1/4). */
static const struct range {
  const char *name;
  int ndim;
  double lower[4], upper[4];
  tessera_integrand1 fn;
  double exact, tolerance;
} ranges[] = {
#define INF INFINITY
    {"Gauss, R", 1, {-INF}, {INF}, gauss, 1.77245385090551602730, 1e-10},
    {"Gauss, R^2", 2, {-INF, -INF}, {INF, INF}, gauss, PI, 1e-8},
    {"Gauss, R^3", 3, {-INF, -INF, -INF}, {INF, INF, INF}, gauss, 5.56832799683170784528, 1e-6},
    {"Gauss, R^4", 4, {-INF, -INF, -INF, -INF}, {INF, INF, INF, INF}, gauss, PI *PI, 1e-3},
    {"Gauss, [0,inf)", 1, {0}, {INF}, gauss, 0.88622692545275801365, 1e-10},
    {"Gauss, (-inf,0]", 1, {-INF}, {0}, gauss, 0.88622692545275801365, 1e-10},
    {"Gauss, (-inf,0]^2", 2, {-INF, -INF}, {0, 0}, gauss, PI / 4, 1e-8},
    {"exp, [0,inf)", 1, {0}, {INF}, exponential, 1, 1e-10},
    {"exp, (-inf,0]", 1, {-INF}, {0}, exponential, 1, 1e-10},
    {"exp, [3,inf)", 1, {3}, {INF}, exponential, 0.049787068367863942979, 1e-10},
    {"exp, (-inf,-3]", 1, {-INF}, {-3}, exponential, 0.049787068367863942979, 1e-10},
    {"exp, [-10,inf)", 1, {-10}, {INF}, exponential, 1.99995460007023751515, 1e-8},
    {"exp, (-inf,10]", 1, {-INF}, {10}, exponential, 1.99995460007023751515, 1e-8},
    {"exp, R", 1, {-INF}, {INF}, exponential, 2, 1e-8},
    {"Cauchy, R", 1, {-INF}, {INF}, cauchy, PI, 1e-12},
    {"Cauchy, [0,inf)", 1, {0}, {INF}, cauchy, PI / 2, 1e-12},
    {"Cauchy, [1,inf)", 1, {1}, {INF}, cauchy, PI / 4, 1e-12},
    {"Cauchy, (-inf,1]", 1, {-INF}, {1}, cauchy, 3 * PI / 4, 1e-12},
    {"mixed", 3, {-INF, 0, 0}, {INF, INF, 1}, mixed, 1.5 * 1.77245385090551602730, 1e-6},
    {"Keister, R^4", 4, {-INF, -INF, -INF, -INF}, {INF, INF, INF, INF}, keister, 2.16592930257450634742, 1e-3},
    {"x^2 exp(-x/8)", 1, {0}, {INF}, gamma_like, 1024, 1e-9},
    {"Fermi-Dirac", 1, {0}, {INF}, fermi, 2.50245782600714033355, 1e-8},
    {"Planck", 1, {0}, {INF}, planck, 6.49393940226682914910, 1e-9},
    {"x^2.6 log(1/x)", 1, {0}, {1}, log_one_over, 0.0771604938271604938272, 1e-10},
    {"Lorentz", 1, {0}, {1}, lorentz, 0.877169307443986074967, 1e-12},
    {"cos(16 sin x)", 1, {0}, {PI}, bessel, -0.549461645946627180582, 1e-10},
    {"cos(256 sin x)", 1, {0}, {PI}, bessel_fast, -0.115150360239047044872, 1e-9},
    {"sqrt(x) log x", 1, {0}, {1}, root_log, -4.0 / 9, 1e-9},
    {"log x", 1, {0}, {1}, logarithm, -1, 1e-9},
    {"|x-pi/4|^2.1", 1, {0}, {1}, kink_power, 0.155285052422232516373, 1e-9},
    {"exp(20(x-1)) sin 512x", 1, {0}, {1}, decaying_wave, 0.00195003148824519920180, 1e-9},
    {"1/(x^4+x^2+.9)", 1, {-1}, {1}, rational, 1.582232963729672933117, 1e-12},
    {"exp|x-.499|", 1, {0}, {1}, kink_499, 1.29744419012166438727, 1e-10},
    {"sin^2", 1, {0}, {2 * PI}, sine_squared, PI, 1e-12},
};
enum { range_count = (int)(sizeof ranges / sizeof ranges[0]) };

static struct answer run(const struct range *r, const double *lower, const double *upper, int selection) {
  tessera_solver *s = solver_of(r->ndim, 1);
  assert_status(s, tessera_set_domain(s, lower, upper), TESSERA_OK);
  put_point(s, r->fn, NULL);
  put_real(s, TESSERA_RELTOL, r->tolerance);
  put_int(s, TESSERA_SELECTION, selection);
  put_int(s, TESSERA_MAXEVAL, 20000000);
  const struct answer a = integrate(s);
  tessera_destroy(s);
  return a;
}

static void ranges_have_their_known_values(void **state) {
  int failures = 0;
  (void)state;
  for (int i = 0; i < range_count; ++i)
    for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
      const struct range *r = &ranges[i];
      const struct answer a = run(r, r->lower, r->upper, selection);
      const int bad = a.status != 0 || !close_enough(a.value, r->exact, r->tolerance, 0);
      print_message("  %-22s %s %9lld evaluations, true %.1e, estimate %.1e, tolerance %g, status %d%s\n", r->name,
                    selection == TESSERA_SELECT_BULK ? "bulk       " : "worst first", (long long)a.evaluations,
                    fabs(a.value / r->exact - 1), a.error / fabs(r->exact), r->tolerance, a.status,
                    a.status == 0 ? (bad ? "  FALSE" : "") : "  NOT REACHED");
      failures += bad;
    }
  assert_int_equal(failures, 0);
}

/* x^-1.1 at the far end becomes (1-t)^-0.9: what lies between the last two doubles below t = 1 is a hundredth of the
 * integral. The tolerance cannot be met, but every point has a finite value, and the run has to say so. */
static void a_tail_too_heavy_for_double_precision(void **state) {
  const struct range r = {"", 1, {0}, {INFINITY}, power_tail, 0.115188737428469154627585, 1e-8};
  (void)state;
  for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
    const struct answer a = run(&r, r.lower, r.upper, selection);
    if (a.status == TESSERA_NONFINITE) print_error("%s\n", a.sentence);
    assert_true(a.status == TESSERA_ROUNDOFF || a.status == TESSERA_LIMIT_EVALUATIONS);
    assert_close(a.value, r.exact, 0.1, 0);
  }
}

/* ---- Reversed limits ----------------------------------------------------------------------------------------------------- */
static void each_reversal_flips_the_sign(void **state) {
  (void)state;
  for (int i = 0; i < range_count; ++i) {
    const struct range *r = &ranges[i];
    if (r->ndim == 4) continue; /* takes long and shows no more */
    for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
      const struct answer straight = run(r, r->lower, r->upper, selection);
      for (int mask = 1; mask < 1 << r->ndim; ++mask) {
        double lower[4], upper[4];
        int flips = 0;
        for (int j = 0; j < r->ndim; ++j) {
          const int flip = mask >> j & 1;
          flips += flip;
          lower[j] = flip ? r->upper[j] : r->lower[j];
          upper[j] = flip ? r->lower[j] : r->upper[j];
        }
        const struct answer a = run(r, lower, upper, selection);
        assert_int_equal(a.status, straight.status);
        assert_int_equal(a.evaluations, straight.evaluations);
        assert_same_bits(a.value, flips % 2 ? -straight.value : straight.value);
        assert_same_bits(a.error, straight.error);
        assert_true(a.error >= 0);
      }
    }
  }
}

static int two_components(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp, (void)userdata;
  f[0] = 1 + x[0] + 2 * x[1];
  f[1] = -x[0];
  return 0;
}

static void all_components_are_flipped(void **state) {
  const double lower[2] = {1, 0}, upper[2] = {0, 1};
  double value[2], error[2];
  tessera_solver *s = solver_of(2, 2);
  (void)state;
  assert_status(s, tessera_set_domain(s, lower, upper), TESSERA_OK);
  put_point(s, two_components, NULL);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_OK);
  assert_close(value[0], -2.5, 1e-14, 0);
  assert_close(value[1], 0.5, 1e-14, 0);
  assert_true(error[0] >= 0 && error[1] >= 0);
  tessera_destroy(s);
}

/* ---- Scale ---------------------------------------------------------------------------------------------------------------- */
struct stretch {
  double a, b;
};

static int stretched(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const struct stretch *t = userdata;
  double u[8];
  for (int j = 0; j < ndim; ++j) u[j] = (x[j] - t->a) / (t->b - t->a);
  (void)ncomp;
  double s = 0;
  for (int j = 0; j < ndim; ++j) s += (j + 1) * u[j];
  f[0] = cos(s) + 2;
  return 0;
}

static void the_scale_of_the_box_does_not_matter(void **state) {
  static const struct stretch stretches[] = {{0, 1e-30},    {0, 1e30}, {-1e-100, 1e-100},
                                             {-1e90, 1e90}, {5, 6},    {-3, 1000}};
  double exact[6];
  (void)state;
  for (int n = 1; n <= 3; ++n) { /* Re prod (exp(ik)-1)/(ik) */
    double p = 1;
    for (int k = 1; k <= n; ++k) p *= sin(k / 2.0) / (k / 2.0);
    exact[n] = 2 + p * cos(n * (n + 1) / 4.0);
  }
  for (size_t i = 0; i < sizeof stretches / sizeof stretches[0]; ++i)
    for (int n = 1; n <= 3; ++n) {
      struct stretch t = stretches[i];
      tessera_solver *s = solver_of(n, 1);
      put_cube(s, n, t.a, t.b);
      put_point(s, stretched, &t);
      const struct answer a = integrate(s);
      assert_int_equal(a.status, 0);
      assert_close(a.value, exact[n] * pow(t.b - t.a, n), 1e-6, 0);
      tessera_destroy(s);
    }
}

static void axes_may_differ_in_scale(void **state) {
  tessera_solver *s = solver_of(3, 1);
  const double lower[3] = {0, -1e-12, 1e6}, upper[3] = {1e12, 1e-12, 1e6 + 1};
  (void)state;
  assert_status(s, tessera_set_domain(s, lower, upper), TESSERA_OK);
  put_point(s, polynomial, NULL);
  const struct answer a = integrate(s);
  assert_int_equal(a.status, 0);
  assert_close(a.value, 2 * (1 + 0.5e12 + 2 * (1e6 + 0.5)), 1e-13, 0);
  tessera_destroy(s);
}

/* ---- What the integrand sees -------------------------------------------------------------------------------------------------- */
struct extremes {
  double least[2], greatest[2];
  int wrong;
};

static int look(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  struct extremes *e = userdata;
  (void)ncomp;
  for (int j = 0; j < ndim; ++j) {
    if (!isfinite(x[j])) e->wrong = 1;
    if (x[j] < e->least[j]) e->least[j] = x[j];
    if (x[j] > e->greatest[j]) e->greatest[j] = x[j];
  }
  f[0] = exp(-fabs(x[0]) - fabs(x[1]));
  return 0;
}

static void points_are_finite_and_within_the_range(void **state) {
  static const double limits[][2] = {{-INFINITY, INFINITY}, {2, INFINITY}, {-INFINITY, -2}, {-1, 3}};
  (void)state;
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 4; ++k) {
      struct extremes e = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}, 0};
      const double lower[2] = {limits[i][0], limits[k][0]}, upper[2] = {limits[i][1], limits[k][1]};
      tessera_solver *s = solver_of(2, 1);
      assert_status(s, tessera_set_domain(s, lower, upper), TESSERA_OK);
      put_point(s, look, &e);
      put_int(s, TESSERA_MAXEVAL, 1000000);
      put_real(s, TESSERA_RELTOL, 1e-12);
      integrate(s);
      assert_false(e.wrong);
      for (int j = 0; j < 2; ++j) {
        assert_true(e.least[j] > lower[j]);
        assert_true(e.greatest[j] < upper[j]);
      }
      tessera_destroy(s);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ranges_have_their_known_values),         cmocka_unit_test(a_tail_too_heavy_for_double_precision),
      cmocka_unit_test(each_reversal_flips_the_sign),           cmocka_unit_test(all_components_are_flipped),
      cmocka_unit_test(the_scale_of_the_box_does_not_matter),   cmocka_unit_test(axes_may_differ_in_scale),
      cmocka_unit_test(points_are_finite_and_within_the_range),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
