/* Limits that are functions of the coordinates before: simplices, balls, wedges, by all methods and forms of the integrand.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdint.h>

#include "cases.h"
#include "solve.h"

static const int methods[] = {TESSERA_CUBATURE, TESSERA_LATTICE, TESSERA_MONTECARLO};

/* 0 < x[0], x[0] + ... + x[ndim-1] < 1 */
static int simplex(int ndim, int axis, const double *x, double *lower, double *upper, void *userdata) {
  (void)ndim, (void)userdata;
  *lower = 0;
  *upper = 1;
  for (int j = 0; j < axis; ++j) *upper -= x[j];
  return 0;
}
static int ball(int ndim, int axis, const double *x, double *lower, double *upper, void *userdata) {
  (void)ndim;
  double rest = *(const double *)userdata * *(const double *)userdata;
  for (int j = 0; j < axis; ++j) rest -= x[j] * x[j];
  *upper = sqrt(fmax(rest, 0));
  *lower = -*upper;
  return 0;
}
static int wedge(int ndim, int axis, const double *x, double *lower, double *upper, void *userdata) {
  (void)ndim, (void)userdata;
  *lower = x[axis - 1];
  *upper = 2 * x[axis - 1];
  return 0;
}
static int bell(int ndim, int axis, const double *x, double *lower, double *upper, void *userdata) {
  (void)ndim, (void)userdata;
  *lower = 0;
  *upper = exp(-x[axis - 1] * x[axis - 1]);
  return 0;
}

static int one(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)x, (void)userdata;
  for (int k = 0; k < ncomp; ++k) f[k] = k + 1;
  return 0;
}
static int product(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ncomp, (void)userdata;
  f[0] = 1;
  for (int j = 0; j < ndim; ++j) f[0] *= x[j];
  return 0;
}
static int product_batch(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf,
                         void *userdata) {
  for (int64_t i = 0; i < n; ++i) {
    double at[8];
    for (int j = 0; j < ndim; ++j) at[j] = x[j * ldx + i];
    if (userdata) ++*(int64_t *)userdata;
    product(ndim, at, ncomp, f + i, NULL);
  }
  (void)ldf;
  return 0;
}

static void all_axes(tessera_solver *s, int first, int ndim, tessera_limits fn, void *userdata) {
  for (int j = first; j < ndim; ++j) assert_status(s, tessera_set_limits(s, j, fn, userdata), TESSERA_OK);
}

static struct answer by(tessera_solver *s, int method) {
  struct answer a = {0};
  a.status = tessera_integrate(s, method, &a.value, &a.error);
  a.evaluations = got_int(s, TESSERA_EVALUATIONS);
  return a;
}

static void simplices(void **state) {
  (void)state;
  double moment = 1; /* of the product of the coordinates: 1/(2 ndim)! */
  for (int ndim = 1; ndim <= (sanitized ? 4 : 6); ++ndim) {
    moment /= (2.0 * ndim) * (2.0 * ndim - 1);
    tessera_solver *s = solver_of(ndim, 1);
    put_point(s, product, NULL);
    all_axes(s, 1, ndim, simplex, NULL);
    put_real(s, TESSERA_RELTOL, 1e-6);
    const struct answer a = by(s, TESSERA_CUBATURE);
    assert_status(s, a.status, TESSERA_OK);
    assert_close(a.value, moment, 1e-6, 0);
    put_real(s, TESSERA_RELTOL, 1e-3);
    for (int m = 1; m < 3; ++m) {
      const struct answer b = by(s, methods[m]);
      assert_status(s, b.status, TESSERA_OK);
      assert_close(b.value, moment, 0, 4 * b.error + 1e-15 * moment);
    }
    tessera_destroy(s);
  }
}

