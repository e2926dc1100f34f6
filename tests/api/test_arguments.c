/* Every public function with every wrong argument: the status, the sentence, and outputs that stay as they were.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "solve.h"

static int counted_one(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)x;
  if (userdata) ++*(int *)userdata;
  for (int k = 0; k < ncomp; ++k) f[k] = 1;
  return 0;
}

static int wave(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)userdata;
  double s = 0;
  for (int j = 0; j < ndim; ++j) s += (j + 3) * x[j];
  for (int k = 0; k < ncomp; ++k) f[k] = 2 + cos(s);
  return 0;
}

static int no_batch(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf,
                    void *userdata) {
  (void)n, (void)ndim, (void)x, (void)ldx, (void)ncomp, (void)f, (void)ldf, (void)userdata;
  return 1;
}

static int setup(void **state) {
  tessera_solver *s = NULL;
  if (tessera_create(&s, 3, 2) != 0 || tessera_set_integrand1(s, wave, NULL) != 0) return -1;
  *state = s;
  return 0;
}

static int teardown(void **state) {
  tessera_destroy(*state);
  return 0;
}

/* Runs a solver of two components that must refuse: the status, the words, and untouched outputs. */
static void assert_refused(tessera_solver *s, int method, int expected, const char *word) {
  double value[2] = {-7, -8}, error[2] = {-9, -10};
  assert_status(s, tessera_integrate(s, method, value, error), expected);
  assert_says(tessera_last_error(s), word);
  assert_same_bits(value[0], -7);
  assert_same_bits(value[1], -8);
  assert_same_bits(error[0], -9);
  assert_same_bits(error[1], -10);
}

/* ---- NULL handle -------------------------------------------------------------------------------------------------------- */
static void every_function_refuses_a_null_handle(void **state) {
  const double a = 0, b = 1;
  double value = -7, error = -8;
  int64_t count = -9;
  (void)state;
  assert_int_equal(tessera_set_domain(NULL, &a, &b), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_set_limits(NULL, 0, NULL, NULL), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_set_limits_source(NULL, 0, TESSERA_LANGUAGE_C, "", "f"), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_set_simplex(NULL, TESSERA_SIMPLEX_DUFFY, NULL), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_set_integrand(NULL, no_batch, NULL), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_set_integrand1(NULL, wave, NULL), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_set_params(NULL, &a, sizeof a), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_set_int(NULL, TESSERA_MAXEVAL, 1), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_set_real(NULL, TESSERA_RELTOL, 1), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_get_int(NULL, TESSERA_MAXEVAL, &count), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_get_real(NULL, TESSERA_RELTOL, &value), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_set_progress(NULL, NULL, NULL), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_set_log(NULL, NULL, NULL), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_integrate(NULL, TESSERA_CUBATURE, &value, &error), TESSERA_ERR_ARGUMENT);
  assert_same_bits(value, -7);
  assert_same_bits(error, -8);
  assert_int_equal(count, -9);
}

/* ---- Domain ------------------------------------------------------------------------------------------------------------- */
static void the_domain_refuses_null_limits(void **state) {
  tessera_solver *s = *state;
  const double x[3] = {0, 0, 0};
  assert_status(s, tessera_set_domain(s, NULL, x), TESSERA_ERR_ARGUMENT);
  assert_says(tessera_last_error(s), "lower");
  assert_status(s, tessera_set_domain(s, x, NULL), TESSERA_ERR_ARGUMENT);
  assert_says(tessera_last_error(s), "upper");
  assert_status(s, tessera_set_domain(s, NULL, NULL), TESSERA_ERR_ARGUMENT);
  assert_says(tessera_last_error(s), "lower");
}

static void the_domain_refuses_nan_and_names_the_limit(void **state) {
  tessera_solver *s = *state;
  for (int j = 0; j < 3; ++j) {
    double a[3] = {0, 0, 0}, b[3] = {1, 1, 1};
    char name[32];
    a[j] = NAN;
    assert_status(s, tessera_set_domain(s, a, b), TESSERA_ERR_ARGUMENT);
    snprintf(name, sizeof name, "lower[%d]", j);
    assert_says(tessera_last_error(s), name);
    a[j] = -INFINITY, b[j] = NAN;
    assert_status(s, tessera_set_domain(s, a, b), TESSERA_ERR_ARGUMENT);
    snprintf(name, sizeof name, "upper[%d]", j);
    assert_says(tessera_last_error(s), name);
  }
}

