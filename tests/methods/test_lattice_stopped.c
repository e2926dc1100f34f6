/* A lattice run that ends before its first rule is whole has the value of the shifts that are finished, whoever ended it.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <time.h>

#include "cases.h"
#include "solve.h"

enum { ndim = 2, n = 1024, shifts = 32, trial_n = 256, trial_shifts = 8 };

static double value_at(const double *x) { return exp(x[0]) * (1 + x[1]); }
static const double exact = 1.5 * 1.71828182845904523536;

/* ---- Integrands -------------------------------------------------------------------------------------------------------- */
/* The points and values of the first rule, in its order, by a run on one thread. */
struct record {
  int64_t calls;
  double x[n * shifts][ndim], f[n * shifts];
};

static int remembers(int nd, const double *x, int nc, double *f, void *userdata) {
  struct record *r = userdata;
  (void)nc;
  f[0] = value_at(x);
  if (r->calls < n * shifts) {
    for (int j = 0; j < nd; ++j) r->x[r->calls][j] = x[j];
    r->f[r->calls] = f[0];
  }
  ++r->calls;
  return 0;
}

/* Stops at one point. */
static int stops_at(int nd, const double *x, int nc, double *f, void *userdata) {
  const double *where = userdata;
  (void)nd, (void)nc;
  f[0] = value_at(x);
  return x[0] == where[0] && x[1] == where[1] ? 42 : 0;
}

static int stops_in_batches(int64_t many, int nd, const double *x, int64_t ldx, int nc, double *f, int64_t ldf,
                            void *userdata) {
  (void)ldf;
  for (int64_t i = 0; i < many; ++i) {
    const double at[ndim] = {x[i], x[ldx + i]};
    const int stop = stops_at(nd, at, nc, &f[i], userdata);
    if (stop) return stop;
  }
  return 0;
}

static int stops_after(int nd, const double *x, int nc, double *f, void *userdata) {
  int64_t *left = userdata;
  (void)nd, (void)nc;
  f[0] = value_at(x);
  return --*left < 0 ? 42 : 0;
}

/* Cheap but for one point, which lasts longer than a run may. */
static const double limit = 0.7;
static void pause_for(double seconds) {
  const struct timespec t = {(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))};
  nanosleep(&t, NULL);
}
static int pauses_after(int nd, const double *x, int nc, double *f, void *userdata) {
  int64_t *left = userdata;
  (void)nd, (void)nc;
  f[0] = value_at(x);
  if (--*left == 0) pause_for(limit + 0.1);
  return 0;
}

/* Takes its time for each point. */
static int slow_batch(int64_t many, int nd, const double *x, int64_t ldx, int nc, double *f, int64_t ldf,
                      void *userdata) {
  int64_t *made = userdata;
  (void)nd, (void)nc, (void)ldf;
  for (int64_t i = 0; i < many; ++i) {
    const double at[ndim] = {x[i], x[ldx + i]};
    f[i] = value_at(at);
  }
  *made += many;
  pause_for(2e-5 * (double)many);
  return 0;
}

/* ---- Runs -------------------------------------------------------------------------------------------------------------- */
static tessera_solver *make_solver(int transform) {
  tessera_solver *s = solver_of(ndim, 1);
  put_int(s, TESSERA_TRANSFORM, transform);
  put_int(s, TESSERA_POINTS, n);
  put_int(s, TESSERA_THREADS, 1);
  put_int(s, TESSERA_MAXEVAL, 10000000);
  put_real(s, TESSERA_RELTOL, 1e-13);
  return s;
}

static struct answer lattice(tessera_solver *s) {
  struct answer a;
  memset(&a, 0, sizeof a);
  a.value = a.error = -1e300;
  a.status = tessera_integrate(s, TESSERA_LATTICE, &a.value, &a.error);
  a.evaluations = got_int(s, TESSERA_EVALUATIONS);
  snprintf(a.sentence, sizeof a.sentence, "%s", tessera_last_error(s));
  return a;
}

/* The mean over the first shifts and its standard error. */
static void mean_of(const struct record *r, int many, double *mean, double *deviation) {
  double of[shifts], sum = 0, squares = 0;
  for (int k = 0; k < many; ++k) {
    of[k] = 0;
    for (int i = 0; i < n; ++i) of[k] += r->f[k * n + i] / n;
    sum += of[k];
  }
  *mean = sum / many;
  for (int k = 0; k < many; ++k) squares += (of[k] - *mean) * (of[k] - *mean);
  *deviation = sqrt(squares / (many * (many - 1.0)));
}

