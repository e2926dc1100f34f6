/* What a device can do at best: evaluations a second where there are a million regions, the time of the smallest call, and of
 * the first call with a text. CSV on standard output. Usage: tessera_device_rates [DEVICE]
 * SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <tessera.h>

#include "suite_texts.h"

enum { most_runs = 15 };

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Median of the seconds of some calls, after one for warming up; -1 when there is no device. */
static double median_seconds(tessera_solver *s, int runs, int64_t *evaluations) {
  double value, error, seconds[most_runs];
  for (int i = -1; i < runs; ++i) {
    if (tessera_integrate(s, TESSERA_CUBATURE, &value, &error) < 0) {
      fprintf(stderr, "%s\n", tessera_last_error(s));
      return -1;
    }
    if (i >= 0) tessera_get_real(s, TESSERA_SECONDS, &seconds[i]);
  }
  tessera_get_int(s, TESSERA_EVALUATIONS, evaluations);
  qsort(seconds, (size_t)runs, sizeof seconds[0], by_size);
  return seconds[runs / 2];
}

static tessera_solver *open_case(int family, int ndim, int device) {
  tessera_solver *s = NULL;
  if (tessera_create(&s, ndim, 1) < 0) return NULL;
  tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, suite_text(family), "f");
  tessera_set_int(s, TESSERA_DEVICE, device);
  return s;
}

/* Half a million cells, each divided once, by the subdivision alone: a tolerance that nothing meets would let a sparse grid try in vain. */
static int rate(int family, int ndim, int device) {
  tessera_solver *s = open_case(family, ndim, device);
  if (!s) return 1;
  int64_t points, n;
  double first = -1, value, error;
  tessera_set_int(s, TESSERA_MAXEVAL, 1);
  if (tessera_integrate(s, TESSERA_CUBATURE, &value, &error) < 0) return 77;
  tessera_get_real(s, TESSERA_COMPILE_SECONDS, &first);
  tessera_get_int(s, TESSERA_RULE_POINTS, &points);
  tessera_set_int(s, TESSERA_SPARSE, TESSERA_SPARSE_OFF);
  tessera_set_int(s, TESSERA_INITIAL_REGIONS, 1 << 20);
  tessera_set_int(s, TESSERA_MAXEVAL, 3 * (int64_t)(1 << 19) * points);
  tessera_set_real(s, TESSERA_RELTOL, 1e-14);
  const double seconds = median_seconds(s, 5, &n);
  tessera_destroy(s);
  if (seconds < 0) return 77;
  printf("f%d %d-D at a million regions,%.3f,%" PRId64 ",%.3e,%.3f\n", family, ndim, 1e3 * seconds, n,
         (double)n / seconds, first);
  return 0;
}

static int smallest(int device) {
  tessera_solver *s = open_case(3, 3, device);
  int64_t n;
  if (!s) return 1;
  tessera_set_real(s, TESSERA_RELTOL, 1e-3);
  const double seconds = median_seconds(s, most_runs, &n);
  tessera_destroy(s);
  if (seconds < 0) return 77;
  printf("f3 3-D to 1e-3,%.4f,%" PRId64 ",%.3e,\n", 1e3 * seconds, n, (double)n / seconds);
  return 0;
}

int main(int argc, char **argv) {
  const int device = argc > 1 ? atoi(argv[1]) : 0;
  static const int cases[][2] = {{4, 8}, {5, 8}, {4, 5}, {5, 5}, {5, 3}}; /* family, variables */
  printf("what,ms,evaluations,evaluations_per_s,compile_or_load_s\n");
  for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const int end = rate(cases[i][0], cases[i][1], device);
    if (end != 0) return end;
  }
  return smallest(device);
}
