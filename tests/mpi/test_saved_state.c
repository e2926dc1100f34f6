/* States in files with ranks: what some ranks have begun others end, on another number of them, with the bits of one process. Rank 0 reads and writes.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kept_runs.h"

int my_rank, ranks;

struct run {
  const char *name;
  int method, ndim;
  double reltol;
  int key;
  int64_t value;
};

static const struct run runs[] = {
    {"worst first", TESSERA_CUBATURE, 3, 1e-3, 0, 0},
    {"bulk", TESSERA_CUBATURE, 3, 1e-3, TESSERA_SELECTION, TESSERA_SELECT_BULK},
    {"sparse grid alone", TESSERA_CUBATURE, 3, 0.1, TESSERA_SPARSE, TESSERA_SPARSE_ALONE},
    {"lattice", TESSERA_LATTICE, 4, 1e-3, 0, 0},
    {"plain", TESSERA_MONTECARLO, 4, 2e-3, TESSERA_SAMPLING, TESSERA_SAMPLING_PLAIN},
    {"Sobol", TESSERA_MONTECARLO, 4, 1e-4, TESSERA_GENERATOR, TESSERA_GENERATOR_SOBOL},
    {"VEGAS", TESSERA_MONTECARLO, 4, 1e-3, TESSERA_SAMPLING, TESSERA_SAMPLING_VEGAS},
    {"chosen", TESSERA_AUTO, 4, 1e-3, 0, 0},
    {"chosen, one variable", TESSERA_AUTO, 1, 1e-9, 0, 0},
    {"quadrature", TESSERA_QUADRATURE, 1, 1e-9, 0, 0},
    {"iterated", TESSERA_ITERATED, 2, 1e-4, 0, 0},
};
enum { many_runs = sizeof runs / sizeof runs[0] };

static long calls; /* of the last solver */

static tessera_solver *solver_for(const void *of_run, int together) {
  const struct run *const r = of_run;
  tessera_solver *s = solver_of(r->ndim, 2);
  if (together) put_world(s);
  calls = 0;
  put_point(s, kinks, &calls);
  put_real(s, TESSERA_RELTOL, r->reltol);
  put_int(s, TESSERA_THREADS, 1);
  put_int(s, TESSERA_KEEP_STATE, 1);
  put_int(s, TESSERA_MAXEVAL, 3000000);
  if (r->key) put_int(s, r->key, r->value);
  return s;
}

static void begun_by_some_ended_by_others(void **state) {
  (void)state;
  for (int i = 0; i < many_runs; ++i)
    for (int first_alone = 0; first_alone < 2; ++first_alone) {
      const struct run *const r = &runs[i];
      tessera_solver *s = solver_for(r, 0);
      const struct end all = end_of(s, r->name, r->method);
      const long all_calls = calls;
      tessera_destroy(s);
      const struct end rest = end_in_parts(solver_for, r, r->name, r->method, &all, first_alone);
      assert_same_end(r->name, &all, &rest);
      if (first_alone || my_rank == 0) assert_true(calls < all_calls);
    }
}

/* Every rank learns what rank 0 has found; afterwards all go on together. */
static void what_cannot_be_read_or_written(void **state) {
  (void)state;
  const char *const path = state_path();
  tessera_solver *s = solver_for(&runs[0], 1);
  assert_int_equal(tessera_load_state(s, path), TESSERA_ERR_FILE);
  assert_says(tessera_last_error(s), "cannot be opened");
  assert_common_text(tessera_last_error(s));
  assert_int_equal(tessera_save_state(s, path), TESSERA_ERR_UNSUPPORTED);
  assert_common_text(tessera_last_error(s));
  const struct end all = end_of(s, runs[0].name, runs[0].method);
  assert_int_equal(tessera_save_state(s, "/nowhere/at/all"), TESSERA_ERR_FILE);
  assert_common_text(tessera_last_error(s));
  assert_status(s, tessera_set_checkpoint(s, path), TESSERA_OK); /* of the others nothing is asked */
  put_real(s, TESSERA_CHECKPOINT_SECONDS, 0.0);
  const struct end again = end_of(s, runs[0].name, runs[0].method);
  assert_same_end(runs[0].name, &all, &again);
  assert_status(s, tessera_set_checkpoint(s, NULL), TESSERA_OK);
  assert_status(s, tessera_load_state(s, path), TESSERA_OK);
  calls = 0;
  const struct end rest = end_of(s, runs[0].name, runs[0].method);
  assert_same_end(runs[0].name, &all, &rest);
  assert_int_equal(calls, 0);
  tessera_destroy(s);
  if (my_rank == 0) remove(path);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(begun_by_some_ended_by_others),
      cmocka_unit_test(what_cannot_be_read_or_written),
  };
  return run_on_ranks(tests);
}
