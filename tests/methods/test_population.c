/* Random instances of many families at 1e-3: how often status 0 is false, and how often an estimate is short.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "population_runs.h"

/* A fixed seed; what holds is measured, with some room. */
static const uint64_t seed = 20260601;
static const int dims[] = {2, 3, 4, 5, 6, 8};
enum { per_family = sanitized ? 1 : 3, most_evaluations = sanitized ? 30000 : 300000 };
static const struct population_bounds bounds = {.most_false = {0.03, 0.03},
                                                .most_dishonest = {0.15, 0.10},
                                                .least_claims = {sanitized ? 0.30 : 0.40, sanitized ? 0.15 : 0.20}};

static void claims(void **state) {
  (void)state;
  struct population_run r;
  population_run_default(&r);
  r.seed = seed;
  r.per = per_family;
  r.dim_count = (int)(sizeof dims / sizeof dims[0]);
  memcpy(r.dims, dims, sizeof dims);
  r.maxeval = most_evaluations;
  check_population(&r, &bounds);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(claims)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
