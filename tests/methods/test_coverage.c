/* Are the errors of TESSERA_MONTECARLO and TESSERA_LATTICE what they say, with every generator and way of sampling? Each case is run with
 * 100 seeds (in four variables a fifth of these), or as many as the first argument says, from 1 or the second argument on; the number of runs whose true error is within the
 * error given must be that of the confidence, within four standard deviations of the binomial distribution. Too many is a
 * fault as well, though a smaller one: errors are widened where a chi-square is unlikely or few samples carry the variance. Nets and
 * lattices may be better than they say: their means are not normally distributed, and a few bad ones make most of the estimate.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "solve.h"

static const double pi = 3.14159265358979323846;

static int smooth(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ncomp, (void)userdata;
  f[0] = 1;
  for (int j = 0; j < ndim; ++j) f[0] *= exp(x[j]) / (exp(1) - 1);
  return 0;
}
/* Two peaks on the diagonal, which no product of densities describes. */
static int peaks(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double a = 0, b = 0;
  (void)ncomp, (void)userdata;
  for (int j = 0; j < ndim; ++j) {
    a += (x[j] - 0.3) * (x[j] - 0.3);
    b += (x[j] - 0.7) * (x[j] - 0.7);
  }
  f[0] = 0.5 * (exp(-400 * a) + exp(-400 * b)) * pow(400 / pi, 0.5 * ndim);
  return 0;
}
static int singular(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ncomp, (void)userdata;
  f[0] = 1;
  for (int j = 0; j < ndim; ++j) f[0] *= 0.7 * pow(x[j], -0.3);
  return 0;
}
/* A quarter of a disc with 1/50 of the area: skewed, discontinuous. */
static int disc(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp, (void)userdata;
  f[0] = x[0] * x[0] + x[1] * x[1] < 0.02 * 4 / pi ? 50 : 0;
  return 0;
}

static int seeds = sanitized ? 15 : 100;
static int64_t first_seed = 1;

struct coverage {
  int covered, claims, false_claims;
  double shift; /* mean of the true errors over its own standard deviation */
};

