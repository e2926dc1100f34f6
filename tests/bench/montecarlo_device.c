/* Monte Carlo on a device: points per second with the kernels compiled before, and errors. CSV on standard output.
 * Usage: tessera_montecarlo_device [--short | --long] [DEVICE]; --long has the runs of 1e11 points
 * SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tessera.h>
#include <time.h>

enum { most_runs = 21 };

static const char text[] =
    "double power(const double *x) {\n"
    "  double s = 0;\n"
    "  for (int j = 0; j < TESSERA_NDIM; ++j) s += x[j];\n"
    "  return s * sqrt(s);\n"
    "}\n"
    "double peak(const double *x) {\n"
    "  double s = 0;\n"
    "  for (int j = 0; j < TESSERA_NDIM; ++j) s += (x[j] - 0.3) * (x[j] - 0.3);\n"
    "  return exp(-200 * s) * pow(63.661977236758134, 0.5 * TESSERA_NDIM);\n"
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
  int ndim, sampling, antithetic, generator;
  double points, exact;
  double wanted; /* points per second; 0: no goal */
};
static const struct run runs[] = {
    {"power", 10, TESSERA_SAMPLING_PLAIN, 0, TESSERA_GENERATOR_PHILOX, 1e9, 11.32097423155, 60e9},
    {"feyn6", 6, TESSERA_SAMPLING_PLAIN, 0, TESSERA_GENERATOR_PHILOX, 1e9, 0.085351398153884, 65e9},
    {"power", 10, TESSERA_SAMPLING_PLAIN, 0, TESSERA_GENERATOR_PHILOX, 1e10, 11.32097423155, 60e9},
    {"feyn6", 6, TESSERA_SAMPLING_PLAIN, 0, TESSERA_GENERATOR_PHILOX, 1e10, 0.085351398153884, 65e9},
    {"power", 10, TESSERA_SAMPLING_PLAIN, 1, TESSERA_GENERATOR_PHILOX, 1e9, 11.32097423155, 0},
    {"power", 10, TESSERA_SAMPLING_PLAIN, 0, TESSERA_GENERATOR_PHILOX, 1e6, 11.32097423155, 0},
    {"feyn6", 6, TESSERA_SAMPLING_VEGAS, 0, TESSERA_GENERATOR_PHILOX, 1e6, 0.085351398153884, 1e9},
    {"feyn6", 6, TESSERA_SAMPLING_VEGAS, 0, TESSERA_GENERATOR_PHILOX, 1e8, 0.085351398153884, 20e9},
    {"feyn6", 6, TESSERA_SAMPLING_VEGAS, 0, TESSERA_GENERATOR_PHILOX, 1e9, 0.085351398153884, 40e9},
    {"peak", 6, TESSERA_SAMPLING_VEGAS, 0, TESSERA_GENERATOR_PHILOX, 1e8, 1, 0},
    {"peak", 6, TESSERA_SAMPLING_AUTO, 0, TESSERA_GENERATOR_PHILOX, 1e8, 1, 0},
    {"power", 10, TESSERA_SAMPLING_PLAIN, 0, TESSERA_GENERATOR_XORWOW, 1e6, 11.32097423155, 0},
    {"power", 10, TESSERA_SAMPLING_PLAIN, 0, TESSERA_GENERATOR_XORWOW, 1e8, 11.32097423155, 0},
    {"power", 10, TESSERA_SAMPLING_PLAIN, 0, TESSERA_GENERATOR_XORWOW, 1e9, 11.32097423155, 0},
    {"power", 10, TESSERA_SAMPLING_PLAIN, 0, TESSERA_GENERATOR_MRG32K3A, 1e6, 11.32097423155, 0},
    {"power", 10, TESSERA_SAMPLING_PLAIN, 0, TESSERA_GENERATOR_MRG32K3A, 1e8, 11.32097423155, 0},
    {"power", 10, TESSERA_SAMPLING_PLAIN, 0, TESSERA_GENERATOR_MRG32K3A, 1e9, 11.32097423155, 0},
    {"power", 10, TESSERA_SAMPLING_PLAIN, 0, TESSERA_GENERATOR_SOBOL_SCRAMBLED, 1e6, 11.32097423155, 0},
    {"power", 10, TESSERA_SAMPLING_PLAIN, 0, TESSERA_GENERATOR_SOBOL_SCRAMBLED, 1e8, 11.32097423155, 0},
    {"power", 10, TESSERA_SAMPLING_PLAIN, 0, TESSERA_GENERATOR_SOBOL_SCRAMBLED, 1e9, 11.32097423155, 0},
    {"power", 10, TESSERA_SAMPLING_PLAIN, 0, TESSERA_GENERATOR_THREEFRY, 1e9, 11.32097423155, 0},
    {"power", 10, TESSERA_SAMPLING_PLAIN, 0, TESSERA_GENERATOR_SOBOL, 1e6, 11.32097423155, 0},
    {"power", 10, TESSERA_SAMPLING_PLAIN, 0, TESSERA_GENERATOR_SOBOL, 1e8, 11.32097423155, 0},
    {"power", 10, TESSERA_SAMPLING_PLAIN, 0, TESSERA_GENERATOR_SOBOL, 1.1e9, 11.32097423155, 50e9},
    {"power", 10, TESSERA_SAMPLING_PLAIN, 0, TESSERA_GENERATOR_SOBOL, 8.6e9, 11.32097423155, 50e9},
    {"feyn6", 6, TESSERA_SAMPLING_PLAIN, 0, TESSERA_GENERATOR_SOBOL, 8.6e9, 0.085351398153884, 0},
};
static const struct run long_runs[] = {
    {"power", 10, TESSERA_SAMPLING_PLAIN, 0, TESSERA_GENERATOR_PHILOX, 1e11, 11.32097423155, 60e9},
    {"feyn6", 6, TESSERA_SAMPLING_PLAIN, 0, TESSERA_GENERATOR_PHILOX, 1e11, 0.085351398153884, 65e9},
};

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