static void the_integrand_stops(void **state) {
  static struct record r;
  static const struct {
    int finished;
    double t; /* Student's, at 0.99 */
  } cases[] = {{1, INFINITY}, {2, 63.656741162871524}, {5, 4.6040948713499788}, {31, 2.7499956535672259}};
  (void)state;
  r.calls = 0;
  tessera_solver *s = make_solver(TESSERA_TRANSFORM_NONE);
  put_point(s, remembers, &r);
  put_int(s, TESSERA_MAXEVAL, 2 * n * shifts);
  assert_true(lattice(s).status >= 0);
  put_int(s, TESSERA_MAXEVAL, 10000000);
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c) {
    const int many = cases[c].finished;
    double mean, deviation;
    mean_of(&r, many, &mean, &deviation);
    for (int form = 0; form < 3; ++form)
      for (int threads = 1; threads <= 3; ++threads) {
        double *where = r.x[many * n + 700];
        put_int(s, TESSERA_THREADS, threads);
        put_int(s, TESSERA_BATCH_POINTS, form == 1 ? 100 : 16384);
        if (form == 0)
          put_point(s, stops_at, where);
        else
          put_batch(s, stops_in_batches, where);
        const struct answer a = lattice(s);
        assert_status(s, a.status, TESSERA_CALLBACK_STOPPED);
        assert_says(a.sentence, "the integrand returned 42");
        assert_int_equal(got_int(s, TESSERA_CALLBACK_STATUS), 42);
        assert_int_equal(got_int(s, TESSERA_SHIFTS_USED), many);
        assert_int_equal(got_int(s, TESSERA_POINTS_USED), n);
        assert_int_equal(a.evaluations, many * n);
        assert_close(a.value, mean, 1e-14, 0);
        if (many == 1)
          assert_true(isinf(a.error));
        else
          assert_close(a.error, cases[c].t * deviation, 1e-6, 0);
      }
  }
  /* In the first shift there is no value. */
  put_point(s, stops_at, r.x[700]);
  const struct answer a = lattice(s);
  assert_status(s, a.status, TESSERA_ERR_CALLBACK);
  assert_same_bits(a.value, -1e300);
  assert_same_bits(a.error, -1e300);
  tessera_destroy(s);
}

/* In the trial that chooses a change of variables: the last rule of it that is whole, else the shifts that are. */
static void the_integrand_stops_in_the_trial(void **state) {
  static const struct {
    int64_t left;
    int shifts, transform;
  } cases[] = {{trial_n + 10, 1, TESSERA_TRANSFORM_NONE},
               {3 * trial_n + 10, 3, TESSERA_TRANSFORM_NONE},
               {trial_shifts * trial_n + 10, trial_shifts, TESSERA_TRANSFORM_NONE},
               {(2 * trial_shifts - 1) * trial_n + 10, trial_shifts, TESSERA_TRANSFORM_NONE},
               {2 * trial_shifts * trial_n + 10, trial_shifts, TESSERA_TRANSFORM_BAKER}};
  (void)state;
  tessera_solver *s = make_solver(TESSERA_TRANSFORM_AUTO);
  int64_t left = 10;
  put_point(s, stops_after, &left);
  assert_status(s, lattice(s).status, TESSERA_ERR_CALLBACK);
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c) {
    left = cases[c].left;
    const struct answer a = lattice(s);
    assert_status(s, a.status, TESSERA_CALLBACK_STOPPED);
    assert_int_equal(got_int(s, TESSERA_SHIFTS_USED), cases[c].shifts);
    assert_int_equal(got_int(s, TESSERA_POINTS_USED), trial_n);
    assert_int_equal(got_int(s, TESSERA_TRANSFORM_USED), cases[c].transform);
    assert_close(a.value, exact, 1e-2, 0);
    if (cases[c].shifts == 1)
      assert_true(isinf(a.error));
    else
      assert_at_most(fabs(a.value - exact), a.error);
  }
  tessera_destroy(s);
}

/* A rule of one shift alone is what there is of a median. */
static void the_integrand_stops_in_the_search_for_a_median(void **state) {
  int64_t left = n / 2;
  (void)state;
  tessera_solver *s = make_solver(TESSERA_TRANSFORM_NONE);
  put_int(s, TESSERA_MEDIAN, 11);
  put_point(s, stops_after, &left);
  assert_status(s, lattice(s).status, TESSERA_ERR_CALLBACK);
  left = n + n / 2;
  struct answer a = lattice(s);
  assert_status(s, a.status, TESSERA_CALLBACK_STOPPED);
  assert_int_equal(got_int(s, TESSERA_SHIFTS_USED), 1);
  assert_true(isinf(a.error));
  assert_close(a.value, exact, 1e-1, 0);
  left = 11 * n + 4 * n + n / 2;
  a = lattice(s);
  assert_status(s, a.status, TESSERA_CALLBACK_STOPPED);
  assert_int_equal(got_int(s, TESSERA_SHIFTS_USED), 4);
  assert_true(a.error < 1);
  tessera_destroy(s);
}

