/* Problems on which runs have claimed success with a wrong value or an error estimate far below the true error, and
 * the judgement of a run: the estimate has to bound the true error, and with status 0 the true error has to be within
 * the tolerance.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESSERA_TESTS_OUTSIDE_H
#define TESSERA_TESTS_OUTSIDE_H

#include <stdint.h>

#include "tessera.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { outside_most_ndim = 10, outside_most_ncomp = 5, outside_most_tolerances = 3 };

/* The integrands' parameter block. */
struct outside_params {
  double a, c[outside_most_ndim];
};

struct outside_instance {
  double lower[outside_most_ndim], upper[outside_most_ndim], exact[outside_most_ncomp];
  struct outside_params params;
};

/* A family of instances with a seed each: 1, 2, .. instances. */
struct outside_problem {
  const char *name;
  const char *function; /* in outside_integrand.c */
  tessera_integrand1 fn;
  int ndim, ncomp, instances;
  double tolerance[outside_most_tolerances]; /* relative; the list ends with a 0 or is full */
  int64_t evaluations[3];                    /* limits: an everyday test, a long one, a device */
  void (*make)(int ndim, uint64_t seed, struct outside_instance *instance);
};

extern const struct outside_problem outside_problems[];
extern const int outside_problem_count;

/* The problem of that name, or NULL. */
const struct outside_problem *outside_find(const char *name);

/* What a run is made with. */
struct outside_options {
  int selection, rule, estimate, device, threads;
  int64_t initial, evaluations;
  double tolerance;
};

struct outside_result {
  int status, device_used, component; /* the component with the largest ratio */
  int64_t evaluations, regions, iterations;
  double value[outside_most_ncomp], error[outside_most_ncomp], true_error[outside_most_ncomp];
  double ratio;        /* largest of true error to estimate */
  double relative;     /* largest of true error to exact value */
  double seconds;      /* without compilation */
  const char *verdict; /* "right", or what is wrong in capitals */
  int wrong;           /* status 0 and an error above the tolerance or the estimate; or no result */
  int short_estimate;  /* an error above the estimate, whatever the status */
};

/* A solver with the problem's integrand and ncomp of its components; NULL if there is none. device >= 0, or -2: the
 * text `path`, else the compiled function. */
tessera_solver *outside_solver(const struct outside_problem *problem, int ncomp, int device, const char *path);

/* Runs one instance; s is from outside_solver with the same number of components. */
void outside_run(tessera_solver *s, const struct outside_problem *problem, int ncomp, uint64_t seed,
                 const struct outside_options *options, struct outside_result *result);

/* Sets true errors, ratio and verdict from status, value and error: what outside_run does last. */
void outside_judge(int ncomp, const double *exact, double tolerance, struct outside_result *result);

/* One line: problem, seed, selection, initial regions, rule, status, evaluations, value, estimate, true error, ratio,
 * verdict. */
void outside_print(const struct outside_problem *problem, int ncomp, uint64_t seed,
                   const struct outside_options *options, const struct outside_result *result);

const char *outside_rule_name(int rule);

/* The integrands, in outside_integrand.c. */
int outside_linear(int ndim, const double *x, int ncomp, double *f, void *userdata);
int outside_contingency(int ndim, const double *x, int ncomp, double *f, void *userdata);
int outside_bell(int ndim, const double *x, int ncomp, double *f, void *userdata);
int outside_power(int ndim, const double *x, int ncomp, double *f, void *userdata);
int outside_differences(int ndim, const double *x, int ncomp, double *f, void *userdata);
int outside_valley(int ndim, const double *x, int ncomp, double *f, void *userdata);
int outside_kinks(int ndim, const double *x, int ncomp, double *f, void *userdata);
int outside_steps(int ndim, const double *x, int ncomp, double *f, void *userdata);

#ifdef __cplusplus
}
#endif

#endif
