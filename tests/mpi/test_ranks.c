/* One integral over the ranks of an MPI program: the bits of one process, shared work. Run with mpirun on 1, 2, 3 and 4 ranks.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "common.h"

int my_rank, ranks;

struct run {
  const char *name;
  int method, ndim;
  double reltol;
  int keys[3];
  int64_t values[3];
};

static const struct run runs[] = {
    {"worst first", TESSERA_CUBATURE, 3, 1e-4, {0}, {0}},
    {"regions alone", TESSERA_CUBATURE, 3, 1e-3, {TESSERA_SPARSE}, {TESSERA_SPARSE_OFF}},
    {"worst component first",
     TESSERA_CUBATURE,
     3,
     1e-3,
     {TESSERA_PRIORITY, TESSERA_ESTIMATE},
     {TESSERA_PRIORITY_WORST_COMPONENT, TESSERA_ESTIMATE_CLASSIC}},
    {"bulk", TESSERA_CUBATURE, 4, 1e-3, {TESSERA_SELECTION}, {TESSERA_SELECT_BULK}},
    {"lattice", TESSERA_LATTICE, 4, 1e-4, {0}, {0}},
    {"median", TESSERA_LATTICE, 3, 1e-3, {TESSERA_MEDIAN}, {7}},
    {"plain",
     TESSERA_MONTECARLO,
     4,
     1e-3,
     {TESSERA_SAMPLING, TESSERA_GENERATOR},
     {TESSERA_SAMPLING_PLAIN, TESSERA_GENERATOR_PHILOX}},
    {"antithetic",
     TESSERA_MONTECARLO,
     3,
     1e-3,
     {TESSERA_SAMPLING, TESSERA_GENERATOR, TESSERA_ANTITHETIC},
     {TESSERA_SAMPLING_PLAIN, TESSERA_GENERATOR_THREEFRY, 1}},
    {"Sobol",
     TESSERA_MONTECARLO,
     4,
     1e-5,
     {TESSERA_SAMPLING, TESSERA_GENERATOR},
     {TESSERA_SAMPLING_PLAIN, TESSERA_GENERATOR_SOBOL}},
    {"VEGAS",
     TESSERA_MONTECARLO,
     4,
     1e-3,
     {TESSERA_SAMPLING, TESSERA_GENERATOR},
     {TESSERA_SAMPLING_VEGAS, TESSERA_GENERATOR_PHILOX}},
    {"VEGAS with nets",
     TESSERA_MONTECARLO,
     4,
     1e-4,
     {TESSERA_SAMPLING, TESSERA_GENERATOR},
     {TESSERA_SAMPLING_VEGAS, TESSERA_GENERATOR_SOBOL}},
    {"chosen", TESSERA_AUTO, 4, 1e-3, {0}, {0}},
    {"quadrature", TESSERA_QUADRATURE, 1, 1e-9, {0}, {0}},
    {"iterated", TESSERA_ITERATED, 2, 1e-6, {0}, {0}},
};
enum { many_runs = sizeof runs / sizeof runs[0] };

struct outcome {
  double value[2], error[2], chi2;
  int64_t evaluations, regions;
  int status;
};

static struct outcome outcome_of(const struct run *r, int together, int threads, int batch) {
  struct outcome o = {{0, 0}, {0, 0}, 0, 0, 0, 0};
  tessera_solver *s = solver_of(r->ndim, 2);
  if (together) put_world(s);
  if (batch)
    assert_status(s, tessera_set_integrand(s, kinks_together, NULL), TESSERA_OK);
  else
    put_point(s, kinks, NULL);
  put_real(s, TESSERA_RELTOL, r->reltol);
  put_int(s, TESSERA_THREADS, threads);
  put_int(s, TESSERA_MAXEVAL, 200000);
  for (int i = 0; i < 3 && r->keys[i]; ++i) put_int(s, r->keys[i], r->values[i]);
  o.status = tessera_integrate(s, r->method, o.value, o.error);
  if (o.status < 0) fail_msg("%s: %s", r->name, tessera_last_error(s));
  assert_int_equal(tessera_get_int(s, TESSERA_EVALUATIONS, &o.evaluations), 0);
  assert_int_equal(tessera_get_int(s, TESSERA_REGIONS, &o.regions), 0);
  assert_int_equal(tessera_get_real(s, TESSERA_CHI2, &o.chi2), 0);
  tessera_destroy(s);
  return o;
}

static void assert_same(const struct run *r, const struct outcome *a, const struct outcome *b) {
  for (int k = 0; k < 2; ++k)
    if (memcmp(&a->value[k], &b->value[k], sizeof(double)) != 0 ||
        memcmp(&a->error[k], &b->error[k], sizeof(double)) != 0)
      fail_msg("%s, component %d: %a +- %a and %a +- %a", r->name, k, a->value[k], a->error[k], b->value[k],
               b->error[k]);
  assert_same_bits(a->chi2, b->chi2);
  assert_int_equal(a->status, b->status);
  assert_int_equal(a->evaluations, b->evaluations);
  assert_int_equal(a->regions, b->regions);
}

/* On any number of ranks and threads, in any form. */
static void all_methods_give_the_bits_of_one_process(void **state) {
  (void)state;
  for (int i = 0; i < many_runs; ++i) {
    const struct outcome alone = outcome_of(&runs[i], 0, 1, 0), together = outcome_of(&runs[i], 1, 1, 0);
    assert_same(&runs[i], &together, &alone);
    if (i % 2 == 0) { /* the others would say no more, and take their time */
      const struct outcome threads = outcome_of(&runs[i], 1, 2, 0);
      assert_same(&runs[i], &threads, &alone);
    } else {
      const struct outcome batch = outcome_of(&runs[i], 1, 1, 1), batch_alone = outcome_of(&runs[i], 0, 1, 1);
      assert_same(&runs[i], &batch, &batch_alone);
    }
  }
}

