/* SPDX-License-Identifier: BSD-3-Clause */
#include "population_run.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <tessera.h>

#include "cases.h"

void population_run_default(struct population_run *r) {
  static const int64_t initials[] = {1, 2, 16, 256, 1024, 4096};
  memset(r, 0, sizeof *r);
  r->seed = 1;
  r->per = 2;
  r->family_count = population_family_count;
  for (int i = 0; i < population_family_count; ++i) r->families[i] = i;
  for (int ndim = 2; ndim <= 6; ++ndim) r->dims[r->dim_count++] = ndim;
  r->tolerance_count = 1;
  r->tolerances[0] = 1e-3;
  r->initial_count = (int)(sizeof initials / sizeof initials[0]);
  memcpy(r->initials, initials, sizeof initials);
  r->maxeval = 1000000;
  r->selection = population_mix;
  r->device = -1;
  r->threads = 1;
  r->method = TESSERA_CUBATURE;
}

static void count(struct population_tally *t, const struct population_row *row) {
  const int claim = row->status == TESSERA_OK;
  ++t->runs;
  if (row->status < 0) {
    ++t->failures;
    return;
  }
  t->log_all += log(fmax(1, (double)row->evaluations));
  const int hidden = row->instance->occupied < population_hidden;
  t->dishonest += row->is_dishonest;
  t->dishonest_hidden += row->is_dishonest && hidden;
  if (!claim) return;
  ++t->claims;
  t->log_claims += log(fmax(1, (double)row->evaluations));
  t->falsehoods += row->is_false;
  t->hidden += row->is_false && hidden;
  if (!hidden) t->worst = fmax(t->worst, row->true_rel_error / row->tolerance);
}

/* The solver of one number of variables, used for all families: a device then compiles the text once. */
static tessera_solver *solver_for(const struct population_run *r, int ndim) {
  tessera_solver *s;
  if (tessera_create(&s, ndim, 1) != TESSERA_OK) return NULL;
  int status = r->device == -1 ? tessera_set_integrand1(s, population_f, NULL)
                               : tessera_set_integrand_file(s, TESSERA_LANGUAGE_C, POPULATION_TEXT, "population_f");
  if (status >= 0) status = tessera_set_int(s, TESSERA_DEVICE, r->device);
  if (status >= 0) status = tessera_set_int(s, TESSERA_THREADS, r->threads);
  if (status >= 0) status = tessera_set_int(s, TESSERA_RULE, r->rule);
  if (status >= 0) status = tessera_set_int(s, TESSERA_SPARSE, r->sparse);
  if (status >= 0) status = tessera_set_int(s, TESSERA_MAXEVAL, r->maxeval);
  if (status >= 0) status = tessera_set_real(s, TESSERA_ABSTOL, 0);
  if (status >= 0) return s;
  fprintf(stderr, "population, %d variables: %s\n", ndim, tessera_last_error(s));
  tessera_destroy(s);
  return NULL;
}

static void run_one(tessera_solver *s, int method, struct population_row *row) {
  const struct population_instance *p = row->instance;
  int status = tessera_set_params(s, &p->params, sizeof p->params);
  row->value = row->estimate = row->seconds = NAN;
  row->evaluations = 0;
  if (status >= 0) status = tessera_set_domain(s, p->lower, p->upper);
  if (status >= 0) status = tessera_set_real(s, TESSERA_RELTOL, row->tolerance);
  if (status >= 0) status = tessera_set_int(s, TESSERA_INITIAL_REGIONS, row->initial);
  if (status >= 0 && row->device == -1) status = tessera_set_int(s, TESSERA_SELECTION, row->selection);
  if (status >= 0) status = tessera_integrate(s, method, &row->value, &row->estimate);
  row->status = status;
  if (status < 0 || status == TESSERA_NONFINITE)
    fprintf(stderr, "population, %s %d-D seed %" PRIu64 ": %s\n", population_families[p->family].name, p->ndim, p->seed,
            tessera_last_error(s));
  if (status < 0) return;
  tessera_get_int(s, TESSERA_EVALUATIONS, &row->evaluations);
  tessera_get_real(s, TESSERA_SECONDS, &row->seconds);
}

