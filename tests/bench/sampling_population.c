/* Ways of drawing the points of Monte Carlo on the population (tests/support/population.h): for each way claims, false claims and
 * evaluations, and for a pair of ways the evaluations where both claim. With --rows a row of CSV a run.
 * Usage: tessera_sampling_population [--rows] SEED PER DIMS TOLERANCE MAXEVAL WAY...
 * DIMS: numbers of variables, such as 2,3,5; WAY: sampling.generator as numbers of their enums, such as 2.4; without generator the
 * default one.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tessera.h>

#include "population_run.h"

enum { most_ways = 8 };

struct way {
  const char *name;
  int sampling, generator;                    /* -1: not set */
  int64_t claims, falsehoods, beyond, hidden; /* hidden: of those beyond */
  double log_all;
};
struct run {
  int status;
  int64_t evaluations;
  double value, error;
};

static int integrate(const struct population_instance *p, const struct way *w, double tolerance, int64_t maxeval,
                     struct run *r) {
  tessera_solver *s;
  if (tessera_create(&s, p->ndim, 1) != TESSERA_OK) return -1;
  int status = tessera_set_integrand1(s, population_f, (void *)&p->params);
  if (status >= 0) status = tessera_set_domain(s, p->lower, p->upper);
  if (status >= 0) status = tessera_set_real(s, TESSERA_RELTOL, tolerance);
  if (status >= 0) status = tessera_set_int(s, TESSERA_MAXEVAL, maxeval);
  if (status >= 0) status = tessera_set_int(s, TESSERA_SEED, (int64_t)(p->seed >> 2));
  if (status >= 0) status = tessera_set_int(s, TESSERA_SAMPLING, w->sampling);
  if (status >= 0 && w->generator >= 0) status = tessera_set_int(s, TESSERA_GENERATOR, w->generator);
  if (status >= 0) status = tessera_integrate(s, TESSERA_MONTECARLO, &r->value, &r->error);
  r->status = status;
  if (status < 0) fprintf(stderr, "%s\n", tessera_last_error(s));
  tessera_get_int(s, TESSERA_EVALUATIONS, &r->evaluations);
  tessera_destroy(s);
  return status < 0 ? -1 : 0;
}

int main(int argc, char **argv) {
  struct way ways[most_ways];
  int at = 1, count = 0, dims[64], dim_count = 0;
  const int rows = argc > 1 && strcmp(argv[1], "--rows") == 0;
  at += rows;
  if (argc < at + 6 || argc > at + 5 + most_ways) {
    fprintf(stderr, "Usage: tessera_sampling_population [--rows] SEED PER DIMS TOLERANCE MAXEVAL WAY...\n");
    return 2;
  }
  const uint64_t seed = strtoull(argv[at], NULL, 10);
  const int per = atoi(argv[at + 1]);
  const double tolerance = atof(argv[at + 3]);
  const int64_t maxeval = (int64_t)atof(argv[at + 4]);
  for (char *part = strtok(argv[at + 2], ","); part && dim_count < 64; part = strtok(NULL, ","))
    dims[dim_count++] = atoi(part);
  for (int i = at + 5; i < argc; ++i) {
    struct way w = {argv[i], 0, -1, 0, 0, 0, 0, 0};
    if (sscanf(argv[i], "%d.%d", &w.sampling, &w.generator) < 1) return 2;
    ways[count++] = w;
  }
  double log_pair[most_ways][most_ways] = {{0}};
  int64_t pairs[most_ways][most_ways] = {{0}}, instances = 0;
  if (rows) printf("family,ndim,seed,tolerance,way,status,evaluations,value,error,exact,occupied\n");
  for (int family = 0; family < population_family_count; ++family)
    for (int d = 0; d < dim_count; ++d)
      for (int i = 0; i < per; ++i) {
        struct population_instance p;
        struct run r[most_ways];
        if (population_make(family, dims[d], population_seed(seed, family, dims[d], i), &p) != 0) break;
        ++instances;
        for (int k = 0; k < count; ++k) {
          if (integrate(&p, &ways[k], tolerance, maxeval, &r[k]) != 0) return 1;
          const double off = fabs(r[k].value - p.exact);
          if (rows)
            printf("%s,%d,%" PRIu64 ",%g,%s,%d,%" PRId64 ",%.17g,%.6g,%.17g,%.3g\n", population_families[family].name,
                   p.ndim, p.seed, tolerance, ways[k].name, r[k].status, r[k].evaluations, r[k].value, r[k].error,
                   p.exact, p.occupied);
          ways[k].log_all += log((double)r[k].evaluations);
          if (r[k].status != TESSERA_OK) continue;
          ++ways[k].claims;
          ways[k].falsehoods += off > r[k].error + 1e-9 * fabs(p.exact);
          if (off <= tolerance * fabs(p.exact)) continue;
          ++ways[k].beyond;
          ways[k].hidden += p.occupied < population_hidden;
        }
        for (int k = 0; k < count; ++k)
          for (int l = 0; l < count; ++l)
            if (r[k].status == TESSERA_OK && r[l].status == TESSERA_OK) {
              ++pairs[k][l];
              log_pair[k][l] += log((double)r[k].evaluations / (double)r[l].evaluations);
            }
      }
  if (rows) return 0;
  printf("%" PRId64
         " instances; evaluations: geometric means, of all runs and as ratios to those of each way where both "
         "claim\n",
         instances);
  printf("way   claims  true error above the one given  above the tolerance  of these hidden  evaluations\n");
  for (int k = 0; k < count; ++k) {
    printf("%-5s %6" PRId64 "  %31" PRId64 "  %19" PRId64 "  %15" PRId64 "  %11.0f", ways[k].name, ways[k].claims,
           ways[k].falsehoods, ways[k].beyond, ways[k].hidden, exp(ways[k].log_all / (double)instances));
    for (int l = 0; l < count; ++l) printf("  %.3f", exp(log_pair[k][l] / (double)pairs[k][l]));
    printf("\n");
  }
  return 0;
}
