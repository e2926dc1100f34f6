/* The number of threads changes the time, never a bit of the result; batches are large enough to be worth a call.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

#include "cases.h"
#include "solve.h"

struct work {
  struct genz g;
  pthread_t thread; /* the caller's */
  atomic_long calls, small, foreign;
  atomic_llong points;
};

static void forget(struct work *w) {
  w->thread = pthread_self();
  w->calls = w->small = w->foreign = 0;
  w->points = 0;
}
static void note(struct work *w, int64_t n) {
  ++w->calls;
  w->points += n;
  if (n < 4096) ++w->small;
  if (!pthread_equal(pthread_self(), w->thread)) ++w->foreign;
}

static int point(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  struct work *w = userdata;
  note(w, 1);
  genz_point(ndim, x, 1, f, &w->g);
  for (int k = 1; k < ncomp; ++k) f[k] = f[0] * (1 + x[k % ndim]) * pow(10, 3 * k);
  return 0;
}

static int batch(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf, void *userdata) {
  struct work *w = userdata;
  double at[64], value[8];
  note(w, n);
  for (int64_t i = 0; i < n; ++i) {
    for (int j = 0; j < ndim; ++j) at[j] = x[j * ldx + i];
    genz_point(ndim, at, 1, value, &w->g);
    for (int k = 1; k < ncomp; ++k) value[k] = value[0] * (1 + at[k % ndim]) * pow(10, 3 * k);
    for (int k = 0; k < ncomp; ++k) f[k * ldf + i] = value[k];
  }
  return 0;
}

enum { most_ncomp = 3 };
struct result {
  int status;
  double value[most_ncomp], error[most_ncomp];
  int64_t evaluations, regions, iterations;
};

static struct result run(struct work *w, int ndim, int ncomp, int form, int selection, int threads, int64_t maxeval) {
  struct result r;
  tessera_solver *s = solver_of(ndim, ncomp);
  memset(&r, 0, sizeof r);
  forget(w);
  if (form == 0) put_point(s, point, w);
  if (form == 1) put_batch(s, batch, w);
  put_real(s, TESSERA_RELTOL, 1e-5);
  put_int(s, TESSERA_MAXEVAL, maxeval);
  put_int(s, TESSERA_SELECTION, selection);
  put_int(s, TESSERA_THREADS, threads);
  r.status = tessera_integrate(s, TESSERA_CUBATURE, r.value, r.error);
  r.evaluations = got_int(s, TESSERA_EVALUATIONS);
  r.regions = got_int(s, TESSERA_REGIONS);
  r.iterations = got_int(s, TESSERA_ITERATIONS);
  tessera_destroy(s);
  return r;
}

static void assert_same_result(const struct result *a, const struct result *b) {
  assert_int_equal(a->status, b->status);
  for (int k = 0; k < most_ncomp; ++k) {
    assert_same_bits(a->value[k], b->value[k]);
    assert_same_bits(a->error[k], b->error[k]);
  }
  assert_int_equal(a->evaluations, b->evaluations);
  assert_int_equal(a->regions, b->regions);
  assert_int_equal(a->iterations, b->iterations);
}

static const int thread_counts[] = {1, 2, 3, 8};

static void check(int family, int ndim, int ncomp, int64_t maxeval) {
  struct work w;
  genz_make(family, ndim, (uint64_t)(100 * family + ndim), &w.g);
  for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
    const struct result expected = run(&w, ndim, ncomp, 0, selection, 1, maxeval);
    assert_true(expected.status >= 0);
    for (int form = 0; form < 2; ++form)
      for (size_t t = 0; t < sizeof thread_counts / sizeof thread_counts[0]; ++t) {
        const struct result r = run(&w, ndim, ncomp, form, selection, thread_counts[t], maxeval);
        assert_same_result(&r, &expected);
        if (thread_counts[t] == 1) {
          assert_int_equal(w.foreign, 0);
          assert_int_equal(w.points, r.evaluations);
        }
        assert_true(w.points >= r.evaluations); /* worst first: pieces prepared and not needed come on top */
      }
  }
}

