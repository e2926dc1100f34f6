/* Exact integrals behind the population. Limits are those of t (population_integrand.c), +-INFINITY where allowed.
 * Values with cancellation come with the sum of the magnitudes of what was added, so that the loss of digits is known.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESSERA_TESTS_POPULATION_EXACT_H
#define TESSERA_TESTS_POPULATION_EXACT_H

#include "population.h"

struct population_sum {
  long double value, magnitude;
};

/* Adaptive Gauss-Legendre quadrature from a to b over `pieces` equal pieces to begin with, down to an absolute error of
 * about `tolerance` times the integral of |f|. */
typedef double (*population_function)(double x, const void *data);
double population_quadrature(population_function f, const void *data, double a, double b, int pieces, double tolerance);
/* The same in one piece, down to differences of `bound` between an interval and its halves. */
double population_quadrature_to(population_function f, const void *data, double a, double b, double bound);

/* Integral of one shape; lower and upper may be infinite for POPULATION_GAUSS, _LORENTZ and _SECH2. */
long double population_shape_integral(int shape, double a, double u, double lower, double upper);

/* Kinds that are made of shapes. */
struct population_sum population_separable(const struct population_params *p, int ndim, const double *lower,
                                           const double *upper);

/* Functions of s = sum_i a_i (t_i - u_i) over the unit cube; what is not in the list of the variants below is not
 * done here. For the piecewise ones u_i is 0 where a_i > 0, 1 where a_i < 0. */
struct population_sum population_ridge_integral(const struct population_params *p, int ndim);

/* (1 + sum_i a_i^2 (t_i-u_i)^2)^-p over the unit cube, p > 0. */
long double population_radial_power(const double *a, const double *u, double p, int ndim);

/* Over all y in R^n, or over the unit ball where that is all there is; without the determinant. */
long double population_radial_integral(const struct population_params *p, int ndim);

/* Selberg's integral with alpha = p+1, beta = q+1, 2 gamma = variant. */
long double population_selberg(const struct population_params *p, int ndim);

/* The posteriors: the linear model over a box, the others over R^n. */
double population_linear_model(const struct population_params *p, int ndim, const double *lower, const double *upper);
long double population_conjugate(const struct population_params *p, int ndim);

#endif
