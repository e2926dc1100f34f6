/* The routines of QUADPACK with their integrand on device 0: the decisions of a run on the host, with values that differ by rounding. Skipped
 * where there is no device. SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>

#include "quadpack_call.h"
#include "skip.h"
#include "solve.h"

/* ---- Functions and their twins ---------------------------------------------------------------------------------------------- */
/* As a COMMON block. */
static struct { double p, q, r; } block = {0.3, 0.05, 2};

static long calls; /* of the host functions */
#define COUNTED(name, value)                         \
  static double name(const double *x) {              \
    __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED); \
    return value;                                    \
  }
COUNTED(peak, exp(-block.r **x) / ((*x - block.p) * (*x - block.p) + block.q * block.q))
COUNTED(root, (1 + *x) * sqrt(fabs(*x - block.p)) + log(*x + 1e-3))
COUNTED(tail, exp(-block.r **x **x) * (1 + block.q * *x) / (1 + *x * *x))
COUNTED(slow, 1 / (1 + block.q * *x * *x))
COUNTED(gentle, exp(block.r **x) + block.p)

static const char texts[] =
    "struct common { double p, q, r; };\n"
    "double peak(const double *x, const common *c) {\n"
    "  return exp(-c->r * *x) / ((*x - c->p) * (*x - c->p) + c->q * c->q);\n}\n"
    "double root(const double *x, const common *c) { return (1 + *x) * sqrt(fabs(*x - c->p)) + log(*x + 1e-3); }\n"
    "double tail(const double *x, const common *c) {\n"
    "  return exp(-c->r * *x * *x) * (1 + c->q * *x) / (1 + *x * *x);\n}\n"
    "double slow(const double *x, const common *c) { return 1 / (1 + c->q * *x * *x); }\n"
    "double gentle(const double *x, const common *c) { return exp(c->r * *x) + c->p; }\n"
    "double frozen(const double *x) { return exp(2 * *x) + 0.3; }\n"
    "double not_there(const double *x, const common *c) {\n" /* unlike peak on a stretch that the first rule does not see */
    "  return *x > 0.49 && *x < 0.495 ? sqrt(-*x) : peak(x, c);\n}\n";

typedef void (*any_function)(void);
static void put_twin(any_function f, const char *name) {
  assert_int_equal(tessera_register_twin(f, TESSERA_LANGUAGE_CUDA, texts, 0, name, &block, sizeof block), TESSERA_OK);
}
static void take_twin(any_function f) {
  assert_int_equal(tessera_register_twin(f, 0, NULL, 0, NULL, NULL, 0), TESSERA_OK);
}

/* ---- Every routine -------------------------------------------------------------------------------------------------------------- */
static const struct one {
  const char *routine;
  function f;
  const char *name;
  integer key, first; /* points of the first step */
  double a, b, epsrel;
} all[] = {{"dqag", peak, "peak", 1, 15, 0, 1, 1e-9},      {"dqag", peak, "peak", 2, 21, 0, 1, 1e-9},
           {"dqag", peak, "peak", 3, 31, 0, 1, 1e-9},      {"dqag", root, "root", 4, 41, 0, 1, 1e-6},
           {"dqag", root, "root", 5, 51, 0, 1, 1e-6},      {"dqag", peak, "peak", 6, 61, 0, 1, 1e-9},
           {"dqage", root, "root", 2, 21, 0, 1, 1e-6},     {"dqags", root, "root", 1, 21, 0, 1, 1e-6},
           {"dqags", peak, "peak", 1, 21, -1, 2, 1e-9},    {"dqagse", peak, "peak", 1, 21, 0, 1, 1e-9},
           {"dqagi", tail, "tail", 1, 15, 0.2, 0, 1e-7},   {"dqagi", tail, "tail", 1, 30, 0.2, 0, 1e-7},
           {"dqagie", tail, "tail", 1, 15, 0, 0, 1e-7},    {"dqagp", root, "root", 1, 21, 0, 1, 1e-8},
           {"dqagpe", peak, "peak", 1, 21, 0, 1, 1e-9},    {"dqng", gentle, "gentle", 1, 21, 0, 9, 1e-9},
           {"dqng", peak, "peak", 1, 21, 0, 0.1, 1e-9},    {"dqawo", peak, "peak", 1, 25, 0, 1, 1e-8},
           {"dqawoe", peak, "peak", 1, 25, 0, 1, 1e-8},    {"dqawf", slow, "slow", 1, 25, 0.1, 0, 1e-7},
           {"dqawfe", slow, "slow", 1, 25, 0.1, 0, 1e-7},  {"dqaws", peak, "peak", 1, 50, 0, 1, 1e-8},
           {"dqawse", peak, "peak", 1, 50, 0, 1, 1e-8},    {"dqawc", peak, "peak", 1, 25, 0, 1, 1e-8},
           {"dqawce", gentle, "gentle", 1, 25, 0, 1, 1e-8}};
