/* TESSERA_MAX_SECONDS and the progress callback where a step takes longer than the limit: expensive integrands, many components.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "solve.h"

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static void pause_for(double time) {
  const struct timespec t = {(time_t)time, (long)(1e9 * (time - floor(time)))};
  nanosleep(&t, NULL);
}

/* What runs are made of. */
struct kind {
  const char *name;
  int method, ndim, key, choice;
};
static const struct kind kinds[] = {
    {"worst first", TESSERA_CUBATURE, 10, TESSERA_SELECTION, TESSERA_SELECT_WORST_FIRST},
    {"worst first, from some regions", TESSERA_CUBATURE, 2, TESSERA_INITIAL_REGIONS, 64},
    {"by component", TESSERA_CUBATURE, 10, TESSERA_PRIORITY, TESSERA_PRIORITY_WORST_COMPONENT},
    {"bulk", TESSERA_CUBATURE, 10, TESSERA_SELECTION, TESSERA_SELECT_BULK},
    {"lattice", TESSERA_LATTICE, 10, TESSERA_TRANSFORM, TESSERA_TRANSFORM_NONE},
    {"lattice, trial", TESSERA_LATTICE, 10, TESSERA_TRANSFORM, TESSERA_TRANSFORM_AUTO},
    {"lattice, median", TESSERA_LATTICE, 10, TESSERA_MEDIAN, 11},
    {"Monte Carlo", TESSERA_MONTECARLO, 10, TESSERA_SAMPLING, TESSERA_SAMPLING_PLAIN},
    {"antithetic", TESSERA_MONTECARLO, 10, TESSERA_ANTITHETIC, 1},
    {"VEGAS", TESSERA_MONTECARLO, 10, TESSERA_SAMPLING, TESSERA_SAMPLING_VEGAS},
};
enum { kinds_end = sizeof kinds / sizeof kinds[0] };
static int first_kind = 0, past_kind = kinds_end; /* those that this process tries */

static tessera_solver *solver_for(const struct kind *k) {
  tessera_solver *s = solver_of(k->ndim, 1);
  put_int(s, k->key, k->choice);
  put_int(s, TESSERA_THREADS, 1);
  put_real(s, TESSERA_RELTOL, 1e-10);
  return s;
}

/* An integrand that takes its time: so many seconds for a point from the one with this number on. */
struct slow {
  double time;
  int64_t from;
  _Atomic int64_t points, calls, most; /* most: points of a call */
};
static struct slow slow_of(double time, int64_t from) {
  const struct slow s = {time, from, 0, 0, 0};
  return s;
}
static int slow_point(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  struct slow *s = userdata;
  const int64_t before = s->points++;
  for (int k = 0; k < ncomp; ++k) f[k] = 1 + x[0] * x[ndim - 1];
  if (s->time > 0 && before >= s->from) pause_for(s->time);
  return 0;
}
static int slow_batch(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf,
                      void *userdata) {
  struct slow *s = userdata;
  int64_t wait = 0;
  ++s->calls;
  if (n > s->most) s->most = n;
  for (int64_t i = 0; i < n; ++i) {
    for (int k = 0; k < ncomp; ++k) f[k * ldf + i] = 1 + x[i] * x[(ndim - 1) * ldx + i];
    if (s->points++ >= s->from) ++wait;
  }
  if (s->time > 0 && wait > 0) pause_for(s->time * (double)wait);
  return 0;
}
static void put_slow(tessera_solver *s, struct slow *of, int batch) {
  if (batch)
    put_batch(s, slow_batch, of);
  else
    put_point(s, slow_point, of);
}

