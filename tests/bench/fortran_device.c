/* Integrands in Fortran beside the same in CUDA C++ on a device: evaluations a second at a million regions, from cheap to dear, and the time
 * of the first call with the text. Then the time of a call whose parameter block of 100 KB has changed, and of one where it has not: what
 * a COMMON block of the program costs. A table on stderr, CSV on standard output. Usage: tessera_fortran_device [DEVICE]
 * The Fortran texts are in the directory BENCH_FORTRAN. SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tessera.h>

enum { runs = 7, block_bytes = 102400, calls = 201 };

struct integrand {
  const char *name, *file;
  int ndim;
  const char *cuda;
};
static const struct integrand integrands[] = {
    {"squares", "squares.f90", 5,
     "double f(const double *x) { double s = 0; for (int j = 0; j < 5; ++j) s += x[j] * x[j]; return s; }\n"},
    {"peak", "peak.f", 5,
     "__constant__ double c[8] = {.1, .2, .3, .4, .5, .6, .7, .8}, u[8] = {.3, .4, .5, .6, .7, .2, .1, .9};\n"
     "double f(const double *x) { double p = 1; for (int j = 0; j < 5; ++j) p /= c[j] + (x[j] - u[j]) * (x[j] - "
     "u[j]); return p; }\n"},
    {"normal", "normal.f90", 6,
     "double f(const double *x) {\n  double q = 0;\n  for (int j = 0; j < 6; ++j) {\n    double y = 0;\n"
     "    for (int k = 0; k < 6; ++k) y += x[k] / (2 + j + 6 * k);\n    q += x[j] * y;\n  }\n"
     "  return exp(-0.5 * q);\n}\n"},
    {"wave", "wave.f90", 5,
     "double f(const double *x) {\n  double phase = 0, damping = 0;\n  for (int j = 0; j < 5; ++j) {\n"
     "    phase += sin(3 * (j + 1) * x[j]);\n    damping += log(1 + (j + 1) * x[j]);\n  }\n"
     "  return cos(phase) * exp(-damping) * sqrt(1 + phase * phase);\n}\n"},
    {"series", "series.f90", 3,
     "double f(const double *x) {\n  double s = 0;\n  for (int k = 1; k <= 100; ++k) s += exp(-k * x[0]) * sin(k * "
     "x[1] + x[2]) / k;\n  return s;\n}\n"}};

struct figures {
  double rate, first, value; /* evaluations a second, seconds of the first call, the integral */
  int inlined;
};

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static int fails(const tessera_solver *s) {
  fprintf(stderr, "%s\n", tessera_last_error(s));
  return 77;
}

static int measure(const struct integrand *i, int fortran, int device, struct figures *out) {
  tessera_solver *s = NULL;
  if (tessera_create(&s, i->ndim, 1) < 0) return 1;
  char path[1000];
  snprintf(path, sizeof path, "%s/%s", BENCH_FORTRAN, i->file);
  int end = fortran ? tessera_set_integrand_file(s, TESSERA_LANGUAGE_FORTRAN, path, "f")
                    : tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, i->cuda, "f");
  double error, seconds[runs];
  int64_t points = 1, n = 0, inlined = 0;
  tessera_set_int(s, TESSERA_DEVICE, device);
  tessera_set_int(s, TESSERA_MAXEVAL, 1);
  end = end < 0 || tessera_integrate(s, TESSERA_CUBATURE, &out->value, &error) < 0 ? fails(s) : 0;
  tessera_get_real(s, TESSERA_COMPILE_SECONDS, &out->first);
  tessera_get_int(s, TESSERA_RULE_POINTS, &points);
  const int64_t regions = device < 0 ? 64 : 1 << 20; /* on the host the texts are compared, no more */
  tessera_set_int(s, TESSERA_INITIAL_REGIONS, regions);
  tessera_set_int(s, TESSERA_MAXEVAL, 3 * regions / 2 * points);
  tessera_set_real(s, TESSERA_RELTOL, 1e-14);
  for (int k = -1; end == 0 && k < runs; ++k) {
    if (tessera_integrate(s, TESSERA_CUBATURE, &out->value, &error) < 0) end = fails(s);
    if (k >= 0) tessera_get_real(s, TESSERA_SECONDS, &seconds[k]);
  }
  tessera_get_int(s, TESSERA_EVALUATIONS, &n);
  tessera_get_int(s, TESSERA_INLINED, &inlined);
  out->inlined = (int)inlined;
  tessera_destroy(s);
  if (end != 0) return end;
  qsort(seconds, runs, sizeof seconds[0], by_size);
  out->rate = (double)n / seconds[runs / 2];
  return 0;
}

