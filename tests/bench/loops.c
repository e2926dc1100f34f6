/* Loop integrals of the physics of colliders, above threshold by the direct computation method (the limit delta -> 0 of integrals with 1/(D - i delta C)),
 * on the host or on a device: one-loop vertex and box beside their closed forms in dilogarithms, one-loop pentagon and two-loop ladder vertex beside an
 * integration along a contour in the complex plane, the wheel with three spokes beside 6 zeta(3). docs/applications.md has the formulas and the results.
 *
 * Usage: bench_loops small | all | NAME [DEVICE [RELTOL [MAXEVAL [MEMBERS]]]]
 * DEVICE -1: the host. RELTOL 0: that of the table below. MAXEVAL: of each integral. Exits with 1 where a value is off by more than its error, or, in
 * the two forms of the table, an error is larger than it should be.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <complex.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tessera.h>

#include "loop_integrands.c"
#include "loops_contour.h"

static const double pi = 3.14159265358979323846;

/* ---- Closed forms -------------------------------------------------------------------------------------------------------- */
static double dilogarithm_below_one(double x) {
  if (x < -1) return -pi * pi / 6 - 0.5 * log(-x) * log(-x) - dilogarithm_below_one(1 / x);
  if (x > 0.5) return x == 1 ? pi * pi / 6 : pi * pi / 6 - log(x) * log1p(-x) - dilogarithm_below_one(1 - x);
  if (x < -0.5) return 0.5 * dilogarithm_below_one(x * x) - dilogarithm_below_one(-x);
  double sum = 0, power = x;
  for (int k = 1; k < 60; ++k, power *= x) sum += power / ((double)k * k);
  return sum;
}
/* Of x + i 0 side. */
static double complex dilogarithm(double x, double side) {
  if (x <= 1) return dilogarithm_below_one(x);
  return pi * pi / 3 - 0.5 * log(x) * log(x) - dilogarithm_below_one(1 / x) + I * copysign(pi, side) * log(x);
}
/* The integral of (log(y - z) - log(a - z))/(y - a) from 0 to 1, z = root + i 0 side ('t Hooft and Veltman 1979). */
static double complex one_root(double a, double root, double side) {
  return dilogarithm(a / (a - root), a * side) - dilogarithm((a - 1) / (a - root), (a - 1) * side);
}
/* Both roots of 1 - s y (1 - y) - i 0, where they are real: above threshold or for negative s. */
static double complex both_roots(double a, double s) {
  const double beta = sqrt(1 - 4 / s);
  return one_root(a, (1 + beta) / 2, 1) + one_root(a, (1 - beta) / 2, -1);
}
static double complex vertex_closed(const double *s) {
  const double a = (1 - MZ2) / s[0];
  return -(both_roots(a, s[0]) - one_root(a, -MZ2 / (1 - MZ2), 0)) / s[0];
}
/* Karplus and Neuman 1950. */
static double complex box_closed(const double *s) {
  const double root = sqrt(1 - 4 * (s[0] + s[1]) / (s[0] * s[1])), a = (1 + root) / 2;
  return -2 / (root * s[0] * s[1]) * (both_roots(a, s[0]) + both_roots(a, s[1]));
}

/* ---- Kinematics ---------------------------------------------------------------------------------------------------------- */
/* Two photons of 500 GeV together to a top pair and a Higgs of 120 GeV; the tops' energies are 180 and 172.5 GeV, the first one goes off at 60 degrees
 * from the first photon, and the plane of the three is turned about it by 40 degrees. In units of the top mass. */
static void pentagon_point(double *s) {
  const double all = 500.0 / 150, higgs = 0.8, one = 1.2, other = 1.15, left = all - one - other;
  const double p = sqrt(one * one - 1), q = sqrt(other * other - 1), r2 = left * left - higgs * higgs;
  const double between = (r2 - p * p - q * q) / (2 * p * q), from = pi / 3, turned = 40 * pi / 180;
  const double up = cos(from), up_other = between * up - sqrt(1 - between * between) * cos(turned) * sin(from);
  s[0] = all * all;
  s[1] = 1 - all * (one + p * up);
  s[2] = all * all - 2 * all * other + 1;
  s[3] = all * all - 2 * all * one + 1;
  s[4] = 1 - all * (other - q * up_other);
  s[5] = higgs * higgs;
}

