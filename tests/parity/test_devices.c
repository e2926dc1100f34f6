/* One run over several devices has the bits of one. Device 0 stands for several here; with more than one GPU the last test takes them
 * all. Skipped where there is no device. SPDX-License-Identifier: BSD-3-Clause */
#include "device_runs.h"
#include "skip.h"

enum { most_devices = 3, rows = 5000 };

static const char as_several[] = "TESSERA_TEST_ONE_DEVICE_AS_SEVERAL";

static void put_devices(tessera_solver *s, int n) {
  const int one[most_devices] = {0, 0, 0}, several[most_devices] = {0, 1, 2};
  const int *ordinals = is_stand_in() ? several : one;
  assert_status(s, tessera_set_devices(s, n, ordinals), TESSERA_OK);
}

static void any_number_of_devices_gives_the_same_bits(void **state) {
  (void)state;
  for (int i = 0; i < many_device_runs; ++i) {
    const struct device_run *r = &device_runs[i];
    struct device_outcome one = {0};
    if (!is_runnable(r)) continue;
    for (int n = 1; n <= most_devices; n += is_stand_in() ? 2 : 1) {
      tessera_solver *s = device_solver_of(r);
      put_devices(s, n);
      const struct device_outcome o = device_outcome_of(s, r->method);
      if (o.status < 0) fail_msg("%s on %d devices: %s", r->name, n, o.sentence);
      print_message("  %-26s %d devices, %d took part: %.16g +- %.3e\n", r->name, n, (int)o.devices, o.value[0],
                    o.error[0]);
      if (n == 1) one = o;
      assert_same_outcome(r->name, &o, &one);
      if (r->shared) assert_true(o.devices == n || (is_stand_in() && o.devices > 1)); /* whose runs are shorter */
      if (is_stand_in()) { /* every point has been counted once */
        put_int(s, TESSERA_DEVICE, TESSERA_DEVICE_HOST);
        const struct device_outcome host = device_outcome_of(s, r->method);
        if (r->method == TESSERA_CUBATURE) { /* which begins with another number of regions */
          assert_true(fabs(o.value[0] - host.value[0]) <= o.error[0] + host.error[0]);
        } else {
          assert_close(o.value[0], host.value[0], 1e-9, 0);
          assert_close(o.error[0], host.error[0], 1e-4, 0);
        }
        tessera_destroy(s);
        continue;
      }
      const struct device_outcome again = device_outcome_of(s, r->method);
      if (r->method != TESSERA_MONTECARLO || r->values[0] != TESSERA_SAMPLING_VEGAS)
        assert_same_outcome(r->name, &again, &one); /* what the devices keep from run to run does not show */
      tessera_destroy(s);
    }
  }
}

/* Another number of devices from run to run, and the host in between. */
static void the_devices_of_a_solver_may_change(void **state) {
  (void)state;
  const struct device_run *r = &device_runs[0];
  tessera_solver *s = device_solver_of(r);
  put_int(s, TESSERA_DEVICE, 0);
  const struct device_outcome one = device_outcome_of(s, r->method);
  assert_int_equal(one.devices, 1);
  for (int n = most_devices; n > 1; --n) {
    put_devices(s, n);
    assert_int_equal(got_int(s, TESSERA_DEVICE), 0);
    const struct device_outcome o = device_outcome_of(s, r->method);
    assert_same_outcome("devices", &o, &one);
    assert_int_equal(o.devices, n);
    put_int(s, TESSERA_DEVICE, TESSERA_DEVICE_HOST);
    assert_int_equal(device_outcome_of(s, r->method).devices, 0);
  }
  assert_status(s, tessera_set_devices(s, 0, NULL), TESSERA_OK);
  put_int(s, TESSERA_DEVICE, 0);
  const struct device_outcome o = device_outcome_of(s, r->method);
  assert_same_outcome("one again", &o, &one);
  assert_int_equal(o.devices, 1);
  tessera_destroy(s);
}

/* Far on in the rule, so that it is not the first device that meets it. */
static const char spoilt_text[] =
    "double spoilt(const double *x, const void *p) {\n"
    "  const double *at = (const double *)p;\n"
    "  return x[0] > at[0] && x[0] < at[0] + 1e-5 ? at[1] : 1 + x[1];\n"
    "}\n";

