/* The posteriors of the population.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "population_draw.h"
#include "population_exact.h"

static const double ones[population_max_ndim] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

/* ---- The linear model -------------------------------------------------------------------------------------------- */
/* Logarithm of the posterior. */
static double log_posterior(const struct population_params *p, int ndim, const double *theta) {
  double sum = -population_group_size * (ndim - 1) * theta[ndim - 1];
  for (int i = 0; i < (ndim - 1) * population_group_size; ++i) {
    const double z = (p->data[i] - theta[i / population_group_size]) * exp(-theta[ndim - 1]);
    sum -= 2 * log1p(z * z);
  }
  return sum;
}

/* Mode near the start, one variable after another; good enough for the centre of a box. */
static double climb(const struct population_params *p, int ndim, double *theta) {
  for (int sweep = 0; sweep < 60; ++sweep)
    for (int i = 0; i < ndim; ++i) {
      double low = theta[i] - 1, high = theta[i] + 1;
      for (int step = 0; step < 40; ++step) { /* golden section */
        const double r = 0.6180339887498949 * (high - low), saved = theta[i];
        theta[i] = high - r;
        const double left = log_posterior(p, ndim, theta);
        theta[i] = low + r;
        const double right = log_posterior(p, ndim, theta);
        theta[i] = saved;
        if (left > right)
          high = low + r;
        else
          low = high - r;
      }
      theta[i] = 0.5 * (low + high);
    }
  return log_posterior(p, ndim, theta);
}

/* Groups of five observations with errors of Student's t with 3 degrees of freedom, as Evans and Swartz (Statistical
 * Science 10 (1995) 254-272) have it; the value is 1 at the mode. */
int make_linear_model(struct draw *d) {
  const int n = d->ndim, centred = draw_below(d, 2);
  const double half = draw_uniform(d, 3, 6), spread = draw_log(d, 0.5, 2), sigma = draw_log(d, 0.4, 2);
  double theta[population_max_ndim] = {0};
  struct population_params *p = d->p;
  p->kind = POPULATION_LINEAR_MODEL;
  for (int i = 0; i < n - 1; ++i) {
    const double mean = spread * draw_normal(d);
    for (int j = 0; j < population_group_size; ++j) {
      const double z = draw_normal(d), v1 = draw_normal(d), v2 = draw_normal(d), v3 = draw_normal(d);
      p->data[i * population_group_size + j] = mean + sigma * z / sqrt(v1 * v1 + v2 * v2 + v3 * v3);
    }
    double sum = 0;
    for (int j = 0; j < population_group_size; ++j) sum += p->data[i * population_group_size + j];
    theta[i] = sum / population_group_size;
  }
  theta[n - 1] = log(sigma);
  p->c = climb(p, n, theta);
  d->volume = 1;
  for (int i = 0; i < n; ++i) {
    const double middle = theta[i] + (centred ? 0 : draw_uniform(d, -0.5, 0.5) * half);
    d->instance->lower[i] = middle - half;
    d->instance->upper[i] = middle + half;
  }
  population_say(d, "%s half %.3g", centred ? "centred" : "shifted", half);
  d->instance->exact = population_linear_model(p, n, d->instance->lower, d->instance->upper);
  return 1;
}

/* ---- Conjugate ones ---------------------------------------------------------------------------------------------- */
static void dirichlet(struct draw *d) {
  struct population_params *p = d->p;
  const double least = draw_log(d, 0.5, 5), most = least * draw_log(d, 1, 10);
  p->kind = POPULATION_DIRICHLET;
  p->a[1][0] = p->p = draw_log(d, least, most);
  for (int i = 0; i < d->ndim; ++i) p->p += p->a[0][i] = draw_log(d, least, most);
  p->c = p->a[1][0] * log(p->a[1][0] / p->p);
  for (int i = 0; i < d->ndim; ++i) p->c += p->a[0][i] * log(p->a[0][i] / p->p);
  population_say(d, "Dirichlet %.3g..%.3g", least, most);
}

static void normal_gamma(struct draw *d) {
  struct population_params *p = d->p;
  const double shape = draw_log(d, 1, 15);
  p->kind = POPULATION_NORMAL_GAMMA;
  p->p = 0.5 * (d->ndim - 1) + shape;
  p->q = draw_log(d, 0.5, 10);
  for (int i = 0; i < d->ndim - 1; ++i) {
    p->a[0][i] = draw_log(d, 0.3, 10);
    p->u[0][i] = draw_normal(d);
  }
  p->c = p->p * (log(p->p / p->q) - 1);
  population_say(d, "normal-gamma %.3g", shape);
}

static void poisson_gamma(struct draw *d) {
  struct population_params *p = d->p;
  const double alpha = draw_log(d, 0.5, 5), shape = draw_log(d, 0.5, 5), rate = draw_log(d, 0.3, 10);
  p->kind = POPULATION_POISSON_GAMMA;
  p->p = (d->ndim - 1) * alpha + shape;
  p->q = draw_log(d, 0.3, 3);
  for (int i = 0; i < d->ndim - 1; ++i) {
    p->u[0][i] = draw_log(d, 0.5, 5);
    p->a[0][i] = alpha + floor(rate * p->u[0][i] * draw_uniform(d, 0, 2));
  }
  double largest = -INFINITY;
  for (double eta = -10; eta < 10; eta += 0.05) { /* the value is about 1 at the mode */
    double sum = p->p * eta - p->q * exp(eta);
    for (int i = 0; i < d->ndim - 1; ++i) sum += p->a[0][i] * (log(p->a[0][i] / (p->u[0][i] + exp(eta))) - 1);
    largest = fmax(largest, sum);
  }
  p->c = largest;
  population_say(d, "Poisson-gamma %.3g %.3g", alpha, rate);
}

int make_conjugate(struct draw *d) {
  const int way = draw_below(d, 3), rotated = draw_below(d, 3) == 0;
  if (way == 0)
    dirichlet(d);
  else if (way == 1)
    normal_gamma(d);
  else
    poisson_gamma(d);
  if (rotated) {
    draw_matrix(d, 1, ones);
    population_say(d, " rotated");
  }
  draw_space(d);
  d->instance->exact = (double)(population_conjugate(d->p, d->ndim) * d->volume);
  return isfinite(d->instance->exact) && d->instance->exact > 0;
}
