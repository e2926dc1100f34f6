/* Sixty short runs over methods, forms of the integrand and options, with all bits of value and error: what a redesign must not
 * change. CSV on standard output; two builds on one machine are compared with diff. Evaluations on the host do not depend on threads;
 * the rows of a device are its own. Usage: tessera_golden [DEVICE]
 * SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tessera.h>

enum { most_components = 3, most_options = 6, many_rows = 40 };

/* 0: a smooth bell; 1: a kink in each variable; 2: a jump; 3: oscillating. Component k is the k-th moment of the first variable. */
static double shape(int kind, int ndim, const double *x) {
  double s = 0;
  switch (kind) {
    case 0:
      for (int j = 0; j < ndim; ++j) s += (x[j] - 0.3) * (x[j] - 0.3);
      return exp(-4 * s);
    case 1:
      for (int j = 0; j < ndim; ++j) s += fabs(x[j] - 0.61);
      return exp(-s);
    case 2:
      for (int j = 0; j < ndim; ++j) s += x[j];
      return s < 0.4 * ndim ? 1 + s : 0;
    default:
      for (int j = 0; j < ndim; ++j) s += (j + 2) * x[j];
      return 1 + cos(s);
  }
}

static int at_point(int ndim, const double *x, int ncomp, double *f, void *kind) {
  const double v = shape(kind ? *(const int *)kind : 0, ndim, x);
  for (int k = 0; k < ncomp; ++k) f[k] = k == 0 ? v : v * pow(x[0], k);
  return 0;
}

static int at_points(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf, void *kind) {
  double at[64], value[most_components];
  for (int64_t i = 0; i < n; ++i) {
    for (int j = 0; j < ndim; ++j) at[j] = x[j * ldx + i];
    at_point(ndim, at, ncomp, value, kind);
    for (int k = 0; k < ncomp; ++k) f[k * ldf + i] = value[k];
  }
  return 0;
}

static const char text[] =
    "#include <math.h>\n"
    "int f(int ndim, const double *x, int ncomp, double *f, void *userdata) {\n"
    "  double s = 0; int j, k; const double *p = (const double *)userdata;\n"
    "  for (j = 0; j < ndim; ++j) s += (x[j] - 0.3) * (x[j] - 0.3);\n"
    "  s = exp((p ? -p[0] : -4.0) * s);\n"
    "  for (k = 0; k < ncomp; ++k) f[k] = k == 0 ? s : s * x[0];\n"
    "  return 0;\n"
    "}\n";

enum form { POINT, BATCH, TEXT };
static const char *const form_names[] = {"point", "batch", "text"};

struct option {
  int key; /* 0: no more */
  double value;
};
struct run {
  int method, form, kind, ndim, ncomp, infinite;
  struct option options[most_options];
};

#define CUB TESSERA_CUBATURE
#define LAT TESSERA_LATTICE
#define MC TESSERA_MONTECARLO
#define TOL(t) \
  { TESSERA_RELTOL, t }
#define MOST(n) \
  { TESSERA_MAXEVAL, n }
