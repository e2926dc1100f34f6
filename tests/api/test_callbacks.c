/* Integrand, progress and log callbacks: what they are given, what they may ask for, what stops a run.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "cases.h"
#include "solve.h"

/* All that the integrands of this file remember; assertions are made after the run. */
struct record {
  atomic_long calls;
  long stop_at; /* the call that returns `answer`; 0 for none */
  int answer;
  int stop_once; /* only that call, not the ones behind it */
  atomic_long calls_after_stop;
  atomic_int ndim, ncomp;
  atomic_llong most_points;
  atomic_int bad_stride;
  tessera_solver *solver;
  int inner[10]; /* statuses of calls made from inside */
  pthread_t thread;
  atomic_int other_thread;
};

static int note_call(struct record *r) {
  const long call = ++r->calls;
  if (!pthread_equal(pthread_self(), r->thread)) r->other_thread = 1;
  if (r->stop_at == 0 || call < r->stop_at) return 0;
  if (call > r->stop_at) ++r->calls_after_stop;
  return call == r->stop_at || !r->stop_once ? r->answer : 0;
}

/* A kink that no run finishes soon at the default tolerance. */
static double kink(int ndim, const double *x, int64_t stride) {
  double s = 0;
  for (int j = 0; j < ndim; ++j) s += fabs(x[j * stride] - 0.3);
  return exp(-5 * s);
}

static int point(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  struct record *r = userdata;
  r->ndim = ndim;
  r->ncomp = ncomp;
  for (int k = 0; k < ncomp; ++k) f[k] = kink(ndim, x, 1);
  return note_call(r);
}

static int batch(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf, void *userdata) {
  struct record *r = userdata;
  r->ndim = ndim;
  r->ncomp = ncomp;
  for (long long most = r->most_points; n > most && !atomic_compare_exchange_weak(&r->most_points, &most, n);) {
  }
  if (n < 1 || ldx < n || ldf < n) r->bad_stride = 1;
  for (int64_t i = 0; i < n; ++i)
    for (int k = 0; k < ncomp; ++k) f[k * ldf + i] = kink(ndim, x + i, ldx);
  return note_call(r);
}

static struct record new_record(void) {
  struct record r;
  memset(&r, 0, sizeof r);
  r.thread = pthread_self();
  return r;
}

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

/* ---- What the integrand is given ---------------------------------------------------------------------------------------- */
static void the_integrand_gets_its_userdata(void **state) {
  tessera_solver *s = *state;
  struct record r = new_record();
  put_real(s, TESSERA_RELTOL, 1e-3);
  put_point(s, point, &r);
  const struct answer a = integrate(s);
  assert_int_equal(a.status, 0);
  assert_int_equal(r.calls, a.evaluations);
  assert_int_equal(r.ndim, 3);
  assert_int_equal(r.ncomp, 1);
  assert_false(r.other_thread);
}

static void the_batch_integrand_gets_its_userdata(void **state) {
  tessera_solver *s = *state;
  struct record r = new_record();
  put_real(s, TESSERA_RELTOL, 1e-3);
  put_int(s, TESSERA_SELECTION, TESSERA_SELECT_BULK);
  put_batch(s, batch, &r);
  assert_int_equal(integrate(s).status, 0);
  assert_int_equal(r.ndim, 3);
  assert_int_equal(r.ncomp, 1);
  assert_false(r.bad_stride);
  assert_false(r.other_thread);
  assert_true(r.most_points >= 4096 && r.most_points <= 16384);
}

static int from_params(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)x, (void)ncomp;
  if ((uintptr_t)userdata % 16 != 0) return 77;
  f[0] = userdata ? ((double *)userdata)[0] * 10 + ((double *)userdata)[1] : -1;
  return 0;
}

static int from_params_batch(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf,
                             void *userdata) {
  (void)x, (void)ldx, (void)ldf;
  for (int64_t i = 0; i < n; ++i) {
    const int status = from_params(ndim, NULL, ncomp, f + i, userdata);
    if (status != 0) return status;
  }
  return 0;
}