static void balls_wedges_and_infinite_ranges(void **state) {
  (void)state;
  double radius = 2, value[2], error[2];
  tessera_solver *s = solver_of(3, 2);
  put_point(s, one, NULL);
  all_axes(s, 0, 3, ball, &radius);
  put_real(s, TESSERA_RELTOL, 1e-5);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_OK);
  for (int k = 0; k < 2; ++k) assert_close(value[k], (k + 1) * 4 * acos(-1) / 3 * 8, 1e-5, 0);
  tessera_destroy(s);

  s = solver_of(2, 1);
  put_point(s, product, NULL);
  all_axes(s, 1, 2, wedge, NULL);
  put_real(s, TESSERA_RELTOL, 1e-10);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_OK);
  assert_close(value[0], 3.0 / 8, 1e-10, 0);
  const double lower[] = {2, 7}, upper[] = {0, 7}; /* of the second axis it is of no account; reversed: the sign */
  assert_status(s, tessera_set_domain(s, lower, upper), TESSERA_OK);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_OK);
  assert_close(value[0], -3.0 / 8 * 16, 1e-10, 0);
  tessera_destroy(s);

  s = solver_of(2, 1);
  const double from[] = {-INFINITY, 0}, to[] = {INFINITY, 1};
  put_point(s, one, NULL);
  assert_status(s, tessera_set_domain(s, from, to), TESSERA_OK);
  all_axes(s, 1, 2, bell, NULL);
  put_real(s, TESSERA_RELTOL, 1e-8);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_OK);
  assert_close(value[0], sqrt(acos(-1)), 1e-8, 0);
  tessera_destroy(s);
}

static void forms_and_threads_agree(void **state) {
  (void)state;
  for (int m = 0; m < 3; ++m)
    for (int bulk = 0; bulk < 2; ++bulk) {
      struct answer a[3];
      for (int form = 0; form < 3; ++form) {
        tessera_solver *s = solver_of(4, 1);
        put_real(s, TESSERA_RELTOL, 1e-12);
        put_int(s, TESSERA_MAXEVAL, 100000);
        put_int(s, TESSERA_SELECTION, bulk ? TESSERA_SELECT_BULK : TESSERA_SELECT_WORST_FIRST);
        put_int(s, TESSERA_THREADS, form == 2 ? 3 : 1);
        all_axes(s, 1, 4, simplex, NULL);
        if (form == 1)
          put_batch(s, product_batch, NULL);
        else
          put_point(s, product, NULL);
        a[form] = by(s, methods[m]);
        tessera_destroy(s);
      }
      for (int form = 1; form < 3; ++form) {
        assert_int_equal(a[form].status, a[0].status);
        assert_int_equal(a[form].evaluations, a[0].evaluations);
        assert_same_bits(a[form].value, a[0].value);
        assert_same_bits(a[form].error, a[0].error);
      }
    }
}

/* No point outside the limits or on one of them, and none where there is nothing between them. */
struct seen {
  int64_t outside, points;
};
static int looks(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  struct seen *to = userdata;
  ++to->points;
  for (int j = 1; j < ndim; ++j)
    if (!(x[j] > x[j - 1] && x[j] < x[j - 1] + 1e-13)) ++to->outside;
  (void)ncomp;
  f[0] = fabs(x[ndim - 1] - 0.3);
  return 0;
}
static int narrow(int ndim, int axis, const double *x, double *lower, double *upper, void *userdata) {
  (void)ndim, (void)userdata;
  *lower = x[axis - 1];
  *upper = x[axis - 1] < 0.5 ? x[axis - 1] + 1e-13 : *lower;
  return 0;
}
static void points_lie_between_the_limits(void **state) {
  (void)state;
  for (int m = 0; m < 3; ++m) {
    struct seen to = {0, 0};
    tessera_solver *s = solver_of(3, 1);
    put_point(s, looks, &to);
    all_axes(s, 1, 3, narrow, NULL);
    put_int(s, TESSERA_MAXEVAL, 50000);
    const struct answer a = by(s, methods[m]);
    assert_true(a.status >= 0);
    assert_int_equal(to.outside, 0);
    assert_true(to.points > 0 && to.points < a.evaluations); /* half of the box has no inside */
    tessera_destroy(s);
  }
  int64_t calls = 0; /* of a batch callback likewise */
  tessera_solver *s = solver_of(3, 1);
  put_batch(s, product_batch, &calls);
  all_axes(s, 1, 3, narrow, NULL);
  put_int(s, TESSERA_MAXEVAL, 5000);
  const struct answer a = by(s, TESSERA_CUBATURE);
  assert_true(a.status >= 0 && calls > 0 && calls < a.evaluations);
  tessera_destroy(s);
}

