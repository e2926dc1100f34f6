/* Runs of the PAGANI suite for test_suite.c and test_suite_long.c.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESSERA_TESTS_SUITE_RUNS_H
#define TESSERA_TESTS_SUITE_RUNS_H

#include <math.h>

#include "cases.h"
#include "solve.h"

/* The tightest tolerance 10^-digits that a case has to reach within the evaluations; 0 for none. */
struct suite_goal {
  const char *name;
  int digits;
  int64_t evaluations;
};

static inline const char *selection_name(int selection) {
  return selection == TESSERA_SELECT_BULK ? "bulk" : "worst first";
}

/* Tolerances 1e-3 .. 1e-6 with both selections. Success is never false, and there is success where it is due. Ends at the
 * first tolerance that is not reached. Returns the number of failures, each with a line. */
static inline int run_suite_case(const struct suite_goal *goal, int estimate) {
  const struct suite_case *c = suite_find(goal->name);
  int failures = 0;
  assert_non_null(c);
  for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
    for (int digits = 3; digits <= 6; ++digits) {
      tessera_solver *s = solver_of(c->ndim, 1);
      const double tolerance = pow(10, -digits);
      put_point(s, c->fn, NULL);
      put_real(s, TESSERA_RELTOL, tolerance);
      put_int(s, TESSERA_MAXEVAL, goal->evaluations);
      put_int(s, TESSERA_SELECTION, selection);
      put_int(s, TESSERA_ESTIMATE, estimate);
      const struct answer a = integrate(s);
      const double seconds = got_real(s, TESSERA_SECONDS);
      tessera_destroy(s);
      const double true_error = fabs(a.value / c->exact - 1);
      const char *verdict = "";
      if (a.status != TESSERA_OK && a.status != TESSERA_LIMIT_EVALUATIONS) verdict = "  WRONG STATUS";
      if (a.status == TESSERA_OK && !(true_error <= tolerance)) verdict = "  FALSE SUCCESS";
      if (a.status == TESSERA_OK && !(a.error <= tolerance * fabs(a.value))) verdict = "  ERROR ABOVE THE TOLERANCE";
      if (a.status != TESSERA_OK && digits <= goal->digits) verdict = "  NOT REACHED";
      if (a.evaluations > goal->evaluations) verdict = "  TOO MANY EVALUATIONS";
      print_message("  %-6s %-11s 1e-%d  status %d  true %.1e  estimate %.1e  evaluations %10lld  %6.2f s%s\n", c->name,
                    selection_name(selection), digits, a.status, true_error, a.error / fabs(c->exact),
                    (long long)a.evaluations, seconds, verdict);
      failures += *verdict != 0;
      if (a.status != TESSERA_OK && digits >= goal->digits) break;
    }
  }
  return failures;
}

#endif
