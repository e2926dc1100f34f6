/* Communicators in a program without MPI: a status and a sentence, and the solver works by itself. SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "solve.h"

static int one(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)x, (void)userdata;
  for (int k = 0; k < ncomp; ++k) f[k] = 1;
  return 0;
}

static void assert_alone(tessera_solver *s) {
  double value = 0, error = 0;
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, &value, &error), TESSERA_OK);
  assert_same_bits(value, 1);
}

/* In this order: a plug-in that is open stays open. */
static void without_mpi_there_are_no_ranks(void **state) {
  (void)state;
  int comm = 0;
  tessera_solver *s = solver_of(2, 1);
  put_point(s, one, NULL);
  assert_int_equal(tessera_set_comm(NULL, &comm, sizeof comm), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_set_comm_f(NULL, 0), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_set_comm_world(NULL), TESSERA_ERR_ARGUMENT);
  assert_status(s, tessera_set_comm(s, NULL, 4), TESSERA_ERR_ARGUMENT);
  assert_says(tessera_last_error(s), "comm is NULL");
  assert_status(s, tessera_set_comm(s, NULL, 0), TESSERA_OK);
  setenv("TESSERA_COMM_LIB", "/nowhere/libtessera_mpi.so", 1);
  assert_status(s, tessera_set_comm(s, &comm, sizeof comm), TESSERA_ERR_NOT_BUILT);
  assert_says(tessera_last_error(s), "/nowhere/libtessera_mpi.so");
  assert_says(tessera_last_error(s), "mpicc");
  setenv("TESSERA_COMM_LIB", "libm.so.6", 1);
  assert_status(s, tessera_set_comm_world(s), TESSERA_ERR_NOT_BUILT);
  assert_says(tessera_last_error(s), "libm.so.6 is no plug-in");
  unsetenv("TESSERA_COMM_LIB");
  const int status = tessera_set_comm_world(s);
  if (status != TESSERA_ERR_NOT_BUILT) {
    assert_status(s, status, TESSERA_ERR_RANKS);
    assert_says(tessera_last_error(s), "not initialised");
    assert_status(s, tessera_set_comm(s, &comm, sizeof comm), TESSERA_ERR_RANKS);
    assert_status(s, tessera_set_comm_f(s, 0), TESSERA_ERR_RANKS);
  }
  assert_alone(s);
  put_int(s, TESSERA_GATHER, 0); /* no ranks: all results are here */
  double value[2] = {0, 0}, error[2];
  int ends[2] = {-1, -1};
  assert_status(s, tessera_integrate_many(s, TESSERA_CUBATURE, 2, NULL, 0, NULL, NULL, value, error, ends), TESSERA_OK);
  assert_int_equal(ends[1], TESSERA_OK);
  assert_same_bits(value[1], 1);
  tessera_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(without_mpi_there_are_no_ranks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
