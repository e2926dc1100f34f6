/* Many integrals in one call by lattice rules and Monte Carlo on the host: each is what tessera_integrate gives, bit by bit, on any number of
 * threads and for every form of the integrand, and one that fails leaves the others alone.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "cases.h"
#include "solve.h"

enum { ndim = 3, ncomp = 2, count = 24, most_evaluations = sanitized ? 10000 : 40000 };

/* The parameter block: its size is no multiple of 16 on purpose. */
struct block {
  double a[ndim], shift, spoil; /* spoil: 1 NaN in a slab, 2 stop at once, 3 stop in a corner */
};

static int values(const double *x, double *f, const struct block *p) {
  double s = 1, t = 0;
  for (int j = 0; j < ndim; ++j) {
    s += p->a[j] * x[j] * x[j];
    t += fabs(x[j] - p->shift);
  }
  f[0] = exp(-s);
  f[1] = exp(-t) / s;
  if (p->spoil == 1 && x[0] > 0.4 && x[0] < 0.45) f[1] = NAN;
  if (p->spoil == 2) return 17;
  if (p->spoil == 3 && x[0] + x[1] + x[2] > 2.9) return 23;
  return 0;
}

static int point(int nd, const double *x, int nc, double *f, void *userdata) {
  (void)nd, (void)nc;
  return values(x, f, userdata);
}

static int batch(int64_t n, int nd, const double *x, int64_t ldx, int nc, double *f, int64_t ldf, void *userdata) {
  (void)nc;
  for (int64_t i = 0; i < n; ++i) {
    double at[ndim], v[ncomp];
    for (int j = 0; j < nd; ++j) at[j] = x[j * ldx + i];
    const int stop = values(at, v, userdata);
    if (stop) return stop;
    for (int k = 0; k < ncomp; ++k) f[k * ldf + i] = v[k];
  }
  return 0;
}

/* ---- Ways of integrating ---------------------------------------------------------------------------------------------- */
static const struct way {
  const char *name;
  int method;
  struct {
    int key;
    int64_t value;
  } options[3]; /* key 0: none */
} ways[] = {
    {"lattice, automatic", TESSERA_LATTICE, {{0, 0}}},
    {"lattice, baker", TESSERA_LATTICE, {{TESSERA_TRANSFORM, TESSERA_TRANSFORM_BAKER}, {TESSERA_SHIFTS, 8}}},
    {"lattice, complements",
     TESSERA_LATTICE,
     {{TESSERA_TRANSFORM, TESSERA_TRANSFORM_KOROBOV1}, {TESSERA_COMPLEMENT, 1}}},
    {"lattice, median", TESSERA_LATTICE, {{TESSERA_MEDIAN, 11}, {TESSERA_TRANSFORM, TESSERA_TRANSFORM_NONE}}},
    {"lattice, copies", TESSERA_LATTICE, {{TESSERA_COPIES, 3}, {TESSERA_TRANSFORM, TESSERA_TRANSFORM_BAKER}}},
    {"Monte Carlo, automatic", TESSERA_MONTECARLO, {{0, 0}}},
    {"Monte Carlo, plain", TESSERA_MONTECARLO, {{TESSERA_SAMPLING, TESSERA_SAMPLING_PLAIN}, {TESSERA_ANTITHETIC, 1}}},
    {"Monte Carlo, VEGAS", TESSERA_MONTECARLO, {{TESSERA_SAMPLING, TESSERA_SAMPLING_VEGAS}, {TESSERA_SEED, 7}}},
    {"Monte Carlo, Sobol points through a grid",
     TESSERA_MONTECARLO,
     {{TESSERA_SAMPLING, TESSERA_SAMPLING_VEGAS}, {TESSERA_GENERATOR, TESSERA_GENERATOR_SOBOL}}},
};
enum { way_count = sizeof ways / sizeof ways[0] };

