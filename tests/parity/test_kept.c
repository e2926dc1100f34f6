/* What a destroyed solver leaves on a device serves the next one: kernels are there, and nothing of the former runs shows. On the stand-in of
 * tests/core/several_devices too. Skipped where there is no device. SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>

#include "device_runs.h"
#include "skip.h"

static tessera_solver *solver_on_device(const struct device_run *r) {
  tessera_solver *s = device_solver_of(r);
  put_int(s, TESSERA_DEVICE, 0);
  return s;
}

/* A run of a solver of its own; *compiled: whether it had to get its kernels. */
static struct device_outcome new_outcome(const struct device_run *r, int *compiled) {
  tessera_solver *s = solver_on_device(r);
  const struct device_outcome o = device_outcome_of(s, r->method);
  if (o.status < 0) fail_msg("%s: %s", r->name, o.sentence);
  *compiled = got_real(s, TESSERA_COMPILE_SECONDS) > 0;
  tessera_destroy(s);
  return o;
}

/* Another integrand, box, number of evaluations, seed, and parameters. */
static void disturb(const struct device_run *r) {
  static const char text[] =
      "void other(const double *x, double *f, const void *p) {\n"
      "  for (int k = 0; k < TESSERA_NCOMP; ++k) f[k] = ((const double *)p)[0] + x[0];\n"
      "}\n";
  const double three = 3;
  tessera_solver *s = solver_on_device(r);
  put_int(s, TESSERA_MAXEVAL, 20000);
  put_int(s, TESSERA_SEED, 99);
  put_cube(s, r->ndim, -1, 2);
  if (!is_stand_in()) { /* which knows one integrand */
    assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, text, "other"), TESSERA_OK);
    assert_status(s, tessera_set_params(s, &three, sizeof three), TESSERA_OK);
  }
  const struct device_outcome o = device_outcome_of(s, r->method);
  if (o.status < 0) fail_msg("%s, other options: %s", r->name, o.sentence);
  tessera_destroy(s);
}

static void the_next_solver_has_the_kernels_and_the_bits(void **state) {
  (void)state;
  for (int i = 0; i < many_device_runs; ++i) {
    const struct device_run *r = &device_runs[i];
    int compiled = 0, again = 1;
    if (!is_runnable(r)) continue;
    const struct device_outcome first = new_outcome(r, &compiled);
    disturb(r);
    const struct device_outcome second = new_outcome(r, &again);
    assert_same_outcome(r->name, &second, &first);
    print_message("  %-26s %s, then %s\n", r->name, compiled ? "compiled" : "kept", again ? "compiled" : "kept");
    if (r->method != TESSERA_AUTO) assert_false(again); /* whose statistic is what it took to choose */
  }
}

enum { solvers = 10, most_kept = 8 };

static void a_few_are_kept(void **state) {
  (void)state;
  const struct device_run *r = &device_runs[4];
  tessera_solver *s[solvers];
  int kept = 0;
  for (int turn = 0; turn < 2; ++turn) { /* all at once, so that none may have the other's kernels */
    for (int i = 0; i < solvers; ++i) {
      s[i] = solver_on_device(r);
      assert_true(device_outcome_of(s[i], r->method).status >= 0);
      if (turn == 1) kept += got_real(s[i], TESSERA_COMPILE_SECONDS) == 0;
    }
    for (int i = 0; i < solvers; ++i) tessera_destroy(s[i]);
  }
  assert_int_equal(kept, most_kept);
}

struct worker {
  pthread_t thread;
  struct device_outcome outcome[6];
};

static void *work(void *w) {
  struct worker *self = w;
  const struct device_run *r = &device_runs[4];
  for (int i = 0; i < 6; ++i) {
    tessera_solver *s = NULL;
    tessera_create(&s, r->ndim, r->ncomp);
    tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, kinks_text, "kinks");
    tessera_set_real(s, TESSERA_RELTOL, 0);
    tessera_set_int(s, TESSERA_MAXEVAL, r->maxeval);
    tessera_set_int(s, r->keys[0], r->values[0]);
    tessera_set_int(s, TESSERA_DEVICE, 0);
    self->outcome[i] = device_outcome_of(s, r->method);
    tessera_destroy(s);
  }
  return NULL;
}

static void threads_have_places_of_their_own(void **state) {
  (void)state;
  struct worker w[4];
  tell_stand_in(device_runs[4].ndim, device_runs[4].ncomp);
  for (int i = 0; i < 4; ++i) assert_int_equal(pthread_create(&w[i].thread, NULL, work, &w[i]), 0);
  for (int i = 0; i < 4; ++i) pthread_join(w[i].thread, NULL);
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 6; ++k) {
      assert_true(w[i].outcome[k].status >= 0);
      assert_same_outcome("threads", &w[i].outcome[k], &w[0].outcome[0]);
    }
}

static void what_is_broken_is_not_kept(void **state) {
  (void)state;
  if (!is_stand_in()) skip();
  const struct device_run *r = &device_runs[4];
  int compiled;
  const struct device_outcome before = new_outcome(r, &compiled);
  setenv("FAKE_CUDA_BROKEN_DEVICE", "0", 1);
  tessera_solver *s = solver_on_device(r);
  assert_int_equal(device_outcome_of(s, r->method).status, TESSERA_ERR_DEVICE);
  tessera_destroy(s);
  unsetenv("FAKE_CUDA_BROKEN_DEVICE");
  struct device_outcome after = new_outcome(r, &compiled);
  assert_true(compiled);
  assert_same_outcome("after a failure", &after, &before);
  setenv("FAKE_CUDA_CONTEXT", "2", 1); /* the program has reset the device */
  after = new_outcome(r, &compiled);
  assert_true(compiled);
  assert_same_outcome("after a reset", &after, &before);
  after = new_outcome(r, &compiled);
  assert_false(compiled);
  setenv("FAKE_CUDA_LOG_MEMORY", "6", 1); /* of which a 64th is too little for anything */
  after = new_outcome(r, &compiled);
  assert_false(compiled);
  after = new_outcome(r, &compiled);
  assert_true(compiled);
  assert_same_outcome("without memory to spare", &after, &before);
  unsetenv("FAKE_CUDA_LOG_MEMORY");
}

enum { cubature = 13 }; /* of device_runs */

/* Of what a large run has left a small one uses what it may. */
static void little_memory_after_much(void **state) {
  (void)state;
  const struct device_run *r = &device_runs[cubature];
  struct device_outcome little[2];
  for (int after = 0; after < 2; ++after) {
    tessera_solver *s = solver_on_device(r);
    put_int(s, TESSERA_MAX_MEMORY, is_stand_in() ? 230000 : 3000000);
    little[after] = device_outcome_of(s, r->method);
    if (little[after].status < 0) fail_msg("%s", little[after].sentence);
    assert_at_most(got_int(s, TESSERA_PEAK_MEMORY), got_int(s, TESSERA_MAX_MEMORY));
    tessera_destroy(s);
    s = solver_on_device(r);
    const struct device_outcome much = device_outcome_of(s, r->method);
    assert_true(much.error[0] < little[after].error[0]); /* with little memory regions were given up */
    tessera_destroy(s);
  }
  assert_same_outcome(r->name, &little[1], &little[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_next_solver_has_the_kernels_and_the_bits),
      cmocka_unit_test(a_few_are_kept),
      cmocka_unit_test(threads_have_places_of_their_own),
      cmocka_unit_test(what_is_broken_is_not_kept),
      cmocka_unit_test(little_memory_after_much),
  };
  if (lacks_device(device_solver_of(&device_runs[0]), 0)) return no_device_here();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
