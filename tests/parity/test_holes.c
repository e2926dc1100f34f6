/* Values that are not finite in a slab of the domain, on the host and on device 0: a run that has come to one ends and names a point in the slab, also where lines that
 * look for break points or a sparse grid came there. Skipped where there is no device. SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "skip.h"
#include "solve.h"

#include "holes.h"

enum { device = 0, members = 12 };

static struct answer run_on(int where, int n, const char *text, int sparse) {
  tessera_solver *s = solver_of(n, 1);
  assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, text, "f"), TESSERA_OK);
  put_int(s, TESSERA_DEVICE, where);
  put_int(s, TESSERA_SELECTION, TESSERA_SELECT_BULK);
  put_int(s, TESSERA_INITIAL_REGIONS, 2);
  put_int(s, TESSERA_SPARSE, sparse);
  put_real(s, TESSERA_RELTOL, 1e-5);
  put_int(s, TESSERA_MAXEVAL, 2000000);
  const struct answer a = integrate(s);
  assert_true(a.status == TESSERA_OK || a.status == TESSERA_LIMIT_EVALUATIONS || a.status == TESSERA_NONFINITE);
  tessera_destroy(s);
  return a;
}

static void host_and_device_end_alike(void **state) {
  (void)state;
  for (int kind = 0; kind < hole_kinds; ++kind) {
    uint64_t seed = (uint64_t)(28124200 + kind);
    int ends = 0, grids = 0;
    for (int i = 0; i < members; ++i) {
      const int n = 2 + i % 4;
      const struct holed h = draw_holed(kind, n, &seed);
      char text[1024];
      double x[hole_most_ndim];
      holed_text(&h, text, sizeof text);
      const struct answer host = run_on(-1, n, text, TESSERA_SPARSE_OFF),
                          there = run_on(device, n, text, TESSERA_SPARSE_OFF),
                          beside_grid = run_on(device, n, text, TESSERA_SPARSE_AUTO);
      assert_int_equal(there.status, host.status);
      if (there.status == TESSERA_NONFINITE) {
        assert_int_equal(point_in(there.sentence, x), n);
        assert_true(is_in_hole(&h, x));
        assert_int_equal(beside_grid.status, TESSERA_NONFINITE); /* the regions are the same until then */
        ++ends;
      } else if (beside_grid.status == TESSERA_NONFINITE) {
        ++grids;
      }
    }
    print_message("kind %d: %d of %d runs ended at a value that is not finite, and %d beside a grid\n", kind, ends,
                  members, grids);
    assert_true(ends > 0);
  }
}

int main(void) {
  tessera_solver *s = NULL;
  if (tessera_create(&s, 1, 1) != TESSERA_OK) return 1;
  tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, "double f(const double *x) { return x[0]; }", "f");
  if (lacks_device(s, device)) return no_device_here();
  const struct CMUnitTest tests[] = {cmocka_unit_test(host_and_device_end_alike)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
