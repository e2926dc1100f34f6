/* VEGAS with Sobol points, and the choice between these and independent ones: sameness, scatter, given grids, weights, limits, bad input.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solve.h"

static const double pi = 3.14159265358979323846;

/* exp(sum) with the integral 1, and a product of peaks of deviation 0.05 around 0.3 with another one as component 1. */
static int smooth(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)userdata;
  for (int k = 0; k < ncomp; ++k) {
    f[k] = 1;
    for (int j = 0; j < ndim; ++j) f[k] *= exp(x[j]) / (exp(1) - 1);
  }
  return 0;
}
static int peak(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)userdata;
  for (int k = 0; k < ncomp; ++k) {
    double s = 0;
    for (int j = 0; j < ndim; ++j) s += (x[j] - 0.3 - 0.2 * k) * (x[j] - 0.3 - 0.2 * k);
    f[k] = exp(-200 * s) * pow(200 / pi, 0.5 * ndim);
  }
  return 0;
}
static int peak_batch(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf,
                      void *userdata) {
  double at[16], value[8];
  for (int64_t i = 0; i < n; ++i) {
    for (int j = 0; j < ndim; ++j) at[j] = x[j * ldx + i];
    peak(ndim, at, ncomp, value, userdata);
    for (int k = 0; k < ncomp; ++k) f[k * ldf + i] = value[k];
  }
  return 0;
}

static tessera_solver *vegas_solver(int ndim, int ncomp, tessera_integrand1 f, void *userdata) {
  tessera_solver *s = solver_of(ndim, ncomp);
  put_point(s, f, userdata);
  put_int(s, TESSERA_SAMPLING, TESSERA_SAMPLING_VEGAS);
  put_int(s, TESSERA_GENERATOR, TESSERA_GENERATOR_SOBOL);
  return s;
}

static void threads_and_batches_change_nothing(void **state) {
  (void)state;
  for (int sampling = TESSERA_SAMPLING_AUTO; sampling <= TESSERA_SAMPLING_VEGAS; sampling += 2)
    for (int antithetic = 0; antithetic < 2; ++antithetic) {
      double first[4] = {0};
      int64_t evaluations = 0;
      for (int run = 0; run < 5; ++run) {
        double all[4];
        tessera_solver *s = vegas_solver(3, 2, peak, NULL);
        if (run > 2) put_batch(s, peak_batch, NULL);
        put_int(s, TESSERA_SAMPLING, sampling);
        put_int(s, TESSERA_THREADS, run == 0 ? 1 : run == 1 ? 4 : 2);
        put_int(s, TESSERA_BATCH_POINTS, run == 3 ? 37 : 16384);
        put_int(s, TESSERA_ANTITHETIC, antithetic);
        put_int(s, TESSERA_SHIFTS, 5);
        put_real(s, TESSERA_RELTOL, 0);
        put_int(s, TESSERA_MAXEVAL, 200000);
        assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, all, all + 2), TESSERA_LIMIT_EVALUATIONS);
        assert_int_equal(got_int(s, TESSERA_SAMPLING_USED), TESSERA_SAMPLING_VEGAS);
        assert_int_equal(got_int(s, TESSERA_STRATA), 1); /* nets */
        if (run == 0) evaluations = got_int(s, TESSERA_EVALUATIONS);
        assert_int_equal(got_int(s, TESSERA_EVALUATIONS), evaluations);
        assert_true(evaluations <= 200000 && evaluations > 90000);
        for (int i = 0; i < 4; ++i) {
          if (run == 0) first[i] = all[i];
          assert_same_bits(all[i], first[i]);
        }
        tessera_destroy(s);
      }
      for (int k = 0; k < 2; ++k) assert_close(first[k], 1, 0, 2 * first[2 + k]);
    }
}

