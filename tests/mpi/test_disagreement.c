/* Ranks that do not agree, fail or stop: one status and one sentence on all of them, and nobody waits for ever.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "common.h"

int my_rank, ranks;

static tessera_solver *solver_on_ranks(int ndim) {
  tessera_solver *s = solver_of(ndim, 1);
  put_world(s);
  put_point(s, kinks, NULL);
  put_real(s, TESSERA_RELTOL, 1e-3);
  return s;
}

/* The same status and sentence on all ranks, and outputs that nobody has touched. Then the ranks can go on. */
static void assert_all_refuse(tessera_solver *s, int method, int expected, const char *word) {
  double value = -7, error = -8;
  assert_status(s, tessera_integrate(s, method, &value, &error), expected);
  assert_says(tessera_last_error(s), word);
  assert_common_text(tessera_last_error(s));
  assert_same_bits(value, -7);
  assert_same_bits(error, -8);
}

enum change {
  other_method,
  other_tolerance,
  other_option,
  other_domain,
  other_form,
  other_seed,
  no_integrand,
  null_value,
  other_text,
  other_call,
  other_weights,
  changes
};

static int change(enum change what, tessera_solver *s, double *value, double *error) {
  int method = TESSERA_CUBATURE;
  const double lower[2] = {0, 0}, upper[2] = {1, 2};
  double v[4], e[4];
  switch (what) {
    case other_method:
      method = TESSERA_LATTICE;
      break;
    case other_tolerance:
      put_real(s, TESSERA_RELTOL, 1e-4);
      break;
    case other_option:
      put_int(s, TESSERA_SELECTION, TESSERA_SELECT_BULK);
      break;
    case other_domain:
      assert_status(s, tessera_set_domain(s, lower, upper), TESSERA_OK);
      break;
    case other_form:
      assert_status(s, tessera_set_integrand(s, kinks_together, NULL), TESSERA_OK);
      break;
    case other_seed:
      put_int(s, TESSERA_SEED, 17);
      break;
    case no_integrand:
      put_point(s, NULL, NULL);
      break;
    case null_value:
      return tessera_integrate(s, method, NULL, error);
    case other_text:
      assert_status(
          s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_C, "double f(const double *x) { return x[0]; }", "f"),
          TESSERA_OK);
      break;
    case other_call:
      return tessera_integrate_many(s, method, 4, NULL, 0, NULL, NULL, v, e, NULL);
    case other_weights:
      assert_status(s, tessera_set_axis_rule(s, 1, TESSERA_RULE_KRONROD31), TESSERA_OK);
      break;
    case changes:
      break;
  }
  return tessera_integrate(s, method, value, error);
}

static void what_differs_is_named_on_all_ranks(void **state) {
  (void)state;
  if (ranks == 1) skip();
  static const char *const words[changes] = {"method",
                                             "TESSERA_RELTOL",
                                             "TESSERA_SELECTION",
                                             "domain",
                                             "kind of integrand",
                                             "TESSERA_SEED",
                                             "kind of integrand",
                                             "value is NULL",
                                             "kind of integrand",
                                             "call",
                                             "axis rules"};
  for (int of = 0; of < ranks; of += ranks - 1) /* the first and the last one */
    for (enum change what = 0; what < changes; ++what) {
      double value = -7, error = -8;
      tessera_solver *s = solver_on_ranks(2);
      const int status =
          my_rank == of ? change(what, s, &value, &error) : tessera_integrate(s, TESSERA_CUBATURE, &value, &error);
      assert_status(s, status, what == null_value ? TESSERA_ERR_ARGUMENT : TESSERA_ERR_RANKS);
      assert_says(tessera_last_error(s), words[what]);
      if (what != null_value) assert_says(tessera_last_error(s), "rank");
      assert_common_text(tessera_last_error(s));
      assert_same_bits(value, -7);
      assert_same_bits(error, -8);
      tessera_destroy(s);
    }
}

/* Stops, or throws a NaN, on one rank alone after some calls. */
struct trouble {
  int rank, after, calls, nan;
};
static int troubled(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  struct trouble *t = userdata;
  kinks(ndim, x, ncomp, f, NULL);
  if (my_rank != t->rank || ++t->calls <= t->after) return 0;
  if (!t->nan) return 42;
  f[0] = (double)NAN;
  return 0;
}

/* Where evaluations are shared the run ends as it would on one process: with what there is. Where they are not, without a value. */
static void a_rank_whose_integrand_fails_ends_all(void **state) {
  (void)state;
  const int methods[] = {TESSERA_CUBATURE, TESSERA_LATTICE,  TESSERA_MONTECARLO,
                         TESSERA_AUTO,     TESSERA_ITERATED, TESSERA_CUBATURE};
  const int after[] = {0, 3000};
  for (int m = 0; m < 6; ++m)
    for (int a = 0; a < 2; ++a) {
      struct trouble t = {ranks - 1, after[a], 0, 0};
      double value[1] = {-7}, error[1] = {-8};
      int64_t code = 0;
      tessera_solver *s = solver_on_ranks(3);
      put_point(s, troubled, &t);
      put_real(s, TESSERA_RELTOL, 1e-9);
      put_int(s, TESSERA_MAXEVAL, 100000);
      if (m == 5) put_int(s, TESSERA_SELECTION, TESSERA_SELECT_BULK);
      const int status = tessera_integrate(s, methods[m], value, error);
      assert_common(status);
      if (status != TESSERA_ERR_CALLBACK) assert_status(s, status, TESSERA_CALLBACK_STOPPED);
      assert_common_text(tessera_last_error(s));
      assert_says(tessera_last_error(s), "the integrand returned 42");
      if (ranks > 1) assert_says(tessera_last_error(s), "rank");
      assert_common(value[0]);
      assert_common(error[0]);
      assert_int_equal(tessera_get_int(s, TESSERA_CALLBACK_STATUS, &code), 0);
      if (methods[m] != TESSERA_ITERATED) assert_int_equal(code, 42);
      tessera_destroy(s);
    }
  for (int m = 0; m < 4; ++m) {
    struct trouble t = {0, 1000, 0, 1};
    double value = -7, error = -8;
    tessera_solver *s = solver_on_ranks(3);
    put_point(s, troubled, &t);
    put_real(s, TESSERA_RELTOL, 1e-9);
    put_int(s, TESSERA_MAXEVAL, 100000);
    const int status = tessera_integrate(s, methods[m], &value, &error);
    assert_common(status);
    assert_true(status != TESSERA_OK);
    assert_common_text(tessera_last_error(s));
    assert_common(value);
    tessera_destroy(s);
  }
}