static const struct run runs[] = {
    {CUB, POINT, 0, 1, 1, 0, {TOL(1e-9)}},
    {CUB, POINT, 1, 1, 1, 0, {TOL(1e-6), {TESSERA_RULE, 61}}},
    {CUB, POINT, 0, 2, 1, 0, {TOL(1e-6)}},
    {CUB, POINT, 1, 2, 1, 0, {TOL(1e-4)}},
    {CUB, POINT, 2, 2, 1, 0, {TOL(1e-3), MOST(200000)}},
    {CUB, POINT, 3, 3, 1, 0, {TOL(1e-6)}},
    {CUB, POINT, 1, 3, 1, 0, {TOL(1e-3), MOST(300000)}},
    {CUB, POINT, 0, 5, 1, 0, {TOL(1e-5)}},
    {CUB, BATCH, 0, 5, 1, 0, {TOL(1e-5)}},
    {CUB, TEXT, 0, 5, 1, 0, {TOL(1e-5)}},
    {CUB, POINT, 0, 5, 3, 0, {TOL(1e-5)}},
    {CUB, BATCH, 1, 5, 3, 0, {TOL(1e-3), MOST(300000)}},
    {CUB, BATCH, 2, 5, 1, 0, {TOL(1e-3), MOST(300000)}},
    {CUB, POINT, 0, 8, 1, 0, {TOL(1e-4), MOST(1000000)}},
    {CUB, POINT, 0, 13, 1, 0, {TOL(1e-2), MOST(300000)}},
    {CUB, POINT, 0, 3, 1, 1, {TOL(1e-5)}},
    {CUB, BATCH, 0, 3, 2, 1, {TOL(1e-5)}},
    {CUB, POINT, 0, 4, 1, 0, {TOL(1e-5), {TESSERA_SELECTION, 2}}},
    {CUB, BATCH, 1, 4, 1, 0, {TOL(1e-3), {TESSERA_SELECTION, 2}, MOST(300000)}},
    {CUB, BATCH, 2, 4, 2, 0, {TOL(1e-3), {TESSERA_SELECTION, 2}, MOST(300000), {TESSERA_THREADS, 2}}},
    {CUB, POINT, 2, 4, 1, 0, {TOL(1e-3), {TESSERA_SELECTION, 2}, MOST(300000), {TESSERA_INITIAL_REGIONS, 1000}}},
    {CUB, POINT, 1, 4, 1, 0, {TOL(1e-3), MOST(300000), {TESSERA_INITIAL_REGIONS, 64}}},
    {CUB, BATCH, 1, 4, 1, 0, {TOL(1e-3), MOST(300000), {TESSERA_THREADS, 2}}},
    {CUB, POINT, 1, 4, 1, 0, {TOL(1e-3), MOST(300000), {TESSERA_ESTIMATE, 1}}},
    {CUB, POINT, 1, 4, 1, 0, {TOL(1e-3), MOST(300000), {TESSERA_ESTIMATE, 1}, {TESSERA_SELECTION, 2}}},
    {CUB, POINT, 0, 4, 1, 0, {TOL(1e-4), {TESSERA_RULE, 7}}},
    {CUB, POINT, 0, 4, 1, 0, {TOL(1e-4), {TESSERA_RULE, 4}}},
    {CUB, BATCH, 0, 4, 1, 0, {TOL(1e-4), {TESSERA_RULE, 4}, {TESSERA_BATCH_POINTS, 100}}},
    {CUB, POINT, 1, 3, 1, 0, {TOL(1e-3), MOST(100000), {TESSERA_SPLITTING, 1}}},
    {CUB, POINT, 1, 3, 1, 0, {TOL(1e-3), MOST(100000), {TESSERA_SPLITTING, 2}}},
    {CUB, POINT, 1, 3, 1, 0, {TOL(1e-3), MOST(100000), {TESSERA_SPLITTING, 3}, {TESSERA_SELECTION, 2}}},
    {CUB, POINT, 1, 3, 1, 0, {TOL(1e-3), MOST(100000), {TESSERA_SPLITTING, 4}}},
    {CUB, POINT, 1, 5, 1, 0, {TOL(1e-3), MOST(100000), {TESSERA_SPLITTING, 5}, {TESSERA_SELECTION, 2}}},
    {CUB, POINT, 1, 3, 3, 0, {TOL(1e-3), MOST(100000), {TESSERA_PRIORITY, 1}, {TESSERA_ESTIMATE, 1}}},
    {CUB, POINT, 2, 6, 1, 0, {TOL(1e-6), MOST(500000), {TESSERA_MAX_MEMORY, 195000}}},
    {CUB, POINT, 2, 6, 1, 0, {TOL(1e-6), MOST(500000), {TESSERA_MAX_MEMORY, 254400}, {TESSERA_SELECTION, 2}}},
    {LAT, POINT, 0, 4, 1, 0, {TOL(1e-6)}},
    {LAT, BATCH, 0, 4, 1, 0, {TOL(1e-6)}},
    {LAT, TEXT, 0, 4, 1, 0, {TOL(1e-6)}},
    {LAT, BATCH, 1, 6, 2, 0, {TOL(1e-4), MOST(2000000)}},
    {LAT,
     BATCH,
     1,
     6,
     1,
     0,
     {TOL(1e-4), MOST(2000000), {TESSERA_TRANSFORM, TESSERA_TRANSFORM_BAKER}, {TESSERA_THREADS, 2}}},
    {LAT, BATCH, 3, 8, 1, 0, {TOL(1e-5), MOST(2000000), {TESSERA_TRANSFORM, TESSERA_TRANSFORM_KOROBOV3}}},
    {LAT,
     BATCH,
     3,
     5,
     1,
     0,
     {TOL(1e-5), MOST(2000000), {TESSERA_TRANSFORM, TESSERA_TRANSFORM_SIDI2}, {TESSERA_SEED, 7}}},
    {LAT, POINT, 2, 5, 1, 0, {TOL(1e-3), MOST(1000000), {TESSERA_SHIFTS, 10}}},
    {LAT, BATCH, 0, 3, 1, 1, {TOL(1e-4), MOST(1000000), {TESSERA_TRANSFORM, TESSERA_TRANSFORM_TANH}}},
    {LAT, BATCH, 1, 5, 1, 0, {TOL(1e-3), MOST(1000000), {TESSERA_MEDIAN, 5}}},
    {LAT, BATCH, 1, 3, 1, 0, {TOL(1e-3), MOST(1000000), {TESSERA_POINTS, 4096}}},
    {LAT, BATCH, 1, 30, 1, 0, {TOL(1e-3), MOST(1000000)}},
    {MC, POINT, 0, 4, 1, 0, {TOL(1e-2), {TESSERA_SAMPLING, 1}}},
    {MC, BATCH, 0, 4, 3, 0, {TOL(1e-2), {TESSERA_SAMPLING, 1}, {TESSERA_THREADS, 2}}},
    {MC, TEXT, 0, 4, 1, 0, {TOL(1e-2), {TESSERA_SAMPLING, 1}}},
    {MC, BATCH, 3, 4, 1, 0, {TOL(1e-2), {TESSERA_SAMPLING, 1}, {TESSERA_ANTITHETIC, 1}}},
    {MC, POINT, 0, 4, 1, 0, {TOL(2e-3), {TESSERA_SAMPLING, 2}}},
    {MC, BATCH, 0, 6, 2, 0, {TOL(2e-3), {TESSERA_SAMPLING, 2}, {TESSERA_THREADS, 2}}},
    {MC,
     BATCH,
     2,
     6,
     1,
     0,
     {TOL(5e-3), MOST(1000000), {TESSERA_SAMPLING, 2}, {TESSERA_SEED, 3}, {TESSERA_ANTITHETIC, 1}}},
    {MC, BATCH, 0, 3, 1, 1, {TOL(1e-2), MOST(1000000)}},
    {MC, POINT, 2, 9, 1, 0, {TOL(1e-2), MOST(300000)}},
    {MC,
     BATCH,
     1,
     5,
     1,
     0,
     {TOL(1e-3), MOST(1000000), {TESSERA_WARMUP, 3}, {TESSERA_INCREASE, 2000}, {TESSERA_DAMPING, 1.5}}},
};
enum { run_count = sizeof runs / sizeof runs[0] };

