/* A toy cross-section by Cuhre: two partons with densities f(x) = x^(-1/2) (1-x)^3, x > x0, annihilate into a pair of muons.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <cuba.h>
#include <math.h>
#include <stdio.h>

struct parameters {
  double x0, front;
};

static double density(double x) { return pow(1 - x, 3) / sqrt(x); }
static double primitive(double x) { /* of density(x)/x */
  return -2 / sqrt(x) - 6 * sqrt(x) + 2 * pow(x, 1.5) - 0.4 * pow(x, 2.5);
}

static int pair_production(const int *ndim, const double u[], const int *ncomp, double f[], void *userdata) {
  const struct parameters *p = userdata;
  const double x1 = pow(p->x0, 1 - u[0]), x2 = pow(p->x0, 1 - u[1]); /* equal steps in the logarithm */
  const double c = 2 * u[2] - 1;                                     /* cosine of the angle */
  const double weight = 2 * x1 * x2 * pow(log(p->x0), 2);
  (void)ndim, (void)ncomp;
  f[0] = p->front * weight * density(x1) * density(x2) / (x1 * x2) * (1 + c * c);
  f[1] = f[0] * c * c;
  return 0;
}

int main(void) {
  struct parameters p = {0.01, 21.71};
  int nregions, neval, fail, wrong = 0;
  double integral[2], error[2], prob[2];
  Cuhre(3, 2, pair_production, &p, 1, 1e-6, 0, 0, 0, 1000000, 0, NULL, NULL, &nregions, &neval, &fail, integral, error,
        prob);
  const double one = primitive(1) - primitive(p.x0);
  const double exact[2] = {p.front * one * one * 8 / 3, p.front * one * one * 16 / 15};
  printf("fail %d, evaluations %d\n", fail, neval);
  for (int k = 0; k < 2; ++k) {
    printf("%s %.8f +- %.1e, exact %.8f\n", k == 0 ? "cross-section " : "times cosine^2", integral[k], error[k],
           exact[k]);
    wrong |= fabs(integral[k] - exact[k]) > 1e-6 * exact[k];
  }
  return fail != 0 || wrong;
}
