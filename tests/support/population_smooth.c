/* The analytic families of the population, those that are no posterior.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "cases.h"
#include "population_draw.h"
#include "population_exact.h"

static const double pi = 3.14159265358979323846;
static const double zeros[population_max_ndim] = {0}, ones[population_max_ndim] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

/* The exact integral from that in t; refused where digits were lost, or little is left of what is added. */
static int finish(struct draw *d, struct population_sum t) {
  if (!(fabsl(t.value) > 0.02L * t.magnitude)) return 0;
  d->instance->exact = (double)(t.value * d->volume);
  return isfinite(d->instance->exact) && fabs(d->instance->exact) > 1e-280;
}

static int finish_value(struct draw *d, long double t) { return finish(d, (struct population_sum){t, fabsl(t)}); }

/* ---- Genz's families, in a random box ---------------------------------------------------------------------------- */
/* Coefficients as Genz's; half of the time u at a drawn place. */
static struct genz draw_genz(struct draw *d, int family) {
  struct genz g;
  genz_make(family, d->ndim, splitmix64(&d->state), &g);
  if (draw_below(d, 2)) {
    const enum place place = draw_place(d);
    draw_at(d, place, g.u);
    population_say(d, "%s", place_name[place]);
  } else {
    population_say(d, "Genz");
  }
  draw_box(d);
  return g;
}

static void put_shapes(struct draw *d, const struct genz *g, int shape) {
  d->p->kind = POPULATION_SUM_OF_PRODUCTS;
  d->p->terms = 1;
  d->p->weight[0][0] = 1;
  for (int i = 0; i < d->ndim; ++i) {
    d->p->shape[0][i] = shape;
    d->p->a[0][i] = g->a[i];
    d->p->u[0][i] = g->u[i];
  }
}

static int finish_separable(struct draw *d) { return finish(d, population_separable(d->p, d->ndim, zeros, ones)); }

int make_oscillatory(struct draw *d) {
  const struct genz g = draw_genz(d, GENZ_OSCILLATORY);
  d->p->kind = POPULATION_RIDGE;
  d->p->variant = POPULATION_RIDGE_COS;
  d->p->c = 2 * pi * g.u[0];
  for (int i = 0; i < d->ndim; ++i) d->p->a[0][i] = g.a[i];
  return finish(d, population_ridge_integral(d->p, d->ndim));
}

int make_product_peak(struct draw *d) {
  const struct genz g = draw_genz(d, GENZ_PRODUCT_PEAK);
  put_shapes(d, &g, POPULATION_LORENTZ);
  for (int i = 0; i < d->ndim; ++i) d->p->weight[0][0] *= g.a[i] * g.a[i];
  return finish_separable(d);
}

int make_gaussian(struct draw *d) {
  const struct genz g = draw_genz(d, GENZ_GAUSSIAN);
  put_shapes(d, &g, POPULATION_GAUSS);
  return finish_separable(d);
}

int make_c0(struct draw *d) {
  const struct genz g = draw_genz(d, GENZ_C0);
  put_shapes(d, &g, POPULATION_KINK);
  return finish_separable(d);
}

/* The jump may be across the first two axes, as Genz has it, or across others or more. */
int make_discontinuous(struct draw *d) {
  const struct genz g = draw_genz(d, GENZ_DISCONTINUOUS);
  const int jumps = draw_below(d, 2) ? 2 : 1 + draw_below(d, d->ndim), first = draw_below(d, d->ndim);
  put_shapes(d, &g, POPULATION_EXP);
  for (int j = 0; j < jumps; ++j) {
    const int i = (first + j) % d->ndim;
    d->p->shape[0][i] = POPULATION_EXP_CUT;
    d->instance->occupied *= g.u[i];
    if (g.u[i] <= 0) return 0; /* nothing left */
  }
  population_say(d, " %d jumps", jumps);
  return finish_separable(d);
}

