/* Runs that some ranks begin and save in a file and others go on with, and how they end.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESSERA_TESTS_MPI_KEPT_RUNS_H
#define TESSERA_TESTS_MPI_KEPT_RUNS_H

#include "common.h"

struct end {
  int status;
  double value[2], error[2];
  int64_t evaluations;
};

static inline struct end end_of(tessera_solver *s, const char *name, int method) {
  struct end e;
  memset(&e, 0, sizeof e);
  e.status = tessera_integrate(s, method, e.value, e.error);
  if (e.status < 0) fail_msg("%s: %s", name, tessera_last_error(s));
  assert_int_equal(got_int(s, TESSERA_DEVICE_USED), got_int(s, TESSERA_DEVICE));
  e.evaluations = got_int(s, TESSERA_EVALUATIONS);
  return e;
}

static inline void assert_same_end(const char *name, const struct end *whole, const struct end *in_parts) {
  if (memcmp(whole, in_parts, sizeof *whole) != 0)
    fail_msg("%s: %.17g after %lld evaluations, uninterrupted %.17g after %lld", name, in_parts->value[0],
             (long long)in_parts->evaluations, whole->value[0], (long long)whole->evaluations);
}

/* The file of a state, on rank 0; what the others say is of no use. */
static inline const char *state_path(void) {
  static char path[64];
  snprintf(path, sizeof path, my_rank == 0 ? "/tmp/tessera_ranks_%d" : "/nowhere/%d", (int)getpid());
  return path;
}

/* Of a run that has been made without interruption: its first two thirds and a file, by rank 0 alone or by all; the rest by the others.
 * make(run, together) gives the solver. */
typedef tessera_solver *solver_maker(const void *run, int together);

static inline struct end end_in_parts(solver_maker *make, const void *run, const char *name, int method,
                                      const struct end *whole, int first_alone) {
  struct end rest = *whole;
  if (!first_alone || my_rank == 0) {
    tessera_solver *s = make(run, !first_alone);
    put_int(s, TESSERA_MAXEVAL, whole->evaluations * 2 / 3);
    end_of(s, name, method);
    assert_status(s, tessera_save_state(s, state_path()), TESSERA_OK);
    tessera_destroy(s);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (first_alone || my_rank == 0) {
    tessera_solver *s = make(run, first_alone);
    assert_status(s, tessera_load_state(s, state_path()), TESSERA_OK);
    rest = end_of(s, name, method);
    tessera_destroy(s);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (my_rank == 0) remove(state_path());
  return rest;
}

#endif
