/* TESSERA_WEIGHTS: over the points of an iteration of Monte Carlo the sum of weight times value is that iteration's estimate.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "close.h"
#include "solve.h"

enum { ndim = 3, ncomp = 2, most_iterations = 64 };

struct sums {
  double value[most_iterations][ncomp], weight[most_iterations];
  int64_t points[most_iterations];
  int iterations, strange;
};

static void at(const double *x, int64_t step, double *f) {
  f[0] = exp(-8 * (x[0] + 2 * x[step] * x[step])) / sqrt(x[2 * step]);
  f[1] = 1 + x[0];
}
static void note(struct sums *s, double weight, double iteration, const double *f, int64_t step) {
  const int i = (int)iteration - 1;
  if (iteration != i + 1 || i < 0 || i >= most_iterations || !(weight >= 0)) {
    ++s->strange;
    return;
  }
  if (i + 1 > s->iterations) s->iterations = i + 1;
  for (int k = 0; k < ncomp; ++k) s->value[i][k] += weight * f[k * step];
  s->weight[i] += weight;
  if (weight > 0) ++s->points[i];
}
static int point(int n, const double *x, int nc, double *f, void *userdata) {
  struct sums *s = userdata;
  s->strange += n != ndim || nc != ncomp;
  at(x, 1, f);
  note(s, x[ndim], x[ndim + 1], f, 1);
  return 0;
}
static int batch(int64_t n, int nd, const double *x, int64_t ldx, int nc, double *f, int64_t ldf, void *userdata) {
  struct sums *s = userdata;
  s->strange += nd != ndim || nc != ncomp;
  for (int64_t i = 0; i < n; ++i) {
    double v[ncomp];
    at(x + i, ldx, v);
    for (int k = 0; k < ncomp; ++k) f[k * ldf + i] = v[k];
    note(s, x[ndim * ldx + i], x[(ndim + 1) * ldx + i], f + i, ldf);
  }
  return 0;
}

static const double lower[ndim] = {0, -1, 0}, upper[ndim] = {2, 1, 4};
static const double volume = 16;

static tessera_solver *solver_for(int sampling, int antithetic, int in_batches, struct sums *sums) {
  tessera_solver *s = solver_of(ndim, ncomp);
  memset(sums, 0, sizeof *sums);
  assert_int_equal(tessera_set_domain(s, lower, upper), TESSERA_OK);
  put_int(s, TESSERA_WEIGHTS, 1);
  put_int(s, TESSERA_SAMPLING, sampling);
  put_int(s, TESSERA_ANTITHETIC, antithetic);
  put_int(s, TESSERA_POINTS, 20000);
  put_real(s, TESSERA_RELTOL, 0);
  put_real(s, TESSERA_CONFIDENCE, 0.9999);
  assert_int_equal(in_batches ? tessera_set_integrand(s, batch, sums) : tessera_set_integrand1(s, point, sums), 0);
  return s;
}

/* One iteration alone is the result, with or without a change of variables by the grid. */
static void test_one_iteration(void **state) {
  (void)state;
  for (int in_batches = 0; in_batches < 2; ++in_batches)
    for (int antithetic = 0; antithetic < 2; ++antithetic)
      for (int sampling = TESSERA_SAMPLING_PLAIN; sampling <= TESSERA_SAMPLING_VEGAS; ++sampling) {
        struct sums sums;
        double value[ncomp], error[ncomp];
        tessera_solver *s = solver_for(sampling, antithetic, in_batches, &sums);
        const int first = sampling == TESSERA_SAMPLING_VEGAS ? 1024 * (1 + antithetic) : 0;
        put_int(s, TESSERA_WARMUP, 0);
        put_int(s, TESSERA_MAXEVAL, first + 20000 * (1 + antithetic));
        assert_true(is_limit(tessera_integrate(s, TESSERA_MONTECARLO, value, error)));
        assert_int_equal(sums.strange, 0);
        assert_int_equal(sums.iterations, 1);
        assert_int_equal(sums.points[0], 20000 * (1 + antithetic));
        for (int k = 0; k < ncomp; ++k) assert_close(sums.value[0][k], value[k], 1e-12, 0);
        tessera_destroy(s);
      }
}

/* All iterations, each by its number of samples as in the result; those of the warm-up are right as well. */
static void test_all_iterations(void **state) {
  (void)state;
  struct sums sums;
  double value[ncomp], error[ncomp];
  tessera_solver *s = solver_for(TESSERA_SAMPLING_VEGAS, 0, 1, &sums);
  put_int(s, TESSERA_WARMUP, 3);
  put_int(s, TESSERA_MAXEVAL, 400000);
  assert_true(is_limit(tessera_integrate(s, TESSERA_MONTECARLO, value, error)));
  assert_int_equal(sums.strange, 0);
  int64_t iterations;
  assert_int_equal(tessera_get_int(s, TESSERA_ITERATIONS, &iterations), TESSERA_OK);
  assert_int_equal(sums.iterations, 3 + iterations);
  for (int k = 0; k < ncomp; ++k) {
    double sum = 0, points = 0;
    for (int i = 3; i < sums.iterations; ++i) {
      sum += (double)sums.points[i] * sums.value[i][k];
      points += (double)sums.points[i];
    }
    assert_close(sum / points, value[k], 1e-12, 0);
    for (int i = 0; i < 3; ++i) assert_close(sums.value[i][k], value[k], 0.2, 0);
  }
  for (int i = 0; i < sums.iterations; ++i) assert_close(sums.weight[i], volume, 0.1, 0);
  tessera_destroy(s);
}

