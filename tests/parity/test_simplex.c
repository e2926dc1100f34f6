/* On device 0: simplices by both maps give what they give on the host, by every method that runs there, single integrals and many, beside a
 * callback and alone. Skipped where there is no device. SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "skip.h"
#include "solve.h"

enum { device = 0 };
static const int methods[] = {TESSERA_CUBATURE, TESSERA_LATTICE, TESSERA_MONTECARLO};
static const int maps[] = {TESSERA_SIMPLEX_DUFFY, TESSERA_SIMPLEX_SYMMETRIC};
static const double vertices[] = {0.5, -1, 2, 3, 0, 0, -2, 0.25, 1, 1, 3, -1};

static const char text[] =
    "double f(const double *x, const double *p) { return p[0] * exp(x[0] - 0.5 * x[1] * x[2]); }\n";
static int callback(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp;
  f[0] = *(const double *)userdata * exp(x[0] - 0.5 * x[1] * x[2]);
  return 0;
}

static tessera_solver *made(int map, int own, int method, int where) {
  const double scale = 2;
  tessera_solver *s = solver_of(3, 1);
  assert_status(s, tessera_set_params(s, &scale, sizeof scale), TESSERA_OK);
  assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, text, "f"), TESSERA_OK);
  assert_status(s, tessera_set_simplex(s, map, own ? vertices : NULL), TESSERA_OK);
  put_real(s, TESSERA_RELTOL, method == TESSERA_CUBATURE && map == TESSERA_SIMPLEX_DUFFY ? 1e-9 : 1e-3);
  put_int(s, TESSERA_DEVICE, where);
  return s;
}

static void host_and_device_agree(void **state) {
  (void)state;
  for (int m = 0; m < 2; ++m)
    for (int own = 0; own < 2; ++own)
      for (int k = 0; k < 3; ++k)
        for (int beside = 0; beside < 2; ++beside) {
          double value[2], error[2];
          for (int at = 0; at < 2; ++at) {
            tessera_solver *s = made(maps[m], own, methods[k], at == 0 ? TESSERA_DEVICE_HOST : device);
            if (beside) put_point(s, callback, NULL); /* compared with the text, which is mapped by the kernels */
            assert_status(s, tessera_integrate(s, methods[k], &value[at], &error[at]), TESSERA_OK);
            assert_int_equal(got_int(s, TESSERA_DEVICE_USED), at == 0 ? TESSERA_DEVICE_HOST : device);
            tessera_destroy(s);
          }
          assert_close(value[1], value[0], 1e-13, 6 * (error[0] + error[1]));
        }
}

static void many_and_other_vertices(void **state) {
  (void)state;
  const double params[] = {1, 2, 5};
  double value[2][3], error[2][3], single;
  for (int at = 0; at < 2; ++at) {
    tessera_solver *s = made(TESSERA_SIMPLEX_DUFFY, 1, TESSERA_CUBATURE, at == 0 ? TESSERA_DEVICE_HOST : device);
    assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, &single, error[at]), TESSERA_OK);
    assert_status(s, tessera_set_simplex(s, TESSERA_SIMPLEX_DUFFY, NULL),
                  TESSERA_OK); /* other kernels, not those kept */
    assert_status(s,
                  tessera_integrate_many(s, TESSERA_CUBATURE, 3, params, sizeof params[0], NULL, NULL, value[at],
                                         error[at], NULL),
                  TESSERA_OK);
    for (int i = 0; i < 3; ++i) assert_close(value[at][i], params[i] * value[0][0], 1e-8, 0);
    assert_true(fabs(single / value[at][1] - 1) > 0.1);
    tessera_destroy(s);
  }
}

static void points_that_are_not_finite_are_those_of_the_simplex(void **state) {
  (void)state;
  double value, error;
  for (int k = 0; k < 3; ++k) {
    tessera_solver *s = solver_of(2, 1);
    const double far[] = {100, 200, 101, 200, 100, 201};
    assert_status(s,
                  tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA,
                                               "double f(const double *x) { return sqrt(150 - x[0] - 1e-9 * x[1]) * "
                                               "(x[0] < 100.5 ? 1 : nan(\"\")); }\n",
                                               "f"),
                  TESSERA_OK);
    assert_status(s, tessera_set_simplex(s, TESSERA_SIMPLEX_DUFFY, far), TESSERA_OK);
    put_int(s, TESSERA_DEVICE, device);
    assert_status(s, tessera_integrate(s, methods[k], &value, &error), TESSERA_NONFINITE);
    assert_says(tessera_last_error(s), "x = (100.");
    tessera_destroy(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(host_and_device_agree),
      cmocka_unit_test(many_and_other_vertices),
      cmocka_unit_test(points_that_are_not_finite_are_those_of_the_simplex),
  };
  if (lacks_device(made(TESSERA_SIMPLEX_DUFFY, 0, TESSERA_CUBATURE, device), device)) return no_device_here();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
