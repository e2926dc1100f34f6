/* Scatter of Vegas and Suave over 40 seeds at a given number of evaluations, as CSV: the settings of the figures that are known of Cuba 4.2.2 (nstart,
 * nnew = n/20, at least 1000, nincrease 0, nbatch 1000, mineval = maxeval = n). Usage: bench_cuba_scatter [N [SEEDS [vegas|suave [INTEGRAND]]]]
 * Or evaluations, value, error, prob and processor time of one call of each routine to 1e-3 and to 1e-5, with the settings of these figures (seed 0,
 * maxeval 2e6): bench_cuba_scatter tolerance [INTEGRAND]
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cuba.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double sum(int n, const double *x) {
  double s = 0;
  for (int j = 0; j < n; ++j) s += x[j];
  return s;
}
static double squares(int n, const double *x, double c) {
  double s = 0;
  for (int j = 0; j < n; ++j) s += (x[j] - c) * (x[j] - c);
  return s;
}
/* Those of Cuba's demonstration program. */
static double demo1(int n, const double *x) { return (void)n, sin(x[0]) * cos(x[1]) * exp(x[2]); }
static double demo2(int n, const double *x) {
  return (void)n, cos(x[1]) * exp(x[2]) / ((x[0] + x[1]) * (x[0] + x[1]) + 0.003);
}
static double demo3(int n, const double *x) {
  double s = 3.75;
  for (int j = 0; j < n; ++j) s -= cos(3.14159265358979324 * x[j]);
  return 1 / s;
}
static double demo4(int n, const double *x) { return fabs(squares(n, x, 0) - 0.125); }
static double demo5(int n, const double *x) { return exp(-squares(n, x, 0)); }
static double demo6(int n, const double *x) { return (void)n, 1 / (1 - x[0] * x[1] * x[2] + 1e-10); }
static double demo7(int n, const double *x) { return (void)n, sqrt(fabs(x[0] - x[1] - x[2])); }
static double demo8(int n, const double *x) { return (void)n, exp(-x[0] * x[1] * x[2]); }
static double demo9(int n, const double *x) { return x[0] * x[0] / (cos(sum(n, x) + 1) + 5); }
static double demo10(int n, const double *x) {
  const double p = x[0] * x[1] * x[2];
  (void)n;
  return x[0] > 0.5 ? 1 / sqrt(p + 1e-5) : sqrt(p);
}
static double demo11(int n, const double *x) { return squares(n, x, 0) < 1; }
static double exp_sum(int n, const double *x) { return exp(sum(n, x)); }
static double lorentz(int n, const double *x) {
  double p = 1;
  for (int j = 0; j < n; ++j) p /= 1 / 625. + (x[j] - 0.4) * (x[j] - 0.4);
  return p;
}
static double gauss(int n, const double *x) { return exp(-100 * squares(n, x, 0.5)); }
static double ball(int n, const double *x) { return squares(n, x, 0) < 0.81; }
static double corner(int n, const double *x) {
  double s = 1;
  for (int j = 0; j < n; ++j) s += (j + 1) * x[j];
  return pow(s, -6);
}
static double kink(int n, const double *x) {
  double s = 0;
  for (int j = 0; j < n; ++j) s += fabs(x[j] - 0.45);
  return exp(-5 * s);
}
static double two_gauss(int n, const double *x) {
  return exp(-200 * squares(n, x, 0.3)) + exp(-200 * squares(n, x, 0.7));
}
static double power(int n, const double *x) {
  double p = 1;
  for (int j = 0; j < n; ++j) p /= sqrt(x[j]);
  return p;
}

static double one(int n, const double *x) { return (void)n, (void)x, 1; }

static const struct known {
  const char *name;
  int ndim;
  double (*f)(int, const double *);
  int zero; /* 1: a second component, 0 everywhere */
} all[] = {
    {"demo1", 3, demo1, 0},     {"demo2", 3, demo2, 0},         {"demo3", 3, demo3, 0},   {"demo4", 3, demo4, 0},
    {"demo5", 3, demo5, 0},     {"demo6", 3, demo6, 0},         {"demo7", 3, demo7, 0},   {"demo8", 3, demo8, 0},
    {"demo9", 3, demo9, 0},     {"demo10", 3, demo10, 0},       {"demo11", 3, demo11, 0}, {"exp_sum", 5, exp_sum, 0},
    {"lorentz", 5, lorentz, 0}, {"gauss", 8, gauss, 0},         {"ball", 5, ball, 0},     {"corner", 5, corner, 0},
    {"kink", 5, kink, 0},       {"two_gauss", 4, two_gauss, 0}, {"power", 4, power, 0},   {"one_and_zero", 3, one, 1}};

