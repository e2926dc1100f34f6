/* All settings of one problem of outside.c, for test_outside.c of methods and of parity.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESSERA_TESTS_OUTSIDE_RUNS_H
#define TESSERA_TESTS_OUTSIDE_RUNS_H

#include "outside.h"
#include "solve.h"

enum outside_scale {
  outside_short = 0,
  outside_long = 1,
  outside_device = 2
}; /* indices of struct outside_problem's evaluations */

struct outside_plan {
  enum outside_scale scale;
  int device; /* -1: both selections on the host */
  const char *text;
  const int64_t *initial; /* ends with 0 */
  int instances;          /* at most */
  int64_t divisor;        /* of the limit of evaluations */
};

struct outside_tally {
  int runs, claims, wrong, short_estimates;
  int64_t evaluations;
  double ratio, seconds;
};

/* Lines for wrong runs only where there are many instances, and not more than this for each line of the summary. */
enum { outside_most_lines = 6 };

static inline void outside_add(struct outside_tally *t, const struct outside_result *r) {
  ++t->runs;
  t->claims += r->status == TESSERA_OK;
  t->wrong += r->wrong != 0;
  t->short_estimates += r->short_estimate && !r->wrong;
  t->evaluations += r->evaluations;
  t->seconds += r->seconds;
  if (r->ratio > t->ratio) t->ratio = r->ratio;
}

/* One selection, rule, estimate and tolerance: all numbers of initial regions and instances. */
static inline struct outside_tally outside_cell(tessera_solver *s, const struct outside_problem *p, int ncomp,
                                                const struct outside_plan *plan, struct outside_options *o) {
  struct outside_tally t = {0, 0, 0, 0, 0, 0, 0};
  const int instances = p->instances < plan->instances ? p->instances : plan->instances;
  int lines = 0;
  for (const int64_t *initial = plan->initial; *initial; ++initial) {
    o->initial = *initial;
    for (int seed = 1; seed <= instances; ++seed) {
      struct outside_result r;
      outside_run(s, p, ncomp, (uint64_t)seed, o, &r);
      outside_add(&t, &r);
      if (r.status < 0) print_message("  %s\n", tessera_last_error(s));
      if (instances == 1 || (r.wrong && lines++ < outside_most_lines)) outside_print(p, ncomp, (uint64_t)seed, o, &r);
    }
  }
  print_message(
      "%s x%d %s %s %s %g: %d runs, %d claims, %d wrong, %d unfinished with too small an estimate, "
      "%.3g evaluations, ratio up to %.2g, %.2f s\n",
      p->name, ncomp,
      plan->device >= 0                     ? "device"
      : o->selection == TESSERA_SELECT_BULK ? "bulk"
                                            : "worst first",
      outside_rule_name(o->rule), o->estimate == TESSERA_ESTIMATE_CLASSIC ? "classic" : "robust", o->tolerance, t.runs,
      t.claims, t.wrong, t.short_estimates, (double)t.evaluations, t.ratio, t.seconds);
  return t;
}

/* Returns the number of wrong runs with the robust estimate. The classic one is shown in the long test only. */
static inline int outside_problem_runs(const char *name, int ncomp, const struct outside_plan *plan) {
  static const int rules[] = {TESSERA_RULE_AUTO, TESSERA_RULE_DEGREE7, TESSERA_RULE_GM7};
  const struct outside_problem *p = outside_find(name);
  assert_non_null(p);
  tessera_solver *s = outside_solver(p, ncomp, plan->device, plan->text);
  assert_non_null(s);
  const int rule_count = p->fn == outside_linear ? 3 : 1;
  const int estimates = plan->scale == outside_long ? TESSERA_ESTIMATE_CLASSIC : TESSERA_ESTIMATE_ROBUST;
  int wrong = 0;
  for (int estimate = TESSERA_ESTIMATE_ROBUST; estimate <= estimates; ++estimate)
    for (int i = 0; i < (estimate == TESSERA_ESTIMATE_CLASSIC ? 1 : rule_count); ++i)
      for (int j = 0; j < outside_most_tolerances && p->tolerance[j] > 0; ++j)
        for (int selection = plan->device >= 0 ? TESSERA_SELECT_BULK : TESSERA_SELECT_WORST_FIRST;
             selection <= TESSERA_SELECT_BULK; ++selection) {
          struct outside_options o = {selection, rules[i], estimate, plan->device, 1, 1, 0, p->tolerance[j]};
          o.evaluations = p->evaluations[plan->scale] / plan->divisor;
          const struct outside_tally t = outside_cell(s, p, ncomp, plan, &o);
          if (estimate == TESSERA_ESTIMATE_ROBUST) wrong += t.wrong;
        }
  tessera_destroy(s);
  return wrong;
}

#endif
