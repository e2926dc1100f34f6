/* SPDX-License-Identifier: BSD-3-Clause */
#include "outside.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cases.h"

/* ---- Instances --------------------------------------------------------------------------------------------------- */
static void cube(int ndim, double lower, double upper, struct outside_instance *t) {
  for (int j = 0; j < ndim; ++j) t->lower[j] = lower, t->upper[j] = upper;
}

static void around(int ndim, const double *centre, double shift, double half, struct outside_instance *t) {
  for (int j = 0; j < ndim; ++j) {
    t->lower[j] = centre[j] + shift - half;
    t->upper[j] = centre[j] + shift + half;
  }
}

static void copy(double *to, const double *from, int n) {
  for (int k = 0; k < n; ++k) to[k] = from[k];
}

/* The density at a fixed log sigma is a product over the groups, so that every one of these is an integral over log
 * sigma of products of nine one-dimensional integrals: tests/support/outside_values.py, 80-bit arithmetic. Over R^10
 * the first is 1.30563865391715646e-22, and E[w] over R^10, to ten digits, is in docs/examples/linear_model.f. */
static const double linear_mode[10] = {2.0181844586,  0.1164033358,  0.8829971058,  0.0286137933, -0.4075284444,
                                       -0.1719809578, -0.2705947873, -0.6290830366, 0.3696063212, -0.2324376111};

static void make_linear(int ndim, uint64_t seed, struct outside_instance *t) {
  static const double exact[5] = {1.30563865370191985e-22, 2.66718197292857611e-22, 1.23442623445493062e-23,
                                  -9.53398345977837494e-24, 5.56688900501122062e-22};
  (void)seed;
  around(ndim, linear_mode, 0, 5, t);
  copy(t->exact, exact, 5);
}

/* The same with the cube moved along the diagonal: the peak is no longer where the first divisions meet. */
static void make_linear_moved(int ndim, uint64_t seed, struct outside_instance *t) {
  static const double exact[5] = {1.30563862206371992e-22, 2.66718190797189515e-22, 1.23442620982394218e-23,
                                  -9.53398416545330143e-24, 5.5668888670071291e-22};
  (void)seed;
  around(ndim, linear_mode, 1.1, 5, t);
  copy(t->exact, exact, 5);
}

/* The highest of two modes, by Newton's method in 40 digits (density 3.6166064e-122; log density of the other, with
 * the populations exchanged, lower by 1.103 at 2.0471 2.3211 -0.1635 -1.5028 -0.4838 3.0286 1.8454 -0.8825 0.1178,
 * inside the box). Expanding prod (u + v)^n makes the integral a sum of 8.9e9 terms, each a product of one
 * integral over the share and four over two softmax coordinates; terms with equal row and column sums have the same
 * integrals, which leaves 2e8 that are summed row by row: tests/support/outside_values.py. All terms are positive.
 * Over R^9 the integrals are Dirichlet's and the constant comes out as 7.07016941580478e-121, the means as 0.42969540
 * and 0.18733031 (published: 0.422, 0.181); in a box they are done by Gauss's rule. 1.7 % are outside. */
static void make_contingency(int ndim, uint64_t seed, struct outside_instance *t) {
  static const double mode[9] = {1.4055956209,  -2.1426904590, -0.4799123443, 1.6377432308, -0.3320225884,
                                 -1.7371735155, -0.0369899857, 2.6339525658,  1.6642677270};
  static const double exact[3] = {6.94924417875261e-121, 2.98510651785842e-121, 1.30102351925233e-121};
  (void)seed;
  around(ndim, mode, 0, 8, t);
  copy(t->exact, exact, 3);
}

static double bell_exact(int ndim, const struct outside_instance *t) {
  const long double r = sqrtl(t->params.a);
  long double p = 1;
  for (int j = 0; j < ndim; ++j)
    p *=
        1.77245385090551602729816748334114518L / (2 * r) *
        (erfl(r * ((long double)t->upper[j] - t->params.c[j])) + erfl(r * (t->params.c[j] - (long double)t->lower[j])));
  return (double)p;
}