/* In any corner of the cube. */
int make_corner_peak(struct draw *d) {
  struct genz g;
  genz_make(GENZ_CORNER_PEAK, d->ndim, splitmix64(&d->state), &g);
  const int any = draw_below(d, 2);
  draw_box(d);
  d->p->kind = POPULATION_RIDGE;
  d->p->variant = POPULATION_RIDGE_POWER;
  d->p->p = any ? draw_log(d, 0.5, 2 * d->ndim) : d->ndim + 1;
  for (int i = 0; i < d->ndim; ++i) {
    d->p->u[0][i] = any ? draw_below(d, 2) : 0;
    d->p->a[0][i] = d->p->u[0][i] > 0 ? -g.a[i] : g.a[i];
  }
  population_say(d, any ? "any corner and power" : "Genz");
  return finish(d, population_ridge_integral(d->p, d->ndim));
}

/* ---- Waves and polynomials in a random direction ----------------------------------------------------------------- */
int make_plane_wave(struct draw *d) {
  double k[population_max_ndim];
  const int wave = draw_below(d, 3) > 0;
  const double length = wave ? draw_log(d, 1, 60) : draw_log(d, 0.5, 30);
  draw_direction(d, k);
  draw_box(d);
  d->p->kind = POPULATION_RIDGE;
  d->p->variant = wave ? POPULATION_RIDGE_COS : POPULATION_RIDGE_EXP;
  d->p->c = wave ? draw_uniform(d, -pi, pi) : 0;
  for (int i = 0; i < d->ndim; ++i) {
    d->p->a[0][i] = length * k[i];
    d->p->u[0][i] = 0.5;
  }
  population_say(d, "%s |k|=%.3g", wave ? "cos" : "exp", length);
  return finish(d, population_ridge_integral(d->p, d->ndim));
}

int make_polynomial(struct draw *d) {
  static const char *const name[] = {"random", "power", "Chebyshev"};
  const int way = draw_below(d, 3);
  int degree = 1 + draw_below(d, population_max_degree);
  double k[population_max_ndim], sum = 0, last[population_max_degree + 1] = {1}, *c = d->p->data;
  draw_direction(d, k);
  draw_box(d);
  d->p->kind = POPULATION_RIDGE;
  d->p->variant = POPULATION_RIDGE_POLY;
  for (int i = 0; i < d->ndim; ++i) sum += fabs(k[i]);
  for (int i = 0; i < d->ndim; ++i) { /* s from -1 to 1 */
    d->p->a[0][i] = 2 * k[i] / sum;
    d->p->u[0][i] = 0.5;
  }
  if (way == 0) {
    for (int m = 0; m <= degree; ++m) c[m] = draw_uniform(d, -1, 1);
  } else if (way == 1) { /* (q + s)^degree */
    const double q = draw_uniform(d, -1, 1);
    c[0] = 1;
    for (int m = 1; m <= degree; ++m)
      for (int j = m; j >= 0; --j) c[j] = q * c[j] + (j > 0 ? c[j - 1] : 0);
  } else {
    degree += degree % 2; /* the odd ones integrate to 0 */
    c[1] = 1;
    for (int m = 2; m <= degree; ++m)
      for (int j = m; j >= 0; --j) {
        const double next = (j > 0 ? 2 * c[j - 1] : 0) - last[j];
        last[j] = c[j];
        c[j] = next;
      }
  }
  population_say(d, "%s degree %d", name[way], degree);
  return finish(d, population_ridge_integral(d->p, d->ndim));
}

/* ---- Peaks of product form --------------------------------------------------------------------------------------- */
/* Limits in t: the unit cube, or in one of four cases infinite ranges, on each axis another kind or on all the same. */
static int draw_limits(struct draw *d, double *lower, double *upper) {
  if (draw_below(d, 4)) {
    draw_box(d);
    for (int i = 0; i < d->ndim; ++i) lower[i] = 0, upper[i] = 1;
    return 0;
  }
  const int all = draw_below(d, 5);
  for (int i = 0; i < d->ndim; ++i) {
    const int way = all < 3 ? all : draw_below(d, 4);
    lower[i] = way == 0 || way == 1 ? -INFINITY : 0;
    upper[i] = way == 0 || way == 2 ? INFINITY : 1;
  }
  draw_domain(d, lower, upper);
  return 1;
}

static const char *const shape_name[] = {"1", "Gauss", "Lorentz", "sech2", "sigmoid", "wave"};

