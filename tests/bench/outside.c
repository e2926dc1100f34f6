/* Runs problems of tests/support/outside.c one by one. CSV on standard output.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outside.h"

static const char usage[] =
    "usage: tessera_outside [options]; an option may have a list a,b,c, all combinations are run\n"
    "  --problem NAMES     default: all; --list shows them\n"
    "  --initial N,..      initial regions, default 1\n"
    "  --selection S,..    worst, bulk; default worst\n"
    "  --rule R,..         default, degree7, degree9, gm7, or a number\n"
    "  --estimate E,..     robust, classic\n"
    "  --tol T,..          relative tolerance, default: the problem's\n"
    "  --maxeval N,..      default: the problem's limit of a long test, on a device that of a device\n"
    "  --components N,..   default: the problem's\n"
    "  --seed N,..         default: all of the problem's instances; 0 too\n"
    "  --device N          0, 1, .. or -2: the text is run; default -1\n"
    "  --threads N         default 1\n"
    "  --text PATH         of outside_integrand.c\n"
    "  --wrong             print the wrong ones only\n"
    "  --all-components    a line for each component, not only for the worst\n";

enum { most = 32 };
struct list {
  int count;
  char text[most][40];
};

static void split(const char *text, struct list *l) {
  l->count = 0;
  while (*text && l->count < most) {
    const size_t n = strcspn(text, ",");
    snprintf(l->text[l->count++], sizeof l->text[0], "%.*s", (int)n, text);
    text += n + (text[n] == ',');
  }
}

static int word(const char *text, const char *const *words, const int *values) {
  for (int i = 0; words[i]; ++i)
    if (strcmp(text, words[i]) == 0) return values[i];
  return atoi(text);
}

static int rule_of(const char *text) {
  static const char *const words[] = {"default", "degree7", "degree9", "gm7", NULL};
  static const int values[] = {TESSERA_RULE_AUTO, TESSERA_RULE_DEGREE7, TESSERA_RULE_DEGREE9, TESSERA_RULE_GM7};
  return word(text, words, values);
}

static int selection_of(const char *text) {
  static const char *const words[] = {"worst", "bulk", NULL};
  static const int values[] = {TESSERA_SELECT_WORST_FIRST, TESSERA_SELECT_BULK};
  return word(text, words, values);
}

static int estimate_of(const char *text) {
  static const char *const words[] = {"robust", "classic", NULL};
  static const int values[] = {TESSERA_ESTIMATE_ROBUST, TESSERA_ESTIMATE_CLASSIC};
  return word(text, words, values);
}

struct request {
  struct list problem, initial, selection, rule, estimate, tolerance, maxeval, components, seed;
  int device, threads, wrong_only, all_components;
  const char *text;
};

static int wrong_runs, runs;

static void print(const struct request *q, const struct outside_problem *p, int ncomp, uint64_t seed,
                  const struct outside_options *o, const struct outside_result *r) {
  ++runs;
  wrong_runs += r->wrong != 0;
  if (q->wrong_only && !r->wrong) return;
  for (int k = 0; k < ncomp; ++k) {
    if (!q->all_components && k != r->component) continue;
    printf("%s,%d,%d,%d,%" PRIu64 ",%s,%s,%s,%" PRId64 ",%g,%" PRId64 ",%d,%" PRId64 ",%" PRId64 ",%" PRId64
           ",%.12g,%.3e,%.3e,%.3g,%.3e,%.4f,%.3e,%s\n",
           p->name, p->ndim, ncomp, k, seed,
           r->device_used >= 0                   ? "device"
           : o->selection == TESSERA_SELECT_BULK ? "bulk"
                                                 : "worst",
           outside_rule_name(o->rule), o->estimate == TESSERA_ESTIMATE_CLASSIC ? "classic" : "robust", o->initial,
           o->tolerance, o->evaluations, r->status, r->evaluations, r->regions, r->iterations, r->value[k], r->error[k],
           r->true_error[k], r->true_error[k] / r->error[k], r->relative, r->seconds,
           (double)r->evaluations / r->seconds, r->verdict);
  }
  fflush(stdout);
}

/* All rules, estimates, tolerances, limits, seeds, selections and numbers of regions with one solver. Returns 77 where
 * there is no device. */