static void the_domain_refuses_a_width_that_overflows(void **state) {
  tessera_solver *s = *state;
  const double a[3] = {0, -DBL_MAX, 0}, b[3] = {1, DBL_MAX, 1};
  assert_status(s, tessera_set_domain(s, a, b), TESSERA_ERR_ARGUMENT);
  assert_says(tessera_last_error(s), "upper[1] - lower[1]");
}

static void a_refused_domain_leaves_the_old_one(void **state) {
  tessera_solver *s = *state;
  const double a[3] = {0, 0, 0}, b[3] = {2, 3, 4}, bad[3] = {1, 1, NAN};
  double value[2], error[2];
  assert_status(s, tessera_set_integrand1(s, counted_one, NULL), TESSERA_OK);
  assert_status(s, tessera_set_domain(s, a, b), TESSERA_OK);
  assert_status(s, tessera_set_domain(s, a, bad), TESSERA_ERR_ARGUMENT);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_OK);
  assert_close(value[0], 24, 1e-14, 0);
  assert_close(value[1], 24, 1e-14, 0);
}

static void the_limits_are_copied(void **state) {
  tessera_solver *s = *state;
  double a[3] = {0, 0, 0}, b[3] = {2, 3, 4}, value[2], error[2];
  assert_status(s, tessera_set_integrand1(s, counted_one, NULL), TESSERA_OK);
  assert_status(s, tessera_set_domain(s, a, b), TESSERA_OK);
  for (int j = 0; j < 3; ++j) a[j] = b[j] = NAN;
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_OK);
  assert_close(value[0], 24, 1e-14, 0);
}

static void zero_volume_gives_zero_without_an_evaluation(void **state) {
  static const double corners[][2][3] = {
      {{0, 0, 0}, {1, 0, 1}},
      {{2, 2, 2}, {2, 2, 2}},
      {{0, 0, INFINITY}, {1, 1, INFINITY}},
      {{-INFINITY, -INFINITY, 5}, {INFINITY, -INFINITY, 4}},
      {{0.0, 0, 0}, {-0.0, 1, 1}},
  };
  tessera_solver *s = *state;
  int calls = 0;
  assert_status(s, tessera_set_integrand1(s, counted_one, &calls), TESSERA_OK);
  for (size_t i = 0; i < sizeof corners / sizeof corners[0]; ++i) {
    double value[2] = {-7, -8}, error[2] = {-9, -10};
    assert_status(s, tessera_set_domain(s, corners[i][0], corners[i][1]), TESSERA_OK);
    assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_OK);
    for (int k = 0; k < 2; ++k) {
      assert_close(value[k], 0, 0, 0);
      assert_close(error[k], 0, 0, 0);
    }
    assert_int_equal(got_int(s, TESSERA_EVALUATIONS), 0);
  }
  assert_int_equal(calls, 0);
}

/* ---- Integrand and parameters ------------------------------------------------------------------------------------------- */
static void without_an_integrand_there_is_no_result(void **state) {
  tessera_solver *s = *state;
  assert_status(s, tessera_set_integrand1(s, NULL, NULL), TESSERA_OK);
  assert_refused(s, TESSERA_CUBATURE, TESSERA_ERR_NO_INTEGRAND, "integrand");
  assert_status(s, tessera_set_integrand(s, no_batch, NULL), TESSERA_OK);
  assert_status(s, tessera_set_integrand1(s, NULL, NULL), TESSERA_OK);
  assert_refused(s, TESSERA_CUBATURE, TESSERA_ERR_NO_INTEGRAND, "integrand");
}

static void the_last_integrand_set_counts(void **state) {
  tessera_solver *s = *state;
  double value[2], error[2];
  int calls = 0;
  assert_status(s, tessera_set_integrand(s, no_batch, NULL), TESSERA_OK);
  assert_status(s, tessera_set_integrand1(s, counted_one, &calls), TESSERA_OK);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_OK);
  assert_true(calls > 0);
  calls = 0;
  assert_status(s, tessera_set_integrand(s, no_batch, NULL), TESSERA_OK);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_ERR_CALLBACK);
  assert_int_equal(calls, 0);
}

static void null_parameters_with_a_size_are_refused(void **state) {
  tessera_solver *s = *state;
  assert_status(s, tessera_set_params(s, NULL, 8), TESSERA_ERR_ARGUMENT);
  assert_says(tessera_last_error(s), "params");
  assert_says(tessera_last_error(s), "bytes");
  assert_status(s, tessera_set_params(s, NULL, 0), TESSERA_OK);
}