static void what_is_not_finite_is_found_on_any_device(void **state) {
  (void)state;
  if (is_stand_in()) skip();
  const double infinite[] = {0.37, INFINITY};
  for (int method = TESSERA_LATTICE; method <= TESSERA_MONTECARLO; ++method) {
    struct device_outcome one = {0};
    for (int n = 1; n <= most_devices; ++n) {
      tessera_solver *s = solver_of(3, 1);
      assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, spoilt_text, "spoilt"), TESSERA_OK);
      assert_status(s, tessera_set_params(s, infinite, sizeof infinite), TESSERA_OK);
      put_real(s, TESSERA_RELTOL, 0);
      put_int(s, TESSERA_MAXEVAL, 20000000);
      put_int(s, TESSERA_SAMPLING, TESSERA_SAMPLING_PLAIN);
      put_int(s, TESSERA_TRANSFORM, TESSERA_TRANSFORM_NONE);
      put_devices(s, n);
      const struct device_outcome o = device_outcome_of(s, method);
      assert_int_equal(o.status, TESSERA_NONFINITE);
      assert_says(o.sentence, "inf");
      if (n == 1) one = o;
      assert_same_outcome("not finite", &o, &one);
      assert_string_equal(o.sentence, one.sentence);
      tessera_destroy(s);
    }
  }
}

/* So it is in a step of cubature, and so is a stop. */
static void cubature_ends_alike_on_any_number_of_devices(void **state) {
  (void)state;
  if (is_stand_in()) skip();
  const double spoilt[] = {INFINITY, -1};
  for (int what = 0; what < 2; ++what) {
    struct device_outcome one = {0};
    for (int n = 1; n <= most_devices; ++n) {
      tessera_solver *s = ending_solver(spoilt[what]);
      put_devices(s, n);
      const struct device_outcome o = device_outcome_of(s, TESSERA_CUBATURE);
      print_message("  %d devices, %d took part: status %d after %lld evaluations: %s\n", n, (int)o.devices, o.status,
                    (long long)o.evaluations, o.sentence);
      assert_int_equal(o.status, what == 0 ? TESSERA_NONFINITE : TESSERA_CALLBACK_STOPPED);
      if (what == 1) assert_int_equal(got_int(s, TESSERA_CALLBACK_STATUS), 23);
      if (n == 1) one = o;
      assert_same_outcome("ends", &o, &one);
      assert_string_equal(o.sentence, one.sentence);
      tessera_destroy(s);
    }
  }
}

/* Whole integrals: each has the bits of one device, whichever had it. */
static void many_integrals_are_shared_out(void **state) {
  (void)state;
  static double blocks[rows][2], value[2][rows], error[2][rows];
  static int status[2][rows];
  for (int i = 0; i < rows; ++i) blocks[i][0] = 0.001 * i, blocks[i][1] = 1 + i % 7;
  static const int methods[] = {TESSERA_CUBATURE, TESSERA_LATTICE, TESSERA_MONTECARLO};
  setenv("FAKE_CUDA_NDIM", "3", 1);
  setenv("FAKE_CUDA_NCOMP", "1", 1);
  for (int m = is_stand_in() ? 1 : 0; m < 3; ++m) {
    const int count = methods[m] == TESSERA_CUBATURE ? rows : 20;
    for (int n = 1; n <= most_devices; n += 2) {
      const int at = n > 1;
      tessera_solver *s = solver_of(3, 1);
      assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, spoilt_text, "spoilt"), TESSERA_OK);
      put_real(s, TESSERA_RELTOL, 1e-4);
      put_int(s, TESSERA_MAXEVAL, 50000);
      put_devices(s, n);
      const int worst = tessera_integrate_many(s, methods[m], count, blocks, sizeof blocks[0], NULL, NULL, value[at],
                                               error[at], status[at]);
      if (worst < 0) assert_status(s, worst, TESSERA_OK);
      assert_true(got_int(s, TESSERA_DEVICES_USED) >= 1);
      assert_true(got_int(s, TESSERA_DEVICES_USED) <= n);
      print_message("  method %d: %d of %d devices took part\n", methods[m], (int)got_int(s, TESSERA_DEVICES_USED), n);
      tessera_destroy(s);
    }
    assert_memory_equal(value[0], value[1], (size_t)count * sizeof(double));
    assert_memory_equal(error[0], error[1], (size_t)count * sizeof(double));
    assert_memory_equal(status[0], status[1], (size_t)count * sizeof(int));
  }
}