static void measure(const struct run *r, int device, int repeat) {
  static const char *const names[] = {"auto", "plain", "vegas"};
  static const char *const generators[] = {"", " XORWOW", " MRG32k3a", " cuRAND's Sobol", " Sobol", " Threefry"};
  const int sobol = r->generator == TESSERA_GENERATOR_SOBOL_SCRAMBLED || r->generator == TESSERA_GENERATOR_SOBOL;
  const double most_points = 4294967295.0; /* of TESSERA_POINTS */
  const int plain = r->sampling == TESSERA_SAMPLING_PLAIN;
  double value = 0, error = 0, seconds[most_runs];
  int64_t evaluations = 0;
  tessera_solver *s = NULL;
  if (tessera_create(&s, r->ndim, 1) < 0 ||
      tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, text, r->function) < 0)
    give_up(r->function, tessera_last_error(s));
  tessera_set_int(s, TESSERA_DEVICE, device);
  tessera_set_int(s, TESSERA_SAMPLING, r->sampling);
  tessera_set_int(s, TESSERA_ANTITHETIC, r->antithetic);
  tessera_set_int(s, TESSERA_GENERATOR, r->generator);
  tessera_set_real(s, TESSERA_RELTOL, 0);
  for (int i = -2; i < repeat; ++i) { /* two to warm up, the first with few points */
    const double points = i == -2 ? fmin(1e6, r->points) : r->points;
    tessera_set_int(s, TESSERA_MAXEVAL, (int64_t)points);
    tessera_set_int(s, TESSERA_POINTS,
                    (int64_t)(sobol   ? 65536
                              : plain ? fmin(points / (1 + r->antithetic), most_points)
                                      : points / 100));
    const double start = now();
    const int status = tessera_integrate(s, TESSERA_MONTECARLO, &value, &error);
    if (status < 0) give_up(r->function, tessera_last_error(s));
    if (i >= 0) seconds[i] = now() - start;
  }
  tessera_get_int(s, TESSERA_EVALUATIONS, &evaluations);
  qsort(seconds, (size_t)repeat, sizeof seconds[0], by_size);
  const double median = seconds[repeat / 2], rate = (double)evaluations / median;
  printf("%s,%d,%s%s%s,%" PRId64 ",%.4f,%.4g,", r->function, r->ndim, names[r->sampling],
         r->antithetic ? " antithetic" : "", generators[r->generator], evaluations, 1e3 * median, rate);
  if (r->wanted > 0)
    printf("%.4g,%.2f,", r->wanted, rate / r->wanted);
  else
    printf(",,");
  printf("%.12g,%.2e,%.2e\n", value, error, fabs(value - r->exact));
  fflush(stdout);
  tessera_destroy(s);
}

int main(int argc, char **argv) {
  const int brief = argc > 1 && strcmp(argv[1], "--short") == 0, lengthy = argc > 1 && strcmp(argv[1], "--long") == 0;
  const int device = argc > 1 + (brief || lengthy) ? atoi(argv[1 + (brief || lengthy)]) : 0;
  printf(
      "integrand,ndim,sampling,evaluations,milliseconds,points_per_second,wanted,ratio_to_wanted,value,error,true_"
      "error\n");
  for (size_t i = 0; i < sizeof runs / sizeof runs[0]; ++i)
    measure(&runs[i], device, runs[i].points < 1e7 ? most_runs : brief || runs[i].points > 5e9 ? 3 : 9);
  for (size_t i = 0; lengthy && i < sizeof long_runs / sizeof long_runs[0]; ++i) measure(&long_runs[i], device, 1);
  return 0;
}