/* A message about a point names it as the integrand has seen it. */
static int nan_above(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double *const seen = userdata;
  (void)ndim, (void)ncomp;
  f[0] = x[1] > 1.5 ? NAN : x[0];
  if (x[1] > 1.5 && seen[0] == 0) seen[0] = x[0], seen[1] = x[1];
  return 0;
}
static void messages_name_points_of_the_domain(void **state) {
  (void)state;
  for (int m = 0; m < 3; ++m) {
    double seen[2] = {0, 0}, value, error;
    char word[64];
    tessera_solver *s = solver_of(2, 1);
    put_point(s, nan_above, seen);
    all_axes(s, 1, 2, wedge, NULL);
    put_int(s, TESSERA_MAXEVAL, 20000);
    put_int(s, TESSERA_SPARSE, TESSERA_SPARSE_OFF);
    const int status = tessera_integrate(s, methods[m], &value, &error);
    assert_true(status == TESSERA_NONFINITE || status == TESSERA_ERR_CALLBACK);
    snprintf(word, sizeof word, "%.17g", seen[1]);
    assert_says(tessera_last_error(s), word);
    tessera_destroy(s);
  }
}

static int trouble(int ndim, int axis, const double *x, double *lower, double *upper, void *userdata) {
  const int kind = *(const int *)userdata;
  (void)ndim;
  *lower = 0;
  *upper = 1;
  if (x[axis - 1] < 0.99) return 0;
  if (kind == 0) *lower = 1.5;
  if (kind == 1) *upper = NAN;
  if (kind == 2) *upper = INFINITY;
  if (kind == 3) *lower = -1.7e308, *upper = 1.7e308;
  return kind == 4 ? 77 : 0;
}
static void what_cannot_be(void **state) {
  (void)state;
  const char *const says[] = {"cross", "nan", "inf", "finite distance", "77"};
  for (int kind = 0; kind < 5; ++kind)
    for (int m = 0; m < 3; ++m) {
      tessera_solver *s = solver_of(2, 1);
      put_point(s, product, NULL);
      all_axes(s, 1, 2, trouble, &kind);
      put_int(s, TESSERA_MAXEVAL, 1000000);
      put_real(s, TESSERA_RELTOL, 1e-13);
      double value = -7, error = -7;
      const int status = tessera_integrate(s, methods[m], &value, &error);
      if (status < 0) { /* at the first points of all */
        assert_status(s, status, TESSERA_ERR_CALLBACK);
        assert_true(value == -7 && error == -7);
      } else {
        assert_status(s, status, TESSERA_CALLBACK_STOPPED);
        assert_true(!isnan(error));
      }
      assert_says(tessera_last_error(s), says[kind]);
      if (kind < 4) assert_says(tessera_last_error(s), "axis 1");
      assert_int_equal(got_int(s, TESSERA_CALLBACK_STATUS), kind == 4 ? 77 : 0);
      tessera_destroy(s);
    }
  tessera_solver *s = solver_of(2, 1);
  put_point(s, product, NULL);
  assert_status(s, tessera_set_limits(s, -1, wedge, NULL), TESSERA_ERR_ARGUMENT);
  assert_status(s, tessera_set_limits(s, 2, wedge, NULL), TESSERA_ERR_ARGUMENT);
  assert_says(tessera_last_error(s), "axis = 2");
  assert_int_equal(tessera_set_limits(NULL, 0, wedge, NULL), TESSERA_ERR_ARGUMENT);
  all_axes(s, 1, 2, wedge, NULL);
  put_int(s, TESSERA_DEVICE, 0);
  double value = -7, error;
  assert_true(tessera_integrate(s, TESSERA_CUBATURE, &value, &error) < 0 && value == -7);
  put_int(s, TESSERA_DEVICE, TESSERA_DEVICE_HOST);
  put_int(s, TESSERA_COMPLEMENT, 1);
  assert_status(s, tessera_integrate(s, TESSERA_LATTICE, &value, &error), TESSERA_ERR_UNSUPPORTED);
  put_int(s, TESSERA_COMPLEMENT, 0);
  /* Without the function the axis has the limits that it was given before. */
  const double lower[] = {0, 1}, upper[] = {1, 3};
  assert_status(s, tessera_set_domain(s, lower, upper), TESSERA_OK);
  assert_status(s, tessera_set_limits(s, 1, NULL, NULL), TESSERA_OK);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, &value, &error), TESSERA_OK);
  assert_close(value, 2, 1e-12, 0);
  tessera_destroy(s);
}

