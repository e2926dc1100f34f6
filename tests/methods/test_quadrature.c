/* TESSERA_QUADRATURE from the user's side: known answers, weights, ranges, break points, statuses, vector integrands, forms, bad input.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>

#include "solve.h"

static const double pi = 3.14159265358979323846;

typedef double (*function)(double x);
static int call(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp;
  *f = (*(function *)userdata)(*x);
  return 0;
}
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
static double hidden(double x) { return exp(-0.5 * (x - 1.7) * (x - 1.7) / 0.01); }
static double noisy(double x) { return 1.0 + 1e-7 * sin(1e9 * x) * cos(7.7e8 * x * x); }
static double absolute(double x) { return fabs(x); }
static double two_sided(double x) { return pow(fabs(x), -0.5) * exp(-fabs(x)); }

struct run {
  tessera_solver *s;
  function f;
  int status;
  double value, error;
};
static void begin(struct run *r, function f, double lower, double upper, double reltol) {
  memset(r, 0, sizeof *r);
  r->s = solver_of(1, 1);
  r->f = f;
  put_point(r->s, call, &r->f);
  put_real(r->s, TESSERA_RELTOL, reltol);
  assert_status(r->s, tessera_set_domain(r->s, &lower, &upper), TESSERA_OK);
}
static void go(struct run *r) {
  r->value = r->error = -7.0;
  r->status = tessera_integrate(r->s, TESSERA_QUADRATURE, &r->value, &r->error);
}
/* Ends with status 0, the value and an error that holds. */
static void expect(struct run *r, double exact, double reltol) {
  go(r);
  assert_status(r->s, r->status, TESSERA_OK);
  assert_close(r->value, exact, reltol, 1e-15);
  assert_at_most(fabs(r->value - exact), r->error + 4e-15 * fabs(exact));
  tessera_destroy(r->s);
}
static void expect_status(struct run *r, int status) {
  go(r);
  assert_status(r->s, r->status, status);
  tessera_destroy(r->s);
}
static void weigh(struct run *r, int weight, double omega, double alpha, double beta, double pole) {
  put_int(r->s, TESSERA_WEIGHT, weight);
  put_real(r->s, TESSERA_OMEGA, omega);
  put_real(r->s, TESSERA_ALPHA, alpha);
  put_real(r->s, TESSERA_BETA, beta);
  put_real(r->s, TESSERA_POLE, pole);
}

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

/* ---- Vector integrands, forms ---------------------------------------------------------------------------------------------- */

static int64_t vector_calls;
static int vector(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)userdata;
  for (int k = 0; k < ncomp; ++k) f[k] = k == 2 ? 1.0 / sqrt(*x) : exp(-k * *x);
  ++vector_calls;
  return 0;
}
static int vector_batch(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf,
                        void *userdata) {
  (void)ndim, (void)ldx, (void)userdata;
  for (int k = 0; k < ncomp; ++k)
    for (int64_t i = 0; i < n; ++i) f[k * ldf + i] = k == 2 ? 1.0 / sqrt(x[i]) : exp(-k * x[i]);
  return 0;
}
static void vectors(void **state) {
  (void)state;
  enum { components = 5 };
  const double exact[components] = {1.0, 1.0 - exp(-1.0), 2.0, (1.0 - exp(-3.0)) / 3.0, (1.0 - exp(-4.0)) / 4.0};
  double value[components], error[components], again[components], errors[components];
  tessera_solver *s = solver_of(1, components), *single = solver_of(1, 1);
  put_real(s, TESSERA_RELTOL, 1e-10);
  put_point(s, vector, NULL);
  vector_calls = 0;
  assert_status(s, tessera_integrate(s, TESSERA_QUADRATURE, value, error), TESSERA_OK);
  for (int k = 0; k < components; ++k) assert_close(value[k], exact[k], 1e-10, 0);
  assert_int_equal(vector_calls, got_int(s, TESSERA_EVALUATIONS));
  /* Points are shared: no more than the singular component needs by itself, and what the others add to that. */
  function f = inverse_root;
  put_point(single, call, &f);
  put_real(single, TESSERA_RELTOL, 1e-10);
  assert_status(single, tessera_integrate(single, TESSERA_QUADRATURE, again, errors), TESSERA_OK);
  assert_same_bits(again[0], value[2]);
  assert_same_bits(errors[0], error[2]);
  assert_true(vector_calls <= got_int(single, TESSERA_EVALUATIONS) + 42);
  put_batch(s, vector_batch, NULL);
  assert_status(s, tessera_integrate(s, TESSERA_QUADRATURE, again, errors), TESSERA_OK);
  for (int k = 0; k < components; ++k) assert_same_bits(again[k], value[k]), assert_same_bits(errors[k], error[k]);
  put_int(s, TESSERA_BATCH_POINTS, 7);
  assert_status(s, tessera_integrate(s, TESSERA_QUADRATURE, again, errors), TESSERA_OK);
  for (int k = 0; k < components; ++k) assert_same_bits(again[k], value[k]);
  tessera_destroy(s);
  tessera_destroy(single);
}