/* Its mass lies along a simplex, which no product of densities describes: independent points in strata do better than nets. */
static int corner(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double s = 1;
  (void)ncomp, (void)userdata;
  for (int j = 0; j < ndim; ++j) s += x[j];
  f[0] = pow(s, -ndim - 1);
  for (int j = 2; j <= ndim + 1; ++j) f[0] *= j;
  return 0;
}

/* Root mean square of the true errors over seeds, at as many evaluations. */
static double scatter(int ndim, tessera_integrand1 f, int sampling, int generator, int64_t maxeval) {
  const int seeds = sanitized ? 3 : 20;
  double squares = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    double value, error;
    tessera_solver *s = vegas_solver(ndim, 1, f, NULL);
    put_int(s, TESSERA_SEED, seed);
    put_int(s, TESSERA_SAMPLING, sampling);
    put_int(s, TESSERA_GENERATOR, generator);
    put_real(s, TESSERA_RELTOL, 0);
    put_int(s, TESSERA_MAXEVAL, maxeval);
    assert_true(is_limit(tessera_integrate(s, TESSERA_MONTECARLO, &value, &error)));
    assert_true(got_int(s, TESSERA_EVALUATIONS) <= maxeval);
    squares += (value - 1) * (value - 1);
    tessera_destroy(s);
  }
  return sqrt(squares / seeds);
}
static void less_scatter_where_nets_help(void **state) {
  static const struct {
    const char *name;
    int ndim;
    tessera_integrand1 f;
    int64_t evaluations;
    double least, choice; /* times as small */
  } cases[] = {{"exp(sum), 5-D", 5, smooth, 50000, 4, 4},
               {"peak, 4-D", 4, peak, 200000, 3, 3},
               {"corner, 8-D", 8, corner, 300000, 0.1, 0.5}};
  (void)state;
  for (int i = 0; i < 3; ++i) {
    const double philox = scatter(cases[i].ndim, cases[i].f, TESSERA_SAMPLING_VEGAS, TESSERA_GENERATOR_PHILOX,
                                  cases[i].evaluations),
                 sobol = scatter(cases[i].ndim, cases[i].f, TESSERA_SAMPLING_VEGAS, TESSERA_GENERATOR_SOBOL,
                                 cases[i].evaluations),
                 choice = scatter(cases[i].ndim, cases[i].f, TESSERA_SAMPLING_AUTO, TESSERA_GENERATOR_AUTO,
                                  cases[i].evaluations);
    print_message("  %s: Philox %.2e, Sobol %.2e, choice %.2e\n", cases[i].name, philox, sobol, choice);
    if (sanitized) continue;
    assert_true(cases[i].least * sobol < philox);
    assert_true(cases[i].choice * choice < philox);
  }
}

/* With points that are asked for it is these. */
static void the_choice(void **state) {
  static const struct {
    tessera_integrand1 f;
    int ndim, generator;
    double reltol;
    int sampling, has_strata;
  } cases[] = {
      {smooth, 3, TESSERA_GENERATOR_AUTO, 1e-4, TESSERA_SAMPLING_PLAIN, 0},
      {peak, 4, TESSERA_GENERATOR_AUTO, 1e-4, TESSERA_SAMPLING_VEGAS, 0},
      {peak, 4, TESSERA_GENERATOR_SOBOL, 1e-4, TESSERA_SAMPLING_VEGAS, 0},
      {peak, 4, TESSERA_GENERATOR_PHILOX, 1e-2, TESSERA_SAMPLING_VEGAS, 1},
      {peak, 4, TESSERA_GENERATOR_THREEFRY, 1e-2, TESSERA_SAMPLING_VEGAS, 1},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    double value, error;
    tessera_solver *s = vegas_solver(cases[i].ndim, 1, cases[i].f, NULL);
    put_int(s, TESSERA_SAMPLING, TESSERA_SAMPLING_AUTO);
    put_int(s, TESSERA_GENERATOR, cases[i].generator);
    put_real(s, TESSERA_RELTOL, cases[i].reltol);
    assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, &value, &error), TESSERA_OK);
    assert_int_equal(got_int(s, TESSERA_SAMPLING_USED), cases[i].sampling);
    if (cases[i].sampling == TESSERA_SAMPLING_VEGAS)
      assert_int_equal(got_int(s, TESSERA_STRATA) > 1, cases[i].has_strata);
    assert_close(value, 1, 0, 1.5 * error);
    tessera_destroy(s);
  }
}