int population_run_all(const struct population_run *r, struct population_tally *tally, population_row_function each,
                       void *userdata) {
  for (int k = 0; k < r->dim_count; ++k) {
    tessera_solver *s = solver_for(r, r->dims[k]);
    if (!s) return -1;
    for (int f = 0; f < r->family_count; ++f)
      for (int i = 0; i < r->per; ++i) {
        struct population_instance instance;
        const uint64_t seed = population_seed(r->seed, r->families[f], r->dims[k], i);
        if (population_make(r->families[f], r->dims[k], seed, &instance) != 0) break;
        uint64_t state = ~seed;
        const uint64_t drawn_selection = splitmix64(&state) % 2, drawn_initial = splitmix64(&state);
        for (int t = 0; t < r->tolerance_count; ++t) {
          struct population_row row;
          memset(&row, 0, sizeof row);
          row.instance = &instance;
          row.tolerance = r->tolerances[t];
          row.device = r->device;
          row.selection = r->device >= 0                   ? TESSERA_SELECT_BULK
                          : r->selection != population_mix ? r->selection
                          : drawn_selection                ? TESSERA_SELECT_BULK
                                                           : TESSERA_SELECT_WORST_FIRST;
          row.initial = r->initials[drawn_initial % (uint64_t)r->initial_count];
          run_one(s, r->method, &row);
          const double error = fabs(row.value - instance.exact);
          row.true_rel_error = error / fabs(instance.exact);
          row.is_false = row.status == TESSERA_OK && !(row.true_rel_error <= row.tolerance);
          row.is_dishonest = row.status > 0 && !(error <= row.estimate);
          count(&tally[r->families[f]], &row);
          if (each) each(&row, userdata);
        }
      }
    tessera_destroy(s);
  }
  return 0;
}

struct population_tally population_total(const struct population_tally *tally, int group) {
  struct population_tally sum;
  memset(&sum, 0, sizeof sum);
  for (int i = 0; i < population_family_count; ++i) {
    const struct population_tally *t = &tally[i];
    if (group >= 0 && population_families[i].group != group) continue;
    sum.runs += t->runs;
    sum.claims += t->claims;
    sum.falsehoods += t->falsehoods;
    sum.hidden += t->hidden;
    sum.dishonest += t->dishonest;
    sum.dishonest_hidden += t->dishonest_hidden;
    sum.failures += t->failures;
    sum.worst = fmax(sum.worst, t->worst);
    sum.log_claims += t->log_claims;
    sum.log_all += t->log_all;
  }
  return sum;
}

static double mean(double sum, int64_t n) { return n > 0 ? exp(sum / (double)n) : 0; }

static void print_line(FILE *out, const char *name, const struct population_tally *t) {
  if (t->runs == 0) return;
  fprintf(out,
          "%-14s %5" PRId64 " %6" PRId64 " %6" PRId64 " %6" PRId64 " %10.3g %10.0f %10.0f %9" PRId64 " %6" PRId64
          " %8" PRId64 "\n",
          name, t->runs, t->claims, t->falsehoods, t->hidden, t->worst, mean(t->log_claims, t->claims),
          mean(t->log_all, t->runs - t->failures), t->dishonest, t->dishonest_hidden, t->failures);
}

void population_print(FILE *out, const struct population_tally *tally) {
  static const char *const name[] = {"smooth", "rough"};
  fprintf(out, "%-14s %5s %6s %6s %6s %10s %10s %10s %9s %6s %8s\n", "family", "runs", "claims", "false", "hidden",
          "worst", "evals", "evals all", "dishonest", "hidden", "failures");
  for (int group = 0; group < 2; ++group) {
    for (int i = 0; i < population_family_count; ++i)
      if (population_families[i].group == group) print_line(out, population_families[i].name, &tally[i]);
    const struct population_tally sum = population_total(tally, group);
    print_line(out, name[group], &sum);
  }
  const struct population_tally sum = population_total(tally, -1);
  print_line(out, "all", &sum);
}

void population_print_false(const struct population_row *row, void *file) {
  const struct population_instance *p = row->instance;
  if (!row->is_false) return;
  fprintf(file,
          "  false: %s %d-D seed %" PRIu64 " (%s), initial %" PRId64
          ", %s: %.10g +- %.1e, exact %.10g, error/tolerance %.3g%s\n",
          population_families[p->family].name, p->ndim, p->seed, p->variant, row->initial,
          row->selection == TESSERA_SELECT_BULK ? "bulk" : "worst first", row->value, row->estimate, p->exact,
          row->true_rel_error / row->tolerance, p->occupied < population_hidden ? ", hidden" : "");
}