/* Milliseconds of a call, median. */
static double call_time(tessera_solver *s, double *block, int changes) {
  double seconds[calls], value, error;
  for (int k = 0; k < calls; ++k) {
    if (changes) block[k % 1000] += 1e-3;
    tessera_set_params(s, block, block_bytes);
    if (tessera_integrate(s, TESSERA_CUBATURE, &value, &error) < 0) return -1;
    tessera_get_real(s, TESSERA_SECONDS, &seconds[k]);
  }
  qsort(seconds, calls, sizeof seconds[0], by_size);
  return 1e3 * seconds[calls / 2];
}

static int uploads(int device) {
  static double block[block_bytes / sizeof(double)];
  tessera_solver *s = NULL;
  if (tessera_create(&s, 2, 1) < 0) return 1;
  tessera_set_integrand_source(
      s, TESSERA_LANGUAGE_CUDA,
      "double f(const double *x, const double *table) { return table[(int)(12799 * x[0])] + x[0] * x[1]; }\n", "f");
  tessera_set_int(s, TESSERA_DEVICE, device);
  tessera_set_int(s, TESSERA_MAXEVAL, 1);
  const double warm = call_time(s, block, 1), same = call_time(s, block, 0), changed = call_time(s, block, 1);
  if (warm < 0 || same < 0 || changed < 0) return fails(s);
  tessera_destroy(s);
  fprintf(stderr, "\na call with 100 KB of parameters: %.4f ms unchanged, %.4f ms changed: an upload takes %.4f ms\n",
          same, changed, changed - same);
  printf("unchanged 100 KB,,,%.4f ms,,,\nchanged 100 KB,,,%.4f ms,,,\n", same, changed);
  return 0;
}

int main(int argc, char **argv) {
  const int device = argc > 1 ? atoi(argv[1]) : 0;
  int bad = 0;
  printf("integrand,ndim,inlined,fortran_evaluations_per_s,cuda_evaluations_per_s,fortran_first_s,cuda_first_s\n");
  fprintf(stderr, "%-10s %12s %12s %7s %10s %10s\n", "integrand", "Fortran", "CUDA C++", "ratio", "first, F",
          "first, C++");
  for (size_t k = 0; k < sizeof integrands / sizeof integrands[0]; ++k) {
    const struct integrand *i = &integrands[k];
    struct figures f = {0}, c = {0};
    int end = measure(i, 0, device, &c);
    if (end == 0) end = measure(i, 1, device, &f);
    if (end != 0) return end;
    printf("%s,%d,%d,%.4e,%.4e,%.3f,%.3f\n", i->name, i->ndim, f.inlined, f.rate, c.rate, f.first, c.first);
    fprintf(stderr, "%-10s %12.3e %12.3e %7.3f %8.3f s %8.3f s\n", i->name, f.rate, c.rate, f.rate / c.rate, f.first,
            c.first);
    if (!(fabs(f.value - c.value) <= 1e-9 * fabs(c.value))) {
      fprintf(stderr, "%s: %.17g in Fortran, %.17g in CUDA C++\n", i->name, f.value, c.value);
      bad = 1;
    }
  }
  const int end = uploads(device);
  return end != 0 ? end : bad;
}