static tessera_solver *make_solver(const struct way *w, int in_batches) {
  tessera_solver *s = solver_of(ndim, ncomp);
  if (in_batches)
    put_batch(s, batch, NULL);
  else
    put_point(s, point, NULL);
  put_real(s, TESSERA_RELTOL, 1e-3);
  put_int(s, TESSERA_MAXEVAL, most_evaluations);
  for (int i = 0; i < 3 && w->options[i].key != 0; ++i) put_int(s, w->options[i].key, w->options[i].value);
  if (w->options[0].key == TESSERA_COPIES) { /* of a rule of few points */
    tessera_lattice *l = NULL;
    assert_int_equal(tessera_lattice_create(&l, ndim), TESSERA_OK);
    assert_int_equal(tessera_lattice_korobov(l, 1021, 76), TESSERA_OK);
    assert_status(s, tessera_set_lattice(s, l), TESSERA_OK);
    tessera_lattice_destroy(l);
  }
  return s;
}

/* ---- Integrals -------------------------------------------------------------------------------------------------------- */
struct inputs {
  struct block params[count];
  double lower[count][ndim], upper[count][ndim];
};

struct outputs {
  int result, status[count];
  double value[count][ncomp], error[count][ncomp];
  int64_t evaluations, iterations, callback_status;
  char sentence[256];
};

/* Finite, reversed, infinite and empty boxes. */
static void make_inputs(struct inputs *in) {
  uint64_t seed = 7;
  memset(in, 0, sizeof *in);
  for (int i = 0; i < count; ++i) {
    struct block *p = &in->params[i];
    for (int j = 0; j < ndim; ++j) {
      p->a[j] = 0.5 + 3 * splitmix_uniform(&seed);
      in->lower[i][j] = -splitmix_uniform(&seed);
      in->upper[i][j] = splitmix_uniform(&seed);
    }
    p->shift = 0.25 + 0.5 * splitmix_uniform(&seed);
    if (i % 5 == 1) {
      in->lower[i][0] = 1;
      in->upper[i][0] = -0.5;
    }
    if (i % 7 == 2) in->upper[i][i % ndim] = INFINITY;
    if (i % 11 == 3) in->lower[i][1] = -INFINITY, in->upper[i][1] = INFINITY;
  }
  in->upper[20][2] = in->lower[20][2];
}

static void spoil(struct inputs *in) {
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < ndim; ++j) in->lower[8 + i][j] = 0, in->upper[8 + i][j] = 1;
  in->params[8].spoil = 1;
  in->params[9].spoil = 2;
  in->params[10].spoil = 3;
  in->lower[12][1] = NAN;
  for (int j = 0; j < ndim; ++j) in->lower[13][j] = 0, in->upper[13][j] = 1e-120; /* the volume underflows */
}

static void clear(struct outputs *out) {
  memset(out, 0, sizeof *out);
  for (int i = 0; i < count; ++i) {
    out->status[i] = 99;
    for (int k = 0; k < ncomp; ++k) out->value[i][k] = out->error[i][k] = -1e300;
  }
}

static void add_statistics(tessera_solver *s, struct outputs *out) {
  out->evaluations += got_int(s, TESSERA_EVALUATIONS);
  out->iterations += got_int(s, TESSERA_ITERATIONS);
  if (out->callback_status == 0) out->callback_status = got_int(s, TESSERA_CALLBACK_STATUS);
}

static void run_many(tessera_solver *s, int method, const struct inputs *in, struct outputs *out) {
  clear(out);
  out->result = tessera_integrate_many(s, method, count, in->params, sizeof(struct block), in->lower[0], in->upper[0],
                                       out->value[0], out->error[0], out->status);
  snprintf(out->sentence, sizeof out->sentence, "%s", tessera_last_error(s));
  add_statistics(s, out);
}

/* The same with tessera_integrate; grid, unless NULL, is given to each. */
static void run_single(tessera_solver *s, int method, const struct inputs *in, const double *grid,
                       struct outputs *out) {
  clear(out);
  for (int i = 0; i < count; ++i) {
    assert_status(s, tessera_set_params(s, &in->params[i], sizeof(struct block)), TESSERA_OK);
    if (grid) assert_status(s, tessera_set_grid(s, grid), TESSERA_OK);
    out->status[i] = tessera_set_domain(s, in->lower[i], in->upper[i]);
    if (out->status[i] != TESSERA_OK) continue;
    out->status[i] = tessera_integrate(s, method, out->value[i], out->error[i]);
    add_statistics(s, out);
  }
}

