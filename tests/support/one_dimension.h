/* Random integrands of one variable with closed forms: families of what physicists integrate, and of what misleads error estimates.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESSERA_TESTS_ONE_DIMENSION_H
#define TESSERA_TESTS_ONE_DIMENSION_H

#include <stdint.h>

enum { one_dimension_families = 23 };

struct one_dimension {
  int family;
  double p[8];         /* of the integrand; p[0] is used by every family */
  double lower, upper; /* infinite where the range is */
  int breaks;          /* points that are to be given as break points */
  double at[2], exact;
};

const char *one_dimension_name(int family);
/* Member `number` of a family. */
struct one_dimension one_dimension_draw(int family, uint64_t number);
double one_dimension_value(const struct one_dimension *i, double x);
/* The same with userdata as the integrand, in the form of tessera_integrand1. */
int one_dimension_point(int ndim, const double *x, int ncomp, double *f, void *userdata);

#endif
