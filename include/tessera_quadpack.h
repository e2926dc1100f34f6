/* QUADPACK (Piessens, de Doncker-Kapenga, Ueberhuber, Kahaner, 1983) served by Tessera, for callers in C; Fortran programs need no declaration.
 * docs/quadpack.md.
 *
 * Link with -ltessera_quadpack. For programs built with 8-byte default integers (gfortran -fdefault-integer-8) there is
 * libtessera_quadpack_ilp64.so with the same names: define TESSERA_QUADPACK_ILP64 before this header and link with
 * -ltessera_quadpack_ilp64 in place of the other.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESSERA_QUADPACK_H
#define TESSERA_QUADPACK_H

#include <stdint.h>

#ifdef TESSERA_QUADPACK_ILP64
typedef int64_t tessera_quadpack_int;
#else
typedef int tessera_quadpack_int;
#endif

#if defined(_WIN32)
#define TESSERA_QUADPACK_API
#else
#define TESSERA_QUADPACK_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The integrand at x. */
typedef double (*tessera_quadpack_function)(const double *x);
typedef float (*tessera_quadpack_function_single)(const float *x);

/* All are done when abserr <= max(epsabs, epsrel*|result|). result: the integral; abserr: its estimated absolute error; neval: calls of the
 * integrand; last: intervals.
 * ier: 0 success; 1 limit reached; 2 rounding; 3 bad behaviour of the integrand at some point, or it gave a NaN or an
 *   infinity (result NaN, abserr infinite); 4 the extrapolation does not converge; 5 the integral probably diverges; 6 a wrong
 *   argument; 7 (dqawf) a cycle went wrong, see ierlst.
 * Names that end in e have the arrays one by one: alist, blist (ends of the intervals), rlist, elist (values, errors) and iord
 * (order of descending errors), all [limit]. The others have them in iwork[limit] and work[lenw], lenw >= 4*limit. */

/* By a Gauss-Kronrod rule: key 1 .. 6: 15, 21, 31, 41, 51, 61 points. */
TESSERA_QUADPACK_API void dqag_(tessera_quadpack_function f, const double *a, const double *b, const double *epsabs,
                                const double *epsrel, const tessera_quadpack_int *key, double *result, double *abserr,
                                tessera_quadpack_int *neval, tessera_quadpack_int *ier,
                                const tessera_quadpack_int *limit, const tessera_quadpack_int *lenw,
                                tessera_quadpack_int *last, tessera_quadpack_int *iwork, double *work);
TESSERA_QUADPACK_API void dqage_(tessera_quadpack_function f, const double *a, const double *b, const double *epsabs,
                                 const double *epsrel, const tessera_quadpack_int *key,
                                 const tessera_quadpack_int *limit, double *result, double *abserr,
                                 tessera_quadpack_int *neval, tessera_quadpack_int *ier, double *alist, double *blist,
                                 double *rlist, double *elist, tessera_quadpack_int *iord, tessera_quadpack_int *last);

/* With extrapolation, for singularities at the ends and inside. */
TESSERA_QUADPACK_API void dqags_(tessera_quadpack_function f, const double *a, const double *b, const double *epsabs,
                                 const double *epsrel, double *result, double *abserr, tessera_quadpack_int *neval,
                                 tessera_quadpack_int *ier, const tessera_quadpack_int *limit,
                                 const tessera_quadpack_int *lenw, tessera_quadpack_int *last,
                                 tessera_quadpack_int *iwork, double *work);
TESSERA_QUADPACK_API void dqagse_(tessera_quadpack_function f, const double *a, const double *b, const double *epsabs,
                                  const double *epsrel, const tessera_quadpack_int *limit, double *result,
                                  double *abserr, tessera_quadpack_int *neval, tessera_quadpack_int *ier, double *alist,
                                  double *blist, double *rlist, double *elist, tessera_quadpack_int *iord,
                                  tessera_quadpack_int *last);

/* inf 1: from bound to infinity; -1: from minus infinity to bound; 2: over the whole line. */
TESSERA_QUADPACK_API void dqagi_(tessera_quadpack_function f, const double *bound, const tessera_quadpack_int *inf,
                                 const double *epsabs, const double *epsrel, double *result, double *abserr,
                                 tessera_quadpack_int *neval, tessera_quadpack_int *ier,
                                 const tessera_quadpack_int *limit, const tessera_quadpack_int *lenw,
                                 tessera_quadpack_int *last, tessera_quadpack_int *iwork, double *work);
