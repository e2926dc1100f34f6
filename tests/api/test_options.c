/* The table of options: defaults, bounds, round trips; statistics after a run.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "cases.h"
#include "solve.h"

/* Written down once more, by hand: a default or a bound is a promise, not a detail. */
static const struct int_option {
  int key;
  const char *name;
  int64_t value, least, greatest;
} int_options[] = {
#define ENTRY(name, value, least, greatest) \
  { name, #name, value, least, greatest }
    ENTRY(TESSERA_MAXEVAL, 100000000, 1, INT64_MAX),
    ENTRY(TESSERA_MINEVAL, 0, 0, INT64_MAX),
    ENTRY(TESSERA_THREADS, 1, 0, 4096),
    ENTRY(TESSERA_MAX_MEMORY, 0, 0, INT64_MAX),
    ENTRY(TESSERA_RULE, 0, 0, 70),
    ENTRY(TESSERA_SELECTION, 0, 0, 2),
    ENTRY(TESSERA_SPLITTING, 0, 0, 5),
    ENTRY(TESSERA_INITIAL_REGIONS, 1, 1, 1 << 30),
    ENTRY(TESSERA_ESTIMATE, 0, 0, 1),
    ENTRY(TESSERA_BATCH_POINTS, 16384, 1, 1 << 24),
    ENTRY(TESSERA_NDIM_LIMIT, 25, 1, 64),
    ENTRY(TESSERA_WEIGHT, 0, 0, 7),
    ENTRY(TESSERA_SHARED_CALLS, 0, 0, 1),
#undef ENTRY
};
enum { int_count = (int)(sizeof int_options / sizeof int_options[0]) };

static const struct real_option {
  int key;
  const char *name;
  double value, least, greatest;
} real_options[] = {
#define ENTRY(name, value, least, greatest) \
  { name, #name, value, least, greatest }
    ENTRY(TESSERA_RELTOL, 1e-6, 0, 1e300),  ENTRY(TESSERA_ABSTOL, 0, 0, 1e300),
    ENTRY(TESSERA_MAX_SECONDS, 0, 0, 1e9),  ENTRY(TESSERA_BULK_FRACTION, 0.75, 0.01, 0.99),
    ENTRY(TESSERA_OMEGA, 1, -1e300, 1e300), ENTRY(TESSERA_ALPHA, 0, -1, 1e3),
    ENTRY(TESSERA_BETA, 0, -1, 1e3),        ENTRY(TESSERA_POLE, 0, -1e300, 1e300),
#undef ENTRY
};
enum { real_count = (int)(sizeof real_options / sizeof real_options[0]) };

static const int int_statistics[] = {TESSERA_EVALUATIONS,     TESSERA_REGIONS,      TESSERA_ITERATIONS,
                                     TESSERA_CALLBACK_STATUS, TESSERA_REGION_BYTES, TESSERA_RULE_USED,
                                     TESSERA_RULE_POINTS,     TESSERA_THREADS_USED, TESSERA_PEAK_MEMORY};

static int setup(void **state) {
  tessera_solver *s = NULL;
  if (tessera_create(&s, 3, 1) != 0) return -1;
  *state = s;
  return 0;
}

static int teardown(void **state) {
  tessera_destroy(*state);
  return 0;
}

static void options_have_their_defaults(void **state) {
  tessera_solver *s = *state;
  for (int i = 0; i < int_count; ++i) assert_int_equal(got_int(s, int_options[i].key), int_options[i].value);
  for (int i = 0; i < real_count; ++i) assert_same_bits(got_real(s, real_options[i].key), real_options[i].value);
}

static void the_bounds_are_part_of_the_range(void **state) {
  tessera_solver *s = *state;
  for (int i = 0; i < int_count; ++i) {
    const struct int_option *o = &int_options[i];
    put_int(s, o->key, o->least);
    assert_int_equal(got_int(s, o->key), o->least);
    put_int(s, o->key, o->greatest);
    assert_true(got_int(s, o->key) == o->greatest);
  }
  for (int i = 0; i < real_count; ++i) {
    const struct real_option *o = &real_options[i];
    put_real(s, o->key, o->least);
    assert_same_bits(got_real(s, o->key), o->least);
    put_real(s, o->key, o->greatest);
    assert_same_bits(got_real(s, o->key), o->greatest);
  }
}

static void values_beyond_the_bounds_are_refused(void **state) {
  tessera_solver *s = *state;
  for (int i = 0; i < int_count; ++i) {
    const struct int_option *o = &int_options[i];
    char bounds[64];
    snprintf(bounds, sizeof bounds, "%lld .. %lld", (long long)o->least, (long long)o->greatest);
    assert_status(s, tessera_set_int(s, o->key, o->least - 1), TESSERA_ERR_RANGE);
    assert_says(tessera_last_error(s), o->name);
    assert_says(tessera_last_error(s), bounds);
    assert_status(s, tessera_set_int(s, o->key, INT64_MIN), TESSERA_ERR_RANGE);
    if (o->greatest < INT64_MAX) {
      assert_status(s, tessera_set_int(s, o->key, o->greatest + 1), TESSERA_ERR_RANGE);
      assert_says(tessera_last_error(s), o->name);
      assert_status(s, tessera_set_int(s, o->key, INT64_MAX), TESSERA_ERR_RANGE);
    }
    assert_int_equal(got_int(s, o->key), o->value);
  }
  for (int i = 0; i < real_count; ++i) {
    const struct real_option *o = &real_options[i];
    assert_status(s, tessera_set_real(s, o->key, nextafter(o->least, -INFINITY)), TESSERA_ERR_RANGE);
    assert_says(tessera_last_error(s), o->name);
    assert_status(s, tessera_set_real(s, o->key, nextafter(o->greatest, INFINITY)), TESSERA_ERR_RANGE);
    assert_says(tessera_last_error(s), o->name);
    assert_same_bits(got_real(s, o->key), o->value);
  }
}

/* Options that name something have gaps between their values. */
static void numbers_that_are_no_value_are_refused(void **state) {
  tessera_solver *s = *state;
  static const int values[][30] = {{TESSERA_RULE, 0, 1, 2, 3, 4, 7, 12, 15, 21, 31, 41, 51, 61, 70, -1},
                                   {TESSERA_TRANSFORM, 0, 1, 2, 3, 11, 12, 13, 14, 15, 16, 21, 22, 23, 24, 25, 26, -1},
                                   {TESSERA_MEDIAN, 0, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, -1}};
  static const int most[] = {70, 26, 29};
  for (int i = 0; i < 3; ++i)
    for (int v = 0, at = 1; v <= most[i]; ++v) {
      const int status = tessera_set_int(s, values[i][0], v);
      if (values[i][at] == v) {
        ++at;
        assert_int_equal(status, TESSERA_OK);
        assert_int_equal(got_int(s, values[i][0]), v);
      } else {
        assert_int_equal(status, TESSERA_ERR_RANGE);
        assert_says(tessera_last_error(s), "none of the option's values");
      }
    }
}

static void what_is_set_is_got(void **state) {
  tessera_solver *s = *state;
  for (int i = 0; i < int_count; ++i) put_int(s, int_options[i].key, int_options[i].least + 1);
  for (int i = 0; i < real_count; ++i) put_real(s, real_options[i].key, 0.125 * (i + 1));
  for (int i = 0; i < int_count; ++i) assert_int_equal(got_int(s, int_options[i].key), int_options[i].least + 1);
  for (int i = 0; i < real_count; ++i) assert_same_bits(got_real(s, real_options[i].key), 0.125 * (i + 1));
}

static void a_run_does_not_change_the_options(void **state) {
  tessera_solver *s = *state;
  put_point(s, suite_f3, NULL);
  put_int(s, TESSERA_THREADS, 0);
  integrate(s);
  for (int i = 0; i < int_count; ++i)
    assert_int_equal(got_int(s, int_options[i].key), int_options[i].key == TESSERA_THREADS ? 0 : int_options[i].value);
  for (int i = 0; i < real_count; ++i) assert_same_bits(got_real(s, real_options[i].key), real_options[i].value);
}

static void statistics_are_zero_before_the_first_run(void **state) {
  tessera_solver *s = *state;
  for (size_t i = 0; i < sizeof int_statistics / sizeof int_statistics[0]; ++i)
    assert_int_equal(got_int(s, int_statistics[i]), 0);
  assert_same_bits(got_real(s, TESSERA_SECONDS), 0.0);
}

static void statistics_describe_the_run(void **state) {
  tessera_solver *s = *state;
  put_point(s, suite_f3, NULL);
  put_int(s, TESSERA_LEAST_REGIONS, 1); /* so few that no line looks for break points */
  for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
    put_int(s, TESSERA_SELECTION, selection);
    put_int(s, TESSERA_THREADS, selection);
    /* Asked for, no region has a rule of higher degree. */
    put_int(s, TESSERA_RULE, selection == TESSERA_SELECT_BULK ? TESSERA_RULE_DEGREE11 : TESSERA_RULE_AUTO);
    const struct answer a = integrate(s);
    assert_int_equal(a.status, 0);
    assert_int_equal(got_int(s, TESSERA_RULE_USED), TESSERA_RULE_DEGREE11);
    const int64_t points = got_int(s, TESSERA_RULE_POINTS);
    assert_int_equal(points, 127 + 6 + 2); /* near the faces, and probes */
    assert_int_equal(a.evaluations, points * (2 * a.regions - 1));
    assert_true(a.iterations >= 1 && a.iterations < a.regions);
    assert_int_equal(got_int(s, TESSERA_CALLBACK_STATUS), 0);
    assert_int_equal(got_int(s, TESSERA_THREADS_USED), selection);
    assert_true(got_int(s, TESSERA_REGION_BYTES) >= 8 * (2 * 3 + 2));
    assert_true(got_int(s, TESSERA_PEAK_MEMORY) >= a.regions * 8 * (2 * 3 + 2));
    assert_true(got_real(s, TESSERA_SECONDS) > 0 && got_real(s, TESSERA_SECONDS) < 60);
  }
}

static void statistics_start_afresh_in_every_run(void **state) {
  tessera_solver *s = *state;
  put_point(s, suite_f3, NULL);
  const int64_t first = integrate(s).evaluations;
  assert_int_equal(integrate(s).evaluations, first);
  put_cube(s, 3, 1, 1);
  const struct answer none = integrate(s);
  assert_int_equal(none.status, 0);
  assert_int_equal(none.evaluations, 0);
  assert_int_equal(none.regions, 0);
  assert_int_equal(none.iterations, 0);
  /* all of them, whatever the run before was */
  put_real(s, TESSERA_RELTOL, 1e-2);
  for (int method = TESSERA_CUBATURE; method <= TESSERA_MONTECARLO; ++method) {
    double value, error;
    put_cube(s, 3, 0, 1);
    assert_status(s, tessera_integrate(s, method, &value, &error), TESSERA_OK);
    put_cube(s, 3, 1, 1);
    integrate(s);
    for (int key = 300; key < 500; ++key) {
      int64_t n = 0;
      double r = 0;
      if (tessera_get_int(s, key, &n) == TESSERA_OK && key != TESSERA_DEVICE_USED && key != TESSERA_INLINED)
        assert_int_equal(n, 0);
      if (tessera_get_real(s, key, &r) == TESSERA_OK && key != TESSERA_SECONDS) assert_same_bits(r, 0.0);
    }
  }
}

static void reset_gives_the_defaults_and_nothing_else(void **state) {
  tessera_solver *s = *state;
  put_point(s, suite_f3, NULL);
  const int64_t evaluations = integrate(s).evaluations;
  put_int(s, TESSERA_RULE, TESSERA_RULE_GM7);
  put_real(s, TESSERA_RELTOL, 0.25);
  put_int(s, TESSERA_DEVICE, TESSERA_DEVICE_ANY);
  assert_int_equal(tessera_reset(s), 0);
  assert_int_equal(got_int(s, TESSERA_RULE), TESSERA_RULE_AUTO);
  assert_int_equal(got_int(s, TESSERA_DEVICE), TESSERA_DEVICE_HOST);
  assert_same_bits(got_real(s, TESSERA_RELTOL), 1e-6);
  assert_int_equal(got_int(s, TESSERA_EVALUATIONS), evaluations); /* of the last run */
  put_real(s, TESSERA_RELTOL, 1e-6);
  assert_int_equal(integrate(s).evaluations, evaluations); /* with the integrand and the limits there were */
  assert_int_equal(tessera_reset(NULL), TESSERA_ERR_ARGUMENT);
}

static void zero_threads_means_one_per_processor(void **state) {
  tessera_solver *s = *state;
  put_point(s, suite_f3, NULL);
  put_int(s, TESSERA_THREADS, 0);
  integrate(s);
  assert_true(got_int(s, TESSERA_THREADS_USED) >= 1);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
  const struct CMUnitTest tests[] = {
      TEST(options_have_their_defaults),
      TEST(the_bounds_are_part_of_the_range),
      TEST(values_beyond_the_bounds_are_refused),
      TEST(numbers_that_are_no_value_are_refused),
      TEST(what_is_set_is_got),
      TEST(a_run_does_not_change_the_options),
      TEST(statistics_are_zero_before_the_first_run),
      TEST(statistics_describe_the_run),
      TEST(statistics_start_afresh_in_every_run),
      TEST(zero_threads_means_one_per_processor),
      TEST(reset_gives_the_defaults_and_nothing_else),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