static void vector_with_weight(void **state) {
  (void)state;
  double value[3], error[3];
  const double lower = 0.0, upper = INFINITY;
  tessera_solver *s = solver_of(1, 3);
  put_point(s, vector, NULL);
  put_real(s, TESSERA_ABSTOL, 1e-9);
  put_real(s, TESSERA_RELTOL, 0.0);
  put_int(s, TESSERA_WEIGHT, TESSERA_WEIGHT_COS);
  put_real(s, TESSERA_OMEGA, 2.0);
  assert_status(s, tessera_set_domain(s, &lower, &upper), TESSERA_OK);
  /* cos 2x by itself has no integral; its component has a status, and the others their values. */
  assert_true(tessera_integrate(s, TESSERA_QUADRATURE, value, error) >= 0);
  assert_close(value[1], 0.2, 0, 1e-9);
  assert_close(value[2], sqrt(pi / 4.0), 0, 1e-8);
  tessera_destroy(s);
}

static void texts(void **state) {
  (void)state;
  tessera_solver *s = solver_of(1, 1);
  double value, error;
  put_real(s, TESSERA_RELTOL, 1e-10);
  const int status = tessera_set_integrand_source(s, TESSERA_LANGUAGE_C,
                                                  "#include <math.h>\nint f(int ndim, const double *x, int ncomp, "
                                                  "double *f, void *p) { f[0] = log(x[0]); return 0; }",
                                                  "f");
  assert_status(s, status, TESSERA_OK);
  const int end = tessera_integrate(s, TESSERA_QUADRATURE, &value, &error);
  if (end != TESSERA_ERR_NOT_BUILT) {
    assert_status(s, end, TESSERA_OK);
    assert_close(value, -1.0, 1e-10, 0);
  }
  tessera_destroy(s);
}

static int half_way(int ndim, int axis, const double *x, double *lower, double *upper, void *userdata) {
  (void)ndim, (void)axis, (void)x, (void)userdata;
  *lower = 1.0, *upper = 3.0;
  return 0;
}
static void limits_as_functions(void **state) {
  (void)state;
  struct run r;
  begin(&r, inverse, 0.0, 1.0, 1e-10);
  assert_status(r.s, tessera_set_limits(r.s, 0, half_way, NULL), TESSERA_OK);
  expect(&r, log(3.0), 1e-10);
}

/* ---- Bad input --------------------------------------------------------------------------------------------------------------- */

