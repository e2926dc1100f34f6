/* The population with the date as its seed, in all numbers of variables and at two tolerances: others each day.
 * TESSERA_POPULATION_SEED sets the seed, to make the runs of a day again.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <time.h>

#include "population_runs.h"

enum { per_family = sanitized ? 1 : 5, most_evaluations = sanitized ? 100000 : 1000000 };
static const struct population_bounds bounds = {
    .most_false = {0.08, 0.06}, .most_dishonest = {0.15, 0.12}, .least_claims = {0.35, 0.15}};

static uint64_t date(void) {
  char text[16];
  const time_t now = time(NULL);
  const char *given = getenv("TESSERA_POPULATION_SEED");
  strftime(text, sizeof text, "%Y%m%d", gmtime(&now));
  return strtoull(given ? given : text, NULL, 10);
}

static void claims(double tolerance) {
  struct population_run r;
  population_run_default(&r);
  r.seed = date();
  r.per = per_family;
  r.dim_count = 0;
  for (int ndim = 2; ndim <= population_max_ndim; ++ndim) r.dims[r.dim_count++] = ndim;
  r.tolerances[0] = tolerance;
  r.maxeval = most_evaluations;
  check_population(&r, &bounds);
}

static void claims_at_1e_2(void **state) { (void)state, claims(1e-2); }
static void claims_at_1e_4(void **state) { (void)state, claims(1e-4); }

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(claims_at_1e_2), cmocka_unit_test(claims_at_1e_4)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
