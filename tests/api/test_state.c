/* The grid and the state of VEGAS as numbers: a run that was interrupted ends as if it had not been, and nothing else is taken
 * for a state. SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "solve.h"

enum { edges = 129 };

static int ridges(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp, (void)userdata;
  f[0] = exp(-200 * (x[0] - 0.4) * (x[0] - 0.4)) * (1 + x[1]);
  f[1] = fabs(x[2] - 0.3);
  return 0;
}

static tessera_solver *vegas(void) {
  tessera_solver *s = solver_of(3, 2);
  put_point(s, ridges, NULL);
  put_int(s, TESSERA_SAMPLING, TESSERA_SAMPLING_VEGAS);
  put_int(s, TESSERA_KEEP_STATE, 1);
  put_int(s, TESSERA_MAXEVAL, 4000000);
  put_real(s, TESSERA_RELTOL, 1e-3);
  put_real(s, TESSERA_PROGRESS_SECONDS, 0);
  return s;
}

static int64_t stop_at;
static int64_t count_seen;
static tessera_solver *running;
static int stopper(int64_t evaluations, int ncomp, const double *value, const double *error, int64_t remaining,
                   void *userdata) {
  (void)ncomp, (void)value, (void)error, (void)remaining, (void)userdata;
  if (tessera_get_state(running, 0, NULL, &count_seen) != TESSERA_OK) count_seen = 0;
  return evaluations >= stop_at;
}

/* The numbers of a run that is stopped after about so many evaluations. */
static double *interrupted(int64_t at, int64_t *n) {
  double value[2], error[2];
  tessera_solver *s = vegas();
  running = s;
  stop_at = at;
  tessera_set_progress(s, stopper, NULL);
  assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, value, error), TESSERA_STOPPED);
  assert_status(s, tessera_get_state(s, 0, NULL, n), TESSERA_OK);
  assert_true(*n > 3 * edges);
  assert_true(count_seen > 3 * edges); /* the callback could read it */
  double *state = malloc((size_t)*n * sizeof *state);
  assert_non_null(state);
  assert_status(s, tessera_get_state(s, *n, state, NULL), TESSERA_OK);
  tessera_destroy(s);
  return state;
}

static void an_interrupted_run_ends_like_another(void **state) {
  static const int64_t at[] = {2000, 5000, 20000, 60000, 120000};
  double value[2], error[2], chi[2];
  int64_t evaluations;
  (void)state;
  tessera_solver *s = vegas();
  assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, value, error), TESSERA_OK);
  tessera_get_chi2(s, chi);
  tessera_get_int(s, TESSERA_EVALUATIONS, &evaluations);
  assert_true(evaluations > 130000);
  for (int i = 0; i < 5; ++i) {
    int64_t n, then, iterations, before;
    double v[2], e[2], c[2];
    tessera_get_int(s, TESSERA_ITERATIONS, &before);
    double *numbers = interrupted(at[i], &n);
    tessera_solver *t = vegas();
    put_int(t, TESSERA_THREADS, 1 + i % 3);
    put_int(t, TESSERA_KEEP_STATE, i % 2);
    assert_status(t, tessera_set_state(t, n, numbers), TESSERA_OK);
    assert_status(t, tessera_integrate(t, TESSERA_MONTECARLO, v, e), TESSERA_OK);
    tessera_get_chi2(t, c);
    tessera_get_int(t, TESSERA_EVALUATIONS, &then);
    tessera_get_int(t, TESSERA_ITERATIONS, &iterations);
    assert_int_equal(then, evaluations);
    assert_int_equal(iterations, before);
    for (int k = 0; k < 2; ++k) {
      assert_same_bits(v[k], value[k]);
      assert_same_bits(e[k], error[k]);
      assert_same_bits(c[k], chi[k]);
    }
    /* Once: the next run is a whole one, with the same result. */
    assert_status(t, tessera_integrate(t, TESSERA_MONTECARLO, v, e), TESSERA_OK);
    assert_same_bits(v[0], value[0]);
    tessera_destroy(t);
    free(numbers);
  }
  tessera_destroy(s);
}

