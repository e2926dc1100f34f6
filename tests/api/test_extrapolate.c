/* Limits of sequences: those that are known, by the method that suits them; noise; what cannot be.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdint.h>

#include "close.h"
#include "tessera.h"

enum { most = 200 };
static double s[most], h[most];

static double limit_of(int method, int64_t n, double *error) {
  double limit = -7;
  *error = -7;
  const int status =
      tessera_extrapolate(method, n, method == TESSERA_EXTRAPOLATE_RICHARDSON ? h : NULL, s, &limit, error);
  assert_int_equal(status, isfinite(*error) ? TESSERA_OK : TESSERA_NONFINITE);
  return limit;
}
static void check(int method, int64_t n, double limit, double within) {
  double error;
  const double found = limit_of(method, n, &error);
  assert_close(found, limit, within, within);
  assert_at_most(fabs(found - limit), error + 4e-16 * fabs(limit));
}

/* ln 2 from the alternating series: 1, 1/2, 5/6 ... converge as 1/n, their epsilon table as 5.8^-n. */
static void wynn(void **state) {
  (void)state;
  double sum = 0;
  for (int i = 0; i < 30; ++i) s[i] = sum += (i % 2 ? -1.0 : 1.0) / (i + 1);
  check(TESSERA_EXTRAPOLATE_EPSILON, 9, log(2), 1e-6);
  check(TESSERA_EXTRAPOLATE_EPSILON, 19, log(2), 1e-13);
  for (int i = 0; i < 30; ++i)
    s[i] = 3 - pow(0.9, i) + 2 * pow(-0.7, i); /* two geometric ones: exact from the fifth on */
  double error;
  assert_close(limit_of(TESSERA_EXTRAPOLATE_EPSILON, 9, &error), 3, 1e-9, 0);
  sum = 0;
  for (int i = 0; i < most; ++i) s[i] = sum += pow(-0.99, i); /* longer than any table */
  check(TESSERA_EXTRAPOLATE_EPSILON, most, 1 / 1.99, 1e-12);
}

/* (1 + h)^(1/h) to e, trapezoids of exp(x) */
static void richardson(void **state) {
  (void)state;
  for (int i = 0; i < 12; ++i) {
    h[i] = pow(0.5, i);
    s[i] = exp(log1p(h[i]) / h[i]);
  }
  check(TESSERA_EXTRAPOLATE_RICHARDSON, 12, exp(1), 1e-12);
  for (int i = 0; i < 7; ++i) {
    const int parts = i + 1;
    h[i] = 1.0 / ((double)parts * parts); /* the error is a series in its powers */
    s[i] = 0;
    for (int q = 0; q <= parts; ++q) s[i] += (q == 0 || q == parts ? 0.5 : 1) * exp((double)q / parts) / parts;
  }
  check(TESSERA_EXTRAPOLATE_RICHARDSON, 7, exp(1) - 1, 1e-11);
  for (int i = 0; i < 12; ++i) { /* members with noise: the error shows it */
    h[i] = pow(0.5, i);
    s[i] = 2 + h[i] + 1e-6 * sin(1000.0 * i);
  }
  double error;
  const double found = limit_of(TESSERA_EXTRAPOLATE_RICHARDSON, 12, &error);
  assert_at_most(fabs(found - 2), 1e-5);
  assert_true(error > 1e-8);
}

/* zeta(2) and zeta(1.5), which nothing else reaches */
static void levin(void **state) {
  (void)state;
  double sum = 0;
  for (int i = 0; i < 40; ++i) s[i] = sum += 1.0 / ((i + 1.0) * (i + 1.0));
  check(TESSERA_EXTRAPOLATE_LEVIN, 8, acos(-1) * acos(-1) / 6, 1e-5);
  check(TESSERA_EXTRAPOLATE_LEVIN, 12, acos(-1) * acos(-1) / 6, 1e-9);
  check(TESSERA_EXTRAPOLATE_LEVIN, 40, acos(-1) * acos(-1) / 6, 1e-9);
  sum = 0;
  for (int i = 0; i < 16; ++i) s[i] = sum += pow(i + 1.0, -1.5);
  check(TESSERA_EXTRAPOLATE_LEVIN, 14, 2.612375348685488, 1e-7);
}

