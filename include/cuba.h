/* The calls of Cuba 4.2 as served by Tessera (-ltessera_cuba): docs/cuba.md. Written anew for this library.
 * Installed in a directory of its own, so that it does not take the place of another cuba.h; `pkg-config --cflags
 * tessera_cuba` and the CMake target tessera::cuba know where.
 *
 * Common arguments: ndim, ncomp, the integrand and its userdata; nvec, the most points in one call of the integrand; the
 * tolerances, relative before absolute; flags; statefile, a file name or NULL; spin, NULL; results neval, fail, integral[ncomp],
 * error[ncomp], prob[ncomp]. The integration region is the unit hypercube. In the routines ll... nvec, mineval, maxeval, neval
 * and the like are long long, and so is what the integrand's sixth argument points to.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESSERA_CUBA_H
#define TESSERA_CUBA_H

typedef double cubareal;

/* The integrand is called with (ndim, x, ncomp, f, userdata, nvec, core): f[nvec][ncomp] at the points x[nvec][ndim]. Those of
 * the arguments that it does not want it need not declare. It returns 0, or -999 to stop the run. */
typedef int (*integrand_t)(const int *ndim, const cubareal x[], const int *ncomp, cubareal f[], void *userdata);
typedef void (*peakfinder_t)(const int *ndim, const cubareal b[], int *n, cubareal x[], void *userdata);

/* Called as f(arg, &core), the second an int; in C a function with any arguments may be given, as with the original. */
#if defined(__GNUC__) && !defined(__cplusplus)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#endif
typedef void (*tessera_cuba_hook)();
#if defined(__GNUC__) && !defined(__cplusplus)
#pragma GCC diagnostic pop
#endif

/* fail: 0 the tolerance is met; 1 (Divonne: above 0) maxeval reached, or a NaN or an infinity, or cancelled; -1 ndim and -2
 * ncomp out of range; -99 the integrand returned -999; and: */
#define TESSERA_CUBA_WRONG_ARGUMENT (-90) /* another argument cannot be; TESSERA_REPORT=1 says which */

#if defined(_WIN32)
#define TESSERA_CUBA_API
#else
#define TESSERA_CUBA_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* 2 <= ndim <= 25, 1 <= ncomp <= 1024. key: 7, 9, 11 (ndim 3), 13 (ndim 2), else 13, 11, 9 for 2, 3, more dimensions. */
TESSERA_CUBA_API void Cuhre(int ndim, int ncomp, integrand_t integrand, void *userdata, int nvec, cubareal epsrel,
                            cubareal epsabs, int flags, int mineval, int maxeval, int key, const char *statefile,
                            void *spin, int *nregions, int *neval, int *fail, cubareal integral[], cubareal error[],
                            cubareal prob[]);
TESSERA_CUBA_API void llCuhre(int ndim, int ncomp, integrand_t integrand, void *userdata, long long nvec,
                              cubareal epsrel, cubareal epsabs, int flags, long long mineval, long long maxeval,
                              int key, const char *statefile, void *spin, int *nregions, long long *neval, int *fail,
                              cubareal integral[], cubareal error[], cubareal prob[]);

/* Monte Carlo, 1 <= ndim <= 1024 (Divonne from 2): docs/cuba.md says what each argument means here. error of Vegas and Suave is one
 * standard deviation; prob as the original's. Vegas and Suave call the integrand with two more arguments (the
 * weights of the points and the number of the iteration), Divonne with one (2). */
TESSERA_CUBA_API void Vegas(int ndim, int ncomp, integrand_t integrand, void *userdata, int nvec, cubareal epsrel,
                            cubareal epsabs, int flags, int seed, int mineval, int maxeval, int nstart, int nincrease,
                            int nbatch, int gridno, const char *statefile, void *spin, int *neval, int *fail,
                            cubareal integral[], cubareal error[], cubareal prob[]);
TESSERA_CUBA_API void llVegas(int ndim, int ncomp, integrand_t integrand, void *userdata, long long nvec,
                              cubareal epsrel, cubareal epsabs, int flags, int seed, long long mineval,
                              long long maxeval, long long nstart, long long nincrease, long long nbatch, int gridno,
                              const char *statefile, void *spin, long long *neval, int *fail, cubareal integral[],
                              cubareal error[], cubareal prob[]);