static void a_finished_run_has_nothing_to_do(void **state) {
  double value[2], error[2], v[2], e[2];
  int64_t n, evaluations, then;
  (void)state;
  tessera_solver *s = vegas();
  assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, value, error), TESSERA_OK);
  tessera_get_int(s, TESSERA_EVALUATIONS, &evaluations);
  assert_status(s, tessera_get_state(s, 0, NULL, &n), TESSERA_OK);
  double *numbers = malloc((size_t)n * sizeof *numbers);
  assert_status(s, tessera_get_state(s, n, numbers, NULL), TESSERA_OK);
  assert_status(s, tessera_set_state(s, n, numbers), TESSERA_OK);
  assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, v, e), TESSERA_OK);
  tessera_get_int(s, TESSERA_EVALUATIONS, &then);
  assert_int_equal(then, evaluations);
  assert_same_bits(v[1], value[1]);
  /* With a smaller tolerance it goes on, and with fewer evaluations than there were it ends at once. */
  put_real(s, TESSERA_RELTOL, 8e-4);
  assert_status(s, tessera_set_state(s, n, numbers), TESSERA_OK);
  assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, v, e), TESSERA_OK);
  tessera_get_int(s, TESSERA_EVALUATIONS, &then);
  assert_true(then > evaluations);
  put_int(s, TESSERA_MAXEVAL, 1000);
  assert_status(s, tessera_set_state(s, n, numbers), TESSERA_OK);
  assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, v, e), TESSERA_LIMIT_EVALUATIONS);
  tessera_get_int(s, TESSERA_EVALUATIONS, &then);
  assert_int_equal(then, evaluations);
  assert_same_bits(v[0], value[0]);
  assert_status(s, tessera_set_state(s, n, numbers), TESSERA_OK); /* and taken back */
  assert_status(s, tessera_set_state(s, 0, NULL), TESSERA_OK);
  assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, v, e), TESSERA_LIMIT_EVALUATIONS);
  tessera_get_int(s, TESSERA_EVALUATIONS, &then);
  assert_true(then <= 1000);
  free(numbers);
  tessera_destroy(s);
}

static void what_is_refused(void **state) {
  int64_t n, count = -7;
  double value[2], error[2], *numbers = interrupted(60000, &n);
  (void)state;
  tessera_solver *s = vegas();
  assert_status(s, tessera_get_state(s, 0, NULL, &count), TESSERA_ERR_UNSUPPORTED);
  assert_int_equal(count, -7);
  assert_status(s, tessera_set_state(s, -1, numbers), TESSERA_ERR_ARGUMENT);
  assert_status(s, tessera_set_state(s, n, NULL), TESSERA_ERR_ARGUMENT);
  assert_status(s, tessera_set_state(s, n - 1, numbers), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_set_state(NULL, n, numbers), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_get_state(NULL, 0, NULL, &count), TESSERA_ERR_ARGUMENT);
  for (int i = 0; i < n; i += 1 + i / 9) {
    const double right = numbers[i];
    numbers[i] = NAN;
    assert_status(s, tessera_set_state(s, n, numbers), TESSERA_ERR_ARGUMENT);
    numbers[i] = right;
  }
  tessera_solver *other = solver_of(2, 2);
  assert_status(other, tessera_set_state(other, n, numbers), TESSERA_ERR_ARGUMENT);
  tessera_destroy(other);
  put_int(s, TESSERA_SAMPLING, TESSERA_SAMPLING_AUTO);
  assert_status(s, tessera_set_state(s, n, numbers), TESSERA_OK);
  assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, value, error), TESSERA_ERR_UNSUPPORTED);
  put_int(s, TESSERA_SAMPLING, TESSERA_SAMPLING_VEGAS);
  put_int(s, TESSERA_KEEP_STATE, 0);
  assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, value, error), TESSERA_OK);
  assert_status(s, tessera_get_state(s, 0, NULL, &count), TESSERA_ERR_UNSUPPORTED);
  put_int(s, TESSERA_KEEP_STATE, 1);
  assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, value, error), TESSERA_OK);
  assert_status(s, tessera_get_state(s, 0, NULL, &count), TESSERA_OK);
  assert_status(s, tessera_get_state(s, count + 1, numbers, NULL), TESSERA_ERR_ARGUMENT);
  assert_status(s, tessera_get_state(s, 1, NULL, NULL), TESSERA_ERR_ARGUMENT);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_OK);
  assert_status(s, tessera_get_state(s, 0, NULL, &count), TESSERA_ERR_UNSUPPORTED);
  tessera_destroy(s);
  free(numbers);
}