/* f4 of the suite */
static void make_f4(int ndim, uint64_t seed, struct outside_instance *t) {
  (void)seed;
  cube(ndim, 0, 1, t);
  t->params.a = 625;
  for (int j = 0; j < ndim; ++j) t->params.c[j] = 0.5;
  t->exact[0] = bell_exact(ndim, t);
}

/* A bell at the centre of (-1, 1)^n, of width 0.01 */
static void make_bell(int ndim, uint64_t seed, struct outside_instance *t) {
  (void)seed;
  cube(ndim, -1, 1, t);
  t->params.a = 5000;
  t->exact[0] = bell_exact(ndim, t);
}

/* The same somewhere in the unit cube */
static void make_peak(int ndim, uint64_t seed, struct outside_instance *t) {
  uint64_t state = seed;
  cube(ndim, 0, 1, t);
  t->params.a = 5000;
  for (int j = 0; j < ndim; ++j) t->params.c[j] = 0.1 + 0.8 * splitmix_uniform(&state);
  t->exact[0] = bell_exact(ndim, t);
}

/* From (1+s)^-7 = 1/6! int_0^inf t^6 e^-t e^-ts dt: h^8/720 int t^6 e^-t (sqrt(pi/t) erf(25 sqrt t))^8 dt with h =
 * 1/50, by mpmath in 40 digits. */
static void make_power(int ndim, uint64_t seed, struct outside_instance *t) {
  (void)seed;
  cube(ndim, 0, 1, t);
  t->params.a = 2500;
  for (int j = 0; j < ndim; ++j) t->params.c[j] = 0.5;
  t->exact[0] = 6.926868637155414743283e-15;
}

/* Selberg's integral with exponents 1, 1 and 1/2:
 * prod over j < n of Gamma(1 + j/2)^2 Gamma(1 + (j+1)/2) / (Gamma(2 + (n+j-1)/2) Gamma(3/2)) */
static void make_differences(int ndim, uint64_t seed, struct outside_instance *t) {
  const double n = ndim;
  double p = 1;
  (void)seed;
  cube(ndim, 0, 1, t);
  for (int j = 0; j < ndim; ++j)
    p *= tgamma(1 + j / 2.0) * tgamma(1 + j / 2.0) * tgamma(1 + (j + 1) / 2.0) /
         (tgamma(2 + (n + j - 1) / 2) * tgamma(1.5));
  t->exact[0] = p;
}

static void make_valley(int ndim, uint64_t seed, struct outside_instance *t) {
  (void)seed;
  cube(ndim, -INFINITY, INFINITY, t);
  t->exact[0] = 0.3141592653589793238463; /* pi/10 */
}

static void random_centre(int ndim, uint64_t seed, struct outside_instance *t) {
  uint64_t state = seed;
  cube(ndim, 0, 1, t);
  for (int j = 0; j < ndim; ++j) t->params.c[j] = splitmix_uniform(&state);
}

static void make_kinks(int ndim, uint64_t seed, struct outside_instance *t) {
  random_centre(ndim, seed, t);
  for (int j = 0; j < ndim; ++j) {
    const double u = t->params.c[j];
    t->exact[0] += 0.5 * (u * u + (1 - u) * (1 - u));
  }
}

static void make_steps(int ndim, uint64_t seed, struct outside_instance *t) {
  random_centre(ndim, seed, t);
  for (int j = 0; j < ndim; ++j) t->exact[0] += 1 - t->params.c[j];
}

/* ---- The table --------------------------------------------------------------------------------------------------- */
/* Name in the text, and the function. */
#define OF(f) "outside_" #f, outside_##f

