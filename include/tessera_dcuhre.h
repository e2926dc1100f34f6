/* DCUHRE and SCUHRE served by Tessera, for callers in C; Fortran programs need no declaration. docs/dcuhre.md.
 *
 * Link with -ltessera_dcuhre. For programs built with 8-byte default integers (gfortran -fdefault-integer-8) there is
 * libtessera_dcuhre_ilp64.so with the same names: define TESSERA_DCUHRE_ILP64 before this header and link with
 * -ltessera_dcuhre_ilp64 in place of the other.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESSERA_DCUHRE_H
#define TESSERA_DCUHRE_H

#include <stdint.h>

#ifdef TESSERA_DCUHRE_ILP64
typedef int64_t tessera_dcuhre_int;
#else
typedef int tessera_dcuhre_int;
#endif

#if defined(_WIN32)
#define TESSERA_DCUHRE_API
#else
#define TESSERA_DCUHRE_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The integrand at one point: x[ndim] in, funvls[numfun] out. */
typedef void (*tessera_dcuhre_funsub)(const tessera_dcuhre_int *ndim, const double *x, const tessera_dcuhre_int *numfun,
                                      double *funvls);
typedef void (*tessera_scuhre_funsub)(const tessera_dcuhre_int *ndim, const float *x, const tessera_dcuhre_int *numfun,
                                      float *funvls);

/* The integral of funsub[numfun] over the box a[ndim] .. b[ndim], 2 <= ndim <= 15, numfun >= 1. Reversed limits change the
 * sign. minpts, maxpts: least and greatest number of evaluations. The run succeeds when every component has
 * abserr <= epsabs or abserr <= epsrel*|result|. key: 0 choose, 1 degree 13 (ndim 2), 2 degree 11 (ndim 3), 3 degree 9,
 * 4 degree 7. work[nw], nw >= m*(2*ndim + 2*numfun + 2) + 17*numfun + 1 with m = (maxpts - n)/(2*n) + 1 and n points of the
 * rule. restar: 0, or 1 to go on from work, result, abserr and neval of a call before with the same arguments but for
 * minpts, maxpts, epsabs and epsrel.
 * result[numfun], abserr[numfun], neval: evaluations, over all restarts. ifail: 0 success; 1 maxpts reached, or the integrand
 * gave a NaN or an infinity, or the run was cancelled; 2..12 a wrong argument, the other outputs are untouched. */
TESSERA_DCUHRE_API void dcuhre_(const tessera_dcuhre_int *ndim, const tessera_dcuhre_int *numfun, const double *a,
                                const double *b, const tessera_dcuhre_int *minpts, const tessera_dcuhre_int *maxpts,
                                tessera_dcuhre_funsub funsub, const double *epsabs, const double *epsrel,
                                const tessera_dcuhre_int *key, const tessera_dcuhre_int *nw,
                                const tessera_dcuhre_int *restar, double *result, double *abserr,
                                tessera_dcuhre_int *neval, tessera_dcuhre_int *ifail, double *work);

/* The same with real numbers in single precision; the work is done in double precision. */
TESSERA_DCUHRE_API void scuhre_(const tessera_dcuhre_int *ndim, const tessera_dcuhre_int *numfun, const float *a,
                                const float *b, const tessera_dcuhre_int *minpts, const tessera_dcuhre_int *maxpts,
                                tessera_scuhre_funsub funsub, const float *epsabs, const float *epsrel,
                                const tessera_dcuhre_int *key, const tessera_dcuhre_int *nw,
                                const tessera_dcuhre_int *restar, float *result, float *abserr,
                                tessera_dcuhre_int *neval, tessera_dcuhre_int *ifail, float *work);

/* ---- Settings: not in the original. The names with an underscore are for Fortran: CALL TESSERA_DCUHRE_THREADS(4) -------- */

/* Threads that call the integrand at the same time, which must then be re-entrant; 0: as the environment variable
 * TESSERA_THREADS says, or 1. With more than one, many regions are divided in a step: other counts than the original's. */
TESSERA_DCUHRE_API void tessera_dcuhre_threads(int n);
TESSERA_DCUHRE_API void tessera_dcuhre_threads_(const tessera_dcuhre_int *n);

/* Not 0: up to 25 dimensions. Until it is called, the environment variable TESSERA_EXTENDED (1) decides. */
TESSERA_DCUHRE_API void tessera_dcuhre_extended(int on);
TESSERA_DCUHRE_API void tessera_dcuhre_extended_(const tessera_dcuhre_int *on);

/* Ends all runs of this process that are going on, with ifail = 1 and what they have found. From the integrand, from another
 * thread or from a signal handler. */
TESSERA_DCUHRE_API void tessera_dcuhre_cancel(void);
TESSERA_DCUHRE_API void tessera_dcuhre_cancel_(void);

#ifdef __cplusplus
}
#endif

#endif