/* Without a warm-up every evaluation but those of the scale is one of the nets. */
static int64_t seen_points;
static int seen_peak(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  ++seen_points;
  return peak(ndim, x, ncomp, f, userdata);
}
static void a_given_grid(void **state) {
  double value, error, *edges = malloc(2 * 129 * sizeof *edges), after[2 * 129];
  (void)state;
  assert_non_null(edges);
  tessera_solver *s = vegas_solver(2, 1, seen_peak, NULL);
  put_real(s, TESSERA_RELTOL, 1e-3);
  assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, &value, &error), TESSERA_OK);
  const int64_t with_warmup = got_int(s, TESSERA_EVALUATIONS);
  assert_status(s, tessera_get_grid(s, edges), TESSERA_OK);
  put_int(s, TESSERA_WARMUP, 0);
  for (int given = 0; given < 2; ++given) {
    put_int(s, TESSERA_KEEP_GRID, !given);
    if (given) assert_status(s, tessera_set_grid(s, edges), TESSERA_OK);
    seen_points = 0;
    assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, &value, &error), TESSERA_OK);
    assert_int_equal(got_int(s, TESSERA_EVALUATIONS), seen_points);
    assert_int_equal((seen_points - 128) % (32 * 18), 0); /* 128 for the scale; of 18 points two are scouts */
    assert_true(seen_points < with_warmup);
    assert_close(value, 1, 0, 1.5 * error);
    assert_status(s, tessera_get_grid(s, after), TESSERA_OK);
    for (int i = 0; i < 2 * 129; ++i) assert_same_bits(after[i], edges[i]);
  }
  free(edges);
  tessera_destroy(s);
}

static int gaussian(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double s = 0;
  (void)ncomp, (void)userdata;
  for (int j = 0; j < ndim; ++j) s += x[j] * x[j];
  f[0] = exp(-s);
  return 0;
}
static int turning(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double s = 0;
  (void)ncomp, (void)userdata;
  for (int j = 0; j < ndim; ++j) s += x[j];
  f[0] = cos(s);
  f[1] = sin(s);
  return 0;
}
static void ranges_and_complex_values(void **state) {
  const double from[3] = {-INFINITY, 0, 1}, to[3] = {INFINITY, INFINITY, -INFINITY};
  double value[2], error[2];
  (void)state;
  tessera_solver *s = vegas_solver(3, 1, gaussian, NULL);
  assert_status(s, tessera_set_domain(s, from, to), TESSERA_OK);
  put_real(s, TESSERA_RELTOL, 3e-5);
  assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, value, error), TESSERA_OK);
  assert_close(value[0], -pow(pi, 1.5) * 0.25 * (1 + erf(1)), 0, 1.5 * error[0]);
  tessera_destroy(s);
  s = vegas_solver(4, 2, turning, NULL);
  put_int(s, TESSERA_COMPLEX, 1);
  put_real(s, TESSERA_RELTOL, 1e-5);
  assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, value, error), TESSERA_OK);
  const double side = 2 * sin(0.5), size = pow(side, 4); /* the integral of exp(i x) is exp(i/2) times the side */
  assert_close(value[0], size * cos(2), 0, 1.5 * error[0] + 1e-7);
  assert_close(value[1], size * sin(2), 0, 1.5 * error[1] + 1e-7);
  tessera_destroy(s);
}

