/* A test for each problem of outside.c. The file that includes this has defined `plan`, a struct outside_plan, before.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESSERA_TESTS_OUTSIDE_TESTS_H
#define TESSERA_TESTS_OUTSIDE_TESTS_H

#define OUTSIDE_TEST(test, problem, ncomp)                            \
  static void test(void **state) {                                    \
    (void)state;                                                      \
    assert_int_equal(outside_problem_runs(problem, ncomp, &plan), 0); \
  }

/* What is known to go wrong once in fifty runs of a start, and is counted (docs/methods.md, "What remains"): sums of jumps in three
 * variables, which the rule of degree 11 sees exactly between the jumps, and a peak a hundredth as wide as the domain in six. */
#define OUTSIDE_COUNTED(test, problem, most_instances)                                       \
  static void test(void **state) {                                                           \
    int initial = 0;                                                                         \
    (void)state;                                                                             \
    while (plan.initial[initial] != 0) ++initial;                                            \
    const int instances = plan.instances < most_instances ? plan.instances : most_instances; \
    assert_in_range(outside_problem_runs(problem, 1, &plan), 0, initial *instances / 50);    \
  }

OUTSIDE_TEST(linear_model, "linear", 1)
OUTSIDE_TEST(linear_model_with_moments, "linear", 5)
OUTSIDE_TEST(linear_model_moved, "linear_moved", 1)
OUTSIDE_TEST(linear_model_moved_with_moments, "linear_moved", 5)
OUTSIDE_TEST(contingency_table, "contingency", 3)
OUTSIDE_TEST(f4_8d, "f4_8d", 1)
OUTSIDE_TEST(products_of_differences_5d, "differences5", 1)
OUTSIDE_TEST(products_of_differences_6d, "differences6", 1)
OUTSIDE_TEST(curved_valley, "valley", 1)
OUTSIDE_TEST(power_8d, "power8", 1)
OUTSIDE_TEST(kinks_4d, "kinks4", 1)
OUTSIDE_TEST(steps_2d, "steps2", 1)
OUTSIDE_COUNTED(steps_3d, "steps3", 100)
OUTSIDE_TEST(steps_4d, "steps4", 1)
OUTSIDE_TEST(bell_9d, "bell9", 1)
OUTSIDE_TEST(peaks_2d, "peak2", 1)
OUTSIDE_TEST(peaks_3d, "peak3", 1)
OUTSIDE_TEST(peaks_4d, "peak4", 1)
OUTSIDE_TEST(peaks_5d, "peak5", 1)
OUTSIDE_COUNTED(peaks_6d, "peak6", 20)

static const struct CMUnitTest outside_tests[] = {
    cmocka_unit_test(linear_model),
    cmocka_unit_test(linear_model_with_moments),
    cmocka_unit_test(linear_model_moved),
    cmocka_unit_test(linear_model_moved_with_moments),
    cmocka_unit_test(contingency_table),
    cmocka_unit_test(f4_8d),
    cmocka_unit_test(products_of_differences_5d),
    cmocka_unit_test(products_of_differences_6d),
    cmocka_unit_test(curved_valley),
    cmocka_unit_test(power_8d),
    cmocka_unit_test(kinks_4d),
    cmocka_unit_test(steps_2d),
    cmocka_unit_test(steps_3d),
    cmocka_unit_test(steps_4d),
    cmocka_unit_test(bell_9d),
    cmocka_unit_test(peaks_2d),
    cmocka_unit_test(peaks_3d),
    cmocka_unit_test(peaks_4d),
    cmocka_unit_test(peaks_5d),
    cmocka_unit_test(peaks_6d),
};

#endif
