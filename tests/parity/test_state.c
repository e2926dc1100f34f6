/* Runs on device 0 that are stopped in one solver and go on from a file in another end with the bits of the uninterrupted run. Skipped where there is no
 * device. With the driver of tests/core/several_devices on the integrand that it knows. SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "device_runs.h"
#include "files.h"
#include "skip.h"
#include "solve.h"

static const char text[] =
    "void f(const double *x, double *v) {\n"
    "  double s = 0;\n"
    "  for (int j = 0; j < TESSERA_NDIM; ++j) s += (x[j] - 0.3) * (x[j] - 0.3) * (j + 1);\n"
    "  v[0] = exp(-8 * s);\n"
    "  v[1] = fabs(x[0] - 0.4) * (1 + x[1]);\n"
    "}\n";

/* Smooth, so that a sparse grid is ahead in the end. */
static const char wave_text[] =
    "void f(const double *x, double *v) {\n"
    "  double s = 0;\n"
    "  for (int j = 0; j < TESSERA_NDIM; ++j) s += x[j] * (1 + 0.05 * j);\n"
    "  v[0] = cos(0.5 * s) + 2;\n"
    "}\n";

/* In one variable a dozen kinks, in several one across all axes. */
static const char arches_text[] =
    "void f(const double *x, double *v) {\n"
    "  double s = 0;\n"
    "  for (int j = 0; j < TESSERA_NDIM; ++j) s += x[j] * (1 + 0.5 * j);\n"
    "  v[0] = TESSERA_NDIM == 1 ? fabs(sin(40 * s)) : fabs(s - 0.7) + 1;\n"
    "  for (int k = 1; k < TESSERA_NCOMP; ++k) v[k] = exp(-s) * sqrt(fabs(x[0] - 0.37));\n"
    "}\n";

struct a_case {
  const char *name;
  int method;
  double tolerance;
  int keys[2], values[2];
  double in_kinks; /* the tolerance with the stand-in; 0: not there */
  enum { to_both_places, here_alone } to_host;
  int wave;                      /* variables of the smooth text with one component; 0: the other, with three and two */
  int arches, arches_components; /* the same of the text with kinks, for methods in one variable */
};

