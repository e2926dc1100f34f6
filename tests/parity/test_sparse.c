/* Sparse grids on device 0 and on the host: the same decisions, values apart by rounding. Skipped where there is no device.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "cases.h"
#include "skip.h"
#include "solve.h"

enum { device = 0 };

static const char text[] =
    "double wave(const double *x) {\n  double s = 0;\n"
    "  for (int j = 0; j < TESSERA_NDIM; ++j) s += (j + 1) * x[j];\n  return cos(s);\n}\n"
    "double radial(const double *x) {\n  double s = 0;\n"
    "  for (int j = 0; j < TESSERA_NDIM; ++j) s += x[j] * x[j];\n  return s * s * s * s * s * s * s * sqrt(s);\n}\n"
    "double decay(const double *x) {\n  double s = 0;\n"
    "  for (int j = 0; j < TESSERA_NDIM; ++j) s += x[j];\n  return exp(-s);\n}\n"
    "void two(const double *x, double *f) {\n  double s = 0;\n"
    "  for (int j = 0; j < TESSERA_NDIM; ++j) s += x[j] / (j + 1);\n  f[0] = exp(-s);\n  f[1] = 1e-180 * cos(s);\n}\n"
    "double bell(const double *x) {\n  double s = 0;\n"
    "  for (int j = 0; j < TESSERA_NDIM; ++j) s += fabs(x[j] - 0.5) * 10;\n"
    "  return exp(-s);\n}\n"
    "void moments(const double *x, double *f) {\n  f[1] = bell(x);\n  f[0] = (x[0] - 0.1) * x[1] * f[1];\n}\n"
    "double corner(const double *x) {\n  double s = 1, p;\n"
    "  for (int j = 0; j < TESSERA_NDIM; ++j) s += (j + 1) * x[j];\n  p = s;\n"
    "  for (int j = 0; j < TESSERA_NDIM; ++j) p *= s;\n  return 1 / p;\n}\n"
    "double hole(const double *x) { return x[0] < 0.9 ? x[1] : sqrt(-x[0]); }\n";

static int wave(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  return suite_f1(ndim, x, ncomp, f, userdata);
}
static int radial(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  return suite_f8(ndim, x, ncomp, f, userdata);
}
static int decay(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double s = 0;
  (void)ncomp, (void)userdata;
  for (int j = 0; j < ndim; ++j) s += x[j];
  f[0] = exp(-s);
  return 0;
}
static int two(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double s = 0;
  (void)ncomp, (void)userdata;
  for (int j = 0; j < ndim; ++j) s += x[j] / (j + 1);
  f[0] = exp(-s), f[1] = 1e-180 * cos(s);
  return 0;
}

static int bell(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double s = 0;
  (void)ncomp, (void)userdata;
  for (int j = 0; j < ndim; ++j) s += fabs(x[j] - 0.5) * 10;
  f[0] = exp(-s);
  return 0;
}
/* A moment of it, and what that is of. */
static int moments(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ncomp;
  bell(ndim, x, 1, f + 1, userdata);
  f[0] = (x[0] - 0.1) * x[1] * f[1];
  return 0;
}
struct outcome {
  int status;
  double value[2], error[2];
  int64_t evaluations, sparse, used;
};

static tessera_solver *solver(int ndim, int ncomp, const char *name, tessera_integrand1 f, double reltol, int sparse) {
  tessera_solver *s = solver_of(ndim, ncomp);
  assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, text, name), TESSERA_OK);
  if (f) put_point(s, f, NULL);
  put_real(s, TESSERA_RELTOL, reltol);
  put_int(s, TESSERA_MAXEVAL, 200000000000);
  put_int(s, TESSERA_SPARSE, sparse);
  return s;
}

static struct outcome run(tessera_solver *s, int64_t where, const char *name) {
  struct outcome o = {0, {0, 0}, {0, 0}, 0, 0, 0};
  put_int(s, TESSERA_DEVICE, where);
  o.status = tessera_integrate(s, TESSERA_CUBATURE, o.value, o.error);
  o.evaluations = got_int(s, TESSERA_EVALUATIONS);
  o.sparse = got_int(s, TESSERA_SPARSE_EVALUATIONS);
  o.used = got_int(s, TESSERA_SPARSE_USED);
  print_message("  %-7s %s: status %d, %10lld evaluations, %9lld sparse, used %lld, %.16g +- %.1e, %.4f s\n", name,
                where < 0 ? "host  " : "device", o.status, (long long)o.evaluations, (long long)o.sparse,
                (long long)o.used, o.value[0], o.error[0], got_real(s, TESSERA_SECONDS));
  return o;
}

