/* What is no regular file is refused at once, and files do not depend on the locale. SPDX-License-Identifier: BSD-3-Clause */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "solve.h"

static char directory[64], path[96];

static int make_directory(void **state) {
  (void)state;
  strcpy(directory, "/tmp/tessera-files-XXXXXX");
  if (!mkdtemp(directory)) return -1;
  snprintf(path, sizeof path, "%s/file", directory);
  return 0;
}
static int remove_directory(void **state) {
  (void)state;
  char command[100];
  snprintf(command, sizeof command, "rm -r '%s'", directory);
  return system(command);
}

/* A reader that waits or never ends is stopped by the alarm. */
static void refused_everywhere(const char *what, const char *why) {
  tessera_solver *s = solver_of(2, 1);
  tessera_lattice *l;
  double value, error;
  char text[300];
  alarm(20);
  assert_int_equal(tessera_lattice_create(&l, 2), TESSERA_OK);
  assert_int_equal(tessera_lattice_load(l, what), TESSERA_ERR_FILE);
  assert_says(tessera_lattice_last_error(l), why);
  assert_status(s, tessera_load_grid(s, what), TESSERA_ERR_FILE);
  assert_says(tessera_last_error(s), why);
  assert_status(s, tessera_set_integrand_file(s, TESSERA_LANGUAGE_C, what, "f"), TESSERA_ERR_ARGUMENT);
  assert_says(tessera_last_error(s), why);
  /* left to the compiler, which does not find it or says what it is */
  snprintf(text, sizeof text,
           "#include \"%s\"\nint f(int n, const double *x, int m, double *f, void *u) { return 0; }\n", what);
  int status = tessera_set_integrand_source(s, TESSERA_LANGUAGE_C, text, "f");
  if (status == TESSERA_OK) status = tessera_integrate(s, TESSERA_CUBATURE, &value, &error);
  assert_int_equal(status, TESSERA_ERR_COMPILE);
  tessera_lattice_destroy(l);
  tessera_destroy(s);
  alarm(0);
}

static void no_regular_file(void **state) {
  (void)state;
  refused_everywhere(directory, "not a regular file");
  assert_int_equal(mkfifo(path, 0600), 0);
  tessera_solver *s = solver_of(2, 1);
  alarm(20);
  assert_status(s, tessera_load_grid(s, path), TESSERA_ERR_FILE);
  assert_status(s, tessera_load_grid(s, "/dev/zero"), TESSERA_ERR_FILE);
  alarm(0);
  tessera_destroy(s);
  tessera_lattice *l;
  assert_int_equal(tessera_lattice_create(&l, 2), TESSERA_OK);
  alarm(20);
  assert_int_equal(tessera_lattice_load(l, path), TESSERA_ERR_FILE);
  assert_int_equal(tessera_lattice_load(l, "/dev/zero"), TESSERA_ERR_FILE);
  alarm(0);
  tessera_lattice_destroy(l);
  assert_int_equal(remove(path), 0);
}

static int bell(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp, (void)userdata;
  f[0] = exp(-50 * (x[0] - 0.4) * (x[0] - 0.4) - x[1]);
  return 0;
}

static void a_decimal_comma(void **state) {
  char command[300];
  (void)state;
  snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 > /dev/null 2>&1", directory);
  if (system(command) != 0 || setenv("LOCPATH", directory, 1) != 0 || !setlocale(LC_ALL, "de_DE.UTF-8")) skip();
  snprintf(command, sizeof command, "%.1f", 0.5);
  assert_string_equal(command, "0,5");
  tessera_solver *s = solver_of(2, 1), *t = solver_of(2, 1);
  double value, error, edges[2][2 * TESSERA_GRID_EDGES];
  put_point(s, bell, NULL);
  put_int(s, TESSERA_SAMPLING, TESSERA_SAMPLING_VEGAS);
  put_real(s, TESSERA_RELTOL, 1e-2);
  assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, &value, &error), TESSERA_OK);
  assert_status(s, tessera_save_grid(s, path), TESSERA_OK);
  setlocale(LC_ALL, "C"); /* read by another program */
  assert_status(t, tessera_load_grid(t, path), TESSERA_OK);
  setlocale(LC_ALL, "de_DE.UTF-8");
  assert_status(s, tessera_get_grid(s, edges[0]), TESSERA_OK);
  assert_status(t, tessera_get_grid(t, edges[1]), TESSERA_OK);
  assert_memory_equal(edges[0], edges[1], sizeof edges[0]);
  tessera_lattice *l;
  double merit, again;
  assert_int_equal(tessera_lattice_create(&l, 2), TESSERA_OK);
  if (tessera_lattice_construct(l, 101) == TESSERA_OK) { /* there is FFTW */
    assert_int_equal(tessera_lattice_get_real(l, TESSERA_LATTICE_MERIT, &merit), TESSERA_OK);
    assert_int_equal(tessera_lattice_save(l, path), TESSERA_OK);
    setlocale(LC_ALL, "C");
    assert_int_equal(tessera_lattice_load(l, path), TESSERA_OK);
    assert_int_equal(tessera_lattice_get_real(l, TESSERA_LATTICE_MERIT, &again), TESSERA_OK);
    assert_same_bits(again, merit);
  }
  tessera_lattice_destroy(l);
  tessera_destroy(s);
  tessera_destroy(t);
  setlocale(LC_ALL, "C");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(no_regular_file, make_directory, remove_directory),
      cmocka_unit_test_setup_teardown(a_decimal_comma, make_directory, remove_directory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