static void the_parameter_block_stands_in_for_userdata(void **state) {
  tessera_solver *s = *state;
  double params[2] = {3, 4};
  for (int form = 0; form < 2; ++form) {
    assert_status(s, tessera_set_params(s, params, sizeof params), TESSERA_OK);
    if (form == 0) put_point(s, from_params, NULL);
    if (form == 1) put_batch(s, from_params_batch, NULL);
    assert_close(integrate(s).value, 34, 1e-14, 0);
    /* it has been copied */
    params[0] = 8;
    assert_close(integrate(s).value, 34, 1e-14, 0);
    /* new parameters count for the integrand that is already set */
    assert_status(s, tessera_set_params(s, params, sizeof params), TESSERA_OK);
    assert_close(integrate(s).value, 84, 1e-14, 0);
    params[0] = 3;
    /* without them there is NULL */
    assert_status(s, tessera_set_params(s, NULL, 0), TESSERA_OK);
    assert_close(integrate(s).value, -1, 1e-14, 0);
  }
}

static void userdata_goes_before_the_parameter_block(void **state) {
  tessera_solver *s = *state;
  const double params[2] = {3, 4};
  _Alignas(16) double userdata[2] = {5, 6};
  assert_status(s, tessera_set_params(s, params, sizeof params), TESSERA_OK);
  put_point(s, from_params, userdata);
  assert_close(integrate(s).value, 56, 1e-14, 0);
}

static int aligned(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)x, (void)ncomp;
  f[0] = (double)((uintptr_t)userdata % 16) + (userdata ? 0 : 99);
  return 0;
}

static void the_parameter_block_is_aligned(void **state) {
  tessera_solver *s = *state;
  static const char bytes[1000] = {1};
  put_point(s, aligned, NULL);
  for (size_t n = 1; n <= sizeof bytes; n = 2 * n + 1) {
    assert_status(s, tessera_set_params(s, bytes + n % 7, n), TESSERA_OK);
    assert_close(integrate(s).value, 0, 0, 0);
  }
}

/* ---- A non-zero return ---------------------------------------------------------------------------------------------------- */
static void put_form(tessera_solver *s, int form, struct record *r) {
  if (form == 0) put_point(s, point, r);
  if (form == 1) put_batch(s, batch, r);
}

static void a_stop_before_there_is_a_value_is_an_error(void **state) {
  tessera_solver *s = *state;
  for (int form = 0; form < 2; ++form) {
    for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
      for (int at = 1; at <= (form == 0 ? 127 : 1); at += 63) {
        struct record r = new_record();
        r.stop_at = at, r.answer = -4711;
        put_form(s, form, &r);
        put_int(s, TESSERA_SELECTION, selection);
        const struct answer a = integrate(s);
        assert_status(s, a.status, TESSERA_ERR_CALLBACK);
        assert_says(a.sentence, "-4711");
        assert_same_bits(a.value, -1e300); /* untouched */
        assert_same_bits(a.error, -1e300);
        assert_int_equal(got_int(s, TESSERA_CALLBACK_STATUS), -4711);
        assert_int_equal(a.evaluations, 0);
        assert_int_equal(r.calls_after_stop, 0);
      }
    }
  }
}

static void a_later_stop_keeps_the_best_value(void **state) {
  tessera_solver *s = *state;
  const double exact = pow((2 - exp(-1.5) - exp(-3.5)) / 5, 3);
  put_real(s, TESSERA_RELTOL, 1e-9);
  put_int(s, TESSERA_RULE, TESSERA_RULE_DEGREE11); /* where degrees are raised, a limit changes which regions are */
  put_int(s, TESSERA_BREAK_POINTS, 0);             /* cut at its kinks the integrand takes fewer evaluations, */
  put_int(s, TESSERA_SPARSE, TESSERA_SPARSE_OFF);  /* and a grid with a map far fewer */
  for (int form = 0; form < 2; ++form) {
    for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
      struct record r = new_record();
      r.stop_at = form == 0 ? 200000 : (selection == TESSERA_SELECT_BULK ? 40 : 800), r.answer = 42;
      put_form(s, form, &r);
      put_int(s, TESSERA_SELECTION, selection);
      const struct answer a = integrate(s);
      assert_status(s, a.status, TESSERA_CALLBACK_STOPPED);
      assert_says(a.sentence, "42");
      assert_int_equal(got_int(s, TESSERA_CALLBACK_STATUS), 42);
      assert_true(a.evaluations > 10000);
      assert_close(a.value, exact, 1e-3, 0);
      assert_at_most(fabs(a.value - exact), a.error);
      /* The value is that of all steps before: the one of a run limited to as many evaluations. */
      struct record calm = new_record();
      put_form(s, form, &calm);
      put_int(s, TESSERA_MAXEVAL, a.evaluations);
      const struct answer limited = integrate(s);
      assert_int_equal(limited.evaluations, a.evaluations);
      assert_same_bits(a.value, limited.value);
      assert_same_bits(a.error, limited.error);
      assert_int_equal(got_int(s, TESSERA_CALLBACK_STATUS), 0); /* of the last run */
      put_int(s, TESSERA_MAXEVAL, 100000000);
    }
  }
}

