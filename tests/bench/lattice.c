/* Benchmarks of lattice rules and of the construction of their vectors, through the public interface. Writes one table of
 * comma-separated values, with machine, compiler and commit in its head.
 *
 *   tessera_bench_lattice speed | accuracy | cbc [--commit ID]
 *   tessera_bench_lattice --smoke       all of them on small problems, with checks: a test
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _XOPEN_SOURCE 700
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "applications.h"
#include "measure.h"

#ifndef BENCH_FLAGS
#define BENCH_FLAGS ""
#endif

static int smoke, failures;

static void expect(int holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "failed: %s\n", what);
  ++failures;
}

static const struct {
  const char *name;
  int value;
} transforms[] = {{"none", TESSERA_TRANSFORM_NONE},          {"baker", TESSERA_TRANSFORM_BAKER},
                  {"korobov-1", TESSERA_TRANSFORM_KOROBOV1}, {"korobov-2", TESSERA_TRANSFORM_KOROBOV2},
                  {"korobov-3", TESSERA_TRANSFORM_KOROBOV3}, {"sidi-3", TESSERA_TRANSFORM_SIDI3}};
enum { transform_count = sizeof transforms / sizeof transforms[0] };

struct run {
  int status;
  double value, error, cpu;
  int64_t evaluations, points;
};

/* n points and 32 shifts of the built-in vector, nothing else. */
static struct run run_rule(const struct application *app, int transform, int64_t n) {
  tessera_solver *s;
  struct run r;
  if (tessera_create(&s, app->ndim, 1) < 0) abort();
  tessera_set_integrand(s, app->batch, NULL);
  tessera_set_int(s, TESSERA_TRANSFORM, transform);
  tessera_set_int(s, TESSERA_POINTS, n / 2);
  tessera_set_int(s, TESSERA_MAXEVAL, 32 * n);
  tessera_set_real(s, TESSERA_RELTOL, 0);
  const double start = cpu_seconds();
  r.status = tessera_integrate(s, TESSERA_LATTICE, &r.value, &r.error);
  r.cpu = cpu_seconds() - start;
  if (r.status < 0) {
    fprintf(stderr, "%s: %s\n", app->name, tessera_last_error(s));
    exit(1);
  }
  tessera_get_int(s, TESSERA_EVALUATIONS, &r.evaluations);
  tessera_get_int(s, TESSERA_POINTS_USED, &r.points);
  tessera_destroy(s);
  return r;
}

/* One thread: points a second of CPU time. */
static void speed(void) {
  const struct effort e = smoke ? (struct effort){0, 1, 1} : (struct effort){0.5, 3, 20};
  printf("application,ndim,transform,evaluations,runs,points_per_second,most,spread\n");
  for (int a = 0; a < application_count; ++a)
    for (int t = 0; t < transform_count; ++t) {
      struct samples all = {0};
      struct run r;
      do {
        r = run_rule(&applications[a], transforms[t].value, smoke ? 2048 : 65536);
        samples_add(&all, &e, r.cpu / (double)r.evaluations, r.cpu);
      } while (samples_wanted(&all, &e));
      const struct sample s = samples_summary(&all);
      printf("%s,%d,%s,%" PRId64 ",%d,%.3e,%.3e,%.3f\n", applications[a].name, applications[a].ndim, transforms[t].name,
             r.evaluations, s.runs, 1 / s.median, 1 / s.least, s.spread);
      fflush(stdout);
    }
}

/* Weights that vary more than a rule can see are left out. */
static int app_is_low(int a) { return applications[a].ndim <= 12; }

/* Error against n. */
static void accuracy(void) {
  int above = 0, rows = 0;
  printf("application,ndim,transform,points,evaluations,value,relative_estimate,relative_true_error\n");
  for (int a = 0; a < application_count; ++a)
    for (int t = 0; t < transform_count; ++t)
      for (int64_t n = 1024;
           (app_is_low(a) || transforms[t].value <= TESSERA_TRANSFORM_BAKER) && n <= (smoke ? 4096 : 1 << 17);
           n *= smoke ? 4 : 2) {
        const struct application *app = &applications[a];
        const struct run r = run_rule(app, transforms[t].value, n);
        const double off = fabs(r.value - app->exact);
        printf("%s,%d,%s,%" PRId64 ",%" PRId64 ",%.15g,%.3e,%.3e\n", app->name, app->ndim, transforms[t].name, r.points,
               r.evaluations, r.value, r.error / app->exact, off / app->exact);
        fflush(stdout);
        if (r.error > 0.01 * app->exact) continue; /* shifts that have not seen the peaks know nothing of them */
        ++rows;
        above += off > r.error + app->published;
      }
  printf("# where the estimate is below 1e-2: %d of %d true errors above it (confidence 0.99)\n", above, rows);
  expect(above <= 0.03 * rows + 2, "true errors are below the estimate");
}

