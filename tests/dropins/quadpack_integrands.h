/* The integrands of tests/dropins/data/quadpack.csv, by number. Included by test_quadpack.c, and compiled by make_quadpack.py for the
 * runs of the original. SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESSERA_TESTS_QUADPACK_INTEGRANDS_H
#define TESSERA_TESTS_QUADPACK_INTEGRANDS_H

#include <math.h>

enum { csv_integrands = 20 };
static int csv_integrand;
static double csv_p[3]; /* its parameters */
static int csv_calls, csv_not_finite;

static double csv_value(double x) {
  const double p = csv_p[0], q = csv_p[1], r = csv_p[2], distance = fabs(x - p);
  switch (csv_integrand) {
    case 0:
      return exp(-p * x) * cos(q * x);
    case 1:
      return distance > 0 ? pow(distance, q) : 0; /* singular inside */
    case 2:
      return 1 / (distance * distance + q * q); /* peak */
    case 3:
      return x < p ? exp(q * x) : r * sin(x); /* jump */
    case 4:
      return (distance > 0 ? log(distance) : 0) * cos(q * x);
    case 5:
      return x > 0 ? pow(x, p) * log(x) : 0; /* singular at the end */
    case 6:
      return sin(p * x * x) + q;
    case 7:
      return p + x * (q + x * x * x * r);
    case 8:
      return distance > 0 ? 1 / distance : 0; /* divergent */
    case 9:
      return exp(-p * x * x) * (1 + q * x);
    case 10:
      return pow(1 + p * x * x, -q);
    case 11:
      return x != 0 ? pow(fabs(x), p) * exp(-q * fabs(x)) : 0;
    case 12:
      return cos(p / (fabs(x) + q));
    case 13:
      return sqrt(fabs(x * x - p));
    case 14:
      return p;
    case 15:
      return p * exp(-q * x) + r * cos(x); /* of any size */
    case 16:
      return fabs(sin(p * x));
    case 17:
      return floor(p * x);
    case 18:
      return x + q > 0 ? pow(x + q, -p) : 0;
    default:
      return x > 0 ? pow(1 + log(x) * log(x), -p) : 0;
  }
}
static double csv_function(const double *x) {
  const double value = csv_value(*x);
  ++csv_calls;
  if (!isfinite(value)) ++csv_not_finite;
  return value;
}

#endif