/* The share of the domain in which a term is large, for the finite axes. */
static double share_of(const struct draw *d, int k, const double *lower, const double *upper) {
  double share = 1;
  for (int i = 0; i < d->ndim; ++i)
    if (isfinite(upper[i] - lower[i]))
      share *= fmin(
          1, (double)population_shape_integral(d->p->shape[k][i], d->p->a[k][i], d->p->u[k][i], lower[i], upper[i]));
  return share;
}

/* A sum of one to five peaks, each anywhere and of any width. */
int make_peaks(struct draw *d) {
  double lower[population_max_ndim], upper[population_max_ndim];
  const int infinite = draw_limits(d, lower, upper), shape = draw_below(d, 2) ? POPULATION_GAUSS : 1 + draw_below(d, 3);
  struct population_params *p = d->p;
  p->kind = POPULATION_SUM_OF_PRODUCTS;
  p->terms = draw_below(d, 2) ? 1 : 1 + draw_below(d, population_max_terms);
  population_say(d, "%d %s %s", p->terms, shape_name[shape], infinite ? "infinite" : "box");
  double least = 1;
  for (int k = 0; k < p->terms; ++k) {
    const enum place place = draw_place(d);
    const int same = draw_below(d, 2);
    double width = draw_log(d, infinite ? 0.02 : 1e-3, 1);
    draw_at(d, place, p->u[k]);
    p->weight[k][0] = draw_log(d, 0.1, 10);
    for (int i = 0; i < d->ndim; ++i) {
      if (!same) width = draw_log(d, infinite ? 0.02 : 1e-3, 1);
      p->shape[k][i] = shape;
      p->a[k][i] = 1 / width;
      if (k > 0) p->weight[k][0] *= p->a[k][i] / p->a[0][i]; /* so that all matter */
    }
    least = fmin(least, share_of(d, k, lower, upper));
    if (k == 0) population_say(d, " %s %s", place_name[place], same ? "round" : "flat");
  }
  d->instance->occupied = least;
  return finish(d, population_separable(p, d->ndim, lower, upper));
}

/* On each axis a sum of one to five shapes, and the product of these. */
int make_separable(struct draw *d) {
  double lower[population_max_ndim], upper[population_max_ndim], share = 1;
  const int infinite = draw_limits(d, lower, upper), shape = 1 + draw_below(d, infinite ? 3 : 5);
  struct population_params *p = d->p;
  const enum place place = draw_place(d);
  p->kind = POPULATION_PRODUCT_OF_SUMS;
  p->terms = 1 + draw_below(d, population_max_terms);
  population_say(d, "%d %s %s %s", p->terms, shape_name[shape], infinite ? "infinite" : "box", place_name[place]);
  for (int k = 0; k < p->terms; ++k) {
    draw_at(d, k ? place_random : place, p->u[k]);
    for (int i = 0; i < d->ndim; ++i) {
      p->shape[k][i] = shape;
      p->weight[k][i] = draw_uniform(d, 0.2, 1);
      p->a[k][i] = shape == POPULATION_WAVE      ? draw_log(d, 1, 40)
                   : shape == POPULATION_SIGMOID ? draw_sign(d) * draw_log(d, 1, 1000)
                                                 : 1 / draw_log(d, 0.01, 1);
    }
  }
  for (int i = 0; i < d->ndim && shape < POPULATION_SIGMOID; ++i) {
    double sum = 0;
    for (int k = 0; k < p->terms; ++k)
      sum += (double)population_shape_integral(shape, p->a[k][i], p->u[k][i], lower[i], upper[i]);
    if (isfinite(upper[i] - lower[i])) share *= fmin(1, sum);
  }
  d->instance->occupied = share;
  return finish(d, population_separable(p, d->ndim, lower, upper));
}

/* ---- Functions of r ---------------------------------------------------------------------------------------------- */
static double determinant(int n, const double *width) {
  double r = 1;
  for (int i = 0; i < n; ++i) r *= width[i];
  return r;
}

/* One wide direction and narrow others, one narrow and wide others, or any widths; the widest is 1. */
static void draw_widths(struct draw *d, double most_ratio, double *width) {
  const int way = draw_below(d, 3), odd = draw_below(d, d->ndim);
  const double ratio = draw_log(d, 1, most_ratio);
  for (int i = 0; i < d->ndim; ++i)
    width[i] = way == 0   ? (i == odd ? 1 : 1 / ratio)
               : way == 1 ? (i == odd ? 1 / ratio : 1)
                          : draw_log(d, 1 / ratio, 1);
  population_say(d, " %s 1:%.3g", way == 0 ? "needle" : way == 1 ? "sheet" : "any", ratio);
}

