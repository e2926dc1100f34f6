/* Two normal densities far apart, over ranges that are infinite, half-infinite, or every second one finite; drawn by seed. Their integral is 1.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESSERA_TESTS_MIXTURES_H
#define TESSERA_TESTS_MIXTURES_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cases.h"

enum { mixture_most_ndim = 6, mixture_modes = 2 };
enum mixture_range { everywhere, above_zero, every_second_finite, mixture_ranges };

struct mixture {
  enum mixture_range range;
  int ndim;
  double centre[mixture_modes][mixture_most_ndim], width[mixture_modes], weight[mixture_modes];
};

static inline double normal_draw(uint64_t *seed) {
  const double size = sqrt(-2 * log(1 - splitmix_uniform(seed)));
  return size * cos(2 * acos(-1.0) * splitmix_uniform(seed));
}

/* least ... most: how far apart they are, in widths of the first. */
static inline struct mixture draw_mixture(enum mixture_range range, int ndim, double least, double most,
                                          uint64_t *seed) {
  struct mixture m;
  memset(&m, 0, sizeof m);
  m.range = range;
  m.ndim = ndim;
  const double unit = pow(10, -1 + 2 * splitmix_uniform(seed)),
               apart = unit * least * pow(most / least, splitmix_uniform(seed));
  double way[mixture_most_ndim], length = 0;
  for (int j = 0; j < ndim; ++j) {
    way[j] = range == every_second_finite && j % 2 == 1 ? 0 : normal_draw(seed);
    length += way[j] * way[j];
  }
  for (int k = 0; k < mixture_modes; ++k) m.width[k] = k == 0 ? unit : unit * (0.5 + splitmix_uniform(seed));
  for (int j = 0; j < ndim; ++j) {
    m.centre[0][j] = 2 * unit * normal_draw(seed);
    m.centre[1][j] = m.centre[0][j] + apart * way[j] / sqrt(length);
    if (range == above_zero) /* so far that next to nothing lies below 0 */
      for (int k = 0; k < mixture_modes; ++k) m.centre[k][j] = fabs(m.centre[k][j]) + 8 * m.width[k];
  }
  m.weight[0] = 0.1 + 0.8 * splitmix_uniform(seed);
  m.weight[1] = 1 - m.weight[0];
  return m;
}

static inline void mixture_limits(const struct mixture *m, double *lower, double *upper) {
  for (int j = 0; j < m->ndim; ++j) {
    const int finite = m->range == every_second_finite && j % 2 == 1;
    lower[j] = finite || m->range == above_zero ? 0 : -(double)INFINITY;
    upper[j] = finite ? 1 : (double)INFINITY;
  }
}

/* On a finite axis the density is 1. */
static inline double mixture_density(const struct mixture *m, const double *x, int k) {
  double q = 0, volume = 1;
  for (int j = 0; j < m->ndim; ++j) {
    if (m->range == every_second_finite && j % 2 == 1) continue;
    const double d = (x[j] - m->centre[k][j]) / m->width[k];
    q += d * d;
    volume *= m->width[k] * sqrt(2 * acos(-1.0));
  }
  return exp(-0.5 * q) / volume;
}

static inline int mixture_value(int n, const double *x, int ncomp, double *v, void *userdata) {
  const struct mixture *m = (const struct mixture *)userdata;
  (void)n;
  v[0] = 0;
  for (int k = 0; k < mixture_modes; ++k) v[0] += m->weight[k] * mixture_density(m, x, k);
  for (int c = 1; c < ncomp; ++c) v[c] = mixture_density(m, x, c - 1); /* the single ones */
  return 0;
}

/* The body of double f(const double *x). */
static inline void mixture_text(const struct mixture *m, char *text, size_t bytes) {
  int n = snprintf(text, bytes, "double f(const double *x) {\n  double q, s = 0;\n");
  for (int k = 0; k < mixture_modes; ++k) {
    n += snprintf(text + n, bytes - (size_t)n, "  q = 0;\n");
    double volume = 1;
    for (int j = 0; j < m->ndim; ++j) {
      if (m->range == every_second_finite && j % 2 == 1) continue;
      n += snprintf(text + n, bytes - (size_t)n, "  q += (x[%d] - %.17g) * (x[%d] - %.17g);\n", j, m->centre[k][j], j,
                    m->centre[k][j]);
      volume *= m->width[k] * sqrt(2 * acos(-1.0));
    }
    n += snprintf(text + n, bytes - (size_t)n, "  s += %.17g * exp(-q * %.17g);\n", m->weight[k] / volume,
                  0.5 / (m->width[k] * m->width[k]));
  }
  snprintf(text + n, bytes - (size_t)n, "  return s;\n}\n");
}

#endif
