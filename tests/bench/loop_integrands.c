/* Integrands of loop integrals over the simplex of their Feynman parameters, for the host and, read as a text, for a device; bench/loops.c says what
 * they are. Components: real and imaginary part of 1/(D - i delta C)^k.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "loop_polynomials.h"

struct loop_params {
  double delta, s[8];
};

#define PARAMS const struct loop_params *p = (const struct loop_params *)userdata
#define UNUSED (void)ndim, (void)ncomp, (void)userdata

int loop_vertex(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  PARAMS;
  const double x1 = x[0], x2 = x[1], x3 = 1 - x1 - x2;
  const double D = VERTEX_D(p->s[0]), e = p->delta, r = 1 / (D * D + e * e);
  UNUSED;
  f[0] = D * r;
  f[1] = e * r;
  return 0;
}

int loop_box(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  PARAMS;
  const double x1 = x[0], x2 = x[1], x3 = x[2], x4 = 1 - x1 - x2 - x3;
  const double D = BOX_D(p->s[0], p->s[1]), e = p->delta, r = 1 / (D * D + e * e);
  UNUSED;
  f[0] = (D * D - e * e) * (r * r);
  f[1] = 2 * D * e * (r * r);
  return 0;
}

int loop_pentagon(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  PARAMS;
  const double x1 = x[0], x2 = x[1], x3 = x[2], x4 = x[3], x5 = 1 - x1 - x2 - x3 - x4;
  const double D = PENTAGON_D(p->s[0], p->s[1], p->s[2], p->s[3], p->s[4], p->s[5]), e = p->delta;
  const double r = 1 / (D * D + e * e), r3 = -2 * (r * r * r);
  UNUSED;
  f[0] = D * (D * D - 3 * e * e) * r3;
  f[1] = e * (3 * D * D - e * e) * r3;
  return 0;
}

int loop_ladder(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  PARAMS;
  const double x1 = x[0], x2 = x[1], x3 = x[2], x4 = x[3], x5 = x[4], x6 = 1 - x1 - x2 - x3 - x4 - x5;
  const double D = LADDER_D(p->s[0]), e = p->delta * LADDER_C, r = 1 / (D * D + e * e);
  UNUSED;
  f[0] = (D * D - e * e) * (r * r);
  f[1] = 2 * D * e * (r * r);
  return 0;
}

int loop_wheel(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const double x1 = x[0], x2 = x[1], x3 = x[2], x4 = x[3], x5 = x[4], x6 = 1 - x1 - x2 - x3 - x4 - x5;
  const double C = WHEEL_C;
  UNUSED;
  f[0] = 1 / (C * C);
  return 0;
}
