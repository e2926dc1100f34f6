/* Normal densities, alone and with the moments of a posterior beside them: all means, one product of two coordinates and one square. By cubature with sparse grids and without, medians of the times.
 * Usage: tessera_moments [DEVICE [TOLERANCE [MAXEVAL]]]; DEVICE -1: the host.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <tessera.h>

enum { least_ndim = 4, most_ndim = 6, most_ncomp = most_ndim + 3, runs = 5 };

static const char text[] =
    "void f(const double *x, double *f) {\n"
    "  const int n = TESSERA_NDIM;\n"
    "  double s = 0;\n"
    "  for (int j = 0; j < n; ++j) {\n"
    "    const double t = (x[j] - (0.9 - 0.45 * j)) / (0.3 + 0.1 * j);\n"
    "    s += t * t;\n"
    "  }\n"
    "  f[0] = exp(-0.5 * s);\n"
    "  for (int k = 1; k < TESSERA_NCOMP; ++k)\n"
    "    f[k] = f[0] * (k <= n ? x[k - 1] : k == n + 1 ? x[0] * x[1] : x[n - 1] * x[n - 1]);\n"
    "}\n";

static double mean(int j) { return 0.9 - 0.45 * j; }
static double width(int j) { return 0.3 + 0.1 * j; }
static double exact(int ndim, int k) {
  const double of_last = width(ndim - 1);
  double mass = 1;
  for (int j = 0; j < ndim; ++j) mass *= width(j) * sqrt(2 * acos(-1.0));
  if (k == 0) return mass;
  if (k <= ndim) return mass * mean(k - 1);
  return mass * (k == ndim + 1 ? mean(0) * mean(1) : mean(ndim - 1) * mean(ndim - 1) + of_last * of_last);
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Returns whether a claim of success is false, or nothing could be run. */
static int measure(int device, double reltol, int64_t maxeval, int ndim, int ncomp, int infinite, int sparse) {
  double lower[most_ndim], upper[most_ndim], value[most_ncomp], error[most_ncomp], ms[runs];
  const double abstol = 0.1 * reltol * exact(ndim, 0);
  for (int j = 0; j < ndim; ++j) {
    lower[j] = infinite ? -(double)INFINITY : -8;
    upper[j] = infinite ? (double)INFINITY : 9.5;
  }
  tessera_solver *s;
  if (tessera_create(&s, ndim, ncomp) < 0) return 1;
  int status = tessera_set_domain(s, lower, upper);
  if (status == TESSERA_OK) status = tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, text, "f");
  tessera_set_int(s, TESSERA_DEVICE, device);
  tessera_set_int(s, TESSERA_SPARSE, sparse);
  tessera_set_int(s, TESSERA_MAXEVAL, maxeval);
  tessera_set_real(s, TESSERA_RELTOL, reltol);
  tessera_set_real(s, TESSERA_ABSTOL, abstol);
  const int made = device < 0 ? 1 : runs;
  for (int r = -1; r < made && status >= 0; ++r) { /* the first one compiles */
    double seconds = 0;
    status = tessera_integrate(s, TESSERA_CUBATURE, value, error);
    tessera_get_real(s, TESSERA_SECONDS, &seconds);
    if (r >= 0) ms[r] = 1e3 * seconds;
  }
  if (status < 0) {
    fprintf(stderr, "%s\n", tessera_last_error(s));
    tessera_destroy(s);
    return 1;
  }
  qsort(ms, (size_t)made, sizeof ms[0], by_size);
  int64_t evaluations = 0;
  tessera_get_int(s, TESSERA_EVALUATIONS, &evaluations);
  double worst = 0; /* of what is tolerated */
  for (int k = 0; k < ncomp; ++k) {
    const double right = exact(ndim, k);
    worst = fmax(worst, fabs(value[k] - right) / fmax(abstol, reltol * fabs(right)));
  }
  printf("%d,%d,%s,%g,%s,%d,%.3f,%" PRId64 ",%.1e\n", ndim, ncomp, infinite ? "infinite" : "finite", reltol,
         sparse == TESSERA_SPARSE_OFF ? "off" : "auto", status, ms[made / 2], evaluations, worst);
  fflush(stdout);
  tessera_destroy(s);
  return status == TESSERA_OK && !(worst <= 1);
}

int main(int argc, char **argv) {
  const int device = argc > 1 ? atoi(argv[1]) : 0;
  const double reltol = argc > 2 ? atof(argv[2]) : 1e-6;
  const int64_t maxeval = argc > 3 ? (int64_t)atof(argv[3]) : INT64_C(10000000000);
  int failed = 0;
  printf("ndim,ncomp,range,tolerance,sparse,status,ms_median,evaluations,worst_error_of_tolerated\n");
  for (int ndim = least_ndim; ndim <= most_ndim; ++ndim)
    for (int moments = 0; moments < 2; ++moments)
      for (int infinite = 0; infinite < 2; ++infinite)
        for (int off = 0; off < 2; ++off)
          failed |= measure(device, reltol, maxeval, ndim, moments ? ndim + 3 : 1, infinite,
                            off ? TESSERA_SPARSE_OFF : TESSERA_SPARSE_AUTO);
  return failed;
}
