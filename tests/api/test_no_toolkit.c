/* A machine with a device and a driver but without NVRTC. The test runs with a stand-in for the driver and for NVRTC in
 * LD_LIBRARY_PATH, and so needs no device.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE /* setenv */
#include <stdlib.h>

#include "solve.h"

static const char text[] = "double f(const double *x) { return x[0]; }";
static const char ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n";

static int lines;
static char line_about_host[400];
static void keep_line(int level, const char *line, void *userdata) {
  (void)level, (void)userdata;
  if (!strstr(line, "the host is used")) return;
  ++lines;
  snprintf(line_about_host, sizeof line_about_host, "%s", line);
}

static tessera_solver *solver_with_log(void) {
  tessera_solver *s = solver_of(2, 1);
  assert_status(s, tessera_set_log(s, keep_line, NULL), TESSERA_OK);
  put_int(s, TESSERA_DISK_CACHE, 0);
  lines = 0;
  line_about_host[0] = 0;
  return s;
}

static int one(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp, (void)userdata;
  f[0] = x[0];
  return 0;
}

static void a_device_that_is_insisted_on(void **state) {
  tessera_solver *s = solver_with_log();
  (void)state;
  assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, text, "f"), TESSERA_OK);
  put_int(s, TESSERA_DEVICE, 0);
  const struct answer a = integrate(s);
  assert_int_equal(a.status, TESSERA_ERR_NOT_BUILT);
  assert_says(a.sentence, "NVRTC");
  assert_same_bits(a.value, -1e300);
  put_int(s, TESSERA_DEVICE, 1);
  assert_int_equal(integrate(s).status, TESSERA_ERR_NOT_BUILT);
  assert_says(tessera_last_error(s), "there is no device 1; the system has 1");
  assert_int_equal(lines, 0);
  tessera_destroy(s);
}

static void the_host_if_the_device_cannot(void **state) {
  tessera_solver *s = solver_with_log();
  (void)state;
  assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, text, "f"), TESSERA_OK);
  put_int(s, TESSERA_DEVICE, -1);
  const struct answer host = integrate(s);
  put_int(s, TESSERA_DEVICE, -2);
  const struct answer a = integrate(s);
  assert_int_equal(a.status, TESSERA_OK);
  assert_int_equal(lines, 1);
  assert_says(line_about_host, "NVRTC");
  assert_int_equal(got_int(s, TESSERA_DEVICE_USED), -1);
  assert_int_equal(got_int(s, TESSERA_INLINED), -1);
  assert_same_answer(a, host); /* and all settings are those of the host */
  put_point(s, one, NULL);
  assert_close(integrate(s).value, 0.5, 1e-13, 0);
  tessera_destroy(s);
}

static void code_without_and_with_a_callback(void **state) {
  tessera_solver *s = solver_with_log();
  (void)state;
  assert_status(s, tessera_set_integrand_code(s, TESSERA_CODE_PTX, ptx, sizeof ptx, "f"), TESSERA_OK);
  put_int(s, TESSERA_DEVICE, -2);
  const struct answer a = integrate(s);
  assert_int_equal(a.status, TESSERA_ERR_NOT_BUILT);
  assert_says(a.sentence, "NVRTC");
  assert_int_equal(lines, 0);
  put_point(s, one, NULL);
  assert_close(integrate(s).value, 0.5, 1e-13, 0);
  assert_int_equal(lines, 1);
  tessera_destroy(s);
}

static void many_integrals_on_the_host(void **state) {
  static const char scaled[] = "double f(const double *x, const double *p) { return p[0] * exp(x[0] * x[1]); }";
  double blocks[20], value[2][20], error[2][20];
  tessera_solver *s = solver_with_log();
  (void)state;
  for (int i = 0; i < 20; ++i) blocks[i] = 1 + i;
  assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, scaled, "f"), TESSERA_OK);
  for (int i = 0; i < 2; ++i) {
    put_int(s, TESSERA_DEVICE, i == 0 ? -1 : -2);
    const int status =
        tessera_integrate_many(s, TESSERA_CUBATURE, 20, blocks, sizeof blocks[0], NULL, NULL, value[i], error[i], NULL);
    assert_status(s, status, TESSERA_OK);
    assert_int_equal(got_int(s, TESSERA_DEVICE_USED), -1);
    assert_int_equal(lines, i);
  }
  assert_says(line_about_host, "NVRTC");
  for (int i = 0; i < 20; ++i) {
    assert_same_bits(value[0][i], value[1][i]);
    assert_same_bits(error[0][i], error[1][i]);
  }
  put_int(s, TESSERA_DEVICE, 0);
  assert_status(
      s,
      tessera_integrate_many(s, TESSERA_CUBATURE, 20, blocks, sizeof blocks[0], NULL, NULL, value[0], error[0], NULL),
      TESSERA_ERR_NOT_BUILT);
  tessera_destroy(s);
}

static void neither_compiler(void **state) {
  tessera_solver *s = solver_with_log();
  (void)state;
  assert_status(s,
                tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, "double f(const double *x) { return 1; }", "f"),
                TESSERA_OK);
  put_int(s, TESSERA_DEVICE, -2);
  setenv("PATH", "/nonexistent", 1);
  unsetenv("CXX");
  const struct answer a = integrate(s);
  assert_int_equal(a.status, TESSERA_ERR_NOT_BUILT);
  assert_says(a.sentence, "NVRTC");
  assert_says(a.sentence, "there is no C++ compiler");
  tessera_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_device_that_is_insisted_on),
      cmocka_unit_test(the_host_if_the_device_cannot),
      cmocka_unit_test(code_without_and_with_a_callback),
      cmocka_unit_test(many_integrals_on_the_host),
      cmocka_unit_test(neither_compiler),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
