/* Several threads: the integrand is called from all of them, and the result is the same to the last bit.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <tessera.h>

/* Re-entrant: it writes to nothing but f. */
static int peak(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double r2 = 0;
  (void)ncomp, (void)userdata;
  for (int j = 0; j < ndim; ++j) r2 += (x[j] - 0.5) * (x[j] - 0.5);
  f[0] = exp(-100 * r2);
  return 0;
}

int main(void) {
  const double exact = pow(sqrt(acos(-1.0)) / 10 * erf(5), 5);
  const int threads[3] = {1, 2, 0}; /* 0: one per processor */
  double value[3] = {0}, error[3] = {0};
  int failures = 0;
  tessera_solver *s;
  if (tessera_create(&s, 5, 1) != 0) return 1;

  tessera_set_integrand1(s, peak, NULL);
  tessera_set_int(s, TESSERA_SELECTION, TESSERA_SELECT_BULK); /* many regions a step: work for many threads */
  for (int i = 0; i < 3; ++i) {
    int64_t used = 0;
    double seconds = 0;
    tessera_set_int(s, TESSERA_THREADS, threads[i]);
    const int status = tessera_integrate(s, TESSERA_CUBATURE, &value[i], &error[i]);
    tessera_get_int(s, TESSERA_THREADS_USED, &used);
    tessera_get_real(s, TESSERA_SECONDS, &seconds);
    printf("%" PRId64 " threads: status %d, %.17g +- %.1e, %.2f s\n", used, status, value[i], error[i], seconds);
    failures += status != 0 || value[i] != value[0] || error[i] != error[0];
  }
  failures += !(fabs(value[0] - exact) <= 1e-6 * exact);
  tessera_destroy(s);
  return failures;
}
