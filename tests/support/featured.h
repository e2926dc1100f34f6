/* Something beside exp(-k x) on the unit cube: a ball, a cube, a Gauss peak or a cone, anywhere in it; drawn by seed.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESSERA_TESTS_FEATURED_H
#define TESSERA_TESTS_FEATURED_H

#include <math.h>

#include "cases.h"

enum { featured_most_ndim = 6 };
enum feature { ball, cube, gaussian, cone, features };

/* exp(-k x) on the unit cube, and a feature with 0.4 to 4 percent of the volume and 3 to 30 percent of what the rest has. */
struct featured {
  enum feature feature;
  double rate[featured_most_ndim], centre[featured_most_ndim], radius, height, exact;
};

static inline double unit_ball(int n) { return pow(acos(-1.0), n / 2.0) / tgamma(n / 2.0 + 1); }

static inline struct featured draw_featured(enum feature feature, int n, uint64_t *seed) {
  struct featured p = {.feature = feature, .exact = 1};
  for (int j = 0; j < n; ++j) {
    p.rate[j] = 0.3 + 2 * splitmix_uniform(seed);
    p.exact *= (1 - exp(-p.rate[j])) / p.rate[j];
  }
  const double volume = 0.004 * pow(10, splitmix_uniform(seed)),
               mass = p.exact * 0.03 * pow(10, splitmix_uniform(seed)), radius = pow(volume / unit_ball(n), 1.0 / n);
  p.radius = feature == cube ? pow(volume, 1.0 / n) / 2 : feature == gaussian ? radius / 2 : radius;
  p.height =
      feature == gaussian ? mass / pow(sqrt(acos(-1.0)) * p.radius, n) : mass / volume * (feature == cone ? n + 1 : 1);
  double least = feature == gaussian ? 0.15 + 2 * p.radius : p.radius, inside = 1;
  if (least > 0.49) least = 0.49;
  for (int j = 0; j < n; ++j) {
    p.centre[j] = least + (1 - 2 * least) * splitmix_uniform(seed);
    if (feature == gaussian) inside *= (erf((1 - p.centre[j]) / p.radius) + erf(p.centre[j] / p.radius)) / 2;
  }
  p.exact += mass * inside;
  return p;
}

static inline int featured_value(int n, const double *x, int ncomp, double *v, void *userdata) {
  const struct featured *p = userdata;
  double s = 0, r = 0, widest = 0;
  (void)ncomp;
  for (int j = 0; j < n; ++j) {
    const double d = fabs(x[j] - p->centre[j]);
    s += p->rate[j] * x[j];
    r += d * d;
    widest = fmax(widest, d);
  }
  v[0] = exp(-s);
  r = sqrt(r) / p->radius;
  if (p->feature == gaussian)
    v[0] += p->height * exp(-r * r);
  else if (p->feature == cube ? widest < p->radius : r < 1)
    v[0] += p->height * (p->feature == cone ? 1 - r : 1);
  return 0;
}

#endif
