/* Honesty of the error estimate on random instances of Genz's six families: how often status 0 comes with a true error
 * above the tolerance, and what the robust estimate costs beside the classic one. Argument: instances of a family and number of variables.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "cases.h"
#include "solve.h"

enum { families = 6 };
static int instances = sanitized ? 1 : 5;
static const int dimensions[] = {2, 3, 5, 8};
enum { dimension_count = (int)(sizeof dimensions / sizeof dimensions[0]) };

static const char *const family_name[] = {"oscillatory", "product peak", "corner peak",
                                          "Gaussian",    "C0",           "discontinuous"};

struct tally {
  int claims, falsehoods;
  int64_t evaluations;
};

static void add(struct tally *sum, struct tally t) {
  sum->claims += t.claims;
  sum->falsehoods += t.falsehoods;
  sum->evaluations += t.evaluations;
}

static struct tally try_family(int family, double tolerance, int64_t maxeval, int estimate) {
  struct tally t = {0, 0, 0};
  for (int d = 0; d < dimension_count; ++d) {
    tessera_solver *s = solver_of(dimensions[d], 1);
    put_real(s, TESSERA_RELTOL, tolerance);
    put_int(s, TESSERA_MAXEVAL, maxeval);
    put_int(s, TESSERA_ESTIMATE, estimate);
    for (int i = 0; i < instances; ++i) {
      struct genz g;
      genz_make(family, dimensions[d], (uint64_t)(1000000 * family + 1000 * dimensions[d] + i), &g);
      put_point(s, genz_point, &g);
      const struct answer a = integrate(s);
      t.evaluations += a.evaluations;
      if (a.status != TESSERA_OK) continue;
      ++t.claims;
      t.falsehoods += !(fabs(a.value - g.exact) <= tolerance * fabs(g.exact));
    }
    tessera_destroy(s);
  }
  return t;
}

static void check(double tolerance, int64_t maxeval) {
  struct tally robust_sum = {0, 0, 0}, classic_sum = {0, 0, 0};
  int continuous = 0;
  print_message("  tolerance %g, %d instances a family, at most %lld evaluations each\n", tolerance,
                instances * dimension_count, (long long)maxeval);
  print_message("  %-14s %24s %30s\n", "", "robust: claims  false  evaluations", "classic: claims  false  evaluations");
  for (int f = 1; f <= families; ++f) {
    const struct tally robust = try_family(f, tolerance, maxeval, TESSERA_ESTIMATE_ROBUST);
    const struct tally classic = try_family(f, tolerance, maxeval, TESSERA_ESTIMATE_CLASSIC);
    print_message("  %-14s %14d  %5d  %11lld %15d  %5d  %11lld\n", family_name[f - 1], robust.claims, robust.falsehoods,
                  (long long)robust.evaluations, classic.claims, classic.falsehoods, (long long)classic.evaluations);
    add(&robust_sum, robust);
    add(&classic_sum, classic);
    if (f != GENZ_DISCONTINUOUS) continuous += robust.falsehoods;
  }
  print_message("  %-14s %14d  %5d  %11lld %15d  %5d  %11lld\n", "all", robust_sum.claims, robust_sum.falsehoods,
                (long long)robust_sum.evaluations, classic_sum.claims, classic_sum.falsehoods,
                (long long)classic_sum.evaluations);
  print_message("  evaluations, robust to classic: %.2f\n",
                (double)robust_sum.evaluations / (double)classic_sum.evaluations);
  assert_true(robust_sum.claims >= families * instances * dimension_count / 2); /* silence is not honesty */
  /* Of 600 instances five may be false, and two of those without a jump: the classic estimate has as many: peaks whose estimate is short by a quarter. */
  assert_at_most(robust_sum.falsehoods, (5 * instances + 24) / 25);
  assert_at_most(continuous, (2 * instances + 24) / 25);
  assert_at_most((double)robust_sum.evaluations, 1.1 * (double)classic_sum.evaluations);
}

static void few_claims_are_false_at_1e_3(void **state) {
  (void)state;
  check(1e-3, 1000000);
}

static void few_claims_are_false_at_1e_6(void **state) {
  (void)state;
  check(1e-6, 3000000);
}

int main(int argc, char **argv) {
  if (argc > 1) instances = atoi(argv[1]);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(few_claims_are_false_at_1e_3),
      cmocka_unit_test(few_claims_are_false_at_1e_6),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
