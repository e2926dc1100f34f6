/* Integrands that jump, or whose slope does, at one coordinate of each axis, drawn by seed; their exact integrals over the unit cube, and
 * their text in C.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESSERA_TESTS_BREAKS_H
#define TESSERA_TESTS_BREAKS_H

#include <math.h>
#include <stdio.h>

#include "cases.h"

enum { breaks_bends, breaks_steps, breaks_box, breaks_clipped, break_kinds, breaks_most_ndim = 8 };

struct broken {
  int kind, ndim;
  double at[breaks_most_ndim], rate[breaks_most_ndim];
};

static inline struct broken draw_broken(int kind, int ndim, uint64_t seed) {
  struct broken b = {.kind = kind, .ndim = ndim};
  for (int j = 0; j < ndim; ++j) {
    b.at[j] = 0.2 + 0.6 * splitmix_uniform(&seed);
    b.rate[j] = 1 + 3 * splitmix_uniform(&seed);
  }
  return b;
}

static inline double broken_value(const struct broken *b, const double *x) {
  double s = 0, p = 1;
  for (int j = 0; j < b->ndim; ++j) switch (b->kind) {
      case breaks_bends:
        s -= b->rate[j] * fabs(x[j] - b->at[j]);
        break;
      case breaks_steps:
        p *= x[j] < b->at[j] ? 1 + x[j] * x[j] : b->rate[j];
        break;
      case breaks_box:
        if (x[j] >= b->at[j]) return 0;
        s += b->rate[j] * x[j];
        break;
      default:
        p *= 1 + (x[j] > b->at[j] ? b->rate[j] * (x[j] - b->at[j]) : 0);
    }
  return p * exp(s);
}

static inline int broken_point(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp;
  f[0] = broken_value(userdata, x);
  return 0;
}

static inline double broken_exact(const struct broken *b) {
  double p = 1;
  for (int j = 0; j < b->ndim; ++j) {
    const double u = b->at[j], c = b->rate[j];
    const double of_axis[break_kinds] = {(2 - exp(-c * u) - exp(-c * (1 - u))) / c, u + u * u * u / 3 + c * (1 - u),
                                         (exp(c * u) - 1) / c, 1 + c * (1 - u) * (1 - u) / 2};
    p *= of_axis[b->kind];
  }
  return p;
}

/* The body of double f(const double *x). */
static inline void broken_text(const struct broken *b, char *text, size_t bytes) {
  int n = snprintf(text, bytes, "double f(const double *x) {\n  double s = 0, p = 1;\n");
  for (int j = 0; j < b->ndim; ++j) {
    const double u = b->at[j], c = b->rate[j];
    static const char *const forms[break_kinds] = {
        "  s -= %.17g * fabs(x[%d] - %.17g);\n", "  p *= x[%2$d] < %3$.17g ? 1 + x[%2$d] * x[%2$d] : %1$.17g;\n",
        "  if (x[%2$d] >= %3$.17g) return 0;\n  s += %1$.17g * x[%2$d];\n",
        "  p *= 1 + (x[%2$d] > %3$.17g ? %1$.17g * (x[%2$d] - %3$.17g) : 0);\n"};
    n += snprintf(text + n, bytes - (size_t)n, forms[b->kind], c, j, u);
  }
  snprintf(text + n, bytes - (size_t)n, "  return p * exp(s);\n}\n");
}

#endif