static void refused(struct run *r, int status, const char *word) {
  go(r);
  assert_status(r->s, r->status, status);
  assert_says(tessera_last_error(r->s), word);
  assert_true(r->value == -7.0 && r->error == -7.0);
  tessera_destroy(r->s);
}
static void bad_input(void **state) {
  (void)state;
  struct run r;
  const double outside[] = {0.5, 1.5}, nothing = NAN, infinite = INFINITY;
  begin(&r, one, 0.0, 1.0, 1e-6);
  assert_status(r.s, tessera_set_breakpoints(r.s, 2, outside), TESSERA_OK);
  refused(&r, TESSERA_ERR_ARGUMENT, "1.5");
  begin(&r, one, 0.0, 1.0, 1e-6);
  assert_status(r.s, tessera_set_breakpoints(r.s, 1, &nothing), TESSERA_ERR_ARGUMENT);
  assert_says(tessera_last_error(r.s), "points[0]");
  assert_status(r.s, tessera_set_breakpoints(r.s, 1, &infinite), TESSERA_ERR_ARGUMENT);
  assert_status(r.s, tessera_set_breakpoints(r.s, 1, NULL), TESSERA_ERR_ARGUMENT);
  assert_status(r.s, tessera_set_breakpoints(r.s, -1, outside), TESSERA_ERR_ARGUMENT);
  assert_status(r.s, tessera_set_real(r.s, TESSERA_OMEGA, NAN), TESSERA_ERR_RANGE);
  assert_says(tessera_last_error(r.s), "TESSERA_OMEGA");
  assert_status(r.s, tessera_set_real(r.s, TESSERA_OMEGA, INFINITY), TESSERA_ERR_RANGE);
  assert_status(r.s, tessera_set_real(r.s, TESSERA_ALPHA, -1.5), TESSERA_ERR_RANGE);
  assert_status(r.s, tessera_set_int(r.s, TESSERA_WEIGHT, 8), TESSERA_ERR_RANGE);
  assert_status(r.s, tessera_set_int(r.s, TESSERA_RULE, 65), TESSERA_ERR_RANGE);
  expect(&r, 1.0, 1e-6);
  begin(&r, one, 0.0, 1.0, 1e-6), weigh(&r, TESSERA_WEIGHT_ALGEBRAIC, 0, -1.0, 0, 0),
      refused(&r, TESSERA_ERR_ARGUMENT, "TESSERA_ALPHA");
  begin(&r, one, 0.0, 1.0, 1e-6), weigh(&r, TESSERA_WEIGHT_ALGEBRAIC, 0, 0, -1.0, 0),
      refused(&r, TESSERA_ERR_ARGUMENT, "TESSERA_BETA");
  begin(&r, one, 0.0, 1.0, 1e-6), weigh(&r, TESSERA_WEIGHT_CAUCHY, 0, 0, 0, 1.0),
      refused(&r, TESSERA_ERR_ARGUMENT, "TESSERA_POLE");
  begin(&r, one, 0.0, INFINITY, 1e-6), weigh(&r, TESSERA_WEIGHT_CAUCHY, 0, 0, 0, 1.0),
      refused(&r, TESSERA_ERR_ARGUMENT, "TESSERA_WEIGHT");
  begin(&r, one, 0.0, INFINITY, 1e-6), weigh(&r, TESSERA_WEIGHT_ALGEBRAIC, 0, 0, 0, 0),
      refused(&r, TESSERA_ERR_ARGUMENT, "TESSERA_WEIGHT");
  begin(&r, one, 0.0, 1.0, 1e-6), put_int(r.s, TESSERA_RULE, TESSERA_RULE_GM7),
      refused(&r, TESSERA_ERR_UNSUPPORTED, "TESSERA_RULE");
  begin(&r, one, 0.0, 1.0, 1e-6), put_int(r.s, TESSERA_DEVICE, 0), go(&r);
  assert_true(r.status == TESSERA_ERR_NO_INTEGRAND || r.status == TESSERA_ERR_UNSUPPORTED);
  tessera_destroy(r.s);
  begin(&r, one, 0.0, 1.0, 1e-6), weigh(&r, TESSERA_WEIGHT_COS, 1.0, 0, 0, 0), put_int(r.s, TESSERA_COMPLEMENT, 1);
  refused(&r, TESSERA_ERR_UNSUPPORTED, "TESSERA_COMPLEMENT");
  begin(&r, one, 0.0, 1.0, 1e-6), put_int(r.s, TESSERA_MAX_MEMORY, 1000),
      refused(&r, TESSERA_ERR_MEMORY, "TESSERA_MAX_MEMORY");

  tessera_solver *s = solver_of(2, 1);
  double value = -7.0, error = -7.0;
  function f = one;
  put_point(s, call, &f);
  assert_status(s, tessera_integrate(s, TESSERA_QUADRATURE, &value, &error), TESSERA_ERR_UNSUPPORTED);
  assert_says(tessera_last_error(s), "ndim = 2");
  assert_status(s, tessera_set_breakpoints(s, 1, outside), TESSERA_ERR_UNSUPPORTED);
  assert_true(value == -7.0);
  put_int(s, TESSERA_RULE, TESSERA_RULE_DOUBLE_EXPONENTIAL);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, &value, &error), TESSERA_ERR_UNSUPPORTED);
  tessera_destroy(s);
}

/* ---- Many ------------------------------------------------------------------------------------------------------------------------ */

static int64_t most_points, calls_made;
static int powers(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf,
                  void *userdata) {
  (void)ndim, (void)ncomp, (void)ldf;
  const double *exponent = userdata; /* of all integrals, whose numbers are the second coordinate */
  for (int64_t i = 0; i < n; ++i) f[i] = pow(x[i], exponent[(int64_t)x[ldx + i]]);
  if (n > most_points) most_points = n;
  ++calls_made;
  return 0;
}
static int power(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp;
  *f = pow(*x, *(const double *)userdata);
  return 0;
}
static int box_batch(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf,
                     void *userdata) {
  (void)ndim, (void)ldx, (void)ncomp, (void)ldf, (void)userdata;
  for (int64_t i = 0; i < n; ++i) f[i] = x[i] > 5.0 && x[i] < 5.001 ? NAN : 1.0 / sqrt(x[i]);
  if (n > most_points) most_points = n;
  return 0;
}

