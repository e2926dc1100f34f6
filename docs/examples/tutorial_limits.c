/* Limits that depend on the variables before, and the limit of a sequence of integrals: the real part of the one-loop integral over the triangle
 * 0 < x, y with x + y < 1 of 1/(D - i delta), D = 1 - 5 x y, as delta goes to 0. SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <tessera.h>

static int triangle(int ndim, int axis, const double *x, double *lower, double *upper, void *userdata) {
  (void)ndim, (void)userdata;
  *lower = 0;
  *upper = axis == 0 ? 1 : 1 - x[0];
  return 0;
}

static int loop(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const double delta = *(const double *)userdata, d = 1 - 5 * x[0] * x[1];
  (void)ndim, (void)ncomp;
  f[0] = d / (d * d + delta * delta); /* the real part; D is 0 on a curve in the triangle */
  return 0;
}

int main(void) {
  enum { members = 14 };
  const double first = 0.5, ratio = 1.5, exact = 0.8943345118780586; /* the principal value */
  double sequence[members], error = 0, limit = 0, delta = first;
  tessera_solver *s;

  int status = tessera_create(&s, 2, 1);
  if (status == 0) status = tessera_set_limits(s, 1, triangle, NULL);
  if (status == 0) status = tessera_set_integrand1(s, loop, &delta);
  if (status == 0) status = tessera_set_real(s, TESSERA_RELTOL, 1e-10);
  if (status == 0) status = tessera_set_int(s, TESSERA_MAXEVAL, 20000000);
  for (int j = 0; j < members && status == 0; ++j, delta /= ratio)
    status = tessera_integrate(s, TESSERA_CUBATURE, &sequence[j], &error);
  if (status == 0) status = tessera_extrapolate(TESSERA_EXTRAPOLATE_EPSILON, members, NULL, sequence, &limit, &error);
  if (status == 0)
    printf("%.8f at delta = %.4f, in the limit %.8f +- %.1e, exact %.8f\n", sequence[members - 1], delta * ratio, limit,
           error, exact);
  tessera_destroy(s);
  return status == 0 && fabs(limit - exact) <= 1e-7 && fabs(limit - exact) <= error ? 0 : 1;
}
