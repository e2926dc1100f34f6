/* Lattice rules and the construction of generating vectors on a device: points per second, seconds per vector, with the kernels
 * compiled before. CSV on standard output. Usage: tessera_lattice_device [--short] [DEVICE]
 * SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tessera.h>
#include <time.h>

enum { shifts = 32, most_runs = 51 };

static const char text[] =
    "double kink(const double *x) {\n"
    "  double s = 0;\n"
    "  for (int j = 0; j < TESSERA_NDIM; ++j) s += fabs(4 * x[j] - 2);\n"
    "  return s * (1.0 / TESSERA_NDIM);\n"
    "}\n"
    "double power(const double *x) {\n"
    "  double s = 0;\n"
    "  for (int j = 0; j < TESSERA_NDIM; ++j) s += x[j];\n"
    "  return s * sqrt(s);\n"
    "}\n"
    "double feyn6(const double *p) {\n"
    "  const double x1 = p[0], r1 = 1 - x1, x2 = r1 * p[1], r2 = r1 - x2, x3 = r2 * p[2], r3 = r2 - x3;\n"
    "  const double x4 = r3 * p[3], r4 = r3 - x4, x5 = r4 * p[4], r5 = r4 - x5, x6 = r5 * p[5], x7 = r5 - x6;\n"
    "  const double a = x1 + x2 + x3, b = a + x4 + x5, c = a + x6 + x7, C = b * c - a * a;\n"
    "  const double D = C * (b + x6 + x7) -\n"
    "    (x1 * x2 * (x4 + x5 + x6 + x7) + x1 * x5 * x6 + x2 * x4 * x7 - x3 * x4 * x6 + x3 * (x5 * x7 - x4 * x6) +\n"
    "     x3 * (x1 * (x4 + x5 + x6 + x7) + x4 * (x6 + x7)) + x3 * (x2 * (x4 + x5 + x6 + x7) + x6 * (x4 + x5)) +\n"
    "     x1 * x5 * (x4 + x7) + x2 * x4 * (x5 + x6) + x3 * x4 * (x5 + x6) + x4 * x5 * (x6 + x7) + x1 * x6 * (x4 + x7) "
    "+\n"
    "     x2 * x7 * (x5 + x6) + x3 * x6 * (x4 + x7) + x6 * x7 * (x4 + x5));\n"
    "  return D == 0 ? 0 : 2 * C / (D * D * D) * r1 * r2 * r3 * r4 * r5;\n"
    "}\n";

struct run {
  const char *function;
  int ndim, transform;
  double points, exact;
  double wanted; /* points per second, or for the small call microseconds */
};
static const struct run runs[] = {
    {"kink", 20, TESSERA_TRANSFORM_NONE, 1e9, 1, 150e9},
    {"power", 10, TESSERA_TRANSFORM_NONE, 1e9, 11.32097423155, 330e9},
    {"feyn6", 6, TESSERA_TRANSFORM_NONE, 1e9, 0.085351398153884, 120e9},
    {"feyn6", 6, TESSERA_TRANSFORM_KOROBOV3, 1e9, 0.085351398153884, 85e9},
    {"feyn6", 6, TESSERA_TRANSFORM_SIDI3, 1e9, 0.085351398153884, 42e9},
    {"power", 10, TESSERA_TRANSFORM_NONE, 1e6, 11.32097423155, 60},
    {"feyn6", 6, TESSERA_TRANSFORM_KOROBOV3, 1e6, 0.085351398153884, 60},
};

struct vector {
  int ndim, precision;
  double points, wanted; /* near which the prime is; seconds */
};
static const struct vector vectors[] = {{100, 64, 8e7, 0.240}, {100, 32, 8e7, 0.130}, {10, 64, 983449601, 0.350}};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void give_up(const char *what, const char *why) {
  fprintf(stderr, "%s: %s\n", what, why);
  exit(1);
}