/* ---- The table ----------------------------------------------------------------------------------------------------------- */
struct loop {
  const char *name, *function;
  int ndim;
  tessera_integrand1 integrand, contour;
  double complex (*closed)(const double *s);
  double s[2];
  double first, ratio; /* delta of the first integral, and from one to the next */
  struct form {
    double reltol,
        enough; /* what is asked for, and what error of the largest component will do; 0: there is no such form */
    int members;
    int64_t maxeval; /* of each integral */
  } small, full;
  const char *published;
};
static const struct loop loops[] = {
    {"vertex",
     "loop_vertex",
     2,
     loop_vertex,
     NULL,
     vertex_closed,
     {5},
     0.5,
     0.5,
     {1e-6, 1e-6, 12, 1000000},
     {1e-9, 1e-9, 16, 100000000},
     "closed form"},
    {"box",
     "loop_box",
     3,
     loop_box,
     NULL,
     box_closed,
     {5, -1.5},
     0.5,
     0.5,
     {1e-3, 3e-3, 8, 2000000},
     {1e-6, 1e-6, 12, 1000000000},
     "closed form"},
    {"pentagon",
     "loop_pentagon",
     4,
     loop_pentagon,
     loop_pentagon_contour,
     NULL,
     {0},
     2,
     1 / 1.6,
     {5e-2, 0.6, 8, 1000000},
     {3e-3, 3e-2, 10, 100000000},
     "2726 s on one thread, 287 s on 12, 5 digits, at another point"},
    {"ladder",
     "loop_ladder",
     5,
     loop_ladder,
     loop_ladder_contour,
     NULL,
     {5},
     2,
     1 / 1.6,
     {0, 0, 0, 0},
     {3e-3, 3e-2, 10, 100000000},
     "25800 s on one core, 3897 s on 24 threads"},
    {"wheel",
     "loop_wheel",
     5,
     loop_wheel,
     NULL,
     NULL,
     {0},
     0,
     0,
     {1e-2, 3e-2, 0, 5000000},
     {1e-5, 1e-5, 0, 2000000000},
     "6 zeta(3)"},
};
enum { loop_count = sizeof loops / sizeof loops[0], most_members = 40 };
static const double wheel_exact = 7.2123414189575657;

struct asked {
  int device, small, members;
  double reltol;
  int64_t maxeval;
};
struct result {
  int status, count;
  double value[2], error[2], seconds;
  int64_t evaluations;
};

static tessera_solver *solver_for(const struct loop *l, int ncomp, const struct asked *a) {
  tessera_solver *s = NULL;
  if (tessera_create(&s, l->ndim, ncomp) != 0) exit(1);
  const struct form *of = a->small ? &l->small : &l->full;
  tessera_set_real(s, TESSERA_RELTOL, a->reltol > 0 ? a->reltol : of->reltol);
  tessera_set_int(s, TESSERA_MAXEVAL, a->maxeval > 0 ? a->maxeval : of->maxeval);
  tessera_set_int(s, TESSERA_THREADS, 0);
  return s;
}
static void take(tessera_solver *s, struct result *r) {
  tessera_get_int(s, TESSERA_EVALUATIONS, &r->evaluations);
  tessera_get_real(s, TESSERA_SECONDS, &r->seconds);
  if (r->status != 0) printf("  %s\n", tessera_last_error(s));
  tessera_destroy(s);
}

/* Over the simplex of the Feynman parameters, by Duffy's map. */
static struct result direct(const struct loop *l, const struct loop_params *p, const struct asked *a) {
  struct result r = {0};
  const int real = l->integrand == loop_wheel;
  tessera_solver *s = solver_for(l, real ? 1 : 2, a);
  int status = tessera_set_integrand1(s, l->integrand, NULL);
  if (status == 0 && a->device >= 0) {
    status = tessera_set_integrand_file(s, TESSERA_LANGUAGE_C, LOOPS_TEXT, l->function);
    tessera_set_int(s, TESSERA_DEVICE, a->device);
  }
  if (status == 0) status = tessera_set_params(s, p, sizeof *p);
  if (status == 0) status = tessera_set_simplex(s, TESSERA_SIMPLEX_DUFFY, NULL);
  if (status == 0)
    status = real ? tessera_integrate(s, TESSERA_CUBATURE, r.value, r.error)
                  : tessera_integrate_limit(s, TESSERA_CUBATURE, offsetof(struct loop_params, delta), l->first,
                                            l->ratio, TESSERA_EXTRAPOLATE_RICHARDSON,
                                            a->members > 0 ? a->members
                                            : a->small     ? l->small.members
                                                           : l->full.members,
                                            r.value, r.error, &r.count, NULL, NULL, NULL);
  r.status = status;
  take(s, &r);
  return r;
}