/* Numbers that are not those of a run: either refused, or good for a run that ends. */
static void wild_numbers_do_no_harm(void **state) {
  static const double wild[] = {0,        1,         -1,  0.5,  1e300,        -1e300, 1e-300,
                                INFINITY, -INFINITY, 3e9, 9e15, 2147483647.0, 1e18};
  int64_t n;
  double *numbers = interrupted(60000, &n);
  uint64_t seed = 9;
  int refused = 0, run = 0;
  (void)state;
  tessera_solver *s = vegas();
  for (int i = 0; i < (sanitized ? 300 : 3000); ++i) {
    double changed[3], value[2], error[2];
    int64_t where[3];
    const int changes = 1 + (int)(splitmix64(&seed) % 3);
    for (int c = 0; c < changes; ++c) {
      where[c] = (int64_t)(splitmix64(&seed) % (c == 0 ? 14 : (uint64_t)n));
      if (splitmix64(&seed) % 3 == 0) where[c] = (int64_t)(splitmix64(&seed) % (uint64_t)n);
      changed[c] = numbers[where[c]];
      numbers[where[c]] = wild[splitmix64(&seed) % 13];
    }
    put_int(s, TESSERA_MAXEVAL, 100000);
    if (tessera_set_state(s, n, numbers) == TESSERA_OK) {
      ++run;
      const int status = tessera_integrate(s, TESSERA_MONTECARLO, value, error);
      assert_true(status >= 0);
    } else {
      ++refused;
    }
    for (int c = changes - 1; c >= 0; --c) numbers[where[c]] = changed[c];
  }
  print_message("  %d refused, %d run\n", refused, run);
  assert_true(refused > 30 && run > 30);
  tessera_destroy(s);
  free(numbers);
}

static void the_grid_as_numbers(void **state) {
  static double grid[3 * edges], again[3 * edges];
  double value[3][2], error[3][2];
  (void)state;
  tessera_solver *s = vegas(), *t = vegas();
  assert_status(s, tessera_get_grid(s, grid), TESSERA_ERR_ARGUMENT); /* there is none yet */
  assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, value[0], error[0]), TESSERA_OK);
  assert_status(s, tessera_get_grid(s, grid), TESSERA_OK);
  assert_status(s, tessera_get_grid(s, NULL), TESSERA_ERR_ARGUMENT);
  for (int j = 0; j < 3; ++j) {
    assert_same_bits(grid[j * edges], 0);
    assert_same_bits(grid[j * edges + edges - 1], 1);
    for (int i = 1; i < edges; ++i) assert_true(grid[j * edges + i] > grid[j * edges + i - 1]);
  }
  assert_at_most(grid[64] - 0.4, 0.05); /* it has gone to the ridge */
  assert_status(t, tessera_set_grid(t, grid), TESSERA_OK);
  assert_status(t, tessera_get_grid(t, again), TESSERA_OK);
  assert_memory_equal(again, grid, sizeof grid);
  put_int(s, TESSERA_KEEP_GRID, 1);
  put_int(t, TESSERA_KEEP_GRID, 1);
  assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, value[1], error[1]), TESSERA_OK);
  assert_status(t, tessera_integrate(t, TESSERA_MONTECARLO, value[2], error[2]), TESSERA_OK);
  assert_same_bits(value[2][0], value[1][0]);
  assert_true(value[1][0] != value[0][0]);
  assert_status(t, tessera_set_grid(t, grid), TESSERA_OK);
  for (int i = 0; i < 5; ++i) {
    static const double bad[] = {NAN, 0, 1, -1, INFINITY};
    memcpy(again, grid, sizeof grid);
    again[200] = bad[i];
    assert_status(t, tessera_set_grid(t, again), TESSERA_ERR_ARGUMENT);
  }
  assert_status(t, tessera_get_grid(t, again), TESSERA_OK);
  assert_memory_equal(again, grid, sizeof grid); /* the good one is still there */
  assert_status(t, tessera_set_grid(t, NULL), TESSERA_OK);
  assert_status(t, tessera_get_grid(t, again), TESSERA_ERR_ARGUMENT);
  assert_status(t, tessera_integrate(t, TESSERA_MONTECARLO, value[2], error[2]), TESSERA_OK);
  assert_same_bits(value[2][0], value[0][0]); /* as if there had never been one */
  assert_int_equal(tessera_set_grid(NULL, grid), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_get_grid(NULL, grid), TESSERA_ERR_ARGUMENT);
  tessera_destroy(s);
  tessera_destroy(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_interrupted_run_ends_like_another),
      cmocka_unit_test(a_finished_run_has_nothing_to_do),
      cmocka_unit_test(what_is_refused),
      cmocka_unit_test(wild_numbers_do_no_harm),
      cmocka_unit_test(the_grid_as_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