TESSERA_QUADPACK_API void dqagie_(tessera_quadpack_function f, const double *bound, const tessera_quadpack_int *inf,
                                  const double *epsabs, const double *epsrel, const tessera_quadpack_int *limit,
                                  double *result, double *abserr, tessera_quadpack_int *neval,
                                  tessera_quadpack_int *ier, double *alist, double *blist, double *rlist, double *elist,
                                  tessera_quadpack_int *iord, tessera_quadpack_int *last);

/* With break points: points[npts2 - 2]. leniw >= 3*npts2 - 2, lenw >= 2*leniw - npts2, limit = (leniw - npts2)/2; iwork[leniw].
 * pts[npts2]; level[limit]; ndin[npts2]. */
TESSERA_QUADPACK_API void dqagp_(tessera_quadpack_function f, const double *a, const double *b,
                                 const tessera_quadpack_int *npts2, const double *points, const double *epsabs,
                                 const double *epsrel, double *result, double *abserr, tessera_quadpack_int *neval,
                                 tessera_quadpack_int *ier, const tessera_quadpack_int *leniw,
                                 const tessera_quadpack_int *lenw, tessera_quadpack_int *last,
                                 tessera_quadpack_int *iwork, double *work);
TESSERA_QUADPACK_API void dqagpe_(tessera_quadpack_function f, const double *a, const double *b,
                                  const tessera_quadpack_int *npts2, const double *points, const double *epsabs,
                                  const double *epsrel, const tessera_quadpack_int *limit, double *result,
                                  double *abserr, tessera_quadpack_int *neval, tessera_quadpack_int *ier, double *alist,
                                  double *blist, double *rlist, double *elist, double *pts, tessera_quadpack_int *iord,
                                  tessera_quadpack_int *level, tessera_quadpack_int *ndin, tessera_quadpack_int *last);

/* By rules of 21, 43 and 87 points, without division. */
TESSERA_QUADPACK_API void dqng_(tessera_quadpack_function f, const double *a, const double *b, const double *epsabs,
                                const double *epsrel, double *result, double *abserr, tessera_quadpack_int *neval,
                                tessera_quadpack_int *ier);

/* Weight cos(omega*x), integr 1, or sin(omega*x), 2. limit = leniw/2; lenw >= 2*leniw + 25*maxp1; iwork[leniw]. maxp1: lengths of
 * intervals whose moments are kept, in chebmo[25][maxp1]; icall > 1: momcom and chebmo come from a call with the same length
 * and omega. nnlog[limit]. */
TESSERA_QUADPACK_API void dqawo_(tessera_quadpack_function f, const double *a, const double *b, const double *omega,
                                 const tessera_quadpack_int *integr, const double *epsabs, const double *epsrel,
                                 double *result, double *abserr, tessera_quadpack_int *neval, tessera_quadpack_int *ier,
                                 const tessera_quadpack_int *leniw, const tessera_quadpack_int *maxp1,
                                 const tessera_quadpack_int *lenw, tessera_quadpack_int *last,
                                 tessera_quadpack_int *iwork, double *work);
TESSERA_QUADPACK_API void dqawoe_(tessera_quadpack_function f, const double *a, const double *b, const double *omega,
                                  const tessera_quadpack_int *integr, const double *epsabs, const double *epsrel,
                                  const tessera_quadpack_int *limit, const tessera_quadpack_int *icall,
                                  const tessera_quadpack_int *maxp1, double *result, double *abserr,
                                  tessera_quadpack_int *neval, tessera_quadpack_int *ier, tessera_quadpack_int *last,
                                  double *alist, double *blist, double *rlist, double *elist,
                                  tessera_quadpack_int *iord, tessera_quadpack_int *nnlog, tessera_quadpack_int *momcom,
                                  double *chebmo);

/* The same weights from a to infinity, to epsabs. At most limlst >= 3 cycles, lst were used: rslst, erlst, ierlst [limlst] say what they gave.
 * limit = (leniw - limlst)/2; lenw >= 2*leniw + 25*maxp1; iwork[leniw]. */
