/* A callback for a device beside the other forms of an integrand: which one runs, and what is said where none can. What it
 * computes on a device is for tests/parity.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "solve.h"

enum { nowhere = 1023 /* a device that no machine has */, refusal = 5 };

static int calls;

/* Launches nothing and stops the run. */
static int refuses(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf, void *stream,
                   void *userdata) {
  (void)n, (void)ndim, (void)x, (void)ldx, (void)ncomp, (void)f, (void)ldf, (void)stream, (void)userdata;
  ++calls;
  return refusal;
}

static int line(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp, (void)userdata;
  f[0] = x[0];
  return 0;
}

static const char line_text[] = "double line(const double *x) { return x[0]; }";

static tessera_solver *solver_with_callback(int ndim) {
  tessera_solver *s = solver_of(ndim, 1);
  assert_status(s, tessera_set_integrand_device(s, refuses, NULL), TESSERA_OK);
  return s;
}

static void assert_refused(tessera_solver *s, int status, const char *word) {
  const struct answer a = integrate(s);
  assert_int_equal(a.status, status);
  assert_says(a.sentence, word);
  assert_same_bits(a.value, -1e300);
  assert_same_bits(a.error, -1e300);
}

/* Whether device 0 is there: then, and only then, the callback is called. */
static int device_is_there(void) {
  tessera_solver *s = solver_with_callback(2);
  put_int(s, TESSERA_DEVICE, 0);
  calls = 0;
  const int status = integrate(s).status;
  if (status == TESSERA_ERR_CALLBACK) {
    assert_int_equal(got_int(s, TESSERA_CALLBACK_STATUS), refusal);
    assert_int_equal(calls, 1);
  } else {
    assert_int_equal(status, TESSERA_ERR_NOT_BUILT);
    assert_int_equal(calls, 0);
  }
  tessera_destroy(s);
  return status == TESSERA_ERR_CALLBACK;
}

static void a_null_handle(void **state) {
  (void)state;
  assert_int_equal(tessera_set_integrand_device(NULL, refuses, NULL), TESSERA_ERR_ARGUMENT);
}

static void the_host_cannot_run_it(void **state) {
  tessera_solver *s = solver_with_callback(2);
  (void)state;
  calls = 0;
  assert_refused(s, TESSERA_ERR_NO_INTEGRAND, "TESSERA_DEVICE = -1");
  assert_says(tessera_last_error(s), "a device callback cannot run on the host");
  put_point(s, line, NULL);
  assert_close(integrate(s).value, 0.5, 1e-13, 0);
  put_point(s, NULL, NULL);
  assert_refused(s, TESSERA_ERR_NO_INTEGRAND, "a device callback cannot run on the host");
  assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, line_text, "line"), TESSERA_OK);
  assert_close(integrate(s).value, 0.5, 1e-13, 0);
  assert_int_equal(calls, 0);
  assert_int_equal(got_int(s, TESSERA_DEVICE_USED), -1);
  tessera_destroy(s);
}

static void a_device_that_is_not_there(void **state) {
  tessera_solver *s = solver_with_callback(2);
  (void)state;
  calls = 0;
  put_int(s, TESSERA_DEVICE, nowhere);
  assert_refused(s, TESSERA_ERR_NOT_BUILT, "");
  assert_true(strlen(tessera_last_error(s)) > 20);
  put_point(s, line, NULL); /* a host form does not help where a device is named */
  assert_refused(s, TESSERA_ERR_NOT_BUILT, "");
  assert_int_equal(calls, 0);
  tessera_destroy(s);
}

static void a_device_needs_a_form_for_it(void **state) {
  tessera_solver *s = solver_of(2, 1);
  (void)state;
  put_point(s, line, NULL);
  put_int(s, TESSERA_DEVICE, nowhere);
  assert_refused(s, TESSERA_ERR_NO_INTEGRAND, "tessera_set_integrand_device");
  assert_status(s, tessera_set_integrand_device(s, refuses, NULL), TESSERA_OK);
  assert_refused(s, TESSERA_ERR_NOT_BUILT, "");
  assert_status(s, tessera_set_integrand_device(s, NULL, NULL), TESSERA_OK);
  assert_refused(s, TESSERA_ERR_NO_INTEGRAND, "tessera_set_integrand_device");
  put_point(s, NULL, NULL);
  assert_refused(s, TESSERA_ERR_NO_INTEGRAND, "no integrand has been set");
  tessera_destroy(s);
}

static void the_device_has_a_greatest_dimension(void **state) {
  tessera_solver *s = solver_with_callback(33);
  (void)state;
  put_int(s, TESSERA_NDIM_LIMIT, 64);
  put_int(s, TESSERA_MAXEVAL, 1);
  put_int(s, TESSERA_DEVICE, nowhere);
  assert_refused(s, TESSERA_ERR_UNSUPPORTED, "ndim = 33");
  put_int(s, TESSERA_DEVICE, -2);
  assert_refused(s, TESSERA_ERR_UNSUPPORTED, "up to 32 variables");
  put_point(s, line, NULL); /* the host, then */
  assert_true(integrate(s).status >= 0);
  assert_int_equal(got_int(s, TESSERA_DEVICE_USED), -1);
  tessera_destroy(s);
}

static void a_device_if_there_is_one(void **state) {
  const int there = device_is_there();
  tessera_solver *s = solver_with_callback(2);
  (void)state;
  put_int(s, TESSERA_DEVICE, -2);
  for (int text = 0; text < 2; ++text) {
    if (text) assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, line_text, "line"), TESSERA_OK);
    if (there) { /* before a text */
      assert_refused(s, TESSERA_ERR_CALLBACK, "the device callback returned 5");
    } else if (!text) {
      assert_refused(s, TESSERA_ERR_NOT_BUILT, "a device callback cannot run on the host");
    } else {
      assert_close(integrate(s).value, 0.5, 1e-13, 0);
    }
  }
  put_point(s, line, NULL);
  if (there)
    assert_refused(s, TESSERA_ERR_CALLBACK, "compared");
  else
    assert_close(integrate(s).value, 0.5, 1e-13, 0);
  tessera_destroy(s);
}

static tessera_solver *busy_solver;
static int calls_its_solver(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  *(int *)userdata = tessera_set_integrand_device(busy_solver, refuses, NULL);
  return line(ndim, x, ncomp, f, NULL);
}

static void not_from_a_callback(void **state) {
  int status = 0;
  busy_solver = solver_of(1, 1);
  (void)state;
  put_point(busy_solver, calls_its_solver, &status);
  assert_close(integrate(busy_solver).value, 0.5, 1e-13, 0);
  assert_int_equal(status, TESSERA_ERR_BUSY);
  tessera_destroy(busy_solver);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_null_handle),
      cmocka_unit_test(the_host_cannot_run_it),
      cmocka_unit_test(a_device_that_is_not_there),
      cmocka_unit_test(a_device_needs_a_form_for_it),
      cmocka_unit_test(the_device_has_a_greatest_dimension),
      cmocka_unit_test(a_device_if_there_is_one),
      cmocka_unit_test(not_from_a_callback),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
