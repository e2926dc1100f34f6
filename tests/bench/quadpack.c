/* The drop-in for QUADPACK: nanoseconds of a call and of an evaluation, the integrand's own beside them. CSV.
 * Usage: bench_quadpack [calls in a loop, 100000]. SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "measure.h"
#include "tessera_quadpack.h"

static double wave(const double *x) { return cos(3 * *x) + *x; }
static double identity(const double *x) { return *x; }
static double peak(const double *x) { return 1 / ((*x - 0.3) * (*x - 0.3) + 1e-4); }
static double bell(const double *x) { return exp(-*x * *x); }

enum { limit = 50, lenw = 4 * limit, loops = 25 };
static const struct {
  const char *name;
  tessera_quadpack_function f;
} integrands[] = {{"cos(3x)+x", wave}, {"x", identity}, {"1/((x-0.3)^2+1e-4)", peak}, {"exp(-x^2)", bell}};
static const int points[] = {15, 21, 31, 41, 51, 61};

static int neval, ier;
static double sink; /* so that nothing is left out */

/* routine -3: the integrand alone, 30 points of the range; -2 dqagi, -1 dqng, 0 dqags, else the key of dqag. */
static void call(int routine, tessera_quadpack_function f) {
  const double a = 0, b = 1, epsabs = 0, epsrel = 1e-8;
  const int n = limit, length = lenw, whole_line = 2;
  static double work[lenw];
  static int iwork[limit];
  double result = 0, abserr;
  int last;
  switch (routine) {
    case -3:
      for (int i = 0; i < 30; ++i) {
        const double x = i / 30.0;
        result += f(&x);
      }
      neval = 30;
      break;
    case -2:
      dqagi_(f, &a, &whole_line, &epsabs, &epsrel, &result, &abserr, &neval, &ier, &n, &length, &last, iwork, work);
      break;
    case -1:
      dqng_(f, &a, &b, &epsabs, &epsrel, &result, &abserr, &neval, &ier);
      break;
    case 0:
      dqags_(f, &a, &b, &epsabs, &epsrel, &result, &abserr, &neval, &ier, &n, &length, &last, iwork, work);
      break;
    default:
      dqag_(f, &a, &b, &epsabs, &epsrel, &routine, &result, &abserr, &neval, &ier, &n, &length, &last, iwork, work);
  }
  sink += result;
}

static void row(int routine, int integrand, long calls) {
  double least = HUGE_VAL;
  ier = 0;
  for (int loop = 0; loop < loops; ++loop) {
    const double start = cpu_seconds();
    for (long i = 0; i < calls; ++i) call(routine, integrands[integrand].f);
    least = fmin(least, (cpu_seconds() - start) / (double)calls);
  }
  char name[32];
  if (routine > 0)
    snprintf(name, sizeof name, "dqag key %d,GK%d", routine, points[routine - 1]);
  else
    snprintf(name, sizeof name, "%s",
             routine == -3   ? "(the integrand),"
             : routine == -2 ? "dqagi,GK15"
             : routine == -1 ? "dqng,21 43 87"
                             : "dqags,GK21");
  printf("%s,%s,%.0f,%d,%.1f,%d\n", name, integrands[integrand].name, 1e9 * least, neval, 1e9 * least / neval, ier);
}

int main(int argc, char **argv) {
  const long calls = argc > 1 ? strtol(argv[1], NULL, 10) : 100000;
  if (calls < 1) return 2;
  printf("# QUADPACK's routines, the least of %d loops of %ld calls; machine: %s\n", loops, calls, machine_name());
  printf("routine,rule,integrand,ns_a_call,evaluations,ns_an_evaluation,ier\n");
  for (int integrand = 0; integrand < 3; ++integrand)
    for (int routine = -3; routine <= 6; ++routine)
      if (routine != -2) row(routine, integrand, calls);
  row(-3, 3, calls);
  row(-2, 3, calls);
  return !isfinite(sink);
}
