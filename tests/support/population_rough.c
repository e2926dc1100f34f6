/* The families of the population that have jumps and kinks, but for Genz's two and the half-spaces
 * (population_smooth.c).
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "population_draw.h"
#include "population_exact.h"

static const double zeros[population_max_ndim] = {0}, ones[population_max_ndim] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

/* `most_loss`: how much larger the added terms may be than their sum; they are good to 19 digits. */
static int finish(struct draw *d, struct population_sum t, double most_loss) {
  if (!(fabsl(t.value) * most_loss > t.magnitude)) return 0;
  d->instance->exact = (double)(t.value * d->volume);
  return isfinite(d->instance->exact);
}

/* ---- Along the axes ---------------------------------------------------------------------------------------------- */
/* A sum over the axes, or a product. */
static int along_axes(struct draw *d, int shape, double power) {
  struct population_params *p = d->p;
  const int product = draw_below(d, 2), signs = !product && draw_below(d, 2);
  const enum place place = draw_place(d);
  draw_box(d);
  draw_at(d, place, p->u[0]);
  draw_at(d, draw_place(d), p->u[1]);
  p->kind = product ? POPULATION_PRODUCT_OF_SUMS : POPULATION_ADDITIVE;
  p->terms = 1 + draw_below(d, 2);
  p->c = product ? 0 : draw_below(d, 2) ? 1 : 0;
  const int constant = product && draw_below(d, 2); /* 1 + ... on each axis */
  for (int i = 0; i < d->ndim; ++i) {
    for (int k = 0; k < p->terms; ++k) {
      p->shape[k][i] = shape;
      p->a[k][i] = power;
      p->weight[k][i] = draw_uniform(d, 0.2, 1) * (signs ? draw_sign(d) : 1);
    }
    if (constant) {
      p->shape[p->terms][i] = POPULATION_ONE;
      p->weight[p->terms][i] = 1;
    }
  }
  population_say(d, " %s%s %s", product ? "product" : "sum", constant ? " and 1" : "", place_name[place]);
  p->terms += constant;
  for (int i = 0; i < d->ndim && product && !constant && shape == POPULATION_STEP; ++i)
    d->instance->occupied *= 1 - fmin(p->u[0][i], p->terms > 1 ? p->u[1][i] : 1);
  return finish(d, population_separable(p, d->ndim, zeros, ones), 20);
}

int make_powers(struct draw *d) {
  static const double powers[] = {0.5, 1, 3};
  const double power = powers[draw_below(d, 3)];
  population_say(d, "power %.1f", power);
  return along_axes(d, POPULATION_POWER, power);
}

int make_steps(struct draw *d) {
  population_say(d, "steps");
  return along_axes(d, POPULATION_STEP, 1);
}

/* ---- Across planes ----------------------------------------------------------------------------------------------- */
/* s from 0 to 1, the cut where the drawn place has it. */
static void draw_plane(struct draw *d) {
  static const char *const name[] = {"any direction", "diagonal", "few axes"};
  struct population_params *p = d->p;
  const int way = draw_below(d, 3), n = d->ndim, axes = 2 + draw_below(d, n - 1), first = draw_below(d, n);
  const enum place place = draw_place(d);
  double through[population_max_ndim], sum = 0;
  draw_box(d);
  p->kind = POPULATION_RIDGE;
  for (int i = 0; i < n; ++i) {
    const double size = draw_uniform(d, 0.2, 1.2);
    p->a[0][i] = draw_sign(d) * (way == 1 ? 1 : size);
    if (way == 2 && (i - first + n) % n >= axes) p->a[0][i] = 0;
    p->u[0][i] = p->a[0][i] < 0 ? 1 : 0;
    sum += fabs(p->a[0][i]);
  }
  draw_at(d, place, through);
  for (int i = 0; i < n; ++i) {
    p->a[0][i] /= sum;
    p->c += p->a[0][i] * (through[i] - p->u[0][i]);
  }
  population_say(d, "%s %s", name[way], place_name[place]);
}

static int finish_plane(struct draw *d) {
  if (!(d->p->c > 0.15 && d->p->c < 0.85)) return 0; /* not just a corner */
  return finish(d, population_ridge_integral(d->p, d->ndim), 1e7);
}

int make_plane_kink(struct draw *d) {
  static const int variants[] = {POPULATION_RIDGE_ABS, POPULATION_RIDGE_SQUARE, POPULATION_RIDGE_EXP_ABS};
  static const char *const name[] = {"|.| ", "square ", "exp "};
  const int way = draw_below(d, 3);
  population_say(d, "%s", name[way]);
  draw_plane(d);
  d->p->variant = variants[way];
  d->p->p = draw_log(d, 0.5, 10);
  return finish_plane(d);
}

int make_plane_step(struct draw *d) {
  const int way = draw_below(d, 2);
  population_say(d, way ? "exp " : "");
  draw_plane(d);
  d->p->variant = way ? POPULATION_RIDGE_STEP_EXP : POPULATION_RIDGE_STEP;
  d->p->p = draw_log(d, 0.5, 10);
  return finish_plane(d);
}

