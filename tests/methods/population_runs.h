/* The population with bounds on what is false. Hidden instances (population_run.h) are counted but not judged.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESSERA_TESTS_POPULATION_RUNS_H
#define TESSERA_TESTS_POPULATION_RUNS_H

#include <inttypes.h>

#include "population_run.h"
#include "solve.h"

/* For the smooth and the rough group. */
struct population_bounds {
  double most_false[2];     /* false claims to claims */
  double most_dishonest[2]; /* runs without a claim with an error above the estimate, to runs */
  double least_claims[2];   /* claims to runs: silence is not honesty */
};

static inline void check_population(const struct population_run *r, const struct population_bounds *bounds) {
  struct population_tally tally[population_most_families];
  memset(tally, 0, sizeof tally);
  printf("  base seed %" PRIu64 ", at most %" PRId64 " evaluations\n", r->seed, r->maxeval);
  assert_int_equal(population_run_all(r, tally, population_print_false, stdout), 0);
  population_print(stdout, tally);
  fflush(stdout);
  assert_int_equal(population_total(tally, -1).failures, 0);
  for (int group = 0; group < 2; ++group) {
    const struct population_tally t = population_total(tally, group);
    assert_at_most((double)(t.falsehoods - t.hidden), bounds->most_false[group] * (double)t.claims);
    assert_at_most((double)(t.dishonest - t.dishonest_hidden), bounds->most_dishonest[group] * (double)t.runs);
    assert_at_most(bounds->least_claims[group] * (double)t.runs, (double)t.claims);
  }
}

#endif
