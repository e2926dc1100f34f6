// When VEGAS goes on sharing its iterations with other devices, by the times that it is told.
// SPDX-License-Identifier: BSD-3-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "cuda/montecarlo/sharing_watch.hpp"

extern "C" {
#include <cmocka.h>  // after all others: its macros have names of theirs
}

using namespace tessera;

namespace {

constexpr int64 many = int64{1} << 24;
const int kernels = 0, others = 0;

// Iterations one after the other, the first ones by one device.
struct clock_and_watch {
  sharing_watch watch;
  double now = 0.0;
  void iterate(const void *with, int64 samples, int devices, double seconds) {
    watch.begin_iteration(with, samples, now);
    watch.took_part(devices);
    now += seconds;
  }
  bool is_worth(const void *with) {
    watch.begin_iteration(with, many, now);
    return watch.is_worth();
  }
};

void two_that_gain_go_on(void **) {
  clock_and_watch c;
  c.watch.begin_run(false);
  c.iterate(&kernels, many, 1, 1.0);
  for (int i = 0; i < 4; ++i) c.iterate(&kernels, 2 * many, 2, 1.2);
  assert_true(c.is_worth(&kernels));
}

void two_that_gain_less_than_a_tenth_do_not(void **) {
  clock_and_watch c;
  c.watch.begin_run(false);
  c.iterate(&kernels, many, 1, 1.0);
  c.iterate(&kernels, 2 * many, 2, 1.9);
  c.iterate(&kernels, 2 * many, 2, 1.9);
  assert_false(c.is_worth(&kernels));
  c.watch.begin_run(false);  // what is known stays known for the next run,
  assert_false(c.is_worth(&kernels));
  assert_true(c.is_worth(&others));  // not for another integrand
}

// The first shared iteration may have started devices and compiled for them.
void the_first_says_nothing(void **) {
  clock_and_watch c;
  c.watch.begin_run(false);
  c.iterate(&kernels, many, 1, 1.0);
  c.iterate(&kernels, many, 2, 30.0);
  assert_true(c.is_worth(&kernels));
}

void a_callback_is_judged_anew_in_each_run(void **) {
  clock_and_watch c;
  c.watch.begin_run(true);
  c.iterate(&kernels, many, 1, 1.0);
  for (int i = 0; i < 2; ++i) c.iterate(&kernels, many, 2, 1.0);
  assert_false(c.is_worth(&kernels));
  c.watch.begin_run(true);
  assert_true(c.is_worth(&kernels));
}

// Nothing is known of one device, or by few samples alone.
void without_a_measure_they_share(void **) {
  clock_and_watch c;
  c.watch.begin_run(false);
  c.iterate(&kernels, 1000, 1, 1e-9);
  for (int i = 0; i < 3; ++i) c.iterate(&kernels, many, 2, 1.0);
  assert_true(c.is_worth(&kernels));
}

}  // namespace

int main() {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_that_gain_go_on), cmocka_unit_test(two_that_gain_less_than_a_tenth_do_not),
      cmocka_unit_test(the_first_says_nothing), cmocka_unit_test(a_callback_is_judged_anew_in_each_run),
      cmocka_unit_test(without_a_measure_they_share)};
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
