/* Bent Gaussians over infinite ranges in three variables: what a curved valley holds is spread over hundreds of regions, and where it leaves
 * the last small one through a face, the wide neighbour sees nothing of it. With landmarks of 64 groups a twelfth of these claims was false.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "population.h"
#include "solve.h"

static void bent_gaussians(int selection) {
  enum { members = 60, ndim = 3 };
  const int family = population_find("warped");
  int claims = 0, wrong = 0;
  double worst = 0;
  for (int i = 0; i < members; ++i) {
    struct population_instance p;
    if (population_make(family, ndim, population_seed(25112411, family, ndim, i), &p) < 0) fail();
    tessera_solver *s = solver_of(ndim, 1);
    put_point(s, population_f, &p.params);
    assert_status(s, tessera_set_domain(s, p.lower, p.upper), TESSERA_OK);
    put_int(s, TESSERA_SELECTION, selection);
    put_int(s, TESSERA_INITIAL_REGIONS, 1);
    put_int(s, TESSERA_MAXEVAL, 1000000);
    for (double reltol = 1e-3; reltol > 5e-5; reltol /= 10) {
      put_real(s, TESSERA_RELTOL, reltol);
      double value, error;
      const int status = tessera_integrate(s, TESSERA_CUBATURE, &value, &error);
      assert_true(status == TESSERA_OK || status == TESSERA_LIMIT_EVALUATIONS);
      if (status != TESSERA_OK) continue;
      const double missed = fabs(value / p.exact - 1) / reltol;
      ++claims;
      wrong += missed > 1;
      worst = fmax(worst, missed);
    }
    tessera_destroy(s);
  }
  print_message("selection %d: %d of %d claims false, at most %.3g tolerances\n", selection, wrong, claims, worst);
  assert_int_equal(wrong, 0);
  assert_true(claims > 80);
}

static void worst_first(void **state) {
  (void)state;
  bent_gaussians(TESSERA_SELECT_WORST_FIRST);
}
static void in_bulk(void **state) {
  (void)state;
  bent_gaussians(TESSERA_SELECT_BULK);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(worst_first), cmocka_unit_test(in_bulk)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
