/* Creating, using again and destroying solvers; versions, statuses and the last error.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "cases.h"
#include "solve.h"

/* ---- Create and destroy ----------------------------------------------------------------------------------------------- */
static void a_solver_can_be_destroyed_unused(void **state) {
  (void)state;
  tessera_destroy(solver_of(1, 1));
  tessera_destroy(solver_of(1024, 1));
  tessera_destroy(solver_of(1, 65536));
}

static void destroying_null_is_fine(void **state) {
  (void)state;
  tessera_destroy(NULL);
}

static void a_failed_create_leaves_null(void **state) {
  static const int wrong[][2] = {{0, 1}, {-1, 1}, {1025, 1}, {1, 0}, {1, -1}, {1, 65537}, {INT32_MIN, INT32_MAX}};
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
    tessera_solver *s = (tessera_solver *)(void *)&s;
    assert_int_equal(tessera_create(&s, wrong[i][0], wrong[i][1]), TESSERA_ERR_ARGUMENT);
    assert_null(s);
  }
  assert_int_equal(tessera_create(NULL, 2, 1), TESSERA_ERR_ARGUMENT);
}

static int one(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)x, (void)ncomp, (void)userdata;
  f[0] = 1;
  return 0;
}

static void the_domain_is_the_unit_cube_at_first(void **state) {
  (void)state;
  for (int ndim = 1; ndim <= 6; ++ndim) {
    tessera_solver *s = solver_of(ndim, 1);
    put_point(s, one, NULL);
    assert_close(integrate(s).value, 1, 1e-14, 0);
    tessera_destroy(s);
  }
}

/* ---- Using a solver again ----------------------------------------------------------------------------------------------- */
static struct answer genz_answer(tessera_solver *s, int family, int ndim, uint64_t seed) {
  struct genz g;
  genz_make(family, ndim, seed, &g);
  put_point(s, genz_point, &g);
  const struct answer a = integrate(s);
  put_point(s, NULL, NULL);
  return a;
}

static void a_used_solver_gives_the_bits_of_a_new_one(void **state) {
  tessera_solver *used = solver_of(3, 1);
  (void)state;
  put_real(used, TESSERA_RELTOL, 1e-4);
  put_int(used, TESSERA_MAXEVAL, 100000);
  for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
    put_int(used, TESSERA_SELECTION, selection);
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      const int family = (int)(seed % 6) + 1;
      tessera_solver *fresh = solver_of(3, 1);
      put_real(fresh, TESSERA_RELTOL, 1e-4);
      put_int(fresh, TESSERA_MAXEVAL, 100000);
      put_int(fresh, TESSERA_SELECTION, selection);
      const struct answer expected = genz_answer(fresh, family, 3, seed);
      struct answer actual = genz_answer(used, family, 3, seed);
      if (actual.status == 0) actual.sentence[0] = 0; /* may still be that of an earlier run */
      assert_same_answer(actual, expected);
      tessera_destroy(fresh);
    }
  }
  tessera_destroy(used);
}

static void options_can_be_changed_between_runs(void **state) {
  tessera_solver *s = solver_of(2, 1);
  struct genz g;
  (void)state;
  genz_make(GENZ_GAUSSIAN, 2, 5, &g);
  put_point(s, genz_point, &g);
  put_real(s, TESSERA_RELTOL, 1e-3);
  const struct answer coarse = integrate(s);
  put_real(s, TESSERA_RELTOL, 1e-9);
  const struct answer fine = integrate(s);
  put_real(s, TESSERA_RELTOL, 1e-3);
  const struct answer again = integrate(s);
  assert_true(coarse.evaluations < fine.evaluations);
  assert_same_answer(again, coarse);
  tessera_destroy(s);
}

/* ---- Many solvers at once ------------------------------------------------------------------------------------------------ */
struct job {
  int number;
  int bad;
  struct answer first;
};

