/* The integral of exp(x1 x2 x3 x4 x5) over the unit cube. SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <tessera.h>

static int f(int ndim, const double *x, int ncomp, double *fval, void *userdata) {
  (void)ndim, (void)ncomp, (void)userdata;
  fval[0] = exp(x[0] * x[1] * x[2] * x[3] * x[4]);
  return 0; /* anything else stops the run */
}

int main(void) {
  const double exact = 1.03348486773424214; /* the sum of 1/(n! (n+1)^5) */
  double value, error;
  int64_t evaluations;

  tessera_solver *s;
  if (tessera_create(&s, 5, 1) < 0) return 1; /* five variables, one component; the unit cube until told otherwise */
  tessera_set_integrand1(s, f, NULL);
  tessera_set_real(s, TESSERA_RELTOL, 1e-8);
  int status = tessera_integrate(s, TESSERA_CUBATURE, &value, &error);
  if (status < 0) {
    fprintf(stderr, "%s\n", tessera_last_error(s));
    return 1;
  }
  tessera_get_int(s, TESSERA_EVALUATIONS, &evaluations);
  printf("%s\n", tessera_status_string(status));
  printf("value       %.12f\n", value);
  printf("error       %.1e\n", error);
  printf("exact       %.12f\n", exact);
  printf("evaluations %" PRId64 "\n", evaluations);
  tessera_destroy(s);
  return status == TESSERA_OK && fabs(value - exact) <= 1e-8 * exact ? 0 : 1;
}