/* Ranks may have different numbers of threads. */
static void each_rank_has_threads_of_its_own(void **state) {
  (void)state;
  for (int i = 0; i < 4; i += 3) {
    const struct outcome alone = outcome_of(&runs[i], 0, 1, 0), together = outcome_of(&runs[i], 1, 1 + my_rank % 2, 0);
    assert_same(&runs[i], &together, &alone);
  }
}

/* An iteration of VEGAS is made in calls of 2^20 samples and more, which all ranks cut alike. */
static struct outcome long_iterations(int together, int threads) {
  struct outcome o = {{0, 0}, {0, 0}, 0, 0, 0, 0};
  tessera_solver *s = solver_of(3, 2);
  if (together) put_world(s);
  put_point(s, kinks, NULL);
  put_int(s, TESSERA_SAMPLING, TESSERA_SAMPLING_VEGAS);
  put_int(s, TESSERA_GENERATOR, TESSERA_GENERATOR_PHILOX);
  put_int(s, TESSERA_THREADS, threads);
  put_int(s, TESSERA_POINTS, 2500000);
  put_int(s, TESSERA_MAXEVAL, 5200000);
  put_real(s, TESSERA_RELTOL, 0);
  o.status = tessera_integrate(s, TESSERA_MONTECARLO, o.value, o.error);
  assert_int_equal(tessera_get_int(s, TESSERA_EVALUATIONS, &o.evaluations), 0);
  assert_int_equal(tessera_get_real(s, TESSERA_CHI2, &o.chi2), 0);
  tessera_destroy(s);
  return o;
}
static void long_iterations_are_cut_alike(void **state) {
  (void)state;
  const struct run r = {"VEGAS", 0, 0, 0, {0}, {0}};
  const struct outcome alone = long_iterations(0, 1), together = long_iterations(1, 1 + 11 * (my_rank % 2));
  assert_same(&r, &together, &alone);
}

/* Counted by the integrand itself: all of them together make what one process makes, and no rank makes much more than its share. */
static void evaluations_are_shared_out(void **state) {
  (void)state;
  const int of[] = {3, 4, 6, 9};
  for (int i = 0; i < 4; ++i) {
    const struct run *r = &runs[of[i]];
    long calls = 0;
    int64_t evaluations = 0;
    double value[2], error[2];
    tessera_solver *s = solver_of(r->ndim, 2);
    put_world(s);
    put_point(s, kinks, &calls);
    put_real(s, TESSERA_RELTOL, 1e-9);
    put_int(s, TESSERA_MAXEVAL, 1000000);
    for (int q = 0; q < 3 && r->keys[q]; ++q) put_int(s, r->keys[q], r->values[q]);
    assert_true(tessera_integrate(s, r->method, value, error) >= 0);
    assert_int_equal(tessera_get_int(s, TESSERA_EVALUATIONS, &evaluations), 0);
    assert_int_equal(sum_over_ranks(calls), evaluations);
    if (calls > 1.2 * (double)evaluations / ranks + 20000)
      fail_msg("%s: rank %d has made %ld of %ld evaluations", r->name, my_rank, calls, (long)evaluations);
    tessera_destroy(s);
  }
}

/* Points at which the integrand is not finite are counted once. */
static int holes(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp, (void)userdata;
  f[0] = x[0] < 0.001 ? (double)NAN : 1 + x[1];
  return 0;
}
static void holes_are_counted_on_all_ranks(void **state) {
  (void)state;
  for (int method = TESSERA_LATTICE; method <= TESSERA_MONTECARLO; ++method) {
    double value[2], error[2];
    int64_t points[2];
    for (int together = 0; together < 2; ++together) {
      tessera_solver *s = solver_of(2, 1);
      if (together) put_world(s);
      put_point(s, holes, NULL);
      put_int(s, TESSERA_NONFINITE_POLICY, TESSERA_NONFINITE_ZERO);
      put_int(s, TESSERA_MAXEVAL, 100000);
      assert_true(tessera_integrate(s, method, &value[together], &error[together]) >= 0);
      assert_int_equal(tessera_get_int(s, TESSERA_NONFINITE_POINTS, &points[together]), 0);
      tessera_destroy(s);
    }
    assert_true(points[0] > 0);
    assert_int_equal(points[1], points[0]);
    assert_same_bits(value[1], value[0]);
    assert_same_bits(error[1], error[0]);
  }
}

