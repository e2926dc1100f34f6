/* States in files of runs on devices with ranks, all of them on device 0: what some ranks have begun others end, with the bits of one process. Skipped where there is
 * no device. SPDX-License-Identifier: BSD-3-Clause */
#include "../parity/device_runs.h"
#include "common.h"
#include "skip.h"

int my_rank, ranks;

struct run {
  const char *name;
  int method, ndim, ncomp;
  double reltol;
  int keys[2], values[2];
  int wave; /* the smooth text, or what takes long by the host: not with the stand-in */
};

static const char wave_text[] =
    "void wave(const double *x, double *v) {\n"
    "  double s = 0;\n"
    "  for (int j = 0; j < TESSERA_NDIM; ++j) s += x[j] * (1 + 0.05 * j);\n"
    "  v[0] = cos(0.5 * s) + 2;\n"
    "}\n";

static const struct run runs[] = {
    {"cubature",
     TESSERA_CUBATURE,
     3,
     2,
     1e-3,
     {TESSERA_SPARSE, TESSERA_RULE},
     {TESSERA_SPARSE_OFF, TESSERA_RULE_DEGREE9},
     .wave = 0},
    {"sparse grid alone", TESSERA_CUBATURE, 4, 1, 0.2, {TESSERA_SPARSE}, {TESSERA_SPARSE_ALONE}, .wave = 0},
    {"chosen", TESSERA_AUTO, 3, 2, 1e-4, {TESSERA_RULE}, {TESSERA_RULE_DEGREE9}, .wave = 0},
    {"lattice", TESSERA_LATTICE, 3, 2, 1e-4, {0}, {0}, .wave = 0},
    {"VEGAS",
     TESSERA_MONTECARLO,
     3,
     2,
     1e-3,
     {TESSERA_SAMPLING, TESSERA_GENERATOR},
     {TESSERA_SAMPLING_VEGAS, TESSERA_GENERATOR_PHILOX},
     .wave = 0},
    {"quadrature", TESSERA_QUADRATURE, 1, 2, 1e-10, {0}, {0}, .wave = 0},
    {"chosen, one variable", TESSERA_AUTO, 1, 2, 1e-8, {0}, {0}, .wave = 0},
    {"iterated", TESSERA_ITERATED, 2, 1, 1e-4, {0}, {0}, .wave = 0},
    {"beside sparse grids", TESSERA_CUBATURE, 9, 1, 1e-10, {TESSERA_RULE}, {TESSERA_RULE_GM7}, .wave = 1},
    {"plain",
     TESSERA_MONTECARLO,
     4,
     1,
     1e-5,
     {TESSERA_SAMPLING, TESSERA_GENERATOR},
     {TESSERA_SAMPLING_PLAIN, TESSERA_GENERATOR_PHILOX},
     .wave = 1},
    {"Sobol points",
     TESSERA_MONTECARLO,
     4,
     1,
     1e-7,
     {TESSERA_SAMPLING, TESSERA_GENERATOR},
     {TESSERA_SAMPLING_PLAIN, TESSERA_GENERATOR_SOBOL},
     .wave = 1},
};
enum { many_runs = sizeof runs / sizeof runs[0] };

struct end {
  int status;
  double value[2], error[2];
  int64_t evaluations;
};

static tessera_solver *solver_for(const struct run *r, int together) {
  tessera_solver *s = solver_of(r->ndim, r->ncomp);
  if (together) put_world(s);
  assert_status(s,
                tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, r->wave ? wave_text : kinks_text,
                                             r->wave ? "wave" : "kinks"),
                TESSERA_OK);
  tell_stand_in(r->ndim, r->ncomp);
  put_int(s, TESSERA_DEVICE, 0);
  put_real(s, TESSERA_RELTOL, r->reltol);
  put_int(s, TESSERA_KEEP_STATE, 1);
  put_int(s, TESSERA_MAXEVAL, 20000000000);
  for (int i = 0; i < 2 && r->keys[i]; ++i) put_int(s, r->keys[i], r->values[i]);
  return s;
}

static struct end end_of(tessera_solver *s, const struct run *r) {
  struct end e;
  memset(&e, 0, sizeof e);
  e.status = tessera_integrate(s, r->method, e.value, e.error);
  if (e.status < 0) fail_msg("%s: %s", r->name, tessera_last_error(s));
  assert_int_equal(got_int(s, TESSERA_DEVICE_USED), 0);
  e.evaluations = got_int(s, TESSERA_EVALUATIONS);
  return e;
}

static void begun_by_some_ended_by_others(void **state) {
  char path[64];
  (void)state;
  snprintf(path, sizeof path, my_rank == 0 ? "/tmp/tessera_device_ranks_%d" : "/nowhere/%d", (int)getpid());
  for (int i = 0; i < many_runs; ++i)
    for (int first_alone = 0; first_alone < 2; ++first_alone) {
      const struct run *const r = &runs[i];
      if (r->wave && is_stand_in()) continue;
      tessera_solver *s = solver_for(r, 0);
      const struct end all = end_of(s, r);
      tessera_destroy(s);
      if (my_rank == 0 && first_alone)
        print_message("  %-24s %lld evaluations: %.16g +- %.3e\n", r->name, (long long)all.evaluations, all.value[0],
                      all.error[0]);
      if (!first_alone || my_rank == 0) {
        s = solver_for(r, !first_alone);
        put_int(s, TESSERA_MAXEVAL, all.evaluations * 2 / 3);
        end_of(s, r);
        assert_status(s, tessera_save_state(s, path), TESSERA_OK);
        tessera_destroy(s);
      }
      MPI_Barrier(MPI_COMM_WORLD);
      if (first_alone || my_rank == 0) {
        s = solver_for(r, first_alone);
        assert_status(s, tessera_load_state(s, path), TESSERA_OK);
        const struct end rest = end_of(s, r);
        if (memcmp(&all, &rest, sizeof all) != 0)
          fail_msg("%s: %.17g after %lld evaluations, uninterrupted %.17g after %lld", r->name, rest.value[0],
                   (long long)rest.evaluations, all.value[0], (long long)all.evaluations);
        tessera_destroy(s);
      }
      MPI_Barrier(MPI_COMM_WORLD);
    }
  if (my_rank == 0) remove(path);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(begun_by_some_ended_by_others)};
  if (lacks_device(solver_for(&runs[0], 0), 0)) return no_device_here();
  return run_on_ranks(tests);
}