static void assert_same_outputs(const char *name, const struct outputs *a, const struct outputs *b) {
  for (int i = 0; i < count; ++i) {
    if (a->status[i] != b->status[i]) print_error("%s, integral %d\n", name, i);
    assert_int_equal(a->status[i], b->status[i]);
    for (int k = 0; k < ncomp; ++k) {
      if (isnan(a->value[i][k]) && isnan(b->value[i][k])) continue; /* the sign of a NaN means nothing */
      if (a->value[i][k] != b->value[i][k]) print_error("%s, integral %d\n", name, i);
      assert_same_bits(a->value[i][k], b->value[i][k]);
      assert_same_bits(a->error[i][k], b->error[i][k]);
    }
  }
  assert_int_equal(a->evaluations, b->evaluations);
  assert_int_equal(a->iterations, b->iterations);
  assert_int_equal(a->callback_status, b->callback_status);
}

static void compare_with_single_calls(const struct inputs *in) {
  static const int threads[] = {1, 2, 4};
  struct outputs single, many;
  for (int w = 0; w < way_count; ++w)
    for (int in_batches = 0; in_batches < 2; ++in_batches) {
      if (sanitized && in_batches != w % 2) continue;
      tessera_solver *s = make_solver(&ways[w], in_batches), *one = make_solver(&ways[w], in_batches);
      put_int(one, TESSERA_THREADS, 1 + w % 2);
      run_single(one, ways[w].method, in, NULL, &single);
      for (int t = 0; t < 3; ++t) {
        put_int(s, TESSERA_THREADS, threads[t]);
        run_many(s, ways[w].method, in, &many);
        assert_int_equal(got_int(s, TESSERA_THREADS_USED), threads[t]);
        assert_same_outputs(ways[w].name, &single, &many);
      }
      tessera_destroy(s);
      tessera_destroy(one);
    }
}

static void each_is_what_a_single_call_gives(void **state) {
  struct inputs in;
  struct outputs out;
  (void)state;
  make_inputs(&in);
  compare_with_single_calls(&in);
  for (int w = 0; w < way_count; ++w) {
    tessera_solver *s = make_solver(&ways[w], 0);
    run_many(s, ways[w].method, &in, &out);
    assert_same_bits(out.value[20][0], 0);
    assert_same_bits(out.error[20][1], 0);
    assert_true(out.value[1][0] < 0); /* reversed */
    for (int i = 0; i < count; ++i) assert_in_range(out.status[i], TESSERA_OK, TESSERA_LIMIT_EVALUATIONS);
    assert_in_range(out.evaluations, count, count * most_evaluations);
    tessera_destroy(s);
  }
}

static void one_that_fails_leaves_the_others_alone(void **state) {
  struct inputs in;
  struct outputs out;
  (void)state;
  make_inputs(&in);
  spoil(&in);
  compare_with_single_calls(&in);
  for (int w = 0; w < way_count; ++w) {
    tessera_solver *s = make_solver(&ways[w], w % 2);
    put_int(s, TESSERA_THREADS, 2);
    run_many(s, ways[w].method, &in, &out);
    assert_int_equal(out.result, TESSERA_SOME_FAILED);
    assert_int_equal(out.status[8], TESSERA_NONFINITE);
    assert_int_equal(out.status[9], TESSERA_ERR_CALLBACK);
    assert_same_bits(out.value[9][0], -1e300);
    assert_int_equal(out.callback_status, 17);
    assert_says(out.sentence, "integral 9 (counted from 0): the integrand returned 17 before there was a value");
    assert_int_equal(out.status[12], TESSERA_ERR_ARGUMENT);
    assert_same_bits(out.error[12][1], -1e300);
    assert_int_equal(out.status[13], TESSERA_ERR_UNSUPPORTED);
    assert_in_range(out.status[14], TESSERA_OK, TESSERA_LIMIT_EVALUATIONS);
    in.params[9].spoil = 0;
    in.lower[12][1] = 0;
    run_many(s, ways[w].method, &in, &out);
    assert_int_equal(out.result, TESSERA_SOME_FAILED);
    /* Of two that have no result the first is spoken of. */
    if (out.status[10] >= 0)
      assert_says(out.sentence, "integral 13 (counted from 0): the volume of the domain is beyond the range");
    else
      assert_says(out.sentence, "integral 10 (counted from 0): the integrand returned 23 before there was a value");
    in.params[9].spoil = 2;
    in.lower[12][1] = NAN;
    tessera_destroy(s);
  }
}