static void a_stop_ends_the_run_on_all(void **state) {
  (void)state;
  int64_t enough = 1000000;
  static const int methods[] = {TESSERA_LATTICE, TESSERA_MONTECARLO, TESSERA_CUBATURE};
  for (int i = 0; i < (is_stand_in() ? 2 : 3); ++i) {
    const int method = methods[i];
    tessera_solver *s = device_solver_of(&device_runs[0]);
    put_devices(s, most_devices);
    put_int(s, TESSERA_MAXEVAL, (int64_t)4e12);
    put_real(s, TESSERA_PROGRESS_SECONDS, 1e-3);
    assert_status(s, tessera_set_progress(s, stop_at_evaluations, &enough), TESSERA_OK);
    assert_int_equal(device_outcome_of(s, method).status, TESSERA_STOPPED);
    assert_status(s, tessera_set_progress(s, NULL, NULL), TESSERA_OK);
    put_real(s, TESSERA_MAX_SECONDS, 0.3);
    assert_int_equal(device_outcome_of(s, method).status, TESSERA_LIMIT_TIME);
    assert_true(got_real(s, TESSERA_SECONDS) < 3);
    tessera_destroy(s);
  }
}

/* One device fails in the middle of a run: the others are waited for, and the next run goes on. */
static void a_broken_device_ends_the_run(void **state) {
  (void)state;
  if (!is_stand_in()) skip();
  static const int runs[] = {0, 5, 9, 13}; /* of each method one */
  for (int i = 0; i < 4; ++i) {
    const struct device_run *r = &device_runs[runs[i]];
    tessera_solver *s = device_solver_of(r);
    put_devices(s, most_devices);
    const struct device_outcome whole = device_outcome_of(s, r->method);
    for (int broken = 0; broken < most_devices; ++broken) {
      setenv("FAKE_CUDA_BROKEN_DEVICE", broken == 0 ? "0" : broken == 1 ? "1" : "2", 1);
      const struct device_outcome o = device_outcome_of(s, r->method);
      assert_int_equal(o.status, TESSERA_ERR_DEVICE);
      assert_says(o.sentence, "broken");
      unsetenv("FAKE_CUDA_BROKEN_DEVICE");
      const struct device_outcome again = device_outcome_of(s, r->method);
      assert_same_outcome("after a failure", &again, &whole);
    }
    tessera_destroy(s);
  }
}

static void devices_that_cannot_be_are_named(void **state) {
  (void)state;
  const int twice[] = {0, 0}, none[] = {0, 1022};
  tessera_solver *s = solver_of(3, 1);
  unsetenv(as_several);
  assert_status(s, tessera_set_devices(s, 2, twice), TESSERA_ERR_ARGUMENT);
  assert_says(tessera_last_error(s), "ordinals[0] and ordinals[1] are both 0");
  assert_status(s, tessera_set_devices(s, 2, none), TESSERA_ERR_ARGUMENT);
  assert_says(tessera_last_error(s), "ordinals[1] = 1022: there is no such device");
  assert_status(s, tessera_set_devices(s, 1000, NULL), TESSERA_ERR_ARGUMENT);
  assert_says(tessera_last_error(s), "n = 1000; the system has");
  setenv(as_several, "1", 1);
  tessera_destroy(s);
}

/* Without the test's wish they take part where a step is long enough, and not for ever where that does not pay, as here, where one waits
 * for the other. */
static void long_steps_of_cubature_are_shared_out(void **state) {
  (void)state;
  if (!is_stand_in()) skip();
  unsetenv(as_several);
  setenv("FAKE_CUDA_POINT_SECONDS", "1e-6", 1);
  for (int i = 0; i < many_device_runs; ++i) {
    const struct device_run *r = &device_runs[i];
    if (r->method != TESSERA_CUBATURE || !is_runnable(r)) continue;
    tessera_solver *s = device_solver_of(r);
    put_int(s, TESSERA_MAXEVAL, r->maxeval / 6);
    put_int(s, TESSERA_DEVICE, 0);
    const struct device_outcome one = device_outcome_of(s, r->method);
    assert_int_equal(one.devices, 1);
    assert_status(s, tessera_set_devices(s, most_devices, NULL), TESSERA_OK);
    const struct device_outcome several = device_outcome_of(s, r->method);
    assert_same_outcome(r->name, &several, &one);
    assert_true(several.devices > 1);
    put_int(s, TESSERA_MAXEVAL, 10000); /* and short ones are not */
    assert_int_equal(device_outcome_of(s, r->method).devices, 1);
    tessera_destroy(s);
    break;
  }
  unsetenv("FAKE_CUDA_POINT_SECONDS");
  setenv(as_several, "1", 1);
}

