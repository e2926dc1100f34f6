/* TESSERA_COMPLEX: every form of the integrand, forms that are compared, what is said of limits, bad input.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "solve.h"

typedef double _Complex number;

enum { ndim_of_wave = 3 };
static const double vector[ndim_of_wave] = {2.5, -1.75, 3.25};

static number wave(const double *x) { return cexp(I * (vector[0] * x[0] + vector[1] * x[1] + vector[2] * x[2])); }
static number exact(void) {
  number waves = 1;
  for (int j = 0; j < ndim_of_wave; ++j) waves *= (cexp(I * vector[j]) - 1) / (I * vector[j]);
  return waves;
}
static int at_point(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)userdata;
  for (int k = 0; 2 * k < ncomp; ++k) ((number *)f)[k] = (k + 1) * wave(x);
  return 0;
}

/* The same integrand as a point, a batch, a text in C and one in CUDA C++. */
static int at_points(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf,
                     void *userdata) {
  (void)ncomp, (void)userdata;
  for (int64_t i = 0; i < n; ++i) {
    double at[ndim_of_wave];
    for (int j = 0; j < ndim; ++j) at[j] = x[j * ldx + i];
    const number z = wave(at);
    f[i] = creal(z);
    f[ldf + i] = cimag(z);
  }
  return 0;
}
static const char text_in_c[] =
    "#include <complex.h>\n"
    "int f(int ndim, const double *x, int ncomp, double *v, void *userdata) {\n"
    "  double complex *z = (double complex *)v;\n"
    "  z[0] = cexp(I * (2.5 * x[0] - 1.75 * x[1] + 3.25 * x[2]));\n"
    "  return 0;\n"
    "}\n";
static const char text_in_cuda[] =
    "void f(const double *x, double *v) {\n"
    "  sincos(2.5 * x[0] - 1.75 * x[1] + 3.25 * x[2], &v[1], &v[0]);\n"
    "}\n";
static void forms(void **state) {
  (void)state;
  for (int form = 0; form < 4; ++form) {
    number value, error;
    tessera_solver *s = solver_of(ndim_of_wave, 2);
    put_int(s, TESSERA_COMPLEX, 1);
    put_real(s, TESSERA_RELTOL, 1e-8);
    if (form == 0) put_point(s, at_point, NULL);
    if (form == 1) put_batch(s, at_points, NULL);
    if (form > 1)
      assert_status(s,
                    tessera_set_integrand_source(s, form == 2 ? TESSERA_LANGUAGE_C : TESSERA_LANGUAGE_CUDA,
                                                 form == 2 ? text_in_c : text_in_cuda, "f"),
                    TESSERA_OK);
    assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, (double *)&value, (double *)&error), TESSERA_OK);
    assert_at_most(cabs(value - exact()), 1e-8 * cabs(value));
    tessera_destroy(s);
  }
}

/* A text without an imaginary part is the same integrand as a callback that has rounding there. */
static int rounded(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp, (void)userdata;
  *(number *)f = cexp(I * x[0]) * cexp(-I * x[0]) * exp(x[1]) + 1e-17 * I * x[2];
  return 0;
}
static void forms_apart_by_rounding(void **state) {
  (void)state;
  for (int same = 0; same < 2; ++same) {
    double value[2], error[2];
    tessera_solver *s = solver_of(ndim_of_wave, 2);
    put_int(s, TESSERA_COMPLEX, 1);
    put_int(s, TESSERA_DEVICE, TESSERA_DEVICE_ANY);
    put_point(s, rounded, NULL);
    assert_status(
        s,
        tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA,
                                     same ? "void f(const double *x, double *v) { v[0] = exp(x[1]); v[1] = 0; }"
                                          : "void f(const double *x, double *v) { v[0] = exp(x[1]); v[1] = 1e-5; }",
                                     "f"),
        TESSERA_OK);
    assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), same ? TESSERA_OK : TESSERA_ERR_CHECK);
    tessera_destroy(s);
  }
}

/* What a limit says is about the modulus, and about the number of the complex component. */
static void sentences(void **state) {
  (void)state;
  double value[4], error[4];
  tessera_solver *s = solver_of(ndim_of_wave, 4);
  put_int(s, TESSERA_COMPLEX, 1);
  put_point(s, at_point, NULL);
  put_real(s, TESSERA_RELTOL, 1e-14);
  put_int(s, TESSERA_MAXEVAL, 1000);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_LIMIT_EVALUATIONS);
  assert_says(tessera_last_error(s), "modulus of the error of component ");
  assert_says(tessera_last_error(s), "raise TESSERA_MAXEVAL");
  tessera_destroy(s);
  s = solver_of(ndim_of_wave, 3);
  assert_int_equal(tessera_set_int(s, TESSERA_COMPLEX, 1), TESSERA_ERR_RANGE);
  assert_says(tessera_last_error(s), "TESSERA_COMPLEX");
  assert_says(tessera_last_error(s), "ncomp = 3");
  assert_int_equal(got_int(s, TESSERA_COMPLEX), 0);
  put_int(s, TESSERA_COMPLEX, 0);
  assert_int_equal(tessera_set_int(s, TESSERA_COMPLEX, 2), TESSERA_ERR_RANGE);
  tessera_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forms),
      cmocka_unit_test(forms_apart_by_rounding),
      cmocka_unit_test(sentences),
  };
  return cmocka_run_group_tests_name("complex integrands", tests, NULL, NULL);
}
