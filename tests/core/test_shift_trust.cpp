// Outliers among the means of shifts: the bounds against Grubbs' published table, and what is remembered.
// SPDX-License-Identifier: BSD-3-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/lattice/shift_trust.hpp"

extern "C" {
#include <cmocka.h>  // after all others: its macros have names of theirs
}

#include "close.h"

using namespace tessera;

namespace {

// Critical values of the largest deviation over the standard deviation, 5 % two-sided (Grubbs and Beck, Technometrics 14 (1972) 847).
void the_published_bounds(void **) {
  const struct {
    int shifts;
    double largest;
  } table[] = {{4, 1.481}, {8, 2.126}, {10, 2.290}, {20, 2.709}, {30, 2.908}, {100, 3.384}};
  for (const auto &t : table) assert_close(std::sqrt(far_share(0.05, t.shifts) * (t.shifts - 1)), t.largest, 1e-3, 0);
  for (int r = 1; r < 4; ++r) assert_true(far_share(0.05, r) == 1.0);
}

void the_two_before_are_remembered(void **) {
  shift_trust trust(2);
  const auto first = trust.add(0, 32, 0.1);
  assert_true(first.believed && first.freedom == 31.0);
  const auto far = trust.add(0, 32, 0.8);
  assert_true(!far.believed && far.freedom < 4.0);
  for (int i = 0; i < 2; ++i) {
    const auto after = trust.add(0, 32, 0.1);
    assert_true(!after.believed && after.freedom == far.freedom);
  }
  const auto forgotten = trust.add(0, 64, 0.05);
  assert_true(forgotten.believed && forgotten.freedom > 30.0);
  assert_true(trust.add(1, 32, 0.1).believed);  // the other component
  assert_true(trust.add(1, 2, 0.5).believed);
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {cmocka_unit_test(the_published_bounds), cmocka_unit_test(the_two_before_are_remembered)};
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
