/* Measuring through the public interface: one run of a solver, repetition until the figure is steady, median, spread.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESSERA_BENCH_MEASURE_H
#define TESSERA_BENCH_MEASURE_H

#include <stdint.h>
#include <tessera.h>

/* An integral over the unit cube and the options that matter here; the others keep their defaults. */
struct problem {
  int ndim;
  tessera_integrand1 point; /* one of the two */
  tessera_integrand batch;
  void *userdata;
  int rule, selection, estimate, threads; /* 0: the default (threads 0: one thread) */
  int method;                             /* 0: cubature; Monte Carlo is VEGAS */
  int64_t maxeval;
  double reltol; /* 0: use up all evaluations */
};

struct result {
  int status;
  double value, error;
  int64_t evaluations, regions, iterations, region_bytes, peak_bytes, rule_points;
  double cpu, wall; /* seconds */
};

/* One run. Ends the program when there is no result. */
struct result run_once(const struct problem *p);

/* CPU seconds of this process so far, all its threads together: what others do on the machine disturbs it less than the
 * clock on the wall. */
double cpu_seconds(void);

struct sample {
  int runs;
  double median, least, spread; /* spread: distance of the quartiles over the median */
};

/* How long to repeat: at least `least` runs and `seconds` in all, at most `most` runs. Where one run takes very long
 * (more than 3 * seconds), one is enough. */
struct effort {
  double seconds;
  int least, most;
};

/* Collects figures until the effort has been made:
 *   struct samples s = {0}; while (samples_wanted(&s, &effort)) samples_add(&s, figure, seconds spent);
 * The first one is a warm-up and left out, unless it took very long. */
enum { most_samples = 200 };
struct samples {
  int count;
  int warm;
  double spent, figure[most_samples];
};
int samples_wanted(const struct samples *s, const struct effort *e);
void samples_add(struct samples *s, const struct effort *e, double figure, double seconds);
struct sample samples_summary(const struct samples *s);

/* Repeats a run; *last is one of them (with one thread or many all give the same result). figure: CPU seconds. */
struct sample repeat(const struct problem *p, const struct effort *e, struct result *last);

/* The processor's name from /proc/cpuinfo. */
const char *machine_name(void);

#endif
