/* Many integrals over the ranks of an MPI program. SPDX-License-Identifier: BSD-3-Clause */
#include "common.h"

int my_rank, ranks;

enum { count = 60 };

/* exp(-rate x) of a block {rate, microseconds that an evaluation takes}. */
static int decay(int ndim, const double *x, int ncomp, double *f, void *params) {
  const double *p = params;
  double s = 0;
  for (int j = 0; j < ndim; ++j) s += fabs(x[j] - 0.4);
  for (int k = 0; k < ncomp; ++k) f[k] = exp(-(k + 1) * p[0] * s);
  if (p[1] > 0) usleep((useconds_t)p[1]);
  return p[0] > 1e6 ? 9 : 0;
}

struct results {
  double value[count][2], error[count][2];
  int status[count], end;
  int64_t evaluations;
  char sentence[512];
};

static void run(struct results *r, int together, int method, int threads, int gather, double (*blocks)[2]) {
  tessera_solver *s = solver_of(2, 2);
  if (together) put_world(s);
  put_point(s, decay, NULL);
  put_real(s, TESSERA_RELTOL, 1e-3);
  put_int(s, TESSERA_MAXEVAL, 25000);
  put_int(s, TESSERA_THREADS, threads);
  put_int(s, TESSERA_GATHER, gather);
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < 2; ++k) r->value[i][k] = r->error[i][k] = -5;
  r->end = tessera_integrate_many(s, method, count, blocks, sizeof blocks[0], NULL, NULL, r->value[0], r->error[0],
                                  r->status);
  snprintf(r->sentence, sizeof r->sentence, "%s", tessera_last_error(s));
  assert_int_equal(tessera_get_int(s, TESSERA_EVALUATIONS, &r->evaluations), 0);
  tessera_destroy(s);
}

static void fill(double (*blocks)[2]) {
  for (int i = 0; i < count; ++i) blocks[i][0] = 1 + i % 13, blocks[i][1] = 0;
}

static void all_ranks_get_what_one_process_gets(void **state) {
  (void)state;
  static struct results alone, together;
  double blocks[count][2];
  fill(blocks);
  blocks[17][0] = 1e7; /* its integrand fails */
  const int methods[] = {TESSERA_CUBATURE, TESSERA_LATTICE, TESSERA_MONTECARLO, TESSERA_ITERATED, TESSERA_AUTO};
  for (int m = 0; m < 5; ++m)
    for (int threads = 1; threads <= 2; ++threads) {
      run(&alone, 0, methods[m], 1, 1, blocks);
      run(&together, 1, methods[m], threads, 1, blocks);
      assert_int_equal(together.end, alone.end);
      assert_int_equal(alone.end, TESSERA_SOME_FAILED);
      assert_int_equal(together.evaluations, alone.evaluations);
      assert_string_equal(together.sentence, alone.sentence);
      assert_memory_equal(together.status, alone.status, sizeof alone.status);
      assert_memory_equal(together.value, alone.value, sizeof alone.value);
      assert_memory_equal(together.error, alone.error, sizeof alone.error);
      assert_same_bits(together.value[17][0], -5);
    }
}

/* Each integral is on one rank, and the others say that it is elsewhere. */
static void results_stay_where_they_are_made(void **state) {
  (void)state;
  static struct results alone, together;
  double blocks[count][2];
  fill(blocks);
  run(&alone, 0, TESSERA_CUBATURE, 1, 1, blocks);
  run(&together, 1, TESSERA_CUBATURE, 1, 0, blocks);
  assert_int_equal(together.end, TESSERA_OK);
  for (int i = 0; i < count; ++i) {
    const int here = together.status[i] != TESSERA_ELSEWHERE;
    assert_int_equal(sum_over_ranks(here), 1);
    if (here) {
      assert_int_equal(together.status[i], alone.status[i]);
      assert_memory_equal(together.value[i], alone.value[i], sizeof alone.value[i]);
    } else {
      assert_true(isnan(together.value[i][0]) && isinf(together.error[i][1]));
    }
  }
  assert_int_equal(sum_over_ranks((long)together.evaluations), alone.evaluations);
  /* One that has failed on some rank is told of on all of them. */
  blocks[3][0] = 1e7;
  run(&together, 1, TESSERA_CUBATURE, 1, 0, blocks);
  assert_int_equal(together.end, TESSERA_SOME_FAILED);
}

/* Limits, none of them, and one that has nothing to run. */
static void limits_are_shared_out_too(void **state) {
  (void)state;
  double lower[8], upper[8], value[2][8], error[2][8];
  int status[2][8];
  for (int i = 0; i < 8; ++i) lower[i] = -0.1 * i, upper[i] = 1 + i;
  upper[4] = lower[4];
  lower[6] = (double)NAN;
  for (int together = 0; together < 2; ++together) {
    tessera_solver *s = solver_of(1, 1);
    if (together) put_world(s);
    put_point(s, kinks, NULL);
    for (int i = 0; i < 8; ++i) value[together][i] = error[together][i] = -3;
    assert_int_equal(tessera_integrate_many(s, TESSERA_QUADRATURE, 8, NULL, 0, lower, upper, value[together],
                                            error[together], status[together]),
                     TESSERA_SOME_FAILED);
    assert_int_equal(tessera_integrate_many(s, TESSERA_QUADRATURE, 0, NULL, 0, NULL, NULL, NULL, NULL, NULL),
                     TESSERA_OK);
    tessera_destroy(s);
  }
  assert_memory_equal(value[0], value[1], sizeof value[0]);
  assert_memory_equal(error[0], error[1], sizeof error[0]);
  assert_memory_equal(status[0], status[1], sizeof status[0]);
}

