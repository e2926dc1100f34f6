/* Benchmarks through the public interface. Writes one table of comma-separated values, with the error reached beside
 * the time, and machine, compiler and commit in its head. scripts/bench-host runs them all; docs/benchmarks.md explains
 * the figures.
 *
 *   tessera_bench BENCHMARK [--commit ID]    (or the environment variable TESSERA_COMMIT)
 *   tessera_bench --smoke                    all of them on small problems, with checks: a test
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _XOPEN_SOURCE 700
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cases.h"
#include "measure.h"

#ifndef BENCH_FLAGS
#define BENCH_FLAGS ""
#endif

static int smoke;    /* small sizes */
static int failures; /* of the checks that every run makes */

static void expect(int holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "failed: %s\n", what);
  ++failures;
}

static int64_t size(double full, double small) { return (int64_t)(smoke ? small : full); }
static struct effort effort(double seconds, int least, int most) {
  const struct effort full = {seconds, least, most}, small = {0, 1, 1};
  return smoke ? small : full;
}

static const char *selection_name(int selection) { return selection == TESSERA_SELECT_BULK ? "bulk" : "worst-first"; }
static const char *estimate_name(int estimate) { return estimate == TESSERA_ESTIMATE_CLASSIC ? "classic" : "robust"; }

/* ---- Integrands -------------------------------------------------------------------------------------------------- */
static int empty_point(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)x, (void)ncomp, (void)userdata;
  f[0] = 1;
  return 0;
}

/* Counts the points of its calls; userdata is a struct calls. */
struct calls {
  int64_t count, points, least, short_points; /* short: fewer than 4096 points */
};
static int empty_batch(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf,
                       void *userdata) {
  struct calls *c = userdata;
  (void)ndim, (void)x, (void)ldx, (void)ncomp, (void)ldf;
  for (int64_t i = 0; i < n; ++i) f[i] = 1;
  ++c->count;
  c->points += n;
  if (c->least == 0 || n < c->least) c->least = n;
  if (n < 4096) c->short_points += n;
  return 0;
}

/* sum |x_i - u_i| */
static double kink_place[genz_max_ndim];
static int kink(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ncomp, (void)userdata;
  double s = 0;
  for (int i = 0; i < ndim; ++i) s += fabs(x[i] - kink_place[i]);
  f[0] = s;
  return 0;
}
static int kink_batch(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf,
                      void *userdata) {
  empty_batch(n, ndim, x, ldx, ncomp, f, ldf, userdata); /* counts */
  for (int64_t i = 0; i < n; ++i) f[i] = 0;
  for (int j = 0; j < ndim; ++j)
    for (int64_t i = 0; i < n; ++i) f[i] += fabs(x[j * ldx + i] - kink_place[j]);
  return 0;
}
static double kink_exact(int ndim) {
  double s = 0;
  for (int i = 0; i < ndim; ++i) s += 0.5 * (kink_place[i] * kink_place[i] + (1 - kink_place[i]) * (1 - kink_place[i]));
  return s;
}

/* |x1 + x2 + x3 - 1.3|, a kink that no cut removes. The integral is 2 E(S - 1.3)+ - E(S - 1.3) for a sum S of three
 * uniform numbers, and E(S - 1.3)+ = E(1.7 - S)+ = (1.7^4 - 3 * 0.7^4)/4! */
static const double diagonal_exact = 2 * (1.7 * 1.7 * 1.7 * 1.7 - 3 * 0.7 * 0.7 * 0.7 * 0.7) / 24 - 0.2;
static int diagonal(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp, (void)userdata;
  f[0] = fabs(x[0] + x[1] + x[2] - 1.3);
  return 0;
}

/* The kink again, after sines that change nothing. */
static int slow_kink(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double s = 0;
  for (int i = 1; i <= 14; ++i) s += sin(i * x[0]);
  const int status = kink(ndim, x, ncomp, f, userdata);
  f[0] += s > 1e3;
  return status;
}

/* ---- Overhead: a run with an empty integrand less the bare calls ------------------------------------------------- */
static double bare_points(tessera_integrand1 volatile fn, int ndim, int64_t n) {
  double x[genz_max_ndim] = {0.5}, f = 0;
  const double start = cpu_seconds();
  for (int64_t i = 0; i < n; ++i)
    if (fn(ndim, x, 1, &f, NULL) != 0) break;
  return cpu_seconds() - start;
}

static double bare_batches(tessera_integrand volatile fn, int ndim, int64_t calls, int64_t n) {
  double *x = calloc((size_t)(n * ndim), sizeof *x), *f = calloc((size_t)n, sizeof *f);
  struct calls c = {0};
  if (!x || !f) abort();
  const double start = cpu_seconds();
  for (int64_t i = 0; i < calls; ++i)
    if (fn(n, ndim, x, n, 1, f, n, &c) != 0) break;
  const double seconds = cpu_seconds() - start;
  free(x);
  free(f);
  return seconds;
}