static void after_a_stop_the_integrand_is_not_called_again(void **state) {
  tessera_solver *s = *state;
  put_real(s, TESSERA_RELTOL, 1e-9);
  put_int(s, TESSERA_BREAK_POINTS, 0);
  put_int(s, TESSERA_SPARSE, TESSERA_SPARSE_OFF);
  for (int form = 0; form < 2; ++form) {
    for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
      struct record r = new_record();
      r.stop_at = form == 0 ? 200003 : 41, r.answer = 1;
      put_form(s, form, &r);
      put_int(s, TESSERA_SELECTION, selection);
      assert_int_equal(integrate(s).status, TESSERA_CALLBACK_STOPPED);
      assert_int_equal(r.calls_after_stop, 0);
    }
  }
}

/* One non-zero return is enough, wherever the run is and however many threads work. */
static void a_stop_counts_with_several_threads(void **state) {
  tessera_solver *s = *state;
  put_real(s, TESSERA_RELTOL, 1e-6);
  put_int(s, TESSERA_THREADS, 3);
  for (int form = 0; form < 2; ++form) {
    for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
      struct record r = new_record();
      r.stop_at = form == 0 ? 20011 : 8, r.answer = 7, r.stop_once = 1;
      put_form(s, form, &r);
      put_int(s, TESSERA_SELECTION, selection);
      const struct answer a = integrate(s);
      assert_status(s, a.status, TESSERA_CALLBACK_STOPPED);
      assert_int_equal(got_int(s, TESSERA_CALLBACK_STATUS), 7);
      assert_true(isfinite(a.value) && a.error >= 0);
    }
  }
}

static void a_stopped_solver_can_run_again(void **state) {
  tessera_solver *s = *state;
  struct record r = new_record(), stopped = new_record();
  put_real(s, TESSERA_RELTOL, 1e-3);
  put_point(s, point, &r);
  const struct answer expected = integrate(s);
  stopped.stop_at = 3000, stopped.answer = 1;
  put_point(s, point, &stopped);
  assert_int_equal(integrate(s).status, TESSERA_CALLBACK_STOPPED);
  put_point(s, point, &r);
  struct answer again = integrate(s);
  memcpy(again.sentence, expected.sentence, sizeof again.sentence);
  assert_same_answer(again, expected);
}

/* ---- The solver is busy ----------------------------------------------------------------------------------------------------- */
static void call_everything(struct record *r) {
  double a[3] = {0, 0, 0}, b[3] = {1, 1, 1};
  int64_t n;
  tessera_solver *s = r->solver;
  r->inner[0] = tessera_set_domain(s, a, b);
  r->inner[1] = tessera_set_integrand1(s, NULL, NULL);
  r->inner[2] = tessera_set_integrand(s, NULL, NULL);
  r->inner[3] = tessera_set_params(s, a, sizeof a);
  r->inner[4] = tessera_set_int(s, TESSERA_MAXEVAL, 1);
  r->inner[5] = tessera_set_real(s, TESSERA_RELTOL, 1);
  r->inner[6] = tessera_get_int(s, TESSERA_MAXEVAL, &n);
  r->inner[7] = tessera_get_real(s, TESSERA_RELTOL, a);
  r->inner[8] = tessera_integrate(s, TESSERA_CUBATURE, a, b);
  tessera_destroy(s); /* without effect */
  r->inner[9] = tessera_set_log(s, NULL, NULL) == TESSERA_ERR_BUSY ? tessera_set_progress(s, NULL, NULL) : 0;
}

static int calls_its_solver(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  struct record *r = userdata;
  call_everything(r);
  return point(ndim, x, ncomp, f, r);
}

static void the_integrand_cannot_call_its_solver(void **state) {
  tessera_solver *s = *state;
  struct record r = new_record(), inside = new_record();
  put_real(s, TESSERA_RELTOL, 1e-2);
  put_point(s, point, &r);
  const struct answer expected = integrate(s);
  inside.solver = s;
  put_point(s, calls_its_solver, &inside);
  const struct answer a = integrate(s);
  assert_same_answer(a, expected);
  for (int i = 0; i < 10; ++i) assert_int_equal(inside.inner[i], TESSERA_ERR_BUSY);
}

