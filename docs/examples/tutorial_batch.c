/* The integrand for many points at a time: loops that the compiler can vectorise.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <tessera.h>

/* Coordinate j of point i is x[j*ldx + i]; the value at point i goes to f[i]. */
static int hill(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf, void *userdata) {
  (void)ncomp, (void)ldf, (void)userdata;
  for (int64_t i = 0; i < n; ++i) f[i] = 0;
  for (int j = 0; j < ndim; ++j) {
    const double *xj = x + j * ldx;
    for (int64_t i = 0; i < n; ++i) f[i] -= xj[i] * xj[i];
  }
  for (int64_t i = 0; i < n; ++i) f[i] = exp(f[i]);
  return 0;
}

int main(void) {
  const double exact = pow(sqrt(acos(-1.0)) / 2 * erf(1), 5);
  double value = 0, error = 0;
  tessera_solver *s;

  int status = tessera_create(&s, 5, 1); /* the domain is the unit cube unless we say otherwise */
  if (status == 0) status = tessera_set_integrand(s, hill, NULL);
  if (status == 0) status = tessera_integrate(s, TESSERA_CUBATURE, &value, &error);
  printf("status %d: %.10f +- %.1e\n", status, value, error);
  printf("exact     %.10f\n", exact);
  tessera_destroy(s);
  return status == 0 && fabs(value - exact) <= 1e-6 * exact ? 0 : 1;
}
