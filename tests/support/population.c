/* SPDX-License-Identifier: BSD-3-Clause */
#include "population.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cases.h"
#include "population_draw.h"

const struct population_family population_families[] = {
    {"oscillatory", POPULATION_SMOOTH, 2, 10},
    {"product-peak", POPULATION_SMOOTH, 2, 10},
    {"corner-peak", POPULATION_SMOOTH, 2, 10},
    {"gaussian", POPULATION_SMOOTH, 2, 10},
    {"plane-wave", POPULATION_SMOOTH, 2, 10},
    {"peaks", POPULATION_SMOOTH, 2, 10},
    {"separable", POPULATION_SMOOTH, 2, 10},
    {"ridge", POPULATION_SMOOTH, 2, 10},
    {"radial", POPULATION_SMOOTH, 2, 10},
    {"student", POPULATION_SMOOTH, 2, 10},
    {"warped", POPULATION_SMOOTH, 2, 10},
    {"polynomial", POPULATION_SMOOTH, 2, 10},
    {"linear-model", POPULATION_SMOOTH, 3, 10},
    {"conjugate", POPULATION_SMOOTH, 2, 10},
    {"c0", POPULATION_ROUGH, 2, 10},
    {"discontinuous", POPULATION_ROUGH, 2, 10},
    {"powers", POPULATION_ROUGH, 2, 10},
    {"steps", POPULATION_ROUGH, 2, 10},
    {"plane-kink", POPULATION_ROUGH, 2, 8},
    {"plane-step", POPULATION_ROUGH, 2, 8},
    {"ball", POPULATION_ROUGH, 2, 10},
    {"half-space", POPULATION_ROUGH, 2, 10},
    {"differences", POPULATION_ROUGH, 2, 6},
};
const int population_family_count = (int)(sizeof population_families / sizeof population_families[0]);

static const population_maker makers[] = {
    make_oscillatory,  make_product_peak, make_corner_peak, make_gaussian,      make_plane_wave,  make_peaks,
    make_separable,    make_ridge,        make_radial,      make_student,       make_warped,      make_polynomial,
    make_linear_model, make_conjugate,    make_c0,          make_discontinuous, make_powers,      make_steps,
    make_plane_kink,   make_plane_step,   make_ball,        make_half_space,    make_differences,
};

const char *const place_name[] = {"centre", "face", "corner", "diagonal", "rational", "random"};

int population_find(const char *name) {
  for (int i = 0; i < population_family_count; ++i)
    if (strcmp(population_families[i].name, name) == 0) return i;
  return -1;
}

uint64_t population_seed(uint64_t base, int family, int ndim, int index) {
  uint64_t state = base;
  for (const char *c = population_families[family].name; *c; ++c) state = splitmix64(&state) ^ (unsigned char)*c;
  state = splitmix64(&state) ^ (uint64_t)ndim;
  state = splitmix64(&state) ^ (uint64_t)index;
  return splitmix64(&state) >> 16; /* short enough to be typed */
}

int population_make(int family, int ndim, uint64_t seed, struct population_instance *instance) {
  const struct population_family *f = &population_families[family];
  if (ndim < f->least_ndim || ndim > f->most_ndim) return -1;
  struct draw d = {seed, ndim, instance, &instance->params, 0};
  splitmix64(&d.state);
  do {
    memset(instance, 0, sizeof *instance);
    instance->family = family;
    instance->ndim = ndim;
    instance->seed = seed;
    instance->occupied = 1;
    for (int i = 0; i < ndim; ++i) d.p->scale[i] = d.p->matrix[i][i] = 1;
  } while (!makers[family](&d));
  return 0;
}

/* ---- Random numbers ---------------------------------------------------------------------------------------------- */
double draw_uniform(struct draw *d, double least, double most) {
  return least + (most - least) * splitmix_uniform(&d->state);
}

double draw_log(struct draw *d, double least, double most) { return least * pow(most / least, draw_uniform(d, 0, 1)); }

double draw_normal(struct draw *d) {
  const double r = sqrt(-2 * log(draw_uniform(d, 0, 1)));
  return r * cos(6.28318530717958647692 * draw_uniform(d, 0, 1));
}

int draw_below(struct draw *d, int n) { return (int)(splitmix64(&d->state) % (uint64_t)n); }

double draw_sign(struct draw *d) { return draw_below(d, 2) ? 1 : -1; }

void draw_direction(struct draw *d, double *k) {
  const int diagonal = draw_below(d, 4) == 0;
  double sum = 0;
  for (int i = 0; i < d->ndim; ++i) {
    k[i] = diagonal ? draw_sign(d) : draw_normal(d);
    sum += k[i] * k[i];
  }
  for (int i = 0; i < d->ndim; ++i) k[i] /= sqrt(sum);
}

