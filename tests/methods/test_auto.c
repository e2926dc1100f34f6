/* TESSERA_AUTO: which method it takes, what it does when that one does not make it, limits, NaN, cancellation, many integrals.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "solve.h"

enum { most_ndim = 64 };

static int product_cosine(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)userdata;
  double p = 1;
  for (int j = 0; j < ndim; ++j) p *= cos(x[j]);
  for (int k = 0; k < ncomp; ++k) f[k] = (k + 1) * p;
  return 0;
}
static int decaying_product(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ncomp, (void)userdata;
  *f = 1;
  for (int j = 0; j < ndim; ++j) *f *= 1 + (x[j] - 0.5) / ((j + 1.0) * (j + 1.0));
  return 0;
}
static int half_space(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ncomp, (void)userdata;
  double s = 0;
  for (int j = 0; j < ndim; ++j) s += x[j];
  *f = s < 0.5 * ndim - 0.25 ? 1 : 0;
  return 0;
}
/* Its integral: the distribution of Irwin and Hall. */
static double half_space_exact(int n) {
  const double c = 0.5 * n - 0.25;
  double sum = 0, binomial = 1;
  for (int k = 0; k < c; ++k) {
    sum += (k % 2 ? -1 : 1) * binomial * pow((c - k) / n, n);
    binomial *= (n - k) / (k + 1.0);
  }
  for (int k = 1; k <= n; ++k) sum *= (double)n / k;
  return sum;
}
static int product_peaks(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  static const double places[10] = {0.35, 0.05, 0.75, 0.45, 0.15, 0.85, 0.55, 0.25, 0.95, 0.65};
  static const double sharpness[10] = {2, 5, 1, 4, 7, 3, 6, 2, 5, 1}; /* in sixths */
  (void)ncomp, (void)userdata;
  *f = 1;
  for (int j = 0; j < ndim; ++j) {
    const double a = 6 / sharpness[j], d = x[j] - places[j];
    *f /= a * a + d * d;
  }
  return 0;
}
static const double width = 0.02;
static int narrow_peak(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ncomp, (void)userdata;
  double s = 0;
  for (int j = 0; j < ndim; ++j) s += (x[j] - 0.3) * (x[j] - 0.3);
  *f = exp(-0.5 * s / (width * width));
  return 0;
}
static double peak_exact(int n) {
  return pow(width * sqrt(2 * acos(-1)) * 0.5 * (erf(0.7 / width / sqrt(2)) + erf(0.3 / width / sqrt(2))), n);
}
static int bell(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ncomp, (void)userdata;
  double s = 0;
  for (int j = 0; j < ndim; ++j) s += x[j] * x[j];
  *f = exp(-s);
  return 0;
}
/* The modulus of x to the power of the parameter. */
static int power(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp;
  *f = pow(x[0], *(const double *)userdata);
  return 0;
}
static int wave(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ncomp, (void)userdata;
  double s = 0;
  for (int j = 0; j < ndim; ++j) s += x[j];
  f[0] = cos(s);
  f[1] = sin(s);
  return 0;
}
/* Stops, or is not a number, from a call on. */
struct misbehaviour {
  int64_t calls, from;
  int status;
};
static int misbehaving(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  struct misbehaviour *m = userdata;
  half_space(ndim, x, ncomp, f, NULL);
  if (++m->calls < m->from) return 0;
  if (m->status == 0) *f = NAN;
  return m->status;
}

static struct answer choose(tessera_solver *s) {
  struct answer a;
  memset(&a, 0, sizeof a);
  a.value = a.error = -1e300;
  a.status = tessera_integrate(s, TESSERA_AUTO, &a.value, &a.error);
  snprintf(a.sentence, sizeof a.sentence, "%s", tessera_last_error(s));
  a.evaluations = got_int(s, TESSERA_EVALUATIONS);
  a.regions = got_int(s, TESSERA_REGIONS);
  a.iterations = got_int(s, TESSERA_ITERATIONS);
  return a;
}

static void expect(tessera_solver *s, double exact, int method) {
  const struct answer a = choose(s);
  assert_status(s, a.status, TESSERA_OK);
  assert_at_most(fabs(a.value - exact), got_real(s, TESSERA_RELTOL) * fabs(exact));
  assert_at_most(a.error, got_real(s, TESSERA_RELTOL) * fabs(a.value) * (1 + 1e-12));
  assert_int_equal(got_int(s, TESSERA_METHOD_USED), method);
}