/* A box about the origin of t that reaches in each direction by 1 to 6 times what is needed: far more than `sigmas`
 * standard deviations of y, and `tails` for y_0. Rows of the matrix are those of y. */
static void draw_box_about(struct draw *d, const double *width, double sigmas, double tails) {
  double lower[population_max_ndim], upper[population_max_ndim];
  const int n = d->ndim, centred = draw_below(d, 3) == 0;
  const double room = draw_log(d, 1, 6);
  for (int i = 0; i < n; ++i) {
    double variance = 0;
    for (int k = 0; k < n; ++k) {
      const double column = d->p->matrix[k][i] * width[k] * width[k]; /* of the inverse */
      variance += column * column;
    }
    const double reach = sigmas * sqrt(variance) + tails * fabs(d->p->matrix[0][i]) * width[0] * width[0];
    lower[i] = -reach * (centred ? room : draw_log(d, 1, 6));
    upper[i] = reach * (centred ? room : draw_log(d, 1, 6));
    d->instance->occupied *= fmin(1, 2.5 * width[i] / (upper[i] - lower[i]));
  }
  if (centred) population_say(d, " centred");
  draw_domain(d, lower, upper);
}

/* On R^n the library's map has the length 1. */
static void draw_space_about(struct draw *d, const double *width) {
  draw_space(d);
  for (int i = 0; i < d->ndim; ++i) d->instance->occupied *= fmin(1, 1.25 * width[i] / d->p->scale[i]);
}

static int finish_radial(struct draw *d, const double *width) {
  return finish_value(d, population_radial_integral(d->p, d->ndim) * determinant(d->ndim, width));
}

/* Gaussians at any angle to the axes, some of them with a front that is steep but smooth. Outside of the box there
 * is less than 1e-12 of them. */
int make_ridge(struct draw *d) {
  double width[population_max_ndim];
  const int infinite = draw_below(d, 3) == 0, front = draw_below(d, 3) == 0;
  population_say(d, "%s%s", infinite ? "space" : "box", front ? " front" : "");
  draw_widths(d, 100, width);
  draw_matrix(d, 1, width);
  d->p->kind = POPULATION_RADIAL;
  d->p->variant = front ? POPULATION_RADIAL_ERFC : POPULATION_RADIAL_GAUSS;
  if (front) {
    const double steep = draw_log(d, 0.5, 50);
    draw_direction(d, d->p->a[0]);
    for (int i = 0; i < d->ndim; ++i) d->p->a[0][i] *= steep;
    d->p->c = steep * draw_uniform(d, -0.5, 1.5);
  }
  if (infinite)
    draw_space_about(d, width);
  else
    draw_box_about(d, width, 7.5, 0);
  return finish_radial(d, width);
}

/* The same with a jump across a plane at an angle, or a crease along one. */
int make_half_space(struct draw *d) {
  double width[population_max_ndim];
  const int infinite = draw_below(d, 3) == 0, crease = draw_below(d, 2);
  population_say(d, "%s %s", infinite ? "space" : "box", crease ? "crease" : "jump");
  draw_widths(d, 20, width);
  draw_matrix(d, 1, width);
  d->p->kind = POPULATION_RADIAL;
  d->p->variant = crease ? POPULATION_RADIAL_CREASE : POPULATION_RADIAL_HALF_SPACE;
  if (!crease) {
    draw_direction(d, d->p->a[0]);
    d->p->c = draw_below(d, 2) ? 0 : draw_uniform(d, -1, 1);
  }
  if (infinite)
    draw_space_about(d, width);
  else
    draw_box_about(d, width, 7.5, crease ? 30 : 0);
  return finish_radial(d, width);
}