enum generator {
  PHILOX = TESSERA_GENERATOR_PHILOX,
  THREEFRY = TESSERA_GENERATOR_THREEFRY,
  SOBOL = TESSERA_GENERATOR_SOBOL,
  AUTO = TESSERA_GENERATOR_AUTO,
  LATTICE = -1 /* the method, `sampling` being the change of variables */
};
static const struct sampled {
  const char *name;
  int ndim;
  tessera_integrand1 f;
  int sampling;
  enum generator generator;
  int antithetic;
  double confidence, reltol; /* reltol 0: a fixed number of evaluations */
  int64_t maxeval;
} cases[] = {
    {"smooth, plain", 3, smooth, TESSERA_SAMPLING_PLAIN, PHILOX, 0, 0.95, 0, 2000},
    {"smooth, plain, 80 %", 3, smooth, TESSERA_SAMPLING_PLAIN, PHILOX, 0, 0.8, 0, 2000},
    {"smooth, antithetic", 3, smooth, TESSERA_SAMPLING_PLAIN, PHILOX, 1, 0.95, 0, 4000},
    {"smooth, plain, to a tolerance", 3, smooth, TESSERA_SAMPLING_PLAIN, PHILOX, 0, 0.95, 0.02, 1000000},
    {"smooth, VEGAS", 3, smooth, TESSERA_SAMPLING_VEGAS, PHILOX, 0, 0.95, 0, 8000},
    {"smooth, VEGAS, antithetic", 3, smooth, TESSERA_SAMPLING_VEGAS, PHILOX, 1, 0.95, 0, 8000},
    {"singular, plain", 2, singular, TESSERA_SAMPLING_PLAIN, PHILOX, 0, 0.95, 0, 8000},
    {"singular, VEGAS, to a tolerance", 2, singular, TESSERA_SAMPLING_VEGAS, PHILOX, 0, 0.95, 0.005, 1000000},
    {"disc, plain, to a tolerance", 2, disc, TESSERA_SAMPLING_PLAIN, PHILOX, 0, 0.95, 0.15, 1000000},
    {"peaks, VEGAS", 2, peaks, TESSERA_SAMPLING_VEGAS, PHILOX, 0, 0.95, 0, 15000},
    {"peaks, VEGAS, 80 %", 2, peaks, TESSERA_SAMPLING_VEGAS, PHILOX, 0, 0.8, 0, 15000},
    {"peaks, choice, to a tolerance", 2, peaks, TESSERA_SAMPLING_AUTO, PHILOX, 0, 0.95, 0.01, 1000000},
    {"peaks, choice, to a tolerance, 4-D", 4, peaks, TESSERA_SAMPLING_AUTO, PHILOX, 0, 0.95, 0.02, 1000000},
    {"smooth, choice, to a tolerance", 3, smooth, TESSERA_SAMPLING_AUTO, PHILOX, 0, 0.99, 0.003, 1000000},
    {"smooth, VEGAS, Sobol", 3, smooth, TESSERA_SAMPLING_VEGAS, SOBOL, 0, 0.95, 0, 8000},
    {"singular, VEGAS, Sobol, to a tolerance", 2, singular, TESSERA_SAMPLING_VEGAS, SOBOL, 0, 0.95, 0.002, 1000000},
    {"peaks, VEGAS, Sobol", 2, peaks, TESSERA_SAMPLING_VEGAS, SOBOL, 0, 0.95, 0, 20000},
    {"peaks, VEGAS, Sobol, to a tolerance, 4-D", 4, peaks, TESSERA_SAMPLING_VEGAS, SOBOL, 0, 0.95, 0.01, 1000000},
    {"disc, whole choice, to a tolerance", 2, disc, TESSERA_SAMPLING_AUTO, AUTO, 0, 0.95, 0.02, 1000000},
    {"peaks, whole choice, to a tolerance", 2, peaks, TESSERA_SAMPLING_AUTO, AUTO, 0, 0.95, 0.01, 1000000},
    {"peaks, whole choice, to a tolerance, 4-D", 4, peaks, TESSERA_SAMPLING_AUTO, AUTO, 0, 0.95, 0.02, 1000000},
    {"smooth, whole choice, to a tolerance", 3, smooth, TESSERA_SAMPLING_AUTO, AUTO, 0, 0.99, 0.001, 1000000},
    {"smooth, Sobol", 3, smooth, TESSERA_SAMPLING_PLAIN, SOBOL, 0, 0.95, 0, 16000},
    {"smooth, Sobol, 80 %", 3, smooth, TESSERA_SAMPLING_PLAIN, SOBOL, 0, 0.8, 0, 16000},
    {"smooth, Sobol, antithetic", 3, smooth, TESSERA_SAMPLING_PLAIN, SOBOL, 1, 0.95, 0, 32000},
    {"singular, Sobol, to a tolerance", 2, singular, TESSERA_SAMPLING_PLAIN, SOBOL, 0, 0.95, 0.005, 1000000},
    {"disc, Sobol", 2, disc, TESSERA_SAMPLING_PLAIN, SOBOL, 0, 0.95, 0, 16000},
    {"disc, VEGAS, Sobol, antithetic", 2, disc, TESSERA_SAMPLING_VEGAS, SOBOL, 1, 0.95, 0, 20000},
    {"disc, choice, Sobol, to a tolerance", 2, disc, TESSERA_SAMPLING_AUTO, SOBOL, 0, 0.95, 0.02, 1000000},
    {"smooth, whole choice, antithetic", 3, smooth, TESSERA_SAMPLING_AUTO, AUTO, 1, 0.95, 0, 16000},
    {"smooth, plain, Threefry", 3, smooth, TESSERA_SAMPLING_PLAIN, THREEFRY, 0, 0.95, 0, 2000},
    {"smooth, plain, Threefry, antithetic", 3, smooth, TESSERA_SAMPLING_PLAIN, THREEFRY, 1, 0.95, 0, 4000},
    {"smooth, VEGAS, Threefry, antithetic", 3, smooth, TESSERA_SAMPLING_VEGAS, THREEFRY, 1, 0.95, 0, 8000},
    {"peaks, VEGAS, Threefry", 2, peaks, TESSERA_SAMPLING_VEGAS, THREEFRY, 0, 0.95, 0, 15000},
    {"peaks, choice, Threefry, to a tolerance", 2, peaks, TESSERA_SAMPLING_AUTO, THREEFRY, 0, 0.95, 0.02, 1000000},
    {"smooth, lattice", 3, smooth, TESSERA_TRANSFORM_NONE, LATTICE, 0, 0.95, 0, 16000},
    {"smooth, lattice, 80 %", 3, smooth, TESSERA_TRANSFORM_NONE, LATTICE, 0, 0.8, 0, 16000},
    {"singular, lattice, baker", 2, singular, TESSERA_TRANSFORM_BAKER, LATTICE, 0, 0.95, 0, 16000},
    {"disc, lattice", 2, disc, TESSERA_TRANSFORM_NONE, LATTICE, 0, 0.95, 0, 16000},
    {"disc, lattice, choice, to a tolerance", 2, disc, TESSERA_TRANSFORM_AUTO, LATTICE, 0, 0.95, 0.02, 1000000},
    {"smooth, lattice, choice, to a tolerance", 3, smooth, TESSERA_TRANSFORM_AUTO, LATTICE, 0, 0.99, 0.001, 1000000},
};

