// Cuhre, with counts of either size. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cuba.h"

namespace cuba {

// The integrand with all that it is called with.
template <class Count>
using integrand = int (*)(const int *ndim, const double *x, const int *ncomp, double *f, void *userdata,
                          const Count *nvec, const int *core);

template <class Count>
struct cuhre_arguments {
  int ndim, ncomp;
  integrand_t function;
  void *userdata;
  Count nvec;
  double epsrel, epsabs;
  int flags;
  Count mineval, maxeval;
  int key;
  const char *statefile;  // NULL or empty: none
  int *nregions;
  Count *neval;
  int *fail;
  double *integral, *error, *prob;
};

template <class Count>
void cuhre(const cuhre_arguments<Count> &a);

// The functions of cubainit and cubaexit, and cubaverbose.
using hook = tessera_cuba_hook;
void set_init(hook f, void *arg);
void set_exit(hook f, void *arg);
void set_verbose(int level);

void set_state_seconds(double seconds);

}  // namespace cuba