enum { all_count = sizeof all / sizeof *all };

static struct call run_one(const struct one *t, int i) {
  struct call c = a_call(t->a, t->b, starts(t->routine, "dqawf") ? t->epsrel : 0, t->epsrel);
  c.key = t->key;
  c.inf = t->first == 30 ? 2 : 1;
  if (starts(t->routine, "dqagp")) {
    c.npts2 = 3;
    c.points[0] = 0.31;
  }
  c.omega = 37;
  c.integr = i % 2 + 1;
  c.alfa = -0.4;
  c.beta = 0.3;
  c.c = 0.45;
  calls = 0;
  run(t->routine, t->f, &c);
  return c;
}

#ifndef QUADPACK_NOISE /* tried with values that are moved by ulps: no decision depends on them */
static void decisions_are_those_of_the_host(void **state) {
  (void)state;
  for (int i = 0; i < all_count; ++i) {
    const struct one *t = &all[i];
    const any_function f = (any_function)t->f;
    take_twin(f);
    const struct call here = run_one(t, i);
    assert_int_equal(calls, here.neval);
    put_twin(f, t->name);
    struct call first = here;
    for (int again = 0; again < 2; ++again) {
      const struct call there = run_one(t, i);
      const int compared = (int)calls;
      print_message("%-7s %-7s result %.15g (%.1e) abserr %.3g (%.1e) neval %d ier %d last %d, %d compared\n",
                    t->routine, t->name, there.result, there.result - here.result, there.abserr,
                    there.abserr - here.abserr, (int)there.neval, (int)there.ier, (int)there.last, compared);
      assert_true(compared == 3 || (again == 0 && compared == t->first));
      assert_int_equal(there.neval, here.neval);
      assert_int_equal(there.ier, here.ier);
      assert_int_equal(there.last, here.last);
      assert_int_equal(there.lst, here.lst);
      assert_close(there.result, here.result, 1e-12, 1e-13);
      assert_close(there.abserr, here.abserr, 1e-2, 1e-12 * fabs(here.result));
      if (again == 0) first = there;
      assert_same_bits(there.result, first.result);
      assert_same_bits(there.abserr, first.abserr);
    }
  }
}

/* ---- Single precision ------------------------------------------------------------------------------------------------------------ */
static float peak_single(const float *x) {
  const float p = (float)block.p, q = (float)block.q;
  __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
  return expf(-(float)block.r * *x) / ((*x - p) * (*x - p) + q * q);
}
static void single_precision_as_well(void **state) {
  (void)state;
  for (int i = 0; i < 3; ++i) {
    enum { limit = 50 };
    const float a = 0, b = i == 2 ? 0.1f : 1, epsabs = 0, epsrel = 1e-4f;
    const integer key = 3, most = limit, lenw = 4 * limit;
    float result[2], abserr[2], work[4 * limit];
    integer neval[2], ier[2], last[2] = {0, 0}, iwork[limit];
    for (int there = 0; there < 2; ++there) {
      if (there)
        put_twin((any_function)peak_single, "peak");
      else
        take_twin((any_function)peak_single);
      calls = 0;
      if (i == 0)
        qags_(peak_single, &a, &b, &epsabs, &epsrel, &result[there], &abserr[there], &neval[there], &ier[there], &most,
              &lenw, &last[there], iwork, work);
      else if (i == 1)
        qag_(peak_single, &a, &b, &epsabs, &epsrel, &key, &result[there], &abserr[there], &neval[there], &ier[there],
             &most, &lenw, &last[there], iwork, work);
      else
        qng_(peak_single, &a, &b, &epsabs, &epsrel, &result[there], &abserr[there], &neval[there], &ier[there]);
      if (there)
        assert_true(calls == 3 || calls == 21 || calls == 31);
      else
        assert_int_equal(calls, neval[0]);
    }
    assert_int_equal(ier[0], 0);
    assert_int_equal(ier[1], 0);
    assert_int_equal(neval[1], neval[0]);
    assert_int_equal(last[1], last[0]);
    assert_close((double)result[1], (double)result[0], 1e-5, 0);
    assert_close((double)abserr[1], (double)abserr[0], 0.05, 1e-6 * fabs((double)result[0]));
  }
}