static void parameters_too_large_to_copy_are_refused(void **state) {
  tessera_solver *s = *state;
  const double params = 1;
#ifdef __SANITIZE_ADDRESS__
  skip(); /* the sanitizer ends the program at such a request */
#endif
  assert_status(s, tessera_set_params(s, &params, (size_t)1 << 60), TESSERA_ERR_MEMORY);
  assert_true(strlen(tessera_last_error(s)) > 0);
  assert_status(s, tessera_set_params(s, &params, SIZE_MAX), TESSERA_ERR_MEMORY);
  assert_true(strlen(tessera_last_error(s)) > 0);
}

/* ---- Keys ---------------------------------------------------------------------------------------------------------------- */
static void unknown_keys_are_refused(void **state) {
  static const int keys[] = {INT32_MIN, -1, 0, 99, 109, 199, 207, 299, 319, 499, 1000, INT32_MAX};
  tessera_solver *s = *state;
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i) {
    int64_t count = -7;
    double real = -8;
    char number[16];
    snprintf(number, sizeof number, "%d", keys[i]);
    assert_status(s, tessera_set_int(s, keys[i], 1), TESSERA_ERR_KEY);
    assert_says(tessera_last_error(s), number);
    assert_status(s, tessera_set_real(s, keys[i], 1), TESSERA_ERR_KEY);
    assert_says(tessera_last_error(s), number);
    assert_status(s, tessera_get_int(s, keys[i], &count), TESSERA_ERR_KEY);
    assert_says(tessera_last_error(s), number);
    assert_status(s, tessera_get_real(s, keys[i], &real), TESSERA_ERR_KEY);
    assert_says(tessera_last_error(s), number);
    assert_int_equal(count, -7);
    assert_same_bits(real, -8);
  }
}

static void keys_of_the_other_type_are_refused(void **state) {
  tessera_solver *s = *state;
  int64_t count = -7;
  double real = -8;
  assert_status(s, tessera_set_int(s, TESSERA_RELTOL, 1), TESSERA_ERR_TYPE);
  assert_says(tessera_last_error(s), "TESSERA_RELTOL");
  assert_status(s, tessera_set_real(s, TESSERA_MAXEVAL, 1), TESSERA_ERR_TYPE);
  assert_says(tessera_last_error(s), "TESSERA_MAXEVAL");
  assert_status(s, tessera_get_int(s, TESSERA_ABSTOL, &count), TESSERA_ERR_TYPE);
  assert_says(tessera_last_error(s), "TESSERA_ABSTOL");
  assert_status(s, tessera_get_real(s, TESSERA_THREADS, &real), TESSERA_ERR_TYPE);
  assert_says(tessera_last_error(s), "TESSERA_THREADS");
  assert_status(s, tessera_get_int(s, TESSERA_SECONDS, &count), TESSERA_ERR_TYPE);
  assert_says(tessera_last_error(s), "TESSERA_SECONDS");
  assert_status(s, tessera_get_real(s, TESSERA_EVALUATIONS, &real), TESSERA_ERR_TYPE);
  assert_says(tessera_last_error(s), "TESSERA_EVALUATIONS");
  assert_int_equal(count, -7);
  assert_same_bits(real, -8);
}

static void statistics_cannot_be_set(void **state) {
  tessera_solver *s = *state;
  assert_status(s, tessera_set_int(s, TESSERA_EVALUATIONS, 1), TESSERA_ERR_KEY);
  assert_says(tessera_last_error(s), "TESSERA_EVALUATIONS");
  assert_status(s, tessera_set_real(s, TESSERA_EVALUATIONS, 1), TESSERA_ERR_KEY);
  assert_status(s, tessera_set_real(s, TESSERA_SECONDS, 1), TESSERA_ERR_KEY);
  assert_says(tessera_last_error(s), "TESSERA_SECONDS");
  assert_status(s, tessera_set_int(s, TESSERA_SECONDS, 1), TESSERA_ERR_KEY);
}

static void a_place_for_the_answer_is_needed(void **state) {
  tessera_solver *s = *state;
  assert_status(s, tessera_get_int(s, TESSERA_MAXEVAL, NULL), TESSERA_ERR_ARGUMENT);
  assert_says(tessera_last_error(s), "value");
  assert_status(s, tessera_get_real(s, TESSERA_RELTOL, NULL), TESSERA_ERR_ARGUMENT);
  assert_says(tessera_last_error(s), "value");
}

