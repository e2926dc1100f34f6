/* ADAPT, in the form of MVNPACK (Genz, J. Comp. Graph. Stat. 1 (1992) 141-149), served by Tessera, for callers in C; Fortran
 * programs need no declaration. docs/adapt.md. Link with -ltessera_adapt.
 *
 * This is not the ADAPT of 1984 with twelve arguments and limits of integration.
 *
 * For programs built with 8-byte default integers (gfortran -fdefault-integer-8) there is libtessera_adapt_ilp64.so with the
 * same names: define TESSERA_ADAPT_ILP64 before this header and link with -ltessera_adapt_ilp64 in place of the other.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESSERA_ADAPT_H
#define TESSERA_ADAPT_H

#include <stdint.h>

#ifdef TESSERA_ADAPT_ILP64
typedef int64_t tessera_adapt_int;
#else
typedef int tessera_adapt_int;
#endif

#if defined(_WIN32)
#define TESSERA_ADAPT_API
#else
#define TESSERA_ADAPT_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The integrand at the point z[ndim] of the unit cube. */
typedef double (*tessera_adapt_functn)(const tessera_adapt_int *ndim, const double *z);

/* The integral of functn over the unit cube of ndim >= 1 dimensions.
 * mincls: in: >= 0, the least number of calls: with many, the cube is divided into a mesh first; < 0, go on from work, which
 *   an earlier call with the same ndim, functn and lenwrk has left. Out: the calls of this call. On inform = 2: the number of
 *   calls of one application of the rule, which mincls = 1, maxcls = 0 asks for.
 * maxcls: the greatest number of calls of this call; may be passed by the calls that choose an axis, 4*ndim + 1 a piece.
 * absreq, relreq: done when absest <= max(absreq, relreq*|finest|) and mincls is reached.
 * work[lenwrk]: lenwrk >= 16*ndim + 27, 38 for ndim = 1; all regions of a run fit in
 *   (3*ndim + 3)*(2 + maxcls/(2*r + 4*ndim + 1)) + 16*ndim + 27, r the number of calls that inform = 2 gives.
 * absest: the estimated absolute error; finest: the value.
 * inform: 0 success; 1 maxcls does not allow the next step, or the integrand gave a NaN or an infinity, or the run was
 *   cancelled; 2 mincls > maxcls, or lenwrk or maxcls is too small: absest, finest and work are untouched. */
TESSERA_ADAPT_API void adapt_(const tessera_adapt_int *ndim, tessera_adapt_int *mincls, const tessera_adapt_int *maxcls,
                              tessera_adapt_functn functn, const double *absreq, const double *relreq,
                              const tessera_adapt_int *lenwrk, double *work, double *absest, double *finest,
                              tessera_adapt_int *inform);

/* ---- Settings: not in the original. The names with an underscore are for Fortran: CALL TESSERA_ADAPT_THREADS(4) --------- */

/* Threads that call the integrand at the same time, which must then be re-entrant; 0: as the environment variable
 * TESSERA_THREADS says, or 1. With more than one, Tessera's own rules and bulk division are used in up to 64 dimensions: other
 * counts than the original's; work is not used, and mincls < 0 starts from the beginning. */
TESSERA_ADAPT_API void tessera_adapt_threads(int n);
TESSERA_ADAPT_API void tessera_adapt_threads_(const tessera_adapt_int *n);

/* Not 0: when work is too short for all regions, memory of the library's own is used, so that no region has to be computed
 * again; mincls < 0 then starts from the beginning. Until it is called, the environment variable TESSERA_EXTENDED (1)
 * decides. */
TESSERA_ADAPT_API void tessera_adapt_extended(int on);
TESSERA_ADAPT_API void tessera_adapt_extended_(const tessera_adapt_int *on);

/* Ends all runs of this process that are going on, with inform = 1 and what they have found. From the integrand, from another
 * thread or from a signal handler. */
TESSERA_ADAPT_API void tessera_adapt_cancel(void);
TESSERA_ADAPT_API void tessera_adapt_cancel_(void);

#ifdef __cplusplus
}
#endif

#endif
