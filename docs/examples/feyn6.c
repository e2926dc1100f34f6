/* A two-loop Feynman integral with seven propagators: six variables, singular at the boundary.
 *
 * The Feynman parameters x1..x7 >= 0 with x1 + ... + x7 = 1 come from the unit cube: each takes its share p of what is left,
 * x_k = (1 - x1 - ... - x_{k-1}) p_k. The integrand is 2 C / D^3 times the Jacobian of that map, with the polynomials C and
 * D of the diagram; D vanishes on parts of the boundary. The published value, 0.08535139, was refined by two independent
 * lattice rules with 3.4e10 points.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <tessera.h>

static const double published = 0.085351398153884;
static const double tolerance = 1e-6;

static double feynman(double p1, double p2, double p3, double p4, double p5, double p6) {
  /* r_k is what x1..x_k leave. */
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

/* Coordinate j of point i is x[j * ldx + i]. */
static int integrand(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf,
                     void *userdata) {
  (void)ndim, (void)ncomp, (void)ldf, (void)userdata;
  for (int64_t i = 0; i < n; ++i)
    f[i] = feynman(x[i], x[ldx + i], x[2 * ldx + i], x[3 * ldx + i], x[4 * ldx + i], x[5 * ldx + i]);
  return 0;
}

int main(void) {
  double value, error, seconds;
  int64_t evaluations;
  tessera_solver *s;
  if (tessera_create(&s, 6, 1) < 0) return 1;
  tessera_set_integrand(s, integrand, NULL);
  tessera_set_real(s, TESSERA_RELTOL, tolerance);
  tessera_set_int(s, TESSERA_MAXEVAL, 400000000);
  const int status = tessera_integrate(s, TESSERA_CUBATURE, &value, &error);
  if (status < 0) {
    fprintf(stderr, "%s\n", tessera_last_error(s));
    return 1;
  }
  tessera_get_int(s, TESSERA_EVALUATIONS, &evaluations);
  tessera_get_real(s, TESSERA_SECONDS, &seconds);
  const double deviation = fabs(value - published);
  printf("two-loop Feynman integral, 6 variables, relative tolerance %.0e\n", tolerance);
  printf("status          %s\n", tessera_status_string(status));
  printf("value           %.12f\n", value);
  printf("published       %.12f\n", published);
  printf("error estimate  %.2e\n", error);
  printf("true error      %.2e\n", deviation);
  printf("evaluations     %" PRId64 "\n", evaluations);
  printf("seconds         %.2f\n", seconds);
  tessera_destroy(s);
  return status == TESSERA_OK && deviation <= error ? 0 : 1;
}
