/* A peak that is cut off across the first axis, as by a threshold, in two and three variables: residuals near the faces of a region turn
 * the cuts to that axis, so that each is found with some thousand evaluations.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "cases.h"
#include "solve.h"

struct cut_peak {
  double cut, middle, width, others, spread; /* of the first axis; of all others */
};

static int value_of(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const struct cut_peak *p = userdata;
  const double t = (x[0] - p->middle) / p->width;
  double s = t * t;
  (void)ncomp;
  for (int j = 1; j < ndim; ++j) s += (x[j] - p->others) * (x[j] - p->others) / (p->spread * p->spread);
  f[0] = x[0] > p->cut ? exp(-s) : 0;
  return 0;
}

static void found_with_few(int ndim, double reltol, int selection, double most) {
  enum { members = 40 };
  uint64_t seed = (uint64_t)(100 * ndim + selection);
  double evaluations = 0;
  int wrong = 0;
  struct cut_peak p;
  tessera_solver *s = solver_of(ndim, 1);
  put_point(s, value_of, &p);
  put_real(s, TESSERA_RELTOL, reltol);
  put_int(s, TESSERA_SELECTION, selection);
  put_int(s, TESSERA_MAXEVAL, 300000);
  for (int i = 0; i < members; ++i) {
    p.cut = 0.1 + 0.8 * splitmix_uniform(&seed);
    p.width = 0.05 * pow(10, splitmix_uniform(&seed));
    p.middle = p.cut + p.width * (3 * splitmix_uniform(&seed) - 1);
    p.others = 0.2 + 0.6 * splitmix_uniform(&seed);
    p.spread = 0.1 * pow(10, splitmix_uniform(&seed));
    const double exact =
        gauss_between(p.middle, p.width, p.cut, 1) * pow(gauss_between(p.others, p.spread, 0, 1), ndim - 1);
    double value, error;
    assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, &value, &error), TESSERA_OK);
    wrong += fabs(value - exact) > reltol * fabs(exact);
    evaluations += (double)got_int(s, TESSERA_EVALUATIONS) / members;
  }
  print_message("%d variables to %g, selection %d: %.0f evaluations, %d of %d false\n", ndim, reltol, selection,
                evaluations, wrong, (int)members);
  assert_int_equal(wrong, 0);
  assert_at_most(evaluations, most);
  tessera_destroy(s);
}

static void a_threshold_is_found(void **state) {
  (void)state;
  for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
    found_with_few(2, 1e-3, selection, 20000);
    found_with_few(2, 1e-5, selection, 60000);
    found_with_few(3, 1e-3, selection, 60000);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_threshold_is_found)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
