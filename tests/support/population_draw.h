/* What the makers of the population's families share: random numbers, places, boxes, rotations.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESSERA_TESTS_POPULATION_DRAW_H
#define TESSERA_TESTS_POPULATION_DRAW_H

#include "population.h"

/* An instance in the making. */
struct draw {
  uint64_t state;
  int ndim;
  struct population_instance *instance;
  struct population_params *p; /* of the instance */
  double volume;               /* of the domain in x for a unit of t */
};

/* Where a feature is, in the unit cube. */
enum place { place_centre, place_face, place_corner, place_diagonal, place_rational, place_random, places };
extern const char *const place_name[];

double draw_uniform(struct draw *d, double least, double most);
double draw_log(struct draw *d, double least, double most); /* uniform in the logarithm */
double draw_normal(struct draw *d);
int draw_below(struct draw *d, int n); /* 0 .. n-1 */
double draw_sign(struct draw *d);
void draw_direction(struct draw *d, double *k); /* a unit vector; sometimes along a diagonal */

enum place draw_place(struct draw *d);
void draw_at(struct draw *d, enum place place, double *t);

/* The domain is a random box, the image of the unit cube of t. */
void draw_box(struct draw *d);
/* The domain is given in t, and t has a random origin and one random scale for all axes. */
void draw_domain(struct draw *d, const double *lower, const double *upper);
/* All of R^n. */
void draw_space(struct draw *d);

/* matrix = diag(1/width) times a random orthogonal matrix, or diag(1/width) alone. */
void draw_matrix(struct draw *d, int rotated, const double *width);

void population_say(struct draw *d, const char *format, ...);

/* The makers by family. Each sets params, domain and exact; 0 asks for another attempt. */
typedef int (*population_maker)(struct draw *d);
int make_oscillatory(struct draw *d);
int make_product_peak(struct draw *d);
int make_corner_peak(struct draw *d);
int make_gaussian(struct draw *d);
int make_plane_wave(struct draw *d);
int make_peaks(struct draw *d);
int make_separable(struct draw *d);
int make_ridge(struct draw *d);
int make_radial(struct draw *d);
int make_student(struct draw *d);
int make_warped(struct draw *d);
int make_polynomial(struct draw *d);
int make_linear_model(struct draw *d);
int make_conjugate(struct draw *d);
int make_c0(struct draw *d);
int make_discontinuous(struct draw *d);
int make_powers(struct draw *d);
int make_steps(struct draw *d);
int make_plane_kink(struct draw *d);
int make_plane_step(struct draw *d);
int make_ball(struct draw *d);
int make_half_space(struct draw *d);
int make_differences(struct draw *d);

#endif
