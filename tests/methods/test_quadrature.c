/* TESSERA_QUADRATURE from the user's side: known answers, weights, ranges, break points, distances, statuses.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>

#include "quadrature_run.h"

static const double pi = 3.14159265358979323846;

static double one(double x) { return 0.0 * x + 1.0; }
static double logarithm(double x) { return log(x); }
static double inverse_root(double x) { return 1.0 / sqrt(x); }
static double decay(double x) { return exp(-x); }
static double bell(double x) { return exp(-x * x); }
static double lorentz(double x) { return 1.0 / (1.0 + x * x); }
static double odd_tail(double x) { return x / (1.0 + x * x); }
static double inverse(double x) { return 1.0 / x; }
static double inverse_square(double x) { return 1.0 / (x * x); }
static double cubic(double x) { return 1.0 / (5.0 * x * x * x + 6.0); }
static double piessens(double x) {
  const double l = log(x);
  return 1.0 / ((1.0 + l * l) * (1.0 + l * l));
}
static double two_logs(double x) { return x * x * x * log(fabs((x * x - 1.0) * (x * x - 2.0))); }
static double wave(double x) { return sin(x); }
static double wave_over_x(double x) { return x == 0.0 ? 1.0 : sin(x) / x; }
static double hidden(double x) { return exp(-0.5 * (x - 3701.7) * (x - 3701.7) / 0.01); }
static double noisy(double x) { return 1.0 + 1e-7 * sin(1e9 * x) * cos(7.7e8 * x * x); }
static double absolute(double x) { return fabs(x); }
static double two_sided(double x) { return pow(fabs(x), -0.5) * exp(-fabs(x)); }

/* ---- Known answers ---------------------------------------------------------------------------------------------------- */

static void known_answers(void **state) {
  (void)state;
  struct run r;
  begin(&r, decay, 0.0, 1.0, 1e-12), expect(&r, -expm1(-1.0), 1e-12);
  begin(&r, logarithm, 0.0, 1.0, 1e-10), expect(&r, -1.0, 1e-10);
  begin(&r, inverse_root, 0.0, 1.0, 1e-10), expect(&r, 2.0, 1e-10);
  begin(&r, absolute, -1.0, 1.0, 1e-12), expect(&r, 1.0, 1e-12);
  begin(&r, bell, -INFINITY, INFINITY, 1e-10), expect(&r, sqrt(pi), 1e-10);
  begin(&r, decay, 2.0, INFINITY, 1e-10), expect(&r, exp(-2.0), 1e-10);
  begin(&r, bell, -INFINITY, 0.0, 1e-10), expect(&r, sqrt(pi) / 2.0, 1e-10);
  begin(&r, inverse_root, 0.0, 1.0, 1e-10), put_int(r.s, TESSERA_RULE, TESSERA_RULE_KRONROD15), expect(&r, 2.0, 1e-10);
  begin(&r, decay, 1.0, 0.0, 1e-10), expect(&r, expm1(-1.0), 1e-10); /* reversed */
}

static void break_points(void **state) {
  (void)state;
  struct run r;
  const double roots[] = {sqrt(2.0), 1.0};
  begin(&r, two_logs, 0.0, 3.0, 1e-8);
  assert_status(r.s, tessera_set_breakpoints(r.s, 2, roots), TESSERA_OK);
  expect(&r, 61.0 * log(2.0) + 77.0 / 4.0 * log(7.0) - 27.0, 1e-8);
  const double zero = 0.0;
  begin(&r, two_sided, -INFINITY, INFINITY, 1e-8);
  assert_status(r.s, tessera_set_breakpoints(r.s, 1, &zero), TESSERA_OK);
  expect(&r, 2.0 * sqrt(pi), 1e-8);
  begin(&r, two_sided, -2.0, INFINITY, 1e-8);
  assert_status(r.s, tessera_set_breakpoints(r.s, 1, &zero), TESSERA_OK);
  expect(&r, sqrt(pi) * (1.0 + erf(sqrt(2.0))), 1e-8);
}

