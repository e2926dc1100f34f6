/* Runs on device 0 that are stopped in one solver and go on from a file in another end with the bits of the uninterrupted run; what keeps no state there says so. Skipped
 * where there is no device. SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

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

struct a_case {
  const char *name;
  int method;
  double tolerance;
  int keys[2], values[2];
  int host_too;
};

static const struct a_case cases[] = {
    {"cubature", TESSERA_CUBATURE, 1e-7, {TESSERA_SPARSE}, {TESSERA_SPARSE_OFF}, 0},
    {"cubature, degree 9",
     TESSERA_CUBATURE,
     1e-6,
     {TESSERA_SPARSE, TESSERA_RULE},
     {TESSERA_SPARSE_OFF, TESSERA_RULE_DEGREE9},
     0},
    {"lattice rule", TESSERA_LATTICE, 1e-5, {0}, {0}, 1},
    {"lattice rule, tent", TESSERA_LATTICE, 1e-5, {TESSERA_TRANSFORM}, {TESSERA_TRANSFORM_BAKER}, 1},
    {"median rule", TESSERA_LATTICE, 1e-4, {TESSERA_MEDIAN, TESSERA_TRANSFORM}, {5, TESSERA_TRANSFORM_BAKER}, 1},
    {"plain sampling",
     TESSERA_MONTECARLO,
     1e-3,
     {TESSERA_SAMPLING, TESSERA_GENERATOR},
     {TESSERA_SAMPLING_PLAIN, TESSERA_GENERATOR_PHILOX},
     1},
    {"Sobol points",
     TESSERA_MONTECARLO,
     1e-5,
     {TESSERA_SAMPLING, TESSERA_GENERATOR},
     {TESSERA_SAMPLING_PLAIN, TESSERA_GENERATOR_SOBOL},
     1},
    {"VEGAS",
     TESSERA_MONTECARLO,
     3e-4,
     {TESSERA_SAMPLING, TESSERA_GENERATOR},
     {TESSERA_SAMPLING_VEGAS, TESSERA_GENERATOR_PHILOX},
     1},
    {"VEGAS, Sobol points",
     TESSERA_MONTECARLO,
     3e-5,
     {TESSERA_SAMPLING, TESSERA_GENERATOR},
     {TESSERA_SAMPLING_VEGAS, TESSERA_GENERATOR_SOBOL},
     1},
    {"sampling by choice", TESSERA_MONTECARLO, 3e-4, {0}, {0}, 1},
};
enum { case_count = sizeof cases / sizeof cases[0] };

struct end {
  int status;
  double value[2], error[2];
  int64_t evaluations, iterations;
};

static tessera_solver *solver_for(const struct a_case *c, int device) {
  tessera_solver *s = solver_of(3, 2);
  assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, text, "f"), TESSERA_OK);
  for (int i = 0; i < 2 && c->keys[i] != 0; ++i) put_int(s, c->keys[i], c->values[i]);
  put_int(s, TESSERA_DEVICE, device);
  put_real(s, TESSERA_RELTOL, c->tolerance);
  put_int(s, TESSERA_MAXEVAL, 1000000000);
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

static int64_t stop_at;
static int stopper(int64_t evaluations, int ncomp, const double *value, const double *error, int64_t remaining,
                   void *userdata) {
  (void)ncomp, (void)value, (void)error, (void)remaining, (void)userdata;
  return evaluations >= stop_at;
}

static void stopped_and_gone_on(void **state) {
  static const double shares[] = {0.05, 0.4, 0.9};
  const char *const path = test_path("state");
  (void)state;
  for (int i = 0; i < case_count; ++i) {
    const struct a_case *const c = &cases[i];
    tessera_solver *s = solver_for(c, 0);
    const struct end all = run(s, c->method);
    tessera_destroy(s);
    for (int how = 0; how < 6; ++how) {
      s = solver_for(c, 0);
      put_int(s, TESSERA_KEEP_STATE, 1);
      stop_at = (int64_t)(shares[how % 3] * (double)all.evaluations);
      if (how < 3) tessera_set_progress(s, stopper, NULL);
      if (how >= 3) put_int(s, TESSERA_MAXEVAL, stop_at);
      run(s, c->method);
      assert_status(s, tessera_save_state(s, path), TESSERA_OK);
      tessera_destroy(s);
      s = solver_for(c, 0);
      assert_status(s, tessera_load_state(s, path), TESSERA_OK);
      const struct end rest = run(s, c->method);
      tessera_destroy(s);
      if (memcmp(&all, &rest, sizeof all) != 0)
        print_error("%s, %d: %.17g after %lld evaluations, uninterrupted %.17g after %lld\n", c->name, how,
                    rest.value[0], (long long)rest.evaluations, all.value[0], (long long)all.evaluations);
      assert_memory_equal(&all, &rest, sizeof all);
    }
    /* The last file on the host: another place may round otherwise, and ends within the errors. */
    s = solver_for(c, -1);
    assert_status(s, tessera_load_state(s, path), TESSERA_OK);
    if (!c->host_too) {
      double value[2], error[2];
      assert_status(s, tessera_integrate(s, c->method, value, error), TESSERA_ERR_ARGUMENT);
      assert_says(tessera_last_error(s), "host or device");
      tessera_destroy(s);
      continue;
    }
    const struct end there = run(s, c->method);
    assert_int_equal(there.status, all.status);
    for (int k = 0; k < 2; ++k) assert_true(fabs(there.value[k] - all.value[k]) <= 2 * (there.error[k] + all.error[k]));
    tessera_destroy(s);
  }
}

static void what_keeps_no_state(void **state) {
  static const int methods[] = {TESSERA_CUBATURE, /* with a sparse grid beside it */ TESSERA_ITERATED, TESSERA_AUTO};
  double value[2], error[2];
  (void)state;
  for (int i = 0; i < 3; ++i) {
    tessera_solver *s = solver_for(&cases[0], 0);
    put_int(s, TESSERA_SPARSE, TESSERA_SPARSE_AUTO);
    put_real(s, TESSERA_RELTOL, 1e-2);
    put_int(s, TESSERA_KEEP_STATE, 1);
    run(s, methods[i]);
    assert_status(s, tessera_save_state(s, test_path("state")), TESSERA_ERR_UNSUPPORTED);
    assert_says(tessera_last_error(s), i == 0 ? "TESSERA_SPARSE_OFF" : "on a device keeps no state");
    assert_status(s, tessera_set_checkpoint(s, test_path("state")), TESSERA_OK);
    assert_status(s, tessera_integrate(s, methods[i], value, error), TESSERA_ERR_UNSUPPORTED);
    assert_says(tessera_last_error(s), i == 0 ? "TESSERA_SPARSE_OFF" : "on a device keeps no state");
    tessera_destroy(s);
  }
}

int main(void) {
  tessera_solver *s = solver_for(&cases[0], 0);
  if (lacks_device(s, 0)) return no_device_here();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stopped_and_gone_on),
      cmocka_unit_test(what_keeps_no_state),
  };
  return cmocka_run_group_tests(tests, begin_in_test_directory, end_in_test_directory);
}