/* ---- Data, failures ---------------------------------------------------------------------------------------------------------------- */
static struct call ags(function f) {
  struct call c = a_call(0, 1, 0, 1e-8);
  calls = 0;
  run("dqags", f, &c);
  return c;
}

/* What the program changes in the block arrives; what the text has as constants is noticed. */
static void the_block_is_read_anew(void **state) {
  (void)state;
  put_twin((any_function)gentle, "gentle");
  for (int i = 0; i < 4; ++i) {
    block.r = 1 + i;
    const struct call c = ags(gentle);
    assert_int_equal(c.ier, 0);
    assert_true(calls == 3 || calls == 21);
    assert_close(c.result, (exp(block.r) - 1) / block.r + block.p, 1e-13, 0);
  }
  block.r = 2;
  put_twin((any_function)gentle, "frozen");
  ags(gentle);
  assert_true(calls == 3 || calls == 21);
  block.r = 2.5;
  for (int i = 0; i < 2; ++i) {
    const struct call c = ags(gentle);
    assert_int_equal(calls, c.neval); /* each point once, by the host function */
    assert_close(c.result, (exp(2.5) - 1) / 2.5 + block.p, 1e-13, 0);
  }
  block.r = 2;
}

static void values_that_are_only_there_not_finite(void **state) {
  (void)state;
  take_twin((any_function)peak);
  const struct call here = ags(peak);
  put_twin((any_function)peak, "not_there");
  const struct call there = ags(peak);
  assert_int_equal(there.ier, 0);
  assert_int_equal(there.neval, here.neval);
  assert_close(there.result, here.result, 1e-12, 0);
  assert_true(calls > 3 && calls < there.neval + 21); /* from the step on that met them */
  const struct call after = ags(peak);
  assert_int_equal(calls, after.neval); /* the twin has been refused */
  assert_same_bits(after.result, here.result);
}

static double pole(const double *x) {
  ++calls;
  return *x == 0.5 ? INFINITY : 1;
}
static void not_finite_in_both(void **state) {
  (void)state;
  assert_int_equal(tessera_register_twin((any_function)pole, TESSERA_LANGUAGE_C,
                                         "double pole(const double *x) { return *x == 0.5 ? 1 / (*x - 0.5) : 1; }", 0,
                                         "pole", NULL, 0),
                   TESSERA_OK);
  for (int i = 0; i < 2; ++i) {
    const struct call c = ags(pole);
    assert_int_equal(c.ier, 3);
    assert_true(isnan(c.result) && isinf(c.abserr));
    assert_int_equal(c.neval, 21);
  }
}

/* ---- Nested, in threads, left ------------------------------------------------------------------------------------------------------ */
static double outer(const double *y) {
  const double before = block.p;
  block.p = *y;
  struct call c = a_call(0, 1, 0, 1e-9);
  c.key = 2;
  run("dqag", peak, &c);
  block.p = before;
  return c.ier == 0 ? c.result : NAN;
}
static void the_inner_function_of_a_double_integral(void **state) {
  (void)state;
  struct call c[2];
  for (int there = 0; there < 2; ++there) {
    if (there)
      put_twin((any_function)peak, "peak");
    else
      take_twin((any_function)peak);
    c[there] = a_call(0, 1, 0, 1e-6);
    calls = 0;
    run("dqags", outer, &c[there]);
    if (there) assert_true(calls <= 3 * c[there].neval + 21);
  }
  assert_int_equal(c[0].ier, 0);
  assert_int_equal(c[1].ier, 0);
  assert_int_equal(c[1].neval, c[0].neval);
  assert_close(c[1].result, c[0].result, 1e-11, 0);
}