static void weights(void **state) {
  (void)state;
  struct run r;
  begin(&r, logarithm, 0.0, 1.0, 1e-9), weigh(&r, TESSERA_WEIGHT_SIN, 10.0 * pi, 0, 0, 0);
  expect(&r, -0.1281368483991674, 1e-9);
  begin(&r, decay, 0.0, INFINITY, 1e-10), weigh(&r, TESSERA_WEIGHT_COS, 3.0, 0, 0, 0), expect(&r, 0.1, 1e-10);
  begin(&r, decay, 0.0, INFINITY, 1e-10), weigh(&r, TESSERA_WEIGHT_SIN, -3.0, 0, 0, 0), expect(&r, -0.3, 1e-10);
  begin(&r, decay, 0.0, INFINITY, 1e-10), weigh(&r, TESSERA_WEIGHT_COS, 0.0, 0, 0, 0), expect(&r, 1.0, 1e-10);
  begin(&r, decay, 0.0, INFINITY, 1e-10), weigh(&r, TESSERA_WEIGHT_SIN, 0.0, 0, 0, 0), expect(&r, 0.0, 1e-10);
  begin(&r, inverse_root, 0.0, INFINITY, 1e-8), weigh(&r, TESSERA_WEIGHT_COS, pi / 2.0, 0, 0, 0), expect(&r, 1.0, 1e-8);
  begin(&r, inverse, 0.0, INFINITY, 1e-8), weigh(&r, TESSERA_WEIGHT_SIN, 1.0, 0, 0, 0), expect(&r, pi / 2.0, 1e-8);
  begin(&r, lorentz, -INFINITY, INFINITY, 1e-9), weigh(&r, TESSERA_WEIGHT_COS, 1.0, 0, 0, 0),
      expect(&r, pi / exp(1.0), 1e-9);
  begin(&r, lorentz, -INFINITY, 0.0, 1e-9), weigh(&r, TESSERA_WEIGHT_COS, 1.0, 0, 0, 0),
      expect(&r, pi / exp(1.0) / 2.0, 1e-9);
  begin(&r, odd_tail, -INFINITY, INFINITY, 1e-8), weigh(&r, TESSERA_WEIGHT_SIN, 1.0, 0, 0, 0),
      expect(&r, pi / exp(1.0), 1e-8);
  begin(&r, odd_tail, -INFINITY, 0.0, 1e-8), weigh(&r, TESSERA_WEIGHT_SIN, 1.0, 0, 0, 0),
      expect(&r, pi / exp(1.0) / 2.0, 1e-8);
  begin(&r, piessens, 0.0, 1.0, 1e-9), weigh(&r, TESSERA_WEIGHT_ALGEBRAIC_LOG_LOWER, 0, 0.0, 0.0, 0);
  expect(&r, -0.189275187882093321180367135892, 1e-9);
  begin(&r, one, 0.0, 1.0, 1e-10), weigh(&r, TESSERA_WEIGHT_ALGEBRAIC, 0, -0.5, -0.7, 0);
  expect(&r, tgamma(0.5) * tgamma(0.3) / tgamma(0.8), 1e-10);
  begin(&r, one, 0.0, 1.0, 1e-10), weigh(&r, TESSERA_WEIGHT_ALGEBRAIC_LOG_UPPER, 0, 0.0, -0.5, 0),
      expect(&r, -4.0, 1e-10);
  begin(&r, one, 0.0, 1.0, 1e-10), weigh(&r, TESSERA_WEIGHT_ALGEBRAIC_LOG_BOTH, 0, 0.0, 0.0, 0);
  expect(&r, 2.0 - pi * pi / 6.0, 1e-10);
  begin(&r, cubic, -1.0, 5.0, 1e-9), weigh(&r, TESSERA_WEIGHT_CAUCHY, 0, 0, 0, 0.0),
      expect(&r, log(125.0 / 631.0) / 18.0, 1e-9);
  begin(&r, cubic, 5.0, -1.0, 1e-9), weigh(&r, TESSERA_WEIGHT_CAUCHY, 0, 0, 0, 0.0),
      expect(&r, -log(125.0 / 631.0) / 18.0, 1e-9);
}

/* ---- Double-exponential rules, distances from the ends -------------------------------------------------------------- */