/* A vector for a prime n near `points`, made on the device; seconds without the plans. */
static tessera_lattice *vector_of(int ndim, double points, int precision, int device, double *seconds, int64_t *n) {
  tessera_lattice *l = NULL;
  double all = 0, plan = 0;
  if (tessera_lattice_create(&l, ndim) < 0) give_up("tessera_lattice_create", "no memory");
  tessera_lattice_set_int(l, TESSERA_LATTICE_DEVICE, device);
  tessera_lattice_set_int(l, TESSERA_LATTICE_PRECISION, precision);
  if (tessera_lattice_prime((int64_t)points, 7, n) < 0 || tessera_lattice_construct(l, *n) < 0)
    give_up("tessera_lattice_construct", tessera_lattice_last_error(l));
  tessera_lattice_get_real(l, TESSERA_LATTICE_SECONDS, &all);
  tessera_lattice_get_real(l, TESSERA_LATTICE_PLAN_SECONDS, &plan);
  *seconds = all - plan;
  return l;
}

static void measure(const struct run *r, int device, int repeat) {
  double value = 0, error = 0, unused, seconds[most_runs];
  int64_t n, evaluations = 0;
  int status = 0;
  tessera_solver *s = NULL;
  tessera_lattice *l = vector_of(r->ndim, r->points / shifts, 64, device, &unused, &n);
  if (tessera_create(&s, r->ndim, 1) < 0 ||
      tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, text, r->function) < 0 || tessera_set_lattice(s, l) < 0)
    give_up(r->function, tessera_last_error(s));
  tessera_set_int(s, TESSERA_DEVICE, device);
  tessera_set_int(s, TESSERA_TRANSFORM, r->transform);
  tessera_set_int(s, TESSERA_SHIFTS, shifts);
  tessera_set_int(s, TESSERA_MAXEVAL, n * shifts);
  tessera_set_real(s, TESSERA_RELTOL, 0);
  for (int i = -2; i < repeat; ++i) { /* two to warm up */
    const double start = now();
    status = tessera_integrate(s, TESSERA_LATTICE, &value, &error);
    if (status < 0) give_up(r->function, tessera_last_error(s));
    if (i >= 0) seconds[i] = now() - start;
  }
  tessera_get_int(s, TESSERA_EVALUATIONS, &evaluations);
  qsort(seconds, (size_t)repeat, sizeof seconds[0], by_size);
  const double median = seconds[repeat / 2], rate = (double)evaluations / median;
  const int small = r->points < 1e7;
  printf("%s,%d,%d,%" PRId64 ",%.6f,%.4g,%.4g,%.2f,%.15g,%.2e,%.2e\n", r->function, r->ndim, r->transform, evaluations,
         1e3 * median, rate, r->wanted, small ? r->wanted / (1e6 * median) : rate / r->wanted, value, error,
         fabs(value / r->exact - 1));
  fflush(stdout);
  tessera_destroy(s);
  tessera_lattice_destroy(l);
}

int main(int argc, char **argv) {
  const int brief = argc > 1 && strcmp(argv[1], "--short") == 0;
  const int device = argc > 1 + brief ? atoi(argv[1 + brief]) : 0;
  printf(
      "integrand,ndim,transform,evaluations,milliseconds,points_per_second,wanted,ratio_to_wanted,value,error,true_"
      "error\n");
  for (size_t i = 0; i < sizeof runs / sizeof runs[0]; ++i)
    measure(&runs[i], device, runs[i].points < 1e7 ? most_runs : brief ? 5 : 21);
  printf("construction,ndim,bits,n,milliseconds,,wanted,ratio_to_wanted,,,\n");
  for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; ++i) {
    double seconds[5];
    int64_t n = 0;
    const int repeat = brief ? 3 : 5;
    for (int k = 0; k < repeat; ++k)
      tessera_lattice_destroy(
          vector_of(vectors[i].ndim, vectors[i].points, vectors[i].precision, device, &seconds[k], &n));
    qsort(seconds, (size_t)repeat, sizeof seconds[0], by_size);
    const double median = seconds[repeat / 2];
    printf("cbc,%d,%d,%" PRId64 ",%.3f,,%.3g,%.2f,,,\n", vectors[i].ndim, vectors[i].precision, n, 1e3 * median,
           1e3 * vectors[i].wanted, vectors[i].wanted / median);
    fflush(stdout);
  }
  return 0;
}
