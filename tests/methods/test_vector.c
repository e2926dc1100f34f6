/* Integrands of several components share the points and converge together.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "cases.h"
#include "solve.h"

/* Moments of a Gaussian, on scales that could not be further apart. */
enum { components = 5 };
static const double scale[components] = {1, 1e-200, 1e200, 1e-3, 1e12};

static double component(int k, int ndim, const double *x, int64_t stride) {
  double r2 = 0, f;
  for (int j = 0; j < ndim; ++j) r2 += (x[j * stride] - 0.4) * (x[j * stride] - 0.4);
  f = exp(-6 * r2);
  for (int i = 0; i < k; ++i) f *= x[(i % ndim) * stride];
  return f * scale[k];
}

struct vector_record {
  int64_t calls, points;
  int wrong;
  int only; /* this component alone, or -1 */
};

static int point(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  struct vector_record *r = userdata;
  ++r->calls, ++r->points;
  r->wrong |= ncomp != (r->only < 0 ? components : 1);
  for (int k = 0; k < ncomp; ++k) f[k] = component(r->only < 0 ? k : r->only, ndim, x, 1);
  return 0;
}

static int batch(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf, void *userdata) {
  struct vector_record *r = userdata;
  ++r->calls, r->points += n;
  r->wrong |= ncomp != (r->only < 0 ? components : 1);
  for (int64_t i = 0; i < n; ++i)
    for (int k = 0; k < ncomp; ++k) f[k * ldf + i] = component(r->only < 0 ? k : r->only, ndim, x + i, ldx);
  return 0;
}

/* int_0^1 x^m exp(-6(x-0.4)^2) dx by the recursion of partial integration. */
static double moment(int m) {
  const double a = 6, c = 0.4, low = exp(-a * c * c), high = exp(-a * (1 - c) * (1 - c));
  double before = 0, now = sqrt(3.14159265358979323846 / a) / 2 * (erf(sqrt(a) * (1 - c)) + erf(sqrt(a) * c));
  for (int k = 0; k < m; ++k) {
    /* d(x^k e) = k x^(k-1) e - 2a (x - c) x^k e */
    const double boundary = high - (k == 0 ? low : 0);
    const double next = c * now + (k * before - boundary) / (2 * a);
    before = now, now = next;
  }
  return now;
}

static double exact(int k, int ndim) {
  double p = scale[k];
  for (int j = 0; j < ndim; ++j) p *= moment(k / ndim + (j < k % ndim));
  return p;
}

static void components_of_any_scale_converge(void **state) {
  (void)state;
  for (int ndim = 1; ndim <= 5; ++ndim)
    for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
      struct vector_record r = {0, 0, 0, -1};
      const double tolerance = ndim <= 3 ? 1e-8 : 1e-5;
      double value[components], error[components];
      tessera_solver *s = solver_of(ndim, components);
      put_point(s, point, &r);
      put_real(s, TESSERA_RELTOL, tolerance);
      put_int(s, TESSERA_SELECTION, selection);
      assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_OK);
      assert_false(r.wrong);
      assert_int_equal(r.calls, got_int(s, TESSERA_EVALUATIONS)); /* one call a point, not one a component */
      for (int k = 0; k < components; ++k) {
        assert_close(value[k], exact(k, ndim), tolerance, 0);
        assert_true(error[k] >= 0);
        assert_at_most(error[k], tolerance * fabs(value[k]));
        assert_at_most(fabs(value[k] - exact(k, ndim)), error[k] + 1e-13 * fabs(exact(k, ndim)));
      }
      tessera_destroy(s);
    }
}

static void batch_and_point_give_the_same_bits(void **state) {
  static const int ndims[] = {1, 2, 3, 4, 5, 8, 9, 12}; /* up to eight the points come from a table */
  (void)state;
  for (int i = 0; i < 8; ++i)
    for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
      struct vector_record r[2] = {{0, 0, 0, -1}, {0, 0, 0, -1}};
      double value[2][components], error[2][components];
      const int ndim = ndims[i];
      for (int form = 0; form < 2; ++form) {
        tessera_solver *s = solver_of(ndim, components);
        put_int(s, TESSERA_MAXEVAL, 1000000);
        if (form == 0) put_point(s, point, &r[form]);
        if (form == 1) put_batch(s, batch, &r[form]);
        put_real(s, TESSERA_RELTOL, 1e-4);
        put_int(s, TESSERA_SELECTION, selection);
        const int status = tessera_integrate(s, TESSERA_CUBATURE, value[form], error[form]);
        if (ndim <= 5) assert_status(s, status, TESSERA_OK);
        assert_true(status >= 0);
        assert_false(r[form].wrong);
        tessera_destroy(s);
      }
      assert_int_equal(r[0].points, r[1].points);
      assert_true(r[1].calls < r[0].calls);
      for (int k = 0; k < components; ++k) {
        assert_same_bits(value[1][k], value[0][k]);
        assert_same_bits(error[1][k], error[0][k]);
      }
    }
}