TESSERA_CUBA_API void Suave(int ndim, int ncomp, integrand_t integrand, void *userdata, int nvec, cubareal epsrel,
                            cubareal epsabs, int flags, int seed, int mineval, int maxeval, int nnew, int nmin,
                            cubareal flatness, const char *statefile, void *spin, int *nregions, int *neval, int *fail,
                            cubareal integral[], cubareal error[], cubareal prob[]);
TESSERA_CUBA_API void llSuave(int ndim, int ncomp, integrand_t integrand, void *userdata, long long nvec,
                              cubareal epsrel, cubareal epsabs, int flags, int seed, long long mineval,
                              long long maxeval, long long nnew, long long nmin, cubareal flatness,
                              const char *statefile, void *spin, int *nregions, long long *neval, int *fail,
                              cubareal integral[], cubareal error[], cubareal prob[]);
TESSERA_CUBA_API void Divonne(int ndim, int ncomp, integrand_t integrand, void *userdata, int nvec, cubareal epsrel,
                              cubareal epsabs, int flags, int seed, int mineval, int maxeval, int key1, int key2,
                              int key3, int maxpass, cubareal border, cubareal maxchisq, cubareal mindeviation,
                              int ngiven, int ldxgiven, cubareal xgiven[], int nextra, peakfinder_t peakfinder,
                              const char *statefile, void *spin, int *nregions, int *neval, int *fail,
                              cubareal integral[], cubareal error[], cubareal prob[]);
TESSERA_CUBA_API void llDivonne(int ndim, int ncomp, integrand_t integrand, void *userdata, long long nvec,
                                cubareal epsrel, cubareal epsabs, int flags, int seed, long long mineval,
                                long long maxeval, int key1, int key2, int key3, int maxpass, cubareal border,
                                cubareal maxchisq, cubareal mindeviation, long long ngiven, int ldxgiven,
                                cubareal xgiven[], long long nextra, peakfinder_t peakfinder, const char *statefile,
                                void *spin, int *nregions, long long *neval, int *fail, cubareal integral[],
                                cubareal error[], cubareal prob[]);

/* No processes are started: what the arguments say shows in the data symbol cubaworkers_ and nowhere else. */
TESSERA_CUBA_API void cubafork(void *spin);
TESSERA_CUBA_API void cubawait(void *spin);
TESSERA_CUBA_API void cubacores(const int *n, const int *p);
TESSERA_CUBA_API void cubaaccel(const int *n, const int *p);

/* Functions for the thread that calls the integrator, f(arg, &core) with core 32768: init before the next run, exit when the
 * program ends or another one is set. NULL takes a function away. */
TESSERA_CUBA_API void cubainit(tessera_cuba_hook f, void *arg);
TESSERA_CUBA_API void cubaexit(tessera_cuba_hook f, void *arg);

/* The least level of verbosity of all runs. */
TESSERA_CUBA_API void cubaverbose(const int *level);

/* ---- Settings: not in the original. The names with an underscore are for Fortran. --------------------------------------- */

/* Threads that call the integrand at the same time, which must then be re-entrant; 0: as the environment variable
 * TESSERA_THREADS says, or 1. With more than one, many regions are divided in a step: other counts than the original's. */
TESSERA_CUBA_API void tessera_cuba_threads(int n);
TESSERA_CUBA_API void tessera_cuba_threads_(const int *n);

/* Ends all runs of this process that are going on, with fail = 1 and what they have found. */
TESSERA_CUBA_API void tessera_cuba_cancel(void);
TESSERA_CUBA_API void tessera_cuba_cancel_(void);

/* Least time in seconds between two writings of the state file in the middle of a run (default 10). */
TESSERA_CUBA_API void tessera_cuba_state_seconds(double seconds);
TESSERA_CUBA_API void tessera_cuba_state_seconds_(const double *seconds);

#ifdef __cplusplus
}
#endif

#endif
