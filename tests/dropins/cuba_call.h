/* Calls of Vegas, Suave and Divonne with all their arguments in a structure, and an integrand that counts its points.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESSERA_TESTS_CUBA_CALL_H
#define TESSERA_TESTS_CUBA_CALL_H

#include <math.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "cases.h"
#include "cuba.h"

#ifdef __SANITIZE_ADDRESS__
enum { sanitized = 1 };
#else
enum { sanitized = 0 };
#endif

enum { most_ncomp = 4 };
enum routine { vegas_routine, suave_routine, divonne_routine, routines };

/* With all the arguments that the three pass; those of Divonne are passed a phase and no more. */
typedef int (*full_integrand)(const int *, const double[], const int *, double[], void *, const int *, const int *,
                              const void *, const int *);
#define AS_INTEGRAND(f) ((integrand_t)(void (*)(void))(f))

struct call {
  enum routine routine;
  int ndim, ncomp, nvec, flags, seed, mineval, maxeval;
  int nstart, nincrease, nbatch, gridno;
  int nnew, nmin;
  int key1, ldxgiven, ngiven, nextra;
  double flatness, border, epsrel, epsabs;
  double *xgiven;
  peakfinder_t peakfinder;
  integrand_t f;
  void *userdata;
  const char *statefile;
  int nregions, neval, fail;
  double integral[most_ncomp], error[most_ncomp], prob[most_ncomp];
};

static inline struct call make(enum routine routine, int ndim, int ncomp, full_integrand f) {
  struct call c;
  memset(&c, 0, sizeof c);
  c.routine = routine;
  c.ndim = ndim, c.ncomp = ncomp, c.nvec = 1, c.maxeval = 1000000, c.epsrel = 1e-3, c.epsabs = 1e-12;
  c.nstart = 1000, c.nincrease = 500, c.nbatch = 1000, c.nnew = 1000, c.nmin = 2, c.flatness = 25;
  c.key1 = 47, c.ldxgiven = ndim;
  c.f = AS_INTEGRAND(f);
  c.fail = -7, c.nregions = -8;
  for (int k = 0; k < most_ncomp; ++k) c.integral[k] = -9, c.error[k] = -10, c.prob[k] = -11;
  return c;
}
static inline void run(struct call *c) {
  switch (c->routine) {
    case vegas_routine:
      Vegas(c->ndim, c->ncomp, c->f, c->userdata, c->nvec, c->epsrel, c->epsabs, c->flags, c->seed, c->mineval,
            c->maxeval, c->nstart, c->nincrease, c->nbatch, c->gridno, c->statefile, NULL, &c->neval, &c->fail,
            c->integral, c->error, c->prob);
      break;
    case suave_routine:
      Suave(c->ndim, c->ncomp, c->f, c->userdata, c->nvec, c->epsrel, c->epsabs, c->flags, c->seed, c->mineval,
            c->maxeval, c->nnew, c->nmin, c->flatness, c->statefile, NULL, &c->nregions, &c->neval, &c->fail,
            c->integral, c->error, c->prob);
      break;
    default:
      Divonne(c->ndim, c->ncomp, c->f, c->userdata, c->nvec, c->epsrel, c->epsabs, c->flags, c->seed, c->mineval,
              c->maxeval, c->key1, 1, 1, 5, c->border, 10, .25, c->ngiven, c->ldxgiven, c->xgiven, c->nextra,
              c->peakfinder, c->statefile, NULL, &c->nregions, &c->neval, &c->fail, c->integral, c->error, c->prob);
  }
}

static atomic_llong points_seen, largest_call;

/* A Gaussian about 0.3, and twice that of another width. */
static inline int bells(const int *ndim, const double x[], const int *ncomp, double f[], void *userdata,
                        const int *nvec, const int *core, const void *weight, const int *iter) {
  (void)userdata, (void)core, (void)weight, (void)iter;
  points_seen += *nvec;
  if (*nvec > largest_call) largest_call = *nvec;
  for (int i = 0; i < *nvec; ++i) {
    double s = 0;
    for (int j = 0; j < *ndim; ++j) s += (x[i * *ndim + j] - 0.3) * (x[i * *ndim + j] - 0.3);
    for (int k = 0; k < *ncomp; ++k) f[i * *ncomp + k] = (k + 1) * exp(-(20. + 20 * k) * s);
  }
  return 0;
}
static inline double exact_bell(int ndim, int k) {
  const double a = sqrt(20. + 20 * k);
  return (k + 1) * pow(sqrt(acos(-1.)) / 2 / a * (erf(0.7 * a) + erf(0.3 * a)), ndim);
}

static inline int genz_for_cuba(const int *ndim, const double x[], const int *ncomp, double f[], void *userdata) {
  return genz_point(*ndim, x, *ncomp, f, userdata);
}

#endif
