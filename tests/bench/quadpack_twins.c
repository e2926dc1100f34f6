/* QUADPACK's routines with a twin and without, for integrands from cheap to expensive: wall seconds of a call, the twin's once it has been compiled.
 * Two kinds of cost: "lines", a sum of many independent terms, which a processor core does several at a time; "recurrence", where each
 * number waits for the one before. CSV. Usage: bench_quadpack_twins [largest number of terms, 100000] [seconds of a figure, 0.2]
 * Ends with 77 where the twin was not used, 1 where a result differs. SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <tessera.h>
#include <time.h>

#include "tessera_quadpack.h"

static struct {
  double width;
  int terms;
} block = {0.01, 0};
static long calls;

/* Lines of a spectrum beside the range, and one in it. */
static double lines(const double *x) {
  double s = 1 / ((*x - 0.3) * (*x - 0.3) + block.width);
  ++calls;
  for (int k = 1; k < block.terms; ++k) s += 1 / ((*x + k) * (*x + k) + block.width);
  return s;
}
/* A continued fraction from below: log(1 + x) where it is long, times the line. */
static double recurrence(const double *x) {
  double c = 1;
  ++calls;
  for (int k = block.terms; k > 0; --k) c = k + ((k + 1) / 2) * (double)((k + 1) / 2) * *x / (1 + c);
  return *x / c / ((*x - 0.3) * (*x - 0.3) + block.width);
}
static const char text[] =
    "struct common { double width; int terms; };\n"
    "double lines(const double *x, const void *p) {\n"
    "  const struct common *c = p;\n  double s = 1 / ((*x - 0.3) * (*x - 0.3) + c->width);\n"
    "  for (int k = 1; k < c->terms; ++k) s += 1 / ((*x + k) * (*x + k) + c->width);\n  return s;\n}\n"
    "double recurrence(const double *x, const void *p) {\n"
    "  const struct common *b = p;\n  double c = 1;\n"
    "  for (int k = b->terms; k > 0; --k) c = k + ((k + 1) / 2) * (double)((k + 1) / 2) * *x / (1 + c);\n"
    "  return *x / c / ((*x - 0.3) * (*x - 0.3) + b->width);\n}\n";

static const struct {
  const char *name;
  tessera_quadpack_function f;
} integrands[] = {{"lines", lines}, {"recurrence", recurrence}};

typedef void (*any_function)(void);

struct figure {
  double seconds, result;
  tessera_quadpack_int neval, ier;
  long calls;
};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* key 0: DQAGS, else that of DQAG. The least of several calls, behind one that compiles. */
static struct figure measure(int key, tessera_quadpack_function f, double seconds) {
  enum { limit = 100 };
  const double a = 0, b = 1, epsabs = 0, epsrel = 1e-8;
  const tessera_quadpack_int most = limit, lenw = 4 * limit, rule = key;
  static double work[4 * limit];
  static tessera_quadpack_int iwork[limit];
  struct figure least = {HUGE_VAL, 0, 0, 0, 0};
  const double begin = now();
  for (int i = 0; i < 4 || now() - begin < seconds; ++i) {
    double abserr;
    tessera_quadpack_int last;
    calls = 0;
    const double start = now();
    if (key == 0)
      dqags_(f, &a, &b, &epsabs, &epsrel, &least.result, &abserr, &least.neval, &least.ier, &most, &lenw, &last, iwork,
             work);
    else
      dqag_(f, &a, &b, &epsabs, &epsrel, &rule, &least.result, &abserr, &least.neval, &least.ier, &most, &lenw, &last,
            iwork, work);
    if (i > 0) least.seconds = fmin(least.seconds, now() - start);
    least.calls = calls;
  }
  return least;
}

int main(int argc, char **argv) {
  const int most = argc > 1 ? atoi(argv[1]) : 100000;
  const double seconds = argc > 2 ? atof(argv[2]) : 0.2;
  static const int keys[] = {0, 6};
  int used = 0;
  printf("integrand,terms,routine,evaluations,host_us_an_evaluation,host_us,twin_us,ratio\n");
  for (int f = 0; f < 2; ++f)
    for (block.terms = 10; block.terms <= most; block.terms *= 10)
      for (int k = 0; k < 2; ++k) {
        const any_function function = (any_function)integrands[f].f;
        tessera_register_twin(function, 0, NULL, 0, NULL, NULL, 0);
        const struct figure here = measure(keys[k], integrands[f].f, seconds);
        if (tessera_register_twin(function, TESSERA_LANGUAGE_C, text, 0, integrands[f].name, &block, sizeof block) < 0)
          return 1;
        const struct figure there = measure(keys[k], integrands[f].f, seconds);
        printf("%s,%d,%s,%d,%.3g,%.4g,%.4g,%.3g\n", integrands[f].name, block.terms, k == 0 ? "DQAGS" : "DQAG key 6",
               (int)there.neval, 1e6 * here.seconds / (double)here.neval, 1e6 * here.seconds, 1e6 * there.seconds,
               here.seconds / there.seconds);
        if (here.ier != 0 || there.ier != 0 || !(fabs(there.result - here.result) <= 1e-9 * fabs(here.result)))
          return 1;
        used |= there.calls < there.neval;
      }
  return used ? 0 : 77;
}