static void overhead_row(int ndim, int batch, int selection) {
  struct calls calls = {0};
  struct problem p = {.ndim = ndim, .rule = TESSERA_RULE_DEGREE9, .selection = selection, .maxeval = size(1e7, 1e5)};
  if (batch) {
    p.batch = empty_batch;
    p.userdata = &calls;
  } else {
    p.point = empty_point;
  }
  const struct effort e = effort(2, 9, 100);
  struct samples all = {0}, whole = {0}, bare = {0};
  struct result r;
  do {
    memset(&calls, 0, sizeof calls);
    r = run_once(&p);
    const double b = batch ? bare_batches(empty_batch, ndim, calls.count, calls.points / calls.count)
                           : bare_points(empty_point, ndim, r.evaluations);
    const double ns = 1e9 / (double)r.evaluations;
    samples_add(&all, &e, (r.cpu - b) * ns, r.wall + b);
    samples_add(&whole, &e, r.cpu * ns, r.wall + b);
    samples_add(&bare, &e, b * ns, r.wall + b);
  } while (samples_wanted(&all, &e));
  const struct sample o = samples_summary(&all);
  printf("%d,%s,%s,%" PRId64 ",%" PRId64 ",%d,%.2f,%.2f,%.2f,%.2f,%.3f,%.1e\n", ndim, batch ? "batch" : "point",
         selection_name(selection), r.rule_points, r.evaluations, o.runs, samples_summary(&whole).median,
         samples_summary(&bare).median, o.median, o.least, o.spread, fabs(r.value - 1));
  expect(fabs(r.value - 1) < 1e-10, "the empty integrand has the value 1");
  expect(r.evaluations > p.maxeval - 2 * r.rule_points && r.evaluations <= p.maxeval, "all evaluations are used up");
}

static void overhead(void) {
  printf(
      "ndim,integrand,selection,rule_points,evaluations,runs,whole_ns,bare_ns,overhead_ns,least_overhead_ns,spread,"
      "true_error\n");
  const int dims[] = {3, 5, 8};
  for (int i = 0; i < 3; ++i) {
    overhead_row(dims[i], 0, TESSERA_SELECT_WORST_FIRST);
    overhead_row(dims[i], 0, TESSERA_SELECT_BULK);
    overhead_row(dims[i], 1, TESSERA_SELECT_WORST_FIRST);
    overhead_row(dims[i], 1, TESSERA_SELECT_BULK);
  }
}

/* ---- Kink: a whole run of 1e7 evaluations in three variables ----------------------------------------------------- */
static void kink_runs(void) {
  printf(
      "ndim,rule_points,selection,estimate,evaluations,regions,runs,cpu_s,least_cpu_s,spread,value,error_estimate,"
      "true_error\n");
  const int rules[] = {TESSERA_RULE_AUTO, TESSERA_RULE_DEGREE9};
  for (int rule = 0; rule < 2; ++rule)
    for (int estimate = 0; estimate < 2; ++estimate) {
      const struct problem p = {
          .ndim = 3, .point = kink, .rule = rules[rule], .estimate = estimate, .maxeval = size(1e7, 1e5)};
      const struct effort e = effort(3, 9, 100);
      struct result r;
      const struct sample t = repeat(&p, &e, &r);
      printf("3,%" PRId64 ",%s,%s,%" PRId64 ",%" PRId64 ",%d,%.4f,%.4f,%.3f,%.15g,%.3e,%.3e\n", r.rule_points,
             selection_name(0), estimate_name(estimate), r.evaluations, r.regions, t.runs, t.median, t.least, t.spread,
             r.value, r.error, fabs(r.value - kink_exact(3)));
      if (rules[rule] == TESSERA_RULE_AUTO) /* degree 9 misses a kink here: docs/methods.md, "Honest errors" */
        expect(fabs(r.value - kink_exact(3)) <= r.error, "the error of the kink is within its estimate");
    }
}