TESSERA_QUADPACK_API void dqawf_(tessera_quadpack_function f, const double *a, const double *omega,
                                 const tessera_quadpack_int *integr, const double *epsabs, double *result,
                                 double *abserr, tessera_quadpack_int *neval, tessera_quadpack_int *ier,
                                 const tessera_quadpack_int *limlst, tessera_quadpack_int *lst,
                                 const tessera_quadpack_int *leniw, const tessera_quadpack_int *maxp1,
                                 const tessera_quadpack_int *lenw, tessera_quadpack_int *iwork, double *work);
TESSERA_QUADPACK_API void dqawfe_(tessera_quadpack_function f, const double *a, const double *omega,
                                  const tessera_quadpack_int *integr, const double *epsabs,
                                  const tessera_quadpack_int *limlst, const tessera_quadpack_int *limit,
                                  const tessera_quadpack_int *maxp1, double *result, double *abserr,
                                  tessera_quadpack_int *neval, tessera_quadpack_int *ier, double *rslst, double *erlst,
                                  tessera_quadpack_int *ierlst, tessera_quadpack_int *lst, double *alist, double *blist,
                                  double *rlist, double *elist, tessera_quadpack_int *iord, tessera_quadpack_int *nnlog,
                                  double *chebmo);

/* Weight (x - a)**alfa * (b - x)**beta, integr 1; times log(x - a), 2; log(b - x), 3; both, 4. */
TESSERA_QUADPACK_API void dqaws_(tessera_quadpack_function f, const double *a, const double *b, const double *alfa,
                                 const double *beta, const tessera_quadpack_int *integr, const double *epsabs,
                                 const double *epsrel, double *result, double *abserr, tessera_quadpack_int *neval,
                                 tessera_quadpack_int *ier, const tessera_quadpack_int *limit,
                                 const tessera_quadpack_int *lenw, tessera_quadpack_int *last,
                                 tessera_quadpack_int *iwork, double *work);
TESSERA_QUADPACK_API void dqawse_(tessera_quadpack_function f, const double *a, const double *b, const double *alfa,
                                  const double *beta, const tessera_quadpack_int *integr, const double *epsabs,
                                  const double *epsrel, const tessera_quadpack_int *limit, double *result,
                                  double *abserr, tessera_quadpack_int *neval, tessera_quadpack_int *ier, double *alist,
                                  double *blist, double *rlist, double *elist, tessera_quadpack_int *iord,
                                  tessera_quadpack_int *last);

/* Weight 1/(x - c): the principal value. */
TESSERA_QUADPACK_API void dqawc_(tessera_quadpack_function f, const double *a, const double *b, const double *c,
                                 const double *epsabs, const double *epsrel, double *result, double *abserr,
                                 tessera_quadpack_int *neval, tessera_quadpack_int *ier,
                                 const tessera_quadpack_int *limit, const tessera_quadpack_int *lenw,
                                 tessera_quadpack_int *last, tessera_quadpack_int *iwork, double *work);
TESSERA_QUADPACK_API void dqawce_(tessera_quadpack_function f, const double *a, const double *b, const double *c,
                                  const double *epsabs, const double *epsrel, const tessera_quadpack_int *limit,
                                  double *result, double *abserr, tessera_quadpack_int *neval,
                                  tessera_quadpack_int *ier, double *alist, double *blist, double *rlist, double *elist,
                                  tessera_quadpack_int *iord, tessera_quadpack_int *last);

/* ---- The same in single precision ------------------------------------------------------------------------------------------ */

TESSERA_QUADPACK_API void qag_(tessera_quadpack_function_single f, const float *a, const float *b, const float *epsabs,
                               const float *epsrel, const tessera_quadpack_int *key, float *result, float *abserr,
                               tessera_quadpack_int *neval, tessera_quadpack_int *ier,
                               const tessera_quadpack_int *limit, const tessera_quadpack_int *lenw,
                               tessera_quadpack_int *last, tessera_quadpack_int *iwork, float *work);