/* Along two contours, whose difference counts as error too. */
static struct result by_contour(const struct loop *l, const double *s0, const struct asked *a) {
  struct result r[2] = {{0}};
  for (int k = 0; k < 2; ++k) {
    struct loop_contour c = {k == 0 ? 1.0 : 0.6, s0};
    struct asked host = *a;
    host.reltol = a->small ? 3e-3 : 1e-4;
    host.maxeval = a->small ? 3000000 : 20000000;
    tessera_solver *s = solver_for(l, 2, &host);
    tessera_set_integrand1(s, l->contour, &c);
    r[k].status = tessera_integrate(s, TESSERA_CUBATURE, r[k].value, r[k].error);
    take(s, &r[k]);
    printf("  contour %.1f: %.10g +- %.1e  %+.10g i +- %.1e  %" PRId64 " evaluations, %.2f s\n", c.lambda,
           r[k].value[0], r[k].error[0], r[k].value[1], r[k].error[1], r[k].evaluations, r[k].seconds);
  }
  for (int k = 0; k < 2; ++k) r[0].error[k] = fmax(r[0].error[k], fabs(r[0].value[k] - r[1].value[k]));
  return r[0];
}

/* Returns how many values are wrong by more than their errors. */
static int show(const struct loop *l, const struct asked *a) {
  struct loop_params p = {NAN, {l->s[0], l->s[1]}};
  struct result known = {0};
  if (l->integrand == loop_pentagon) pentagon_point(p.s);
  printf("%s\n", l->name);
  const struct result r = direct(l, &p, a);
  if (r.status < 0) return 1;
  if (l->closed) {
    const double complex c = l->closed(p.s);
    known.value[0] = creal(c);
    known.value[1] = cimag(c);
  } else if (l->contour) {
    known = by_contour(l, p.s, a);
  } else {
    known.value[0] = wheel_exact;
  }
  const double largest = fmax(fabs(known.value[0]), fabs(known.value[1]));
  int wrong = 0;
  for (int k = 0; k < (l->integrand == loop_wheel ? 1 : 2); ++k) {
    const double off = fabs(r.value[k] - known.value[k]);
    printf("  %s %.12g, estimate %.1e; known %.12g, off by %.1e\n", k == 0 ? "real part" : "imaginary", r.value[k],
           r.error[k], known.value[k], off);
    wrong += !(off <= r.error[k] + known.error[k] + 1e-14 * largest);
    if (a->reltol <= 0 && a->maxeval <= 0) wrong += !(r.error[k] <= (a->small ? l->small : l->full).enough * largest);
  }
  printf("  status %s, %d integrals, %" PRId64 " evaluations, %.2f s; published: %s\n", tessera_status_string(r.status),
         r.count > 0 ? r.count : 1, r.evaluations, r.seconds, l->published);
  return wrong;
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "small";
  const int every = strcmp(what, "all") == 0, small = strcmp(what, "small") == 0;
  const struct asked a = {argc > 2 ? atoi(argv[2]) : -1, small, argc > 5 ? atoi(argv[5]) : 0,
                          argc > 3 ? atof(argv[3]) : 0, argc > 4 ? (int64_t)atof(argv[4]) : 0};
  int known = 0, wrong = 0;
  if (a.members != 0 && (a.members < 6 || a.members > most_members)) {
    fprintf(stderr, "MEMBERS is not within 6 .. %d\n", most_members);
    return 2;
  }
  for (int i = 0; i < loop_count; ++i)
    if (every || (small && loops[i].small.reltol > 0) || strcmp(what, loops[i].name) == 0) {
      ++known;
      wrong += show(&loops[i], &a);
      fflush(stdout);
    }
  if (known == 0) fprintf(stderr, "there is no integral '%s'\n", what);
  return known == 0 ? 2 : wrong != 0;
}