static const char *const methods[] = {"", "cubature", "lattice", "montecarlo"};

static void set_options(tessera_solver *s, const struct option *options) {
  for (int i = 0; i < most_options && options[i].key != 0; ++i)
    if (options[i].key >= 200)
      tessera_set_real(s, options[i].key, options[i].value);
    else
      tessera_set_int(s, options[i].key, (int64_t)options[i].value);
}

static void set_domain(tessera_solver *s, int ndim, int infinite) {
  double lower[64], upper[64];
  for (int j = 0; j < ndim; ++j) {
    lower[j] = infinite ? (j == 0 ? -INFINITY : 0.0) : 0.1 * j / ndim;
    upper[j] = infinite ? INFINITY : 1.0 - 0.05 * j / ndim;
  }
  tessera_set_domain(s, lower, upper);
}

static int print(tessera_solver *s, int number, const struct run *r, int form, int device, int status,
                 const double *value, const double *error) {
  int64_t n = 0, regions = 0, steps = 0;
  tessera_get_int(s, TESSERA_EVALUATIONS, &n);
  tessera_get_int(s, TESSERA_REGIONS, &regions);
  tessera_get_int(s, TESSERA_ITERATIONS, &steps);
  printf("%d,%s,%s,%d,%d,%d,%d,%" PRId64 ",%" PRId64 ",%" PRId64, number, methods[r->method], form_names[form], r->ndim,
         r->ncomp, device, status, n, regions, steps);
  for (int k = 0; k < r->ncomp; ++k) printf(",%a,%a", value[k], error[k]);
  printf("\n");
  if (status < 0) fprintf(stderr, "run %d: %s\n", number, tessera_last_error(s));
  return status < 0;
}

