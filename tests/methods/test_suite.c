/* The PAGANI suite with the evaluations of an everyday run; test_suite_long.c has the rest.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "suite_runs.h"

static void run(const char *name, int digits, int64_t evaluations) {
  const struct suite_goal goal = {name, sanitized && digits > 4 ? 4 : digits,
                                  sanitized ? evaluations / 10 : evaluations};
  assert_int_equal(run_suite_case(&goal, TESSERA_ESTIMATE_ROBUST), 0);
}

/* These reach all four tolerances, or all but one. */
static void f1_5d(void **state) { (void)state, run("f1_5d", 6, 30000000); }
static void f3_3d(void **state) { (void)state, run("f3_3d", 6, 30000000); }
static void f4_5d(void **state) { (void)state, run("f4_5d", 5, sanitized ? 60000000 : 30000000); }
static void f5_5d(void **state) { (void)state, run("f5_5d", 6, 30000000); }
static void f7_8d(void **state) { (void)state, run("f7_8d", 5, 30000000); }
static void f8_8d(void **state) { (void)state, run("f8_8d", 6, 30000000); }
static void f3_8d(void **state) { (void)state, run("f3_8d", 3, sanitized ? 100000000 : 10000000); }

/* Out of reach here: success must not be claimed too early. */
static void f1_8d(void **state) { (void)state, run("f1_8d", 0, 10000000); }
static void f2_6d(void **state) { (void)state, run("f2_6d", 0, 10000000); }
static void f4_8d(void **state) { (void)state, run("f4_8d", 0, 10000000); }
static void f5_8d(void **state) { (void)state, run("f5_8d", 0, 10000000); }
static void f6_6d(void **state) { (void)state, run("f6_6d", 0, 10000000); }

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(f1_5d), cmocka_unit_test(f3_3d), cmocka_unit_test(f4_5d), cmocka_unit_test(f5_5d),
      cmocka_unit_test(f7_8d), cmocka_unit_test(f8_8d), cmocka_unit_test(f1_8d), cmocka_unit_test(f2_6d),
      cmocka_unit_test(f3_8d), cmocka_unit_test(f4_8d), cmocka_unit_test(f5_8d), cmocka_unit_test(f6_6d),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
