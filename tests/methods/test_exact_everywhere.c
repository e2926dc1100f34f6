/* What the rule integrates exactly in all first regions, a constant or a polynomial, with something beside it that their points do not meet: such
 * regions say nothing of what lies between their points, and none that is large may be left (docs/methods.md, Exploration).
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "beside.h"
#include "solve.h"

static int value_of(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ncomp;
  f[0] = beside_value(userdata, ndim, x);
  return 0;
}

static void a_ball_is_found(void **state) {
  enum { members = 60 };
  const double reltol = 0.01;
  (void)state;
  for (int background = 0; background < backgrounds; ++background)
    for (int n = 2; n <= 5; ++n) {
      uint64_t seed = (uint64_t)(100 * background + n);
      int claims = 0, wrong = 0;
      double evaluations = 0;
      for (int i = 0; i < members; ++i) {
        struct beside p = draw_beside((enum background)background, n, &seed);
        const double exact = beside_exact(&p, n);
        tessera_solver *s = solver_of(n, 1);
        put_point(s, value_of, &p);
        put_real(s, TESSERA_RELTOL, reltol);
        put_int(s, TESSERA_SELECTION, i % 2 == 0 ? TESSERA_SELECT_WORST_FIRST : TESSERA_SELECT_BULK);
        put_int(s, TESSERA_MAXEVAL, 60000);
        const struct answer a = integrate(s);
        evaluations += (double)a.evaluations / members;
        if (a.status == TESSERA_OK) {
          ++claims;
          wrong += fabs(a.value - exact) > reltol * exact;
        } else {
          assert_status(s, a.status, TESSERA_LIMIT_EVALUATIONS);
        }
        tessera_destroy(s);
      }
      print_message("%s in %d variables: %d claims, %d false, %.0f evaluations\n", background_names[background], n,
                    claims, wrong, evaluations);
      assert_int_equal(wrong, 0);
    }
}

/* Regions are divided until there are 16 of a size in two and three variables and 64 in more: if that takes no more than half of the evaluations that are
 * allowed, and else success is claimed sooner. Not with the classic estimate. */
static void a_polynomial_alone_takes_few_regions(void **state) {
  (void)state;
  for (int background = 0; background < backgrounds; ++background)
    for (int n = 2; n <= most_ndim; ++n)
      for (int estimate = TESSERA_ESTIMATE_ROBUST; estimate <= TESSERA_ESTIMATE_CLASSIC; ++estimate)
        for (int few = 0; few <= 1; ++few) {
          struct beside p = {.background = (enum background)background};
          tessera_solver *s = solver_of(n, 1);
          put_point(s, value_of, &p);
          put_real(s, TESSERA_RELTOL, 1e-6);
          put_int(s, TESSERA_ESTIMATE, estimate);
          put_int(s, TESSERA_SPARSE, TESSERA_SPARSE_OFF);
          struct answer a = integrate(s);
          const int64_t points = got_int(s, TESSERA_RULE_POINTS);
          if (few) {
            put_int(s, TESSERA_MAXEVAL, 12 * points);
            a = integrate(s);
          }
          const int64_t wanted = estimate == TESSERA_ESTIMATE_CLASSIC ? 2 : few ? 3 : n <= 3 ? 16 : 64;
          assert_status(s, a.status, TESSERA_OK);
          assert_true(a.regions >= wanted && a.regions < 2 * wanted);
          if (estimate == TESSERA_ESTIMATE_CLASSIC)
            assert_int_equal(a.evaluations, (2 * a.regions - 1) * points);
          else
            assert_rules_and_places(a.evaluations, (2 * a.regions - 1) * points, most_around_top(n));
          assert_close(a.value, beside_exact(&p, n), 1e-13, 0);
          tessera_destroy(s);
        }
}

static int one(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)x, (void)ncomp, (void)userdata;
  f[0] = 1;
  f[1] = 0;
  return 0;
}
/* A part that is 0 says no more than a constant does. */
static void a_complex_constant(void **state) {
  (void)state;
  for (int n = 4; n <= 6; ++n) {
    double value[2], error[2];
    tessera_solver *s = solver_of(n, 2);
    put_point(s, one, NULL);
    put_int(s, TESSERA_COMPLEX, 1);
    put_int(s, TESSERA_SPARSE, TESSERA_SPARSE_OFF);
    assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_OK);
    assert_int_equal(got_int(s, TESSERA_REGIONS), 64);
    assert_close(value[0], 1, 1e-14, 0);
    assert_true(value[1] == 0);
    tessera_destroy(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_ball_is_found),
                                     cmocka_unit_test(a_polynomial_alone_takes_few_regions),
                                     cmocka_unit_test(a_complex_constant)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
