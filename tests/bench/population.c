/* The population (tests/support/population.h) through the library: one row of CSV a run, or a table by family. What an
 * instance is depends on base seed, family, number of variables and index alone, so that two builds are compared run by
 * run.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tessera.h>

#include "population_run.h"

static const char usage[] =
    "Usage: tessera_population [options]\n"
    "  --seed S        base seed, a number or \"date\" (default 1)\n"
    "  --per N         instances of each family in each number of variables (2)\n"
    "  --dims LIST     numbers of variables, such as 2,3,8 or 2-10 (2-6)\n"
    "  --families LIST names, or \"smooth\", \"rough\", \"all\" (all)\n"
    "  --tol LIST      relative tolerances (1e-3)\n"
    "  --maxeval N     most evaluations of a run (1e6)\n"
    "  --device D      -1: host, 0, 1, ...: that device (-1)\n"
    "  --selection W   worst, bulk, or mix: drawn by seed (mix)\n"
    "  --initial LIST  initial regions; one is drawn by seed; \"mix\" is 1,2,16,256,1024,4096 (mix)\n"
    "  --method M      of enum tessera_method (1, adaptive cubature)\n"
    "  --rule R        TESSERA_RULE (0)\n"
    "  --sparse P      TESSERA_SPARSE (0)\n"
    "  --threads T     TESSERA_THREADS (1)\n"
    "  --summary       a table by family after the rows; --quiet leaves the rows out\n"
    "  --false         false claims as sentences, on stderr\n"
    "  --list          families and the numbers of variables they have\n";

struct output {
  int rows, falsehoods;
};

static void print_row(const struct population_row *row, void *userdata) {
  const struct output *o = userdata;
  const struct population_instance *p = row->instance;
  if (o->falsehoods) population_print_false(row, stderr);
  if (!o->rows) return;
  const struct population_family *f = &population_families[p->family];
  printf("%s,%s,%d,%" PRIu64 ",%g,%d,%s,%" PRId64 ",%d,%" PRId64 ",%.17g,%.6g,%.17g,%.6g,%d,%.3g,%.4g,%s\n", f->name,
         f->group == POPULATION_SMOOTH ? "smooth" : "rough", p->ndim, p->seed, row->tolerance, row->device,
         row->selection == TESSERA_SELECT_BULK          ? "bulk"
         : row->selection == TESSERA_SELECT_WORST_FIRST ? "worst"
                                                        : "auto",
         row->initial, row->status, row->evaluations, row->value, row->estimate, p->exact, row->true_rel_error,
         row->is_false, p->occupied, row->seconds, p->variant);
}

static int bad(const char *option, const char *value) {
  fprintf(stderr, "%s %s is not understood\n%s", option, value, usage);
  return 2;
}

static int read_families(struct population_run *r, char *list) {
  r->family_count = 0;
  for (char *name = strtok(list, ","); name; name = strtok(NULL, ",")) {
    const int group = strcmp(name, "smooth") == 0  ? POPULATION_SMOOTH
                      : strcmp(name, "rough") == 0 ? POPULATION_ROUGH
                                                   : -1;
    const int all = strcmp(name, "all") == 0, one = population_find(name);
    if (group < 0 && !all && one < 0) return -1;
    for (int i = 0; i < population_family_count && r->family_count < population_most_families; ++i)
      if (all || i == one || population_families[i].group == group) r->families[r->family_count++] = i;
  }
  return r->family_count > 0 ? 0 : -1;
}

static int read_dims(struct population_run *r, char *list) {
  r->dim_count = 0;
  for (char *part = strtok(list, ","); part; part = strtok(NULL, ",")) {
    int first = 0, last = 0;
    const int found = sscanf(part, "%d-%d", &first, &last);
    if (found == 1) last = first;
    if (found < 1 || first < 2 || last > population_max_ndim) return -1;
    for (int n = first; n <= last && r->dim_count < population_max_ndim; ++n) r->dims[r->dim_count++] = n;
  }
  return r->dim_count > 0 ? 0 : -1;
}

/* Numbers such as 1e-3,1e6; how many, or -1. */
static int read_numbers(char *list, double *numbers) {
  int n = 0;
  for (char *part = strtok(list, ","); part; part = strtok(NULL, ",")) {
    char *end;
    if (n == population_most_choices) return -1;
    numbers[n++] = strtod(part, &end);
    if (*end || end == part) return -1;
  }
  return n > 0 ? n : -1;
}