TESSERA_QUADPACK_API void qage_(tessera_quadpack_function_single f, const float *a, const float *b, const float *epsabs,
                                const float *epsrel, const tessera_quadpack_int *key, const tessera_quadpack_int *limit,
                                float *result, float *abserr, tessera_quadpack_int *neval, tessera_quadpack_int *ier,
                                float *alist, float *blist, float *rlist, float *elist, tessera_quadpack_int *iord,
                                tessera_quadpack_int *last);
TESSERA_QUADPACK_API void qags_(tessera_quadpack_function_single f, const float *a, const float *b, const float *epsabs,
                                const float *epsrel, float *result, float *abserr, tessera_quadpack_int *neval,
                                tessera_quadpack_int *ier, const tessera_quadpack_int *limit,
                                const tessera_quadpack_int *lenw, tessera_quadpack_int *last,
                                tessera_quadpack_int *iwork, float *work);
TESSERA_QUADPACK_API void qagse_(tessera_quadpack_function_single f, const float *a, const float *b,
                                 const float *epsabs, const float *epsrel, const tessera_quadpack_int *limit,
                                 float *result, float *abserr, tessera_quadpack_int *neval, tessera_quadpack_int *ier,
                                 float *alist, float *blist, float *rlist, float *elist, tessera_quadpack_int *iord,
                                 tessera_quadpack_int *last);
TESSERA_QUADPACK_API void qagi_(tessera_quadpack_function_single f, const float *bound, const tessera_quadpack_int *inf,
                                const float *epsabs, const float *epsrel, float *result, float *abserr,
                                tessera_quadpack_int *neval, tessera_quadpack_int *ier,
                                const tessera_quadpack_int *limit, const tessera_quadpack_int *lenw,
                                tessera_quadpack_int *last, tessera_quadpack_int *iwork, float *work);
TESSERA_QUADPACK_API void qagie_(tessera_quadpack_function_single f, const float *bound,
                                 const tessera_quadpack_int *inf, const float *epsabs, const float *epsrel,
                                 const tessera_quadpack_int *limit, float *result, float *abserr,
                                 tessera_quadpack_int *neval, tessera_quadpack_int *ier, float *alist, float *blist,
                                 float *rlist, float *elist, tessera_quadpack_int *iord, tessera_quadpack_int *last);
TESSERA_QUADPACK_API void qagp_(tessera_quadpack_function_single f, const float *a, const float *b,
                                const tessera_quadpack_int *npts2, const float *points, const float *epsabs,
                                const float *epsrel, float *result, float *abserr, tessera_quadpack_int *neval,
                                tessera_quadpack_int *ier, const tessera_quadpack_int *leniw,
                                const tessera_quadpack_int *lenw, tessera_quadpack_int *last,
                                tessera_quadpack_int *iwork, float *work);
TESSERA_QUADPACK_API void qagpe_(tessera_quadpack_function_single f, const float *a, const float *b,
                                 const tessera_quadpack_int *npts2, const float *points, const float *epsabs,
                                 const float *epsrel, const tessera_quadpack_int *limit, float *result, float *abserr,
                                 tessera_quadpack_int *neval, tessera_quadpack_int *ier, float *alist, float *blist,
                                 float *rlist, float *elist, float *pts, tessera_quadpack_int *iord,
                                 tessera_quadpack_int *level, tessera_quadpack_int *ndin, tessera_quadpack_int *last);
TESSERA_QUADPACK_API void qng_(tessera_quadpack_function_single f, const float *a, const float *b, const float *epsabs,
                               const float *epsrel, float *result, float *abserr, tessera_quadpack_int *neval,
                               tessera_quadpack_int *ier);
TESSERA_QUADPACK_API void qawo_(tessera_quadpack_function_single f, const float *a, const float *b, const float *omega,
                                const tessera_quadpack_int *integr, const float *epsabs, const float *epsrel,
                                float *result, float *abserr, tessera_quadpack_int *neval, tessera_quadpack_int *ier,
                                const tessera_quadpack_int *leniw, const tessera_quadpack_int *maxp1,
                                const tessera_quadpack_int *lenw, tessera_quadpack_int *last,
                                tessera_quadpack_int *iwork, float *work);
