/* Infinite and half-infinite ranges, reversed limits. SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <tessera.h>

static int integrand(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp, (void)userdata;
  f[0] = exp(-x[0] * x[0]) * exp(-x[1]); /* x[0] in all of R, x[1] in 0..infinity: sqrt(pi) * 1 */
  return 0;
}

int main(void) {
  const double lower[2] = {-INFINITY, 0}, upper[2] = {INFINITY, INFINITY};
  const double exact = sqrt(acos(-1.0));
  double value = 0, error = 0, reversed = 0;
  tessera_solver *s;

  int status = tessera_create(&s, 2, 1);
  if (status == 0) status = tessera_set_integrand1(s, integrand, NULL);
  if (status == 0) status = tessera_set_real(s, TESSERA_RELTOL, 1e-8);
  if (status == 0) status = tessera_set_domain(s, lower, upper);
  if (status == 0) status = tessera_integrate(s, TESSERA_CUBATURE, &value, &error);
  printf("status %d: %.10f +- %.1e, exact %.10f\n", status, value, error, exact);

  /* From infinity to 0 in the second variable: the sign changes, as in one dimension. */
  const double from[2] = {-INFINITY, INFINITY}, to[2] = {INFINITY, 0};
  if (status == 0) status = tessera_set_domain(s, from, to);
  if (status == 0) status = tessera_integrate(s, TESSERA_CUBATURE, &reversed, &error);
  printf("status %d: %.10f\n", status, reversed);
  tessera_destroy(s);
  return status == 0 && fabs(value - exact) <= 1e-8 * exact && fabs(reversed + exact) <= 1e-8 * exact ? 0 : 1;
}