static void *many_calls(void *result) {
  for (int i = 0; i < 50; ++i) {
    struct call c = a_call(0, 1, 0, 1e-8);
    run("dqags", peak, &c);
    *(double *)result = c.ier == 0 ? c.result : NAN;
  }
  return NULL;
}
static void threads_have_their_own(void **state) {
  pthread_t threads[3];
  double result[3], expected;
  (void)state;
  put_twin((any_function)peak, "peak");
  many_calls(&expected);
  for (int i = 0; i < 3; ++i) assert_int_equal(pthread_create(threads + i, NULL, many_calls, result + i), 0);
  for (int i = 0; i < 3; ++i) {
    pthread_join(threads[i], NULL);
    assert_same_bits(result[i], expected);
  }
}

static jmp_buf out;
static int leave;
static double leaves(const double *x) {
  if (leave) longjmp(out, 1);
  return exp(block.r * *x) + block.p;
}
static void the_function_may_leave(void **state) {
  (void)state;
  put_twin((any_function)leaves, "gentle");
  for (volatile int i = 0; i < 10; ++i) {
    leave = i % 2 == 0;
    if (setjmp(out) == 0) {
      const struct call c = ags(leaves);
      assert_false(leave);
      assert_int_equal(c.ier, 0);
    } else {
      assert_true(leave);
    }
  }
}

/* ---- The values alone --------------------------------------------------------------------------------------------------------------- */
static void values_at_any_number_of_points(void **state) {
  (void)state;
  static const char text[] =
      "int pair(int ndim, const double *x, int ncomp, double *f, void *p) {\n"
      "  f[0] = x[0] * x[1] * *(double *)p;\n  f[1] = x[0] - x[1];\n  return x[0] == 99;\n}\n";
  enum { most = 20000 };
  static double x[2 * most], f[2 * most];
  const int counts[] = {1, 42, 256, 257, 1000, 2000, most};
  double scale = 3;
  tessera_solver *s = solver_of(2, 2);
  assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_C, text, "pair"), TESSERA_OK);
  put_int(s, TESSERA_DEVICE, 0);
  for (size_t k = 0; k < sizeof counts / sizeof *counts; ++k) {
    const int n = counts[k];
    scale += 1;
    assert_status(s, tessera_set_params(s, &scale, sizeof scale), TESSERA_OK);
    for (int i = 0; i < n; ++i) x[i] = 0.5 + i, x[n + i] = 1.0 / (1 + i);
    assert_status(s, tessera_evaluate(s, n, x, f), TESSERA_OK);
    for (int i = 0; i < n; ++i) {
      assert_close(f[i], x[i] * x[n + i] * scale, 1e-15, 0);
      assert_same_bits(f[n + i], x[i] - x[n + i]);
    }
    x[n / 2] = 99;
    assert_int_equal(tessera_evaluate(s, n, x, f), TESSERA_ERR_CALLBACK);
    x[n / 2] = 98;
    assert_status(s, tessera_evaluate(s, n, x, f), TESSERA_OK); /* that is forgotten */
  }
  tessera_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(decisions_are_those_of_the_host),
      cmocka_unit_test(single_precision_as_well),
      cmocka_unit_test(the_block_is_read_anew),
      cmocka_unit_test(values_that_are_only_there_not_finite),
      cmocka_unit_test(not_finite_in_both),
      cmocka_unit_test(the_inner_function_of_a_double_integral),
      cmocka_unit_test(threads_have_their_own),
      cmocka_unit_test(the_function_may_leave),
      cmocka_unit_test(values_at_any_number_of_points),
  };
  tessera_solver *s = solver_of(1, 1);
  assert_status(s,
                tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, "double f(const double *x) { return 1; }", "f"),
                TESSERA_OK);
  if (lacks_device(s, 0)) return no_device_here();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
