/* Integrands on which a run has claimed success with a wrong value: the table is in outside.c. One text for the host
 * and for a device, where the numbers of variables and components are constants and all loops unroll. userdata: struct
 * outside_params.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#ifdef TESSERA_NDIM
#define VARIABLES TESSERA_NDIM
#else
#define VARIABLES ndim
#endif

/* As in outside.h. */
struct outside_params {
  double a;     /* steepness */
  double c[10]; /* centre */
};

/* ---- A Bayesian linear model, 10 variables -----------------------------------------------------------------------
 * Evans and Swartz, Statistical Science 10 (1995): nine groups of five observations y, x[0..8] their means, x[9] = log
 * sigma, Student's t with 3 degrees of freedom. With e = 1/sigma the density is (2/pi)^45 e^45 / prod (1 + ((y - x)
 * e)^2)^2: the product runs over all 45 factors and is squared once, so that there is one exponential and one
 * division. Where the product overflows the density is 0 in double precision anyway; e^45 and the product cannot both
 * overflow in a cube of half-width 12. Components: 1, x[0], x[1], x[9], x[0]^2 times the density. */
#define FACTOR(y) (1 + ((y)*e - t) * ((y)*e - t))
#define GROUP(i, y1, y2, y3, y4, y5) \
  t = x[i] * e;                      \
  p *= (FACTOR(y1) * FACTOR(y2)) * (FACTOR(y3) * FACTOR(y4)) * FACTOR(y5);

int outside_linear(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const double e = exp(-x[9]);
  double t, p = 1;
  (void)ndim, (void)ncomp, (void)userdata;
  GROUP(0, 1.951754965, 2.885632419, 2.391451482, 1.731576578, 1.421926027)
  GROUP(1, -0.638321684, 0.186636475, -0.009514517, 0.495339037, 0.261643198)
  GROUP(2, 2.833250710, 1.098441287, -0.476050335, -0.383252862, 1.128895153)
  GROUP(3, 0.041946195, 0.174042986, -0.581710481, 0.447193674, -0.071116204)
  GROUP(4, -0.616061349, -0.513835377, -1.321292735, 0.043171116, 0.072504593)
  GROUP(5, -0.816614843, 0.934854744, -0.156455228, -0.172299695, -0.174379640)
  GROUP(6, -0.878534226, 0.028068692, -0.110434509, -1.193255325, 0.973952349)
  GROUP(7, -0.610598648, -0.548582027, -0.544598812, -0.402896237, -1.299835892)
  GROUP(8, 0.289558508, 0.755147497, -0.149990572, 0.746211189, -3.006485474)
  const double e2 = e * e, e4 = e2 * e2, e5 = e4 * e, e10 = e5 * e5, e20 = e10 * e10, e40 = e20 * e20;
  const double density = 1.49487725369633818e-9 * (e40 * e5) / (p * p); /* (2/pi)^45 */
  f[0] = density;
  if (ncomp > 1) {
    f[1] = density * x[0];
    f[2] = density * x[1];
    f[3] = density * x[9];
    f[4] = density * x[0] * x[0];
  }
  return 0;
}

/* ---- A contingency table, 9 variables ----------------------------------------------------------------------------
 * The same authors: 132 patients in 3 x 3 cells, a mixture of two populations in each of which rows and columns are
 * independent. x[0]: the share h = 1/(2 + 2 e^-x0) of the first; x[1..4] the rows' probabilities (softmax of two
 * numbers and 0) in both, x[5..8] the columns'. The likelihood is the product of p_ij^n_ij, by squaring over the
 * binary digits of n_ij, which leaves 24 multiplications. Components: 1, h, h^2 times the posterior density. */