static void *work(void *argument) { /* no assertions on this thread */
  struct job *job = argument;
  for (int round = 0; round < 10; ++round) {
    tessera_solver *s = NULL;
    struct genz g;
    struct answer a;
    memset(&a, 0, sizeof a);
    genz_make(job->number % 6 + 1, 3, (uint64_t)job->number, &g);
    if (tessera_create(&s, 3, 1) != 0) return job->bad = 1, NULL;
    job->bad |= tessera_set_integrand1(s, genz_point, &g) != 0;
    job->bad |= tessera_set_real(s, TESSERA_RELTOL, 1e-3) != 0;
    job->bad |= tessera_set_int(s, TESSERA_MAXEVAL, 20000) != 0;
    job->bad |= tessera_set_int(s, TESSERA_SELECTION, job->number % 3) != 0;
    job->bad |= tessera_set_int(s, TESSERA_THREADS, 1 + job->number % 2) != 0;
    a.status = tessera_integrate(s, TESSERA_CUBATURE, &a.value, &a.error);
    job->bad |= a.status < 0;
    job->bad |= tessera_set_int(s, -job->number, 1) != TESSERA_ERR_KEY;
    char key[32];
    snprintf(key, sizeof key, "key -%d ", job->number);
    job->bad |= strncmp(tessera_last_error(s), key, strlen(key)) != 0;
    tessera_destroy(s);
    if (round == 0) job->first = a;
    job->bad |= a.status != job->first.status || memcmp(&a.value, &job->first.value, sizeof a.value) != 0 ||
                memcmp(&a.error, &job->first.error, sizeof a.error) != 0;
  }
  return NULL;
}

static void solvers_on_different_threads_do_not_meet(void **state) {
  enum { jobs = 8 };
  pthread_t thread[jobs];
  struct job job[jobs], alone[jobs];
  (void)state;
  memset(job, 0, sizeof job);
  memset(alone, 0, sizeof alone);
  for (int i = 0; i < jobs; ++i) {
    job[i].number = alone[i].number = i + 1;
    work(&alone[i]);
  }
  for (int i = 0; i < jobs; ++i) assert_int_equal(pthread_create(&thread[i], NULL, work, &job[i]), 0);
  for (int i = 0; i < jobs; ++i) assert_int_equal(pthread_join(thread[i], NULL), 0);
  for (int i = 0; i < jobs; ++i) {
    assert_false(alone[i].bad);
    assert_false(job[i].bad);
    assert_same_bits(job[i].first.value, alone[i].first.value);
    assert_same_bits(job[i].first.error, alone[i].first.error);
  }
}

/* ---- Version and statuses ------------------------------------------------------------------------------------------------ */
static void the_version_is_that_of_the_header(void **state) {
  char text[64];
  (void)state;
  assert_int_equal(tessera_version(),
                   10000 * TESSERA_VERSION_MAJOR + 100 * TESSERA_VERSION_MINOR + TESSERA_VERSION_PATCH);
  snprintf(text, sizeof text, "%d.%d.%d", TESSERA_VERSION_MAJOR, TESSERA_VERSION_MINOR, TESSERA_VERSION_PATCH);
  assert_string_equal(tessera_version_string(), text);
}

static const struct {
  int status;
  const char *name;
} statuses[] = {
#define ENTRY(name) \
  { name, #name }
    ENTRY(TESSERA_OK),
    ENTRY(TESSERA_LIMIT_EVALUATIONS),
    ENTRY(TESSERA_LIMIT_MEMORY),
    ENTRY(TESSERA_LIMIT_TIME),
    ENTRY(TESSERA_ROUNDOFF),
    ENTRY(TESSERA_STOPPED),
    ENTRY(TESSERA_CALLBACK_STOPPED),
    ENTRY(TESSERA_NONFINITE),
    ENTRY(TESSERA_SOME_FAILED),
    ENTRY(TESSERA_ALL_ZERO),
    ENTRY(TESSERA_SLOW_CONVERGENCE),
    ENTRY(TESSERA_DIVERGENT),
    ENTRY(TESSERA_HEAVY_TAIL),
    ENTRY(TESSERA_ELSEWHERE),
    ENTRY(TESSERA_ERR_ARGUMENT),
    ENTRY(TESSERA_ERR_KEY),
    ENTRY(TESSERA_ERR_TYPE),
    ENTRY(TESSERA_ERR_RANGE),
    ENTRY(TESSERA_ERR_NO_INTEGRAND),
    ENTRY(TESSERA_ERR_MEMORY),
    ENTRY(TESSERA_ERR_UNSUPPORTED),
    ENTRY(TESSERA_ERR_CALLBACK),
    ENTRY(TESSERA_ERR_BUSY),
    ENTRY(TESSERA_ERR_RANKS),
    ENTRY(TESSERA_ERR_INTERNAL),
#undef ENTRY
};
enum { status_count = (int)(sizeof statuses / sizeof statuses[0]) };

static void every_status_has_its_name_and_a_meaning(void **state) {
  (void)state;
  for (int i = 0; i < status_count; ++i) {
    const char *text = tessera_status_string(statuses[i].status);
    const size_t n = strlen(statuses[i].name);
    assert_memory_equal(text, statuses[i].name, n);
    assert_memory_equal(text + n, ": ", 2);
    assert_true(strlen(text) > n + 10);
  }
}

static void any_other_int_is_an_unknown_status(void **state) {
  static const int others[] = {INT32_MIN, -1000, -100, -98, -15, 14, 15, 100, INT32_MAX};
  (void)state;
  for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
    assert_non_null(tessera_status_string(others[i]));
    assert_says(tessera_status_string(others[i]), "unknown");
  }
}

