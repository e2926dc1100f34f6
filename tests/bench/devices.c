/* One run on one device and on several of one machine (docs/scaling.md): milliseconds, the least of some runs with kernels compiled and contexts
 * made before, and whether value, error and evaluations have the same bits. CSV on standard output.
 * Usage: tessera_devices_bench [DEVICES [--smoke]]: on 1, 2, 4, ... up to so many (2). 1: an error, or other bits; 77: there is no device.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tessera.h>

enum { runs = 5, many_count = 100000 };

static const char text[] =
    "double kinks(const double *x) {\n" /* cheap */
    "  double s = 0;\n"
    "  for (int i = 0; i < TESSERA_NDIM; i++) s += fabs(x[i] - .3);\n"
    "  return exp(-s);\n"
    "}\n"
    "double waves(const double *x) {\n" /* some 200 sines */
    "  double s = 0, f = 0;\n"
    "  for (int i = 0; i < TESSERA_NDIM; i++) s += fabs(x[i] - .3);\n"
    "  for (int k = 1; k <= 200; k++) f += sin(k * s) / k;\n"
    "  return f + exp(-s);\n"
    "}\n"
    "double corner(const double *x, const double *a) {\n"
    "  double s = 1;\n"
    "  for (int i = 0; i < TESSERA_NDIM; i++) s += (i + 1) * a[0] * x[i];\n"
    "  return 1 / (s * s * s * s);\n"
    "}\n";

struct work {
  const char *name, *function;
  int ndim, method, sampling, generator; /* the last two of Monte Carlo, else 0 */
  double points;                         /* that the run may have */
};
static const struct work all[] = {
    {"lattice rule of 200 sines", "waves", 6, TESSERA_LATTICE, 0, 0, 1e9}, /* long enough to start the other devices */
    {"lattice rule", "kinks", 6, TESSERA_LATTICE, 0, 0, 1e10},
    {"plain Monte Carlo", "kinks", 6, TESSERA_MONTECARLO, TESSERA_SAMPLING_PLAIN, TESSERA_GENERATOR_PHILOX, 1e10},
    {"Sobol points", "kinks", 6, TESSERA_MONTECARLO, TESSERA_SAMPLING_PLAIN, TESSERA_GENERATOR_SOBOL, 8e9},
    {"VEGAS", "kinks", 6, TESSERA_MONTECARLO, TESSERA_SAMPLING_VEGAS, TESSERA_GENERATOR_PHILOX, 1e9},
    {"VEGAS of 200 sines", "waves", 6, TESSERA_MONTECARLO, TESSERA_SAMPLING_VEGAS, TESSERA_GENERATOR_PHILOX, 3e8},
    {"cubature", "kinks", 8, TESSERA_CUBATURE, 0, 0, 2e10},
    {"cubature of 200 sines", "waves", 8, TESSERA_CUBATURE, 0, 0, 1e9},
};

struct answer {
  double ms, value, error;
  int64_t evaluations, used;
};

/* A solver for the first so many devices; status tells whether it is ready. */
static tessera_solver *solver_of(int ndim, const char *function, double reltol, int devices, int *status) {
  int ordinals[64];
  tessera_solver *s = NULL;
  for (int i = 0; i < devices; ++i) ordinals[i] = i;
  *status = tessera_create(&s, ndim, 1);
  if (*status >= 0) *status = tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, text, function);
  if (*status >= 0)
    *status = devices == 1 ? tessera_set_int(s, TESSERA_DEVICE, 0) : tessera_set_devices(s, devices, ordinals);
  if (*status >= 0) *status = tessera_set_real(s, TESSERA_RELTOL, reltol);
  return s;
}

/* What the run before has left, and its time where that is the least; the first run compiles and starts devices. */
static void note(const tessera_solver *s, int run, struct answer *a) {
  double seconds = HUGE_VAL;
  tessera_get_real(s, TESSERA_SECONDS, &seconds);
  if (run <= 1 || 1e3 * seconds < a->ms) a->ms = 1e3 * seconds;
  tessera_get_int(s, TESSERA_EVALUATIONS, &a->evaluations);
  tessera_get_int(s, TESSERA_DEVICES_USED, &a->used);
}

/* Says what went wrong, if anything did. */
static int finish(tessera_solver *s, const char *what, int status) {
  if (status < 0) fprintf(stderr, "%s: %s\n", what, tessera_last_error(s));
  tessera_destroy(s);
  return status;
}

static int run(const struct work *w, double share, int devices, struct answer *a) {
  int status;
  tessera_solver *s = solver_of(w->ndim, w->function, 1e-14, devices, &status);
  if (status >= 0) status = tessera_set_int(s, TESSERA_MAXEVAL, (int64_t)(share * w->points));
  if (status >= 0 && w->sampling > 0) status = tessera_set_int(s, TESSERA_SAMPLING, w->sampling);
  if (status >= 0 && w->sampling > 0) status = tessera_set_int(s, TESSERA_GENERATOR, w->generator);
  if (status >= 0 && w->method == TESSERA_CUBATURE) status = tessera_set_int(s, TESSERA_SPARSE, TESSERA_SPARSE_OFF);
  for (int r = 0; r < runs && status >= 0; ++r) {
    status = tessera_integrate(s, w->method, &a->value, &a->error);
    note(s, r, a);
  }
  return finish(s, w->name, status);
}

static int run_many(int count, int devices, struct answer *a) {
  static double params[many_count], value[many_count], error[many_count];
  int status;
  tessera_solver *s = solver_of(3, "corner", 1e-6, devices, &status);
  for (int i = 0; i < count; ++i) params[i] = 0.75 + 0.5 * i / count;
  for (int r = 0; r < runs && status >= 0; ++r) {
    status = tessera_integrate_many(s, TESSERA_CUBATURE, count, params, sizeof *params, NULL, NULL, value, error, NULL);
    note(s, r, a);
  }
  a->value = a->error = 0;
  for (int i = 0; i < count; ++i) a->value += value[i], a->error += error[i];
  return finish(s, "many integrals", status);
}

/* Has it the bits that one device gives? */
static int print(const char *name, const struct answer *a, const struct answer *one) {
  const int same = memcmp(&a->value, &one->value, sizeof a->value) == 0 &&
                   memcmp(&a->error, &one->error, sizeof a->error) == 0 && a->evaluations == one->evaluations;
  printf("%s,%" PRId64 ",%.3f,%.2f,%" PRId64 ",%s\n", name, a->used, a->ms, one->ms / a->ms, a->evaluations,
         same ? "same" : "DIFFERENT");
  fflush(stdout);
  return same;
}

int main(int argc, char **argv) {
  const int most = argc > 1 ? atoi(argv[1]) : 2, small = argc > 2 && strcmp(argv[2], "--smoke") == 0;
  const int works = (int)(sizeof all / sizeof all[0]), count = small ? 100 : many_count;
  int failed = 0;
  if (most < 1 || most > 64) return fprintf(stderr, "DEVICES = 1 .. 64\n"), 2;
  printf("what,devices,ms,speed_up,evaluations,bits\n");
  for (int i = 0; i <= works; ++i) { /* many integrals come last */
    struct answer one = {0, 0, 0, 0, 0}, now = one;
    for (int n = 1; n <= most; n *= 2) {
      const int status = i < works ? run(&all[i], small ? 1e-3 : 1, n, &now) : run_many(count, n, &now);
      if (status == TESSERA_ERR_NOT_BUILT && n == 1) return 77;
      if (status < 0) return 1;
      if (n == 1) one = now;
      if (!print(i < works ? all[i].name : "many integrals", &now, &one)) failed = 1;
    }
  }
  return failed;
}
