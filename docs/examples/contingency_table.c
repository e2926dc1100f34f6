/* A posterior density with several modes, 9 variables: 132 patients in a 3 x 3 table, a mixture of two populations in each of which rows and columns are
 * independent (M. Evans, T. Swartz, Statistical Science 10 (1995) 254-272). The share theta of the first is uniform below 1/2, the probabilities of rows and
 * columns are uniform on triangles, to which the unit cube is brought by polynomials; the likelihood is then a polynomial too, and nothing is cut off.
 *
 * This file is also the text of the integrand for a GPU: there TESSERA_NDIM is defined, and the first part remains.
 *
 * Usage: contingency_table [DEVICE [EVALUATIONS [METHOD]]]: DEVICE -1 (the host, the default), -2 (a GPU if there is one) or an ordinal; METHOD cubature,
 * lattice or montecarlo.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

/* Three probabilities from two numbers in (0, 1), Duffy's map with the Jacobian x. */
#define TRIANGLE(p, x, y) const double p##1 = 1 - (x), p##2 = (x) * (1 - (y)), p##3 = (x) * (y)

int posterior(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const double theta = 0.5 * x[0], rest = 1 - theta;
  TRIANGLE(a, x[1], x[2]); /* rows and columns of the first population */
  TRIANGLE(b, x[3], x[4]);
  TRIANGLE(c, x[5], x[6]); /* and of the second */
  TRIANGLE(d, x[7], x[8]);
  const double a1_ = theta * a1, a2_ = theta * a2, a3_ = theta * a3, c1_ = rest * c1, c2_ = rest * c2, c3_ = rest * c3;
  const double p11 = a1_ * b1 + c1_ * d1, p12 = a1_ * b2 + c1_ * d2, p13 = a1_ * b3 + c1_ * d3; /* 43 16  3 */
  const double p21 = a2_ * b1 + c2_ * d1, p22 = a2_ * b2 + c2_ * d2, p23 = a2_ * b3 + c2_ * d3; /*  6 11 10 */
  const double p31 = a3_ * b1 + c3_ * d1, p32 = a3_ * b2 + c3_ * d2, p33 = a3_ * b3 + c3_ * d3; /*  9 18 16 */
  (void)ndim, (void)ncomp, (void)userdata;
  /* the product of the powers, by squaring over the binary digits of the counts */
  double q = p11;
  q = q * q * (p12 * p32 * p33);
  q = q * q * (p11 * p22 * (p23 * p31));
  q = q * q * p21;
  q = q * q * (p11 * p13 * p21 * (p22 * p23 * p32));
  q = q * q * (p11 * p13 * (p22 * p31));
  f[0] = 0.5 * q * (x[1] * x[3] * (x[5] * x[7]));
  f[1] = f[0] * theta;
  f[2] = f[1] * theta;
  return 0;
}

#ifndef TESSERA_NDIM
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tessera.h>

enum { ndim = 9, ncomp = 3 };

/* A finite sum of Dirichlet's integrals (tests/support/outside_values.py). */
static const double exact[ncomp] = {7.07016941580478e-121, 0.42969540, 0.18733031};

int main(int argc, char **argv) {
  static const char *const name[ncomp] = {"constant", "E theta", "E theta^2"};
  static const double published[ncomp] = {4.864e-121, 0.4217, 0.1808};
  const int device = argc > 1 ? atoi(argv[1]) : -1;
  const double evaluations = argc > 2 ? atof(argv[2]) : 1e7;
  const char *const by = argc > 3 ? argv[3] : "cubature";
  const int method = strcmp(by, "montecarlo") == 0 ? TESSERA_MONTECARLO
                     : strcmp(by, "lattice") == 0  ? TESSERA_LATTICE
                                                   : TESSERA_CUBATURE;
  double value[ncomp], error[ncomp], seconds = 0;
  int64_t used = -1, done = 0;
  tessera_solver *s;
  if (tessera_create(&s, ndim, ncomp) < 0) return 1;
  tessera_set_integrand1(s, posterior, NULL);
  if (device != -1) tessera_set_integrand_file(s, TESSERA_LANGUAGE_C, __FILE__, "posterior");
  tessera_set_int(s, TESSERA_DEVICE, device);
  tessera_set_int(s, TESSERA_THREADS, 0);
  tessera_set_int(s, TESSERA_MAXEVAL, (int64_t)evaluations);
  tessera_set_int(s, TESSERA_SAMPLING, TESSERA_SAMPLING_VEGAS);
  tessera_set_real(s, TESSERA_RELTOL, 1e-6);
  const int status = tessera_integrate(s, method, value, error);
  if (status < 0) {
    fprintf(stderr, "%s\n", tessera_last_error(s));
    tessera_destroy(s);
    return 1;
  }
  tessera_get_int(s, TESSERA_DEVICE_USED, &used);
  tessera_get_int(s, TESSERA_EVALUATIONS, &done);
  tessera_get_real(s, TESSERA_SECONDS, &seconds);
  tessera_destroy(s);

  printf("Contingency table, 9 variables, by %s on %s: %" PRId64 " evaluations, %.2f s\n", by,
         used >= 0 ? "a GPU" : "the host", done, seconds);
  printf("%-10s%15s%12s%12s%12s\n", "", "value", "estimate", "true error", "published");
  int wrong = 0;
  for (int k = 0; k < ncomp; ++k) {
    const double v = k == 0 ? value[0] : value[k] / value[0];
    const double e = k == 0 ? error[0] : (error[k] + fabs(v) * error[0]) / fabs(value[0]);
    printf("%-10s%15.6g%12.1e%12.1e%12.4g\n", name[k], v, e, fabs(v - exact[k]), published[k]);
    wrong += !(fabs(v - exact[k]) <= 5 * e && e <= 0.2 * exact[k]); /* 5: of a standard error */
  }
  printf("Published: with 2.5e10 evaluations on 64 processes in 680 s, less than the whole of the integral.\n");
  return wrong != 0;
}
#endif