static void a_real_option_refuses_what_is_no_number(void **state) {
  static const struct {
    int key;
    const char *name;
  } options[] = {{TESSERA_RELTOL, "TESSERA_RELTOL"},
                 {TESSERA_ABSTOL, "TESSERA_ABSTOL"},
                 {TESSERA_MAX_SECONDS, "TESSERA_MAX_SECONDS"},
                 {TESSERA_BULK_FRACTION, "TESSERA_BULK_FRACTION"}};
  static const double wrong[] = {NAN, INFINITY, -INFINITY, -1, -DBL_MIN};
  tessera_solver *s = *state;
  for (size_t i = 0; i < sizeof options / sizeof options[0]; ++i) {
    const double before = got_real(s, options[i].key);
    for (size_t j = 0; j < sizeof wrong / sizeof wrong[0]; ++j) {
      assert_status(s, tessera_set_real(s, options[i].key, wrong[j]), TESSERA_ERR_RANGE);
      assert_says(tessera_last_error(s), options[i].name);
    }
    assert_same_bits(got_real(s, options[i].key), before);
  }
}

/* ---- Integrate ----------------------------------------------------------------------------------------------------------- */
static void unknown_methods_are_refused(void **state) {
  static const int methods[] = {INT32_MIN, -1, 0, 7, 99, 100, INT32_MAX};
  tessera_solver *s = *state;
  for (size_t i = 0; i < sizeof methods / sizeof methods[0]; ++i)
    assert_refused(s, methods[i], TESSERA_ERR_ARGUMENT, "method");
}

static void a_place_for_value_and_error_is_needed(void **state) {
  tessera_solver *s = *state;
  double value[2] = {-7, -8}, error[2] = {-9, -10};
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, NULL, error), TESSERA_ERR_ARGUMENT);
  assert_says(tessera_last_error(s), "value");
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, NULL), TESSERA_ERR_ARGUMENT);
  assert_says(tessera_last_error(s), "error");
  assert_same_bits(value[0], -7);
  assert_same_bits(error[0], -9);
}

static void a_rule_must_exist_for_the_dimension(void **state) {
  static const struct {
    int ndim, rule;
  } wrong[] = {{1, TESSERA_RULE_GM7},       {1, TESSERA_RULE_DEGREE7},    {1, TESSERA_RULE_DEGREE9},
               {1, TESSERA_RULE_DEGREE13},  {2, TESSERA_RULE_DEGREE11},   {3, TESSERA_RULE_DEGREE13},
               {4, TESSERA_RULE_DEGREE11},  {11, TESSERA_RULE_LOW},       {2, TESSERA_RULE_KRONROD15},
               {3, TESSERA_RULE_KRONROD61}, {25, TESSERA_RULE_KRONROD21}, {1, TESSERA_RULE_LOW}};
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
    tessera_solver *s = solver_of(wrong[i].ndim, 2);
    char text[32];
    put_point(s, wave, NULL);
    put_int(s, TESSERA_RULE, wrong[i].rule);
    assert_refused(s, TESSERA_CUBATURE, TESSERA_ERR_UNSUPPORTED, "TESSERA_RULE");
    snprintf(text, sizeof text, "ndim = %d", wrong[i].ndim);
    assert_says(tessera_last_error(s), text);
    tessera_destroy(s);
  }
}

static void too_many_variables_are_refused(void **state) {
  static const struct {
    int ndim;
    int64_t limit;
    int rule;
  } wrong[] = {{26, 25, TESSERA_RULE_AUTO},
               {64, 63, TESSERA_RULE_AUTO},
               {65, 64, TESSERA_RULE_AUTO},
               {1024, 64, TESSERA_RULE_LOW},
               {3, 2, TESSERA_RULE_DEGREE11}};
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
    tessera_solver *s = solver_of(wrong[i].ndim, 2);
    put_point(s, wave, NULL);
    put_int(s, TESSERA_NDIM_LIMIT, wrong[i].limit);
    put_int(s, TESSERA_RULE, wrong[i].rule);
    assert_refused(s, TESSERA_CUBATURE, TESSERA_ERR_UNSUPPORTED, "ndim");
    assert_says(tessera_last_error(s), "TESSERA_NDIM_LIMIT");
    tessera_destroy(s);
  }
}