static int progress_calls_its_solver(int64_t evaluations, int ncomp, const double *value, const double *error,
                                     int64_t remaining, void *userdata) {
  (void)evaluations, (void)ncomp, (void)value, (void)error, (void)remaining;
  call_everything(userdata);
  return 0;
}

static void the_progress_callback_cannot_call_its_solver(void **state) {
  tessera_solver *s = *state;
  struct record r = new_record(), inside = new_record();
  put_real(s, TESSERA_RELTOL, 1e-2);
  put_point(s, point, &r);
  const struct answer expected = integrate(s);
  inside.solver = s;
  assert_status(s, tessera_set_progress(s, progress_calls_its_solver, &inside), TESSERA_OK);
  assert_same_answer(integrate(s), expected);
  for (int i = 0; i < 10; ++i) assert_int_equal(inside.inner[i], TESSERA_ERR_BUSY);
}

static int calls_another_solver(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp;
  struct record *r = userdata;
  double error;
  const double a[1] = {0}, b[1] = {1 + x[0]};
  ++r->calls;
  if (tessera_set_domain(r->solver, a, b) != 0) return 1;
  return tessera_integrate(r->solver, TESSERA_CUBATURE, f, &error);
}

static int identity(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp, (void)userdata;
  f[0] = x[0];
  return 0;
}

static void the_integrand_may_call_another_solver(void **state) {
  struct record r = new_record();
  tessera_solver *outer = solver_of(1, 1);
  (void)state;
  r.solver = solver_of(1, 1);
  put_point(r.solver, identity, NULL);
  put_point(outer, calls_another_solver, &r);
  const struct answer a = integrate(outer);
  assert_int_equal(a.status, 0);
  assert_close(a.value, 7.0 / 6, 1e-14, 0); /* int_0^1 (1+x)^2/2 dx */
  tessera_destroy(r.solver);
  tessera_destroy(outer);
}

/* ---- Progress ---------------------------------------------------------------------------------------------------------------- */
struct report {
  int calls, stop_at;
  int64_t evaluations, remaining;
  int ncomp, decreasing, bad, other_thread;
  double value[2], error[2];
  pthread_t thread;
};

static int progress(int64_t evaluations, int ncomp, const double *value, const double *error, int64_t remaining,
                    void *userdata) {
  struct report *r = userdata;
  ++r->calls;
  if (evaluations <= r->evaluations) r->decreasing = 1;
  r->evaluations = evaluations, r->ncomp = ncomp, r->remaining = remaining;
  for (int k = 0; k < ncomp && k < 2; ++k) {
    r->value[k] = value[k], r->error[k] = error[k];
    if (!isfinite(value[k]) || !(error[k] >= 0)) r->bad = 1;
  }
  if (remaining < -1) r->bad = 1;
  if (!pthread_equal(pthread_self(), r->thread)) r->other_thread = 1;
  return r->calls == r->stop_at;
}

static void progress_is_reported(void **state) {
  tessera_solver *s = solver_of(3, 2);
  double value[2], error[2];
  (void)state;
  put_real(s, TESSERA_RELTOL, 0);
  put_int(s, TESSERA_MAXEVAL, INT64_MAX);
  put_real(s, TESSERA_MAX_SECONDS, 0.75);
  for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
    for (int threads = 1; threads <= 2; ++threads) {
      struct record r = new_record();
      struct report p;
      memset(&p, 0, sizeof p);
      p.thread = pthread_self();
      put_int(s, TESSERA_SELECTION, selection);
      put_int(s, TESSERA_THREADS, threads);
      put_point(s, point, &r);
      assert_status(s, tessera_set_progress(s, progress, &p), TESSERA_OK);
      assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_LIMIT_TIME);
      assert_true(p.calls >= 2 && p.calls <= 8);
      assert_int_equal(p.ncomp, 2);
      assert_false(p.decreasing);
      assert_false(p.bad);
      assert_false(p.other_thread);
      assert_true(p.evaluations <= got_int(s, TESSERA_EVALUATIONS));
      assert_close(p.value[0], value[0], 1e-3, 0);
    }
  }
  tessera_destroy(s);
}