/* Usual places are asked for beside the steps: once, and what a look then asks for beside them; the rest, all of it where there is no look, is not counted. */
static void what_is_asked_ahead_is_counted_once(void **state) {
  const long most_beside[2] = {100, 4000};
  (void)state;
  if (!is_stand_in()) skip();
  for (int i = 0; i < many_device_runs; ++i) {
    const struct device_run *r = &device_runs[i];
    if (r->method != TESSERA_CUBATURE || !is_runnable(r) || r->ncomp > 1) continue;
    tessera_solver *s = device_solver_of(r);
    put_real(s, TESSERA_RELTOL, 1e-2);
    put_int(s, TESSERA_DEVICE, 0);
    int64_t evaluations[2];
    for (int limited = 0; limited < 2; ++limited) {
      if (limited) put_int(s, TESSERA_MAXEVAL, (int)evaluations[0] - 1);
      const long before = points_of_stand_in();
      const struct device_outcome o = device_outcome_of(s, r->method);
      assert_int_equal(o.status, TESSERA_OK);
      const long beside = points_of_stand_in() - before - (long)o.evaluations;
      assert_true(beside >= 0 && beside < most_beside[limited]);
      evaluations[limited] = o.evaluations;
    }
    assert_true(evaluations[1] < evaluations[0]);
    tessera_destroy(s);
  }
}

/* In the memory of the device whose stream it is given; see tests/core/several_devices. */
struct kinks_calls {
  int of_device[4], refuse;
};
static int kinks_on_device(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf,
                           void *stream, void *userdata) {
  struct kinks_calls *calls = userdata;
  const int device = (int)(intptr_t)stream - 100;
  assert_in_range(device, 0, 3);
  ++calls->of_device[device];
  if (device == calls->refuse) return 40 + device;
  kinks_at(n, ndim, x, ldx, ncomp, f, ldf);
  return 0;
}

static void each_device_is_called_for_its_regions(void **state) {
  (void)state;
  if (!is_stand_in()) skip(); /* on a device: parity_batch */
  struct device_outcome one = {0};
  for (int n = 1; n <= most_devices + 1; ++n) {
    struct kinks_calls calls = {{0}, n > most_devices ? 1 : -1};
    tessera_solver *s = device_solver_of(&device_runs[13]);
    assert_status(s, tessera_set_integrand_device(s, kinks_on_device, &calls), TESSERA_OK);
    put_devices(s, n > most_devices ? most_devices : n);
    const struct device_outcome o = device_outcome_of(s, TESSERA_CUBATURE);
    if (n > most_devices) { /* one of them has refused */
      assert_int_equal(o.status, TESSERA_CALLBACK_STOPPED);
      assert_int_equal(got_int(s, TESSERA_CALLBACK_STATUS), 41);
    } else {
      assert_int_equal(o.devices, n);
      for (int d = 0; d < 4; ++d) assert_int_equal(calls.of_device[d] > 0, d < n);
      if (n == 1) one = o;
      assert_same_outcome("callback", &o, &one);
      assert_true(o.status >= 0);
    }
    tessera_destroy(s);
  }
}

/* Those that this machine has. */
static void all_devices_give_the_same_bits(void **state) {
  (void)state;
  if (is_stand_in()) skip();
  unsetenv(as_several);
  for (int i = 0; i < many_device_runs; i += 5) {
    const struct device_run *r = &device_runs[i];
    tessera_solver *s = device_solver_of(r);
    put_int(s, TESSERA_MAXEVAL, 100 * r->maxeval);
    put_int(s, TESSERA_DEVICE, 0);
    const struct device_outcome one = device_outcome_of(s, r->method);
    assert_status(s, tessera_set_devices(s, -1, NULL), TESSERA_OK);
    const struct device_outcome all = device_outcome_of(s, r->method);
    assert_same_outcome(r->name, &all, &one);
    print_message("  %-26s %d devices took part\n", r->name, (int)all.devices);
    tessera_destroy(s);
  }
  setenv(as_several, "1", 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_number_of_devices_gives_the_same_bits),
      cmocka_unit_test(the_devices_of_a_solver_may_change),
      cmocka_unit_test(what_is_not_finite_is_found_on_any_device),
      cmocka_unit_test(cubature_ends_alike_on_any_number_of_devices),
      cmocka_unit_test(many_integrals_are_shared_out),
      cmocka_unit_test(a_stop_ends_the_run_on_all),
      cmocka_unit_test(a_broken_device_ends_the_run),
      cmocka_unit_test(devices_that_cannot_be_are_named),
      cmocka_unit_test(long_steps_of_cubature_are_shared_out),
      cmocka_unit_test(what_is_asked_ahead_is_counted_once),
      cmocka_unit_test(each_device_is_called_for_its_regions),
      cmocka_unit_test(all_devices_give_the_same_bits),
  };
  setenv(as_several, "1", 1);
  if (lacks_device(device_solver_of(&device_runs[0]), 0)) return no_device_here();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
