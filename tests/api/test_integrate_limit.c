/* Limits of integrals as a parameter goes to 0: values known in closed form, noise, limits that are none, every way to end, bad input.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "close.h"
#include "tessera.h"

enum { most = 40 };
struct block {
  int64_t kind;
  double delta, c;
};
static int64_t calls_left = -1; /* < 0: any number */

/* Re and Im of 1/(x - c - i delta) in x, times what the other coordinates are averaged to. */
static int loop(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const struct block *b = userdata;
  if (calls_left == 0) return 1;
  if (calls_left > 0) --calls_left;
  double d = x[0] - b->c, rest = 1;
  for (int j = 1; j < ndim; ++j) rest *= 2 * x[j];
  const double r = d * d + b->delta * b->delta;
  switch (b->kind) {
    case 1:
      d = 1 / (x[0] + 1 + b->delta);
      break;
    case 2:
      d = 1 / (x[0] + b->delta);
      break; /* no limit */
    case 3:
      d = b->delta < 0.02 ? NAN : 1 / (x[0] + 1 + b->delta);
      break;
    default:
      d /= r;
  }
  f[0] = rest * d;
  if (ncomp > 1) f[1] = rest * b->delta / r;
  return 0;
}

static tessera_solver *solver(int ndim, int ncomp, int64_t kind, double c, double reltol) {
  const struct block b = {kind, NAN, c};
  tessera_solver *s = NULL;
  assert_int_equal(tessera_create(&s, ndim, ncomp), 0);
  assert_int_equal(tessera_set_integrand1(s, loop, NULL), 0);
  assert_int_equal(tessera_set_params(s, &b, sizeof b), 0);
  assert_int_equal(tessera_set_real(s, TESSERA_RELTOL, reltol), 0);
  calls_left = -1;
  return s;
}

static struct table {
  int count;
  double value[2], error[2], parameter[most], values[2 * most], errors[2 * most];
} t;
static int run(tessera_solver *s, int method, double first, double ratio, int how) {
  t.count = -7;
  t.value[0] = t.value[1] = t.error[0] = t.error[1] = -7;
  return tessera_integrate_limit(s, method, offsetof(struct block, delta), first, ratio, how, most, t.value, t.error,
                                 &t.count, t.parameter, t.values, t.errors);
}

/* The principal value log((1 - c)/c), and pi. */
static void above_threshold(void **state) {
  (void)state;
  for (int ndim = 1; ndim <= 3; ++ndim)
    for (int method = TESSERA_CUBATURE; method <= TESSERA_QUADRATURE; method += TESSERA_QUADRATURE - TESSERA_CUBATURE)
      for (int c = 2; c <= 4; c += 2) {
        if (method == TESSERA_QUADRATURE && ndim > 1) continue;
        const double exact[2] = {log((1 - 0.1 * c) / (0.1 * c)), acos(-1)};
        tessera_solver *s = solver(ndim, 2, 0, 0.1 * c, 1e-7);
        assert_int_equal(run(s, method, 0.5, 1 / 1.3, TESSERA_EXTRAPOLATE_EPSILON), 0);
        for (int k = 0; k < 2; ++k) {
          assert_at_most(fabs(t.value[k] - exact[k]), t.error[k] + 1e-14);
          assert_at_most(t.error[k], 1e-7 * fabs(t.value[k]));
        }
        assert_in_range(t.count, 6, most);
        double reltol;
        int64_t evaluations;
        assert_int_equal(tessera_get_real(s, TESSERA_RELTOL, &reltol), 0);
        assert_true(reltol == 1e-7); /* the user's, as before */
        assert_int_equal(tessera_get_int(s, TESSERA_EVALUATIONS, &evaluations), 0);
        assert_in_range(evaluations, 100 * t.count, INT64_MAX);
        tessera_destroy(s);
      }
}

/* log 2, by all three; the table holds the integrals. */
static void methods_and_table(void **state) {
  (void)state;
  for (int how = TESSERA_EXTRAPOLATE_EPSILON; how <= TESSERA_EXTRAPOLATE_LEVIN; ++how)
    for (int sign = -1; sign <= 1; sign += 2) {
      tessera_solver *s = solver(2, 1, 1, 0, 1e-8);
      assert_int_equal(run(s, TESSERA_CUBATURE, 0.4 * sign, 0.5, how), 0);
      assert_at_most(fabs(t.value[0] - log(2)), t.error[0] + 1e-15);
      double h = 0.4 * sign;
      for (int j = 0; j < t.count; ++j, h *= 0.5) {
        assert_true(t.parameter[j] == h);
        assert_at_most(fabs(t.values[j] - log((2 + h) / (1 + h))), t.errors[j] + 1e-15);
        assert_at_most(t.errors[j], 1e-8);
      }
      assert_int_equal(tessera_integrate_limit(s, TESSERA_CUBATURE, offsetof(struct block, delta), 0.4, 0.5, how, most,
                                               t.value, t.error, NULL, NULL, NULL, NULL),
                       0);
      tessera_destroy(s);
    }
}

