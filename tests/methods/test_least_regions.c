/* Something beside a smooth integrand, where few points fall, and a tolerance that the smooth part meets at once: TESSERA_LEAST_REGIONS says how closely the domain is
 * looked at before success is claimed (docs/methods.md, "Exploration").
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "featured.h"
#include "solve.h"

/* How many of so many claims are false. */
static int false_claims(int method, int n, int members, int64_t least_regions, int *claims) {
  int wrong = 0;
  for (int feature = 0; feature < features; ++feature) {
    uint64_t seed = (uint64_t)(28124300 + 10 * n + feature);
    for (int i = 0; i < members; ++i) {
      struct featured p = draw_featured((enum feature)feature, n, &seed);
      const double reltol = pow(10, -1.5 - 1.5 * splitmix_uniform(&seed));
      tessera_solver *s = solver_of(n, 1);
      put_point(s, featured_value, &p);
      put_real(s, TESSERA_RELTOL, reltol);
      put_int(s, TESSERA_MAXEVAL, 200000);
      put_int(s, TESSERA_LEAST_REGIONS, least_regions);
      put_int(s, TESSERA_SELECTION, i % 2 == 0 ? TESSERA_SELECT_WORST_FIRST : TESSERA_SELECT_BULK);
      double value = 0, error = 0;
      if (tessera_integrate(s, method, &value, &error) == TESSERA_OK) {
        ++*claims;
        wrong += fabs(value - p.exact) > reltol * p.exact;
      }
      tessera_destroy(s);
    }
  }
  return wrong;
}

static void features_are_found(void **state) {
  const int members = sanitized ? 10 : 40;
  int all = 0, all_few = 0;
  (void)state;
  for (int n = 1; n <= 5; ++n) {
    int claims = 0, claims_few = 0;
    const int wrong = false_claims(TESSERA_CUBATURE, n, members, 0, &claims),
              wrong_few = false_claims(TESSERA_CUBATURE, n, members, 1, &claims_few);
    print_message("%d variables: %d of %d claims are false, with TESSERA_LEAST_REGIONS = 1 %d of %d\n", n, wrong,
                  claims, wrong_few, claims_few);
    assert_true(claims > claims_few / 2 && claims > members);
    if (n <= 3) assert_int_equal(wrong, 0);
    all += wrong;
    all_few += wrong_few;
  }
  assert_true(all_few > 2 * members && 20 * all < all_few);
}

static void quadrature_finds_them_too(void **state) {
  static const int methods[] = {TESSERA_QUADRATURE, TESSERA_AUTO};
  enum { members = 50 };
  (void)state;
  for (int m = 0; m < 2; ++m) {
    int claims = 0, claims_few = 0;
    const int wrong = false_claims(methods[m], 1, members, 0, &claims),
              wrong_few = false_claims(methods[m], 1, members, 1, &claims_few);
    print_message("%s: %d of %d claims are false, with TESSERA_LEAST_REGIONS = 1 %d of %d\n",
                  m == 0 ? "quadrature" : "automatic choice", wrong, claims, wrong_few, claims_few);
    assert_true(claims == features * members && claims_few == claims);
    assert_true(wrong <= 1 && wrong_few > claims / 4);
  }
}

static int smooth(int n, const double *x, int ncomp, double *v, void *userdata) {
  (void)ncomp, (void)userdata;
  v[0] = 1;
  for (int j = 0; j < n; ++j) v[0] /= 1 + x[j];
  return 0;
}

/* From the domain on, worst first, until there are so many of a size. */
static void smooth_integrands_take_so_many(void **state) {
  static const int64_t asked[] = {0, 1, 2, 4, 16, 64};
  (void)state;
  for (int n = 1; n <= 9; ++n)
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; ++i)
      for (int few = 0; few <= 1; ++few) {
        tessera_solver *s = solver_of(n, 1);
        put_point(s, smooth, NULL);
        put_real(s, TESSERA_RELTOL, 1e-2);
        put_int(s, TESSERA_SPARSE, TESSERA_SPARSE_OFF);
        put_int(s, TESSERA_BREAK_POINTS, 0);
        put_int(s, TESSERA_LEAST_REGIONS, asked[i]);
        struct answer a = integrate(s);
        const int64_t points = got_int(s, TESSERA_RULE_POINTS);
        int64_t wanted = asked[i] > 0 ? asked[i] : n <= 7 ? 16 : 1;
        if (few) { /* half of the evaluations are enough for eight */
          put_int(s, TESSERA_MAXEVAL, 32 * points);
          a = integrate(s);
          if (wanted > 8) wanted = 8;
        }
        assert_status(s, a.status, TESSERA_OK);
        assert_int_equal(a.regions, wanted < 2 ? 2 : wanted);
        if (n == 1 || asked[i] == 1)
          assert_int_equal(a.evaluations, (2 * a.regions - 1) * points);
        else
          assert_rules_and_places(a.evaluations, (2 * a.regions - 1) * points,
                                  n < 7 ? most_around_top(n) : 8 * 2 * n); /* high in a corner */
        assert_close(a.value, pow(log(2), n), 1e-2, 0);
        put_int(s, TESSERA_ESTIMATE, TESSERA_ESTIMATE_CLASSIC);
        a = integrate(s);
        assert_int_equal(a.regions, 2); /* as other codes, which it stands for */
        tessera_destroy(s);
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(features_are_found), cmocka_unit_test(quadrature_finds_them_too),
                                     cmocka_unit_test(smooth_integrands_take_so_many)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