/* The clock and the progress callback of one rank end the run on all, with one value. */
static int slow(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  usleep(100);
  return kinks(ndim, x, ncomp, f, userdata);
}
static int stop_on_last(int64_t evaluations, int ncomp, const double *value, const double *error, int64_t remaining,
                        void *userdata) {
  (void)ncomp, (void)value, (void)error, (void)remaining, (void)userdata;
  return my_rank == ranks - 1 && evaluations > 500;
}
static void clock_and_callback_end_all(void **state) {
  (void)state;
  const int methods[] = {TESSERA_CUBATURE, TESSERA_LATTICE, TESSERA_MONTECARLO, TESSERA_ITERATED, TESSERA_AUTO};
  for (int m = 0; m < 5; ++m)
    for (int by_callback = 0; by_callback < 2; ++by_callback) {
      double value = -7, error = -8, seconds = 0;
      int64_t evaluations = 0;
      tessera_solver *s = solver_on_ranks(2);
      put_point(s, slow, NULL);
      put_real(s, TESSERA_RELTOL, 1e-9);
      put_real(s, TESSERA_PROGRESS_SECONDS, 0);
      if (!by_callback) put_real(s, TESSERA_MAX_SECONDS, my_rank == 0 ? 0.15 : 1000.0 + my_rank);
      if (by_callback && my_rank == ranks - 1) assert_int_equal(tessera_set_progress(s, stop_on_last, NULL), 0);
      const int status = tessera_integrate(s, methods[m], &value, &error);
      assert_status(s, status, by_callback ? TESSERA_STOPPED : TESSERA_LIMIT_TIME);
      assert_common(value);
      assert_common(error);
      assert_int_equal(tessera_get_int(s, TESSERA_EVALUATIONS, &evaluations), 0);
      assert_common((double)evaluations);
      assert_int_equal(tessera_get_real(s, TESSERA_SECONDS, &seconds), 0);
      assert_true(seconds < 20);
      tessera_destroy(s);
    }
}

/* What is no communicator: a sentence, and the solver works by itself as before. */
static void bad_communicators_are_refused(void **state) {
  (void)state;
  MPI_Comm freed, world = MPI_COMM_WORLD, null = MPI_COMM_NULL;
  tessera_solver *s = solver_of(2, 1);
  put_point(s, kinks, NULL);
  put_real(s, TESSERA_RELTOL, 1e-3);
  assert_status(s, tessera_set_comm(s, NULL, sizeof world), TESSERA_ERR_ARGUMENT);
  assert_says(tessera_last_error(s), "comm is NULL");
  assert_status(s, tessera_set_comm(s, &null, sizeof null), TESSERA_ERR_RANKS);
  assert_says(tessera_last_error(s), "MPI_COMM_NULL");
  MPI_Comm_dup(world, &freed);
  MPI_Comm_free(&freed);
  assert_status(s, tessera_set_comm(s, &freed, sizeof freed), TESSERA_ERR_RANKS);
  assert_says(tessera_last_error(s), "freed");
  MPI_Comm_dup(world, &freed); /* with a copy of its handle left */
  MPI_Comm copy = freed;
  MPI_Comm_free(&freed);
  assert_status(s, tessera_set_comm(s, &copy, sizeof copy), TESSERA_ERR_RANKS);
  assert_says(tessera_last_error(s), "freed");
  for (size_t bytes = 0; bytes <= 16; bytes += 2) {
    if (bytes == sizeof world) continue;
    assert_status(s, tessera_set_comm(s, &world, bytes), TESSERA_ERR_RANKS);
    assert_says(tessera_last_error(s), "bytes = ");
  }
  assert_status(s, tessera_set_comm_f(s, -12345), TESSERA_ERR_RANKS);
  if (ranks > 1) {
    MPI_Comm half, inter;
    MPI_Comm_split(world, my_rank == 0, my_rank, &half);
    MPI_Intercomm_create(half, 0, world, my_rank == 0 ? 1 : 0, 1, &inter);
    assert_status(s, tessera_set_comm(s, &inter, sizeof inter), TESSERA_ERR_RANKS);
    assert_says(tessera_last_error(s), "inter-communicator");
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
  }
  double value = 0, error = 0;
  if (my_rank == 0) assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, &value, &error), TESSERA_OK);
  /* One that is refused leaves the one before. */
  put_world(s);
  assert_status(s, tessera_set_comm(s, &null, sizeof null), TESSERA_ERR_RANKS);
  assert_all_refuse(s, 77, TESSERA_ERR_ARGUMENT, "method 77");
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, &value, &error), TESSERA_OK);
  tessera_destroy(s);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_differs_is_named_on_all_ranks), cmocka_unit_test(a_rank_whose_integrand_fails_ends_all),
      cmocka_unit_test(clock_and_callback_end_all), cmocka_unit_test(bad_communicators_are_refused)};
  return run_on_ranks(tests);
}