static int call(const int *ndim, const double x[], const int *ncomp, double f[], void *userdata) {
  *f = ((const struct known *)userdata)->f(*ndim, x);
  if (*ncomp > 1) f[1] = 0;
  return 0;
}

static void to_tolerance(const struct known *k, double epsrel) {
  static const char *const routines[] = {"Vegas", "Suave", "Divonne", "Cuhre"};
  for (int r = 0; r < 4; ++r) {
    const int ndim = k->ndim, ncomp = 1 + k->zero, most = 2000000;
    void *data = (void *)k;
    int regions = 0, neval = 0, fail = 0;
    double value[2], error[2], prob[2];
    const clock_t start = clock();
    if (r == 0)
      Vegas(ndim, ncomp, call, data, 1, epsrel, 1e-12, 0, 0, 0, most, 1000, 500, 1000, 0, NULL, NULL, &neval, &fail,
            value, error, prob);
    else if (r == 1)
      Suave(ndim, ncomp, call, data, 1, epsrel, 1e-12, 4, 0, 0, most, 1000, 2, 25, NULL, NULL, &regions, &neval, &fail,
            value, error, prob);
    else if (r == 2)
      Divonne(ndim, ncomp, call, data, 1, epsrel, 1e-12, 0, 0, 0, most, 47, 1, 1, 5, 0, 10, 0.25, 0, ndim, NULL, 0,
              NULL, NULL, NULL, &regions, &neval, &fail, value, error, prob);
    else
      Cuhre(ndim, ncomp, call, data, 1, epsrel, 1e-12, 0, 0, most, 0, NULL, NULL, &regions, &neval, &fail, value, error,
            prob);
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    printf("%s,%s,%d,epsrel %g,%d,%d,%.12g,%.3e,%.3g,%.1f\n", routines[r], k->name, ndim, epsrel, neval, fail, value[0],
           error[0], prob[0], 1e9 * seconds / neval);
    fflush(stdout);
  }
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "tolerance") == 0) {
    printf("routine,integrand,ndim,mode,evaluations,fail,value,error,prob,ns_per_evaluation\n");
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
      for (int digits = 3; digits <= 5; digits += 2)
        if (argc < 3 || strcmp(argv[2], all[i].name) == 0) to_tolerance(&all[i], pow(10, -digits));
    return 0;
  }
  const int n = argc > 1 ? atoi(argv[1]) : 50000, seeds = argc > 2 ? atoi(argv[2]) : 40;
  const int suave = argc > 3 && strcmp(argv[3], "suave") == 0;
  const int first = n / 20 > 1000 ? n / 20 : 1000;
  printf("routine,integrand,ndim,n,seeds,mean,scatter,claimed,evaluations\n");
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
    if (all[i].zero || (argc > 4 && strcmp(argv[4], all[i].name) != 0)) continue;
    double mean = 0, spread = 0, claimed = 0, calls = 0;
    for (int seed = 1; seed <= seeds; ++seed) {
      int neval = 0, fail = 0, regions = 0;
      double value = 0, error = 0, prob = 0;
      if (suave)
        Suave(all[i].ndim, 1, call, (void *)&all[i], 1, 1e-12, 1e-300, 4, seed, n, n, first, 2, 25, "", NULL, &regions,
              &neval, &fail, &value, &error, &prob);
      else
        Vegas(all[i].ndim, 1, call, (void *)&all[i], 1, 1e-12, 1e-300, 0, seed, n, n, first, 0, 1000, 0, "", NULL,
              &neval, &fail, &value, &error, &prob);
      if (fail < 0) return 1;
      const double d = value - mean;
      mean += d / seed;
      spread += d * (value - mean);
      claimed += error / seeds;
      calls += neval / (double)seeds;
    }
    printf("%s,%s,%d,%d,%d,%.12g,%.3e,%.3e,%.0f\n", suave ? "Suave" : "Vegas", all[i].name, all[i].ndim, n, seeds, mean,
           sqrt(spread / seeds), claimed, calls);
    fflush(stdout);
  }
  return 0;
}