static void one_component(void **state) {
  static const int dimensions[] = {1, 2, 3, 5, 8};
  (void)state;
  for (int family = 1; family <= 6; ++family)
    for (size_t d = 0; d < sizeof dimensions / sizeof dimensions[0]; ++d)
      check(family, dimensions[d], 1, sanitized ? 20000 : 150000);
}

static void several_components(void **state) {
  (void)state;
  for (int family = 1; family <= 6; ++family) check(family, 3, 3, sanitized ? 20000 : 150000);
}

static void a_rule_cut_into_several_calls(void **state) {
  static const int rules[] = {TESSERA_RULE_GM7, TESSERA_RULE_DEGREE9};
  struct work w;
  (void)state;
  genz_make(GENZ_GAUSSIAN, 13, 1, &w.g);
  for (size_t r = 0; r < sizeof rules / sizeof rules[0]; ++r)
    for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection)
      for (int64_t batch_points = 1; batch_points <= 100000; batch_points *= 10) {
        struct answer a[3];
        for (int i = 0; i < 3; ++i) {
          tessera_solver *s = solver_of(13, 1);
          forget(&w);
          put_int(s, TESSERA_RULE, rules[r]);
          put_int(s, TESSERA_MAXEVAL, 100000);
          put_int(s, TESSERA_SELECTION, selection);
          put_int(s, TESSERA_BATCH_POINTS, batch_points);
          put_int(s, TESSERA_THREADS, i == 2 ? 3 : 1);
          if (i == 0) put_point(s, point, &w);
          if (i > 0) put_batch(s, batch, &w);
          a[i] = integrate(s);
          tessera_destroy(s);
        }
        assert_same_answer(a[1], a[0]);
        assert_same_answer(a[2], a[0]);
      }
}

/* The initial region is one rule, and the last call of a step has what is left over; all others are full. */
static void batches_in_bulk_steps_have_4096_points_and_more(void **state) {
  static const struct {
    int ndim, rule;
  } cases[] = {{1, TESSERA_RULE_KRONROD15}, {2, TESSERA_RULE_AUTO},     {3, TESSERA_RULE_AUTO},
               {5, TESSERA_RULE_AUTO},      {8, TESSERA_RULE_AUTO},     {11, TESSERA_RULE_AUTO},
               {12, TESSERA_RULE_AUTO},     {13, TESSERA_RULE_DEGREE9}, {14, TESSERA_RULE_DEGREE9},
               {14, TESSERA_RULE_GM7},      {14, TESSERA_RULE_DEGREE7}, {15, TESSERA_RULE_DEGREE9}};
  int failures = 0;
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    struct work w;
    tessera_solver *s = solver_of(cases[i].ndim, 1);
    genz_make(GENZ_C0, cases[i].ndim, 1, &w.g);
    forget(&w);
    put_batch(s, batch, &w);
    put_real(s, TESSERA_RELTOL, 1e-12);
    put_int(s, TESSERA_MAXEVAL, sanitized ? 200000 : 2000000);
    put_int(s, TESSERA_RULE, cases[i].rule);
    put_int(s, TESSERA_SPARSE, TESSERA_SPARSE_OFF); /* its first steps are small */
    put_int(s, TESSERA_BREAK_POINTS, 0);            /* and a line has 32 points */
    put_int(s, TESSERA_SELECTION, TESSERA_SELECT_BULK);
    const struct answer a = integrate(s);
    const int bad = w.small > a.iterations + 1;
    print_message(
        "  %2d-D, %lld points a rule: %ld calls in %lld steps, %ld of fewer than 4096 points, %.0f on average%s\n",
        cases[i].ndim, (long long)got_int(s, TESSERA_RULE_POINTS), (long)w.calls, (long long)a.iterations,
        (long)w.small, (double)w.points / (double)w.calls, bad ? "  TOO MANY" : "");
    failures += bad;
    tessera_destroy(s);
  }
  assert_int_equal(failures, 0);
}

