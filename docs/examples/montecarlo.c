/* Monte Carlo: two narrow peaks in five variables, by VEGAS; a second run, with other points, begins with
 * the grid of the first. SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <tessera.h>

/* Half the sum of two normal densities with deviation 1/20; the integral over the unit cube is 1 up to 1e-8. */
static int peaks(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double a = 0, b = 0;
  (void)ncomp, (void)userdata;
  for (int j = 0; j < ndim; ++j) {
    a += (x[j] - 0.3) * (x[j] - 0.3);
    b += (x[j] - 0.7) * (x[j] - 0.7);
  }
  f[0] = 0.5 * (exp(-200 * a) + exp(-200 * b)) * pow(200 / 3.14159265358979323846, 0.5 * ndim);
  return 0;
}

static int run(tessera_solver *s, const char *what) {
  double value, error, chi2;
  int64_t evaluations, sampling;
  const int status = tessera_integrate(s, TESSERA_MONTECARLO, &value, &error);
  if (status < 0) {
    fprintf(stderr, "%s\n", tessera_last_error(s));
    return 1;
  }
  tessera_get_int(s, TESSERA_EVALUATIONS, &evaluations);
  tessera_get_int(s, TESSERA_SAMPLING_USED, &sampling);
  tessera_get_real(s, TESSERA_CHI2, &chi2);
  printf("%s: %s, %.4f +- %.4f, exact 1; %" PRId64 " evaluations, chi-square %.1f per degree of freedom\n", what,
         sampling == TESSERA_SAMPLING_VEGAS ? "VEGAS" : "plain", value, error, evaluations, chi2);
  return status != TESSERA_OK || !(fabs(value - 1) <= 1.5 * error);
}

int main(void) {
  tessera_solver *s;
  if (tessera_create(&s, 5, 1) < 0) return 1;
  tessera_set_integrand1(s, peaks, NULL);
  tessera_set_real(s, TESSERA_RELTOL, 5e-3);
  tessera_set_real(s, TESSERA_CONFIDENCE, 0.99); /* the error bounds the true one in 99 of 100 runs */
  int failures = run(s, "first run ");
  tessera_set_int(s, TESSERA_KEEP_GRID, 1); /* begin with the grid there is */
  tessera_set_int(s, TESSERA_WARMUP, 1);    /* one iteration for the strata */
  tessera_set_int(s, TESSERA_POINTS, 20000);
  tessera_set_int(s, TESSERA_SEED, 2);
  failures += run(s, "second run");
  tessera_destroy(s);
  return failures;
}