/* ---- Growth: time per evaluation and memory of short and long runs ----------------------------------------------- */
static void growth(void) {
  printf(
      "ndim,rule_points,selection,evaluations,regions,runs,cpu_s,least_cpu_s,ns_per_evaluation,ratio,spread,"
      "region_bytes,allowed_region_bytes,peak_bytes,peak_bytes_per_region,error_estimate,true_error\n");
  const int rules[] = {TESSERA_RULE_AUTO, TESSERA_RULE_DEGREE9};
  const int selections[] = {TESSERA_SELECT_WORST_FIRST, TESSERA_SELECT_BULK};
  const double sizes[] = {1e6, 1e7, 1e8}, small[] = {1e4, 3e4, 1e5};
  for (int rule = 0; rule < 2; ++rule)
    for (int sel = 0; sel < 2; ++sel) {
      double first = 0;
      for (int i = 0; i < 3; ++i) {
        const struct problem p = {.ndim = 3,
                                  .point = diagonal,
                                  .rule = rules[rule],
                                  .selection = selections[sel],
                                  .maxeval = size(sizes[i], small[i])};
        const struct effort e = effort(2, 5, 100);
        struct result r;
        const struct sample t = repeat(&p, &e, &r);
        const double ns = 1e9 * t.least / (double)r.evaluations;
        const int64_t allowed = (2 * 3 + 2 * 1 + 3) * (int64_t)sizeof(double);
        if (i == 0) first = ns;
        printf("3,%" PRId64 ",%s,%" PRId64 ",%" PRId64 ",%d,%.4f,%.4f,%.2f,%.2f,%.3f,%" PRId64 ",%" PRId64 ",%" PRId64
               ",%.1f,%.3e,%.3e\n",
               r.rule_points, selection_name(selections[sel]), r.evaluations, r.regions, t.runs, t.median, t.least, ns,
               first > 0 ? ns / first : 0, t.spread, r.region_bytes, allowed, r.peak_bytes,
               (double)r.peak_bytes / (double)r.regions, r.error, fabs(r.value - diagonal_exact));
        fflush(stdout);
        expect(r.region_bytes <= allowed, "a region takes no more than (2*ndim + 2*ncomp + 3) doubles");
      }
    }
}

/* ---- Suite: f1 to f8 at four tolerances -------------------------------------------------------------------------- */
static int false_successes[2][2]; /* [estimate][bulk] */
static int claims[2][2];

/* Returns the status. */
static int suite_row(const struct suite_case *c, double reltol, int selection, int estimate) {
  const struct problem p = {.ndim = c->ndim,
                            .point = c->fn,
                            .selection = selection,
                            .estimate = estimate,
                            .maxeval = size(2e8, 3e5),
                            .reltol = reltol};
  const struct effort e = effort(0.3, 3, 25);
  struct result r;
  const struct sample t = repeat(&p, &e, &r);
  const double error = fabs(r.value / c->exact - 1);
  const int is_false = r.status == TESSERA_OK && !(error <= reltol);
  claims[estimate][selection == TESSERA_SELECT_BULK] += r.status == TESSERA_OK;
  false_successes[estimate][selection == TESSERA_SELECT_BULK] += is_false;
  printf("%s,%.0e,%s,%s,%d,%" PRId64 ",%" PRId64 ",%" PRId64 ",%d,%.6f,%.3f,%.17g,%.3e,%.3e,%d\n", c->name, reltol,
         selection_name(selection), estimate_name(estimate), r.status, r.evaluations, r.regions, r.iterations, t.runs,
         t.median, t.spread, r.value, fabs(r.error / c->exact), error, is_false);
  fflush(stdout);
  expect(r.evaluations <= p.maxeval, "the limit of evaluations is kept");
  return r.status;
}

static void suite_runs(void) {
  printf(
      "case,reltol,selection,estimate,status,evaluations,regions,iterations,runs,cpu_s,spread,value,"
      "relative_estimate,relative_true_error,false_success\n");
  const int selections[] = {TESSERA_SELECT_WORST_FIRST, TESSERA_SELECT_BULK};
  for (int estimate = 0; estimate < 2; ++estimate)
    for (int sel = 0; sel < 2; ++sel)
      for (int i = 0; i < suite_size; ++i)
        for (int digits = 3; digits <= (smoke ? 3 : 6); ++digits) /* what one tolerance cannot reach, the next cannot */
          if (suite_row(&suite[i], pow(10, -digits), selections[sel], estimate) == TESSERA_LIMIT_EVALUATIONS) break;
  for (int estimate = 0; estimate < 2; ++estimate)
    for (int sel = 0; sel < 2; ++sel)
      printf("# %s %s: %d false of %d successes\n", estimate_name(estimate), selection_name(selections[sel]),
             false_successes[estimate][sel], claims[estimate][sel]);
  expect(false_successes[0][0] == 0 && false_successes[0][1] == 0, "the robust estimate claims nothing falsely");
}