static void by_default_the_integrand_is_called_from_one_thread(void **state) {
  struct work w;
  (void)state;
  genz_make(GENZ_GAUSSIAN, 3, 1, &w.g);
  for (int form = 0; form < 2; ++form)
    for (int selection = TESSERA_SELECT_AUTO; selection <= TESSERA_SELECT_BULK; ++selection) {
      tessera_solver *s = solver_of(3, 1);
      forget(&w);
      if (form == 0) put_point(s, point, &w);
      if (form == 1) put_batch(s, batch, &w);
      put_int(s, TESSERA_SELECTION, selection);
      integrate(s);
      assert_int_equal(got_int(s, TESSERA_THREADS_USED), 1);
      assert_true(w.calls > 0);
      assert_int_equal(w.foreign, 0);
      tessera_destroy(s);
    }
}

static void with_threads_asked_for_others_call_it_too(void **state) {
  struct work w;
  (void)state;
  genz_make(GENZ_C0, 5, 1, &w.g);
  run(&w, 5, 1, 0, TESSERA_SELECT_BULK, 3, 2000000);
  assert_true(w.foreign > 0);
}

/* A corner that only runs to a smaller tolerance come to, or divisions ahead of time. */
struct corner {
  double least;  /* coordinate so far */
  double spoilt; /* below this */
  atomic_long met;
};
static int cornered(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  struct corner *c = userdata;
  double s = 0, least = 1;
  (void)ncomp;
  for (int j = 0; j < ndim; ++j) {
    s += sqrt(x[j]);
    least = fmin(least, x[j]);
  }
  if (c->spoilt == 0) c->least = fmin(c->least, least);
  if (least < c->spoilt) ++c->met;
  f[0] = least < c->spoilt ? NAN : 1 / s;
  return 0;
}

static void what_fails_ahead_of_time_has_not_happened(void **state) {
  long met = 0;
  (void)state;
  for (int ndim = 2; ndim <= 4; ++ndim)
    for (double tolerance = 1e-2; tolerance > 1e-4; tolerance *= 0.6) {
      struct corner c = {.least = 1};
      struct answer expected = {0};
      for (int threads = 1; threads <= 9; threads += 4) {
        tessera_solver *s = solver_of(ndim, 1);
        put_point(s, cornered, &c);
        put_real(s, TESSERA_RELTOL, tolerance);
        put_int(s, TESSERA_SPARSE, TESSERA_SPARSE_OFF);
        put_int(s, TESSERA_THREADS, threads);
        const struct answer a = integrate(s);
        assert_status(s, a.status, TESSERA_OK);
        if (threads > 1) assert_same_answer(a, expected);
        expected = a;
        c.spoilt = c.least;
        tessera_destroy(s);
      }
      met += c.met;
    }
  print_message("  met at %ld points\n", met);
  assert_true(met > 0);
}

/* What has been divided ahead of time in vain is a small part of a long run, whatever the integrand. */
static void little_is_divided_in_vain(void **state) {
  (void)state;
  for (int family = 1; family <= 6; ++family)
    for (int threads = 2; threads <= 16; threads += 14) {
      struct work w;
      genz_make(family, 4, (uint64_t)(7 * family), &w.g);
      tessera_solver *s = solver_of(4, 1);
      forget(&w);
      put_point(s, point, &w);
      put_real(s, TESSERA_RELTOL, 1e-9);
      put_int(s, TESSERA_MAXEVAL, sanitized ? 50000 : 500000);
      put_int(s, TESSERA_SPARSE, TESSERA_SPARSE_OFF);
      put_int(s, TESSERA_BREAK_POINTS, 0); /* some integrands take long because of them */
      put_int(s, TESSERA_THREADS, threads);
      const struct answer a = integrate(s);
      const double share = (double)w.points / (double)a.evaluations;
      print_message("  family %d, %d threads: %.4f of %lld evaluations\n", family, threads, share,
                    (long long)a.evaluations);
      if (a.evaluations > 20000 * threads) assert_true(share < 1.1);
      tessera_destroy(s);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_fails_ahead_of_time_has_not_happened),
      cmocka_unit_test(little_is_divided_in_vain),
      cmocka_unit_test(one_component),
      cmocka_unit_test(several_components),
      cmocka_unit_test(a_rule_cut_into_several_calls),
      cmocka_unit_test(batches_in_bulk_steps_have_4096_points_and_more),
      cmocka_unit_test(by_default_the_integrand_is_called_from_one_thread),
      cmocka_unit_test(with_threads_asked_for_others_call_it_too),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