static void progress_can_stop_the_run(void **state) {
  tessera_solver *s = *state;
  const double exact = pow((2 - exp(-1.5) - exp(-3.5)) / 5, 3);
  put_real(s, TESSERA_RELTOL, 0);
  put_int(s, TESSERA_MAXEVAL, INT64_MAX);
  for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
    for (int stop_at = 1; stop_at <= 2; ++stop_at) {
      struct record r = new_record();
      struct report p;
      memset(&p, 0, sizeof p);
      p.thread = pthread_self();
      p.stop_at = stop_at;
      put_int(s, TESSERA_SELECTION, selection);
      put_point(s, point, &r);
      assert_status(s, tessera_set_progress(s, progress, &p), TESSERA_OK);
      const struct answer a = integrate(s);
      assert_status(s, a.status, TESSERA_STOPPED);
      assert_true(strlen(a.sentence) > 0);
      assert_int_equal(p.calls, stop_at);
      assert_int_equal(a.evaluations, p.evaluations);
      assert_int_equal(r.calls, a.evaluations);
      assert_close(a.value, p.value[0], 1e-12, 0);
      assert_close(a.error, p.error[0], 1e-6, 1e-12);
      assert_at_most(fabs(a.value - exact), a.error);
      assert_status(s, tessera_set_progress(s, NULL, NULL), TESSERA_OK);
    }
  }
}

/* ---- Time limit ----------------------------------------------------------------------------------------------------------------- */
static int slow(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const struct timespec pause = {0, 200000};
  nanosleep(&pause, NULL);
  return point(ndim, x, ncomp, f, userdata);
}

static void a_slow_integrand_runs_into_the_time_limit(void **state) {
  tessera_solver *s = *state;
  for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
    struct record r = new_record();
    put_point(s, slow, &r);
    put_int(s, TESSERA_SELECTION, selection);
    put_real(s, TESSERA_MAX_SECONDS, 0.25);
    const struct answer a = integrate(s);
    assert_status(s, a.status, TESSERA_LIMIT_TIME);
    assert_true(strlen(a.sentence) > 0);
    assert_true(a.evaluations >= 127);
    assert_true(isfinite(a.value) && a.error > 0);
    assert_true(got_real(s, TESSERA_SECONDS) >= 0.25);
  }
}

static void a_run_within_the_time_limit_does_not_notice_it(void **state) {
  tessera_solver *s = *state;
  struct record r = new_record();
  put_point(s, point, &r);
  put_real(s, TESSERA_RELTOL, 1e-3);
  const struct answer expected = integrate(s);
  put_real(s, TESSERA_MAX_SECONDS, 1000);
  assert_same_answer(integrate(s), expected);
}

/* ---- Log -------------------------------------------------------------------------------------------------------------------------- */
struct lines {
  int count, bad;
  char last[512];
};

static void write_line(int level, const char *line, void *userdata) {
  struct lines *l = userdata;
  ++l->count;
  if (level < 1 || level > 3 || !line || strchr(line, '\n') || !*line) l->bad = 1;
  snprintf(l->last, sizeof l->last, "%s", line ? line : "");
}

static void the_log_gets_whole_lines(void **state) {
  tessera_solver *s = *state;
  struct lines l = {0, 0, ""};
  struct record r = new_record();
  char evaluations[32];
  put_point(s, point, &r);
  put_real(s, TESSERA_RELTOL, 1e-2);
  assert_status(s, tessera_set_log(s, write_line, &l), TESSERA_OK);
  const struct answer a = integrate(s);
  assert_true(l.count >= 1);
  assert_false(l.bad);
  snprintf(evaluations, sizeof evaluations, "%lld", (long long)a.evaluations);
  assert_says(l.last, evaluations);
  const int before = l.count;
  assert_status(s, tessera_set_log(s, NULL, NULL), TESSERA_OK);
  integrate(s);
  assert_int_equal(l.count, before);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
  const struct CMUnitTest tests[] = {
      TEST(the_integrand_gets_its_userdata),
      TEST(the_batch_integrand_gets_its_userdata),
      TEST(the_parameter_block_stands_in_for_userdata),
      TEST(userdata_goes_before_the_parameter_block),
      TEST(the_parameter_block_is_aligned),
      TEST(a_stop_before_there_is_a_value_is_an_error),
      TEST(a_later_stop_keeps_the_best_value),
      TEST(after_a_stop_the_integrand_is_not_called_again),
      TEST(a_stop_counts_with_several_threads),
      TEST(a_stopped_solver_can_run_again),
      TEST(the_integrand_cannot_call_its_solver),
      TEST(the_progress_callback_cannot_call_its_solver),
      cmocka_unit_test(the_integrand_may_call_another_solver),
      cmocka_unit_test(progress_is_reported),
      TEST(progress_can_stop_the_run),
      TEST(a_slow_integrand_runs_into_the_time_limit),
      TEST(a_run_within_the_time_limit_does_not_notice_it),
      TEST(the_log_gets_whole_lines),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