static void a_component_alone_has_the_value_it_has_among_others(void **state) {
  (void)state;
  struct vector_record all = {0, 0, 0, -1};
  double value[components], error[components];
  tessera_solver *s = solver_of(3, components);
  put_point(s, point, &all);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_OK);
  tessera_destroy(s);
  for (int k = 0; k < components; ++k) {
    struct vector_record one = {0, 0, 0, k};
    s = solver_of(3, 1);
    put_point(s, point, &one);
    const struct answer a = integrate(s);
    assert_int_equal(a.status, 0);
    assert_false(one.wrong);
    assert_at_most(fabs(a.value - value[k]), a.error + error[k]);
    tessera_destroy(s);
  }
}

static int equal_components(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  suite_f4(ndim, x, 1, f, userdata);
  for (int k = 1; k < ncomp; ++k) f[k] = f[0];
  return 0;
}

static void equal_components_have_the_bits_of_one(void **state) {
  double value[20], error[20];
  tessera_solver *s = solver_of(3, 1);
  (void)state;
  put_point(s, suite_f4, NULL);
  const struct answer a = integrate(s);
  tessera_destroy(s);
  s = solver_of(3, 20);
  put_point(s, equal_components, NULL);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_OK);
  assert_int_equal(got_int(s, TESSERA_EVALUATIONS), a.evaluations);
  for (int k = 0; k < 20; ++k) {
    assert_same_bits(value[k], a.value);
    assert_same_bits(error[k], a.error);
  }
  tessera_destroy(s);
}

/* A component whose integral is 0 has no relative error: it needs an absolute tolerance. */
static int odd_and_even(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp, (void)userdata;
  f[0] = exp(x[1]) * fabs(x[0]);
  f[1] = x[0] * exp(-x[0] * x[0]) * fabs(x[1] - 0.3);
  return 0;
}

static void a_vanishing_component_needs_an_absolute_tolerance(void **state) {
  (void)state;
  for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
    double value[2], error[2];
    tessera_solver *s = solver_of(2, 2);
    put_cube(s, 2, -1, 1);
    put_point(s, odd_and_even, NULL);
    put_int(s, TESSERA_SELECTION, selection);
    put_int(s, TESSERA_MAXEVAL, 1000000);
    assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_LIMIT_EVALUATIONS);
    assert_close(value[1], 0, 0, 1e-10);
    put_real(s, TESSERA_ABSTOL, 1e-6);
    assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_OK);
    assert_close(value[0], exp(1) - exp(-1), 1e-6, 0);
    assert_close(value[1], 0, 0, 1e-6);
    tessera_destroy(s);
  }
}

static int many(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)userdata;
  for (int k = 0; k < ncomp; ++k) f[k] = cos((k + 1) * x[0] / 100) + x[1];
  return 0;
}

static void a_thousand_components(void **state) {
  static double value[1000], error[1000];
  tessera_solver *s = solver_of(2, 1000);
  (void)state;
  put_point(s, many, NULL);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_OK);
  for (int k = 0; k < 1000; ++k) {
    const double a = (k + 1) / 100.0;
    assert_close(value[k], sin(a) / a + 0.5, 1e-6, 0);
  }
  tessera_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(components_of_any_scale_converge),
      cmocka_unit_test(batch_and_point_give_the_same_bits),
      cmocka_unit_test(a_component_alone_has_the_value_it_has_among_others),
      cmocka_unit_test(equal_components_have_the_bits_of_one),
      cmocka_unit_test(a_vanishing_component_needs_an_absolute_tolerance),
      cmocka_unit_test(a_thousand_components),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