/* Members that agree by accident: terms of a series that are 0, one at a time and five at a time; two equal values of a polynomial. */
static void accidents(void **state) {
  (void)state;
  for (int every = 2; every <= 6; ++every)
    for (int n = 3; n <= 60; ++n) {
      double sum = 0, error;
      for (int i = 0; i < n; ++i) s[i] = sum += i % every == 0 ? pow(-0.8, i / every) : 0;
      for (int method = TESSERA_EXTRAPOLATE_EPSILON; method <= TESSERA_EXTRAPOLATE_LEVIN; method += 2) {
        const double found = limit_of(method, n, &error);
        if (n > every) assert_at_most(fabs(found - 1 / 1.8), error + 1e-14);
      }
    }
  for (int n = 3; n <= 8; ++n) {
    double error;
    for (int i = 0; i < n; ++i) h[i] = pow(0.5, i), s[i] = 3 + (h[i] - 1) * (h[i] - 0.5);
    assert_same_bits(s[0], s[1]);
    const double found = limit_of(TESSERA_EXTRAPOLATE_RICHARDSON, n, &error);
    assert_close(found, 3.5, 1e-13, 0);
    assert_true(n > 3 || error > 0.1);
  }
}

static void constants_and_few_members(void **state) {
  (void)state;
  const int methods[] = {TESSERA_EXTRAPOLATE_EPSILON, TESSERA_EXTRAPOLATE_RICHARDSON, TESSERA_EXTRAPOLATE_LEVIN};
  for (int m = 0; m < 3; ++m)
    for (int kind = 0; kind < 3; ++kind)
      for (int n = 1; n <= 20; ++n) {
        double error;
        for (int i = 0; i < n; ++i) {
          h[i] = 1.0 / (i + 1);
          s[i] = kind == 0 ? 0 : kind == 1 ? -2.5 : 1 + (i % 2) * 1e300;
        }
        const double found = limit_of(methods[m], n, &error);
        assert_true(isfinite(found) && error >= 0);
        if (kind < 2) assert_close(found, s[0], 1e-15, 0);
        if (kind == 1 && n == 1) assert_true(isinf(error));
        if (kind == 2 && n > 1 && m < 2) assert_true(error > 1e280 || fabs(found - 5e299) < 1e299);
      }
}

static void what_cannot_be(void **state) {
  (void)state;
  double limit = -7, error = -8;
  const double good[] = {1, 0.5, 0.25, 0.125}, turns[] = {1, 0.5, -0.25, 0.125}, grows[] = {1, 2, 3, 4},
               zero[] = {1, 0.5, 0.25, 0}, bad[] = {1, 2, NAN, 4}, infinite[] = {1, 2, INFINITY, 4};
  const int e = TESSERA_EXTRAPOLATE_EPSILON, r = TESSERA_EXTRAPOLATE_RICHARDSON, l = TESSERA_EXTRAPOLATE_LEVIN;
  assert_int_equal(tessera_extrapolate(0, 4, NULL, good, &limit, &error), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_extrapolate(4, 4, NULL, good, &limit, &error), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_extrapolate(e, 0, NULL, good, &limit, &error), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_extrapolate(e, -1, NULL, good, &limit, &error), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_extrapolate(e, 4, NULL, NULL, &limit, &error), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_extrapolate(e, 4, NULL, good, NULL, &error), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_extrapolate(e, 4, NULL, good, &limit, NULL), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_extrapolate(e, 4, good, good, &limit, &error), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_extrapolate(r, 4, NULL, good, &limit, &error), TESSERA_ERR_ARGUMENT);
  for (int m = e; m <= l; ++m) {
    const double *const p = m == r ? good : NULL;
    assert_int_equal(tessera_extrapolate(m, 4, p, bad, &limit, &error), TESSERA_ERR_ARGUMENT);
    assert_int_equal(tessera_extrapolate(m, 4, p, infinite, &limit, &error), TESSERA_ERR_ARGUMENT);
  }
  const double *const parameters[] = {turns, grows, zero, bad};
  for (int i = 0; i < 4; ++i)
    assert_int_equal(tessera_extrapolate(r, 4, parameters[i], good, &limit, &error), TESSERA_ERR_ARGUMENT);
  assert_true(limit == -7 && error == -8);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wynn),
      cmocka_unit_test(richardson),
      cmocka_unit_test(levin),
      cmocka_unit_test(accidents),
      cmocka_unit_test(constants_and_few_members),
      cmocka_unit_test(what_cannot_be),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
