/* Runs of the library on instances of the population, and what is counted.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESSERA_TESTS_POPULATION_RUN_H
#define TESSERA_TESTS_POPULATION_RUN_H

#include <stdio.h>

#include "population.h"

enum { population_most_families = 32, population_most_choices = 8, population_mix = -1 };

struct population_run {
  uint64_t seed;
  int per; /* instances of each family in each number of variables */
  int family_count, families[population_most_families];
  int dim_count, dims[population_max_ndim];
  int tolerance_count;
  double tolerances[population_most_choices];
  int initial_count; /* several: one is drawn for each instance */
  int64_t initials[population_most_choices];
  int64_t maxeval;
  int selection; /* of enum tessera_selection, or population_mix: worst first or bulk, drawn for each instance */
  int device, rule, threads, sparse;
  int method; /* of enum tessera_method; TESSERA_CUBATURE */
};

/* All families, 2..6 variables, tolerance 1e-3, initial regions drawn from a fixed list. */
void population_run_default(struct population_run *r);

struct population_row {
  const struct population_instance *instance;
  double tolerance;
  int device, selection;
  int64_t initial;
  int status;
  int64_t evaluations;
  double value, estimate, true_rel_error;
  int is_false;     /* status 0, but the error is larger than the tolerance */
  int is_dishonest; /* another status, but the error is larger than the estimate */
  double seconds;
};

struct population_tally {
  int64_t runs, claims, falsehoods, dishonest, failures;
  int64_t hidden, dishonest_hidden; /* of the falsehoods, of the dishonest ones */
  double worst;                     /* greatest ratio of error to tolerance among claims that are not hidden */
  double log_claims, log_all;
};

/* Hidden is an instance of which what matters takes up less than this share of the domain. */
static const double population_hidden = 1e-5;

typedef void (*population_row_function)(const struct population_row *row, void *userdata);

/* Runs everything, calls each for every row (NULL: nothing) and adds to tally[population_family_count]. 0, or -1
 * when a solver could not be made or set; what goes wrong in single runs is counted as a failure and printed. */
int population_run_all(const struct population_run *r, struct population_tally *tally, population_row_function each,
                       void *userdata);

/* Sum over the families of a group, or of both for -1. */
struct population_tally population_total(const struct population_tally *tally, int group);

/* The table by family, with totals; families without a run are left out. */
void population_print(FILE *out, const struct population_tally *tally);

/* One line for each false claim, enough to make it again; for `each`, userdata is a FILE. */
void population_print_false(const struct population_row *row, void *file);

#endif