/* Over the points of an iteration the weights' sums are the volume and the integral; scouts and grid together. */
enum { most_iterations = 64 };
struct sums {
  double weight[most_iterations], value[most_iterations];
  int64_t points[most_iterations];
  int iterations;
};
static int weighed(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  struct sums *s = userdata;
  const int i = (int)x[ndim + 1] - 1;
  peak(ndim, x, ncomp, f, NULL);
  if (i < 0 || i >= most_iterations) return 1;
  s->iterations = i + 1;
  ++s->points[i];
  s->weight[i] += x[ndim];
  s->value[i] += x[ndim] * f[0];
  return 0;
}
static void weights(void **state) {
  (void)state;
  for (int antithetic = 0; antithetic < 2; ++antithetic) {
    struct sums sums;
    double value, error;
    memset(&sums, 0, sizeof sums);
    tessera_solver *s = vegas_solver(3, 1, weighed, &sums);
    put_int(s, TESSERA_WEIGHTS, 1);
    put_int(s, TESSERA_THREADS, 1);
    put_int(s, TESSERA_ANTITHETIC, antithetic);
    put_int(s, TESSERA_WARMUP, 8);
    put_real(s, TESSERA_RELTOL, 0);
    put_int(s, TESSERA_MAXEVAL, 400000);
    assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, &value, &error), TESSERA_LIMIT_EVALUATIONS);
    const int made = (int)got_int(s, TESSERA_ITERATIONS);
    assert_int_equal(sums.iterations, 8 + made);
    double sum = 0, points = 0;
    for (int i = 8; i < sums.iterations; ++i) {
      assert_close(sums.weight[i], 1, 0.15, 0);
      assert_close(sums.value[i], 1, 0.05, 0);
      sum += sums.value[i] * (double)sums.points[i];
      points += (double)sums.points[i];
    }
    assert_close(sum / points, value, 1e-12, 0);
    tessera_destroy(s);
  }
}

static void limits(void **state) {
  static const int64_t most[] = {1, 3, 40, 200, 1000, 3000, 10000, 100000};
  (void)state;
  for (int automatic = 0; automatic < 2; ++automatic)
    for (int i = 0; i < 8; ++i) {
      double value, error;
      tessera_solver *s = vegas_solver(4, 1, smooth, NULL);
      if (automatic) {
        put_int(s, TESSERA_SAMPLING, TESSERA_SAMPLING_AUTO);
        put_int(s, TESSERA_GENERATOR, TESSERA_GENERATOR_AUTO);
      }
      put_real(s, TESSERA_RELTOL, 0);
      put_int(s, TESSERA_MAXEVAL, most[i]);
      assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, &value, &error), TESSERA_LIMIT_EVALUATIONS);
      const int64_t made = got_int(s, TESSERA_EVALUATIONS);
      assert_true(made <= (most[i] > 4 ? most[i] : 4) && made >= 1);
      assert_true(error > 0);
      if (most[i] >= 200) assert_close(value, 1, 0.3, 0);
      tessera_destroy(s);
    }
  double value, error;
  tessera_solver *s = vegas_solver(4, 1, smooth, NULL);
  put_real(s, TESSERA_RELTOL, 1e-4);
  put_int(s, TESSERA_MAX_MEMORY, 1000);
  assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, &value, &error), TESSERA_ERR_MEMORY);
  put_int(s, TESSERA_MAX_MEMORY, 16000000);
  assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, &value, &error), TESSERA_OK);
  assert_true(got_int(s, TESSERA_PEAK_MEMORY) <= 16000000);
  tessera_destroy(s);
}