static int run_with(const struct request *q, const struct outside_problem *p, int ncomp) {
  struct outside_options o = {0};
  struct outside_result r;
  tessera_solver *s = outside_solver(p, ncomp, q->device, q->text);
  if (!s) return 1;
  const int tolerances = q->tolerance.count ? q->tolerance.count : outside_most_tolerances;
  const int limits = q->maxeval.count ? q->maxeval.count : 1, seeds = q->seed.count ? q->seed.count : p->instances;
  const int64_t all =
      (int64_t)q->rule.count * q->estimate.count * tolerances * limits * seeds * q->selection.count * q->initial.count;
  o.device = q->device;
  o.threads = q->threads;
  int status = 0;
  for (int64_t i = 0; i < all && status == 0; ++i) {
    int64_t rest = i;
#define NEXT(n)      \
  (int)(rest % (n)); \
  rest /= (n)
    const int initial = NEXT(q->initial.count);
    const int selection = NEXT(q->selection.count);
    const int seed_index = NEXT(seeds);
    const int limit = NEXT(limits);
    const int tolerance = NEXT(tolerances);
    const int estimate = NEXT(q->estimate.count);
    const int rule = (int)rest;
    const uint64_t seed = q->seed.count ? strtoull(q->seed.text[seed_index], NULL, 10) : (uint64_t)seed_index + 1;
    o.initial = (int64_t)atof(q->initial.text[initial]);
    o.selection = selection_of(q->selection.text[selection]);
    o.evaluations = q->maxeval.count ? (int64_t)atof(q->maxeval.text[limit]) : p->evaluations[q->device == -1 ? 1 : 2];
    o.tolerance = q->tolerance.count ? atof(q->tolerance.text[tolerance]) : p->tolerance[tolerance];
    o.estimate = estimate_of(q->estimate.text[estimate]);
    o.rule = rule_of(q->rule.text[rule]);
    if (!(o.tolerance > 0)) continue;
    outside_run(s, p, ncomp, seed, &o, &r);
    if (r.status < 0) fprintf(stderr, "%s: %s\n", p->name, tessera_last_error(s));
    if (r.status == TESSERA_ERR_NOT_BUILT) status = 77;
    if (status == 0) print(q, p, ncomp, seed, &o, &r);
  }
  tessera_destroy(s);
  return status;
}

static int run_problem(const struct request *q, const struct outside_problem *p) {
  if (q->components.count == 0) return run_with(q, p, p->ncomp);
  int status = 0;
  for (int i = 0; i < q->components.count && status == 0; ++i) {
    const int n = atoi(q->components.text[i]);
    if (n < 1 || n > p->ncomp) continue;
    status = run_with(q, p, n);
  }
  return status;
}

int main(int argc, char **argv) {
  struct request q;
  struct list *of;
  memset(&q, 0, sizeof q);
  split("1", &q.initial);
  split("worst", &q.selection);
  split("default", &q.rule);
  split("robust", &q.estimate);
  q.device = -1;
  q.threads = 1;
  q.text = TESSERA_TEST_OUTSIDE_TEXT;
  for (int i = 1; i < argc; ++i) {
    const char *a = argv[i];
    if (strcmp(a, "--list") == 0) {
      for (int p = 0; p < outside_problem_count; ++p)
        printf("%s %d-D, %d components, %d instances\n", outside_problems[p].name, outside_problems[p].ndim,
               outside_problems[p].ncomp, outside_problems[p].instances);
      return 0;
    }
    if (strcmp(a, "--wrong") == 0) {
      q.wrong_only = 1;
      continue;
    }
    if (strcmp(a, "--all-components") == 0) {
      q.all_components = 1;
      continue;
    }
    if (i + 1 == argc) return fputs(usage, stderr), 2;
    const char *value = argv[++i];
    of = strcmp(a, "--problem") == 0      ? &q.problem
         : strcmp(a, "--initial") == 0    ? &q.initial
         : strcmp(a, "--selection") == 0  ? &q.selection
         : strcmp(a, "--rule") == 0       ? &q.rule
         : strcmp(a, "--estimate") == 0   ? &q.estimate
         : strcmp(a, "--tol") == 0        ? &q.tolerance
         : strcmp(a, "--maxeval") == 0    ? &q.maxeval
         : strcmp(a, "--components") == 0 ? &q.components
         : strcmp(a, "--seed") == 0       ? &q.seed
                                          : NULL;
    if (of)
      split(value, of);
    else if (strcmp(a, "--device") == 0)
      q.device = atoi(value);
    else if (strcmp(a, "--threads") == 0)
      q.threads = atoi(value);
    else if (strcmp(a, "--text") == 0)
      q.text = value;
    else
      return fputs(usage, stderr), 2;
  }
  printf(
      "problem,ndim,ncomp,component,seed,selection,rule,estimate_kind,initial,tolerance,maxeval,status,evaluations,"
      "regions,"
      "iterations,value,estimate,true_error,ratio,relative_error,seconds,evaluations_per_s,verdict\n");
  int status = 0;
  for (int i = 0; status == 0 && i < (q.problem.count ? q.problem.count : outside_problem_count); ++i) {
    const struct outside_problem *p = q.problem.count ? outside_find(q.problem.text[i]) : &outside_problems[i];
    if (!p) return fprintf(stderr, "no problem '%s'\n", q.problem.text[i]), 2;
    status = run_problem(&q, p);
  }
  fprintf(stderr, "%d of %d runs wrong\n", wrong_runs, runs);
  return status ? status : wrong_runs != 0;
}