/* ---- Places ------------------------------------------------------------------------------------------------------ */
enum place draw_place(struct draw *d) { return (enum place)draw_below(d, places); }

void draw_at(struct draw *d, enum place place, double *t) {
  static const int denominators[] = {3, 4, 5, 7, 8};
  const int denominator = denominators[draw_below(d, 5)], face = draw_below(d, d->ndim);
  const double along = draw_uniform(d, 0, 1);
  for (int i = 0; i < d->ndim; ++i) {
    const double any = draw_uniform(d, 0, 1), end = draw_below(d, 2);
    const int share = 1 + draw_below(d, denominator - 1);
    switch (place) {
      case place_centre:
        t[i] = 0.5;
        break;
      case place_face:
        t[i] = i == face ? end : any;
        break;
      case place_corner:
        t[i] = end;
        break;
      case place_diagonal: /* of any of the 2^(n-1) */
        t[i] = end > 0 ? 1 - along : along;
        break;
      case place_rational:
        t[i] = (double)share / denominator;
        break;
      default:
        t[i] = any;
    }
  }
}

/* ---- Domains ----------------------------------------------------------------------------------------------------- */
static void end_box(struct draw *d) {
  d->volume = 1;
  for (int i = 0; i < d->ndim; ++i) {
    const double width = d->instance->upper[i] - d->instance->lower[i];
    d->p->origin[i] = d->instance->lower[i];
    d->p->scale[i] = 1 / width;
    d->volume *= width;
  }
}

void draw_box(struct draw *d) {
  const int way = draw_below(d, 10), cube = way < 7;
  const double size = draw_log(d, 0.01, 100), shift = draw_uniform(d, -3, 2);
  for (int i = 0; i < d->ndim; ++i) {
    const double width = cube ? size : size * draw_log(d, 0.2, 5), place = draw_uniform(d, -3, 2);
    double *lower = &d->instance->lower[i], *upper = &d->instance->upper[i];
    if (way < 3) { /* the unit cube */
      *lower = 0;
      *upper = 1;
    } else if (way < 5) { /* a cube about the origin */
      *lower = -width;
      *upper = width;
    } else {
      *lower = width * (way == 5 ? shift : place);
      *upper = *lower + width;
    }
  }
  end_box(d);
}

void draw_domain(struct draw *d, const double *lower, const double *upper) {
  const double h = draw_log(d, 0.2, 5);
  d->volume = 1;
  for (int i = 0; i < d->ndim; ++i) {
    d->p->origin[i] = h * draw_uniform(d, -2, 2);
    d->p->scale[i] = 1 / h;
    d->instance->lower[i] = d->p->origin[i] + h * lower[i];
    d->instance->upper[i] = d->p->origin[i] + h * upper[i];
    d->volume *= h;
  }
}

void draw_space(struct draw *d) {
  double lower[population_max_ndim], upper[population_max_ndim];
  for (int i = 0; i < d->ndim; ++i) {
    lower[i] = -INFINITY;
    upper[i] = INFINITY;
  }
  draw_domain(d, lower, upper);
}

/* ---- Rotations --------------------------------------------------------------------------------------------------- */
void draw_matrix(struct draw *d, int rotated, const double *width) {
  const int n = d->ndim;
  double(*m)[population_max_ndim] = d->p->matrix;
  memset(m, 0, sizeof d->p->matrix);
  d->p->rotated = rotated;
  for (int i = 0; i < n; ++i) {
    if (rotated) { /* orthogonal rows by Gram and Schmidt, twice for the last bits */
      for (int j = 0; j < n; ++j) m[i][j] = draw_normal(d);
      for (int k = 0; k < 2 * i; ++k) {
        double dot = 0;
        for (int j = 0; j < n; ++j) dot += m[i][j] * m[k % i][j];
        for (int j = 0; j < n; ++j) m[i][j] -= dot * m[k % i][j];
      }
      double sum = 0;
      for (int j = 0; j < n; ++j) sum += m[i][j] * m[i][j];
      for (int j = 0; j < n; ++j) m[i][j] /= sqrt(sum);
    } else {
      m[i][i] = 1;
    }
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) m[i][j] /= width[i];
}

void population_say(struct draw *d, const char *format, ...) {
  va_list list;
  const size_t used = strlen(d->instance->variant);
  va_start(list, format);
  vsnprintf(d->instance->variant + used, sizeof d->instance->variant - used, format, list);
  va_end(list);
}
