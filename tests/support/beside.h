/* A constant or a polynomial of low degree, and a ball somewhere in [0, 1]^ndim in which there is more.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESSERA_TEST_BESIDE_H
#define TESSERA_TEST_BESIDE_H
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "cases.h"

enum { most_ndim = 7 };
enum background { constant, linear, quadratic, backgrounds };
static const char *const background_names[] = {"a constant", "a linear function", "a quadratic one"};

struct beside {
  enum background background;
  double centre[most_ndim], radius, height;
};

static inline double beside_value(const struct beside *p, int n, const double *x) {
  double s = 0, r = 0;
  for (int j = 0; j < n; ++j) {
    s += x[j];
    r += (x[j] - p->centre[j]) * (x[j] - p->centre[j]);
  }
  return (p->background == constant ? 1
          : p->background == linear ? 1 + s
                                    : s * s) +
         (r < p->radius * p->radius ? p->height : 0);
}

static inline double volume_of_ball(int n, double radius) {
  return pow(sqrt(acos(-1.0)) * radius, n) / tgamma(n / 2.0 + 1);
}
static inline double of_background(enum background b, int n) {
  return b == constant ? 1 : b == linear ? 1 + n / 2.0 : n / 12.0 + n * n / 4.0;
}
static inline double beside_exact(const struct beside *p, int n) {
  return of_background(p->background, n) + p->height * volume_of_ball(n, p->radius);
}

/* A ball that has 0.4 to 4 percent of the domain, anywhere in it, and 1.6 to 16 percent of the integral. */
static inline struct beside draw_beside(enum background background, int n, uint64_t *seed) {
  struct beside p = {.background = background};
  const double volume = 0.004 * pow(10, splitmix_uniform(seed));
  p.radius = pow(volume * tgamma(n / 2.0 + 1), 1.0 / n) / sqrt(acos(-1.0));
  p.height = 4 * of_background(background, n);
  for (int j = 0; j < n; ++j) p.centre[j] = p.radius + (1 - 2 * p.radius) * splitmix_uniform(seed);
  return p;
}

/* The same as a text in C. */
static inline void beside_text(const struct beside *p, int n, char *text, size_t size) {
  static const char *const sums[] = {"1", "1 + s", "s * s"};
  int at = snprintf(text, size,
                    "int f(int ndim, const double *x, int ncomp, double *f, const void *params) {\n"
                    "  double s = 0, r = 0;\n");
  for (int j = 0; j < n && at < (int)size; ++j)
    at += snprintf(text + at, size - (size_t)at, "  s += x[%d];\n  r += (x[%d] - %.17g) * (x[%d] - %.17g);\n", j, j,
                   p->centre[j], j, p->centre[j]);
  snprintf(text + at, size - (size_t)at, "  f[0] = %s + (r < %.17g ? %.17g : 0.0);\n  return 0;\n}\n",
           sums[p->background], p->radius * p->radius, p->height);
}
#endif
