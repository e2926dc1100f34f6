/* Files of states: what is cut off, damaged or of another problem is refused with a sentence, and the solver stays as it was.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "files.h"
#include "solve.h"

static int64_t calls;
static int peak(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double sum = 0.0;
  (void)ncomp, (void)userdata;
  ++calls;
  for (int j = 0; j < ndim; ++j) sum += (x[j] - 0.3) * (x[j] - 0.3);
  for (int k = 0; k < ncomp; ++k) f[k] = exp(-20 * sum);
  return 0;
}

static tessera_solver *solver(int ndim, int ncomp) {
  tessera_solver *s = solver_of(ndim, ncomp);
  put_point(s, peak, NULL);
  put_real(s, TESSERA_RELTOL, 1e-5);
  put_int(s, TESSERA_KEEP_STATE, 1);
  put_int(s, TESSERA_THREADS, 1);
  return s;
}

/* Of a run of so many evaluations, about. */
static const char *state_of(int method, int64_t evaluations) {
  double value, error;
  const char *path = test_path("state");
  tessera_solver *s = solver(2, 1);
  put_int(s, TESSERA_MAXEVAL, evaluations);
  assert_true(tessera_integrate(s, method, &value, &error) >= 0);
  assert_status(s, tessera_save_state(s, path), TESSERA_OK);
  tessera_destroy(s);
  return path;
}

static unsigned char *bytes_of(const char *path, size_t *n) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  assert_int_equal(fseek(file, 0, SEEK_END), 0);
  *n = (size_t)ftell(file);
  rewind(file);
  unsigned char *bytes = malloc(*n + 8);
  assert_non_null(bytes);
  assert_int_equal(fread(bytes, 1, *n, file), *n);
  fclose(file);
  return bytes;
}

static void assert_refused(tessera_solver *s, const char *path, int status, const char *word) {
  assert_status(s, tessera_load_state(s, path), status);
  assert_says(tessera_last_error(s), word);
}

/* Cut off and with single bits changed: refused, and the state that was loaded before is still there. */
static void damaged_files(void **state) {
  size_t n;
  double value, error;
  (void)state;
  tessera_solver *s = solver(2, 1);
  const struct answer all = integrate(s);
  const int64_t all_calls = calls;
  const char *const path = state_of(TESSERA_CUBATURE, all.evaluations / 2);
  unsigned char *bytes = bytes_of(path, &n);
  assert_in_range(n, 1000, 60000);
  assert_status(s, tessera_load_state(s, path), TESSERA_OK);
  for (size_t length = 0; length < n; length += length < 400 ? 1 : 37)
    assert_refused(s, put_bytes("cut", bytes, length), TESSERA_ERR_FILE, "cut: ");
  assert_refused(s, put_bytes("cut", bytes, 100), TESSERA_ERR_FILE, "cut off");
  assert_refused(s, put_bytes("cut", "", 0), TESSERA_ERR_FILE, "empty");
  memset(bytes + n, 0, 8);
  assert_refused(s, put_bytes("cut", bytes, n + 1), TESSERA_ERR_FILE, "behind its end");
  assert_refused(s, put_bytes("cut", bytes, n + 8), TESSERA_ERR_FILE, "behind its end");
  for (size_t bit = 0; bit < 8 * n; bit += bit < 4000 ? 1 : 8 * n / 4000 + 1) {
    bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    assert_refused(s, put_bytes("flipped", bytes, n), TESSERA_ERR_FILE, "flipped: ");
    bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
  }
  bytes[n / 2] ^= 1;
  assert_refused(s, put_bytes("flipped", bytes, n), TESSERA_ERR_FILE, "damaged");
  bytes[n / 2] ^= 1;
  calls = 0;
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, &value, &error), TESSERA_OK);
  assert_same_bits(value, all.value);
  assert_same_bits(error, all.error);
  assert_true(calls < all_calls * 3 / 4);
  free(bytes);
  tessera_destroy(s);
}

static void other_files(void **state) {
  (void)state;
  tessera_solver *s = solver(2, 1);
  assert_refused(s, test_path("none"), TESSERA_ERR_FILE, "cannot be opened");
  assert_refused(s, put_directory("directory"), TESSERA_ERR_FILE, "not a regular file");
  assert_refused(s, put_file("text", "tessera-grid 1\nndim 2\n and so on\n"), TESSERA_ERR_FILE,
                 "is not a file of tessera_save_state");
  assert_int_equal(tessera_load_state(NULL, "a"), TESSERA_ERR_ARGUMENT);
  tessera_destroy(s);
}

static void run_refused(tessera_solver *s, const char *path, int method, const char *word) {
  double value = -1, error = -1;
  assert_status(s, tessera_load_state(s, path), TESSERA_OK);
  assert_status(s, tessera_integrate(s, method, &value, &error), TESSERA_ERR_ARGUMENT);
  assert_says(tessera_last_error(s), word);
  assert_same_bits(value, -1.0);
}

