/* DENSITY and RADIAL of form_factor.f. The blocks are COMMON /NUCLEUS/ and COMMON /ORBIT/. SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

struct nucleus { double radius, thick, q, dist; };
struct orbit { double ecc; };

double density(const double *r, const void *common) {
  const struct nucleus *n = common;
  double wave = 1;
  if (n->q * *r > 1e-8) wave = sin(n->q * *r) / (n->q * *r);
  return *r * *r * wave / (1 + exp((*r - n->radius) / n->thick));
}

double radial(const double *r, const void *common) {
  const struct orbit *o = common;
  const double s = (*r - 1 + o->ecc) * (1 + o->ecc - *r);
  return s > 0 ? *r / sqrt(s) : 0;
}