static void one_box_and_one_block_for_all(void **state) {
  struct inputs in;
  struct outputs single, many;
  (void)state;
  for (int w = 0; w < way_count; ++w) {
    tessera_solver *s = make_solver(&ways[w], 1);
    make_inputs(&in);
    for (int i = 0; i < count; ++i)
      for (int j = 0; j < ndim; ++j) in.lower[i][j] = 0.5 * j, in.upper[i][j] = -1;
    run_single(s, ways[w].method, &in, NULL, &single);
    clear(&many);
    many.result = tessera_integrate_many(s, ways[w].method, count, in.params, sizeof(struct block), NULL, NULL,
                                         many.value[0], many.error[0], many.status);
    add_statistics(s, &many);
    assert_same_outputs(ways[w].name, &single, &many);
    /* The same random numbers for all: equal blocks have equal results. */
    assert_status(s, tessera_set_params(s, &in.params[3], sizeof(struct block)), TESSERA_OK);
    assert_true(tessera_integrate_many(s, ways[w].method, 3, NULL, 0, NULL, NULL, many.value[0], many.error[0], NULL) >=
                0);
    for (int i = 0; i < 3; ++i) {
      assert_same_bits(many.value[i][0], single.value[3][0]);
      assert_same_bits(many.error[i][1], single.error[3][1]);
    }
    /* Nothing is run where the domain of all is too small. */
    const double least[ndim] = {0, 0, 0}, most[ndim] = {1e-120, 1e-120, 1e-120};
    assert_status(s, tessera_set_domain(s, least, most), TESSERA_OK);
    clear(&many);
    assert_status(s,
                  tessera_integrate_many(s, ways[w].method, 3, NULL, 0, NULL, NULL, many.value[0], many.error[0], NULL),
                  TESSERA_ERR_UNSUPPORTED);
    assert_same_bits(many.value[0][0], -1e300);
    tessera_destroy(s);
  }
}

static void refused(void **state) {
  struct inputs in;
  struct outputs out;
  (void)state;
  make_inputs(&in);
  tessera_solver *s = make_solver(&ways[0], 0);
  put_int(s, TESSERA_MEDIAN, 11);
  put_int(s, TESSERA_COPIES, 3);
  run_many(s, TESSERA_LATTICE, &in, &out);
  assert_status(s, out.result, TESSERA_ERR_UNSUPPORTED);
  assert_says(out.sentence, "TESSERA_COPIES");
  assert_int_equal(out.status[0], 99);
  put_int(s, TESSERA_GENERATOR, TESSERA_GENERATOR_XORWOW);
  run_many(s, TESSERA_MONTECARLO, &in, &out);
  assert_status(s, out.result, TESSERA_ERR_UNSUPPORTED);
  assert_says(out.sentence, "TESSERA_GENERATOR");
  assert_same_bits(out.value[0][0], -1e300);
  put_int(s, TESSERA_COMPLEMENT, 1);
  run_many(s, TESSERA_MONTECARLO, &in, &out);
  assert_status(s, out.result, TESSERA_ERR_UNSUPPORTED);
  assert_says(out.sentence, "TESSERA_COMPLEMENT");
  tessera_destroy(s);
}