/* A source text, which each rank compiles, with a parameter block. */
static void texts_run_on_ranks(void **state) {
  (void)state;
  double value[2], error[2], rate = 3;
  for (int together = 0; together < 2; ++together) {
    tessera_solver *s = solver_of(3, 1);
    if (together) put_world(s);
    assert_status(
        s,
        tessera_set_integrand_source(
            s, TESSERA_LANGUAGE_C,
            "double f(const double *x, const void *p) { return 1 / (1 + *(const double *)p * x[0] * x[1] * x[2]); }",
            "f"),
        TESSERA_OK);
    assert_status(s, tessera_set_params(s, &rate, sizeof rate), TESSERA_OK);
    put_real(s, TESSERA_RELTOL, 1e-6);
    const int status = tessera_integrate(s, TESSERA_CUBATURE, &value[together], &error[together]);
    if (status == TESSERA_ERR_NOT_BUILT) {
      tessera_destroy(s);
      skip();
    }
    assert_status(s, status, TESSERA_OK);
    tessera_destroy(s);
  }
  assert_same_bits(value[1], value[0]);
  assert_same_bits(error[1], error[0]);
}

/* Groups of ranks go their own ways at the same time, as do two solvers of one communicator one after the other. */
static void communicators_do_not_meet(void **state) {
  (void)state;
  MPI_Comm group;
  MPI_Comm_split(MPI_COMM_WORLD, my_rank % 2, my_rank, &group);
  tessera_solver *s[2];
  double value[2], error[2], alone[2];
  for (int i = 0; i < 2; ++i) {
    s[i] = solver_of(3 + my_rank % 2, 2);
    put_point(s[i], kinks, NULL);
    put_real(s[i], TESSERA_RELTOL, i == 0 ? 1e-3 : 1e-4);
    assert_status(s[i], tessera_integrate(s[i], TESSERA_LATTICE, alone, error), TESSERA_OK);
    assert_status(s[i], tessera_set_comm_f(s[i], (int)MPI_Comm_c2f(group)), TESSERA_OK);
    assert_status(s[i], tessera_integrate(s[i], TESSERA_LATTICE, value, error), TESSERA_OK);
    assert_same_bits(value[0], alone[0]);
    assert_same_bits(value[1], alone[1]);
  }
  MPI_Comm_free(&group); /* the solvers have duplicates */
  for (int i = 1; i >= 0; --i) assert_status(s[i], tessera_integrate(s[i], TESSERA_LATTICE, value, error), TESSERA_OK);
  assert_same_bits(value[0], value[0]);
  /* By itself again. */
  assert_status(s[0], tessera_set_comm(s[0], NULL, 0), TESSERA_OK);
  if (my_rank == 0) assert_status(s[0], tessera_integrate(s[0], TESSERA_LATTICE, value, error), TESSERA_OK);
  for (int i = 0; i < 2; ++i) tessera_destroy(s[i]);
}

/* The limit of integrals as a parameter goes to 0. */
static int pole(int ndim, const double *x, int ncomp, double *f, void *params) {
  (void)ndim, (void)ncomp;
  const double h = *(const double *)params;
  f[0] = sqrt(x[0] + h);
  return 0;
}
static void limits_of_integrals_are_those_of_one_process(void **state) {
  (void)state;
  double value[2], error[2], h = 1;
  for (int together = 0; together < 2; ++together) {
    tessera_solver *s = solver_of(1, 1);
    if (together) put_world(s);
    put_point(s, pole, NULL);
    assert_status(s, tessera_set_params(s, &h, sizeof h), TESSERA_OK);
    put_real(s, TESSERA_RELTOL, 1e-6);
    if (together) put_real(s, TESSERA_MAX_SECONDS, 100 + my_rank);
    assert_status(s,
                  tessera_integrate_limit(s, TESSERA_QUADRATURE, 0, 1.0, 0.5, TESSERA_EXTRAPOLATE_EPSILON, 40,
                                          &value[together], &error[together], NULL, NULL, NULL, NULL),
                  TESSERA_OK);
    tessera_destroy(s);
  }
  assert_same_bits(value[1], value[0]);
  assert_same_bits(error[1], error[0]);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_methods_give_the_bits_of_one_process),
                                     cmocka_unit_test(each_rank_has_threads_of_its_own),
                                     cmocka_unit_test(long_iterations_are_cut_alike),
                                     cmocka_unit_test(evaluations_are_shared_out),
                                     cmocka_unit_test(holes_are_counted_on_all_ranks),
                                     cmocka_unit_test(texts_run_on_ranks),
                                     cmocka_unit_test(communicators_do_not_meet),
                                     cmocka_unit_test(limits_of_integrals_are_those_of_one_process)};
  return run_on_ranks(tests);
}
