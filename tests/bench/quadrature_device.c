/* Many integrals over one variable on a device and on the host, other parameters each: a smooth integrand, x^(a-1) with a from 0.2 to 1 by the epsilon
 * algorithm and by double-exponential rules, and a normal density over the line. Prints CSV: times of the first call (compilation and all), of the best of those after it, and what came out.
 * Usage: bench_quadrature_device [ROWS [DEVICE [HOST_ROWS]]]; DEVICE -1: the host alone. SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tessera.h"

#define REPEATS 5
static const double reltol = 1e-8;

struct block {
  double a, b;
};

static const struct problem {
  const char *name, *text;
  int rule, singular, infinite;
} problems[] = {
    {"exp(-ax)cos(bx)", "double f(const double *x, const double *p) { return exp(-p[0] * x[0]) * cos(p[1] * x[0]); }\n",
     TESSERA_RULE_AUTO, 0, 0},
    {"x^(a-1) automatic", "double f(const double *x, const double *p) { return pow(x[0], p[0] - 1.0); }\n",
     TESSERA_RULE_AUTO, 1, 0},
    {"x^(a-1) epsilon algorithm", "double f(const double *x, const double *p) { return pow(x[0], p[0] - 1.0); }\n",
     TESSERA_RULE_KRONROD21, 1, 0},
    {"x^(a-1) double-exponential", "double f(const double *x, const double *p) { return pow(x[0], p[0] - 1.0); }\n",
     TESSERA_RULE_DOUBLE_EXPONENTIAL, 1, 0},
    {"exp(-a(x-b)^2) on the line",
     "double f(const double *x, const double *p) { return exp(-p[0] * (x[0] - p[1]) * (x[0] - p[1])); }\n",
     TESSERA_RULE_AUTO, 0, 1},
};

static double exact(const struct problem *p, const struct block *q) {
  if (p->singular) return 1.0 / q->a;
  if (p->infinite) return sqrt(acos(-1.0) / q->a);
  return (q->a + exp(-q->a) * (q->b * sin(q->b) - q->a * cos(q->b))) / (q->a * q->a + q->b * q->b);
}

static double wall_seconds(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double uniform(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return ((double)(*state >> 11) + 0.5) / 9007199254740992.0;
}

static int run(const struct problem *p, int64_t rows, int device) {
  struct block *blocks = malloc(sizeof *blocks * (size_t)rows);
  double *value = malloc(sizeof(double) * (size_t)rows), *error = malloc(sizeof(double) * (size_t)rows);
  int *status = malloc(sizeof(int) * (size_t)rows);
  tessera_solver *s = NULL;
  int64_t evaluations = 0, count[16] = {0};
  double first = 0.0, best = 1e300, worst = 0.0;
  uint64_t seed = 440201;
  int result = 0;
  if (!blocks || !value || !error || !status || tessera_create(&s, 1, 1) != TESSERA_OK) return 1;
  for (int64_t i = 0; i < rows; ++i) {
    blocks[i].a = p->singular ? 0.2 + 0.8 * uniform(&seed) : 0.1 + 3.0 * uniform(&seed);
    blocks[i].b = 10.0 * uniform(&seed);
    value[i] = error[i] = 0.0, status[i] = 0;
  }
  if (tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, p->text, "f") != TESSERA_OK) return 1;
  if (p->infinite) {
    const double lower = -INFINITY, upper = INFINITY;
    if (tessera_set_domain(s, &lower, &upper) != TESSERA_OK) return 1;
  }
  tessera_set_int(s, TESSERA_DEVICE, device);
  tessera_set_int(s, TESSERA_RULE, p->rule);
  tessera_set_real(s, TESSERA_RELTOL, reltol);
  for (int loop = 0; loop <= (device < 0 ? 1 : REPEATS) && result >= 0; ++loop) {
    const double start = wall_seconds();
    result =
        tessera_integrate_many(s, TESSERA_QUADRATURE, rows, blocks, sizeof *blocks, NULL, NULL, value, error, status);
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
    for (int64_t i = 0; i < rows; ++i) {
      ++count[status[i] < 0 || status[i] > 14 ? 15 : status[i]];
      const double ratio = fabs(value[i] - exact(p, &blocks[i])) / (reltol * fabs(exact(p, &blocks[i])));
      if (status[i] == TESSERA_OK && !(ratio <= worst)) worst = ratio;
    }
    printf("%s,%s,%lld,%.4f,%.4f,%.1f,%.1f,%.3g", device < 0 ? "host" : "device", p->name, (long long)rows, first, best,
           (double)evaluations / (double)rows, 1e9 * best / (double)rows, worst);
    for (int k = 0; k < 16; ++k) printf("%c%lld", k == 0 ? ',' : ' ', (long long)count[k]);
    printf("\n");
    fflush(stdout);
  }
  tessera_destroy(s);
  free(blocks), free(value), free(error), free(status);
  return result < 0;
}

int main(int argc, char **argv) {
  const int64_t rows = argc > 1 ? (int64_t)atof(argv[1]) : 1000000;
  const int device = argc > 2 ? atoi(argv[2]) : 0;
  const int64_t host_rows = argc > 3 ? (int64_t)atof(argv[3]) : rows / 10;
  int failed = 0;
  printf(
      "place,integrand,rows,first_seconds,seconds,evaluations_each,ns_each,worst_error_over_tolerance_of_status_0,"
      "counts_by_status_0_to_14_and_others\n");
  for (size_t p = 0; p < sizeof problems / sizeof problems[0]; ++p) {
    if (device >= 0) failed |= run(&problems[p], rows, device);
    failed |= run(&problems[p], host_rows, -1);
  }
  return failed;
}