/* Many integrals, over (0, a) and then (x, 2x), of c x y. */
static int scaled(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  product(ndim, x, ncomp, f, NULL);
  f[0] *= *(const double *)userdata;
  return 0;
}
static void many_integrals(void **state) {
  (void)state;
  enum { count = sanitized ? 12 : 40 };
  double params[count], lower[2 * count], upper[2 * count], value[count], error[count];
  int status[count];
  for (int i = 0; i < count; ++i) {
    params[i] = i + 1;
    lower[2 * i] = 0, upper[2 * i] = 1 + 0.1 * i;
    lower[2 * i + 1] = upper[2 * i + 1] = 5;
  }
  for (int m = 0; m < 3; ++m) {
    tessera_solver *s = solver_of(2, 1);
    put_point(s, scaled, NULL);
    put_int(s, TESSERA_THREADS, 2);
    all_axes(s, 1, 2, wedge, NULL);
    put_real(s, TESSERA_RELTOL, m == 0 ? 1e-9 : 1e-2);
    assert_status(
        s, tessera_integrate_many(s, methods[m], count, params, sizeof *params, lower, upper, value, error, status),
        TESSERA_OK);
    for (int i = 0; i < count; ++i)
      assert_close(value[i], params[i] * 3 / 8 * pow(upper[2 * i], 4), m == 0 ? 1e-9 : 5e-2, 0);
    tessera_destroy(s);
  }
}

/* An integrand that integrates over such a domain by itself. */
static int inner(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double radius = x[0], error;
  (void)ndim, (void)ncomp, (void)userdata;
  tessera_solver *s = solver_of(2, 1);
  put_point(s, one, NULL);
  all_axes(s, 0, 2, ball, &radius);
  put_real(s, TESSERA_RELTOL, 1e-4);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, f, &error), TESSERA_OK);
  tessera_destroy(s);
  return 0;
}
static void an_integrand_that_integrates(void **state) {
  (void)state;
  tessera_solver *s = solver_of(2, 1);
  put_point(s, inner, NULL);
  all_axes(s, 1, 2, wedge, NULL);
  put_real(s, TESSERA_RELTOL, 1e-3);
  const struct answer a = by(s, TESSERA_CUBATURE);
  assert_status(s, a.status, TESSERA_OK);
  assert_close(a.value, acos(-1) / 4, 1e-3, 0); /* of pi x^2 times x */
  tessera_destroy(s);
}

static void regions_go_on(void **state) {
  (void)state;
  double parts[2], whole[2], error;
  for (int half = 0; half < 2; ++half) {
    tessera_solver *s = solver_of(3, 1);
    double radius = 1;
    put_point(s, one, NULL);
    all_axes(s, 0, 3, ball, &radius);
    put_real(s, TESSERA_RELTOL, 1e-12);
    put_int(s, TESSERA_KEEP_REGIONS, 1);
    put_int(s, TESSERA_SPARSE, TESSERA_SPARSE_OFF);
    put_int(s, TESSERA_MAXEVAL, 20000);
    if (half == 0) {
      assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, whole, &error), TESSERA_LIMIT_EVALUATIONS);
    } else {
      double records[200 * TESSERA_REGION_LENGTH(3, 1)];
      int64_t n = 0;
      put_int(s, TESSERA_MAXEVAL, 10000);
      assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, parts, &error), TESSERA_LIMIT_EVALUATIONS);
      assert_status(s, tessera_get_regions(s, 0, 0, NULL, &n), TESSERA_OK);
      assert_true(n <= 200);
      assert_status(s, tessera_get_regions(s, 0, n, records, NULL), TESSERA_OK);
      for (int64_t i = 0; i < n * TESSERA_REGION_LENGTH(3, 1); i += TESSERA_REGION_LENGTH(3, 1))
        assert_true(records[i] > 0 && records[i] < 1); /* of the box */
      assert_status(s, tessera_set_regions(s, n, records, got_int(s, TESSERA_EVALUATIONS)), TESSERA_OK);
      put_int(s, TESSERA_MAXEVAL, 20000);
      assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, parts, &error), TESSERA_LIMIT_EVALUATIONS);
    }
    tessera_destroy(s);
  }
  assert_same_bits(parts[0], whole[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(simplices),
      cmocka_unit_test(balls_wedges_and_infinite_ranges),
      cmocka_unit_test(forms_and_threads_agree),
      cmocka_unit_test(points_lie_between_the_limits),
      cmocka_unit_test(messages_name_points_of_the_domain),
      cmocka_unit_test(what_cannot_be),
      cmocka_unit_test(many_integrals),
      cmocka_unit_test(an_integrand_that_integrates),
      cmocka_unit_test(regions_go_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