static int stop_now(int64_t evaluations, int nc, const double *value, const double *error, int64_t remaining,
                    void *userdata) {
  (void)evaluations, (void)nc, (void)value, (void)error, (void)remaining, (void)userdata;
  return 1;
}

/* The progress callback is asked after each 2^20 points, and sooner where these take more than a quarter of a second. */
static void the_progress_callback_stops(void **state) {
  static const struct {
    int64_t points;
    int finished;
  } cases[] = {{1 << 17, 8}, {1 << 19, 2}, {1 << 20, 1}, {1 << 21, 0}};
  (void)state;
  tessera_solver *s = make_solver(TESSERA_TRANSFORM_NONE);
  int64_t left = INT64_MAX;
  put_point(s, stops_after, &left);
  put_int(s, TESSERA_MAXEVAL, 1000000000);
  put_real(s, TESSERA_PROGRESS_SECONDS, 0);
  assert_status(s, tessera_set_progress(s, stop_now, NULL), TESSERA_OK);
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c) {
    put_int(s, TESSERA_POINTS, cases[c].points);
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    const struct answer a = lattice(s);
    clock_gettime(CLOCK_MONOTONIC, &end);
    assert_status(s, a.status, TESSERA_STOPPED);
    const int64_t used = got_int(s, TESSERA_SHIFTS_USED);
    assert_in_range(used, 0, cases[c].finished);
    if ((double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec) > 0.15)
      continue; /* a clock under load */
    assert_int_equal(used, cases[c].finished);
    assert_int_equal(got_int(s, TESSERA_POINTS_USED), cases[c].points);
    assert_close(a.value, exact, used > 0 ? 1e-4 : 0.5, 0); /* part of a rule lies in part of the domain */
    if (used < 2)
      assert_true(isinf(a.error));
    else
      assert_at_most(fabs(a.value - exact), a.error);
  }
  tessera_destroy(s);
}

/* Whoever ends the run, the shifts that are finished count alike. */
static void the_time_ends(void **state) {
  static struct record r;
  (void)state;
  r.calls = 0;
  tessera_solver *s = make_solver(TESSERA_TRANSFORM_NONE);
  put_point(s, remembers, &r);
  put_int(s, TESSERA_MAXEVAL, 2 * n * shifts);
  assert_true(lattice(s).status >= 0);
  put_int(s, TESSERA_MAXEVAL, 10000000);
  put_real(s, TESSERA_MAX_SECONDS, limit);
  for (int many = 0; many < 4; ++many) {
    int64_t left = many * n + 700;
    put_point(s, pauses_after, &left);
    const struct answer a = lattice(s);
    assert_status(s, a.status, TESSERA_LIMIT_TIME);
    assert_int_equal(got_int(s, TESSERA_SHIFTS_USED), many);
    assert_int_equal(a.evaluations, many * n);
    if (many == 0) {
      assert_true(isnan(a.value) && isinf(a.error));
      continue;
    }
    double mean, deviation;
    mean_of(&r, many, &mean, &deviation);
    assert_close(a.value, mean, 1e-14, 0);
    if (many == 1)
      assert_true(isinf(a.error));
    else
      assert_at_most(fabs(a.value - exact), a.error);
  }
  tessera_destroy(s);
}

/* Before a shift is complete there is the mean so far, up to the last 16384 points and the call under way. */
static void the_time_ends_within_a_shift(void **state) {
  enum { item = 16384, late = item + 8192 };
  (void)state;
  int64_t made = 0;
  tessera_solver *s = make_solver(TESSERA_TRANSFORM_NONE);
  put_batch(s, slow_batch, &made);
  put_int(s, TESSERA_POINTS, 1 << 18);
  put_int(s, TESSERA_BATCH_POINTS, 65536);
  put_int(s, TESSERA_MAXEVAL, 1000000000);
  put_real(s, TESSERA_MAX_SECONDS, 2 * limit);
  const struct answer a = lattice(s);
  print_message("  %lld points made, %lld evaluations: %g +- %g\n", (long long)made, (long long)a.evaluations, a.value,
                a.error);
  assert_status(s, a.status, TESSERA_LIMIT_TIME);
  assert_int_equal(got_int(s, TESSERA_SHIFTS_USED), 0);
  assert_int_equal(a.evaluations % item, 0);
  assert_true(a.evaluations <= made && made - a.evaluations <= late);
  if (made > late) assert_close(a.value, exact, 0.5, 0);
  assert_true(isinf(a.error));
  tessera_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_integrand_stops),
      cmocka_unit_test(the_integrand_stops_in_the_trial),
      cmocka_unit_test(the_integrand_stops_in_the_search_for_a_median),
      cmocka_unit_test(the_progress_callback_stops),
      cmocka_unit_test(the_time_ends),
      cmocka_unit_test(the_time_ends_within_a_shift),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