/* All rows of VEGAS begin with the solver's grid, which stays as it was, and given, for the next single run. */
static void a_grid_is_for_all(void **state) {
  static double grid[ndim][TESSERA_GRID_EDGES], after[ndim][TESSERA_GRID_EDGES];
  const struct way *vegas = &ways[way_count - 1];
  struct inputs in;
  struct outputs uniform, single, many;
  double value[ncomp], error[ncomp], chi2[ncomp];
  (void)state;
  make_inputs(&in);
  for (int j = 0; j < ndim; ++j)
    for (int i = 0; i < TESSERA_GRID_EDGES; ++i) grid[j][i] = pow(i / (TESSERA_GRID_EDGES - 1.0), 1.5);
  tessera_solver *s = make_solver(vegas, 1), *one = make_solver(vegas, 1);
  put_int(s, TESSERA_THREADS, 2);
  run_many(s, vegas->method, &in, &uniform);
  assert_status(s, tessera_get_grid(s, after[0]), TESSERA_ERR_ARGUMENT);
  assert_status(s, tessera_get_chi2(s, chi2), TESSERA_ERR_ARGUMENT);
  run_single(one, vegas->method, &in, grid[0], &single);
  assert_status(s, tessera_set_grid(s, grid[0]), TESSERA_OK);
  for (int again = 0; again < 2; ++again) {
    run_many(s, vegas->method, &in, &many);
    assert_same_outputs("VEGAS with a grid", &single, &many);
    assert_true(many.value[0][0] != uniform.value[0][0]);
    assert_status(s, tessera_get_grid(s, after[0]), TESSERA_OK);
    assert_memory_equal(after, grid, sizeof grid);
  }
  assert_status(s, tessera_set_params(s, &in.params[0], sizeof(struct block)), TESSERA_OK);
  assert_status(s, tessera_set_domain(s, in.lower[0], in.upper[0]), TESSERA_OK);
  assert_int_equal(tessera_integrate(s, vegas->method, value, error), single.status[0]);
  assert_same_bits(value[0], single.value[0][0]);
  tessera_destroy(s);
  tessera_destroy(one);
}

/* ---- Progress --------------------------------------------------------------------------------------------------------- */
static int stop_later(int64_t evaluations, int nc, const double *value, const double *error, int64_t remaining,
                      void *userdata) {
  int *calls = userdata;
  (void)evaluations, (void)nc, (void)value, (void)error;
  return ++*calls > 1 && remaining > 0; /* something is finished */
}

static void progress_and_time_end_the_call(void **state) {
  struct inputs in;
  struct outputs whole, out;
  (void)state;
  make_inputs(&in);
  for (int w = 0; w < way_count; ++w) {
    tessera_solver *s = make_solver(&ways[w], 0);
    run_many(s, ways[w].method, &in, &whole);
    for (int threads = 1; threads <= 2; ++threads) {
      int calls = 0, finished = 0, waiting = 0;
      put_int(s, TESSERA_THREADS, threads);
      assert_status(s, tessera_set_progress(s, stop_later, &calls), TESSERA_OK);
      put_real(s, TESSERA_PROGRESS_SECONDS, 0);
      run_many(s, ways[w].method, &in, &out);
      assert_int_equal(out.result, TESSERA_STOPPED);
      for (int i = 0; i < count; ++i) {
        if (out.status[i] != TESSERA_STOPPED) {
          assert_int_equal(out.status[i], whole.status[i]);
          assert_same_bits(out.value[i][0], whole.value[i][0]);
          ++finished;
        } else {
          waiting += isnan(out.value[i][0]) && isinf(out.error[i][0]);
        }
      }
      assert_true(finished > 0 && waiting > 0);
      assert_status(s, tessera_set_progress(s, NULL, NULL), TESSERA_OK);
    }
    put_real(s, TESSERA_MAX_SECONDS, 1e-9); /* of the whole call */
    run_many(s, ways[w].method, &in, &out);
    assert_int_equal(out.result, TESSERA_LIMIT_TIME);
    assert_int_equal(out.status[count - 1], TESSERA_LIMIT_TIME);
    assert_true(isnan(out.value[count - 1][0]));
    tessera_destroy(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_is_what_a_single_call_gives),
      cmocka_unit_test(one_that_fails_leaves_the_others_alone),
      cmocka_unit_test(one_box_and_one_block_for_all),
      cmocka_unit_test(refused),
      cmocka_unit_test(a_grid_is_for_all),
      cmocka_unit_test(progress_and_time_end_the_call),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
