/* Calls of a batch integrand by lattice rules and Monte Carlo: up to TESSERA_BATCH_POINTS points and full wherever there are so many, with the
 * same bits for every number of them and for point integrands.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <pthread.h>

#include "cases.h"
#include "solve.h"

enum { most_ndim = 40, ncomp = 2 };

struct calls {
  pthread_mutex_t lock;
  int64_t calls, points, most;
};

static void values(int ndim, const double *x, int64_t step, double *f) {
  double s = 0, t = 1;
  for (int j = 0; j < ndim; ++j) {
    s += x[j * step] / (1 + j);
    t *= 1 + 0.25 * (x[j * step] - 0.5);
  }
  f[0] = exp(-s);
  f[1] = t;
}

static int point(int ndim, const double *x, int nc, double *f, void *userdata) {
  (void)nc, (void)userdata;
  values(ndim, x, 1, f);
  return 0;
}

static int batch(int64_t n, int ndim, const double *x, int64_t ldx, int nc, double *f, int64_t ldf, void *userdata) {
  struct calls *c = userdata;
  (void)nc;
  pthread_mutex_lock(&c->lock);
  ++c->calls;
  c->points += n;
  if (n > c->most) c->most = n;
  pthread_mutex_unlock(&c->lock);
  for (int64_t i = 0; i < n; ++i) {
    double v[ncomp];
    values(ndim, x + i, ldx, v);
    f[i] = v[0];
    f[ldf + i] = v[1];
  }
  return 0;
}

struct run {
  int method, ndim, key;
  int64_t value, points, maxeval;
};

static tessera_solver *solver_for(const struct run *r) {
  tessera_solver *s = solver_of(r->ndim, ncomp);
  put_real(s, TESSERA_RELTOL, 0);
  put_int(s, TESSERA_MAXEVAL, r->maxeval);
  put_int(s, TESSERA_POINTS, r->points);
  put_int(s, r->key, r->value);
  return s;
}

static int run(tessera_solver *s, const struct run *r, double *result) {
  return tessera_integrate(s, r->method, result, result + ncomp);
}

/* Every pass of these has as many points as the first, or more: of a shift, or of an iteration. Calls are as large as they can be when
 * these are cut into equal parts. */
static void calls_are_full(void **state) {
  static const struct run runs[] = {
      {TESSERA_LATTICE, 5, TESSERA_TRANSFORM, TESSERA_TRANSFORM_NONE, 1024, 1000000},
      {TESSERA_LATTICE, 5, TESSERA_TRANSFORM, TESSERA_TRANSFORM_BAKER, 65536, 8400000},
      {TESSERA_LATTICE, 40, TESSERA_TRANSFORM, TESSERA_TRANSFORM_BAKER, 65536, 4200000},
      {TESSERA_MONTECARLO, 5, TESSERA_SAMPLING, TESSERA_SAMPLING_PLAIN, 262144, 4000000},
      {TESSERA_MONTECARLO, 2, TESSERA_SAMPLING, TESSERA_SAMPLING_VEGAS, 1048576, 5000000},
      {TESSERA_MONTECARLO, 20, TESSERA_SAMPLING, TESSERA_SAMPLING_VEGAS, 262144, 1500000},
  };
  static const int64_t sizes[] = {16384, 100, 1000, 7777, 10000, 65536};
  int failures = 0;
  (void)state;
  for (size_t i = 0; i < sizeof runs / sizeof runs[0]; ++i)
    for (size_t b = i % 3; b < (sanitized ? 2 : sizeof sizes / sizeof sizes[0]);
         b += 3) { /* each size with a third of the runs */
      struct calls c = {.lock = PTHREAD_MUTEX_INITIALIZER};
      double result[2 * ncomp];
      tessera_solver *s = solver_for(&runs[i]);
      put_batch(s, batch, &c);
      put_int(s, TESSERA_THREADS, 1 + (int)(b / 2 % 2));
      put_int(s, TESSERA_BATCH_POINTS, sizes[b]);
      assert_status(s, run(s, &runs[i], result), TESSERA_LIMIT_EVALUATIONS);
      assert_int_equal(c.points, got_int(s, TESSERA_EVALUATIONS));
      const int64_t least_calls = (runs[i].points + sizes[b] - 1) / sizes[b];
      const double full = (double)runs[i].points / (double)least_calls, mean = (double)c.points / (double)c.calls;
      if (!(mean >= 0.9 * full) || c.most > sizes[b]) {
        print_error("run %d: mean %g, most %lld of %lld\n", (int)i, mean, (long long)c.most, (long long)sizes[b]);
        ++failures;
      }
      tessera_destroy(s);
    }
  assert_int_equal(failures, 0);
}