static tessera_solver *solver_for(int ndim, tessera_integrand1 f, double reltol) {
  tessera_solver *s = solver_of(ndim, 1);
  put_point(s, f, NULL);
  put_real(s, TESSERA_RELTOL, reltol);
  return s;
}

static void smooth_8d(void **state) {
  (void)state;
  tessera_solver *s = solver_for(8, product_cosine, 1e-7);
  expect(s, pow(sin(1), 8), TESSERA_CUBATURE);
  assert_at_most((double)got_int(s, TESSERA_EVALUATIONS), 3e5);
  tessera_destroy(s);
}

static void smooth_40d(void **state) {
  (void)state;
  tessera_solver *s = solver_for(40, decaying_product, 1e-6);
  const struct answer a = choose(s);
  assert_status(s, a.status, TESSERA_OK);
  assert_at_most(fabs(a.value - 1), 1e-6);
  assert_true(got_int(s, TESSERA_METHOD_USED) != TESSERA_CUBATURE);
  assert_at_most((double)a.evaluations, 5e5); /* independent points need 1e11 */
  tessera_destroy(s);
}

/* The method that meets the tolerance as its share ends says so before another one has its turn: nothing is evaluated beside. */
static void who_is_there_claims(void **state) {
  double value, error;
  int64_t alone = 0;
  (void)state;
  for (int method = TESSERA_MONTECARLO;; method = TESSERA_AUTO) {
    tessera_solver *s = solver_of(10, 1);
    put_point(s, product_peaks, NULL);
    put_real(s, TESSERA_RELTOL, 1e-3);
    assert_int_equal(tessera_integrate(s, method, &value, &error), TESSERA_OK);
    const int64_t evaluations = got_int(s, TESSERA_EVALUATIONS);
    tessera_destroy(s);
    if (method == TESSERA_AUTO) {
      assert_int_equal(evaluations, alone);
      return;
    }
    assert_int_equal(alone = evaluations, 4096); /* the share of a trial, else this shows nothing */
  }
}
static void peak(void **state) {
  (void)state;
  tessera_solver *s = solver_for(5, narrow_peak, 1e-3);
  expect(s, peak_exact(5), TESSERA_CUBATURE);
  tessera_destroy(s);
}

static void infinite_ranges(void **state) {
  (void)state;
  double lower[4], upper[4];
  for (int j = 0; j < 4; ++j) lower[j] = j < 2 ? -INFINITY : INFINITY, upper[j] = j < 2 ? INFINITY : 0;
  tessera_solver *s = solver_for(4, bell, 1e-5);
  assert_status(s, tessera_set_domain(s, lower, upper), TESSERA_OK);
  expect(s, acos(-1) * acos(-1) / 4, TESSERA_CUBATURE);
  tessera_destroy(s);
}

static void one_variable(void **state) {
  (void)state;
  double exponent = -0.5;
  tessera_solver *s = solver_of(1, 1);
  put_point(s, power, &exponent);
  expect(s, 2, TESSERA_QUADRATURE);
  put_int(s, TESSERA_RULE, TESSERA_RULE_DEGREE9); /* neither quadrature nor cubature has it in one variable */
  exponent = 2;
  put_real(s, TESSERA_RELTOL, 1e-4);
  struct answer a = choose(s);
  assert_status(s, a.status, TESSERA_OK);
  assert_at_most(fabs(a.value - 1.0 / 3), 1e-4);
  assert_true(got_int(s, TESSERA_METHOD_USED) == TESSERA_LATTICE ||
              got_int(s, TESSERA_METHOD_USED) == TESSERA_MONTECARLO);
  tessera_destroy(s);
}