TESSERA_QUADPACK_API void qawoe_(tessera_quadpack_function_single f, const float *a, const float *b, const float *omega,
                                 const tessera_quadpack_int *integr, const float *epsabs, const float *epsrel,
                                 const tessera_quadpack_int *limit, const tessera_quadpack_int *icall,
                                 const tessera_quadpack_int *maxp1, float *result, float *abserr,
                                 tessera_quadpack_int *neval, tessera_quadpack_int *ier, tessera_quadpack_int *last,
                                 float *alist, float *blist, float *rlist, float *elist, tessera_quadpack_int *iord,
                                 tessera_quadpack_int *nnlog, tessera_quadpack_int *momcom, float *chebmo);
TESSERA_QUADPACK_API void qawf_(tessera_quadpack_function_single f, const float *a, const float *omega,
                                const tessera_quadpack_int *integr, const float *epsabs, float *result, float *abserr,
                                tessera_quadpack_int *neval, tessera_quadpack_int *ier,
                                const tessera_quadpack_int *limlst, tessera_quadpack_int *lst,
                                const tessera_quadpack_int *leniw, const tessera_quadpack_int *maxp1,
                                const tessera_quadpack_int *lenw, tessera_quadpack_int *iwork, float *work);
TESSERA_QUADPACK_API void qawfe_(tessera_quadpack_function_single f, const float *a, const float *omega,
                                 const tessera_quadpack_int *integr, const float *epsabs,
                                 const tessera_quadpack_int *limlst, const tessera_quadpack_int *limit,
                                 const tessera_quadpack_int *maxp1, float *result, float *abserr,
                                 tessera_quadpack_int *neval, tessera_quadpack_int *ier, float *rslst, float *erlst,
                                 tessera_quadpack_int *ierlst, tessera_quadpack_int *lst, float *alist, float *blist,
                                 float *rlist, float *elist, tessera_quadpack_int *iord, tessera_quadpack_int *nnlog,
                                 float *chebmo);
TESSERA_QUADPACK_API void qaws_(tessera_quadpack_function_single f, const float *a, const float *b, const float *alfa,
                                const float *beta, const tessera_quadpack_int *integr, const float *epsabs,
                                const float *epsrel, float *result, float *abserr, tessera_quadpack_int *neval,
                                tessera_quadpack_int *ier, const tessera_quadpack_int *limit,
                                const tessera_quadpack_int *lenw, tessera_quadpack_int *last,
                                tessera_quadpack_int *iwork, float *work);
TESSERA_QUADPACK_API void qawse_(tessera_quadpack_function_single f, const float *a, const float *b, const float *alfa,
                                 const float *beta, const tessera_quadpack_int *integr, const float *epsabs,
                                 const float *epsrel, const tessera_quadpack_int *limit, float *result, float *abserr,
                                 tessera_quadpack_int *neval, tessera_quadpack_int *ier, float *alist, float *blist,
                                 float *rlist, float *elist, tessera_quadpack_int *iord, tessera_quadpack_int *last);
TESSERA_QUADPACK_API void qawc_(tessera_quadpack_function_single f, const float *a, const float *b, const float *c,
                                const float *epsabs, const float *epsrel, float *result, float *abserr,
                                tessera_quadpack_int *neval, tessera_quadpack_int *ier,
                                const tessera_quadpack_int *limit, const tessera_quadpack_int *lenw,
                                tessera_quadpack_int *last, tessera_quadpack_int *iwork, float *work);
TESSERA_QUADPACK_API void qawce_(tessera_quadpack_function_single f, const float *a, const float *b, const float *c,
                                 const float *epsabs, const float *epsrel, const tessera_quadpack_int *limit,
                                 float *result, float *abserr, tessera_quadpack_int *neval, tessera_quadpack_int *ier,
                                 float *alist, float *blist, float *rlist, float *elist, tessera_quadpack_int *iord,
                                 tessera_quadpack_int *last);

/* ---- Settings: not in the original. The name with an underscore is for Fortran: CALL TESSERA_QUADPACK_CANCEL ------------- */

/* Ends all runs of this process that are going on, with ier = 1 and what they have found. From the integrand, from another
 * thread or from a signal handler. */
TESSERA_QUADPACK_API void tessera_quadpack_cancel(void);
TESSERA_QUADPACK_API void tessera_quadpack_cancel_(void);

#ifdef __cplusplus
}
#endif

#endif