static void large_rules_end_at_25_variables(void **state) {
  static const int rules[] = {TESSERA_RULE_GM7, TESSERA_RULE_DEGREE7, TESSERA_RULE_DEGREE9};
  tessera_solver *s = solver_of(26, 2);
  (void)state;
  put_point(s, wave, NULL);
  put_int(s, TESSERA_NDIM_LIMIT, 64);
  for (size_t i = 0; i < sizeof rules / sizeof rules[0]; ++i) {
    put_int(s, TESSERA_RULE, rules[i]);
    assert_refused(s, TESSERA_CUBATURE, TESSERA_ERR_UNSUPPORTED, "TESSERA_RULE");
  }
  tessera_destroy(s);
}

static void a_refused_call_leaves_a_solver_that_works(void **state) {
  tessera_solver *s = *state;
  double expected[2], expected_error[2], value[2], error[2];
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, expected, expected_error), TESSERA_OK);
  assert_refused(s, 17, TESSERA_ERR_ARGUMENT, "method");
  put_int(s, TESSERA_RULE, TESSERA_RULE_KRONROD15);
  assert_refused(s, TESSERA_CUBATURE, TESSERA_ERR_UNSUPPORTED, "TESSERA_RULE");
  put_int(s, TESSERA_RULE, TESSERA_RULE_AUTO);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_OK);
  for (int k = 0; k < 2; ++k) {
    assert_same_bits(value[k], expected[k]);
    assert_same_bits(error[k], expected_error[k]);
  }
}

/* ---- Tolerances ---------------------------------------------------------------------------------------------------------- */
static void with_both_tolerances_zero_the_run_goes_on_to_the_limit(void **state) {
  tessera_solver *s = *state;
  put_real(s, TESSERA_RELTOL, 0);
  put_real(s, TESSERA_ABSTOL, 0);
  put_int(s, TESSERA_MAXEVAL, 100000);
  for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
    double value[2], error[2];
    put_int(s, TESSERA_SELECTION, selection);
    assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_LIMIT_EVALUATIONS);
    assert_true(strlen(tessera_last_error(s)) > 0);
    assert_true(got_int(s, TESSERA_EVALUATIONS) > 90000);
    /* int cos(3x+4y+5z) = sin 1.5/1.5 sin 2/2 sin 2.5/2.5 cos 6 */
    assert_close(value[0], 2 + sin(1.5) / 1.5 * sin(2) / 2 * sin(2.5) / 2.5 * cos(6), 1e-13, 0);
  }
}

static void a_tolerance_may_be_huge(void **state) {
  tessera_solver *s = *state;
  double value[2], error[2];
  put_real(s, TESSERA_RELTOL, 1e300);
  put_real(s, TESSERA_ABSTOL, 1e300);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_OK);
  const int points = 127 + 6 + 2; /* faces, probes */
  assert_rules_and_places(got_int(s, TESSERA_EVALUATIONS), 31 * points,
                          most_around_top(3)); /* down to sixteenths of the domain */
  put_int(s, TESSERA_LEAST_REGIONS, 1);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_OK);
  assert_int_equal(got_int(s, TESSERA_EVALUATIONS), 3 * points); /* the domain and its halves */
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_function_refuses_a_null_handle),
      TEST(the_domain_refuses_null_limits),
      TEST(the_domain_refuses_nan_and_names_the_limit),
      TEST(the_domain_refuses_a_width_that_overflows),
      TEST(a_refused_domain_leaves_the_old_one),
      TEST(the_limits_are_copied),
      TEST(zero_volume_gives_zero_without_an_evaluation),
      TEST(without_an_integrand_there_is_no_result),
      TEST(the_last_integrand_set_counts),
      TEST(null_parameters_with_a_size_are_refused),
      TEST(parameters_too_large_to_copy_are_refused),
      TEST(unknown_keys_are_refused),
      TEST(keys_of_the_other_type_are_refused),
      TEST(statistics_cannot_be_set),
      TEST(a_place_for_the_answer_is_needed),
      TEST(a_real_option_refuses_what_is_no_number),
      TEST(unknown_methods_are_refused),
      TEST(a_place_for_value_and_error_is_needed),
      cmocka_unit_test(a_rule_must_exist_for_the_dimension),
      cmocka_unit_test(too_many_variables_are_refused),
      cmocka_unit_test(large_rules_end_at_25_variables),
      TEST(a_refused_call_leaves_a_solver_that_works),
      TEST(with_both_tolerances_zero_the_run_goes_on_to_the_limit),
      TEST(a_tolerance_may_be_huge),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