/* ---- Balls and ellipsoids ---------------------------------------------------------------------------------------- */
/* Half-axes and centre, in the unit cube of t. Without rotation the centre may be on faces, each of which halves the
 * ball. */
static long double draw_ellipsoid(struct draw *d, int rotated, int halves) {
  const int n = d->ndim, round = draw_below(d, 3) == 0, touches = draw_below(d, 3) == 0;
  const enum place place = draw_place(d);
  double radius[population_max_ndim], reach[population_max_ndim] = {0}, most = 0;
  long double share = 1;
  for (int k = 0; k < n; ++k) radius[k] = round ? 1 : draw_log(d, 0.2, 1);
  draw_matrix(d, rotated, radius);
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < n; ++k) {
      const double column = d->p->matrix[k][i] * radius[k] * radius[k];
      reach[i] += column * column;
    }
    reach[i] = sqrt(reach[i]);
    most = fmax(most, reach[i]);
  }
  const double size = (touches ? 0.5 : draw_uniform(d, 0.25, 0.5)) / most;
  draw_at(d, place, d->p->centre);
  for (int i = 0; i < n; ++i) {
    double *u = &d->p->centre[i];
    reach[i] *= size;
    radius[i] *= size;
    const double room = reach[i] * (1 + 1e-12); /* not one bit outside */
    if (halves && (*u == 0 || *u == 1))
      share /= 2;
    else if (reach[i] >= 0.5)
      *u = 0.5;
    else
      *u = fmin(fmax(*u, room), 1 - room);
    for (int j = 0; j < n; ++j) d->p->matrix[i][j] /= size;
    share *= radius[i];
  }
  population_say(d, "%s %s %s",
                 rotated ? "rotated"
                 : round ? "ball"
                         : "ellipsoid",
                 place_name[place], touches ? "touching " : "");
  return share;
}

int make_ball(struct draw *d) {
  static const int variants[] = {POPULATION_RADIAL_BALL,       POPULATION_RADIAL_BALL,     POPULATION_RADIAL_BALL,
                                 POPULATION_RADIAL_BALL_GAUSS, POPULATION_RADIAL_BALL_EXP, POPULATION_RADIAL_CAP,
                                 POPULATION_RADIAL_CAP,        POPULATION_RADIAL_ABS};
  static const char *const name[] = {"1", "1", "hole ", "Gauss", "exp", "root", "cap", "|r2-1|"};
  const int way = draw_below(d, 8), rotated = draw_below(d, 2);
  struct population_params *p = d->p;
  p->kind = POPULATION_RADIAL;
  p->variant = variants[way];
  draw_box(d);
  const long double share = draw_ellipsoid(d, rotated, !rotated && p->variant != POPULATION_RADIAL_BALL_EXP);
  population_say(d, "%s", name[way]);
  p->p = way == 2 ? 1 : way == 5 ? 0.5 : way == 6 ? 1 : 0;
  p->q = way == 2 ? draw_uniform(d, -0.9, 3) : way == 3 ? draw_log(d, 0.3, 5) : 1;
  if (p->variant == POPULATION_RADIAL_BALL_EXP) {
    const double length = draw_log(d, 0.5, 5);
    draw_direction(d, p->a[0]);
    for (int i = 0; i < d->ndim; ++i) p->a[0][i] *= length;
  }
  long double value = share * population_radial_integral(p, d->ndim), magnitude = 0;
  if (way != 2 && way != 7) d->instance->occupied = (double)fminl(1, value);
  if (p->variant == POPULATION_RADIAL_BALL) {
    value = p->p + p->q * value;
  } else if (p->variant == POPULATION_RADIAL_ABS) { /* |r^2 - 1| = r^2 - 1 + 2 max(1 - r^2, 0) */
    struct population_params cap = *p;
    cap.variant = POPULATION_RADIAL_CAP;
    cap.p = 1;
    value = 2 * share * population_radial_integral(&cap, d->ndim) - 1;
    for (int k = 0; k < d->ndim; ++k) {
      long double middle = 0, spread = 0;
      for (int i = 0; i < d->ndim; ++i) {
        const long double m = p->matrix[k][i];
        middle += m * (0.5L - p->centre[i]);
        spread += m * m / 12;
      }
      value += middle * middle + spread;
    }
    magnitude = 2;
  }
  return finish(d, (struct population_sum){value, fmaxl(magnitude, fabsl(value))}, 1e4);
}

/* ---- Differences ------------------------------------------------------------------------------------------------- */
int make_differences(struct draw *d) {
  struct population_params *p = d->p;
  draw_box(d);
  p->kind = POPULATION_DIFFERENCES;
  p->variant = 1 + draw_below(d, 4);
  p->p = draw_below(d, 3);
  p->q = draw_below(d, 3);
  population_say(d, "2gamma=%d alpha=%g beta=%g", p->variant, p->p + 1, p->q + 1);
  return finish(d, (struct population_sum){population_selberg(p, d->ndim), 0}, 1e300);
}
