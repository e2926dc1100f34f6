/* SPDX-License-Identifier: BSD-3-Clause */
#include "applications.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* A two-loop Feynman integral; docs/examples/feyn6.c explains it. */
static double feynman(double p1, double p2, double p3, double p4, double p5, double p6) {
  const double x1 = p1, r1 = 1 - x1;
  const double x2 = r1 * p2, r2 = r1 - x2;
  const double x3 = r2 * p3, r3 = r2 - x3;
  const double x4 = r3 * p4, r4 = r3 - x4;
  const double x5 = r4 * p5, r5 = r4 - x5;
  const double x6 = r5 * p6, x7 = r5 - x6;
  const double a = x1 + x2 + x3, b = a + x4 + x5, c = a + x6 + x7;
  const double C = b * c - a * a;
  const double D =
      C * (b + x6 + x7) -
      (x1 * x2 * (x4 + x5 + x6 + x7) + x1 * x5 * x6 + x2 * x4 * x7 - x3 * x4 * x6 + x3 * (x5 * x7 - x4 * x6) +
       x3 * (x1 * (x4 + x5 + x6 + x7) + x4 * (x6 + x7)) + x3 * (x2 * (x4 + x5 + x6 + x7) + x6 * (x4 + x5)) +
       x1 * x5 * (x4 + x7) + x2 * x4 * (x5 + x6) + x3 * x4 * (x5 + x6) + x4 * x5 * (x6 + x7) + x1 * x6 * (x4 + x7) +
       x2 * x7 * (x5 + x6) + x3 * x6 * (x4 + x7) + x6 * x7 * (x4 + x5));
  return D == 0 ? 0 : 2 * C / (D * D * D) * r1 * r2 * r3 * r4 * r5;
}
static int feyn6(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf, void *userdata) {
  (void)ndim, (void)ncomp, (void)ldf, (void)userdata;
  for (int64_t i = 0; i < n; ++i)
    f[i] = feynman(x[i], x[ldx + i], x[2 * ldx + i], x[3 * ldx + i], x[4 * ldx + i], x[5 * ldx + i]);
  return 0;
}

static void sums(int64_t n, int ndim, const double *x, int64_t ldx, double *f) {
  for (int64_t i = 0; i < n; ++i) f[i] = 0;
  for (int j = 0; j < ndim; ++j)
    for (int64_t i = 0; i < n; ++i) f[i] += x[j * ldx + i];
}
static int sum_to_three_halves(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf,
                               void *userdata) {
  (void)ncomp, (void)ldf, (void)userdata;
  sums(n, ndim, x, ldx, f);
  for (int64_t i = 0; i < n; ++i) f[i] *= sqrt(f[i]);
  return 0;
}
static int sum_to_minus_two(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf,
                            void *userdata) {
  (void)ncomp, (void)ldf, (void)userdata;
  sums(n, ndim, x, ldx, f);
  for (int64_t i = 0; i < n; ++i) f[i] = 1 / (f[i] * f[i]);
  return 0;
}

/* Sum of |4x - 2| over d. */
static int kinks(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf, void *userdata) {
  (void)ncomp, (void)ldf, (void)userdata;
  for (int64_t i = 0; i < n; ++i) f[i] = 0;
  for (int j = 0; j < ndim; ++j)
    for (int64_t i = 0; i < n; ++i) f[i] += fabs(4 * x[j * ldx + i] - 2);
  for (int64_t i = 0; i < n; ++i) f[i] /= ndim;
  return 0;
}

/* ---- Expected volume of a random tetrahedron ------------------------------------------------------------------------- */
static double volume(double p[4][3]) {
  double m[3][3];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) m[i][j] = p[i + 1][j] - p[0][j];
  return fabs(m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
              m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])) /
         6;
}

static int tetrahedron_in_cube(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf,
                               void *userdata) {
  (void)ndim, (void)ncomp, (void)ldf, (void)userdata;
  for (int64_t i = 0; i < n; ++i) {
    double p[4][3];
    for (int v = 0; v < 4; ++v)
      for (int j = 0; j < 3; ++j) p[v][j] = x[(3 * v + j) * ldx + i];
    f[i] = volume(p);
  }
  return 0;
}

/* Heights and angles as fractions of [-1, 1] and of the circle; in five variables the first vertex is the pole, and the second one
 * has the angle 0. */
static int tetrahedron_on_sphere(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf,
                                 void *userdata) {
  const double two_pi = 6.28318530717958647692;
  (void)ncomp, (void)ldf, (void)userdata;
  for (int64_t i = 0; i < n; ++i) {
    double p[4][3], q[8] = {1, 0, 0, 0};
    if (ndim == 8)
      for (int j = 0; j < 8; ++j) q[j] = x[j * ldx + i];
    else
      for (int j = 0; j < 5; ++j) q[j == 0 ? 2 : j + 3] = x[j * ldx + i];
    for (int v = 0; v < 4; ++v) {
      const double u = 2 * q[2 * v] - 1, r = sqrt(fmax(0, 1 - u * u));
      p[v][0] = r * cos(two_pi * q[2 * v + 1]);
      p[v][1] = r * sin(two_pi * q[2 * v + 1]);
      p[v][2] = u;
    }
    f[i] = volume(p);
  }
  return 0;
}

/* A uniform point of a simplex from three fractions: 1 - a^(1/3), and so on. As a fraction of the simplex' volume. */
static int tetrahedron_in_simplex(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf,
                                  void *userdata) {
  (void)ndim, (void)ncomp, (void)ldf, (void)userdata;
  for (int64_t i = 0; i < n; ++i) {
    double p[4][3];
    for (int v = 0; v < 4; ++v) {
      const double a = cbrt(x[3 * v * ldx + i]), b = sqrt(x[(3 * v + 1) * ldx + i]), c = x[(3 * v + 2) * ldx + i];
      p[v][0] = 1 - a;
      p[v][1] = a * (1 - b);
      p[v][2] = a * b * c;
    }
    f[i] = 6 * volume(p);
  }
  return 0;
}

/* feyn6: two lattice rules of 3.4e10 points agree to 1.6e-13. Sums: published digits. Tetrahedra: 3977/216000 - pi^2/2160,
 * 4 pi/105, 13/720 - pi^2/15015. */
const struct application applications[] = {
    {"feyn6", 6, feyn6, 0.085351398153884, 2e-13},
    {"sum^1.5 10-D", 10, sum_to_three_halves, 11.32097423155, 6e-12},
    {"sum^-2 10-D", 10, sum_to_minus_two, 0.04483234483, 6e-12},
    {"kinks 20-D", 20, kinks, 1, 0},
    {"kinks 25-D", 25, kinks, 1, 0},
    {"tetrahedron in a cube 12-D", 12, tetrahedron_in_cube, 0.013842775740236408, 0},
    {"tetrahedron on a sphere 8-D", 8, tetrahedron_on_sphere, 0.11967972013675403, 0},
    {"tetrahedron on a sphere 5-D", 5, tetrahedron_on_sphere, 0.11967972013675403, 0},
    {"tetrahedron in a simplex 12-D", 12, tetrahedron_in_simplex, 0.017398239245126694, 0},
};
const int application_count = (int)(sizeof applications / sizeof applications[0]);

const struct application *application_find(const char *name) {
  for (int i = 0; i < application_count; ++i)
    if (strcmp(applications[i].name, name) == 0) return &applications[i];
  return NULL;
}