static struct coverage count(const struct sampled *p, int runs) {
  struct coverage c = {0, 0, 0, 0};
  double sum = 0, squares = 0;
  for (int i = 0; i < runs; ++i) {
    double value, error;
    tessera_solver *s = solver_of(p->ndim, 1);
    put_point(s, p->f, NULL);
    put_int(s, TESSERA_SEED, first_seed + i);
    put_int(s, TESSERA_MAXEVAL, p->maxeval);
    put_int(s, TESSERA_POINTS, 500);
    put_real(s, TESSERA_CONFIDENCE, p->confidence);
    put_real(s, TESSERA_RELTOL, p->reltol);
    if (p->generator == LATTICE) {
      put_int(s, TESSERA_TRANSFORM, p->sampling);
    } else {
      put_int(s, TESSERA_SAMPLING, p->sampling);
      put_int(s, TESSERA_GENERATOR, p->generator);
      put_int(s, TESSERA_ANTITHETIC, p->antithetic);
    }
    const int status =
        tessera_integrate(s, p->generator == LATTICE ? TESSERA_LATTICE : TESSERA_MONTECARLO, &value, &error);
    assert_true(status == TESSERA_OK || is_limit(status));
    const double d = value - 1;
    c.covered += fabs(d) <= error;
    if (status == TESSERA_OK) {
      ++c.claims;
      c.false_claims += fabs(d) > p->reltol * fabs(value);
    }
    sum += d;
    squares += d * d;
    tessera_destroy(s);
  }
  c.shift = sum / sqrt(squares);
  return c;
}

static void errors_are_what_they_say(void **state) {
  int bad = 0;
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const int runs = cases[i].ndim == 4 && seeds < 1000 ? seeds / 5 : seeds;
    const struct coverage c = count(&cases[i], runs);
    const double p = cases[i].confidence, expected = p * runs, deviation = sqrt(p * (1 - p) * runs);
    /* Above: four deviations, and two hundredths for the widening. */
    const int good = c.covered >= expected - 4 * deviation && c.covered <= expected + 4 * deviation + 0.02 * runs;
    print_message("%-42s %4d of %d covered, expected %.0f +- %.1f; %d claims, %d false; shift %.1f\n", cases[i].name,
                  c.covered, runs, expected, deviation, c.claims, c.false_claims, c.shift);
    bad += !good;
    bad += c.false_claims > (1 - p) * runs + 4 * deviation;
    bad += cases[i].reltol > 0 && c.claims < 0.9 * runs - 1; /* the others have met a sample that they do not trust */
    /* No bias: the mean of all values is right within four of its own deviations; where the run decides when to stop, which it does the
     * sooner the fewer large values it has met, within a fifth of a run's deviation more. */
    bad += fabs(c.shift) > 4 + (cases[i].reltol > 0 ? 0.2 * sqrt(runs) : 0);
  }
  assert_int_equal(bad, 0);
}

int main(int argc, char **argv) {
  if (argc > 1) seeds = atoi(argv[1]);
  if (argc > 2) first_seed = atoll(argv[2]);
  const struct CMUnitTest tests[] = {cmocka_unit_test(errors_are_what_they_say)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
