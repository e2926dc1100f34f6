/* Several integrals over the same domain at once: mass, mean and second moments of a density.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <tessera.h>

/* density(x, y) = exp(-x - 2y) in the unit square; components: 1, x, y, x*y times the density */
static int moments(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp, (void)userdata;
  const double density = exp(-x[0] - 2 * x[1]);
  f[0] = density;
  f[1] = density * x[0];
  f[2] = density * x[1];
  f[3] = density * x[0] * x[1];
  return 0;
}

int main(void) {
  const double a0 = 1 - exp(-1), a1 = 1 - 2 * exp(-1);             /* of 1 and x */
  const double b0 = (1 - exp(-2)) / 2, b1 = (1 - 3 * exp(-2)) / 4; /* of 1 and y */
  const double exact[4] = {a0 * b0, a1 * b0, a0 * b1, a1 * b1};
  double value[4] = {0}, error[4] = {0};
  int failures = 0;
  tessera_solver *s;

  int status = tessera_create(&s, 2, 4); /* two variables, four components */
  if (status == 0) status = tessera_set_integrand1(s, moments, NULL);
  if (status == 0) status = tessera_set_real(s, TESSERA_RELTOL, 1e-9); /* for every component */
  if (status == 0) status = tessera_integrate(s, TESSERA_CUBATURE, value, error);
  printf("status %d\n", status);
  for (int k = 0; k < 4; ++k) {
    printf("%.12f +- %.0e, exact %.12f\n", value[k], error[k], exact[k]);
    failures += !(fabs(value[k] - exact[k]) <= 1e-9 * exact[k]);
  }
  printf("mean of x %.9f, of y %.9f\n", value[1] / value[0], value[2] / value[0]);
  tessera_destroy(s);
  return failures + (status != 0);
}