/* Plain samples that follow: each addition is an iteration. */
static void test_plain(void **state) {
  (void)state;
  struct sums sums;
  double value[ncomp], error[ncomp];
  tessera_solver *s = solver_for(TESSERA_SAMPLING_PLAIN, 0, 0, &sums);
  put_int(s, TESSERA_INCREASE, 30000);
  put_int(s, TESSERA_MAXEVAL, 80000);
  assert_true(is_limit(tessera_integrate(s, TESSERA_MONTECARLO, value, error)));
  assert_int_equal(sums.iterations, 3);
  for (int k = 0; k < ncomp; ++k)
    assert_close((2 * sums.value[0][k] + 3 * sums.value[1][k] + 3 * sums.value[2][k]) / 8, value[k], 1e-12, 0);
  for (int i = 0; i < 3; ++i) assert_close(sums.weight[i], volume, 1e-12, 0);
  tessera_destroy(s);
}

/* The points and their values are the same with weights and without. */
static int without(int64_t n, int nd, const double *x, int64_t ldx, int nc, double *f, int64_t ldf, void *userdata) {
  (void)nd, (void)nc, (void)userdata;
  for (int64_t i = 0; i < n; ++i) {
    double v[ncomp];
    at(x + i, ldx, v);
    for (int k = 0; k < ncomp; ++k) f[k * ldf + i] = v[k];
  }
  return 0;
}
static void test_same_result(void **state) {
  (void)state;
  struct sums sums;
  double value[2][ncomp], error[2][ncomp];
  for (int weights = 0; weights < 2; ++weights) {
    tessera_solver *s = solver_for(TESSERA_SAMPLING_AUTO, 0, 1, &sums);
    put_int(s, TESSERA_WEIGHTS, weights);
    put_int(s, TESSERA_THREADS, weights ? 1 : 2);
    put_int(s, TESSERA_MAXEVAL, 300000);
    if (!weights) assert_int_equal(tessera_set_integrand(s, without, NULL), 0);
    assert_true(tessera_integrate(s, TESSERA_MONTECARLO, value[weights], error[weights]) >= 0);
    tessera_destroy(s);
  }
  for (int k = 0; k < ncomp; ++k) {
    assert_same_bits(value[1][k], value[0][k]);
    assert_same_bits(error[1][k], error[0][k]);
  }
}

/* A text is handed them as well. */
static void test_source(void **state) {
  (void)state;
  double value, error;
  tessera_solver *s = solver_of(2, 1);
  const char *text =
      "int f(int ndim, const double *x, int ncomp, double *f, void *u)"
      "{ f[0] = x[ndim] > 0 && x[ndim] < 1 && x[ndim + 1] >= 1 ? x[0] + x[1] : -1e3; return 0; }";
  put_int(s, TESSERA_WEIGHTS, 1);
  put_int(s, TESSERA_SAMPLING, TESSERA_SAMPLING_PLAIN);
  put_real(s, TESSERA_RELTOL, 1e-2);
  if (tessera_set_integrand_source(s, TESSERA_LANGUAGE_C, text, "f") == TESSERA_OK &&
      tessera_integrate(s, TESSERA_MONTECARLO, &value, &error) == TESSERA_OK)
    assert_close(value, 1, 0.03, 0);
  else
    assert_non_null(strstr(tessera_last_error(s), "compiler"));
  tessera_destroy(s);
}

static int half(int nd, int axis, const double *x, double *low, double *high, void *userdata) {
  (void)nd, (void)axis, (void)x, (void)userdata;
  *low = 0, *high = 0.5;
  return 0;
}
static void refused(tessera_solver *s, int method, const char *why) {
  double value[ncomp] = {7, 7}, error[ncomp] = {7, 7};
  assert_int_equal(tessera_integrate(s, method, value, error), TESSERA_ERR_UNSUPPORTED);
  assert_says(tessera_last_error(s), why);
}
static void test_refusals(void **state) {
  (void)state;
  struct sums sums;
  tessera_solver *s = solver_for(TESSERA_SAMPLING_AUTO, 0, 0, &sums);
  refused(s, TESSERA_CUBATURE, "TESSERA_WEIGHTS = 1 is for TESSERA_MONTECARLO");
  refused(s, TESSERA_LATTICE, "TESSERA_WEIGHTS = 1 is for TESSERA_MONTECARLO");
  refused(s, TESSERA_ITERATED, "TESSERA_WEIGHTS = 1 is for TESSERA_MONTECARLO");
  assert_int_equal(tessera_set_limits(s, 1, half, NULL), TESSERA_OK);
  refused(s, TESSERA_MONTECARLO, "TESSERA_WEIGHTS = 1 is for limits that are numbers");
  tessera_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_iteration), cmocka_unit_test(test_all_iterations),
                                     cmocka_unit_test(test_plain),         cmocka_unit_test(test_same_result),
                                     cmocka_unit_test(test_source),        cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