int main(int argc, char **argv) {
  struct population_run r;
  struct population_tally tally[population_most_families];
  struct output output = {1, 0};
  int summary = 0;
  memset(tally, 0, sizeof tally);
  population_run_default(&r);
  for (int i = 1; i < argc; ++i) {
    const char *option = argv[i];
    double number[population_most_choices];
    if (strcmp(option, "--summary") == 0) {
      summary = 1;
      continue;
    }
    if (strcmp(option, "--quiet") == 0) {
      output.rows = 0;
      continue;
    }
    if (strcmp(option, "--false") == 0) {
      output.falsehoods = 1;
      continue;
    }
    if (strcmp(option, "--list") == 0) {
      for (int f = 0; f < population_family_count; ++f)
        printf("%-14s %s %d-%d\n", population_families[f].name, population_families[f].group ? "rough " : "smooth",
               population_families[f].least_ndim, population_families[f].most_ndim);
      return 0;
    }
    if (i + 1 == argc) return bad(option, "");
    char *value = argv[++i], copy[400];
    snprintf(copy, sizeof copy, "%s", value);
    if (strcmp(option, "--families") == 0) {
      if (read_families(&r, copy) != 0) return bad(option, value);
    } else if (strcmp(option, "--dims") == 0) {
      if (read_dims(&r, copy) != 0) return bad(option, value);
    } else if (strcmp(option, "--selection") == 0) {
      r.selection = strcmp(value, "worst") == 0  ? TESSERA_SELECT_WORST_FIRST
                    : strcmp(value, "bulk") == 0 ? TESSERA_SELECT_BULK
                                                 : population_mix;
      if (r.selection == population_mix && strcmp(value, "mix") != 0) return bad(option, value);
    } else if (strcmp(option, "--seed") == 0 && strcmp(value, "date") == 0) {
      char date[16];
      const time_t now = time(NULL);
      strftime(date, sizeof date, "%Y%m%d", gmtime(&now));
      r.seed = strtoull(date, NULL, 10);
    } else if (strcmp(option, "--initial") == 0 && strcmp(value, "mix") == 0) {
      continue; /* the default */
    } else {
      const int n = read_numbers(copy, number);
      if (n < 0) return bad(option, value);
      if (strcmp(option, "--tol") == 0) {
        r.tolerance_count = n;
        memcpy(r.tolerances, number, sizeof r.tolerances);
      } else if (strcmp(option, "--initial") == 0) {
        r.initial_count = n;
        for (int k = 0; k < n; ++k) r.initials[k] = (int64_t)number[k];
      } else if (n > 1) {
        return bad(option, value);
      } else if (strcmp(option, "--seed") == 0) {
        r.seed = strtoull(value, NULL, 10);
      } else if (strcmp(option, "--per") == 0) {
        r.per = (int)number[0];
      } else if (strcmp(option, "--maxeval") == 0) {
        r.maxeval = (int64_t)number[0];
      } else if (strcmp(option, "--device") == 0) {
        r.device = (int)number[0];
      } else if (strcmp(option, "--method") == 0) {
        r.method = (int)number[0];
      } else if (strcmp(option, "--rule") == 0) {
        r.rule = (int)number[0];
      } else if (strcmp(option, "--sparse") == 0) {
        r.sparse = (int)number[0];
      } else if (strcmp(option, "--threads") == 0) {
        r.threads = (int)number[0];
      } else {
        return bad(option, value);
      }
    }
  }
  fprintf(stderr, "base seed %" PRIu64 ", library %s\n", r.seed, tessera_version_string());
  if (output.rows)
    printf(
        "family,group,ndim,seed,tolerance,device,selection,initial,status,evaluations,value,estimate,exact,true_rel_"
        "error,"
        "false,occupied,seconds,variant\n");
  if (population_run_all(&r, tally, print_row, &output) != 0) return 1;
  if (summary) population_print(stdout, tally);
  return 0;
}
