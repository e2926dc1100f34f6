/* TESSERA_QUADRATURE for many integrals in one call: the bits of single ones, calls that are shared, failures.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "solve.h"

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
  const struct CMUnitTest tests[] = {cmocka_unit_test(many_with_blocks), cmocka_unit_test(many_with_boxes),
                                     cmocka_unit_test(one_of_many_stops)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
