/* The published suite on a device: tolerance 1e-3, then divided by 5 down to a least one; time of the integrate call with
 * the kernels compiled before. CSV on standard output. Usage: tessera_ladder [LEAST_TOLERANCE [MAXEVAL [DEVICE]]]
 * SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tessera.h>

#include "cases.h"
#include "suite_texts.h"

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

enum { most_runs = 7 };

/* One tolerance: returns the status. */
static int rung(tessera_solver *s, const struct suite_case *c, double tolerance) {
  double value = 0, error = 0, ms[most_runs], seconds, total = 0;
  int64_t n = 0, steps = 0, regions = 0;
  int status = 0, runs = 0;
  if (tessera_set_real(s, TESSERA_RELTOL, tolerance) < 0) return -1;
  while (runs < most_runs && (runs < 3 || total < 500)) {
    status = tessera_integrate(s, TESSERA_CUBATURE, &value, &error);
    if (status < 0) {
      fprintf(stderr, "%s: %s\n", c->name, tessera_last_error(s));
      return status;
    }
    tessera_get_real(s, TESSERA_SECONDS, &seconds);
    ms[runs++] = 1e3 * seconds;
    total += 1e3 * seconds;
  }
  tessera_get_int(s, TESSERA_EVALUATIONS, &n);
  tessera_get_int(s, TESSERA_ITERATIONS, &steps);
  tessera_get_int(s, TESSERA_REGIONS, &regions);
  qsort(ms, (size_t)runs, sizeof ms[0], by_size);
  const double true_error = fabs(value / c->exact - 1);
  printf("%s,%d,%g,%d,%s,%.4f,%" PRId64 ",%" PRId64 ",%" PRId64 ",%.3e,%.3e,%.3e\n", c->name, c->ndim, tolerance,
         status, status == TESSERA_OK && true_error > tolerance ? "FALSE" : "", ms[runs / 2], n, steps, regions,
         error / fabs(c->exact), true_error, (double)n / (ms[runs / 2] * 1e-3));
  fflush(stdout);
  return status;
}

int main(int argc, char **argv) {
  const double least = argc > 1 ? atof(argv[1]) : 1.024e-10;
  const double maxeval = argc > 2 ? atof(argv[2]) : 1e12;
  const int device = argc > 3 ? atoi(argv[3]) : 0;
  printf("case,ndim,tolerance,status,false,ms,evaluations,steps,regions,estimate,true_error,evaluations_per_s\n");
  for (int i = 0; i < suite_size; ++i) {
    const struct suite_case *c = &suite[i];
    tessera_solver *s;
    if (tessera_create(&s, c->ndim, 1) < 0) return 1;
    int status = tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, suite_text(c->name[1] - '0'), "f");
    if (status >= 0) status = tessera_set_int(s, TESSERA_DEVICE, device);
    if (status >= 0) status = tessera_set_int(s, TESSERA_MAXEVAL, (int64_t)maxeval);
    for (double t = 1e-3; status == 0 && t > 0.99 * least; t /= 5) status = rung(s, c, t);
    if (status < 0) fprintf(stderr, "%s: %s\n", c->name, tessera_last_error(s));
    tessera_destroy(s);
    if (status < 0) return 77;
  }
  return 0;
}
