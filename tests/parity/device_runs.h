/* Runs on a device of which work is shared out among several devices or ranks, and what they give.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESSERA_TESTS_PARITY_DEVICE_RUNS_H
#define TESSERA_TESTS_PARITY_DEVICE_RUNS_H

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>

#include "solve.h"

enum { most_components = 12 };

struct device_run {
  const char *name;
  int method, ndim, ncomp;
  int64_t maxeval;
  int shared; /* single integrals are shared out */
  int keys[3];
  int64_t values[3];
};

/* A kink on every axis, and components of different slopes. */
static const char kinks_text[] =
    "void kinks(const double *x, double *f) {\n"
    "  double s = 0;\n"
    "  for (int j = 0; j < TESSERA_NDIM; ++j) s += fabs(x[j] - 0.3 - 0.01 * j);\n"
    "  for (int k = 0; k < TESSERA_NCOMP; ++k) f[k] = exp(-0.4 * (k + 1) * s);\n"
    "}\n";

/* The same by the host, for a device callback of the stand-in. */
static inline void kinks_at(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf) {
  for (int64_t i = 0; i < n; ++i) {
    double s = 0;
    for (int j = 0; j < ndim; ++j) s += fabs(x[j * ldx + i] - 0.3 - 0.01 * j);
    for (int k = 0; k < ncomp; ++k) f[k * ldf + i] = exp(-0.4 * (k + 1) * s);
  }
}

static const struct device_run device_runs[] = {
    {"lattice", TESSERA_LATTICE, 5, 1, 3000000, 1, {0}, {0}},
    {"lattice, two components", TESSERA_LATTICE, 4, 2, 3000000, 1, {TESSERA_TRANSFORM}, {TESSERA_TRANSFORM_BAKER}},
    {"lattice, many variables", TESSERA_LATTICE, 40, 1, 1000000, 1, {0}, {0}},
    {"median", TESSERA_LATTICE, 3, 1, 1000000, 1, {TESSERA_MEDIAN}, {7}},
    {"few points", TESSERA_LATTICE, 3, 1, 5000, 0, {TESSERA_TRANSFORM}, {TESSERA_TRANSFORM_NONE}},
    {"plain",
     TESSERA_MONTECARLO,
     6,
     1,
     5000000,
     1,
     {TESSERA_SAMPLING, TESSERA_GENERATOR},
     {TESSERA_SAMPLING_PLAIN, TESSERA_GENERATOR_PHILOX}},
    {"antithetic",
     TESSERA_MONTECARLO,
     3,
     2,
     2000000,
     1,
     {TESSERA_SAMPLING, TESSERA_GENERATOR, TESSERA_ANTITHETIC},
     {TESSERA_SAMPLING_PLAIN, TESSERA_GENERATOR_THREEFRY, 1}},
    {"many components",
     TESSERA_MONTECARLO,
     3,
     most_components,
     3000000,
     1,
     {TESSERA_SAMPLING, TESSERA_GENERATOR},
     {TESSERA_SAMPLING_PLAIN, TESSERA_GENERATOR_PHILOX}},
    {"Sobol",
     TESSERA_MONTECARLO,
     5,
     1,
     4000000,
     1,
     {TESSERA_SAMPLING, TESSERA_GENERATOR},
     {TESSERA_SAMPLING_PLAIN, TESSERA_GENERATOR_SOBOL}},
    {"VEGAS",
     TESSERA_MONTECARLO,
     4,
     1,
     6000000,
     1,
     {TESSERA_SAMPLING, TESSERA_GENERATOR},
     {TESSERA_SAMPLING_VEGAS, TESSERA_GENERATOR_PHILOX}},
    {"VEGAS, three components",
     TESSERA_MONTECARLO,
     7,
     3,
     3000000,
     0, /* iterations that are too small for three */
     {TESSERA_SAMPLING, TESSERA_GENERATOR, TESSERA_ANTITHETIC},
     {TESSERA_SAMPLING_VEGAS, TESSERA_GENERATOR_PHILOX, 1}},
    {"VEGAS with nets",
     TESSERA_MONTECARLO,
     4,
     1,
     4000000,
     1,
     {TESSERA_SAMPLING, TESSERA_GENERATOR},
     {TESSERA_SAMPLING_VEGAS, TESSERA_GENERATOR_SOBOL}},
    {"chosen", TESSERA_AUTO, 4, 1, 4000000, 0, {0}, {0}},
    {"cubature",
     TESSERA_CUBATURE,
     4,
     1,
     6000000,
     1,
     {TESSERA_RULE, TESSERA_SPARSE, TESSERA_SELECTION},
     {TESSERA_RULE_DEGREE7, TESSERA_SPARSE_OFF, TESSERA_SELECT_BULK}},
    {"cubature, three components",
     TESSERA_CUBATURE,
     6,
     3,
     8000000,
     1,
     {TESSERA_RULE, TESSERA_SPARSE, TESSERA_SELECTION},
     {TESSERA_RULE_DEGREE9, TESSERA_SPARSE_OFF, TESSERA_SELECT_BULK}},
    {"cubature as it comes", TESSERA_CUBATURE, 4, 1, 6000000, 0, {0}, {0}},
    {"quadrature", TESSERA_QUADRATURE, 1, 1, 100000, 0, {0}, {0}},
};
enum { many_device_runs = sizeof device_runs / sizeof device_runs[0] };

