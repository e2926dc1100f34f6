/* Break points on the host and on device 0: the same are found, and the regions are the same. Skipped where there is no device.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "breaks.h"
#include "solve.h"
#include "skip.h"

enum { device = 0, first_regions = 1024 /* what a device begins with */ };

static void the_same_regions(void **state) {
  (void)state;
  for (int kind = 0; kind < break_kinds; ++kind)
    for (int ndim = 2; ndim <= 8; ndim += 2) {
      const struct broken b = draw_broken(kind, ndim, (uint64_t)(3000 + 10 * ndim + kind));
      const double reltol = ndim == 8 ? 1e-3 : 1e-6, exact = broken_exact(&b);
      char text[4096];
      broken_text(&b, text, sizeof text);
      struct answer a[3];
      double seconds[3];
      for (int run = 0; run < 3; ++run) { /* on the host, there, there without */
        tessera_solver *s = solver_of(ndim, 1);
        assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_C, text, "f"), TESSERA_OK);
        put_int(s, TESSERA_DEVICE, run == 0 ? -1 : device);
        put_int(s, TESSERA_BREAK_POINTS, run < 2);
        put_int(s, TESSERA_THREADS, 0);
        put_int(s, TESSERA_SELECTION, TESSERA_SELECT_BULK);
        put_int(s, TESSERA_INITIAL_REGIONS, first_regions);
        put_int(s, TESSERA_SPARSE, TESSERA_SPARSE_OFF);
        put_real(s, TESSERA_RELTOL, reltol);
        put_int(s, TESSERA_MAXEVAL, 100000000);
        a[run] = integrate(s);
        seconds[run] = got_real(s, TESSERA_SECONDS) - got_real(s, TESSERA_COMPILE_SECONDS);
        tessera_destroy(s);
      }
      print_message(
          "  kind %d %d-D: %.12g +- %.1e, %.12g +- %.1e (%.1e off), %lld and %lld evaluations, %.4f s; without "
          "status %d, %lld evaluations, %.4f s\n",
          kind, ndim, a[0].value, a[0].error, a[1].value, a[1].error, fabs(a[1].value / exact - 1),
          (long long)a[0].evaluations, (long long)a[1].evaluations, seconds[1], a[2].status,
          (long long)a[2].evaluations, seconds[2]);
      assert_int_equal(a[0].status, TESSERA_OK);
      assert_int_equal(a[1].status, TESSERA_OK);
      for (int run = 0; run < 2; ++run) assert_close(a[run].value, exact, reltol, 0);
      assert_close((double)a[1].evaluations, (double)a[0].evaluations, 0.05, 0);
      if (a[2].evaluations > 1000000) assert_true(2 * a[1].evaluations < a[2].evaluations);
    }
}

int main(void) {
  const struct broken b = draw_broken(0, 2, 1);
  char text[4096];
  tessera_solver *s = NULL;
  if (tessera_create(&s, 2, 1) != TESSERA_OK) return 1;
  broken_text(&b, text, sizeof text);
  tessera_set_integrand_source(s, TESSERA_LANGUAGE_C, text, "f");
  if (lacks_device(s, device)) return no_device_here();
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_same_regions)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
