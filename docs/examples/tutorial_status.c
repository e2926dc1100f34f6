/* What a status says, and what is left when the tolerance is not met. SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <tessera.h>

static int corner(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ncomp, (void)userdata;
  double r2 = 0;
  for (int j = 0; j < ndim; ++j) r2 += x[j] * x[j];
  f[0] = 1 / sqrt(r2); /* grows without bound towards the corner */
  return 0;
}

static int logarithm(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp, (void)userdata;
  f[0] = log(x[0] - 0.5); /* a mistake: no real value for x[0] < 0.5 */
  return 0;
}

static void report(const tessera_solver *s, const char *what, int status, double value, double error) {
  printf("%s: %s\n", what, tessera_status_string(status));
  if (status != 0) printf("  %s\n", tessera_last_error(s));
  if (status >= 0) printf("  value %.8g, estimated error %.1e\n", value, error); /* not set when negative */
}

int main(void) {
  double value = 0, error = 0;
  int status, failures = 0;
  tessera_solver *s;
  if (tessera_create(&s, 2, 1) != 0) return 1;

  /* Negative: a call was wrong, nothing happened. */
  status = tessera_set_real(s, TESSERA_RELTOL, -1);
  report(s, "A tolerance below zero", status, value, error);
  failures += status != TESSERA_ERR_RANGE;

  /* Positive: there is a value, and a reason why it is not better. */
  tessera_set_integrand1(s, corner, NULL);
  tessera_set_real(s, TESSERA_RELTOL, 1e-12);
  tessera_set_int(s, TESSERA_MAXEVAL, 1000);
  status = tessera_integrate(s, TESSERA_CUBATURE, &value, &error);
  report(s, "Too few evaluations", status, value, error);
  failures += status != TESSERA_LIMIT_EVALUATIONS || fabs(value - 1.7627471740390860505) > error;

  /* A NaN never passes for a result. */
  tessera_set_integrand1(s, logarithm, NULL);
  status = tessera_integrate(s, TESSERA_CUBATURE, &value, &error);
  report(s, "A mistake in the integrand", status, value, error);
  failures += status != TESSERA_NONFINITE;

  tessera_destroy(s);
  return failures;
}
