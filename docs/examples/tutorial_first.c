/* The volume under a Gaussian hill: a first integral. SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <tessera.h>

static int hill(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double r2 = 0;
  (void)ncomp, (void)userdata;
  for (int j = 0; j < ndim; ++j) r2 += x[j] * x[j];
  f[0] = exp(-r2);
  return 0;
}

int main(void) {
  const double lower[3] = {-1, -1, -1}, upper[3] = {1, 1, 1};
  const double exact = pow(sqrt(acos(-1.0)) * erf(1), 3);
  double value, error;
  tessera_solver *s;

  int status = tessera_create(&s, 3, 1); /* three variables, one component */
  if (status == 0) status = tessera_set_domain(s, lower, upper);
  if (status == 0) status = tessera_set_integrand1(s, hill, NULL);
  if (status == 0) status = tessera_integrate(s, TESSERA_CUBATURE, &value, &error);
  if (status != 0) {
    fprintf(stderr, "%s: %s\n", tessera_status_string(status), s ? tessera_last_error(s) : "");
    tessera_destroy(s);
    return 1;
  }
  printf("%.10f +- %.1e\n", value, error);
  printf("%.10f exact\n", exact);
  tessera_destroy(s);
  return fabs(value - exact) <= 1e-6 * exact ? 0 : 1;
}
