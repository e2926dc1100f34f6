/* SPDX-License-Identifier: BSD-3-Clause */
#include "module.h"

#include <math.h>

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define NAME(name) JOIN(TWINS_PREFIX, name) /* program_ or library_ */

#if defined(__GNUC__)
#define EXPORTED __attribute__((visibility("default")))
#define KEPT __attribute__((used))
#else
#define EXPORTED
#define KEPT
#endif

/* As two COMMON blocks: a rate and something behind it. */
EXPORTED double NAME(block_)[3] = {1, 0, 0};
KEPT static double NAME(hidden_block_)[3] = {1, 0, 0};

static int exponential(double rate, int ndim, const double *x, double *f) {
  double s = 0;
  for (int j = 0; j < ndim; ++j) s += x[j];
  f[0] = exp(-rate * s);
  return 0;
}

int NAME(exported_)(int ndim, const double *x, int ncomp, double *f, void *userdata);
EXPORTED int NAME(exported_)(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ncomp, (void)userdata;
  return exponential(NAME(block_)[0], ndim, x, f);
}

KEPT static int NAME(hidden_)(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ncomp, (void)userdata;
  return exponential(NAME(hidden_block_)[0], ndim, x, f);
}

struct module NAME(module)(void);
EXPORTED struct module NAME(module)(void) {
  const struct module m = {NAME(exported_), NAME(hidden_), NAME(block_), NAME(hidden_block_)};
  return m;
}