/* Alone: the same indices, but where rounding alone says which of two comes first. */
static void test_alone(void **state) {
  (void)state;
  const struct {
    const char *name;
    tessera_integrand1 f;
    int ndim, ncomp;
    double reltol;
  } cases[] = {{"wave", wave, 5, 1, 1e-10},
               {"radial", radial, 8, 1, 1e-8},
               {"two", two, 4, 2, 1e-11},
               {"decay", decay, 3, 1, 1e-7}};
  for (int i = 0; i < 4; ++i) {
    tessera_solver *s =
        solver(cases[i].ndim, cases[i].ncomp, cases[i].name, cases[i].f, cases[i].reltol, TESSERA_SPARSE_ALONE);
    if (i == 3) {
      const double lower[3] = {0, 1, 0}, upper[3] = {INFINITY, 0, INFINITY};
      assert_status(s, tessera_set_domain(s, lower, upper), TESSERA_OK);
    }
    const struct outcome there = run(s, device, cases[i].name), here = run(s, -1, cases[i].name),
                         again = run(s, device, cases[i].name);
    assert_int_equal(there.status, TESSERA_OK);
    assert_int_equal(here.status, TESSERA_OK);
    assert_at_most(fabs((double)(there.evaluations - here.evaluations)), 0.01 * (double)here.evaluations);
    assert_int_equal(there.evaluations, again.evaluations);
    for (int k = 0; k < cases[i].ncomp; ++k) {
      assert_close(there.value[k], here.value[k], 1e-11, 0);
      assert_same_bits(there.value[k], again.value[k]);
      assert_same_bits(there.error[k], again.error[k]);
    }
    tessera_destroy(s);
  }
}

/* The race on a device, whose turns come later: there many regions cost less time than a small grid. */
static void test_race(void **state) {
  (void)state;
  const struct suite_case *of_radial = suite_find("f8_8d"), *large = suite_find("f1_8d");
  const struct {
    const char *name;
    const struct suite_case *c;
    double reltol;
  } cases[] = {{"radial", of_radial, 1e-9}, {"radial", of_radial, 1e-10}, {"wave", large, 1.6e-6}};
  for (int i = 0; i < 3; ++i) {
    tessera_solver *s = solver(cases[i].c->ndim, 1, cases[i].name, NULL, cases[i].reltol, TESSERA_SPARSE_AUTO);
    const struct outcome there = run(s, device, cases[i].c->name);
    assert_int_equal(there.status, TESSERA_OK);
    assert_int_equal(there.used, 1);
    assert_true(fabs(there.value[0] - cases[i].c->exact) <= cases[i].reltol * fabs(cases[i].c->exact));
    const struct outcome again = run(s, device, cases[i].c->name);
    assert_same_bits(there.value[0], again.value[0]);
    assert_int_equal(there.evaluations, again.evaluations);
    tessera_destroy(s);
  }
}

/* A product with kinks: a grid in the variables of a map ends the run on both. */
static void test_maps(void **state) {
  (void)state;
  tessera_solver *s = solver(8, 1, "bell", bell, 1e-8, TESSERA_SPARSE_AUTO);
  const struct outcome there = run(s, device, "bell"), here = run(s, -1, "bell");
  assert_int_equal(there.status, TESSERA_OK);
  assert_int_equal(here.status, TESSERA_OK);
  assert_int_equal(there.used, 1);
  assert_int_equal(here.used, 1);
  assert_true(fabs(there.value[0] - here.value[0]) <= 1e-12 * fabs(here.value[0]));
  tessera_destroy(s);
}

/* Moments of a product follow from its map. */
static void test_moments(void **state) {
  (void)state;
  tessera_solver *s = solver(8, 2, "moments", moments, 1e-8, TESSERA_SPARSE_AUTO);
  const struct outcome there = run(s, device, "moments"), here = run(s, -1, "moments");
  const double mass = pow((1 - exp(-5)) / 5, 8);
  assert_int_equal(there.status, TESSERA_OK);
  assert_int_equal(here.status, TESSERA_OK);
  assert_int_equal(there.used, 1);
  assert_int_equal(here.used, 1);
  for (int k = 0; k < 2; ++k) {
    const double right = k == 0 ? 0.4 * 0.5 * mass : mass;
    assert_close(there.value[k], right, 1e-10, 0);
    assert_close(here.value[k], right, 1e-10, 0);
    assert_true(there.error[k] >= fabs(there.value[k] - right));
  }
  tessera_destroy(s);
}

/* A peak in a corner, which is no product: a grid in the variables of a wide map ends the run. */
static void test_wide_map(void **state) {
  (void)state;
  const struct suite_case *c = suite_find("f3_8d");
  tessera_solver *s = solver(c->ndim, 1, "corner", NULL, 2.56e-9, TESSERA_SPARSE_AUTO);
  const struct outcome there = run(s, device, c->name);
  assert_int_equal(there.status, TESSERA_OK);
  assert_int_equal(there.used, 1);
  assert_true(fabs(there.value[0] - c->exact) <= 2.56e-9 * c->exact);
  tessera_destroy(s);
}

static void test_nonfinite(void **state) {
  (void)state;
  tessera_solver *s = solver(3, 1, "hole", NULL, 1e-9, TESSERA_SPARSE_ALONE);
  assert_int_equal(run(s, device, "hole").status, TESSERA_NONFINITE);
  assert_says(tessera_last_error(s), "NaN or infinite");
  tessera_destroy(s);
}

int main(void) {
  if (lacks_device(solver(2, 1, "decay", NULL, 1e-3, TESSERA_SPARSE_OFF), device)) return no_device_here();
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_alone),    cmocka_unit_test(test_race),
                                     cmocka_unit_test(test_maps),     cmocka_unit_test(test_moments),
                                     cmocka_unit_test(test_wide_map), cmocka_unit_test(test_nonfinite)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
