/* Integrands on the unit cube that know their exact integrals. All are point integrands (tessera_integrand1).
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESSERA_TESTS_CASES_H
#define TESSERA_TESTS_CASES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int (*point_integrand)(int ndim, const double *x, int ncomp, double *f, void *userdata);

/* ---- The PAGANI suite -----------------------------------------------------------------------------------------------
 * Sakiotis, Arumugam, Paterno, Ranjan, Terzic, Zubair: PAGANI (SC'21). f1..f6 are Genz's kinds with fixed parameters,
 * f7 and f8 box integrals. The integrands themselves work in any dimension. */
struct suite_case {
  const char *name; /* "f4_5d" */
  int ndim;
  point_integrand fn;
  double exact;
};
extern const struct suite_case suite[];
extern const int suite_size;

/* The case of that name, or NULL. */
const struct suite_case *suite_find(const char *name);

int suite_f1(int ndim, const double *x, int ncomp, double *f, void *userdata);
int suite_f2(int ndim, const double *x, int ncomp, double *f, void *userdata);
int suite_f3(int ndim, const double *x, int ncomp, double *f, void *userdata);
int suite_f4(int ndim, const double *x, int ncomp, double *f, void *userdata);
int suite_f5(int ndim, const double *x, int ncomp, double *f, void *userdata);
int suite_f6(int ndim, const double *x, int ncomp, double *f, void *userdata);
int suite_f7(int ndim, const double *x, int ncomp, double *f, void *userdata);
int suite_f8(int ndim, const double *x, int ncomp, double *f, void *userdata);

/* The integral of exp(-((x - middle)/width)^2) from a to b. */
double gauss_between(double middle, double width, double a, double b);

/* ---- Genz's families ------------------------------------------------------------------------------------------------
 * Genz: Testing multidimensional integration routines (1984); a package for testing multiple integration subroutines
 * (1987). */
enum genz_family {
  GENZ_OSCILLATORY = 1,  /* cos(2 pi u_1 + sum a_i x_i) */
  GENZ_PRODUCT_PEAK = 2, /* prod 1/(a_i^-2 + (x_i - u_i)^2) */
  GENZ_CORNER_PEAK = 3,  /* (1 + sum a_i x_i)^-(n+1) */
  GENZ_GAUSSIAN = 4,     /* exp(-sum a_i^2 (x_i - u_i)^2) */
  GENZ_C0 = 5,           /* exp(-sum a_i |x_i - u_i|) */
  GENZ_DISCONTINUOUS = 6 /* exp(sum a_i x_i) where x_1 <= u_1 and x_2 <= u_2, else 0 */
};

enum { genz_max_ndim = 64 };

struct genz {
  int family, ndim;
  double a[genz_max_ndim], u[genz_max_ndim];
  double exact;
};

/* A random instance: a, u uniform in (0,1) from the seed, then a scaled to sum a = h/n^e with the difficulties
 * h = 110, 600, 600, 100, 150, 100 and e = 1.5, 2, 2, 1, 2, 2. Sets `exact`. */
void genz_make(int family, int ndim, uint64_t seed, struct genz *g);

/* The exact integral for family, ndim, a and u as they are, to about double precision. */
double genz_exact(const struct genz *g);

/* The integrand; userdata is the struct genz. */
int genz_point(int ndim, const double *x, int ncomp, double *f, void *userdata);

/* ---- Random numbers for tests: splitmix64 (Steele, Lea, Flood 2014) --------------------------------------------------- */
uint64_t splitmix64(uint64_t *state);
double splitmix_uniform(uint64_t *state); /* in (0,1), both ends left out */

#ifdef __cplusplus
}
#endif

#endif
