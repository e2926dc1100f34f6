/* Claims of success that are counted, and those of them that are false.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESSERA_TEST_CLAIMS_H
#define TESSERA_TEST_CLAIMS_H

#include <math.h>

#include "solve.h"

struct counts {
  int runs, claims, wrong;
};

/* A run whose components are all `exact`, and the end of its solver. */
static inline void count_run(struct counts *all, tessera_solver *s, int method, int ncomp, double exact,
                             double reltol) {
  double value[3], error[3];
  int wrong = 0;
  ++all->runs;
  if (tessera_integrate(s, method, value, error) == TESSERA_OK) {
    ++all->claims;
    for (int k = 0; k < ncomp; ++k) wrong = wrong || fabs(value[k] - exact) > reltol * exact;
    all->wrong += wrong;
  }
  tessera_destroy(s);
}

/* Ways of a run that have to find the same. */
static const struct {
  int method, selection;
  const char *name;
} ways[] = {{TESSERA_CUBATURE, TESSERA_SELECT_WORST_FIRST, "worst first"},
            {TESSERA_CUBATURE, TESSERA_SELECT_BULK, "in bulk"},
            {TESSERA_AUTO, TESSERA_SELECT_AUTO, "automatic choice"}};

/* An integrand that has been drawn, put to a solver of its own, with its integral. It stays where it is until the next one. */
struct drawn {
  tessera_solver *solver;
  double exact;
};
typedef struct drawn (*draw_function)(int kind, int i, uint64_t *seed);

/* Of so many to 1e-3, one way: as they are, and with TESSERA_LEAST_REGIONS = 1, without looks before success. */
struct looks_counted {
  struct counts now, without;
};
static inline struct looks_counted count_looks(draw_function draw, int kind, const char *name, uint64_t seed,
                                               int members, int way) {
  struct counts with[2] = {{0, 0, 0}, {0, 0, 0}};
  for (int least_regions = 0; least_regions < 2; ++least_regions) {
    uint64_t next = seed;
    for (int i = 0; i < members; ++i) {
      const struct drawn d = draw(kind, i, &next);
      put_real(d.solver, TESSERA_RELTOL, 1e-3);
      put_int(d.solver, TESSERA_MAXEVAL, 1000000);
      put_int(d.solver, TESSERA_SELECTION, ways[way].selection);
      put_int(d.solver, TESSERA_LEAST_REGIONS, least_regions);
      count_run(&with[least_regions], d.solver, ways[way].method, 1, d.exact, 1e-3);
    }
  }
  print_message("%s, %s: %d of %d claims are false, of %d runs; without a look %d of %d\n", name, ways[way].name,
                with[0].wrong, with[0].claims, members, with[1].wrong, with[1].claims);
  return (struct looks_counted){with[0], with[1]};
}

#endif
