// States of runs by a device batch callback: stopped in one solver and gone on with in another, on device 0. Skipped where there is no device.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>

#include "launched.hpp"

extern "C" {
#include "files.h"
}

using namespace tessera;

namespace {

// The bits of the uninterrupted run; what is known is not asked for again.
void a_stopped_run_goes_on_from_a_file(void **) {
  static const struct {
    const char *function;
    int method, ndim;
    double reltol;
    int key, value;
  } cases[] = {{"f5", TESSERA_CUBATURE, 5, 1e-4, TESSERA_RULE, TESSERA_RULE_GM7},
               {"wave", TESSERA_CUBATURE, 9, 1e-11, TESSERA_RULE, TESSERA_RULE_GM7},  // beside sparse grids
               {"wave", TESSERA_CUBATURE, 6, 1e-11, TESSERA_SPARSE, TESSERA_SPARSE_ALONE},
               {"f4", TESSERA_AUTO, 4, 1e-5, 0, 0},
               {"wave", TESSERA_AUTO, 9, 1e-6, 0, 0},
               {"f5", TESSERA_LATTICE, 4, 1e-4, 0, 0},
               {"f5", TESSERA_MONTECARLO, 4, 1e-3, TESSERA_SAMPLING, TESSERA_SAMPLING_PLAIN},
               {"f5", TESSERA_MONTECARLO, 4, 1e-3, TESSERA_SAMPLING, TESSERA_SAMPLING_VEGAS}};
  const char *const path = test_path("state");
  for (const auto &c : cases) {
    launched l(c.function, c.ndim);
    struct end {
      int status;
      double value, error;
      std::int64_t evaluations;
    };
    const auto solver = [&] {
      tessera_solver *s = device_solver(c.ndim, 1, &l);
      if (c.key != 0) put_int(s, c.key, c.value);
      to(s, c.reltol, 4000000000);
      return s;
    };
    const auto run = [&](tessera_solver *s) {
      end e = {};
      l.points = 0;
      e.status = tessera_integrate(s, c.method, &e.value, &e.error);
      if (e.status < 0) print_error("%s: %s\n", c.function, tessera_last_error(s));
      assert_true(e.status >= 0);
      e.evaluations = got_int(s, TESSERA_EVALUATIONS);
      return e;
    };
    tessera_solver *s = solver();
    const end all = run(s);
    const std::int64_t all_points = l.points;
    print_message("  %-5s %2d variables, method %d: %lld evaluations, %lld of them in sparse grids\n", c.function,
                  c.ndim, c.method, static_cast<long long>(all.evaluations),
                  static_cast<long long>(got_int(s, TESSERA_SPARSE_EVALUATIONS)));
    tessera_destroy(s);
    for (const double share : {0.3, 0.8}) {
      s = solver();
      put_int(s, TESSERA_KEEP_STATE, 1);
      put_int(s, TESSERA_MAXEVAL, static_cast<std::int64_t>(share * static_cast<double>(all.evaluations)));
      run(s);
      assert_status(s, tessera_save_state(s, path), TESSERA_OK);
      tessera_destroy(s);
      s = solver();
      assert_status(s, tessera_load_state(s, path), TESSERA_OK);
      const end rest = run(s);
      tessera_destroy(s);
      assert_int_equal(rest.status, all.status);
      assert_int_equal(rest.evaluations, all.evaluations);
      assert_same_bits(rest.value, all.value);
      assert_same_bits(rest.error, all.error);
      assert_true(l.points <= all_points);
      if (c.method != TESSERA_MONTECARLO && share > 0.5) assert_true(l.points < all_points);
    }
  }
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {cmocka_unit_test(a_stopped_run_goes_on_from_a_file)};
  return on_device([&] { return cmocka_run_group_tests(tests, begin_in_test_directory, end_in_test_directory); });
}