static int one_run(int number, int device) {
  static int kinds[] = {0, 1, 2, 3};
  const struct run *r = &runs[number];
  double value[most_components], error[most_components];
  tessera_solver *s;
  const int form = device >= 0 ? TEXT : r->form;
  if (device >= 0 && r->kind != 0) return 0; /* the text is that one */
  if (tessera_create(&s, r->ndim, r->ncomp) < 0) return 1;
  set_domain(s, r->ndim, r->infinite);
  if (form == POINT) tessera_set_integrand1(s, at_point, &kinds[r->kind]);
  if (form == BATCH) tessera_set_integrand(s, at_points, &kinds[r->kind]);
  if (form == TEXT) tessera_set_integrand_source(s, TESSERA_LANGUAGE_C, text, "f");
  set_options(s, r->options);
  tessera_set_int(s, TESSERA_DEVICE, device);
  const int status = tessera_integrate(s, r->method, value, error);
  const int bad = print(s, number, r, form, device, status, value, error);
  tessera_destroy(s);
  return bad;
}

/* Forty integrals in one call; their sums as one row. */
static int many(int number, int device) {
  static const struct run shown = {CUB, TEXT, 0, 4, 1, 0, {{0, 0}}};
  double params[many_rows][2] = {{0}}, value[many_rows], error[many_rows], sums[2] = {0, 0};
  tessera_solver *s;
  if (tessera_create(&s, shown.ndim, 1) < 0) return 1;
  tessera_set_integrand_source(s, TESSERA_LANGUAGE_C, text, "f");
  tessera_set_int(s, TESSERA_DEVICE, device);
  tessera_set_real(s, TESSERA_RELTOL, 1e-5);
  for (int i = 0; i < many_rows; ++i) params[i][0] = 1 + i;
  const int status =
      tessera_integrate_many(s, CUB, many_rows, params, sizeof params[0], NULL, NULL, value, error, NULL);
  for (int i = 0; i < many_rows; ++i) {
    sums[0] += value[i] * (i + 1);
    sums[1] += error[i] * (i + 1);
  }
  const int bad = print(s, number, &shown, TEXT, device, status, &sums[0], &sums[1]);
  tessera_destroy(s);
  return bad;
}

/* A run in two parts: the regions of the first are those that the second begins with. */
static int in_parts(int number) {
  static const struct run shown = {CUB, POINT, 1, 4, 1, 0, {TOL(1e-4), MOST(200000), {TESSERA_KEEP_REGIONS, 1}}};
  static int kind = 1;
  double value = 0, error = 0;
  int64_t count = 0;
  tessera_solver *s;
  if (tessera_create(&s, shown.ndim, 1) < 0) return 1;
  tessera_set_integrand1(s, at_point, &kind);
  set_options(s, shown.options);
  int status = tessera_integrate(s, CUB, &value, &error);
  int bad = print(s, number, &shown, POINT, -1, status, &value, &error);
  tessera_get_regions(s, 0, 0, NULL, &count);
  double *regions = malloc((size_t)count * TESSERA_REGION_LENGTH(4, 1) * sizeof *regions);
  if (!regions) return 1;
  tessera_get_regions(s, 0, count, regions, &count);
  tessera_set_regions(s, count, regions, 200000);
  tessera_set_int(s, TESSERA_MAXEVAL, 400000);
  status = tessera_integrate(s, CUB, &value, &error);
  bad += print(s, number + 1, &shown, POINT, -1, status, &value, &error);
  free(regions);
  tessera_destroy(s);
  return bad;
}

int main(int argc, char **argv) {
  int bad = 0;
  const int device = argc > 1 ? atoi(argv[1]) : -1;
  printf("run,method,form,ndim,ncomp,device,status,evaluations,regions,iterations,value and error of each component\n");
  for (int i = 0; i < run_count; ++i) bad += one_run(i, -1);
  bad += many(run_count, -1);
  bad += in_parts(run_count + 1);
  if (device >= 0) {
    for (int i = 0; i < run_count; ++i) bad += one_run(i, device);
    bad += many(run_count, device);
  }
  return bad != 0;
}