/* The construction, one thread, 100 components, weights 1/j^2. */
static void cbc(void) {
  const struct {
    int64_t n, least;
    int precision;
  } cases[] = {{100801, 0, 64}, {1008001, 0, 64}, {1008001, 0, 32}, {1 << 20, 0, 64}, {1 << 20, 1024, 64}};
  printf("n,least,bits,components,plan_s,cpu_s,wall_s,bytes,merit,ratio\n");
  for (int c = 0; c < (int)(sizeof cases / sizeof cases[0]); ++c) {
    tessera_lattice *l;
    const int ndim = smoke ? 10 : 100;
    int64_t n = smoke ? (cases[c].n % 2 ? 1009 : 4096) : cases[c].n, bytes, prime;
    double seconds, plan, merit, ratio;
    if (cases[c].n % 2 && (tessera_lattice_prime(n, 7, &prime) < 0)) abort();
    if (cases[c].n % 2) n = prime;
    if (tessera_lattice_create(&l, ndim) < 0) abort();
    tessera_lattice_set_int(l, TESSERA_LATTICE_LEAST, cases[c].least);
    tessera_lattice_set_int(l, TESSERA_LATTICE_PRECISION, cases[c].precision);
    const double start = cpu_seconds();
    const int status = tessera_lattice_construct(l, n);
    const double cpu = cpu_seconds() - start;
    if (status == TESSERA_ERR_NOT_BUILT) {
      printf("# %s\n", tessera_lattice_last_error(l));
      tessera_lattice_destroy(l);
      return;
    }
    expect(status == TESSERA_OK, "the construction succeeds");
    tessera_lattice_get_int(l, TESSERA_LATTICE_BYTES, &bytes);
    tessera_lattice_get_real(l, TESSERA_LATTICE_SECONDS, &seconds);
    tessera_lattice_get_real(l, TESSERA_LATTICE_PLAN_SECONDS, &plan);
    tessera_lattice_get_real(l, TESSERA_LATTICE_MERIT, &merit);
    tessera_lattice_get_real(l, TESSERA_LATTICE_RATIO, &ratio);
    printf("%" PRId64 ",%" PRId64 ",%d,%d,%.3f,%.3f,%.3f,%" PRId64 ",%.6e,%.4f\n", n, cases[c].least,
           cases[c].precision, ndim, plan, cpu, seconds, bytes, merit, ratio);
    fflush(stdout);
    tessera_lattice_destroy(l);
  }
}

static const struct {
  const char *name;
  void (*run)(void);
} benchmarks[] = {{"speed", speed}, {"accuracy", accuracy}, {"cbc", cbc}};

int main(int argc, char **argv) {
  const char *wanted = NULL, *commit = getenv("TESSERA_COMMIT");
  int bad = 0, found = 0;
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--smoke") == 0)
      smoke = 1;
    else if (strcmp(argv[i], "--commit") == 0 && i + 1 < argc)
      commit = argv[++i];
    else if (argv[i][0] != '-' && !wanted)
      wanted = argv[i];
    else
      bad = 1;
  }
  for (int b = 0; !bad && b < 3; ++b) {
    if (wanted ? strcmp(wanted, benchmarks[b].name) != 0 : !smoke) continue;
    found = 1;
    printf("# lattice-%s; machine: %s, %ld processors; compiler: %s; tessera %s, commit %s\n", benchmarks[b].name,
           machine_name(), sysconf(_SC_NPROCESSORS_ONLN), BENCH_FLAGS, tessera_version_string(),
           commit ? commit : "unknown");
    benchmarks[b].run();
  }
  if (!found) {
    fprintf(stderr, "usage: %s speed|accuracy|cbc [--commit ID] [--smoke]\n", argv[0]);
    return 2;
  }
  return failures > 0;
}