static void components_and_complex_values(void **state) {
  (void)state;
  double v[3], e[3];
  tessera_solver *s = solver_of(6, 3);
  put_point(s, product_cosine, NULL);
  assert_status(s, tessera_integrate(s, TESSERA_AUTO, v, e), TESSERA_OK);
  for (int k = 0; k < 3; ++k) assert_at_most(fabs(v[k] / ((k + 1) * pow(sin(1), 6)) - 1), 1e-6);
  tessera_destroy(s);
  /* The imaginary part of the integral over [-1,1] is 0, which no relative tolerance of its own would do for. */
  s = solver_of(6, 2);
  put_point(s, wave, NULL);
  put_cube(s, 6, -1, 1);
  put_int(s, TESSERA_COMPLEX, 1);
  assert_status(s, tessera_integrate(s, TESSERA_AUTO, v, e), TESSERA_OK);
  const double exact = pow(2 * sin(1), 6);
  assert_at_most(hypot(v[0] - exact, v[1]), 1e-6 * exact);
  tessera_destroy(s);
}

static int under_the_diagonal(int ndim, int axis, const double *x, double *lower, double *upper, void *userdata) {
  (void)ndim, (void)userdata;
  *lower = 0;
  *upper = x[axis - 1];
  return 0;
}
static void limits_as_functions(void **state) {
  (void)state;
  tessera_solver *s = solver_for(3, product_cosine, 1e-6);
  for (int axis = 1; axis < 3; ++axis)
    assert_status(s, tessera_set_limits(s, axis, under_the_diagonal, NULL), TESSERA_OK);
  const struct answer a = choose(s);
  assert_status(s, a.status, TESSERA_OK);
  assert_at_most(fabs(a.value / (pow(sin(1), 3) / 6) - 1), 1e-6);
  tessera_destroy(s);
}

struct lines {
  int choices;
  char last[2048];
};
static void keep_line(int level, const char *line, void *userdata) {
  (void)level;
  struct lines *const l = userdata;
  if (!strstr(line, "automatic choice")) return;
  ++l->choices;
  snprintf(l->last, sizeof l->last, "%s", line);
}

/* Cubature seems to need the fewest evaluations and then does not come to an end: another method does. */
static void fallback(void **state) {
  (void)state;
  struct lines l = {0, ""};
  tessera_solver *s = solver_for(8, half_space, 1e-2);
  assert_status(s, tessera_set_log(s, keep_line, &l), TESSERA_OK);
  const struct answer a = choose(s);
  assert_status(s, a.status, TESSERA_OK);
  assert_at_most(fabs(a.value - half_space_exact(8)), 1e-2 * half_space_exact(8));
  assert_says(l.last, "chooses cubature");
  assert_says(l.last, "stalls: cubature");
  assert_true(got_int(s, TESSERA_METHOD_USED) != TESSERA_CUBATURE);
  tessera_destroy(s);
}

static void memory(void **state) {
  (void)state;
  tessera_solver *s = solver_for(5, narrow_peak, 1e-3);
  put_int(s, TESSERA_MAX_MEMORY, 1300000);
  expect(s, peak_exact(5), TESSERA_CUBATURE);
  assert_at_most((double)got_int(s, TESSERA_PEAK_MEMORY), 1300000);
  put_int(s, TESSERA_MAX_MEMORY, 1000);
  assert_int_equal(choose(s).status, TESSERA_ERR_MEMORY);
  assert_says(tessera_last_error(s), "TESSERA_MAX_MEMORY");
  tessera_destroy(s);
}

static void what_a_method_refuses(void **state) {
  (void)state;
  tessera_solver *s = solver_for(5, product_cosine, 1e-4);
  put_int(s, TESSERA_NDIM_LIMIT, 4); /* cubature is no candidate */
  const struct answer a = choose(s);
  assert_status(s, a.status, TESSERA_OK);
  assert_true(got_int(s, TESSERA_METHOD_USED) != TESSERA_CUBATURE);
  put_int(s, TESSERA_COMPLEMENT, 2); /* nobody in five variables */
  assert_int_equal(choose(s).status, TESSERA_ERR_UNSUPPORTED);
  assert_says(tessera_last_error(s), "TESSERA_COMPLEMENT");
  tessera_destroy(s);
}

static void limit_of_evaluations(void **state) {
  (void)state;
  static const int64_t limits[] = {1, 100, 3000, 20000, 200000};
  tessera_solver *s = solver_for(10, half_space, 1e-9);
  for (int i = 0; i < 5; ++i) {
    put_int(s, TESSERA_MAXEVAL, limits[i]);
    const struct answer a = choose(s);
    assert_status(s, a.status, TESSERA_LIMIT_EVALUATIONS);
    assert_at_most((double)a.evaluations, (double)limits[i] + 2700); /* one application of the rule */
    assert_true(isfinite(a.value));
    if (limits[i] >= 20000) assert_at_most(fabs(a.value - half_space_exact(10)), a.error);
  }
  tessera_destroy(s);
}

