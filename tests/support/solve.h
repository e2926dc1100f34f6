/* Short forms of what most tests do with a solver; every call that must not fail is checked.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESSERA_TESTS_SOLVE_H
#define TESSERA_TESTS_SOLVE_H

#include <stdio.h>
#include <string.h>

#include "close.h"
#include "tessera.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { sanitized = 1 }; /* everything takes some ten times as long: do less */
#else
enum { sanitized = 0 };
#endif

/* The evaluations were not enough, whatever is said of the error. */
static inline int is_limit(int status) { return status == TESSERA_LIMIT_EVALUATIONS || status == TESSERA_HEAVY_TAIL; }

/* What one run of a single component gave. */
struct answer {
  int status;
  double value, error;
  int64_t evaluations, regions, iterations;
  char sentence[512]; /* tessera_last_error */
};

/* Fails, with the library's sentence, unless the status is the expected one. */
#define assert_status(s, actual, expected) assert_status_at((s), (actual), (expected), #actual, __FILE__, __LINE__)

static inline void assert_status_at(const tessera_solver *s, int actual, int expected, const char *what,
                                    const char *file, int line) {
  if (actual == expected) return;
  print_error("%s\n  is       %d %s\n  expected %d %s\n  sentence: %s\n", what, actual, tessera_status_string(actual),
              expected, tessera_status_string(expected), tessera_last_error(s));
  _fail(file, line);
}

/* Fails unless `text` contains `word`. */
#define assert_says(text, word) assert_says_at((text), (word), __FILE__, __LINE__)

static inline void assert_says_at(const char *text, const char *word, const char *file, int line) {
  if (strstr(text, word)) return;
  print_error("\"%s\" is not in \"%s\"\n", word, text);
  _fail(file, line);
}

static inline tessera_solver *solver_of(int ndim, int ncomp) {
  tessera_solver *s = NULL;
  assert_int_equal(tessera_create(&s, ndim, ncomp), TESSERA_OK);
  assert_non_null(s);
  return s;
}

static inline void put_int(tessera_solver *s, int key, int64_t value) {
  assert_status(s, tessera_set_int(s, key, value), TESSERA_OK);
}

static inline void put_real(tessera_solver *s, int key, double value) {
  assert_status(s, tessera_set_real(s, key, value), TESSERA_OK);
}

static inline int64_t got_int(const tessera_solver *s, int key) {
  int64_t value = -1;
  assert_status(s, tessera_get_int(s, key, &value), TESSERA_OK);
  return value;
}

static inline double got_real(const tessera_solver *s, int key) {
  double value = -1;
  assert_status(s, tessera_get_real(s, key, &value), TESSERA_OK);
  return value;
}

static inline void put_point(tessera_solver *s, tessera_integrand1 fn, void *userdata) {
  assert_status(s, tessera_set_integrand1(s, fn, userdata), TESSERA_OK);
}

static inline void put_batch(tessera_solver *s, tessera_integrand fn, void *userdata) {
  assert_status(s, tessera_set_integrand(s, fn, userdata), TESSERA_OK);
}

/* The same limits on every axis. */
static inline void put_cube(tessera_solver *s, int ndim, double lower, double upper) {
  double a[64], b[64];
  assert_in_range(ndim, 1, 64);
  for (int j = 0; j < ndim; ++j) a[j] = lower, b[j] = upper;
  assert_status(s, tessera_set_domain(s, a, b), TESSERA_OK);
}

/* A progress callback that ends the run at *userdata (int64_t) evaluations. */
static inline int stop_at_evaluations(int64_t evaluations, int ncomp, const double *value, const double *error,
                                      int64_t remaining, void *userdata) {
  (void)ncomp, (void)value, (void)error, (void)remaining;
  return evaluations >= *(const int64_t *)userdata;
}

/* Runs a solver of one component. */
static inline struct answer integrate(tessera_solver *s) {
  struct answer a;
  memset(&a, 0, sizeof a);
  a.value = a.error = -1e300; /* what a negative status leaves as it is */
  a.status = tessera_integrate(s, TESSERA_CUBATURE, &a.value, &a.error);
  snprintf(a.sentence, sizeof a.sentence, "%s", tessera_last_error(s));
  a.evaluations = got_int(s, TESSERA_EVALUATIONS);
  a.regions = got_int(s, TESSERA_REGIONS);
  a.iterations = got_int(s, TESSERA_ITERATIONS);
  return a;
}

/* Rules at so many points, and usual places beside them, a seventh of all evaluations at most, with so many around some of these. */
static inline void assert_rules_and_places(int64_t evaluations, int64_t of_rules, int64_t around) {
  assert_true(evaluations > of_rules && evaluations - of_rules <= evaluations / 7 + around);
}

/* A search of the top of what is highest at usual places: up to six times a point and two beside it on each axis. */
static inline int64_t most_around_top(int ndim) { return 6 * (2 * ndim + 1); }

static inline void assert_same_answer(struct answer a, struct answer b) {
  assert_int_equal(a.status, b.status);
  assert_same_bits(a.value, b.value);
  assert_same_bits(a.error, b.error);
  assert_int_equal(a.evaluations, b.evaluations);
  assert_int_equal(a.regions, b.regions);
  assert_int_equal(a.iterations, b.iterations);
  assert_string_equal(a.sentence, b.sentence);
}

#endif