/* With the driver of tests/core/several_devices, which knows lattice rules, Monte Carlo and cubature of one degree on the integrand above and
 * takes its time: shorter runs. */
static inline int is_stand_in(void) { return getenv("TESSERA_TEST_STAND_IN") != NULL; }
static inline int is_runnable(const struct device_run *r) {
  return !is_stand_in() || r->method == TESSERA_LATTICE || r->method == TESSERA_MONTECARLO ||
         (r->method == TESSERA_CUBATURE && r->keys[0] == TESSERA_RULE);
}

/* Points at which the stand-in's kernels have asked for the integrand in this process; elsewhere 0. */
static inline long points_of_stand_in(void) {
  void *const driver = is_stand_in() ? dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD) : NULL;
  long (*points)(void) = NULL;
  if (driver) *(void **)&points = dlsym(driver, "fake_cuda_points");
  const long n = points ? points() : 0;
  if (driver) dlclose(driver);
  return n;
}

static inline void tell_stand_in(int ndim, int ncomp) {
  char number[16];
  snprintf(number, sizeof number, "%d", ndim);
  setenv("FAKE_CUDA_NDIM", number, 1);
  snprintf(number, sizeof number, "%d", ncomp);
  setenv("FAKE_CUDA_NCOMP", number, 1);
}

/* The integrand spoils its value, or stops the run (spoilt < 0), near 0.3: the regions there are divided again and again before it happens. */
static const char ending_text[] =
    "#include <math.h>\n"
    "int ending(int n, const double *x, int m, double *v, void *p) {\n"
    "  const double spoilt = *(const double *)p, far = fabs(x[0] - 0.3);\n"
    "  v[0] = exp(-far - fabs(x[1] - 0.31) - fabs(x[2] - 0.32));\n"
    "  if (far > 3e-4) return 0;\n"
    "  if (spoilt > 0) v[0] = spoilt;\n"
    "  return spoilt > 0 ? 0 : 23;\n"
    "}\n";

static inline tessera_solver *ending_solver(double spoilt) {
  tessera_solver *s = solver_of(3, 1);
  assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_C, ending_text, "ending"), TESSERA_OK);
  assert_status(s, tessera_set_params(s, &spoilt, sizeof spoilt), TESSERA_OK);
  put_real(s, TESSERA_RELTOL, 0);
  put_int(s, TESSERA_MAXEVAL, 200000000);
  put_int(s, TESSERA_SPARSE, TESSERA_SPARSE_OFF);
  return s;
}

struct device_outcome {
  int status;
  double value[most_components], error[most_components];
  int64_t evaluations, devices;
  char sentence[512];
};

static inline tessera_solver *device_solver_of(const struct device_run *r) {
  tessera_solver *s = solver_of(r->ndim, r->ncomp);
  assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, kinks_text, "kinks"), TESSERA_OK);
  put_real(s, TESSERA_RELTOL, 0);
  const int large = r->keys[0] == TESSERA_SAMPLING && r->values[0] == TESSERA_SAMPLING_VEGAS;
  put_int(s, TESSERA_MAXEVAL, is_stand_in() ? r->maxeval / (large ? 4 : 16) + 2000 : r->maxeval);
  tell_stand_in(r->ndim, r->ncomp);
  for (int i = 0; i < 3 && r->keys[i]; ++i) put_int(s, r->keys[i], r->values[i]);
  return s;
}

static inline struct device_outcome device_outcome_of(tessera_solver *s, int method) {
  struct device_outcome o;
  memset(&o, 0, sizeof o);
  o.status = tessera_integrate(s, method, o.value, o.error);
  snprintf(o.sentence, sizeof o.sentence, "%s", tessera_last_error(s));
  o.evaluations = got_int(s, TESSERA_EVALUATIONS);
  o.devices = got_int(s, TESSERA_DEVICES_USED);
  return o;
}

static inline void assert_same_outcome(const char *name, const struct device_outcome *a,
                                       const struct device_outcome *b) {
  if (a->status != b->status || a->evaluations != b->evaluations)
    fail_msg("%s: status %d after %lld evaluations (%s) and %d after %lld (%s)", name, a->status,
             (long long)a->evaluations, a->sentence, b->status, (long long)b->evaluations, b->sentence);
  for (int k = 0; k < most_components; ++k)
    if (memcmp(&a->value[k], &b->value[k], sizeof(double)) != 0 ||
        memcmp(&a->error[k], &b->error[k], sizeof(double)) != 0)
      fail_msg("%s, component %d: %a +- %a and %a +- %a", name, k, a->value[k], a->error[k], b->value[k], b->error[k]);
}

#endif
