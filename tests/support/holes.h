/* exp(-c x) with a jump at one coordinate of an axis, or without, or a constant, and a slab across another axis in which it is not finite; drawn by seed.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESSERA_TESTS_HOLES_H
#define TESSERA_TESTS_HOLES_H

#include <math.h>
#include <stdio.h>

#include "cases.h"

enum { hole_most_ndim = 6 };
enum hole_beside { beside_jump, beside_kink, beside_exponential, beside_constant, hole_kinds };

struct holed {
  int kind, ndim, across, hole_across, infinite;
  double at, lower, upper, rate[hole_most_ndim];
};

static inline struct holed draw_holed(int kind, int ndim, uint64_t *seed) {
  struct holed h = {.kind = kind, .ndim = ndim};
  for (int j = 0; j < ndim; ++j) h.rate[j] = kind == beside_constant ? 0 : 2 * splitmix_uniform(seed);
  h.across = (int)(ndim * splitmix_uniform(seed));
  h.hole_across = (h.across + 1 + (int)((ndim - 1) * splitmix_uniform(seed))) % ndim;
  h.infinite = splitmix_uniform(seed) < 0.3;
  h.at = 0.1 + 0.8 * splitmix_uniform(seed);
  h.lower = 0.05 + 0.9 * splitmix_uniform(seed);
  h.upper = h.lower + 0.003 + 0.001 * splitmix_uniform(seed);
  return h;
}

static inline int is_in_hole(const struct holed *h, const double *x) {
  return x[h->hole_across] > h->lower && x[h->hole_across] < h->upper;
}

static inline double holed_value(const struct holed *h, const double *x) {
  double s = 0;
  if (is_in_hole(h, x)) return h->infinite ? (double)INFINITY : (double)NAN;
  for (int j = 0; j < h->ndim; ++j) s += h->rate[j] * x[j];
  return exp(-s) + (h->kind == beside_jump && x[h->across] > h->at ? 1 : 0) +
         (h->kind == beside_kink ? fabs(x[h->across] - h->at) : 0);
}

/* The body of double f(const double *x). */
static inline void holed_text(const struct holed *h, char *text, size_t bytes) {
  int n =
      snprintf(text, bytes, "double f(const double *x) {\n  if (x[%d] > %.17g && x[%d] < %.17g) return %s;\n",
               h->hole_across, h->lower, h->hole_across, h->upper, h->infinite ? "1 / (0 * x[0])" : "sqrt(-1 - x[0])");
  n += snprintf(text + n, bytes - (size_t)n, "  double s = 0;\n");
  for (int j = 0; j < h->ndim; ++j)
    n += snprintf(text + n, bytes - (size_t)n, "  s += %.17g * x[%d];\n", h->rate[j], j);
  const char *const form = h->kind == beside_jump   ? "  return exp(-s) + (x[%d] > %.17g ? 1 : 0);\n}\n"
                           : h->kind == beside_kink ? "  return exp(-s) + fabs(x[%d] - %.17g);\n}\n"
                                                    : "  return exp(-s) + 0 * (x[%d] - %.17g);\n}\n";
  snprintf(text + n, bytes - (size_t)n, form, h->across, h->at);
}

/* The point that a sentence names, "x = (a, b, ...)". Returns how many coordinates it has. */
static inline int point_in(const char *sentence, double *x) {
  const char *at = strstr(sentence, "x = (");
  int n = 0, read = 0;
  for (at = at ? at + 5 : ""; n < hole_most_ndim && sscanf(at, "%lf%n", &x[n], &read) == 1; ++n) {
    at += read;
    while (*at == ',' || *at == ' ') ++at;
  }
  return n;
}

#endif