/* ---- Batch: points a call ---------------------------------------------------------------------------------------- */
static void batch(void) {
  printf(
      "ndim,rule_points,selection,evaluations,steps,calls,least_points,mean_points,share_in_calls_below_4096,"
      "error_estimate,true_error\n");
  const int dims[] = {2, 3, 5, 8, 12};
  const int selections[] = {TESSERA_SELECT_BULK, TESSERA_SELECT_WORST_FIRST};
  for (int sel = 0; sel < 2; ++sel)
    for (int i = 0; i < 5; ++i) {
      struct calls c = {0};
      const struct problem p = {.ndim = dims[i],
                                .batch = kink_batch,
                                .userdata = &c,
                                .selection = selections[sel],
                                .maxeval = size(1e8, 1e6)};
      const struct result r = run_once(&p);
      printf("%d,%" PRId64 ",%s,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%.0f,%.4f,%.3e,%.3e\n", dims[i],
             r.rule_points, selection_name(selections[sel]), r.evaluations, r.iterations, c.count, c.least,
             (double)c.points / (double)c.count, (double)c.short_points / (double)c.points, r.error,
             fabs(r.value - kink_exact(dims[i])));
      fflush(stdout);
      expect(c.points >= r.evaluations, "the batches hold all evaluations");
    }
}

/* ---- Threads ----------------------------------------------------------------------------------------------------- */
static void threads(void) {
  const struct {
    const char *name;
    int method, selection;
  } methods[] = {{"cubature worst first", TESSERA_CUBATURE, TESSERA_SELECT_WORST_FIRST},
                 {"cubature bulk", TESSERA_CUBATURE, TESSERA_SELECT_BULK},
                 {"lattice", TESSERA_LATTICE, 0},
                 {"VEGAS", TESSERA_MONTECARLO, 0}};
  printf("ndim,method,threads,evaluations,runs,wall_s,least_wall_s,cpu_s,speed_up,same_bits,true_error\n");
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  enum { most_counts = 8 };
  int counts = 2; /* of threads: 1, 2, 4, ... */
  while (!smoke && counts < most_counts && 1 << counts <= processors) ++counts;
  for (int m = 0; m < 4; ++m) {
    struct samples wall[most_counts] = {{0}}, cpu[most_counts] = {{0}};
    struct result r[most_counts];
    const struct effort turns = effort(0, 3, 3);
    while (samples_wanted(&wall[0], &turns)) /* they take turns: a machine is not as quick all the time */
      for (int c = 0; c < counts; ++c) {
        const struct problem p = {.ndim = 5,
                                  .point = slow_kink,
                                  .method = methods[m].method,
                                  .selection = methods[m].selection,
                                  .threads = 1 << c,
                                  .maxeval = size(2e7, 5e4)};
        r[c] = run_once(&p);
        samples_add(&wall[c], &turns, r[c].wall, 0);
        samples_add(&cpu[c], &turns, r[c].cpu, 0);
      }
    const double one = samples_summary(&wall[0]).median;
    for (int c = 0; c < counts; ++c) {
      const struct sample w = samples_summary(&wall[c]);
      printf("5,%s,%d,%" PRId64 ",%d,%.4f,%.4f,%.4f,%.2f,%d,%.3e\n", methods[m].name, 1 << c, r[c].evaluations, w.runs,
             w.median, w.least, samples_summary(&cpu[c]).median, one / w.median, r[c].value == r[0].value,
             fabs(r[c].value - kink_exact(5)));
      expect(r[c].value == r[0].value, "the value does not depend on the number of threads");
    }
    fflush(stdout);
  }
}

/* ---- Which ------------------------------------------------------------------------------------------------------- */
static const struct {
  const char *name;
  void (*run)(void);
} benchmarks[] = {{"overhead", overhead}, {"kink", kink_runs}, {"growth", growth},
                  {"suite", suite_runs},  {"batch", batch},    {"threads", threads}};
enum { benchmark_count = sizeof benchmarks / sizeof benchmarks[0] };

int main(int argc, char **argv) {
  const char *wanted = NULL, *commit = getenv("TESSERA_COMMIT");
  int bad = 0;
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
  for (int i = 0; i < genz_max_ndim; ++i) kink_place[i] = 0.5 + 0.3 * sin(1 + 2 * i);
  int found = 0;
  for (int b = 0; !bad && b < benchmark_count; ++b) {
    if (wanted ? strcmp(wanted, benchmarks[b].name) != 0 : !smoke) continue;
    found = 1;
    printf("# %s; machine: %s, %ld processors; compiler: %s; tessera %s, commit %s\n", benchmarks[b].name,
           machine_name(), sysconf(_SC_NPROCESSORS_ONLN), BENCH_FLAGS, tessera_version_string(),
           commit ? commit : "unknown");
    benchmarks[b].run();
  }
  if (!found) {
    fprintf(stderr, "usage: %s BENCHMARK [--commit ID] [--smoke]\nbenchmarks:", argv[0]);
    for (int b = 0; b < benchmark_count; ++b) fprintf(stderr, " %s", benchmarks[b].name);
    fprintf(stderr, "\n");
    return 2;
  }
  return failures > 0;
}