/* Round peaks with long tails in a box. */
int make_radial(struct draw *d) {
  const enum place place = draw_place(d);
  const int n = d->ndim, same = draw_below(d, 2);
  double width = draw_log(d, 1e-3, 1), share = 1, inverse[population_max_ndim];
  draw_box(d);
  draw_at(d, place, d->p->centre);
  d->p->kind = POPULATION_RADIAL;
  d->p->variant = POPULATION_RADIAL_POWER;
  d->p->p = draw_below(d, 2) ? 0.5 * (n + 1) : draw_log(d, 0.5, n + 2);
  for (int i = 0; i < n; ++i) {
    if (!same) width = draw_log(d, 1e-3, 1);
    d->p->matrix[i][i] = inverse[i] = 1 / width;
    share *= fmin(1, 3 * width);
  }
  if (d->p->p > 0.4 * n) d->instance->occupied = share;
  population_say(d, "power %.3g %s %s", d->p->p, place_name[place], same ? "round" : "flat");
  return finish_value(d, population_radial_power(inverse, d->p->centre, d->p->p, n));
}

/* Student's t distribution, rotated, on R^n. */
int make_student(struct draw *d) {
  double width[population_max_ndim];
  const double nu = draw_below(d, 2) ? 1 + draw_below(d, 5) : draw_log(d, 0.8, 30);
  const int rotated = draw_below(d, 4) > 0;
  population_say(d, "nu %.3g%s", nu, rotated ? " rotated" : "");
  draw_widths(d, 30, width);
  draw_matrix(d, rotated, width);
  draw_space(d);
  d->p->kind = POPULATION_RADIAL;
  d->p->variant = POPULATION_RADIAL_POWER;
  d->p->p = 0.5 * (nu + d->ndim);
  return finish_radial(d, width);
}

/* ---- Bent Gaussians ---------------------------------------------------------------------------------------------- */
/* exp(-sum a_i z_i^2) with z_0 = y_0 - c and z_i = y_i - p y_j^2, j before i: each integral from the last to the
 * first is one over all numbers, or over all that matter. */
int make_warped(struct draw *d) {
  static const char *const name[] = {"pairs", "fan", "chain"};
  const int n = d->ndim, way = draw_below(d, 4);
  double lower[population_max_ndim], upper[population_max_ndim], reach = 0;
  struct population_params *p = d->p;
  long double value = 1;
  p->kind = POPULATION_WARPED;
  p->variant = draw_below(d, 3);
  p->p = draw_below(d, 2) ? 1 : draw_log(d, 0.1, 2);
  p->c = draw_below(d, 2) ? 1 : 0;
  const double narrow = draw_log(d, 1, 100);
  for (int i = 0; i < n; ++i) {
    lower[i] = -INFINITY;
    upper[i] = INFINITY;
    p->a[0][i] = i == 0 || (p->variant == POPULATION_WARP_PAIRS && i % 2 == 0) ? 1 : narrow;
  }
  if (way == 0) draw_matrix(d, 1, ones);
  if (way == 1 || way == 3) lower[0] = draw_uniform(d, -1, 1);
  if (way == 2) upper[0] = draw_uniform(d, -1, 1);
  if (way == 3) { /* a finite box, cut off across the valley in the first variable alone */
    upper[0] = lower[0] + draw_log(d, 0.5, 4);
    for (int i = 0; i < n; ++i) {
      const double tail = 7.5 / sqrt(2 * p->a[0][i]);
      if (i > 0) {
        const int bent = p->variant != POPULATION_WARP_PAIRS || i % 2 == 1;
        const int from = p->variant == POPULATION_WARP_FAN ? 0 : i - 1;
        const double square = bent ? fmax(lower[from] * lower[from], upper[from] * upper[from]) : 0;
        lower[i] = -tail;
        upper[i] = tail + p->p * square;
      }
      reach = fmax(reach, upper[i]);
    }
    if (reach > 100) return 0; /* a long chain */
  }
  population_say(d, "%s %s 1:%.3g", name[p->variant], way == 0 ? "rotated" : way == 3 ? "box" : "half space", narrow);
  draw_domain(d, lower, upper);
  for (int i = 0; i < n; ++i)
    value *= i ? sqrtl((long double)pi / p->a[0][i])
               : population_shape_integral(POPULATION_GAUSS, sqrt(p->a[0][0]), p->c, lower[0], upper[0]);
  return finish_value(d, value);
}