struct power {
  double exponent, limit; /* singular at this limit */
  int form;               /* of TESSERA_COMPLEMENT */
};
static int near_the_end(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const struct power *p = userdata;
  (void)ndim, (void)ncomp;
  *f = pow(fabs(p->form == 0 ? p->limit - x[0] : x[1]), p->exponent);
  return 0;
}
static int nearer_end(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const struct power *p = userdata; /* ((x - 1) (3 - x))^exponent on (1, 3) */
  (void)ndim, (void)ncomp;
  *f = pow(fabs(x[1]) * (2.0 - fabs(x[1])), p->exponent);
  return 0;
}

/* A solver that has had one coordinate a point is given two. */
static void another_form(void **state) {
  (void)state;
  struct power p = {-0.5, 3.0, 0};
  const double lower = 1.0, upper = 3.0;
  double value, error;
  tessera_solver *s = solver_of(1, 1);
  assert_status(s, tessera_set_domain(s, &lower, &upper), TESSERA_OK);
  put_point(s, near_the_end, &p);
  assert_true(tessera_integrate(s, TESSERA_QUADRATURE, &value, &error) >= 0);
  p.form = 1;
  put_int(s, TESSERA_COMPLEMENT, 1);
  assert_status(s, tessera_integrate(s, TESSERA_QUADRATURE, &value, &error), TESSERA_OK);
  assert_close(value, sqrt(8.0), 1e-6, 0);
  tessera_destroy(s);
}

static void distances(void **state) {
  (void)state;
  static const int rules[] = {TESSERA_RULE_AUTO, TESSERA_RULE_DOUBLE_EXPONENTIAL, TESSERA_RULE_KRONROD21};
  const double lower = 1.0, upper = 3.0;
  for (int i = 0; i < 3; ++i) {
    tessera_solver *s = solver_of(1, 1);
    struct power p = {-0.9, 3.0, 1};
    double value, error;
    put_int(s, TESSERA_RULE, rules[i]);
    put_real(s, TESSERA_RELTOL, 1e-9);
    assert_status(s, tessera_set_domain(s, &lower, &upper), TESSERA_OK);
    put_int(s, TESSERA_COMPLEMENT, 1);
    put_point(s, near_the_end, &p);
    assert_status(s, tessera_integrate(s, TESSERA_QUADRATURE, &value, &error), TESSERA_OK);
    assert_close(value, pow(2.0, 0.1) / 0.1, 1e-9, 0);
    put_int(s, TESSERA_COMPLEMENT, 2);
    put_point(s, nearer_end, &p);
    assert_status(s, tessera_integrate(s, TESSERA_QUADRATURE, &value, &error), TESSERA_OK);
    assert_close(value, pow(2.0, -0.8) * tgamma(0.1) * tgamma(0.1) / tgamma(0.2), 1e-9, 0);
    if (i == 1) assert_int_equal(got_int(s, TESSERA_RULE_USED), TESSERA_RULE_DOUBLE_EXPONENTIAL);
    /* Without the distance the coordinate rounds: no rule can, and none claims to. */
    p.form = 0;
    put_int(s, TESSERA_COMPLEMENT, 0);
    put_point(s, near_the_end, &p);
    const int status = tessera_integrate(s, TESSERA_QUADRATURE, &value, &error);
    assert_true(status > 0 || fabs(value - pow(2.0, 0.1) / 0.1) <= 1e-9 * value);
    tessera_destroy(s);
  }
  struct run r;
  begin(&r, bell, -INFINITY, INFINITY, 1e-12), put_int(r.s, TESSERA_RULE, TESSERA_RULE_DOUBLE_EXPONENTIAL),
      expect(&r, sqrt(pi), 1e-12);
  begin(&r, decay, 0.0, INFINITY, 1e-10), put_int(r.s, TESSERA_RULE, TESSERA_RULE_DOUBLE_EXPONENTIAL),
      expect(&r, 1.0, 1e-10);
  begin(&r, logarithm, 0.0, 1.0, 1e-12), put_int(r.s, TESSERA_RULE, TESSERA_RULE_DOUBLE_EXPONENTIAL),
      expect(&r, -1.0, 1e-12);
}

/* ---- Statuses ------------------------------------------------------------------------------------------------------------- */

