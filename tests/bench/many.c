/* Many small integrals in one call: 1/(1 + a1 x1 + ... )^(n+1), Genz's corner peak, with random coefficients around those of
 * the suite's f3. Milliseconds of the call with the kernels compiled before.
 * Usage: tessera_many [COUNT [TOLERANCE [DEVICE [NDIM]]]]; DEVICE -1: the host with all its processors.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <tessera.h>

#include "cases.h"

enum { most_ndim = 16, runs = 7 };

static const char text[] =
    "double f(const double *x, const double *a) {\n"
    "  double s = 1;\n"
    "  for (int i = 0; i < TESSERA_NDIM; i++) s += a[i] * x[i];\n"
    "  double p = s;\n"
    "  for (int i = 0; i < TESSERA_NDIM; i++) p *= s;\n"
    "  return 1 / p;\n"
    "}\n";

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static int fail(const tessera_solver *s, const char *what) {
  fprintf(stderr, "%s: %s\n", what, tessera_last_error(s));
  return 1;
}

int main(int argc, char **argv) {
  const int64_t count = argc > 1 ? atoll(argv[1]) : 10000;
  const double tolerance = argc > 2 ? atof(argv[2]) : 1e-3;
  const int device = argc > 3 ? atoi(argv[3]) : 0, ndim = argc > 4 ? atoi(argv[4]) : 3;
  if (count < 1 || ndim < 1 || ndim > most_ndim) return fprintf(stderr, "COUNT >= 1, NDIM = 1 .. %d\n", most_ndim), 2;
  double *params = malloc((size_t)count * (size_t)ndim * sizeof *params);
  double *value = malloc((size_t)count * sizeof *value), *error = malloc((size_t)count * sizeof *error);
  int *status = malloc((size_t)count * sizeof *status);
  if (!params || !value || !error || !status) return fprintf(stderr, "no memory\n"), 1;
  uint64_t seed = 3;
  for (int64_t i = 0; i < count * ndim; ++i)
    params[i] = ((double)(i % ndim) + 1) * (0.75 + 0.5 * splitmix_uniform(&seed));

  tessera_solver *s;
  if (tessera_create(&s, ndim, 1) != 0) return 1;
  if (tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, text, "f") < 0 ||
      tessera_set_int(s, TESSERA_DEVICE, device) < 0 || tessera_set_int(s, TESSERA_THREADS, 0) < 0 ||
      tessera_set_real(s, TESSERA_RELTOL, tolerance) < 0)
    return fail(s, "options");
  double ms[runs];
  for (int r = -1; r < runs; ++r) { /* the first one compiles and takes memory */
    double seconds;
    if (tessera_integrate_many(s, TESSERA_CUBATURE, count, params, (size_t)ndim * sizeof *params, NULL, NULL, value,
                               error, status) < 0)
      return fail(s, "tessera_integrate_many");
    tessera_get_real(s, TESSERA_SECONDS, &seconds);
    if (r >= 0) ms[r] = 1e3 * seconds;
  }
  qsort(ms, runs, sizeof ms[0], by_size);

  int64_t evaluations, regions, converged = 0, false_successes = 0;
  double worst = 0;
  tessera_get_int(s, TESSERA_EVALUATIONS, &evaluations);
  tessera_get_int(s, TESSERA_REGIONS, &regions);
  for (int64_t i = 0; i < count; ++i) {
    struct genz g = {.family = GENZ_CORNER_PEAK, .ndim = ndim};
    for (int j = 0; j < ndim; ++j) g.a[j] = params[i * ndim + j];
    const double relative = fabs(value[i] / genz_exact(&g) - 1);
    converged += status[i] == TESSERA_OK;
    false_successes += status[i] == TESSERA_OK && !(relative <= tolerance);
    worst = fmax(worst, relative);
  }
  printf(
      "count,ndim,tolerance,device,ms_median,ms_least,evaluations,regions,converged,false_successes,worst_true_"
      "error\n");
  printf("%" PRId64 ",%d,%g,%d,%.3f,%.3f,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%.2e\n", count, ndim,
         tolerance, device, ms[runs / 2], ms[0], evaluations, regions, converged, false_successes, worst);
  tessera_destroy(s);
  free(params);
  free(value);
  free(error);
  free(status);
  return false_successes > 0;
}
