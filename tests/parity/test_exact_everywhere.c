/* What the rule integrates exactly in all first regions, or nearly so, on the host and on device 0: both divide on before they claim success, into the same
 * regions. Skipped where there is no device. SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "beside.h"
#include "skip.h"
#include "solve.h"

enum { device = 0 };

static struct answer run_on(int where, int n, const char *text, int first_regions, int least_regions) {
  tessera_solver *s = solver_of(n, 1);
  assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_C, text, "f"), TESSERA_OK);
  put_int(s, TESSERA_DEVICE, where);
  put_int(s, TESSERA_SELECTION, TESSERA_SELECT_BULK);
  put_int(s, TESSERA_INITIAL_REGIONS, first_regions);
  put_int(s, TESSERA_LEAST_REGIONS, least_regions);
  put_int(s, TESSERA_SPARSE, TESSERA_SPARSE_OFF);
  put_real(s, TESSERA_RELTOL, 0.01);
  put_int(s, TESSERA_MAXEVAL, 2000000);
  const struct answer a = integrate(s);
  assert_true(a.status == TESSERA_OK || a.status == TESSERA_LIMIT_EVALUATIONS);
  tessera_destroy(s);
  return a;
}

static void the_same_regions(void **state) {
  (void)state;
  for (int background = 0; background < backgrounds; ++background)
    for (int n = 2; n <= 6; n += 2)
      for (int ball = 0; ball <= 1; ++ball) {
        uint64_t seed = (uint64_t)(700 + 10 * background + n);
        struct beside p = draw_beside((enum background)background, n, &seed);
        if (!ball) p.height = 0;
        char text[2048];
        beside_text(&p, n, text, sizeof text);
        /* from two regions on both; and as a device begins by itself */
        const struct answer host = run_on(-1, n, text, 2, 0), there = run_on(device, n, text, 2, 0),
                            alone = run_on(device, n, text, 1, 0);
        const double exact = beside_exact(&p, n);
        print_message(
            "  %s, %d variables%s: %lld and %lld evaluations, %lld and %lld regions, %.1e off; by itself %lld\n",
            background_names[background], n, ball ? ", a ball" : "", (long long)host.evaluations,
            (long long)there.evaluations, (long long)host.regions, (long long)there.regions,
            fabs(there.value / exact - 1), (long long)alone.regions);
        assert_int_equal(there.status, host.status);
        if (!ball) assert_int_equal(there.regions, host.regions); /* round a ball rounding decides which come first */
        assert_close(there.value, host.value, 1e-12, ball ? there.error + host.error : 0);
        if (there.status == TESSERA_OK) assert_close(there.value, exact, 0.01, 0);
        if (alone.status == TESSERA_OK) assert_close(alone.value, exact, 0.01, 0);
        assert_true(there.regions >= (n == 2 ? 16 : 64) && alone.regions >= (n == 2 ? 16 : 64));
      }
}

/* A smooth integrand, which meets the tolerance at once: as many regions as are asked for, or a level more where a device begins by itself. */
static void as_many_as_are_asked_for(void **state) {
  static const int asked[] = {0, 1, 16, 100, 300};
  (void)state;
  for (int n = 1; n <= 8; ++n)
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; ++i) {
      char text[256];
      snprintf(text, sizeof text,
               "int f(int ndim, const double *x, int ncomp, double *f, const void *params) {\n"
               "  f[0] = 1;\n  for (int j = 0; j < %d; ++j) f[0] /= 1 + x[j];\n  return 0;\n}\n",
               n);
      const int wanted = asked[i] > 0 ? asked[i] : n <= 7 ? 16 : 1;
      const struct answer host = run_on(-1, n, text, 2, asked[i]), there = run_on(device, n, text, 2, asked[i]),
                          alone = run_on(device, n, text, 1, asked[i]);
      assert_int_equal(there.status, host.status);
      assert_int_equal(there.status, TESSERA_OK);
      assert_int_equal(there.regions, host.regions);
      assert_int_equal(there.evaluations, host.evaluations);
      assert_true(there.regions >= wanted && alone.regions >= wanted &&
                  alone.regions <= (wanted < 8 ? 64 : 8 * wanted));
      assert_close(there.value, host.value, 1e-13, 0);
      assert_close(alone.value, pow(log(2), n), 0.01, 0);
    }
}

int main(void) {
  const struct beside p = {.background = constant};
  char text[2048];
  tessera_solver *s = NULL;
  if (tessera_create(&s, 2, 1) != TESSERA_OK) return 1;
  beside_text(&p, 2, text, sizeof text);
  tessera_set_integrand_source(s, TESSERA_LANGUAGE_C, text, "f");
  if (lacks_device(s, device)) return no_device_here();
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_same_regions), cmocka_unit_test(as_many_as_are_asked_for)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