const struct outside_problem outside_problems[] = {
    {"linear", OF(linear), 10, 5, 1, {1e-3}, {2000000, 20000000, 5000000000}, make_linear},
    {"linear_moved", OF(linear), 10, 5, 1, {1e-3}, {2000000, 20000000, 5000000000}, make_linear_moved},
    {"contingency", OF(contingency), 9, 3, 1, {1e-3}, {2000000, 20000000, 5000000000}, make_contingency},
    {"f4_8d", OF(bell), 8, 1, 1, {1e-3, 1.6e-6}, {2000000, 200000000, 20000000000}, make_f4},
    {"differences5", OF(differences), 5, 1, 1, {0.1, 0.01}, {2000000, 50000000, 1000000000}, make_differences},
    {"differences6", OF(differences), 6, 1, 1, {0.1, 0.01}, {2000000, 50000000, 1000000000}, make_differences},
    {"valley", OF(valley), 2, 1, 1, {1e-3, 1e-6, 1e-9}, {1000000, 10000000, 1000000000}, make_valley},
    {"power8", OF(power), 8, 1, 1, {1e-3}, {2000000, 20000000, 1000000000}, make_power},
    {"kinks4", OF(kinks), 4, 1, 100, {1e-6}, {1000000, 4000000, 100000000}, make_kinks},
    {"steps2", OF(steps), 2, 1, 100, {1e-3}, {600000, 1000000, 10000000}, make_steps},
    {"steps3", OF(steps), 3, 1, 100, {1e-3}, {100000, 2000000, 100000000}, make_steps},
    {"steps4", OF(steps), 4, 1, 100, {1e-3}, {1000000, 2000000, 100000000}, make_steps},
    {"bell9", OF(bell), 9, 1, 1, {1e-3}, {2000000, 50000000, 5000000000}, make_bell},
    {"peak2", OF(bell), 2, 1, 20, {1e-3}, {100000, 1000000, 100000000}, make_peak},
    {"peak3", OF(bell), 3, 1, 20, {1e-3}, {100000, 1000000, 100000000}, make_peak},
    {"peak4", OF(bell), 4, 1, 20, {1e-3}, {1000000, 2000000, 100000000}, make_peak},
    {"peak5", OF(bell), 5, 1, 20, {1e-3}, {3000000, 5000000, 1000000000}, make_peak},
    {"peak6", OF(bell), 6, 1, 20, {1e-3}, {200000, 10000000, 1000000000}, make_peak},
};
const int outside_problem_count = (int)(sizeof outside_problems / sizeof outside_problems[0]);

const struct outside_problem *outside_find(const char *name) {
  for (int i = 0; i < outside_problem_count; ++i)
    if (strcmp(outside_problems[i].name, name) == 0) return &outside_problems[i];
  return NULL;
}

/* ---- Runs -------------------------------------------------------------------------------------------------------- */
tessera_solver *outside_solver(const struct outside_problem *problem, int ncomp, int device, const char *path) {
  tessera_solver *s = NULL;
  int status = tessera_create(&s, problem->ndim, ncomp);
  if (status == TESSERA_OK)
    status = device == -1 ? tessera_set_integrand1(s, problem->fn, NULL)
                          : tessera_set_integrand_file(s, TESSERA_LANGUAGE_C, path, problem->function);
  if (status == TESSERA_OK) return s;
  fprintf(stderr, "%s: %s\n", problem->name, tessera_last_error(s));
  tessera_destroy(s);
  return NULL;
}

static int settings(tessera_solver *s, const struct outside_instance *t, const struct outside_options *o) {
  const struct {
    int key;
    int64_t value;
  } all[] = {{TESSERA_SELECTION, o->selection}, {TESSERA_INITIAL_REGIONS, o->initial}, {TESSERA_RULE, o->rule},
             {TESSERA_ESTIMATE, o->estimate},   {TESSERA_MAXEVAL, o->evaluations},     {TESSERA_DEVICE, o->device},
             {TESSERA_THREADS, o->threads}};
  int status = tessera_set_domain(s, t->lower, t->upper);
  if (status == TESSERA_OK) status = tessera_set_params(s, &t->params, sizeof t->params);
  if (status == TESSERA_OK) status = tessera_set_real(s, TESSERA_RELTOL, o->tolerance);
  for (int i = 0; status == TESSERA_OK && i < (int)(sizeof all / sizeof all[0]); ++i)
    status = tessera_set_int(s, all[i].key, all[i].value);
  return status;
}

