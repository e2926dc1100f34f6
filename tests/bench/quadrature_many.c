/* TESSERA_QUADRATURE for many integrals on one host thread: what an evaluation costs beside the integrand, for a point and a batch callback.
 * Usage: bench_quadrature_many [INTEGRALS]. SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "measure.h"
#include "tessera.h"

static int64_t calls, most;

/* x costs nothing but the call. */
static int plain_point(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp, (void)userdata;
  *f = *x;
  return 0;
}
static int peak_point(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp, (void)userdata;
  const double d = *x - 0.3;
  *f = 1.0 / (d * d + 1e-4);
  return 0;
}
static int plain_batch(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf,
                       void *userdata) {
  (void)ndim, (void)ldx, (void)ncomp, (void)ldf, (void)userdata;
  for (int64_t i = 0; i < n; ++i) f[i] = x[i];
  ++calls;
  if (n > most) most = n;
  return 0;
}
static int peak_batch(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf,
                      void *userdata) {
  (void)ndim, (void)ldx, (void)ncomp, (void)ldf, (void)userdata;
  for (int64_t i = 0; i < n; ++i) {
    const double d = x[i] - 0.3;
    f[i] = 1.0 / (d * d + 1e-4);
  }
  ++calls;
  if (n > most) most = n;
  return 0;
}

static double seconds_of(tessera_solver *s, int64_t count, const double *lower, const double *upper, double *value,
                         double *error, int64_t *evaluations) {
  double least = 1e300;
  for (int loop = 0; loop < 7; ++loop) {
    calls = most = 0;
    const double start = cpu_seconds();
    const int status = tessera_integrate_many(s, TESSERA_QUADRATURE, count, NULL, 0, lower, upper, value, error, NULL);
    const double passed = cpu_seconds() - start;
    if (status != TESSERA_OK) fprintf(stderr, "%d %s\n", status, tessera_last_error(s));
    if (passed < least) least = passed;
  }
  tessera_get_int(s, TESSERA_EVALUATIONS, evaluations);
  return least;
}

/* The integrand alone on points of an array, called as often through a pointer that the compiler does not know: calls overlap, as they do in a run. */
static double alone_point(tessera_integrand1 volatile f, int64_t n) {
  static double x[4096], y[4096];
  const tessera_integrand1 g = f;
  double least = 1e300;
  for (int i = 0; i < 4096; ++i) x[i] = i / 4096.0;
  for (int loop = 0; loop < 5; ++loop) {
    const double start = cpu_seconds();
    for (int64_t i = 0; i < n; i += 4096)
      for (int k = 0; k < 4096; ++k) g(1, x + k, 1, y + k, NULL);
    const double passed = cpu_seconds() - start;
    if (passed < least) least = passed;
  }
  return least / (double)n;
}
static double alone_batch(tessera_integrand volatile f, int64_t n) {
  static double x[8192], y[8192];
  double least = 1e300;
  for (int i = 0; i < 8192; ++i) x[i] = i / 8192.0;
  for (int loop = 0; loop < 5; ++loop) {
    const double start = cpu_seconds();
    for (int64_t i = 0; i < n; i += 8192) f(8192, 1, x, 8192, 1, y, 8192, NULL);
    const double passed = cpu_seconds() - start;
    if (passed < least) least = passed;
  }
  return least / (double)n;
}

int main(int argc, char **argv) {
  const int64_t count = argc > 1 ? atoll(argv[1]) : 100000, n = 8192 * 512;
  double *lower = malloc(sizeof(double) * (size_t)count), *upper = malloc(sizeof(double) * (size_t)count);
  double *value = malloc(sizeof(double) * (size_t)count), *error = malloc(sizeof(double) * (size_t)count);
  if (!lower || !upper || !value || !error) return 1;
  for (int64_t i = 0; i < count; ++i) lower[i] = 0.0, upper[i] = 1.0 - 0.1 * (double)i / (double)count;
  const struct {
    const char *name;
    tessera_integrand1 point;
    tessera_integrand batch;
  } cases[] = {{"x", plain_point, plain_batch}, {"1/((x-0.3)^2+1e-4)", peak_point, peak_batch}};
  printf(
      "form,integrand,evaluations_each,ns_each_integral,ns_each_evaluation,ns_integrand_alone,ns_beside,calls,largest_"
      "call\n");
  for (int c = 0; c < 2; ++c)
    for (int batch = 0; batch < 2; ++batch) {
      tessera_solver *s = NULL;
      if (tessera_create(&s, 1, 1) != TESSERA_OK) return 1;
      tessera_set_real(s, TESSERA_RELTOL, 1e-8);
      if (batch)
        tessera_set_integrand(s, cases[c].batch, NULL);
      else
        tessera_set_integrand1(s, cases[c].point, NULL);
      int64_t evaluations = 0;
      const double seconds = seconds_of(s, count, lower, upper, value, error, &evaluations);
      const double each = 1e9 * seconds / (double)evaluations;
      const double alone = 1e9 * (batch ? alone_batch(cases[c].batch, n) : alone_point(cases[c].point, n));
      printf("%s,%s,%.1f,%.1f,%.2f,%.2f,%.2f,%lld,%lld\n", batch ? "batch" : "point", cases[c].name,
             (double)evaluations / (double)count, 1e9 * seconds / (double)count, each, alone, each - alone,
             (long long)calls, (long long)most);
      tessera_destroy(s);
    }
  free(lower), free(upper), free(value), free(error);
  return 0;
}
