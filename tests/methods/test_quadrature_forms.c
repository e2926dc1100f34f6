/* TESSERA_QUADRATURE on vector integrands, texts, limits that are functions; bad input. SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "quadrature_run.h"

static const double pi = 3.14159265358979323846;

static double one(double x) { return 0.0 * x + 1.0; }
static double inverse_root(double x) { return 1.0 / sqrt(x); }
static double inverse(double x) { return 1.0 / x; }
static double hole(double x) { return x > 2.0 && x < 2.1 ? NAN : x; }

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
  /* What is said of a point is in the user's coordinate. */
  static const int rules[] = {TESSERA_RULE_AUTO, TESSERA_RULE_DOUBLE_EXPONENTIAL};
  for (int i = 0; i < 2; ++i) {
    begin(&r, hole, 0.0, 1.0, 1e-10), put_int(r.s, TESSERA_RULE, rules[i]);
    assert_status(r.s, tessera_set_limits(r.s, 0, half_way, NULL), TESSERA_OK);
    go(&r);
    assert_true(r.status == TESSERA_NONFINITE || r.status == TESSERA_ERR_CALLBACK);
    assert_says(tessera_last_error(r.s), "x = (2.0");
    tessera_destroy(r.s);
  }
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
  begin(&r, one, 0.0, 1.0, 1e-6), weigh(&r, TESSERA_WEIGHT_COS, 1.0, 0, 0, 0), put_int(r.s, TESSERA_MINEVAL, 1000);
  refused(&r, TESSERA_ERR_UNSUPPORTED, "TESSERA_MINEVAL");
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

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(vectors), cmocka_unit_test(vector_with_weight),
                                     cmocka_unit_test(texts), cmocka_unit_test(limits_as_functions),
                                     cmocka_unit_test(bad_input)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