static const struct a_case cases[] = {
    {"cubature", TESSERA_CUBATURE, 1e-7, {TESSERA_SPARSE}, {TESSERA_SPARSE_OFF}, .to_host = here_alone},
    {"cubature, degree 9",
     TESSERA_CUBATURE,
     1e-6,
     {TESSERA_SPARSE, TESSERA_RULE},
     {TESSERA_SPARSE_OFF, TESSERA_RULE_DEGREE9},
     .in_kinks = 1e-3,
     .to_host = here_alone},
    {"cubature as it comes", TESSERA_CUBATURE, 1e-7, {0}, {0}, .to_host = here_alone},
    {"cubature, sparse grid",
     TESSERA_CUBATURE,
     1e-10,
     {TESSERA_RULE},
     {TESSERA_RULE_GM7},
     .to_host = here_alone,
     .wave = 9},
    {"cubature, sparse grid, seven variables",
     TESSERA_CUBATURE,
     1e-11,
     {TESSERA_RULE},
     {TESSERA_RULE_GM7},
     .to_host = here_alone,
     .wave = 7},
    {"sparse grid alone", TESSERA_CUBATURE, 1e-9, {TESSERA_SPARSE}, {TESSERA_SPARSE_ALONE}, .in_kinks = 0.2, .wave = 4},
    {"choice", TESSERA_AUTO, 1e-5, {TESSERA_RULE}, {TESSERA_RULE_DEGREE9}, .in_kinks = 1e-4},
    {"choice as it comes", TESSERA_AUTO, 1e-6, {0}, {0}, .in_kinks = 0},
    {"choice, nine variables", TESSERA_AUTO, 1e-5, {0}, {0}, .wave = 9},
    {"lattice rule", TESSERA_LATTICE, 1e-5, {0}, {0}, .in_kinks = 1e-4},
    {"lattice rule, tent", TESSERA_LATTICE, 1e-5, {TESSERA_TRANSFORM}, {TESSERA_TRANSFORM_BAKER}, .in_kinks = 0},
    {"median rule",
     TESSERA_LATTICE,
     1e-4,
     {TESSERA_MEDIAN, TESSERA_TRANSFORM},
     {5, TESSERA_TRANSFORM_BAKER},
     .in_kinks = 0},
    {"plain sampling",
     TESSERA_MONTECARLO,
     1e-3,
     {TESSERA_SAMPLING, TESSERA_GENERATOR},
     {TESSERA_SAMPLING_PLAIN, TESSERA_GENERATOR_PHILOX},
     .in_kinks = 0},
    {"Sobol points",
     TESSERA_MONTECARLO,
     1e-5,
     {TESSERA_SAMPLING, TESSERA_GENERATOR},
     {TESSERA_SAMPLING_PLAIN, TESSERA_GENERATOR_SOBOL},
     .in_kinks = 0},
    {"VEGAS",
     TESSERA_MONTECARLO,
     3e-4,
     {TESSERA_SAMPLING, TESSERA_GENERATOR},
     {TESSERA_SAMPLING_VEGAS, TESSERA_GENERATOR_PHILOX},
     .in_kinks = 1e-3},
    {"VEGAS, Sobol points",
     TESSERA_MONTECARLO,
     3e-5,
     {TESSERA_SAMPLING, TESSERA_GENERATOR},
     {TESSERA_SAMPLING_VEGAS, TESSERA_GENERATOR_SOBOL},
     .in_kinks = 0},
    {"sampling by choice", TESSERA_MONTECARLO, 3e-4, {0}, {0}, .in_kinks = 0},
    {"quadrature",
     TESSERA_QUADRATURE,
     1e-10,
     {TESSERA_MINEVAL},
     {5000}, /* more than a thread has room for by itself */
     .in_kinks = 1e-10,
     .arches = 1,
     .arches_components = 1},
    {"quadrature, two components",
     TESSERA_QUADRATURE,
     1e-9,
     {0},
     {0},
     .in_kinks = 1e-10,
     .arches = 1,
     .arches_components = 2},
    {"quadrature, 61 points",
     TESSERA_QUADRATURE,
     1e-9,
     {TESSERA_RULE},
     {TESSERA_RULE_KRONROD61},
     .arches = 1,
     .arches_components = 3},
    {"double-exponential",
     TESSERA_QUADRATURE,
     1e-10,
     {TESSERA_RULE},
     {TESSERA_RULE_DOUBLE_EXPONENTIAL},
     .in_kinks = 1e-10,
     .arches = 1,
     .arches_components = 2},
    {"choice, one variable", TESSERA_AUTO, 1e-8, {0}, {0}, .in_kinks = 1e-10, .arches = 1, .arches_components = 2},
    {"iterated, one variable",
     TESSERA_ITERATED,
     1e-8,
     {0},
     {0},
     .in_kinks = 1e-10,
     .arches = 1,
     .arches_components = 2},
    {"iterated, two variables",
     TESSERA_ITERATED,
     1e-7,
     {0},
     {0},
     .in_kinks = 1e-4,
     .arches = 2,
     .arches_components = 2},
    {"iterated, three variables", TESSERA_ITERATED, 1e-3, {0}, {0}, .in_kinks = 0, .arches = 3, .arches_components = 1},
};
enum { case_count = sizeof cases / sizeof cases[0] };

struct end {
  int status;
  double value[3], error[3];
  int64_t evaluations, iterations;
};

static tessera_solver *solver_for(const struct a_case *c, int device) {
  const int ndim = c->arches ? c->arches
                   : c->wave ? c->wave
                             : 3,
            ncomp = c->arches ? c->arches_components
                    : c->wave ? 1
                              : 2;
  const char *const own = c->arches ? arches_text : c->wave ? wave_text : text;
  tessera_solver *s = solver_of(ndim, ncomp);
  assert_status(s,
                tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, is_stand_in() ? kinks_text : own,
                                             is_stand_in() ? "kinks" : "f"),
                TESSERA_OK);
  tell_stand_in(ndim, ncomp);
  for (int i = 0; i < 2 && c->keys[i] != 0; ++i) put_int(s, c->keys[i], c->values[i]);
  put_int(s, TESSERA_DEVICE, device);
  put_real(s, TESSERA_RELTOL, is_stand_in() ? c->in_kinks : c->tolerance);
  put_int(s, TESSERA_MAXEVAL, 20000000000);
  put_real(s, TESSERA_PROGRESS_SECONDS, 0.0);
  return s;
}