/* The points that fit, and the few that a late look costs. On a loaded machine fewer fit, so the limit holds there too. */
static void the_limit_ends_a_step(void **state) {
  const double limit = 0.2, each = 0.01;
  (void)state;
  for (int k = first_kind; k < past_kind; ++k)
    for (int batch = 0; batch < 2; ++batch)
      for (int threads = 1; threads <= 2; ++threads) {
        struct slow of = slow_of(each, 0);
        double value = -1, error = -1;
        tessera_solver *s = solver_for(&kinds[k]);
        put_slow(s, &of, batch);
        put_int(s, TESSERA_THREADS, threads);
        put_real(s, TESSERA_MAX_SECONDS, limit);
        const double start = seconds();
        assert_status(s, tessera_integrate(s, kinds[k].method, &value, &error), TESSERA_LIMIT_TIME);
        const double took = seconds() - start;
        print_message("  %s, %s, %d threads: %lld points, %.2f s, %g +- %g\n", kinds[k].name, batch ? "batch" : "point",
                      threads, (long long)of.points, took, value, error);
        assert_at_most((double)of.points, threads * (limit / each + 8));
        assert_true(took >= limit);
        assert_true(got_int(s, TESSERA_EVALUATIONS) <= of.points);
        /* There is a number, or it is said that there is none. */
        if (isnan(value)) {
          assert_true(isinf(error) && got_int(s, TESSERA_EVALUATIONS) == 0);
          assert_says(tessera_last_error(s), "before there was a value");
        } else {
          assert_true(error >= 0 && got_int(s, TESSERA_EVALUATIONS) > 0);
        }
        tessera_destroy(s);
      }
}

/* Points that become expensive after many cheap ones: a look is never far away, nor is a call large. */
static void the_price_of_a_point_may_rise(void **state) {
  const double limit = 0.3, each = 0.002;
  (void)state;
  for (int k = first_kind; k < past_kind; ++k)
    for (int batch = 0; batch < 2; ++batch) {
      struct slow of = slow_of(each, 3000);
      double value, error;
      tessera_solver *s = solver_for(&kinds[k]);
      put_slow(s, &of, batch);
      put_real(s, TESSERA_MAX_SECONDS, limit);
      put_int(s, TESSERA_BATCH_POINTS, 256);
      assert_status(s, tessera_integrate(s, kinds[k].method, &value, &error), TESSERA_LIMIT_TIME);
      assert_true(isfinite(value) || kinds[k].method != TESSERA_MONTECARLO);
      assert_at_most((double)of.points, 3000 + limit / each + 256 + 16);
      tessera_destroy(s);
    }
}

/* What has been complete is the result, with an error that holds. */
static void what_was_complete_is_the_result(void **state) {
  (void)state;
  for (int k = first_kind; k < past_kind; ++k)
    for (int batch = 0; batch < 2; ++batch) {
      struct slow of = slow_of(0.0005, 9000);
      double value = 0, error = 0;
      tessera_solver *s = solver_for(&kinds[k]);
      put_slow(s, &of, batch);
      put_int(s, TESSERA_KEEP_REGIONS, 1);
      put_real(s, TESSERA_RELTOL, 0);
      put_real(s, TESSERA_MAX_SECONDS, 0.5);
      put_int(s, TESSERA_BATCH_POINTS, 512); /* in the call in which the price rises the clock is not seen */
      const int status = tessera_integrate(s, kinds[k].method, &value, &error);
      assert_true(status == TESSERA_LIMIT_TIME || status == TESSERA_ROUNDOFF);
      assert_at_most(fabs(value - 1.25), error + 1e-14);
      if (kinds[k].method == TESSERA_CUBATURE) {
        int64_t n = 0;
        double sum = 0;
        const int status_of_regions = tessera_get_regions(s, 0, 0, NULL, &n);
        if (status_of_regions == TESSERA_OK) {
          const int64_t fields = 2 * kinds[k].ndim + 5;
          double *const records = malloc(sizeof(double) * (size_t)(n * fields));
          assert_status(s, tessera_get_regions(s, 0, n, records, NULL), TESSERA_OK);
          for (int64_t i = 0; i < n; ++i) sum += records[i * fields + 2 * kinds[k].ndim];
          assert_close(sum, value, 1e-12, 0);
          free(records);
        } else {
          assert_status(s, status_of_regions, TESSERA_ERR_UNSUPPORTED); /* bulk steps change regions as they go */
          assert_int_equal(kinds[k].choice, TESSERA_SELECT_BULK);
        }
      }
      tessera_destroy(s);
    }
}

