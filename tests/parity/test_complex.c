/* Complex values on device 0 and on the host, by every method that runs there: the promise of status 0 about the modulus, values apart by no more
 * than both errors, the same decisions where the arithmetic is the same. Skipped where there is no device.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "skip.h"
#include "solve.h"

typedef double _Complex number;

enum { device = 0, ndim = 3, count = 200 };

/* Waves, a value without an imaginary part, one without a real part, poles near the axis with their widths in the block. */
static const char text_in_c[] =
    "#include <complex.h>\n#include <math.h>\n"
    "int wave(int n, const double *x, int m, double complex *f, void *p) {\n"
    "  f[0] = cexp(I * (2.5 * x[0] - 1.75 * x[1] + 3.25 * x[2]));\n  return 0;\n}\n"
    "int real(int n, const double *x, int m, double complex *f, void *p) {\n"
    "  f[0] = exp(-x[0] - x[1] - x[2]);\n  return 0;\n}\n"
    "int imaginary(int n, const double *x, int m, double complex *f, void *p) {\n"
    "  f[0] = I * exp(-x[0] - x[1] - x[2]);\n  return 0;\n}\n"
    "int poles(int n, const double *x, int m, double complex *f, void *p) {\n"
    "  const double *w = p;\n"
    "  f[0] = 1;\n"
    "  for (int j = 0; j < n; ++j) f[0] /= x[j] - w[0] + I * w[1];\n  return 0;\n}\n"
    "int spoilt(int n, const double *x, int m, double complex *f, void *p) {\n"
    "  f[0] = 1 + I * (x[0] > 0.4 && x[0] < 0.7 ? sqrt(-x[0]) : 1.0);\n  return 0;\n}\n";

static number waves(void) {
  static const double k[ndim] = {2.5, -1.75, 3.25};
  number v = 1;
  for (int j = 0; j < ndim; ++j) v *= (cexp(I * k[j]) - 1) / (I * k[j]);
  return v;
}
static number of_poles(double c, double width) {
  const number one = clog((1 - c + I * width) / (-c + I * width));
  return one * one * one;
}

static const struct way {
  const char *name;
  int method, key, value;
  double reltol;
} ways[] = {
    {"bulk", TESSERA_CUBATURE, TESSERA_SPARSE, TESSERA_SPARSE_OFF, 1e-8},
    {"with a sparse grid", TESSERA_CUBATURE, TESSERA_SPARSE, TESSERA_SPARSE_AUTO, 1e-8},
    {"sparse grid alone", TESSERA_CUBATURE, TESSERA_SPARSE, TESSERA_SPARSE_ALONE, 1e-7},
    {"lattice", TESSERA_LATTICE, TESSERA_TRANSFORM, TESSERA_TRANSFORM_AUTO, 1e-6},
    {"plain sampling", TESSERA_MONTECARLO, TESSERA_SAMPLING, TESSERA_SAMPLING_PLAIN, 1e-3},
    {"VEGAS", TESSERA_MONTECARLO, TESSERA_SAMPLING, TESSERA_SAMPLING_VEGAS, 1e-3},
};
enum { way_count = sizeof ways / sizeof ways[0] };

static tessera_solver *solver(const struct way *w, const char *name, int where) {
  tessera_solver *s = solver_of(ndim, 2);
  assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_C, text_in_c, name), TESSERA_OK);
  put_int(s, TESSERA_COMPLEX, 1);
  put_int(s, TESSERA_SELECTION, TESSERA_SELECT_BULK);
  put_int(s, w->key, w->value);
  put_real(s, TESSERA_RELTOL, w->reltol);
  put_int(s, TESSERA_MAXEVAL, 400000000);
  put_int(s, TESSERA_DEVICE, where);
  return s;
}

static void test_methods(void **state) {
  static const char *const names[] = {"wave", "real", "imaginary", "poles"};
  const double block[2] = {0.4, 0.2}, product = pow(1 - exp(-1), ndim);
  const number exact[] = {waves(), product, I * product, of_poles(block[0], block[1])};
  (void)state;
  for (int w = 0; w < way_count; ++w)
    for (int i = 0; i < 4; ++i) {
      if (i == 3 && ways[w].value == TESSERA_SPARSE_ALONE && ways[w].key == TESSERA_SPARSE)
        continue; /* not smooth enough */
      number value[2] = {0}, error[2] = {0};
      for (int there = 0; there < 2; ++there) {
        tessera_solver *s = solver(&ways[w], names[i], there ? device : -1);
        assert_status(s, tessera_set_params(s, block, sizeof block), TESSERA_OK);
        assert_status(s, tessera_integrate(s, ways[w].method, (double *)&value[there], (double *)&error[there]),
                      TESSERA_OK);
        print_message("  %-18s %-9s %s: %.12g %+.12g i, error %.1e, true error %.1e, %lld evaluations\n", ways[w].name,
                      names[i], there ? "device" : "host  ", creal(value[there]), cimag(value[there]),
                      cabs(error[there]), cabs(value[there] - exact[i]), (long long)got_int(s, TESSERA_EVALUATIONS));
        assert_at_most(cabs(error[there]), ways[w].reltol * cabs(value[there]) * (1 + 1e-15));
        assert_at_most(cabs(value[there] - exact[i]), ways[w].reltol * cabs(exact[i]));
        if (i == 1) assert_true(cimag(value[there]) == 0 && cimag(error[there]) == 0);
        if (i == 2) assert_true(creal(value[there]) == 0 && creal(error[there]) == 0);
        tessera_destroy(s);
      }
      assert_at_most(cabs(value[1] - value[0]), cabs(error[0]) + cabs(error[1]));
    }
}

/* Side by side in the blocks of the device. */
static void test_many(void **state) {
  double block[count][2];
  static number value[count], error[count];
  int status[count];
  (void)state;
  for (int i = 0; i < count; ++i) block[i][0] = 0.1 + 0.004 * i, block[i][1] = 0.3 + 0.01 * (i % 11);
  tessera_solver *s = solver(&ways[0], "poles", device);
  put_real(s, TESSERA_RELTOL, 1e-6);
  assert_status(s,
                tessera_integrate_many(s, TESSERA_CUBATURE, count, block, sizeof block[0], NULL, NULL, (double *)value,
                                       (double *)error, status),
                TESSERA_OK);
  for (int i = 0; i < count; ++i) {
    const number exact = of_poles(block[i][0], block[i][1]);
    assert_at_most(cabs(error[i]), 1e-6 * cabs(value[i]) * (1 + 1e-15));
    assert_at_most(cabs(value[i] - exact), 1e-6 * cabs(exact));
  }
  tessera_destroy(s);
}

static void test_nonfinite(void **state) {
  (void)state;
  for (int w = 0; w < way_count; ++w) {
    double value[2], error[2];
    tessera_solver *s = solver(&ways[w], "spoilt", device);
    put_int(s, TESSERA_MAXEVAL, 1000000);
    const int status = tessera_integrate(s, ways[w].method, value, error);
    assert_true(status == TESSERA_NONFINITE || status == TESSERA_ERR_CALLBACK);
    tessera_destroy(s);
  }
}

int main(void) {
  if (lacks_device(solver(&ways[0], "wave", device), device)) return no_device_here();
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_methods), cmocka_unit_test(test_many),
                                     cmocka_unit_test(test_nonfinite)};
  return cmocka_run_group_tests_name("complex values on a device", tests, NULL, NULL);
}