static struct end run(tessera_solver *s, int method) {
  struct end e;
  memset(&e, 0, sizeof e);
  e.status = tessera_integrate(s, method, e.value, e.error);
  if (e.status < 0) assert_status(s, e.status, TESSERA_OK);
  e.evaluations = got_int(s, TESSERA_EVALUATIONS);
  e.iterations = got_int(s, TESSERA_ITERATIONS);
  return e;
}

/* At so many evaluations, or the so many-th call: one variable has no evaluations before its end. */
static int64_t stop_at, looks_left;
static int stopper(int64_t evaluations, int ncomp, const double *value, const double *error, int64_t remaining,
                   void *userdata) {
  (void)ncomp, (void)value, (void)error, (void)remaining, (void)userdata;
  return evaluations >= stop_at || --looks_left == 0;
}

static char saved_to[path_bytes], checkpoint[path_bytes];
static tessera_solver *saved_from; /* NULL: the file of tessera_set_checkpoint is taken away */
static int saver(int64_t evaluations, int ncomp, const double *value, const double *error, int64_t remaining,
                 void *userdata) {
  (void)evaluations, (void)ncomp, (void)value, (void)error, (void)remaining;
  if (--looks_left == 0)
    *(int *)userdata = saved_from ? tessera_save_state(saved_from, saved_to) : rename(checkpoint, saved_to);
  return 0;
}

/* In one variable, from a file that was written while a run went on, by the program or by itself. */
static void saved_on_the_way(void **state) {
  (void)state;
  snprintf(saved_to, sizeof saved_to, "%s", test_path("state"));
  snprintf(checkpoint, sizeof checkpoint, "%s", test_path("checkpoint"));
  setenv("FAKE_CUDA_TURNS", "9", 1);
  for (int i = 0; i < 2 * case_count; ++i) {
    const struct a_case *const c = &cases[i / 2];
    if (c->arches == 0 || (is_stand_in() && c->in_kinks == 0)) continue;
    int saved = TESSERA_ERR_ARGUMENT;
    tessera_solver *s = solver_for(c, 0);
    saved_from = i % 2 ? s : NULL;
    put_int(s, TESSERA_KEEP_STATE, i % 2);
    put_real(s, TESSERA_CHECKPOINT_SECONDS, 0.0);
    if (i % 2 == 0) assert_status(s, tessera_set_checkpoint(s, checkpoint), TESSERA_OK);
    looks_left = c->arches > 1 ? 2 : 5;
    tessera_set_progress(s, saver, &saved);
    const struct end all = run(s, c->method);
    const int ended_before = looks_left > 0;
    if (!ended_before) assert_status(s, saved, TESSERA_OK);
    tessera_destroy(s);
    if (is_stand_in()) assert_false(ended_before);
    if (ended_before) continue;
    s = solver_for(c, 0);
    assert_status(s, tessera_load_state(s, saved_to), TESSERA_OK);
    const long before = points_of_stand_in();
    const struct end rest = run(s, c->method);
    assert_memory_equal(&all, &rest, sizeof all);
    const long points = points_of_stand_in() - before;
    if (is_stand_in()) assert_true(points > 0 && points < all.evaluations);
    tessera_destroy(s);
  }
}

/* The stand-in's device callback; on a device: parity_batch. */
static int64_t points_called;
static int called_back(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf,
                       void *stream, void *userdata) {
  (void)stream, (void)userdata;
  points_called += n;
  kinks_at(n, ndim, x, ldx, ncomp, f, ldf);
  return 0;
}

static tessera_solver *solver_with(const struct a_case *c, int callback) {
  tessera_solver *s = solver_for(c, 0);
  if (callback) assert_status(s, tessera_set_integrand_device(s, called_back, NULL), TESSERA_OK);
  return s;
}

