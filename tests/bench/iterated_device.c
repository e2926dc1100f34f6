/* Iterated integrals on the host, by one thread and by all, and on a device: smooth integrands, a kink across the axes and a singular end in two, three and four
 * variables, limits that are functions, and many integrals side by side. Prints CSV: times of the first call (compilation and all) and of the best of
 * those after it. Usage: bench_iterated_device [DEVICE [RELTOL [MANY]]]; DEVICE -1: the host alone. SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tessera.h"

enum { repeats = 3, most_ndim = 4 };

static int ball(int ndim, int axis, const double *x, double *lower, double *upper, void *userdata) {
  (void)ndim, (void)userdata;
  double r = 1;
  for (int j = 0; j < axis; ++j) r -= x[j] * x[j];
  *upper = sqrt(fmax(r, 0));
  *lower = -*upper;
  return 0;
}

static const struct problem {
  const char *name, *text;
  int ndim;
  tessera_limits limits;
} problems[] = {
    {"1/(0.01+|x-c|^2)",
     "double f(const double *x, const double *p) {\n"
     "  return 1 / (0.01 + (x[0] - p[0]) * (x[0] - p[0]) + (x[1] - 0.4) * (x[1] - 0.4));\n}\n",
     2, NULL},
    {"|x-y|", "double f(const double *x, const double *p) { return fabs(x[0] - p[0] * x[1]); }\n", 2, NULL},
    {"exp(-|x|^2)cos(x+y+z)",
     "double f(const double *x, const double *p) {\n"
     "  return exp(-x[0] * x[0] - x[1] * x[1] - p[0] * x[2] * x[2]) * cos(x[0] + x[1] + x[2]);\n}\n",
     3, NULL},
    {"|x-y+z|", "double f(const double *x, const double *p) { return fabs(x[0] - p[0] * x[1] + x[2] - 0.3); }\n", 3,
     NULL},
    {"1/sqrt(x+y+z)", "double f(const double *x, const double *p) { return 1 / sqrt(x[0] + p[0] * x[1] + x[2]); }\n", 3,
     NULL},
    {"ball", "double f(const double *x, const double *p) { return exp(p[0] * (x[0] + x[1] + x[2])); }\n", 3, ball},
    {"exp(-|x|^2) in 4-D",
     "double f(const double *x, const double *p) {\n"
     "  return exp(-x[0] * x[0] - x[1] * x[1] - p[0] * x[2] * x[2] - x[3] * x[3]);\n}\n",
     4, NULL},
};

static double wall_seconds(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* threads 0: all. many 0: a single integral. */
static int run(const struct problem *p, int device, int threads, double reltol, int64_t many) {
  const int64_t rows = many > 0 ? many : 1;
  double *const block = malloc(sizeof(double) * (size_t)rows), *const value = malloc(sizeof(double) * (size_t)rows),
                *const error = malloc(sizeof(double) * (size_t)rows), first = 0, best = 1e300;
  tessera_solver *s = NULL;
  int result = 0;
  int64_t evaluations = 0, used = 0;
  if (!block || !value || !error || tessera_create(&s, p->ndim, 1) != TESSERA_OK) return 1;
  for (int64_t i = 0; i < rows; ++i) block[i] = 0.6 + 0.3 * (double)i / (double)rows, value[i] = error[i] = 0;
  if (tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, p->text, "f") != TESSERA_OK) return 1;
  for (int j = 0; p->limits && j < p->ndim; ++j) tessera_set_limits(s, j, p->limits, NULL);
  tessera_set_params(s, block, sizeof *block);
  tessera_set_int(s, TESSERA_DEVICE, device);
  tessera_set_int(s, TESSERA_THREADS, threads);
  tessera_set_real(s, TESSERA_RELTOL, reltol);
  tessera_set_int(s, TESSERA_MAXEVAL, INT64_MAX);
  for (int loop = 0; loop <= repeats && result >= 0; ++loop) {
    const double start = wall_seconds();
    result = many > 0 ? tessera_integrate_many(s, TESSERA_ITERATED, rows, block, sizeof *block, NULL, NULL, value,
                                               error, NULL)
                      : tessera_integrate(s, TESSERA_ITERATED, value, error);
    const double passed = wall_seconds() - start;
    if (loop == 0)
      first = passed;
    else if (passed < best)
      best = passed;
  }
  if (result < 0) {
    fprintf(stderr, "%s: %d %s\n", p->name, result, tessera_last_error(s));
  } else {
    tessera_get_int(s, TESSERA_EVALUATIONS, &evaluations);
    tessera_get_int(s, TESSERA_THREADS_USED, &used);
    printf("%s,%d,%s,%d,%lld,%.1e,%d,%.17g,%.3g,%lld,%.4f,%.6f,%.3g\n", device < 0 ? "host" : "device",
           device < 0 ? (int)used : 0, p->name, p->ndim, (long long)many, reltol, result, value[0], error[0],
           (long long)evaluations, first, best, (double)evaluations / best);
    fflush(stdout);
  }
  tessera_destroy(s);
  free(block), free(value), free(error);
  return result < 0;
}

int main(int argc, char **argv) {
  const int device = argc > 1 ? atoi(argv[1]) : 0;
  const double reltol = argc > 2 ? atof(argv[2]) : 1e-6;
  const int64_t many = argc > 3 ? (int64_t)atof(argv[3]) : 1000;
  int failed = 0;
  printf(
      "place,threads,integrand,ndim,integrals,reltol,status,value,error,evaluations,first_seconds,seconds,"
      "evaluations_per_second\n");
  for (size_t p = 0; p < sizeof problems / sizeof problems[0]; ++p) {
    failed |= run(&problems[p], -1, 1, reltol, 0);
    failed |= run(&problems[p], -1, 0, reltol, 0);
    if (device >= 0) failed |= run(&problems[p], device, 0, reltol, 0);
    if (problems[p].ndim > 2) continue;
    failed |= run(&problems[p], -1, 0, reltol, many);
    if (device >= 0) failed |= run(&problems[p], device, 0, reltol, many);
  }
  return failed;
}