int outside_contingency(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const double g = 1 / (1 + exp(-x[0])), h = 0.5 * g;
  const double a1 = exp(x[1]), a2 = exp(x[2]), b1 = exp(x[3]), b2 = exp(x[4]);
  const double c1 = exp(x[5]), c2 = exp(x[6]), d1 = exp(x[7]), d2 = exp(x[8]);
  (void)ndim, (void)ncomp, (void)userdata;
  const double a = 1 + a1 + a2, b = 1 + b1 + b2, c = 1 + c1 + c2, d = 1 + d1 + d2;
  const double abcd = a * b * c * d, r = 1 / abcd;
  const double u = h * (r * (b * d)), v = (1 - h) * (r * (a * c));
  const double u1 = u * a1, u2 = u * a2, v1 = v * b1, v2 = v * b2;
  const double p11 = u1 * c1 + v1 * d1, p12 = u1 * c2 + v1 * d2, p13 = u1 + v1; /* 43 16  3 */
  const double p21 = u2 * c1 + v2 * d1, p22 = u2 * c2 + v2 * d2, p23 = u2 + v2; /*  6 11 10 */
  const double p31 = u * c1 + v * d1, p32 = u * c2 + v * d2, p33 = u + v;       /*  9 18 16 */
  double q = p11;                                                               /* bit 5 */
  q = q * q * (p12 * p32 * p33);                                                /* bit 4 */
  q = q * q * (p11 * p22 * (p23 * p31));                                        /* bit 3 */
  q = q * q * p21;                                                              /* bit 2 */
  q = q * q * (p11 * p13 * p21 * (p22 * p23 * p32));                            /* bit 1 */
  q = q * q * (p11 * p13 * (p22 * p31));                                        /* bit 0 */
  /* dh/dx0, and the product of three probabilities for each of the four softmax maps */
  f[0] = q * (h * (1 - g)) * (a1 * a2 * (b1 * b2)) * (c1 * c2 * (d1 * d2)) * (r * r * r);
  if (ncomp > 1) f[1] = f[0] * h;
  if (ncomp > 2) f[2] = f[1] * h;
  return 0;
}

/* ---- In any number of variables ---------------------------------------------------------------------------------- */
/* exp(-a |x - c|^2) */
int outside_bell(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const struct outside_params *p = (const struct outside_params *)userdata;
  double s = 0;
  (void)ndim, (void)ncomp;
  for (int i = 0; i < VARIABLES; ++i) s += (x[i] - p->c[i]) * (x[i] - p->c[i]);
  f[0] = exp(-p->a * s);
  return 0;
}

/* (1 + a |x - c|^2)^-7 */
int outside_power(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const struct outside_params *p = (const struct outside_params *)userdata;
  double s = 0;
  (void)ndim, (void)ncomp;
  for (int i = 0; i < VARIABLES; ++i) s += (x[i] - p->c[i]) * (x[i] - p->c[i]);
  const double q = 1 / (1 + p->a * s), q2 = q * q;
  f[0] = q2 * q2 * q2 * q;
  return 0;
}

/* prod |x_i - x_j| over i > j: kinks along all the diagonals */
int outside_differences(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double p = 1;
  (void)ndim, (void)ncomp, (void)userdata;
  for (int i = 1; i < VARIABLES; ++i)
    for (int j = 0; j < i; ++j) p *= x[i] - x[j];
  f[0] = fabs(p);
  return 0;
}

/* Rosenbrock's curved valley, 2 variables */
int outside_valley(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const double u = 1 - x[0], v = x[1] - x[0] * x[0];
  (void)ndim, (void)ncomp, (void)userdata;
  f[0] = exp(-u * u - 100 * (v * v));
  return 0;
}

/* sum |x_i - c_i| */
int outside_kinks(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const struct outside_params *p = (const struct outside_params *)userdata;
  double s = 0;
  (void)ndim, (void)ncomp;
  for (int i = 0; i < VARIABLES; ++i) s += fabs(x[i] - p->c[i]);
  f[0] = s;
  return 0;
}

/* number of i with x_i > c_i */
int outside_steps(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const struct outside_params *p = (const struct outside_params *)userdata;
  double s = 0;
  (void)ndim, (void)ncomp;
  for (int i = 0; i < VARIABLES; ++i) s += x[i] > p->c[i] ? 1 : 0;
  f[0] = s;
  return 0;
}
