/* The twin of pair_production in cross_section.c and cross_section.f90. Its parameters are the user data of the call.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

struct parameters {
  double x0, front;
};

static double density(double x) { return pow(1 - x, 3) / sqrt(x); }

int pair_production(const int *ndim, const double u[], const int *ncomp, double f[], void *userdata) {
  const struct parameters *p = userdata;
  const double x1 = pow(p->x0, 1 - u[0]), x2 = pow(p->x0, 1 - u[1]);
  const double c = 2 * u[2] - 1, l = log(p->x0);
  (void)ndim, (void)ncomp;
  f[0] = p->front * 2 * l * l * density(x1) * density(x2) * (1 + c * c);
  f[1] = f[0] * c * c;
  return 0;
}
