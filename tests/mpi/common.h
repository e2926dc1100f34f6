/* What the programs that run on several ranks share. SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESSERA_TESTS_MPI_COMMON_H
#define TESSERA_TESTS_MPI_COMMON_H

#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

#include "solve.h"

extern int my_rank, ranks;

/* A kink at a place of its own on every axis. Components fall off at different rates. */
static inline int kinks(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double s = 0;
  for (int j = 0; j < ndim; ++j) s += fabs(x[j] - 0.3 * (1 + 0.1 * j));
  for (int k = 0; k < ncomp; ++k) f[k] = exp(-2.0 * (k + 1) * s);
  if (userdata) ++*(long *)userdata;
  return 0;
}

static inline int kinks_together(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf,
                                 void *userdata) {
  (void)userdata;
  for (int64_t i = 0; i < n; ++i) {
    double s = 0;
    for (int j = 0; j < ndim; ++j) s += fabs(x[j * ldx + i] - 0.3 * (1 + 0.1 * j));
    for (int k = 0; k < ncomp; ++k) f[k * ldf + i] = exp(-2.0 * (k + 1) * s);
  }
  return 0;
}

/* A solver whose runs all ranks share. */
static inline void put_world(tessera_solver *s) {
  MPI_Comm world = MPI_COMM_WORLD;
  assert_status(s, tessera_set_comm(s, &world, sizeof world), TESSERA_OK);
}

static inline long sum_over_ranks(long mine) {
  long sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

/* Every rank has this number. */
static inline void assert_common(double v) {
  double first = v;
  MPI_Bcast(&first, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  assert_memory_equal(&v, &first, sizeof v);
}

/* Every rank has this text. */
static inline void assert_common_text(const char *text) {
  char first[512] = "";
  snprintf(first, sizeof first, "%s", text);
  MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
  assert_string_equal(text, first);
}

/* Runs the tests on every rank; a rank whose test has failed ends the others, which may be waiting for it. */
#define run_on_ranks(tests) run_on_ranks_(argc, argv, tests, sizeof tests / sizeof tests[0])
static inline int run_on_ranks_(int argc, char **argv, const struct CMUnitTest *tests, size_t n) {
  int level = 0, failed = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  alarm(240);
  for (size_t i = 0; i < n; ++i) {
    const struct CMUnitTest one[] = {tests[i]};
    failed = _cmocka_run_group_tests(tests[i].name, one, 1, NULL, NULL);
    if (failed) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}

#endif
