/* States in files of runs on devices with ranks, all of them on device 0: what some ranks have begun others end, with the bits of one process. Skipped where there is
 * no device. SPDX-License-Identifier: BSD-3-Clause */
#include "../parity/device_runs.h"
#include "kept_runs.h"
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

static tessera_solver *solver_for(const void *of_run, int together) {
  const struct run *const r = of_run;
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

static void begun_by_some_ended_by_others(void **state) {
  (void)state;
  for (int i = 0; i < many_runs; ++i)
    for (int first_alone = 0; first_alone < 2; ++first_alone) {
      const struct run *const r = &runs[i];
      if (r->wave && is_stand_in()) continue;
      tessera_solver *s = solver_for(r, 0);
      const struct end all = end_of(s, r->name, r->method);
      tessera_destroy(s);
      if (my_rank == 0 && first_alone)
        print_message("  %-24s %lld evaluations: %.16g +- %.3e\n", r->name, (long long)all.evaluations, all.value[0],
                      all.error[0]);
      const struct end rest = end_in_parts(solver_for, r, r->name, r->method, &all, first_alone);
      assert_same_end(r->name, &all, &rest);
    }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(begun_by_some_ended_by_others)};
  if (lacks_device(solver_for(&runs[0], 0), 0)) return no_device_here();
  return run_on_ranks(tests);
}