/* The last file is left. Returns the uninterrupted run. */
static struct end stop_and_go_on(const struct a_case *c, int callback) {
  static const double shares[] = {0.05, 0.4, 0.9};
  const char *const path = test_path("state");
  points_called = 0;
  tessera_solver *s = solver_with(c, callback);
  const long points_before = points_of_stand_in();
  const struct end all = run(s, c->method);
  const long all_points = points_of_stand_in() - points_before;
  const int64_t all_called = points_called;
  print_message("  %-40s %lld evaluations, %lld of them in sparse grids: %.16g +- %.3g\n", c->name,
                (long long)all.evaluations, (long long)got_int(s, TESSERA_SPARSE_EVALUATIONS), all.value[0],
                all.error[0]);
  tessera_destroy(s);
  const int ways = c->arches ? 7 : 6; /* by the progress callback, by the evaluations, and to a looser tolerance */
  for (int how = 0; how < ways; ++how) {
    s = solver_with(c, callback);
    put_int(s, TESSERA_KEEP_STATE, 1);
    const double share = c->arches > 1 && how == 3 ? 0.6 : shares[how % 3]; /* less is too little for every inner one */
    stop_at = (int64_t)(share * (double)all.evaluations);
    looks_left = c->arches ? 2 * how + 3 : 0; /* two before the first launch */
    if (how < 3) tessera_set_progress(s, stopper, NULL);
    if (how >= 3 && how < 6) put_int(s, TESSERA_MAXEVAL, stop_at);
    if (how == 6) put_real(s, TESSERA_RELTOL, 1000 * (is_stand_in() ? c->in_kinks : c->tolerance));
    const struct end part = run(s, c->method);
    assert_status(s, tessera_save_state(s, path), TESSERA_OK);
    tessera_destroy(s);
    s = solver_with(c, callback);
    if (how % 2) { /* on another number of devices */
      const int ordinals[2] = {0, is_stand_in() ? 1 : 0};
      assert_status(s, tessera_set_devices(s, 2, ordinals), TESSERA_OK);
    }
    assert_status(s, tessera_load_state(s, path), TESSERA_OK);
    const long before = points_of_stand_in();
    points_called = 0;
    const struct end rest = run(s, c->method);
    const long points = points_of_stand_in() - before;
    tessera_destroy(s);
    if (c->arches == 1 && is_stand_in())
      assert_true(how < 6 ? points <= all.evaluations - part.evaluations : points < all.evaluations);
    if (c->arches > 1 && how < 6 && is_stand_in())
      assert_true(points < all_points); /* inner integrals of a cut step are made anew */
    if (callback && how % 3 == 2) assert_true(points_called < all_called);
    if (memcmp(&all, &rest, sizeof all) != 0)
      print_error("%s, %d: %.17g after %lld evaluations, uninterrupted %.17g after %lld\n", c->name, how, rest.value[0],
                  (long long)rest.evaluations, all.value[0], (long long)all.evaluations);
    assert_memory_equal(&all, &rest, sizeof all);
  }
  return all;
}

static void stopped_and_gone_on(void **state) {
  (void)state;
  setenv("FAKE_CUDA_TURNS", "9", 1);
  for (int i = 0; i < case_count; ++i) {
    const struct a_case *const c = &cases[i];
    if (is_stand_in() && c->in_kinks == 0) continue;
    const struct end all = stop_and_go_on(c, 0);
    /* The last file on the host: another place may round otherwise, and ends within the errors. */
    tessera_solver *const s = solver_for(c, -1);
    assert_status(s, tessera_load_state(s, test_path("state")), TESSERA_OK);
    if (c->to_host == here_alone) {
      double value[2], error[2];
      assert_status(s, tessera_integrate(s, c->method, value, error), TESSERA_ERR_ARGUMENT);
      assert_says(tessera_last_error(s), "host or device");
      tessera_destroy(s);
      continue;
    }
    const struct end there = run(s, c->method);
    assert_int_equal(there.status, all.status);
    for (int k = 0; k < 3; ++k) assert_true(fabs(there.value[k] - all.value[k]) <= 2 * (there.error[k] + all.error[k]));
    tessera_destroy(s);
  }
}

/* Regions and sparse grids by the program's launches. */
static void around_a_callback(void **state) {
  (void)state;
  if (!is_stand_in()) skip();
  for (int i = 0; i < case_count; ++i)
    if (cases[i].method == TESSERA_CUBATURE && cases[i].in_kinks != 0) stop_and_go_on(&cases[i], 1);
}

int main(void) {
  setenv("TESSERA_TEST_ONE_DEVICE_AS_SEVERAL", "1", 1);
  tessera_solver *s = solver_for(&cases[1], 0);
  if (lacks_device(s, 0)) return no_device_here();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stopped_and_gone_on),
      cmocka_unit_test(around_a_callback),
      cmocka_unit_test(saved_on_the_way),
  };
  return cmocka_run_group_tests(tests, begin_in_test_directory, end_in_test_directory);
}
