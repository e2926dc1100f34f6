/* A user's program: prints the version and one integral. SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <tessera.h>

static int integrand(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp, (void)userdata;
  f[0] = exp(x[0] + x[1]);
  return 0;
}

int main(void) {
  tessera_solver *s;
  double value = 0, error = 0;
  int status = tessera_create(&s, 2, 1);
  if (status == 0) status = tessera_set_integrand1(s, integrand, NULL);
  if (status == 0) status = tessera_integrate(s, TESSERA_CUBATURE, &value, &error);
  printf("tessera %s: %.6f\n", tessera_version_string(), value);
  tessera_destroy(s);
  return status;
}