/* Whatever a call has, and for vectors whose n is no power of two. */
static void bits_do_not_depend_on_calls(void **state) {
  static const struct run runs[] = {
      {TESSERA_LATTICE, 5, TESSERA_TRANSFORM, TESSERA_TRANSFORM_SIDI3, 16384, 1200000},
      {TESSERA_LATTICE, 17, TESSERA_COPIES, 0, 1024, 1200000},
      {TESSERA_LATTICE, 4, TESSERA_MEDIAN, 11, 4096, 600000},
      {TESSERA_MONTECARLO, 5, TESSERA_ANTITHETIC, 1, 20000, 300000},
      {TESSERA_MONTECARLO, 3, TESSERA_SAMPLING, TESSERA_SAMPLING_VEGAS, 20011, 300000},
  };
  static const int64_t sizes[] = {1, 3, 37, 1000, 4099, 16384, 20000, 1 << 24};
  (void)state;
  for (size_t i = 0; i < sizeof runs / sizeof runs[0]; ++i)
    for (int given = 0; given < 2; ++given) { /* a vector, and antithetic points for VEGAS */
      double first[2 * ncomp], result[2 * ncomp];
      struct calls c = {.lock = PTHREAD_MUTEX_INITIALIZER};
      tessera_solver *s = solver_for(&runs[i]);
      if (given && runs[i].method == TESSERA_LATTICE) {
        tessera_lattice *l = NULL;
        assert_int_equal(tessera_lattice_create(&l, runs[i].ndim), TESSERA_OK);
        assert_int_equal(tessera_lattice_korobov(l, 17011, 76), TESSERA_OK);
        assert_status(s, tessera_set_lattice(s, l), TESSERA_OK);
        tessera_lattice_destroy(l);
      }
      if (given) put_int(s, TESSERA_ANTITHETIC, 1);
      put_point(s, point, NULL);
      const int status = run(s, &runs[i], first);
      assert_true(status >= 0);
      put_batch(s, batch, &c);
      for (size_t b = 0; b < sizeof sizes / sizeof sizes[0]; b += sanitized ? 3 : 1) {
        put_int(s, TESSERA_BATCH_POINTS, sizes[b]);
        put_int(s, TESSERA_THREADS, 1 + (int)(b % 3));
        c.most = 0;
        assert_int_equal(run(s, &runs[i], result), status);
        assert_true(c.most <= sizes[b]);
        for (int k = 0; k < 2 * ncomp; ++k) assert_same_bits(result[k], first[k]);
      }
      tessera_destroy(s);
    }
}

/* A value that is not finite is named by its point, wherever it lies in a call. */
static int bad_at;
static int with_a_hole(int64_t n, int ndim, const double *x, int64_t ldx, int nc, double *f, int64_t ldf,
                       void *userdata) {
  batch(n, ndim, x, ldx, nc, f, ldf, userdata);
  for (int64_t i = 0; i < n; ++i)
    if (x[i] > 0.5 && x[i] < 0.501) f[bad_at * ldf + i] = i % 2 ? INFINITY : NAN;
  return 0;
}

static void holes_are_found(void **state) {
  static const int64_t sizes[] = {16384, 1, 3000, 50000};
  (void)state;
  for (bad_at = 0; bad_at < ncomp; ++bad_at)
    for (int method = TESSERA_LATTICE; method <= TESSERA_MONTECARLO; ++method)
      for (size_t b = 0; b < sizeof sizes / sizeof sizes[0]; ++b) {
        static char first[256];
        char sentence[256];
        struct calls c = {.lock = PTHREAD_MUTEX_INITIALIZER};
        const struct run r = {method, 3, TESSERA_TRANSFORM, TESSERA_TRANSFORM_NONE, 65536, 4000000};
        double result[2 * ncomp];
        tessera_solver *s = solver_for(&r);
        put_batch(s, with_a_hole, &c);
        put_int(s, TESSERA_THREADS, 2);
        put_int(s, TESSERA_BATCH_POINTS, sizes[b]);
        assert_status(s, run(s, &r, result), TESSERA_NONFINITE);
        snprintf(sentence, sizeof sentence, "%s", strstr(tessera_last_error(s), "x = (0.500"));
        if (b == 0) memcpy(first, sentence, sizeof first);
        assert_string_equal(sentence, first);
        tessera_destroy(s);
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(calls_are_full),
      cmocka_unit_test(bits_do_not_depend_on_calls),
      cmocka_unit_test(holes_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
