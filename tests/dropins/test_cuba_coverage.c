/* Are the errors of Vegas, Suave and Divonne what they say? Counts over many seeds and integrands. Usage: dropins_cuba_coverage [SEEDS [FIRST]]
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>

#include "cases.h"
#include "close.h"
#include "cuba_call.h"

static int seeds = 100, first_seed = 101;

/* A part of a ball: jumps across all axes. */
static int ball(const int *ndim, const double x[], const int *ncomp, double f[], void *userdata, const int *nvec,
                const int *core, const void *weight, const int *iter) {
  (void)ncomp, (void)userdata, (void)nvec, (void)core, (void)weight, (void)iter;
  double s = 0;
  for (int j = 0; j < *ndim; ++j) s += x[j] * x[j];
  f[0] = s < 1;
  return 0;
}

/* The true error is within one standard deviation in 68 of 100 cases (for Divonne within two in 95): within four standard deviations of the binomial
 * distribution below and, errors being widened where samples disagree, two hundredths more above. */
static void the_errors_are_honest(void **state) {
  static const double share[routines] = {0.6827, 0.6827, 0.9545};
  static const struct {
    const char *name;
    enum routine routine;
    int ndim, flags;
    full_integrand f;
    double epsrel;
    int costly; /* an everyday run has a quarter of the seeds */
  } cases[] = {
      {"Vegas, a bell", vegas_routine, 4, 0, bells, 5e-3, 0},
      {"Vegas, a bell, another level of the generator", vegas_routine, 4, 3 << 8, bells, 5e-3, 0},
      {"Vegas, a ball", vegas_routine, 4, 0, ball, 2e-2, 0},
      {"Suave, a bell", suave_routine, 4, 0, bells, 5e-3, 0},
      {"Suave, a ball", suave_routine, 4, 0, ball, 2e-2, 0},
      {"Divonne, a bell, 11 variables", divonne_routine, 11, 0, bells, 5e-3, 1}, /* by Monte Carlo alone */
  };
  (void)state;
  int bad = 0;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const enum routine r = cases[i].routine;
    const int runs = cases[i].costly && seeds < 1000 ? seeds / 4 : seeds;
    const double exact = cases[i].f == ball ? pow(acos(-1.), 2) / 32 : exact_bell(cases[i].ndim, 0);
    int within = 0, alarms = 0, claims = 0;
    double sum = 0;
    for (int seed = 0; seed < runs; ++seed) {
      struct call c = make(r, cases[i].ndim, 1, cases[i].f);
      c.seed = first_seed + seed;
      c.flags = cases[i].flags;
      c.epsrel = cases[i].epsrel;
      run(&c);
      assert_true(c.fail >= 0); /* where the evaluations are not enough the error holds as well */
      claims += c.fail == 0;
      within += fabs(c.integral[0] - exact) <= c.error[0];
      sum += c.prob[0];
      alarms += c.prob[0] > 0.95;
    }
    const double expected = share[r] * runs, spread = sqrt(share[r] * (1 - share[r]) * runs);
    print_message("%-46s %4d of %d covered, expected %.0f +- %.1f; %d claims; mean prob %.3f, %d above 0.95\n",
                  cases[i].name, within, runs, expected, spread, claims, sum / runs, alarms);
    bad += claims < 0.9 * runs;
    bad += within < expected - 4 * spread || within > expected + 4 * spread + 0.02 * runs;
    bad += fabs(sum / runs - 0.5) > 1.2 / sqrt(runs); /* four standard deviations of evenly distributed ones */
    bad += alarms > 0.05 * runs + 4 * sqrt(0.05 * runs);
  }
  assert_int_equal(bad, 0);
}

/* Genz's families by chance: how often a claim of success is false. */
static void few_claims_are_false(void **state) {
  static const int dims[] = {2, 3, 5, 8, 10};
  (void)state;
  const int instances = seeds < 1000 ? 1 : 10;
  for (enum routine r = 0; r < routines; ++r) {
    int claims = 0, wrong = 0, far = 0, all = 0;
    for (int family = 1; family <= 6; ++family)
      for (int d = 0; d < 5; ++d)
        for (int i = 0; i < instances; ++i) {
          struct genz g;
          genz_make(family, dims[d], 1000 * (uint64_t)family + 50 * (uint64_t)d + (uint64_t)i, &g);
          struct call c = make(r, g.ndim, 1, NULL);

          c.f = genz_for_cuba;
          c.userdata = &g;
          c.maxeval = 300000;
          c.seed = i + 1;
          run(&c);
          const double off = fabs(c.integral[0] - g.exact);
          ++all;
          claims += c.fail == 0;
          const double allowed = fmax(c.epsrel * fabs(g.exact), c.epsabs);
          wrong += c.fail == 0 && !(off <= allowed);
          far += c.fail == 0 && !(off <= 4 * allowed);
        }
    print_message("  routine %d: %d runs, %d claims, %d outside the tolerance, %d outside four times it\n", (int)r, all,
                  claims, wrong, far);
    assert_at_most(far, 0.005 * claims); /* errors are one standard deviation */
    assert_at_most(wrong, r == divonne_routine ? 0.05 * claims : 0.4 * claims);
    assert_true(claims > all / 3);
  }
}

int main(int argc, char **argv) {
  if (argc > 1) seeds = atoi(argv[1]);
  if (argc > 2) first_seed = atoi(argv[2]);
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_errors_are_honest), cmocka_unit_test(few_claims_are_false)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
