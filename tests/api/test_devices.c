/* The devices of a solver, where there may be none: what cannot be is refused with a sentence, and the solver works on.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "solve.h"

static int one(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)x, (void)userdata;
  for (int k = 0; k < ncomp; ++k) f[k] = 1;
  return 0;
}

static void assert_works(tessera_solver *s) {
  double value = 0, error = 0;
  assert_int_equal(got_int(s, TESSERA_DEVICE), TESSERA_DEVICE_HOST);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, &value, &error), TESSERA_OK);
  assert_same_bits(value, 1);
  assert_int_equal(got_int(s, TESSERA_DEVICES_USED), 0);
}

static void what_cannot_be_is_refused(void **state) {
  (void)state;
  const int ordinal = 0, negative = -5;
  tessera_solver *s = solver_of(2, 1);
  put_point(s, one, NULL);
  assert_int_equal(tessera_set_devices(NULL, 0, NULL), TESSERA_ERR_ARGUMENT);
  assert_status(s, tessera_set_devices(s, -2, NULL), TESSERA_ERR_ARGUMENT);
  assert_says(tessera_last_error(s), "n = -2");
  assert_status(s, tessera_set_devices(s, -1, &ordinal), TESSERA_ERR_ARGUMENT);
  assert_says(tessera_last_error(s), "ordinals is not NULL");
  assert_works(s);
  assert_status(s, tessera_set_devices(s, 0, NULL), TESSERA_OK);
  assert_works(s);
  const int status = tessera_set_devices(s, 1, &negative);
  if (status == TESSERA_ERR_NOT_BUILT) { /* no device at all: the sentence says what is missing */
    assert_true(strlen(tessera_last_error(s)) > 10);
  } else {
    assert_status(s, status, TESSERA_ERR_ARGUMENT);
    assert_says(tessera_last_error(s), "ordinals[0] = -5");
  }
  assert_works(s);
  const int all = tessera_set_devices(s, -1, NULL);
  if (all == TESSERA_OK) {
    assert_int_equal(got_int(s, TESSERA_DEVICE), 0);
    put_int(s, TESSERA_DEVICE, TESSERA_DEVICE_HOST);
  } else {
    assert_status(s, all, TESSERA_ERR_NOT_BUILT);
  }
  assert_works(s);
  tessera_destroy(s);
}

static int set_devices_within(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)x, (void)ncomp;
  f[0] = tessera_set_devices((tessera_solver *)userdata, 0, NULL) == TESSERA_ERR_BUSY;
  return 0;
}

static void a_run_keeps_its_devices(void **state) {
  (void)state;
  double value = 0, error = 0;
  tessera_solver *s = solver_of(2, 1);
  put_int(s, TESSERA_THREADS, 1);
  put_point(s, set_devices_within, s);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, &value, &error), TESSERA_OK);
  assert_same_bits(value, 1);
  tessera_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_cannot_be_is_refused),
      cmocka_unit_test(a_run_keeps_its_devices),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
