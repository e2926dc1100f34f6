/* One run on one device and on several of one machine (docs/scaling.md): milliseconds, the least of some runs with kernels compiled and contexts
 * made before, and whether value, error and evaluations have the same bits. CSV on standard output.
 * Usage: tessera_devices_bench [DEVICES [--smoke]]: on 1, 2, 4, ... up to so many, or all that there are. 77: there is none.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tessera.h>

enum { most_runs = 5, many_count = 100000 };

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
  int64_t evaluations;
  int used;
};

static int fail(const tessera_solver *s, const char *what) {
  fprintf(stderr, "%s: %s\n", what, tessera_last_error(s));
  return -1;
}

static int on_devices(tessera_solver *s, int devices) {
  int ordinals[64];
  for (int i = 0; i < devices; ++i) ordinals[i] = i;
  return devices == 1 ? tessera_set_int(s, TESSERA_DEVICE, 0) : tessera_set_devices(s, devices, ordinals);
}

static int run(const struct work *w, double share, int devices, struct answer *a) {
  tessera_solver *s;
  if (tessera_create(&s, w->ndim, 1) < 0) return -1;
  int status = tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, text, w->function);
  if (status >= 0) status = on_devices(s, devices);
  if (status >= 0) status = tessera_set_int(s, TESSERA_MAXEVAL, (int64_t)(share * w->points));
  if (status >= 0) status = tessera_set_real(s, TESSERA_RELTOL, 1e-14);
  if (status >= 0 && w->sampling > 0) {
    status = tessera_set_int(s, TESSERA_SAMPLING, w->sampling);
    if (status >= 0) status = tessera_set_int(s, TESSERA_GENERATOR, w->generator);
  }
  if (status >= 0 && w->method == TESSERA_CUBATURE) status = tessera_set_int(s, TESSERA_SPARSE, TESSERA_SPARSE_OFF);
  a->ms = HUGE_VAL;
  int64_t used = 0;
  for (int r = 0; r < most_runs && status >= 0; ++r) {
    double seconds;
    status = tessera_integrate(s, w->method, &a->value, &a->error);
    tessera_get_real(s, TESSERA_SECONDS, &seconds);
    if (r > 0 && 1e3 * seconds < a->ms) a->ms = 1e3 * seconds;
  }
  tessera_get_int(s, TESSERA_EVALUATIONS, &a->evaluations);
  tessera_get_int(s, TESSERA_DEVICES_USED, &used);
  a->used = (int)used;
  if (status < 0) fail(s, w->name);
  tessera_destroy(s);
  return status;
}

static int run_many(int count, int devices, struct answer *a) {
  double *const params = malloc((size_t)count * sizeof *params), *const value = malloc((size_t)count * sizeof *value),
                *const error = malloc((size_t)count * sizeof *error);
  tessera_solver *s;
  if (!params || !value || !error || tessera_create(&s, 3, 1) < 0) return -1;
  for (int i = 0; i < count; ++i) params[i] = 0.75 + 0.5 * i / count;
  int status = tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, text, "corner");
  if (status >= 0) status = on_devices(s, devices);
  if (status >= 0) status = tessera_set_real(s, TESSERA_RELTOL, 1e-6);
  a->ms = HUGE_VAL;
  int64_t used = 0;
  for (int r = 0; r < most_runs && status >= 0; ++r) {
    double seconds;
    status = tessera_integrate_many(s, TESSERA_CUBATURE, count, params, sizeof *params, NULL, NULL, value, error, NULL);
    tessera_get_real(s, TESSERA_SECONDS, &seconds);
    if (r > 0 && 1e3 * seconds < a->ms) a->ms = 1e3 * seconds;
  }
  a->value = a->error = 0;
  for (int i = 0; i < count; ++i) a->value += value[i], a->error += error[i];
  tessera_get_int(s, TESSERA_EVALUATIONS, &a->evaluations);
  tessera_get_int(s, TESSERA_DEVICES_USED, &used);
  a->used = (int)used;
  if (status < 0) fail(s, "many integrals");
  tessera_destroy(s);
  free(params), free(value), free(error);
  return status;
}

static void print(const char *name, const struct answer *a, const struct answer *one) {
  const int same = memcmp(&a->value, &one->value, sizeof a->value) == 0 &&
                   memcmp(&a->error, &one->error, sizeof a->error) == 0 && a->evaluations == one->evaluations;
  printf("%s,%d,%.3f,%.2f,%" PRId64 ",%s\n", name, a->used, a->ms, one->ms / a->ms, a->evaluations,
         same ? "same" : "DIFFERENT");
  fflush(stdout);
}

int main(int argc, char **argv) {
  const int small = argc > 2 && strcmp(argv[2], "--smoke") == 0;
  const int most = argc > 1 ? atoi(argv[1]) : 64;
  struct answer one, several;
  printf("what,devices,ms,speed_up,evaluations,bits\n");
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
    const double share = small ? 1e-3 : 1;
    if (run(&all[i], share, 1, &one) < 0) return 77;
    print(all[i].name, &one, &one);
    for (int n = 2; n <= most && run(&all[i], share, n, &several) >= 0; n *= 2) print(all[i].name, &several, &one);
  }
  const int count = small ? 100 : many_count;
  if (run_many(count, 1, &one) < 0) return 77;
  print("many integrals", &one, &one);
  for (int n = 2; n <= most && run_many(count, n, &several) >= 0; n *= 2) print("many integrals", &several, &one);
  return 0;
}
