/* Calls of QUADPACK that go wrong, that are nested, and that run side by side. SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>

#include "close.h"
#include "quadpack_call.h"

static int calls;
static double bell(const double *x) {
  ++calls;
  return exp(-*x * *x);
}
static double bad_value;
static int bad_call;
static double bad_at_once(const double *x) { return ++calls == bad_call ? bad_value : exp(-*x * *x); }
static double cancels(const double *x) {
  if (++calls == 100) tessera_quadpack_cancel();
  return *x > 0 ? pow(*x, -0.99) * sin(1 / *x) : 0;
}

/* ---- What is not finite, and who cancels ------------------------------------------------------------------------------------ */

static void not_finite(void **state) {
  (void)state;
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int k = 0; k < routine_count; ++k)
    for (int v = 0; v < 3; ++v)
      for (int at = 1; at <= 130; at += 43) {
        const char *name = routines[k];
        struct call c = usual();
        c.epsabs = 0;
        c.epsrel = 1e-13;
        if (starts(name, "dqawf")) c.epsabs = 1e-12;
        if (is(name, "dqng") || starts(name, "dqawc") || starts(name, "dqags")) c.b = 30;
        bad_value = bad[v];
        bad_call = at;
        calls = 0;
        run(name, bad_at_once, &c);
        if (calls < at) {
          assert_true(c.ier == 0 || is(name, "dqng")); /* it was good before */
          continue;
        }
        assert_int_equal(c.ier, is(name, "dqng") ? 1 : starts(name, "dqawf") ? 7 : 3);
        assert_true(isnan(c.result));
        assert_true(isinf(c.abserr));
        assert_int_equal(c.neval, calls);
        assert_true(calls < at + 62 + 62);
      }
}

/* Values that are finite and whose sums are not. */
static double huge(const double *x) {
  ++calls;
  return 1e300 * (2 + sin(40 * *x));
}
static void overflow(void **state) {
  (void)state;
  const char *names[] = {"dqag", "dqags", "dqagp", "dqng", "dqawo", "dqaws", "dqawc"};
  for (int k = 0; k < 7; ++k)
    for (double width = 1e6; width < 1e10; width *= 1.37) {
      struct call c = usual();
      c.b = width;
      c.epsabs = 0;
      c.epsrel = 1e-7;
      calls = 0;
      run(names[k], huge, &c);
      assert_int_equal(c.neval, calls);
      if (c.ier == 0) assert_true(isfinite(c.result) && c.abserr <= 1.1e-7 * fabs(c.result));
    }
}

static void cancelled(void **state) {
  (void)state;
  for (int k = 0; k < routine_count; ++k) {
    const char *name = routines[k];
    struct call c = usual();
    c.epsabs = 1e-300;
    c.epsrel = 0;
    c.limit = 5000;
    calls = 0;
    run(name, cancels, &c);
    if (is(name, "dqng")) continue; /* has no 100 calls */
    assert_int_equal(c.ier, 1);
    assert_true(calls >= 100 && calls <= 300);
    assert_int_equal(c.neval, calls);
    assert_true(isfinite(c.result) && c.abserr > 0);
  }
  tessera_quadpack_cancel_(); /* nobody is running */
  struct call c = usual();
  run("dqags", bell, &c);
  assert_int_equal(c.ier, 0);
}

/* ---- Calls in calls, and side by side --------------------------------------------------------------------------------------- */

struct inner {
  double x;
  int calls;
};
static _Thread_local struct inner outer_point;

static double inner_integrand(const double *y) {
  ++outer_point.calls;
  return exp(-outer_point.x * *y) * *y / (1 + *y);
}
static double outer_integrand(const double *x) {
  struct call c = a_call(0, 0, 0, 1e-11);
  const struct inner saved = outer_point;
  outer_point.x = 1 + *x;
  run("dqagi", inner_integrand, &c);
  outer_point.x = saved.x;
  return c.ier == 0 ? c.result : NAN;
}
static void *nested(void *result) {
  struct call c = a_call(0, 1, 0, 1e-10);
  outer_point.calls = 0;
  run("dqags", outer_integrand, &c);
  ((double *)result)[0] = c.ier == 0 ? c.result : NAN;
  ((double *)result)[1] = outer_point.calls;
  return NULL;
}
static void nested_and_in_threads(void **state) {
  (void)state;
  double alone[2], beside[4][2];
  pthread_t threads[4];
  nested(alone);
  /* The inner integral over x first: int_0^inf (exp(-y) - exp(-2y))/(1+y) dy = e E1(1) - e^2 E1(2). */
  assert_close(alone[0], exp(1.0) * 0.21938393439552027368 - exp(2.0) * 0.04890051070806111957, 1e-10, 0);
  for (int k = 0; k < 4; ++k) assert_int_equal(pthread_create(&threads[k], NULL, nested, beside[k]), 0);
  for (int k = 0; k < 4; ++k) {
    assert_int_equal(pthread_join(threads[k], NULL), 0);
    assert_same_bits(beside[k][0], alone[0]);
    assert_same_bits(beside[k][1], alone[1]);
  }
}

/* An integrand that writes to what the caller has handed over, as COMMON lets it. */
static struct call meddled;
static double meddling(const double *x) {
  const double value = exp(-*x * *x);
  meddled.a = meddled.b = meddled.epsrel = -5;
  meddled.limit = 1;
  *(double *)(uintptr_t)x = 1e30;
  return value;
}
static void arguments_are_read_once(void **state) {
  (void)state;
  double alist[50], blist[50], rlist[50], elist[50];
  integer iord[50];
  meddled = a_call(0, 3, 0, 1e-10);
  meddled.limit = 50;
  dqagse_(meddling, &meddled.a, &meddled.b, &meddled.epsabs, &meddled.epsrel, &meddled.limit, &meddled.result,
          &meddled.abserr, &meddled.neval, &meddled.ier, alist, blist, rlist, elist, iord, &meddled.last);
  assert_int_equal(meddled.ier, 0);
  assert_close(meddled.result, sqrt(acos(-1.0)) / 2 * erf(3.0), 1e-10, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(not_finite), cmocka_unit_test(overflow),
                                     cmocka_unit_test(cancelled), cmocka_unit_test(nested_and_in_threads),
                                     cmocka_unit_test(arguments_are_read_once)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
