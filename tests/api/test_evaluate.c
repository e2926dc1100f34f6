/* tessera_evaluate: the integrand at points, without an integral. SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "solve.h"

enum { points = 5 };
static const double x[2 * points] = {0.1, 0.2, -3, 40, 0.5, 1, 2, 3, 4, 5}; /* most of them outside the domain */

static int calls;
static double offset;
static int product(int ndim, const double *at, int ncomp, double *f, void *userdata) {
  ++calls;
  for (int k = 0; k < ncomp; ++k) {
    f[k] = (k + 1) * (userdata ? *(double *)userdata : 1) + offset;
    for (int j = 0; j < ndim; ++j) f[k] *= at[j];
  }
  return at[0] == 99 ? 5 : 0;
}
static int64_t largest_call;
static int products(int64_t n, int ndim, const double *at, int64_t ldx, int ncomp, double *f, int64_t ldf,
                    void *userdata) {
  if (n > largest_call) largest_call = n;
  for (int64_t i = 0; i < n; ++i) {
    double point[2], value[2];
    for (int j = 0; j < ndim; ++j) point[j] = at[j * ldx + i];
    product(ndim, point, ncomp, value, userdata);
    for (int k = 0; k < ncomp; ++k) f[k * ldf + i] = value[k];
  }
  return 0;
}
static const char text[] =
    "int product(int ndim, const double *x, int ncomp, double *f, void *p) {\n"
    "  for (int k = 0; k < ncomp; ++k) {\n    f[k] = (k + 1) * (p ? *(double *)p : 1);\n"
    "    for (int j = 0; j < ndim; ++j) f[k] *= x[j];\n  }\n  return x[0] == 99 ? 5 : 0;\n}\n";

static int compiler_there(void) { return system("cc --version > /dev/null 2>&1") == 0; }

static void assert_products(const double *f, double scale) {
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < points; ++i) assert_close(f[k * points + i], scale * (k + 1) * x[i] * x[points + i], 1e-15, 0);
}

static void every_form_gives_its_values(void **state) {
  (void)state;
  double f[2 * points], scale = 3;
  tessera_solver *s = solver_of(2, 2);
  assert_int_equal(tessera_evaluate(s, points, x, f), TESSERA_ERR_NO_INTEGRAND);
  put_point(s, product, NULL);
  calls = 0;
  assert_status(s, tessera_evaluate(s, points, x, f), TESSERA_OK);
  assert_int_equal(calls, points);
  assert_products(f, 1);
  put_point(s, product, &scale);
  assert_status(s, tessera_evaluate(s, points, x, f), TESSERA_OK);
  assert_products(f, 3);
  put_batch(s, products, NULL);
  put_int(s, TESSERA_BATCH_POINTS, 2);
  assert_status(s, tessera_evaluate(s, points, x, f), TESSERA_OK);
  assert_int_equal(largest_call, 2);
  assert_products(f, 1);
  if (compiler_there()) {
    put_batch(s, NULL, NULL);
    assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_C, text, "product"), TESSERA_OK);
    assert_status(s, tessera_evaluate(s, points, x, f), TESSERA_OK);
    assert_products(f, 1);
    scale = 0.5;
    assert_status(s, tessera_set_params(s, &scale, sizeof scale), TESSERA_OK);
    assert_status(s, tessera_evaluate(s, points, x, f), TESSERA_OK);
    assert_products(f, 0.5);
  }
  tessera_destroy(s);
}

/* The domain and the statistics of the last run stay out of it. */
static void an_integral_is_not_disturbed(void **state) {
  (void)state;
  double f[2 * points], value[2], error[2];
  const double lower[2] = {0, 2}, upper[2] = {1, 2};
  tessera_solver *s = solver_of(2, 2);
  put_point(s, product, NULL);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_OK);
  const int64_t evaluations = got_int(s, TESSERA_EVALUATIONS);
  assert_status(s, tessera_set_domain(s, lower, upper), TESSERA_OK); /* an empty one */
  assert_status(s, tessera_set_simplex(s, 1, NULL), TESSERA_OK);
  assert_status(s, tessera_evaluate(s, points, x, f), TESSERA_OK);
  assert_products(f, 1);
  assert_int_equal(got_int(s, TESSERA_EVALUATIONS), evaluations);
  tessera_destroy(s);
}

static void wrong_arguments_are_named(void **state) {
  (void)state;
  double f[2 * points] = {0};
  tessera_solver *s = solver_of(2, 2);
  put_point(s, product, NULL);
  const struct {
    int64_t n;
    const double *x;
    double *f;
    const char *says;
  } wrong[] = {{-1, x, f, "n = -1"}, {1, NULL, f, "x is NULL"}, {1, x, NULL, "f is NULL"}, {INT64_MAX, x, f, "memory"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    assert_int_equal(tessera_evaluate(s, wrong[i].n, wrong[i].x, wrong[i].f), TESSERA_ERR_ARGUMENT);
    assert_says(tessera_last_error(s), wrong[i].says);
  }
  assert_int_equal(tessera_evaluate(NULL, 1, x, f), TESSERA_ERR_ARGUMENT);
  assert_status(s, tessera_evaluate(s, 0, NULL, NULL), TESSERA_OK);
  put_int(s, TESSERA_COMPLEMENT, 1);
  assert_int_equal(tessera_evaluate(s, 1, x, f), TESSERA_ERR_UNSUPPORTED);
  assert_says(tessera_last_error(s), "TESSERA_COMPLEMENT");
  put_int(s, TESSERA_COMPLEMENT, 0);
  put_int(s, TESSERA_DEVICE, 0);
  assert_int_equal(tessera_evaluate(s, 1, x, f), TESSERA_ERR_NO_INTEGRAND);
  put_int(s, TESSERA_DEVICE, -1);
  const double stop[2] = {99, 1};
  assert_int_equal(tessera_evaluate(s, 1, stop, f), TESSERA_ERR_CALLBACK);
  assert_says(tessera_last_error(s), "returned 5");
  tessera_destroy(s);
}

/* Where a device is wanted "if there is one" the text that would run there is compared with the callback at the points themselves. */
static void forms_are_compared_at_the_points(void **state) {
  (void)state;
  if (!compiler_there()) return;
  double f[2 * points];
  tessera_solver *s = solver_of(2, 2);
  put_int(s, TESSERA_DEVICE, -2);
  put_int(s, TESSERA_DISK_CACHE, 0);
  assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_C, text, "product"), TESSERA_OK);
  put_point(s, product, NULL);
  assert_status(s, tessera_evaluate(s, points, x, f), TESSERA_OK);
  assert_products(f, 1);
  offset = 1e-4;
  assert_int_equal(tessera_evaluate(s, points, x, f), TESSERA_ERR_CHECK);
  assert_says(tessera_last_error(s), "not the same integrand: component 1 at x = (40, 4)");
  put_real(s, TESSERA_CHECK_TOLERANCE, 1e-3);
  assert_status(s, tessera_evaluate(s, points, x, f), TESSERA_OK);
  offset = 0.1;
  assert_int_equal(tessera_evaluate(s, points, x, f), TESSERA_ERR_CHECK);
  offset = 0;
  tessera_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_form_gives_its_values),
      cmocka_unit_test(an_integral_is_not_disturbed),
      cmocka_unit_test(wrong_arguments_are_named),
      cmocka_unit_test(forms_are_compared_at_the_points),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