static int constant(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)x, (void)ncomp;
  *f = *(const double *)userdata;
  return 0;
}
static void zero_and_one(void **state) {
  (void)state;
  for (int ndim = 2; ndim <= 30; ndim += 14) {
    double height = 0;
    tessera_solver *s = solver_of(ndim, 1);
    put_point(s, constant, &height);
    const struct answer a = choose(s);
    assert_status(s, a.status, TESSERA_ALL_ZERO);
    assert_at_most(fabs(a.value), 0);
    height = 1;
    const struct answer b = choose(s);
    assert_status(s, b.status, TESSERA_OK);
    assert_at_most(fabs(b.value - 1), 1e-12);
    tessera_destroy(s);
  }
}

static void not_a_number(void **state) {
  (void)state;
  static const int64_t from[] = {5000, 15000, 25000, 100000};
  for (int i = 0; i < 4; ++i) {
    struct misbehaviour m = {0, from[i], 0};
    tessera_solver *s = solver_of(8, 1);
    put_point(s, misbehaving, &m);
    const struct answer a = choose(s);
    assert_status(s, a.status, TESSERA_NONFINITE);
    assert_says(a.sentence, "nan");
    tessera_destroy(s);
  }
}

static void stopped_by_the_integrand(void **state) {
  (void)state;
  static const int64_t from[] = {1, 5000, 15000, 25000, 100000};
  for (int i = 0; i < 5; ++i) {
    struct misbehaviour m = {0, from[i], 7};
    tessera_solver *s = solver_of(8, 1);
    put_point(s, misbehaving, &m);
    const struct answer a = choose(s);
    assert_status(s, a.status, i == 0 ? TESSERA_ERR_CALLBACK : TESSERA_CALLBACK_STOPPED);
    assert_int_equal(got_int(s, TESSERA_CALLBACK_STATUS), 7);
    tessera_destroy(s);
  }
}

static int stop_at(int64_t evaluations, int ncomp, const double *value, const double *error, int64_t remaining,
                   void *userdata) {
  (void)ncomp, (void)value, (void)error, (void)remaining;
  int64_t *const at = userdata;
  if (evaluations < at[1]) at[2] = 1; /* they only grow */
  at[1] = evaluations;
  return evaluations >= at[0];
}
static void cancelled(void **state) {
  (void)state;
  static const int64_t limits[] = {1, 3000, 12000, 50000, 500000};
  for (int i = 0; i < 5; ++i) {
    int64_t at[3] = {limits[i], 0, 0};
    tessera_solver *s = solver_for(8, half_space, 1e-7);
    put_real(s, TESSERA_PROGRESS_SECONDS, 0);
    assert_status(s, tessera_set_progress(s, stop_at, at), TESSERA_OK);
    const struct answer a = choose(s);
    assert_status(s, a.status, TESSERA_STOPPED);
    assert_true(a.evaluations >= limits[i]);
    assert_int_equal(at[2], 0);
    tessera_destroy(s);
  }
}

static void limit_of_time(void **state) {
  (void)state;
  tessera_solver *s = solver_for(8, half_space, 1e-9);
  put_int(s, TESSERA_MAXEVAL, INT64_C(1) << 40);
  put_real(s, TESSERA_MAX_SECONDS, 0.1);
  const struct answer a = choose(s);
  assert_status(s, a.status, TESSERA_LIMIT_TIME);
  assert_at_most(fabs(a.value - half_space_exact(8)), a.error);
  assert_at_most(got_real(s, TESSERA_SECONDS), 2);
  tessera_destroy(s);
}

static void threads(void **state) {
  (void)state;
  static const tessera_integrand1 integrands[] = {half_space, product_cosine, narrow_peak};
  for (int i = 0; i < 3; ++i) {
    struct answer one = {0};
    int64_t used = 0;
    for (int n = 1; n <= 3; n += 2) {
      tessera_solver *s = solver_for(4, integrands[i], 1e-2);
      put_int(s, TESSERA_THREADS, n);
      const struct answer a = choose(s), again = choose(s);
      assert_same_answer(a, again);
      if (n == 1) one = a, used = got_int(s, TESSERA_METHOD_USED);
      assert_same_answer(a, one);
      assert_int_equal(got_int(s, TESSERA_METHOD_USED), used);
      tessera_destroy(s);
    }
  }
}