struct bad {
  int64_t calls, from; /* answers badly from this call on */
  int kind;
};
static int fails(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  struct bad *b = userdata;
  (void)ncomp;
  f[0] = 1 + x[0] + x[ndim - 1];
  if (++b->calls < b->from) return 0;
  if (b->kind == 1) f[0] = NAN;
  return b->kind == 2 ? 9 : 0;
}
static void ends_before_the_tolerance(void **state) {
  (void)state;
  for (int64_t at = 1000; at < 400000; at *= 3) { /* in the warm-up, and among the nets */
    double value = -5, error = -5;
    tessera_solver *s = vegas_solver(4, 1, smooth, NULL);
    put_real(s, TESSERA_RELTOL, 0);
    put_real(s, TESSERA_PROGRESS_SECONDS, 0);
    assert_status(s, tessera_set_progress(s, stop_at_evaluations, &at), TESSERA_OK);
    assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, &value, &error), TESSERA_STOPPED);
    assert_close(value, 1, 0, 3 * error);
    assert_true(error > 0 && error < 0.5);
    tessera_destroy(s);
  }
  for (int kind = 1; kind < 3; ++kind)
    for (int64_t from = 1; from < 100000; from *= 17) {
      struct bad b = {0, from, kind};
      double value, error;
      tessera_solver *s = vegas_solver(3, 1, fails, &b);
      put_int(s, TESSERA_THREADS, 1);
      put_real(s, TESSERA_RELTOL, 0);
      put_int(s, TESSERA_MAXEVAL, 200000);
      const int status = tessera_integrate(s, TESSERA_MONTECARLO, &value, &error);
      if (kind == 1) {
        assert_status(s, status, TESSERA_NONFINITE);
        assert_says(tessera_last_error(s), "x = (");
      } else {
        assert_true(status != TESSERA_OK);
        assert_int_equal(got_int(s, TESSERA_CALLBACK_STATUS), 9);
      }
      tessera_destroy(s);
    }
}

static void refused(tessera_solver *s, const char *why) {
  double value = 7, error = 7;
  assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, &value, &error), TESSERA_ERR_UNSUPPORTED);
  assert_says(tessera_last_error(s), why);
}
static void bad_input(void **state) {
  (void)state;
  double value, error;
  int64_t n = 0;
  tessera_solver *s = vegas_solver(2, 1, smooth, NULL);
  put_int(s, TESSERA_KEEP_STATE, 1);
  put_real(s, TESSERA_RELTOL, 1e-2);
  assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, &value, &error), TESSERA_OK);
  assert_int_equal(tessera_get_state(s, 0, NULL, &n), TESSERA_ERR_UNSUPPORTED);
  assert_says(tessera_last_error(s), "there is no state");
  put_int(s, TESSERA_GENERATOR, TESSERA_GENERATOR_AUTO); /* which is Philox where VEGAS is asked for */
  put_real(s, TESSERA_RELTOL, 1e-2);
  assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, &value, &error), TESSERA_OK);
  assert_status(s, tessera_get_state(s, 0, NULL, &n), TESSERA_OK);
  double *numbers = malloc((size_t)n * sizeof *numbers);
  assert_non_null(numbers);
  assert_status(s, tessera_get_state(s, n, numbers, NULL), TESSERA_OK);
  put_int(s, TESSERA_KEEP_STATE, 0);
  put_int(s, TESSERA_GENERATOR, TESSERA_GENERATOR_SOBOL);
  assert_status(s, tessera_set_state(s, n, numbers), TESSERA_OK);
  refused(s, "tessera_set_state");
  free(numbers);
  put_int(s, TESSERA_GENERATOR, TESSERA_GENERATOR_XORWOW);
  refused(s, "TESSERA_GENERATOR");
  assert_int_equal(tessera_set_int(s, TESSERA_GENERATOR, 7), TESSERA_ERR_RANGE);
  assert_says(tessera_last_error(s), "TESSERA_GENERATOR");
  tessera_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(threads_and_batches_change_nothing),
      cmocka_unit_test(less_scatter_where_nets_help),
      cmocka_unit_test(the_choice),
      cmocka_unit_test(a_given_grid),
      cmocka_unit_test(ranges_and_complex_values),
      cmocka_unit_test(weights),
      cmocka_unit_test(limits),
      cmocka_unit_test(ends_before_the_tolerance),
      cmocka_unit_test(bad_input),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
