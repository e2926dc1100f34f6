/* The twin of DENSTY in posterior.f. COMMON /DATA/ is its parameter block.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

enum { ndata = 12 };

struct data {
  double x[ndata], y[ndata], scale;
};

int density(int ndim, const double *theta, int numfun, double *f, void *params) {
  const struct data *d = params;
  const double sigma = theta[2], r = sigma / d->scale;
  double q = 0;
  for (int i = 0; i < ndata; ++i) {
    const double e = d->y[i] - theta[0] - theta[1] * (d->x[i] - 5.5);
    q += e * e;
  }
  f[0] = exp(-q / (2 * sigma * sigma) + 5) / pow(r, ndata + 1);
  f[1] = f[0] * theta[0];
  f[2] = f[0] * theta[1];
  f[3] = f[0] * sigma * sigma;
  return 0;
}