enum { rows = 600 };
static void many_with_blocks(void **state) {
  (void)state;
  double exponent[rows], value[rows], error[rows], single[rows], single_error[rows];
  int status[rows];
  for (int i = 0; i < rows; ++i) exponent[i] = -0.9 + 3.0 * i / rows;
  tessera_solver *s = solver_of(1, 1);
  put_real(s, TESSERA_RELTOL, 1e-8);
  put_point(s, power, NULL);
  assert_status(
      s,
      tessera_integrate_many(s, TESSERA_QUADRATURE, rows, exponent, sizeof *exponent, NULL, NULL, value, error, status),
      TESSERA_OK);
  for (int i = 0; i < rows; ++i) {
    assert_close(value[i], 1.0 / (1.0 + exponent[i]), 1e-8, 0);
    assert_status(s, tessera_set_params(s, &exponent[i], sizeof *exponent), TESSERA_OK);
    assert_status(s, tessera_integrate(s, TESSERA_QUADRATURE, &single[i], &single_error[i]), TESSERA_OK);
    assert_same_bits(single[i], value[i]);
    assert_same_bits(single_error[i], error[i]);
  }
  put_batch(s, powers, NULL);
  put_int(s, TESSERA_SHARED_CALLS, 1);
  for (int threads = 1; threads <= 3; threads += 2) {
    most_points = calls_made = 0;
    put_int(s, TESSERA_THREADS, threads);
    assert_status(s,
                  tessera_integrate_many(s, TESSERA_QUADRATURE, rows, exponent, sizeof *exponent, NULL, NULL, value,
                                         error, status),
                  TESSERA_OK);
    for (int i = 0; i < rows; ++i) assert_same_bits(value[i], single[i]), assert_same_bits(error[i], single_error[i]);
    if (threads == 1) assert_true(most_points >= 4096 && calls_made < 200);
  }
  tessera_destroy(s);
}

static void many_with_boxes(void **state) {
  (void)state;
  double lower[rows], upper[rows], value[rows], error[rows];
  int status[rows];
  for (int i = 0; i < rows; ++i) lower[i] = i % 2 ? 0.0 : 4.0, upper[i] = 1.0 + i % 4;
  lower[0] = NAN;
  lower[2] = 4.0, upper[2] = 6.0; /* has NaN */
  lower[5] = upper[5] = 1.0;
  tessera_solver *s = solver_of(1, 1);
  put_real(s, TESSERA_RELTOL, 1e-8);
  put_batch(s, box_batch, NULL);
  most_points = 0;
  assert_status(s, tessera_integrate_many(s, TESSERA_QUADRATURE, rows, NULL, 0, lower, upper, value, error, status),
                TESSERA_SOME_FAILED);
  assert_true(most_points >= 4096);
  assert_int_equal(status[0], TESSERA_ERR_ARGUMENT);
  assert_true(status[2] == TESSERA_NONFINITE || status[2] == TESSERA_ERR_CALLBACK ||
              fabs(value[2] - 2.0 * (sqrt(6.0) - 2.0)) < 1e-7);
  for (int i = 1; i < rows; ++i) {
    if (i == 2) continue;
    assert_int_equal(status[i], TESSERA_OK);
    assert_close(value[i], 2.0 * (sqrt(upper[i]) - sqrt(lower[i])), 1e-8, 1e-15);
  }
  tessera_destroy(s);
}

static int stops_once(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf,
                      void *userdata) {
  (void)ndim, (void)ldx, (void)ncomp, (void)ldf, (void)userdata;
  for (int64_t i = 0; i < n; ++i) {
    if (x[i] > 7.0) return 42;
    f[i] = exp(-x[i]);
  }
  return 0;
}
/* In a shared call the one that asks to stop is found, and the others go on. */
static void one_of_many_stops(void **state) {
  (void)state;
  double lower[rows], upper[rows], value[rows], error[rows];
  int status[rows];
  for (int i = 0; i < rows; ++i) lower[i] = 0.0, upper[i] = i == 300 ? 8.0 : 1.0 + 0.001 * i;
  tessera_solver *s = solver_of(1, 1);
  put_batch(s, stops_once, NULL);
  assert_true(tessera_integrate_many(s, TESSERA_QUADRATURE, rows, NULL, 0, lower, upper, value, error, status) ==
              TESSERA_SOME_FAILED);
  for (int i = 0; i < rows; ++i) {
    assert_int_equal(status[i], i == 300 ? TESSERA_ERR_CALLBACK : TESSERA_OK);
    if (i != 300) assert_close(value[i], -expm1(-upper[i]), 1e-6, 0);
  }
  assert_int_equal(got_int(s, TESSERA_CALLBACK_STATUS), 42);
  tessera_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(known_answers),
                                     cmocka_unit_test(break_points),
                                     cmocka_unit_test(weights),
                                     cmocka_unit_test(another_form),
                                     cmocka_unit_test(distances),
                                     cmocka_unit_test(statuses),
                                     cmocka_unit_test(nonfinite),
                                     cmocka_unit_test(vectors),
                                     cmocka_unit_test(vector_with_weight),
                                     cmocka_unit_test(texts),
                                     cmocka_unit_test(limits_as_functions),
                                     cmocka_unit_test(bad_input),
                                     cmocka_unit_test(many_with_blocks),
                                     cmocka_unit_test(many_with_boxes),
                                     cmocka_unit_test(one_of_many_stops)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
