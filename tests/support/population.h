/* A population of integrands that nobody can tune to: random instances by family, number of variables and seed, which
 * know their exact integrals to a relative error of 1e-9 or better, most of them to 1e-12.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESSERA_TESTS_POPULATION_H
#define TESSERA_TESTS_POPULATION_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define POPULATION_STRUCT_ONLY
#include "population_integrand.c"
#undef POPULATION_STRUCT_ONLY

enum population_group { POPULATION_SMOOTH, POPULATION_ROUGH }; /* analytic; with jumps or kinks */

struct population_family {
  const char *name;
  int group, least_ndim, most_ndim;
};
extern const struct population_family population_families[];
extern const int population_family_count;

struct population_instance {
  int family, ndim;
  uint64_t seed;
  struct population_params params; /* what population_f receives */
  double lower[population_max_ndim], upper[population_max_ndim];
  double exact;
  double occupied;  /* roughly the share of the domain where the integral is, if that is small, else 1 */
  char variant[48]; /* in words */
};

/* The family of that name, or -1. */
int population_find(const char *name);

/* The instance of this family and seed, always the same. -1 when the family has none in ndim variables, else 0. */
int population_make(int family, int ndim, uint64_t seed, struct population_instance *instance);

/* The seed of instance `index` of a base seed; it depends on the family's name, not on its place in the table. */
uint64_t population_seed(uint64_t base, int family, int ndim, int index);

/* The integrand, in the form of tessera_integrand1; userdata is the struct population_params. */
int population_f(int ndim, const double *x, int ncomp, double *f, void *userdata);

#ifdef __cplusplus
}
#endif

#endif