/* What rounding may do to a sum over regions, and what the exact value's own digits leave open. */
static const double rounding = 1e-14;

void outside_judge(int ncomp, const double *exact, double tolerance, struct outside_result *r) {
  int small = 0, claim = 0;
  r->wrong = r->status < 0;
  r->verdict = "NO RESULT";
  if (r->wrong) return;
  for (int k = 0; k < ncomp; ++k) {
    const double size = fabs(exact[k]), noise = rounding * size;
    double e = fabs(r->value[k] - exact[k]);
    if (!(e <= 1e300)) e = INFINITY; /* a NaN too */
    const double ratio = e <= noise ? 0 : e / r->error[k];
    r->true_error[k] = e;
    if (!(ratio <= r->ratio)) r->ratio = ratio, r->component = k;
    if (!(e / size <= r->relative)) r->relative = e / size;
    small |= !(e <= r->error[k] + noise);
    claim |= r->status == TESSERA_OK && !(e <= tolerance * size);
  }
  /* A run that was stopped says so by its status; where its estimate is too small, that is counted and printed. */
  r->short_estimate = small;
  r->wrong = r->status == TESSERA_OK && (small || claim);
  r->verdict = claim   ? "FALSE SUCCESS"
               : small ? (r->wrong ? "ESTIMATE TOO SMALL" : "unfinished, estimate too small")
                       : "right";
}

void outside_run(tessera_solver *s, const struct outside_problem *problem, int ncomp, uint64_t seed,
                 const struct outside_options *options, struct outside_result *result) {
  struct outside_instance t;
  int64_t used = -1;
  double compiled = 0;
  memset(&t, 0, sizeof t);
  memset(result, 0, sizeof *result);
  problem->make(problem->ndim, seed, &t);
  result->status = settings(s, &t, options);
  if (result->status == TESSERA_OK)
    result->status = tessera_integrate(s, TESSERA_CUBATURE, result->value, result->error);
  tessera_get_int(s, TESSERA_EVALUATIONS, &result->evaluations);
  tessera_get_int(s, TESSERA_REGIONS, &result->regions);
  tessera_get_int(s, TESSERA_ITERATIONS, &result->iterations);
  tessera_get_int(s, TESSERA_DEVICE_USED, &used);
  tessera_get_real(s, TESSERA_SECONDS, &result->seconds);
  tessera_get_real(s, TESSERA_COMPILE_SECONDS, &compiled);
  result->seconds -= compiled;
  result->device_used = (int)used;
  outside_judge(ncomp, t.exact, options->tolerance, result);
}

const char *outside_rule_name(int rule) {
  switch (rule) {
    case TESSERA_RULE_AUTO:
      return "default";
    case TESSERA_RULE_DEGREE7:
      return "degree7";
    case TESSERA_RULE_DEGREE9:
      return "degree9";
    case TESSERA_RULE_DEGREE11:
      return "degree11";
    case TESSERA_RULE_DEGREE13:
      return "degree13";
    case TESSERA_RULE_GM7:
      return "gm7";
    default:
      return "other";
  }
}

void outside_print(const struct outside_problem *problem, int ncomp, uint64_t seed,
                   const struct outside_options *options, const struct outside_result *r) {
  const char *where = r->device_used >= 0                         ? "device"
                      : options->selection == TESSERA_SELECT_BULK ? "bulk"
                                                                  : "worst first";
  const int k = r->component;
  printf(
      "  %-12s x%d #%-3d %-11s %5lld %-7s %s %.1e  status %d %11lld ev  %.9g +- %.1e  true %.1e  ratio %.2g  %.2f s  "
      "%s\n",
      problem->name, ncomp, (int)seed, where, (long long)options->initial, outside_rule_name(options->rule),
      options->estimate == TESSERA_ESTIMATE_CLASSIC ? "classic" : "robust", options->tolerance, r->status,
      (long long)r->evaluations, r->value[k], r->error[k], r->true_error[k], r->ratio, r->seconds, r->verdict);
  fflush(stdout);
}