/* A sample of Monte Carlo needs no whole piece: a mean and an error come from those that there were. */
static void few_samples_give_a_value(void **state) {
  (void)state;
  for (int antithetic = 0; antithetic < 2; ++antithetic)
    for (int threads = 1; threads <= 2; ++threads) {
      struct slow of = slow_of(0.005, 0);
      double value = 0, error = 0;
      tessera_solver *s = solver_for(&kinds[kinds_end - 3]);
      put_int(s, TESSERA_ANTITHETIC, antithetic);
      put_int(s, TESSERA_THREADS, threads);
      put_slow(s, &of, antithetic);
      put_real(s, TESSERA_MAX_SECONDS, 0.4);
      assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, &value, &error), TESSERA_LIMIT_TIME);
      const int64_t made = got_int(s, TESSERA_EVALUATIONS);
      print_message("  %lld of %lld samples: %g +- %g\n", (long long)made, (long long)of.points, value, error);
      assert_true(made >= 4 && made <= of.points);
      assert_true(error > 0 && error < 1);
      assert_at_most(fabs(value - 1.25), 2 * error);
      tessera_destroy(s);
    }
}

/* With a limit that is far away batches are cut, and looks are taken: the bits are those without it. */
static void the_limit_does_not_show_in_the_bits(void **state) {
  (void)state;
  for (int k = first_kind; k < past_kind; ++k)
    for (int batch = 0; batch < 2; ++batch) {
      double value[3], error[3];
      int64_t evaluations[3];
      for (int i = 0; i < 3; ++i) {
        struct slow of = slow_of(i == 2 ? 2e-6 : 0, 13000);
        tessera_solver *s = solver_for(&kinds[k]);
        put_slow(s, &of, batch);
        put_real(s, TESSERA_MAX_SECONDS, i > 0 ? 1e6 : 0);
        put_int(s, TESSERA_MAXEVAL, 15000);
        assert_true(tessera_integrate(s, kinds[k].method, &value[i], &error[i]) >= 0);
        evaluations[i] = got_int(s, TESSERA_EVALUATIONS);
        if (i == 1 && batch && kinds[k].method == TESSERA_CUBATURE) assert_true(of.most > 256);
        tessera_destroy(s);
      }
      for (int i = 1; i < 3; ++i) {
        assert_same_bits(value[i], value[0]);
        assert_same_bits(error[i], error[0]);
        assert_int_equal(evaluations[i], evaluations[0]);
      }
    }
}

/* A call that costs the same whatever its size is not made for single points. */
static int dear_call(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf,
                     void *userdata) {
  pause_for(0.03);
  return slow_batch(n, ndim, x, ldx, ncomp, f, ldf, userdata);
}
static void batches_stay_large_where_the_call_is_what_costs(void **state) {
  (void)state;
  struct slow of = slow_of(0, 0);
  tessera_solver *s = solver_for(&kinds[0]);
  put_batch(s, dear_call, &of);
  put_int(s, TESSERA_MAXEVAL, 30000);
  put_real(s, TESSERA_MAX_SECONDS, 100);
  assert_true(integrate(s).status >= 0);
  print_message("  %lld calls, the largest of %lld points\n", (long long)of.calls, (long long)of.most);
  assert_true(of.most >= 2000);
  assert_true(of.calls <= 300); /* some 10, more on a loaded machine; single points would be 30000 */
  tessera_destroy(s);
}

/* ---- Many integrals -------------------------------------------------------------------------------------------------------- */
static void many_integrals_end_within_one(void **state) {
  (void)state;
  for (int batch = 0; batch < 2; ++batch)
    for (int threads = 1; threads <= 2; ++threads) {
      struct slow of = slow_of(0.01, 0);
      double value[20], error[20];
      int status[20];
      tessera_solver *s = solver_of(10, 1);
      put_slow(s, &of, batch);
      put_int(s, TESSERA_THREADS, threads);
      put_real(s, TESSERA_MAX_SECONDS, 0.25);
      assert_status(s, tessera_integrate_many(s, TESSERA_CUBATURE, 20, NULL, 0, NULL, NULL, value, error, status),
                    TESSERA_LIMIT_TIME);
      assert_at_most((double)of.points, threads * (0.25 / 0.01 + 8));
      for (int i = 0; i < 20; ++i) {
        assert_int_equal(status[i], TESSERA_LIMIT_TIME);
        assert_true(isnan(value[i]) && isinf(error[i]));
      }
      tessera_destroy(s);
    }
}

/* ---- Progress -------------------------------------------------------------------------------------------------------------- */
struct seen {
  int calls, stop_at;
  int64_t evaluations;
};
static int progress(int64_t evaluations, int ncomp, const double *value, const double *error, int64_t remaining,
                    void *userdata) {
  struct seen *p = userdata;
  (void)ncomp, (void)value, (void)error, (void)remaining;
  p->evaluations = evaluations;
  return ++p->calls == p->stop_at;
}

