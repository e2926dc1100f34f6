/* Grids of VEGAS in files: what is saved comes back, and nothing else is taken for a grid.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "solve.h"

static int ridge(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp, (void)userdata;
  f[0] = exp(-200 * (x[0] - 0.4) * (x[0] - 0.4)) * (1 + x[1]);
  return 0;
}

static char path[64];

static int make_path(void **state) {
  (void)state;
  strcpy(path, "/tmp/tessera-grid-XXXXXX");
  const int file = mkstemp(path);
  if (file < 0) return -1;
  close(file);
  return 0;
}
static int remove_path(void **state) {
  (void)state;
  return remove(path);
}

static tessera_solver *trained(void) {
  tessera_solver *s = solver_of(2, 1);
  double value, error;
  put_point(s, ridge, NULL);
  put_int(s, TESSERA_SAMPLING, TESSERA_SAMPLING_VEGAS);
  put_real(s, TESSERA_RELTOL, 1e-2);
  assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, &value, &error), TESSERA_OK);
  return s;
}

static void a_grid_comes_back(void **state) {
  double value[3], error[3];
  (void)state;
  tessera_solver *s = trained();
  assert_status(s, tessera_save_grid(s, path), TESSERA_OK);
  tessera_solver *t = solver_of(2, 1);
  put_point(t, ridge, NULL);
  put_int(t, TESSERA_SAMPLING, TESSERA_SAMPLING_VEGAS);
  put_real(t, TESSERA_RELTOL, 1e-2);
  assert_status(t, tessera_load_grid(t, path), TESSERA_OK);
  assert_status(t, tessera_integrate(t, TESSERA_MONTECARLO, &value[0], &error[0]), TESSERA_OK); /* it is used */
  assert_status(t, tessera_integrate(t, TESSERA_MONTECARLO, &value[2], &error[2]),
                TESSERA_OK); /* and no more, unless asked for */
  assert_true(value[2] != value[0]);
  put_int(s, TESSERA_KEEP_GRID, 1);
  assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, &value[1], &error[1]), TESSERA_OK);
  assert_same_bits(value[0], value[1]);
  assert_same_bits(error[0], error[1]);
  double edges[2 * TESSERA_GRID_EDGES];
  assert_status(t, tessera_load_grid(t, path), TESSERA_OK);
  assert_status(t, tessera_get_grid(t, edges), TESSERA_OK);
  tessera_destroy(t);
  t = solver_of(2, 1); /* the same as numbers */
  put_point(t, ridge, NULL);
  put_int(t, TESSERA_SAMPLING, TESSERA_SAMPLING_VEGAS);
  put_real(t, TESSERA_RELTOL, 1e-2);
  assert_status(t, tessera_set_grid(t, edges), TESSERA_OK);
  assert_status(t, tessera_integrate(t, TESSERA_MONTECARLO, &value[2], &error[2]), TESSERA_OK);
  assert_same_bits(value[2], value[1]);
  tessera_destroy(s);
  tessera_destroy(t);
}

static void a_solver_without_a_grid(void **state) {
  (void)state;
  tessera_solver *s = solver_of(2, 1);
  assert_status(s, tessera_save_grid(s, path), TESSERA_ERR_ARGUMENT);
  assert_says(tessera_last_error(s), "no grid");
  assert_status(s, tessera_save_grid(s, NULL), TESSERA_ERR_ARGUMENT);
  assert_status(s, tessera_load_grid(s, NULL), TESSERA_ERR_ARGUMENT);
  assert_status(s, tessera_load_grid(s, "/nowhere/at/all"), TESSERA_ERR_FILE);
  assert_says(tessera_last_error(s), "/nowhere/at/all");
  assert_int_equal(tessera_save_grid(NULL, path), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_load_grid(NULL, path), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_get_chi2(NULL, NULL), TESSERA_ERR_ARGUMENT);
  tessera_destroy(s);
  s = trained();
  assert_status(s, tessera_save_grid(s, "/nowhere/at/all"), TESSERA_ERR_FILE);
  tessera_destroy(s);
  s = solver_of(3, 1);
  tessera_solver *t = trained();
  assert_status(t, tessera_save_grid(t, path), TESSERA_OK);
  assert_status(s, tessera_load_grid(s, path), TESSERA_ERR_ARGUMENT);
  assert_says(tessera_last_error(s), "2 variables");
  tessera_destroy(s);
  tessera_destroy(t);
}

/* A good file with one line changed or left out. */
static void write_with(int line, const char *text) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  for (int i = 0; i < 3 + 129; ++i) {
    if (i == line) {
      if (text) fprintf(file, "%s\n", text);
    } else if (i < 3) {
      fprintf(file, "%s\n", i == 0 ? "tessera-grid 1" : i == 1 ? "ndim 1  # a comment" : "bins 128");
    } else {
      fprintf(file, "%.17g\n", (i - 3) / 128.0);
    }
  }
  assert_int_equal(fclose(file), 0);
}

static void files_that_are_no_grid(void **state) {
  static const struct {
    int line;
    const char *text;
  } bad[] = {{0, "tessera-grid 2"},
             {0, "tessera-lattice 1"},
             {0, NULL},
             {1, "ndim 0"},
             {1, "ndim 1.5"},
             {1, "ndim 99999999999"},
             {1, "ndim 2"},
             {2, "bins 50"},
             {2, "bins"},
             {3, "0.1"},
             {3, NULL},
             {50, "nan"},
             {50, "inf"},
             {50, "0.9"},
             {50, "x"},
             {50, "0.3672x"},
             {131, "0.99"},
             {131, "1 1"},
             {131, "1\n# more\nx"},
             {60, "0.5 0.5"},
             {60, "-0.5"}};
  (void)state;
  tessera_solver *s = solver_of(1, 1);
  write_with(-1, NULL);
  assert_status(s, tessera_load_grid(s, path), TESSERA_OK);
  write_with(0, "# first a comment\n\ntessera-grid 1");
  assert_status(s, tessera_load_grid(s, path), TESSERA_OK);
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
    write_with(bad[i].line, bad[i].text);
    assert_status(s, tessera_load_grid(s, path), TESSERA_ERR_FILE);
    assert_says(tessera_last_error(s), path);
  }
  assert_status(s, tessera_save_grid(s, path), TESSERA_OK); /* the good one is still there */
  tessera_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_grid_comes_back, make_path, remove_path),
      cmocka_unit_test_setup_teardown(a_solver_without_a_grid, make_path, remove_path),
      cmocka_unit_test_setup_teardown(files_that_are_no_grid, make_path, remove_path),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
