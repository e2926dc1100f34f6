/* The twin of POSITV in normal_probability.f. COMMON /NORMAL/ is its parameter block.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

enum { most = 10 };

struct normal {
  double chol[most][most]; /* CHOL(I,J) is chol[J-1][I-1] */
  int nvar;
};

static double quantile(double p) {
  const double t = p < 1 - p ? p : 1 - p;
  if (t <= 0) return p < 0.5 ? -38 : 38;
  const double q = log(t);
  double x = 0;
  for (int i = 0; i < 60; ++i) {
    const double tail = 0.5 * erfc(x / sqrt(2.0));
    const double density = exp(-0.5 * x * x) / 2.506628274631000502;
    const double step = tail * (log(tail) - q) / density;
    x += step;
    if (fabs(step) <= 1e-15 * (1 + fabs(x))) break;
  }
  return p < 0.5 ? -x : x;
}

int positv(int ndim, const double *z, int ncomp, double *f, void *params) {
  const struct normal *n = params;
  double y[most], probability = 0.5, cut = 0.5;
  for (int i = 1; i < n->nvar; ++i) {
    double s = 0;
    y[i - 1] = quantile(cut + z[i - 1] * (1 - cut));
    for (int k = 0; k < i; ++k) s += n->chol[k][i] * y[k];
    cut = 0.5 * erfc(s / n->chol[i][i] / sqrt(2.0));
    probability *= 1 - cut;
  }
  f[0] = probability;
  return 0;
}