static void the_callback_is_called_within_a_step_and_can_end_it(void **state) {
  (void)state;
  for (int k = first_kind; k < past_kind; ++k)
    for (int threads = 1; threads <= 2; ++threads) {
      struct slow of = slow_of(0.01, 0);
      struct seen p = {0, 2, -1};
      double value, error;
      tessera_solver *s = solver_for(&kinds[k]);
      put_slow(s, &of, threads == 2);
      put_int(s, TESSERA_THREADS, threads);
      assert_status(s, tessera_set_progress(s, progress, &p), TESSERA_OK);
      assert_status(s, tessera_integrate(s, kinds[k].method, &value, &error), TESSERA_STOPPED);
      assert_int_equal(p.calls, 2);
      assert_at_most((double)of.points, threads * 150); /* two calls are a second apart at most */
      assert_true(p.evaluations <= got_int(s, TESSERA_EVALUATIONS));
      tessera_destroy(s);
    }
}

/* ---- Many components ------------------------------------------------------------------------------------------------------- */
static int cheap_components(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double s = 0;
  ++*(int64_t *)userdata;
  for (int j = 0; j < ndim; ++j) s += fabs(x[j] - 0.3);
  for (int k = 0; k < ncomp; ++k) f[k] = 1 + s * (k % 7);
  return 0;
}

/* With 65536 components a step of few points takes seconds, most of which are not the integrand's. What counts is the processor's
 * time: on a loaded machine one look at the clock may be seconds after another. */
static void many_components_do_not_hide_the_limit(void **state) {
  enum { components = 65536 };
  (void)state;
  double *const value = malloc(sizeof(double) * components), *const error = malloc(sizeof(double) * components);
  const double most = sanitized ? 10 : 2.5;
  for (int k = 0; k < kinds_end; ++k) {
    double took = 2 * most;
    for (int i = 0; i < 2 && took > most; ++i) { /* the second time with memory that is there */
      tessera_solver *s = solver_of(kinds[k].ndim, components);
      int64_t points = 0;
      put_point(s, cheap_components, &points);
      put_int(s, kinds[k].key, kinds[k].choice);
      put_int(s, TESSERA_THREADS, 1);
      put_real(s, TESSERA_RELTOL, 1e-3);
      put_real(s, TESSERA_MAX_SECONDS, 0.2);
      const clock_t start = clock();
      const int status = tessera_integrate(s, kinds[k].method, value, error);
      took = (double)(clock() - start) / CLOCKS_PER_SEC;
      print_message("  %s: %lld points in %.2f s\n", kinds[k].name, (long long)points, took);
      assert_status(s, status, TESSERA_LIMIT_TIME);
      assert_true(points < 4000); /* 0.1 ms a point at least, be it only for writing them */
      tessera_destroy(s);
    }
    assert_at_most(took, most);
  }
  free(value);
  free(error);
}

/* What does little but wait: a process for each kind, all at the same time. */
static int wait_side_by_side(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_limit_ends_a_step),
      cmocka_unit_test(the_price_of_a_point_may_rise),
      cmocka_unit_test(what_was_complete_is_the_result),
      cmocka_unit_test(the_callback_is_called_within_a_step_and_can_end_it),
  };
  pid_t child[kinds_end];
  int failed = 0;
  fflush(NULL);
  for (int k = 0; k < kinds_end; ++k) {
    child[k] = fork();
    if (child[k] != 0) continue;
    first_kind = k;
    past_kind = k + 1;
    exit(cmocka_run_group_tests_name(kinds[k].name, tests, NULL, NULL));
  }
  for (int k = 0; k < kinds_end; ++k) {
    int status = 1;
    failed += child[k] < 0 || waitpid(child[k], &status, 0) != child[k] || status != 0;
  }
  return failed;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(few_samples_give_a_value),
      cmocka_unit_test(the_limit_does_not_show_in_the_bits),
      cmocka_unit_test(batches_stay_large_where_the_call_is_what_costs),
      cmocka_unit_test(many_integrals_end_within_one),
      cmocka_unit_test(many_components_do_not_hide_the_limit),
  };
  return wait_side_by_side() + cmocka_run_group_tests(tests, NULL, NULL);
}