/* What a run is asked for is compared when it begins; the state stays loaded until one has begun. */
static void other_problems(void **state) {
  const char *const path = state_of(TESSERA_CUBATURE, 3000);
  const double parameter = 2;
  double value, error;
  (void)state;
  tessera_solver *s = solver(3, 1);
  assert_refused(s, path, TESSERA_ERR_ARGUMENT, "2 variables and 1 components");
  tessera_destroy(s);
  s = solver(2, 2);
  assert_refused(s, path, TESSERA_ERR_ARGUMENT, "2 variables and 1 components");
  tessera_destroy(s);
  s = solver(2, 1);
  run_refused(s, path, TESSERA_LATTICE, "TESSERA_CUBATURE, not of TESSERA_LATTICE");
  put_cube(s, 2, 0, 2);
  run_refused(s, path, TESSERA_CUBATURE, "domain");
  put_cube(s, 2, 0, 1);
  put_int(s, TESSERA_RULE, TESSERA_RULE_GM7);
  run_refused(s, path, TESSERA_CUBATURE, "TESSERA_RULE");
  put_int(s, TESSERA_RULE, TESSERA_RULE_AUTO);
  assert_status(s, tessera_set_simplex(s, TESSERA_SIMPLEX_DUFFY, NULL), TESSERA_OK);
  run_refused(s, path, TESSERA_CUBATURE, "simplex");
  assert_status(s, tessera_set_simplex(s, TESSERA_SIMPLEX_NONE, NULL), TESSERA_OK);
  assert_status(s, tessera_set_params(s, &parameter, sizeof parameter), TESSERA_OK);
  run_refused(s, path, TESSERA_CUBATURE, "parameter block");
  assert_status(s, tessera_set_params(s, NULL, 0), TESSERA_OK);
  put_int(s, TESSERA_NONFINITE_POLICY, TESSERA_NONFINITE_ZERO);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, &value, &error), TESSERA_ERR_UNSUPPORTED);
  assert_says(tessera_last_error(s), "TESSERA_NONFINITE_ZERO");
  put_int(s, TESSERA_NONFINITE_POLICY, TESSERA_NONFINITE_STOP);
  assert_status(s, tessera_load_state(s, NULL), TESSERA_OK); /* for none any more */
  put_cube(s, 2, 0, 2);
  put_real(s, TESSERA_RELTOL, 1e-2);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, &value, &error), TESSERA_OK);
  put_cube(s, 2, 0, 1);
  assert_status(s, tessera_load_state(s, path), TESSERA_OK);
  put_real(s, TESSERA_RELTOL, 1e-3); /* tolerances may differ */
  put_int(s, TESSERA_KEEP_STATE, 0);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, &value, &error), TESSERA_OK);
  tessera_destroy(s);
}

static int saves(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)x, (void)ncomp;
  f[0] = 1;
  return tessera_save_state(userdata, test_path("state")) == TESSERA_ERR_BUSY ? 3 : 4;
}

static void wrong_calls(void **state) {
  double value, error;
  (void)state;
  tessera_solver *s = solver(2, 1);
  assert_status(s, tessera_save_state(s, test_path("state")), TESSERA_ERR_UNSUPPORTED);
  assert_says(tessera_last_error(s), "there is no state");
  assert_int_equal(tessera_save_state(NULL, "a"), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_set_checkpoint(NULL, "a"), TESSERA_ERR_ARGUMENT);
  integrate(s);
  assert_status(s, tessera_save_state(s, NULL), TESSERA_ERR_ARGUMENT);
  assert_status(s, tessera_save_state(s, "/nowhere/at/all"), TESSERA_ERR_FILE);
  assert_says(tessera_last_error(s), "/nowhere/at/all.new");
  assert_status(s, tessera_set_checkpoint(s, "/nowhere/at/all"), TESSERA_OK);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, &value, &error), TESSERA_ERR_FILE);
  assert_status(s, tessera_set_checkpoint(s, NULL), TESSERA_OK);
  put_int(s, TESSERA_NONFINITE_POLICY, TESSERA_NONFINITE_ZERO);
  integrate(s);
  assert_status(s, tessera_save_state(s, test_path("state")), TESSERA_ERR_UNSUPPORTED);
  assert_says(tessera_last_error(s), "TESSERA_NONFINITE_ZERO");
  put_point(s, saves, s);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, &value, &error), TESSERA_ERR_CALLBACK);
  assert_int_equal(got_int(s, TESSERA_CALLBACK_STATUS), 3);
  tessera_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(damaged_files),
      cmocka_unit_test(other_files),
      cmocka_unit_test(other_problems),
      cmocka_unit_test(wrong_calls),
  };
  let_files_be_short_lived();
  return cmocka_run_group_tests(tests, begin_in_test_directory, end_in_test_directory);
}
