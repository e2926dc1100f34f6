/* SPDX-License-Identifier: BSD-3-Clause */
#define _XOPEN_SOURCE 700
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(const tessera_solver *s, int status) {
  if (status >= 0) return;
  fprintf(stderr, "%s: %s\n", tessera_status_string(status), s ? tessera_last_error(s) : "");
  exit(1);
}

struct result run_once(const struct problem *p) {
  struct result r;
  tessera_solver *s;
  check(NULL, tessera_create(&s, p->ndim, 1));
  check(s,
        p->batch ? tessera_set_integrand(s, p->batch, p->userdata) : tessera_set_integrand1(s, p->point, p->userdata));
  check(s, tessera_set_int(s, TESSERA_RULE, p->rule));
  check(s, tessera_set_int(s, TESSERA_SELECTION, p->selection));
  check(s, tessera_set_int(s, TESSERA_ESTIMATE, p->estimate));
  check(s, tessera_set_int(s, TESSERA_THREADS, p->threads > 0 ? p->threads : 1));
  check(s, tessera_set_int(s, TESSERA_MAXEVAL, p->maxeval));
  check(s, tessera_set_int(s, TESSERA_MINEVAL, p->reltol > 0 ? 0 : p->maxeval));
  check(s, tessera_set_real(s, TESSERA_RELTOL, p->reltol));
  const int method = p->method > 0 ? p->method : TESSERA_CUBATURE;
  if (method == TESSERA_MONTECARLO) check(s, tessera_set_int(s, TESSERA_SAMPLING, TESSERA_SAMPLING_VEGAS));
  const double cpu = cpu_seconds();
  r.status = tessera_integrate(s, method, &r.value, &r.error);
  r.cpu = cpu_seconds() - cpu;
  check(s, r.status);
  tessera_get_real(s, TESSERA_SECONDS, &r.wall);
  tessera_get_int(s, TESSERA_EVALUATIONS, &r.evaluations);
  tessera_get_int(s, TESSERA_REGIONS, &r.regions);
  tessera_get_int(s, TESSERA_ITERATIONS, &r.iterations);
  tessera_get_int(s, TESSERA_REGION_BYTES, &r.region_bytes);
  tessera_get_int(s, TESSERA_PEAK_MEMORY, &r.peak_bytes);
  tessera_get_int(s, TESSERA_RULE_POINTS, &r.rule_points);
  tessera_destroy(s);
  return r;
}

static int very_long(const struct effort *e, double seconds) { return seconds > 3 * e->seconds; }

int samples_wanted(const struct samples *s, const struct effort *e) {
  if (s->count == 0) return 1;
  if (s->count >= e->most || s->count >= most_samples || very_long(e, s->spent / s->count)) return 0;
  return s->count < e->least || s->spent < e->seconds;
}

void samples_add(struct samples *s, const struct effort *e, double figure, double seconds) {
  if (!s->warm) {
    s->warm = 1;
    if (!very_long(e, seconds)) return;
  }
  s->figure[s->count++] = figure;
  s->spent += seconds;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

struct sample samples_summary(const struct samples *s) {
  double v[most_samples];
  const int n = s->count;
  memcpy(v, s->figure, (size_t)n * sizeof *v);
  qsort(v, (size_t)n, sizeof *v, ascending);
  const double median = 0.5 * (v[(n - 1) / 2] + v[n / 2]);
  const struct sample r = {n, median, v[0], median != 0 ? (v[3 * (n - 1) / 4] - v[(n - 1) / 4]) / median : 0};
  return r;
}

struct sample repeat(const struct problem *p, const struct effort *e, struct result *last) {
  struct samples s = {0};
  while (samples_wanted(&s, e)) {
    *last = run_once(p);
    samples_add(&s, e, last->cpu, last->wall);
  }
  return samples_summary(&s);
}

const char *machine_name(void) {
  static char name[128] = "unknown";
  char line[256];
  FILE *f = fopen("/proc/cpuinfo", "r");
  if (!f) return name;
  while (fgets(line, sizeof line, f)) {
    if (strncmp(line, "model name", 10) != 0) continue;
    const char *colon = strchr(line, ':');
    if (colon) sscanf(colon + 1, " %127[^\n]", name);
    break;
  }
  fclose(f);
  return name;
}