static void no_limit(void **state) {
  (void)state;
  tessera_solver *s = solver(1, 1, 2, 0, 1e-6);
  for (int how = TESSERA_EXTRAPOLATE_EPSILON; how <= TESSERA_EXTRAPOLATE_LEVIN; ++how) {
    assert_int_equal(run(s, TESSERA_CUBATURE, 0.5, 0.7, how), TESSERA_SLOW_CONVERGENCE);
    assert_true(strstr(tessera_last_error(s), "integrals") != NULL);
    assert_at_most(1e-4 * fabs(t.value[0]), t.error[0]);
    assert_int_equal(t.count, most);
  }
  tessera_destroy(s);
}

/* Beyond double precision; an integrand that stops, that is not finite, that runs into a limit: what is known is there. */
static void ends(void **state) {
  (void)state;
  tessera_solver *s = solver(1, 1, 1, 0, 1e-15);
  const int status = run(s, TESSERA_CUBATURE, 0.4, 0.5, TESSERA_EXTRAPOLATE_EPSILON);
  assert_true(status > 0);
  assert_at_most(fabs(t.value[0] - log(2)), 1e-9);

  tessera_set_real(s, TESSERA_RELTOL, 1e-9);
  tessera_set_int(s, TESSERA_MAXEVAL, 60);
  assert_int_equal(run(s, TESSERA_CUBATURE, 0.4, 0.9, TESSERA_EXTRAPOLATE_EPSILON), TESSERA_LIMIT_EVALUATIONS);
  assert_true(isfinite(t.value[0]));
  tessera_set_int(s, TESSERA_MAXEVAL, 100000);
  tessera_set_real(s, TESSERA_MAX_SECONDS, 1e-9);
  assert_int_equal(run(s, TESSERA_CUBATURE, 0.4, 0.5, TESSERA_EXTRAPOLATE_EPSILON), TESSERA_LIMIT_TIME);
  tessera_set_real(s, TESSERA_MAX_SECONDS, 0);
  tessera_destroy(s);

  s = solver(1, 1, 3, 0, 1e-10);
  assert_int_equal(run(s, TESSERA_CUBATURE, 0.4, 0.7, TESSERA_EXTRAPOLATE_EPSILON), TESSERA_NONFINITE);
  assert_int_equal(t.count, 9); /* those with a parameter above 0.02 */
  assert_at_most(fabs(t.value[0] - log(2)), t.error[0]);
  tessera_destroy(s);

  s = solver(1, 1, 1, 0, 1e-9);
  tessera_set_int(s, TESSERA_THREADS, 1);
  calls_left = 0;
  t.value[0] = -7;
  assert_int_equal(run(s, TESSERA_CUBATURE, 0.4, 0.7, TESSERA_EXTRAPOLATE_EPSILON), TESSERA_ERR_CALLBACK);
  assert_true(t.value[0] == -7);
  tessera_destroy(s);
}

static void bad_input(void **state) {
  (void)state;
  tessera_solver *s = solver(1, 1, 1, 0, 1e-6);
  const struct {
    size_t offset;
    double first, ratio;
    int how, most;
    const char *says;
  } bad[] = {{sizeof(struct block) - 7, 0.1, 0.5, 1, 20, "offset"},
             {SIZE_MAX, 0.1, 0.5, 1, 20, "offset"},
             {8, 0, 0.5, 1, 20, "first"},
             {8, NAN, 0.5, 1, 20, "first"},
             {8, INFINITY, 0.5, 1, 20, "first"},
             {8, 0.1, 1, 1, 20, "ratio"},
             {8, 0.1, 0, 1, 20, "ratio"},
             {8, 0.1, NAN, 1, 20, "ratio"},
             {8, 0.1, 0.5, 0, 20, "extrapolation"},
             {8, 0.1, 0.5, 4, 20, "extrapolation"},
             {8, 0.1, 0.5, 1, 5, "most"},
             {8, 0.1, 0.5, 1, 101, "most"},
             {8, 1e-300, 1e-9, 1, 20, "ratio"}};
  double value = -7, error = -7;
  for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
    assert_int_equal(tessera_integrate_limit(s, TESSERA_CUBATURE, bad[i].offset, bad[i].first, bad[i].ratio, bad[i].how,
                                             bad[i].most, &value, &error, NULL, NULL, NULL, NULL),
                     TESSERA_ERR_ARGUMENT);
    assert_true(strstr(tessera_last_error(s), bad[i].says) != NULL);
  }
  assert_int_equal(tessera_integrate_limit(s, 99, 8, 0.1, 0.5, 1, 20, &value, &error, NULL, NULL, NULL, NULL),
                   TESSERA_ERR_ARGUMENT);
  assert_int_equal(
      tessera_integrate_limit(s, TESSERA_CUBATURE, 8, 0.1, 0.5, 1, 20, NULL, &error, NULL, NULL, NULL, NULL),
      TESSERA_ERR_ARGUMENT);
  assert_int_equal(
      tessera_integrate_limit(NULL, TESSERA_CUBATURE, 8, 0.1, 0.5, 1, 20, &value, &error, NULL, NULL, NULL, NULL),
      TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_set_params(s, NULL, 0), 0);
  assert_int_equal(
      tessera_integrate_limit(s, TESSERA_CUBATURE, 0, 0.1, 0.5, 1, 20, &value, &error, NULL, NULL, NULL, NULL),
      TESSERA_ERR_ARGUMENT);
  assert_true(value == -7 && error == -7);
  tessera_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(above_threshold), cmocka_unit_test(methods_and_table),
                                     cmocka_unit_test(no_limit), cmocka_unit_test(ends), cmocka_unit_test(bad_input)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