static void discontinuity_12d_with_its_line(void **state) {
  (void)state;
  struct lines l = {0, ""};
  tessera_solver *s = solver_for(12, half_space, 3e-3);
  assert_status(s, tessera_set_log(s, keep_line, &l), TESSERA_OK);
  const struct answer a = choose(s);
  assert_status(s, a.status, TESSERA_OK);
  assert_at_most(fabs(a.value - half_space_exact(12)), 3e-3 * half_space_exact(12));
  assert_true(got_int(s, TESSERA_METHOD_USED) != TESSERA_CUBATURE);
  assert_int_equal(l.choices, 1);
  assert_says(l.last, "chooses");
  assert_says(l.last, "foreseen");
  assert_says(l.last, "cubature");
  assert_int_equal(got_int(s, TESSERA_MAXEVAL), 100000000);
  assert_int_equal(got_int(s, TESSERA_MINEVAL), 0);
  assert_int_equal(got_int(s, TESSERA_POINTS), 1024);
  assert_int_equal(got_int(s, TESSERA_SAMPLING), TESSERA_SAMPLING_AUTO);
  assert_int_equal(got_int(s, TESSERA_GENERATOR), TESSERA_GENERATOR_AUTO);
  tessera_destroy(s);
}

static int powers_of(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ncomp;
  *f = 1;
  for (int j = 0; j < ndim; ++j) *f *= pow(x[j], *(const double *)userdata);
  return 0;
}
static void many(void **state) {
  (void)state;
  enum { rows = 5 };
  double exponents[rows], value[rows], error[rows];
  int status[rows];
  for (int i = 0; i < rows; ++i) exponents[i] = 1 + 0.5 * i;
  tessera_solver *s = solver_of(4, 1);
  put_point(s, powers_of, NULL);
  put_cube(s, 4, 0, 2);
  assert_status(
      s, tessera_integrate_many(s, TESSERA_AUTO, rows, exponents, sizeof *exponents, NULL, NULL, value, error, status),
      TESSERA_OK);
  assert_int_equal(got_int(s, TESSERA_METHOD_USED), TESSERA_CUBATURE);
  for (int i = 0; i < rows; ++i) {
    assert_int_equal(status[i], TESSERA_OK);
    assert_at_most(fabs(value[i] / pow(pow(2, exponents[i] + 1) / (exponents[i] + 1), 4) - 1), 1e-6);
  }
  /* Boxes, the first of which is empty; the solver's own limits stay. */
  double lower[2][4] = {{0, 0, 0, 0}, {0, 0, 0, 0}}, upper[2][4] = {{1, 0, 1, 1}, {1, 1, 1, 1}}, one = 1;
  assert_status(s, tessera_set_params(s, &one, sizeof one), TESSERA_OK);
  assert_status(s, tessera_integrate_many(s, TESSERA_AUTO, 2, NULL, 0, lower[0], upper[0], value, error, status),
                TESSERA_OK);
  assert_at_most(fabs(value[0]), 0);
  assert_at_most(fabs(value[1] - 1.0 / 16), 1e-7);
  assert_at_most(fabs(choose(s).value - 16), 1e-4);
  tessera_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(smooth_8d),
      cmocka_unit_test(smooth_40d),
      cmocka_unit_test(who_is_there_claims),
      cmocka_unit_test(peak),
      cmocka_unit_test(infinite_ranges),
      cmocka_unit_test(one_variable),
      cmocka_unit_test(components_and_complex_values),
      cmocka_unit_test(limits_as_functions),
      cmocka_unit_test(fallback),
      cmocka_unit_test(memory),
      cmocka_unit_test(what_a_method_refuses),
      cmocka_unit_test(limit_of_evaluations),
      cmocka_unit_test(zero_and_one),
      cmocka_unit_test(not_a_number),
      cmocka_unit_test(stopped_by_the_integrand),
      cmocka_unit_test(cancelled),
      cmocka_unit_test(limit_of_time),
      cmocka_unit_test(threads),
      cmocka_unit_test(discontinuity_12d_with_its_line),
      cmocka_unit_test(many),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
