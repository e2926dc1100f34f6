/* The population itself: exact values against nested one-dimensional quadrature, which knows the integrand alone. With arguments:
 * NDIM SEED PER [FAMILY]: as many instances as wanted, printed.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "close.h"
#include "population.h"
#include "population_exact.h"
#include "solve.h"

/* One variable after another; features are met by pieces that end there, the rest by bisection. */
struct nested {
  const struct population_instance *p;
  int axis;
  double *x, bound;
};

static double inner(double z, const void *data);

/* Where the last variable crosses a plane or a sphere while the others stay: up to two places in t. */
static int crossings(const struct nested *q, double *t) {
  const struct population_params *p = &q->p->params;
  const int n = q->p->ndim, last = n - 1;
  double s = 0, slope = 0, a = 0, b = 0, c = -1;
  if (q->axis != last || (p->kind != POPULATION_RIDGE && p->kind != POPULATION_RADIAL)) return 0;
  for (int i = 0; i < n; ++i) {
    double y = -p->matrix[i][last] * p->centre[last], m = p->matrix[i][last];
    for (int j = 0; j < last; ++j) y += p->matrix[i][j] * ((q->x[j] - p->origin[j]) * p->scale[j] - p->centre[j]);
    a += m * m;
    b += 2 * m * y;
    c += y * y;
    if (p->kind == POPULATION_RIDGE) {
      s += p->a[0][i] * ((i < last ? (q->x[i] - p->origin[i]) * p->scale[i] : 0) - p->u[0][i]);
      slope = p->a[0][last];
    } else {
      const double k = p->variant == POPULATION_RADIAL_CREASE ? i == 0 : p->a[0][i];
      s += k * y;
      slope += k * m;
    }
  }
  if (p->kind == POPULATION_RIDGE || p->variant == POPULATION_RADIAL_HALF_SPACE || p->variant == POPULATION_RADIAL_CREASE) {
    t[0] = (p->c - s) / slope;
    return slope != 0;
  }
  const double root = b * b - 4 * a * c;
  if (root < 0) return 0;
  t[0] = (-b - sqrt(root)) / (2 * a);
  t[1] = (-b + sqrt(root)) / (2 * a);
  return 2;
}

/* On an infinite axis the variable is z, -1 < z < 1: x = from + h z/(1-|z|)^2. The library's map is another. */
static double infinite_from(const struct nested *q) {
  const double lower = q->p->lower[q->axis], upper = q->p->upper[q->axis];
  return isfinite(lower) ? lower : isfinite(upper) ? upper : q->p->params.origin[q->axis];
}

static double z_of(double w) {
  const double v = fabs(w);
  return v == 0 ? 0 : copysign((2 * v + 1 - sqrt(4 * v + 1)) / (2 * v), w);
}

/* Ends of pieces: where shapes have their places, the middle of what is round, planes and spheres, and equal steps. */
static int ends_of(const struct nested *q, double lower, double upper, int infinite, double *end) {
  const struct population_instance *p = q->p;
  const double origin = p->params.origin[q->axis], h = 1 / p->params.scale[q->axis];
  const int steps = infinite ? 128 : 8;
  double t[population_max_terms + 3];
  int n = crossings(q, t), ends = 0;
  if (p->params.kind <= POPULATION_ADDITIVE)
    for (int k = 0; k < p->params.terms; ++k) t[n++] = p->params.u[k][q->axis];
  t[n++] = p->params.centre[q->axis];
  end[ends++] = lower;
  for (int j = 1; j < steps + n; ++j) {
    double e = lower + (upper - lower) * j / steps;
    if (j >= steps) {
      e = origin + h * t[j - steps];
      if (infinite) e = z_of((e - infinite_from(q)) / h);
    }
    if (!(e > lower && e < upper)) continue;
    int k = ends++;
    for (; k > 1 && end[k - 1] > e; --k) end[k] = end[k - 1];
    end[k] = e;
  }
  end[ends] = upper;
  return ends;
}

static double along(struct nested q) {
  double lower = q.p->lower[q.axis], upper = q.p->upper[q.axis], end[population_max_terms + 140], sum = 0;
  const int infinite = !isfinite(upper - lower);
  if (infinite) {
    lower = isfinite(lower) ? 0 : -1;
    upper = isfinite(upper) ? 0 : 1;
  }
  const int ends = ends_of(&q, lower, upper, infinite, end);
  for (int k = 0; k < ends; ++k) sum += population_quadrature_to(inner, &q, end[k], end[k + 1], q.bound / ends);
  return sum;
}

static double inner(double z, const void *data) {
  struct nested q = *(const struct nested *)data;
  const double lower = q.p->lower[q.axis], upper = q.p->upper[q.axis], h = 1 / q.p->params.scale[q.axis];
  double weight = 1, f = 0;
  if (isfinite(upper - lower)) {
    q.x[q.axis] = z;
  } else {
    const double rest = 1 - fabs(z);
    q.x[q.axis] = infinite_from(&q) + h * z / (rest * rest);
    weight = h * (1 + fabs(z)) / (rest * rest * rest);
  }
  if (q.axis + 1 < q.p->ndim) {
    ++q.axis;
    q.bound /= 10 * weight * (isfinite(upper - lower) ? upper - lower : 2);
    return weight * along(q);
  }
  population_f(q.p->ndim, q.x, 1, &f, (void *)&q.p->params);
  return f == 0 ? 0 : weight * f;
}

static double brute_force(const struct population_instance *p, double tolerance) {
  double x[population_max_ndim];
  return along((struct nested){p, 0, x, tolerance * fabs(p->exact)});
}

static int print_many(int ndim, uint64_t base, int per, int only, double tolerance) {
  int wrong = 0;
  for (int f = 0; f < population_family_count; ++f) {
    double worst = 0;
    for (int i = 0; i < per && (only < 0 || only == f); ++i) {
      struct population_instance p;
      if (population_make(f, ndim, population_seed(base, f, ndim, i), &p) != 0) break;
      const double value = brute_force(&p, tolerance), error = fabs(value / p.exact - 1);
      worst = fmax(worst, error);
      if (error <= 100 * tolerance) continue;
      ++wrong;
      printf("%s %d-D seed %llu (%s): %.15g, exact %.15g, %.2g\n", population_families[f].name, ndim,
             (unsigned long long)p.seed, p.variant, value, p.exact, error);
    }
    if (only < 0 || only == f) printf("%-14s %d-D %d instances, worst %.2g\n", population_families[f].name, ndim, per, worst);
    fflush(stdout);
  }
  return wrong;
}

int main(int argc, char **argv) {
  if (argc > 3)
    return print_many(atoi(argv[1]), strtoull(argv[2], NULL, 10), atoi(argv[3]), argc > 4 ? population_find(argv[4]) : -1,
                      argc > 5 ? atof(argv[5]) : 1e-11) > 0;
  return 0;
}