static void expect_status(struct run *r, int status) {
  go(r);
  assert_status(r->s, r->status, status);
  tessera_destroy(r->s);
}
static void statuses(void **state) {
  (void)state;
  struct run r;
  begin(&r, inverse, 0.0, 1.0, 1e-6), expect_status(&r, TESSERA_DIVERGENT);
  begin(&r, inverse_square, 0.0, 1.0, 1e-6), expect_status(&r, TESSERA_DIVERGENT);
  begin(&r, inverse, 1.0, INFINITY, 1e-6), expect_status(&r, TESSERA_DIVERGENT);
  begin(&r, odd_tail, -INFINITY, INFINITY, 1e-6), expect_status(&r, TESSERA_DIVERGENT);
  begin(&r, noisy, 0.0, 1.0, 1e-12), put_int(r.s, TESSERA_RULE, TESSERA_RULE_KRONROD21),
      expect_status(&r, TESSERA_ROUNDOFF);
  begin(&r, decay, 0.0, 1.0, 0.0), expect_status(&r, TESSERA_ROUNDOFF);
  begin(&r, hidden, 0.0, 10000.0, 1e-6), expect_status(&r, TESSERA_ALL_ZERO);
  begin(&r, inverse_root, 0.0, 1.0, 1e-10), put_int(r.s, TESSERA_MAXEVAL, 150), go(&r);
  assert_status(r.s, r.status, TESSERA_LIMIT_EVALUATIONS);
  assert_says(tessera_last_error(r.s), "TESSERA_MAXEVAL");
  assert_true(got_int(r.s, TESSERA_EVALUATIONS) <= 150);
  assert_close(r.value, 2.0, 0.2, 0);
  tessera_destroy(r.s);
  /* Conditional convergence: a status, whatever it is. */
  begin(&r, wave, 0.0, INFINITY, 1e-6), go(&r), assert_true(r.status > 0), tessera_destroy(r.s);
  begin(&r, wave_over_x, 0.0, INFINITY, 1e-6), go(&r), assert_true(r.status > 0), tessera_destroy(r.s);
  begin(&r, inverse, -1.0, 1.0, 1e-6), go(&r);
  assert_status(r.s, r.status, TESSERA_ERR_CALLBACK);
  assert_says(tessera_last_error(r.s), "x = (0)");
  assert_close(r.value, -7.0, 0, 0);
  tessera_destroy(r.s);
  begin(&r, bell, 0.0, 1.0, 1e-6), put_int(r.s, TESSERA_MINEVAL, 2000), expect(&r, sqrt(pi) / 2.0 * erf(1.0), 1e-6);
  begin(&r, bell, 0.0, 1.0, 1e-6), put_int(r.s, TESSERA_MINEVAL, 2000), go(&r);
  assert_true(got_int(r.s, TESSERA_EVALUATIONS) >= 2000);
  tessera_destroy(r.s);
  begin(&r, lorentz, 0.0, INFINITY, 1e-6), put_int(r.s, TESSERA_MINEVAL, 2000), go(&r); /* in two pieces */
  assert_status(r.s, r.status, TESSERA_OK);
  assert_true(got_int(r.s, TESSERA_EVALUATIONS) >= 2000);
  tessera_destroy(r.s);
}

static int sometimes_nan(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp;
  *f = *x > 0.3 && *x < 0.30001 ? NAN : 1.0 / ((*x - 0.3) * (*x - 0.3) + 1e-8);
  ++*(int64_t *)userdata;
  return 0;
}
static void nonfinite(void **state) {
  (void)state;
  tessera_solver *s = solver_of(1, 1);
  int64_t calls = 0;
  double value = -7.0, error = -7.0;
  put_point(s, sometimes_nan, &calls);
  assert_status(s, tessera_integrate(s, TESSERA_QUADRATURE, &value, &error), TESSERA_NONFINITE);
  assert_says(tessera_last_error(s), "x = (0.30000");
  assert_true(isfinite(value) && calls == got_int(s, TESSERA_EVALUATIONS));
  put_int(s, TESSERA_NONFINITE_POLICY, TESSERA_NONFINITE_ZERO);
  assert_true(tessera_integrate(s, TESSERA_QUADRATURE, &value, &error) > 0);
  assert_true(got_int(s, TESSERA_NONFINITE_POINTS) > 0);
  tessera_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(known_answers), cmocka_unit_test(break_points),
                                     cmocka_unit_test(weights),       cmocka_unit_test(another_form),
                                     cmocka_unit_test(distances),     cmocka_unit_test(statuses),
                                     cmocka_unit_test(nonfinite)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