/* ---- Last error ------------------------------------------------------------------------------------------------------------ */
static void a_new_solver_has_no_last_error(void **state) {
  tessera_solver *s = solver_of(1, 1);
  (void)state;
  assert_string_equal(tessera_last_error(s), "");
  put_point(s, one, NULL);
  assert_int_equal(integrate(s).status, 0);
  assert_string_equal(tessera_last_error(s), "");
  tessera_destroy(s);
}

static void the_last_error_survives_calls_that_succeed(void **state) {
  tessera_solver *s = solver_of(1, 1);
  (void)state;
  assert_int_equal(tessera_set_int(s, 4711, 1), TESSERA_ERR_KEY);
  assert_says(tessera_last_error(s), "4711");
  put_int(s, TESSERA_MAXEVAL, 1000);
  got_int(s, TESSERA_MAXEVAL);
  put_point(s, one, NULL);
  assert_says(tessera_last_error(s), "4711");
  assert_int_equal(integrate(s).status, 0);
  assert_says(tessera_last_error(s), "4711");
  tessera_destroy(s);
}

static void the_last_error_is_the_last(void **state) {
  tessera_solver *s = solver_of(1, 1);
  (void)state;
  assert_int_equal(tessera_set_int(s, 4711, 1), TESSERA_ERR_KEY);
  assert_int_equal(tessera_set_real(s, TESSERA_RELTOL, -1), TESSERA_ERR_RANGE);
  assert_null(strstr(tessera_last_error(s), "4711"));
  assert_says(tessera_last_error(s), "TESSERA_RELTOL");
  tessera_destroy(s);
}

static void a_positive_status_has_a_sentence_too(void **state) {
  tessera_solver *s = solver_of(2, 1);
  (void)state;
  put_point(s, suite_f5, NULL);
  put_int(s, TESSERA_MAXEVAL, 1);
  const struct answer a = integrate(s);
  assert_int_equal(a.status, TESSERA_LIMIT_EVALUATIONS);
  assert_true(strlen(a.sentence) > 0);
  /* the statistics are read first, the sentence afterwards */
  got_int(s, TESSERA_EVALUATIONS);
  assert_string_equal(tessera_last_error(s), a.sentence);
  tessera_destroy(s);
}

static void each_solver_has_its_own_last_error(void **state) {
  tessera_solver *a = solver_of(1, 1), *b = solver_of(1, 1);
  (void)state;
  assert_int_equal(tessera_set_int(a, 4711, 1), TESSERA_ERR_KEY);
  assert_string_equal(tessera_last_error(b), "");
  assert_int_equal(tessera_set_int(b, 4712, 1), TESSERA_ERR_KEY);
  assert_says(tessera_last_error(a), "4711");
  assert_says(tessera_last_error(b), "4712");
  tessera_destroy(a);
  tessera_destroy(b);
}

static void the_last_error_of_null_is_a_sentence(void **state) {
  (void)state;
  assert_says(tessera_last_error(NULL), "NULL");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_solver_can_be_destroyed_unused),
      cmocka_unit_test(destroying_null_is_fine),
      cmocka_unit_test(a_failed_create_leaves_null),
      cmocka_unit_test(the_domain_is_the_unit_cube_at_first),
      cmocka_unit_test(a_used_solver_gives_the_bits_of_a_new_one),
      cmocka_unit_test(options_can_be_changed_between_runs),
      cmocka_unit_test(solvers_on_different_threads_do_not_meet),
      cmocka_unit_test(the_version_is_that_of_the_header),
      cmocka_unit_test(every_status_has_its_name_and_a_meaning),
      cmocka_unit_test(any_other_int_is_an_unknown_status),
      cmocka_unit_test(a_new_solver_has_no_last_error),
      cmocka_unit_test(the_last_error_survives_calls_that_succeed),
      cmocka_unit_test(the_last_error_is_the_last),
      cmocka_unit_test(a_positive_status_has_a_sentence_too),
      cmocka_unit_test(each_solver_has_its_own_last_error),
      cmocka_unit_test(the_last_error_of_null_is_a_sentence),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
