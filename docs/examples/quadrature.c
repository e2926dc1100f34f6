/* One variable: a singular end, a singularity inside, a principal value, an oscillating tail; and an integral that does not exist.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <tessera.h>

static int log_over_root(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp, (void)userdata;
  *f = log(x[0]) / sqrt(x[0]);
  return 0;
}
static int inside(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp, (void)userdata;
  *f = 1.0 / sqrt(fabs(x[0] - 0.3));
  return 0;
}
static int one(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)x, (void)ncomp, (void)userdata;
  *f = 1.0;
  return 0;
}
static int lorentz(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp, (void)userdata;
  *f = 1.0 / (1.0 + x[0] * x[0]);
  return 0;
}
static int inverse(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp, (void)userdata;
  *f = 1.0 / x[0];
  return 0;
}

static int failures = 0;

static void show(tessera_solver *s, const char *what, int expected, double exact) {
  double value = 0.0, error = 0.0;
  const int status = tessera_integrate(s, TESSERA_QUADRATURE, &value, &error);
  printf("%-36s %.12f +- %.1e   %s\n", what, value, error, status == TESSERA_OK ? "" : tessera_status_string(status));
  if (status != expected || (status == TESSERA_OK && !(fabs(value - exact) <= 1e-9 * fabs(exact)))) ++failures;
}

int main(void) {
  const double pi = 3.14159265358979323846, zero = 0.0, one_limit = 1.0, infinite = INFINITY, at = 0.3, minus = -1.0, two = 2.0;
  tessera_solver *s = NULL;
  if (tessera_create(&s, 1, 1) != TESSERA_OK) return 1;
  tessera_set_real(s, TESSERA_RELTOL, 1e-9);

  tessera_set_integrand1(s, log_over_root, NULL);
  show(s, "ln x / sqrt x on (0,1)", TESSERA_OK, -4.0);

  tessera_set_integrand1(s, inside, NULL);
  tessera_set_breakpoints(s, 1, &at);
  show(s, "1 / sqrt |x - 0.3| on (0,1)", TESSERA_OK, 2.0 * (sqrt(0.3) + sqrt(0.7)));
  tessera_set_breakpoints(s, 0, NULL);

  tessera_set_integrand1(s, one, NULL);
  tessera_set_domain(s, &minus, &two);
  tessera_set_int(s, TESSERA_WEIGHT, TESSERA_WEIGHT_CAUCHY);
  tessera_set_real(s, TESSERA_POLE, 0.0);
  show(s, "1 / x on (-1,2), principal value", TESSERA_OK, log(2.0));

  tessera_set_integrand1(s, lorentz, NULL);
  tessera_set_domain(s, &zero, &infinite);
  tessera_set_int(s, TESSERA_WEIGHT, TESSERA_WEIGHT_COS);
  tessera_set_real(s, TESSERA_OMEGA, 2.0);
  show(s, "cos(2x) / (1 + x^2) from 0", TESSERA_OK, pi / 2.0 * exp(-2.0));
  tessera_set_int(s, TESSERA_WEIGHT, TESSERA_WEIGHT_NONE);

  tessera_set_integrand1(s, inverse, NULL);
  tessera_set_domain(s, &zero, &one_limit);
  show(s, "1 / x on (0,1)", TESSERA_DIVERGENT, 0.0);

  tessera_destroy(s);
  return failures;
}
