/* TESSERA_QUADRATURE with its rules on the random integrands of tests/support/one_dimension.c: how many of MEMBERS are claimed at TOLERANCE, how many
 * claims are false, evaluations in the mean; with QUADPACK's routines beside it. Lines "distance" have an end-point singularity at an end that is
 * not 0, with TESSERA_COMPLEMENT = 1. Usage: bench_quadrature_rules [MEMBERS [TOLERANCE [FIRST]]]: members FIRST, FIRST + 1, ... SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "one_dimension.h"
#include "tessera.h"
#include "tessera_quadpack.h"

struct counts {
  int claims, wrong;
  double evaluations;
};

static void count(struct counts *c, int good, double value, double exact, double tolerance, int64_t evaluations) {
  c->evaluations += (double)evaluations;
  if (!good) return;
  ++c->claims;
  if (!(fabs(value - exact) <= tolerance * fabs(value) + 1e-14 * fabs(exact))) ++c->wrong;
}

static void show(const char *what, const struct counts *c, int members) {
  printf(",%s,%d,%d,%.0f", what, c->claims, c->wrong, c->evaluations / members);
}

static const struct one_dimension *current;
static double for_quadpack(const double *x) { return one_dimension_value(current, *x); }

static void by_quadpack(const struct one_dimension *i, double tolerance, struct counts *c) {
  static double work[4000];
  static tessera_quadpack_int places[2000];
  const double none = 0.0, zero = 0.0;
  double value, error;
  tessera_quadpack_int calls, ier, last;
  const tessera_quadpack_int limit = 500, length = 2000;
  current = i;
  if (i->breaks > 0) {
    const tessera_quadpack_int points = 3, leniw = 1003, lenw = 2100;
    double at[3] = {i->at[0], 0.0, 0.0};
    dqagp_(for_quadpack, &i->lower, &i->upper, &points, at, &none, &tolerance, &value, &error, &calls, &ier, &leniw,
           &lenw, &last, places, work);
  } else if (isinf(i->upper)) {
    const tessera_quadpack_int range = isinf(i->lower) ? 2 : 1;
    dqagi_(for_quadpack, isinf(i->lower) ? &zero : &i->lower, &range, &none, &tolerance, &value, &error, &calls, &ier,
           &limit, &length, &last, places, work);
  } else {
    dqags_(for_quadpack, &i->lower, &i->upper, &none, &tolerance, &value, &error, &calls, &ier, &limit, &length, &last,
           places, work);
  }
  count(c, ier == 0, value, i->exact, tolerance, calls);
}

static void by_rule(tessera_solver *s, const struct one_dimension *i, int rule, double tolerance, struct counts *c) {
  double value = 0.0, error = 0.0;
  int64_t evaluations = 0;
  tessera_set_int(s, TESSERA_RULE, rule);
  const int status = tessera_integrate(s, TESSERA_QUADRATURE, &value, &error);
  tessera_get_int(s, TESSERA_EVALUATIONS, &evaluations);
  count(c, status == TESSERA_OK, value, i->exact, tolerance, evaluations);
}

/* (3 - x)^p[0] on (1, 3) by the distance. */
static int from_distance(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp;
  *f = pow(x[1], ((const struct one_dimension *)userdata)->p[0]);
  return 0;
}

int main(int argc, char **argv) {
  const int members = argc > 1 ? atoi(argv[1]) : 300;
  const double tolerance = argc > 2 ? atof(argv[2]) : 1e-8;
  const uint64_t first = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
  static const struct {
    const char *name;
    int rule;
  } rules[] = {{"automatic", TESSERA_RULE_AUTO},
               {"kronrod21", TESSERA_RULE_KRONROD21},
               {"double_exponential", TESSERA_RULE_DOUBLE_EXPONENTIAL}};
  tessera_solver *s = NULL;
  if (tessera_create(&s, 1, 1) != TESSERA_OK) return 1;
  tessera_set_real(s, TESSERA_RELTOL, tolerance);
  printf("# each rule: claims, false claims, evaluations\n");
  for (int family = 0; family <= one_dimension_families; ++family) {
    const int distance = family == one_dimension_families;
    struct counts all[3] = {{0, 0, 0.0}, {0, 0, 0.0}, {0, 0, 0.0}}, quadpack = {0, 0, 0.0};
    for (int n = 0; n < members; ++n) {
      struct one_dimension i = one_dimension_draw(distance ? 0 : family, first + (uint64_t)n);
      if (distance) {
        i.p[0] = -0.95 + 1.95 * (n + 0.5) / members;
        i.lower = 1.0, i.upper = 3.0;
        i.exact = pow(2.0, i.p[0] + 1.0) / (i.p[0] + 1.0);
      }
      tessera_set_int(s, TESSERA_COMPLEMENT, distance);
      tessera_set_integrand1(s, distance ? from_distance : one_dimension_point, &i);
      tessera_set_domain(s, &i.lower, &i.upper);
      tessera_set_breakpoints(s, i.breaks, i.at);
      for (int r = 0; r < 3; ++r) by_rule(s, &i, rules[r].rule, tolerance, &all[r]);
      if (!distance) by_quadpack(&i, tolerance, &quadpack);
    }
    printf("%s", distance ? "distance" : one_dimension_name(family));
    for (int r = 0; r < 3; ++r) show(rules[r].name, &all[r], members);
    show("quadpack", &quadpack, members);
    printf("\n");
  }
  tessera_destroy(s);
  return 0;
}
