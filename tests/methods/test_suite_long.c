/* The PAGANI suite with 2e8 evaluations: all that can be reached with so many. What can be reached is what DCUHRE reaches
 * (the classic estimate) with as many; the robust estimate may need half as many again, and is given them for f6.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "suite_runs.h"

enum { budget = 200000000 };

static void run(const char *name, int digits, int estimate) {
  const int more = name[1] == '6' && estimate == TESSERA_ESTIMATE_ROBUST ? budget / 2 : 0;
  const struct suite_goal goal = {name, digits, budget + more};
  assert_int_equal(run_suite_case(&goal, estimate), 0);
}

static void f1_5d(void **state) { (void)state, run("f1_5d", 6, TESSERA_ESTIMATE_ROBUST); }
static void f1_8d(void **state) { (void)state, run("f1_8d", 0, TESSERA_ESTIMATE_ROBUST); }
static void f2_6d(void **state) { (void)state, run("f2_6d", 0, TESSERA_ESTIMATE_ROBUST); }
static void f3_3d(void **state) { (void)state, run("f3_3d", 6, TESSERA_ESTIMATE_ROBUST); }
static void f3_8d(void **state) { (void)state, run("f3_8d", 5, TESSERA_ESTIMATE_ROBUST); }
static void f4_5d(void **state) { (void)state, run("f4_5d", 6, TESSERA_ESTIMATE_ROBUST); }
static void f4_8d(void **state) { (void)state, run("f4_8d", 0, TESSERA_ESTIMATE_ROBUST); }
static void f5_5d(void **state) { (void)state, run("f5_5d", 6, TESSERA_ESTIMATE_ROBUST); }
static void f5_8d(void **state) { (void)state, run("f5_8d", 0, TESSERA_ESTIMATE_ROBUST); }
static void f6_6d(void **state) { (void)state, run("f6_6d", 6, TESSERA_ESTIMATE_ROBUST); }
static void f7_8d(void **state) { (void)state, run("f7_8d", 6, TESSERA_ESTIMATE_ROBUST); }
static void f8_8d(void **state) { (void)state, run("f8_8d", 6, TESSERA_ESTIMATE_ROBUST); }
static void f6_6d_classic(void **state) { (void)state, run("f6_6d", 6, TESSERA_ESTIMATE_CLASSIC); }

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(f1_5d),         cmocka_unit_test(f1_8d), cmocka_unit_test(f2_6d), cmocka_unit_test(f3_3d),
      cmocka_unit_test(f3_8d),         cmocka_unit_test(f4_5d), cmocka_unit_test(f4_8d), cmocka_unit_test(f5_5d),
      cmocka_unit_test(f5_8d),         cmocka_unit_test(f6_6d), cmocka_unit_test(f7_8d), cmocka_unit_test(f8_8d),
      cmocka_unit_test(f6_6d_classic),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
