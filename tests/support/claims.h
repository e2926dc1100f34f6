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

#endif