/* The first quarter costs a hundred times as much as the rest, as time that passes without work. In equal parts by number one rank would
 * have nearly all of the work. */
static void chunks_are_claimed_by_whoever_is_free(void **state) {
  (void)state;
  static struct results r;
  double blocks[count][2], all = 0, own = 0, sum = 0;
  if (ranks == 1) skip();
  for (int i = 0; i < count; ++i) blocks[i][0] = 0.01, blocks[i][1] = i < count / 4 ? 500 : 5;
  run(&r, 1, TESSERA_CUBATURE, 1, 0, blocks);
  assert_int_equal(r.end, TESSERA_OK);
  for (int i = 0; i < count; ++i) {
    all += blocks[i][1];
    if (r.status[i] != TESSERA_ELSEWHERE) own += blocks[i][1];
  }
  MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  assert_true(fabs(sum - all) < 1e-6 * all);
  if (own > 0.85 * all) fail_msg("rank %d had %g of %g", my_rank, own, all);
}

/* The time is over, or a callback stops: what is finished stays, and all ranks know the same. */
static int stop_soon(int64_t evaluations, int ncomp, const double *value, const double *error, int64_t remaining,
                     void *userdata) {
  (void)evaluations, (void)ncomp, (void)value, (void)error, (void)remaining, (void)userdata;
  return 1;
}
static void what_ends_early_is_known_to_all(void **state) {
  (void)state;
  for (int by_callback = 0; by_callback < 2; ++by_callback) {
    double blocks[count][2], value[count], error[count];
    int status[count], unfinished = 0;
    for (int i = 0; i < count; ++i) blocks[i][0] = 1, blocks[i][1] = 2000;
    tessera_solver *s = solver_of(1, 1);
    put_world(s);
    put_point(s, decay, NULL);
    if (by_callback) {
      put_real(s, TESSERA_PROGRESS_SECONDS, 0.05);
      assert_int_equal(tessera_set_progress(s, stop_soon, NULL), 0);
    } else {
      put_real(s, TESSERA_MAX_SECONDS, 0.2);
    }
    const int end = tessera_integrate_many(s, TESSERA_QUADRATURE, count, blocks, sizeof blocks[0], NULL, NULL, value,
                                           error, status);
    assert_status(s, end, by_callback ? TESSERA_STOPPED : TESSERA_LIMIT_TIME);
    for (int i = 0; i < count; ++i) {
      assert_common(status[i]);
      assert_common(isnan(value[i]) ? -1 : value[i]);
      unfinished += status[i] == end;
    }
    assert_true(unfinished > 0);
    tessera_destroy(s);
  }
}

/* Arguments that differ. */
static void what_differs_is_named(void **state) {
  (void)state;
  if (ranks == 1) skip();
  const char *const words[] = {"count", "lower", "count = -1", "params"};
  for (int what = 0; what < 4; ++what) {
    double lower[4] = {0, 0, 0, 0}, upper[4] = {1, 1, 1, 1}, value[4] = {-3, -3, -3, -3}, error[4];
    const int it = my_rank == 1;
    tessera_solver *s = solver_of(1, 1);
    put_world(s);
    if (what == 3) {
      const int status = tessera_set_integrand_source(s, TESSERA_LANGUAGE_C,
                                                      "double f(const double *x, const void *p) { return x[0]; }", "f");
      assert_int_equal(status, TESSERA_OK);
    } else {
      put_point(s, kinks, NULL);
    }
    if (it && what == 1) lower[2] = 0.5;
    const double blocks[4] = {1, 2, 3, it ? 5 : 4};
    const int status = tessera_integrate_many(s, TESSERA_QUADRATURE,
                                              it && what == 0   ? 3
                                              : it && what == 2 ? -1
                                                                : 4,
                                              what == 3 ? blocks : NULL, what == 3 ? sizeof blocks[0] : 0, lower, upper,
                                              value, error, NULL);
    assert_status(s, status, what == 2 ? TESSERA_ERR_ARGUMENT : TESSERA_ERR_RANKS);
    assert_says(tessera_last_error(s), words[what]);
    assert_common_text(tessera_last_error(s));
    assert_same_bits(value[0], -3);
    tessera_destroy(s);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_ranks_get_what_one_process_gets), cmocka_unit_test(results_stay_where_they_are_made),
      cmocka_unit_test(limits_are_shared_out_too),           cmocka_unit_test(chunks_are_claimed_by_whoever_is_free),
      cmocka_unit_test(what_ends_early_is_known_to_all),     cmocka_unit_test(what_differs_is_named)};
  return run_on_ranks(tests);
}
