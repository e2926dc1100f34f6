/* Tessera: numerical integration of functions of many variables.
 *
 * This header is the reference of the C interface. It needs C99 or C++11, includes nothing of CUDA, defines no objects.
 * Conventions: every function returns a status (see tessera_status) unless it says otherwise; inputs come first and are
 * const, outputs last; the library copies what it is given and keeps only callback pointers and `userdata`. Dimensions
 * and codes are int, counts are int64_t. Different solvers may be used by different threads at the same time; one solver
 * is used by one thread at a time.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESSERA_H
#define TESSERA_H

#include <stddef.h>
#include <stdint.h>

#define TESSERA_VERSION_MAJOR 0
#define TESSERA_VERSION_MINOR 1
#define TESSERA_VERSION_PATCH 0

#if defined(_WIN32)
#define TESSERA_API
#else
#define TESSERA_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Status ---------------------------------------------------------------------------------------------------------
 * 0: the tolerance is met. > 0: value and error are set; the status says why the run ended. < 0: no result; the outputs
 * are untouched. tessera_status_string() explains the class, tessera_last_error() the instance. Numbers never change. */
enum tessera_status {
  TESSERA_OK = 0,
  TESSERA_LIMIT_EVALUATIONS = 1, /* TESSERA_MAXEVAL reached */
  TESSERA_LIMIT_MEMORY = 2,      /* TESSERA_MAX_MEMORY reached, or no more memory to be had */
  TESSERA_LIMIT_TIME = 3,        /* TESSERA_MAX_SECONDS reached */
  TESSERA_ROUNDOFF = 4,          /* the regions left are too small to be divided in double precision */
  TESSERA_STOPPED = 5,           /* the progress callback asked to stop */
  TESSERA_CALLBACK_STOPPED = 6,  /* the integrand returned non-zero or threw; see TESSERA_CALLBACK_STATUS */
  TESSERA_NONFINITE = 7,         /* the integrand returned NaN or infinity; tessera_last_error() names the point */
  TESSERA_ERR_ARGUMENT = -1,     /* an argument is NULL, NaN or out of range */
  TESSERA_ERR_KEY = -2,          /* no such option, or a statistic was to be set */
  TESSERA_ERR_TYPE = -3,         /* an integer option was given a real or the reverse */
  TESSERA_ERR_RANGE = -4,        /* the option's value is outside its bounds */
  TESSERA_ERR_NO_INTEGRAND = -5, /* no integrand has been set */
  TESSERA_ERR_MEMORY = -6,       /* not enough memory to start */
  TESSERA_ERR_UNSUPPORTED = -7,  /* the method, rule and dimension do not go together */
  TESSERA_ERR_CALLBACK = -8,     /* the integrand stopped the run before there was any value */
  TESSERA_ERR_BUSY = -9,         /* the solver was called from one of its own callbacks */
  TESSERA_ERR_NOT_BUILT = -10,   /* there is no device engine, driver, device or compiler for what was asked */
  TESSERA_ERR_COMPILE = -11,     /* the text does not compile or the code not link; the sentence names stage, file and line */
  TESSERA_ERR_DEVICE = -12,      /* the device failed */
  TESSERA_ERR_CHECK = -13,       /* the callback and the text or code are not the same integrand */
  TESSERA_ERR_FILE = -20,        /* a file cannot be written, read or understood */
  TESSERA_ERR_INTERNAL = -99     /* a defect of the library: please report it */
};

/* ---- Options and statistics -----------------------------------------------------------------------------------------
 * Keys with explicit numbers that never change. 100..199 integer options, 200..299 real options, 300..399 integer
 * statistics, 400..499 real statistics. Defaults, bounds and meaning: docs/options.md (from the library's own table). */
enum tessera_key {
  TESSERA_MAXEVAL = 100,
  TESSERA_MINEVAL = 101,
  TESSERA_THREADS = 102,
  TESSERA_MAX_MEMORY = 103,
  TESSERA_DEVICE = 104,
  TESSERA_RULE = 110,
  TESSERA_SELECTION = 111,
  TESSERA_SPLITTING = 112,
  TESSERA_INITIAL_REGIONS = 113,
  TESSERA_ESTIMATE = 114,
  TESSERA_BATCH_POINTS = 115,
  TESSERA_NDIM_LIMIT = 116,
  TESSERA_DISK_CACHE = 117,
  TESSERA_SEED = 131,
  TESSERA_POINTS = 136,
  TESSERA_SAMPLING = 140,
  TESSERA_ANTITHETIC = 141,
  TESSERA_INCREASE = 142,
  TESSERA_WARMUP = 143,
  TESSERA_KEEP_GRID = 144,
  TESSERA_RELTOL = 200,
  TESSERA_ABSTOL = 201,
  TESSERA_MAX_SECONDS = 202,
  TESSERA_BULK_FRACTION = 203,
  TESSERA_CONFIDENCE = 210,
  TESSERA_DAMPING = 220,
  TESSERA_STRATIFY = 221,
  TESSERA_EVALUATIONS = 300,
  TESSERA_REGIONS = 301,
  TESSERA_ITERATIONS = 302,
  TESSERA_CALLBACK_STATUS = 303,
  TESSERA_REGION_BYTES = 304,
  TESSERA_RULE_USED = 305,
  TESSERA_RULE_POINTS = 306,
  TESSERA_THREADS_USED = 307,
  TESSERA_PEAK_MEMORY = 308,
  TESSERA_DEVICE_USED = 309,
  TESSERA_INLINED = 310,
  TESSERA_SAMPLING_USED = 340,
  TESSERA_STRATA = 341,
  TESSERA_SECONDS = 400,
  TESSERA_COMPILE_SECONDS = 401,
  TESSERA_CHI2 = 410
};

/* Values of TESSERA_RULE: integration rule families (docs/methods.md). */
enum tessera_rule {
  TESSERA_RULE_AUTO = 0,      /* by dimension: 1: Kronrod 21; 2: degree 13; 3: degree 11; 4..11: degree 9; 12..: low-point */
  TESSERA_RULE_GM7 = 7,       /* degree 7, 2^d + 2d^2 + 2d + 1 points (Genz and Malik 1980) */
  TESSERA_RULE_DEGREE7 = 4,   /* degree 7, 2^d + 2d^2 + 4d + 1 points (DCUHRE key 4) */
  TESSERA_RULE_DEGREE9 = 3,   /* degree 9 (DCUHRE key 3) */
  TESSERA_RULE_DEGREE11 = 2,  /* degree 11, 3 dimensions, 127 points (DCUHRE key 2) */
  TESSERA_RULE_DEGREE13 = 1,  /* degree 13, 2 dimensions, 65 points (DCUHRE key 1) */
  TESSERA_RULE_LOW = 12,      /* degree 7 with an orthogonal array in place of the 2^d vertices, d >= 12 */
  TESSERA_RULE_KRONROD15 = 15, /* Gauss-Kronrod pairs, 1 dimension */
  TESSERA_RULE_KRONROD21 = 21,
  TESSERA_RULE_KRONROD31 = 31,
  TESSERA_RULE_KRONROD41 = 41,
  TESSERA_RULE_KRONROD51 = 51,
  TESSERA_RULE_KRONROD61 = 61
};

/* Values of TESSERA_SELECTION: which regions are divided next. */
enum tessera_selection {
  TESSERA_SELECT_AUTO = 0,        /* worst first on the host; on a device it is always bulk */
  TESSERA_SELECT_WORST_FIRST = 1, /* one region a step, the one with the largest error */
  TESSERA_SELECT_BULK = 2         /* all regions above an error threshold in one step */
};

/* Values of TESSERA_SPLITTING: pieces and axes of a division. Axes are ranked by the fourth differences. */
enum tessera_splitting {
  TESSERA_SPLIT_2R = 0,   /* two halves across the first axis */
  TESSERA_SPLIT_4R0 = 1,  /* four slabs across the widest axis */
  TESSERA_SPLIT_4R1 = 2,  /* four slabs across the first axis */
  TESSERA_SPLIT_4R2 = 3,  /* halves across the first two axes */
  TESSERA_SPLIT_8R3 = 4,  /* halves across the first three axes */
  TESSERA_SPLIT_16R4 = 5  /* halves across the first four axes */
};

/* Values of TESSERA_ESTIMATE. */
enum tessera_estimate {
  TESSERA_ESTIMATE_ROBUST = 0, /* null rules, calibrated by what division showed; suspicious regions get a floor */
  TESSERA_ESTIMATE_CLASSIC = 1 /* that of DCUHRE (Berntsen, Espelid and Genz 1991) */
};

/* Values of `method` in tessera_integrate. */
enum tessera_method {
  TESSERA_CUBATURE = 1,  /* adaptive subdivision */
  TESSERA_MONTECARLO = 3 /* random points, plain or by importance sampling (docs/montecarlo.md) */
};

/* Values of TESSERA_SAMPLING: how the points of TESSERA_MONTECARLO are drawn. */
enum tessera_sampling {
  TESSERA_SAMPLING_AUTO = 0,  /* VEGAS where a warm-up shows that it halves the evaluations, else plain */
  TESSERA_SAMPLING_PLAIN = 1, /* uniform, independent */
  TESSERA_SAMPLING_VEGAS = 2  /* adaptive importance sampling and stratification (Lepage 1978, 2021) */
};

/* Values of `language` in tessera_set_integrand_source and tessera_set_integrand_file. `function` is the name of a function
 * in the text: */
enum tessera_language {
  /* CUDA C++: double f(const double *x), double f(const double *x, const P *params), void f(const double *x, double *out) or
   * void f(const double *x, double *out, const P *params); P is any type, __device__ may be left out. */
  TESSERA_LANGUAGE_CUDA = 1,
  /* C: int f(int ndim, const double *x, int ncomp, double *f, void *userdata), the form of tessera_integrand1. */
  TESSERA_LANGUAGE_C = 2,
  /* C: int f(const int *ndim, const double x[], const int *ncomp, double f[], void *userdata), the form of Cuba. */
  TESSERA_LANGUAGE_CUBA = 3
};

/* Values of `form` in tessera_set_integrand_code. */
enum tessera_code {
  TESSERA_CODE_LTOIR = 1,  /* LTO-IR of nvcc -dlto -ltoir, or of NVRTC -dlto: linked and inlined */
  TESSERA_CODE_OBJECT = 2, /* host object file, library (.a) or fatbin of nvcc -dc -dlto: the same */
  TESSERA_CODE_PTX = 3     /* PTX text of any compiler: linked, but called and not inlined */
};

/* ---- Types ---------------------------------------------------------------------------------------------------------- */
typedef struct tessera_solver tessera_solver; /* one integration problem and its workspace; see tessera_create */

/* Integrand at n points. Coordinate j of point i is x[j*ldx + i], component k of its value goes to f[k*ldf + i]; ldx >= n,
 * ldf >= n. Return 0 to go on; anything else stops the run and is found under TESSERA_CALLBACK_STATUS. It may not call the
 * solver it serves and may not longjmp out. A C++ exception stops the run like a non-zero return. */
typedef int (*tessera_integrand)(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf,
                                 void *userdata);

/* Integrand at one point: x[ndim] in, f[ncomp] out. Same return value and rules. */
typedef int (*tessera_integrand1)(int ndim, const double *x, int ncomp, double *f, void *userdata);

/* Progress: integrand evaluations so far, value[ncomp], error[ncomp], and a rough guess of the evaluations still to come
 * (-1 when there is none yet). Return non-zero to stop; the run then ends with TESSERA_STOPPED. Called on the caller's
 * thread, at most some ten times a second. */
typedef int (*tessera_progress)(int64_t evaluations, int ncomp, const double *value, const double *error,
                                int64_t remaining, void *userdata);

/* Log: one complete line without newline; level 1 warning, 2 information, 3 detail. */
typedef void (*tessera_log)(int level, const char *line, void *userdata);

/* ---- Version -------------------------------------------------------------------------------------------------------- */
TESSERA_API int tessera_version(void);                /* 10000*major + 100*minor + patch of the library in use */
TESSERA_API const char *tessera_version_string(void); /* "major.minor.patch" */

/* ---- Life cycle ----------------------------------------------------------------------------------------------------- */
/* A solver for integrands of ndim variables (1..1024) with ncomp components (1..65536). On failure *s is NULL.
 * The domain is the unit cube until tessera_set_domain. */
TESSERA_API int tessera_create(tessera_solver **s, int ndim, int ncomp);

/* Frees the solver; NULL is fine. */
TESSERA_API void tessera_destroy(tessera_solver *s);

/* Sentence about the last call on s that did not return 0; "" if there was none. Valid until the next call on s. */
TESSERA_API const char *tessera_last_error(const tessera_solver *s);

/* Name and meaning of a status, for any int. Never NULL. */
TESSERA_API const char *tessera_status_string(int status);

/* ---- Problem -------------------------------------------------------------------------------------------------------- */
/* Limits lower[ndim], upper[ndim]; +-INFINITY is allowed, NaN is not. Reversed limits change the sign of the value as
 * usual; equal limits give the value 0 without an evaluation. Half-infinite and infinite ranges are mapped to a finite one
 * by x = a + t/(1-t) and x = t/(1-t^2) (docs/methods.md). */
TESSERA_API int tessera_set_domain(tessera_solver *s, const double *lower, const double *upper);

/* The integrand, for many points a call or for one; the last one set counts. With userdata NULL the callback receives the
 * parameter block of tessera_set_params in its place. NULL for fn takes the integrand away. */
TESSERA_API int tessera_set_integrand(tessera_solver *s, tessera_integrand fn, void *userdata);
TESSERA_API int tessera_set_integrand1(tessera_solver *s, tessera_integrand1 fn, void *userdata);

/* The integrand as source text, compiled when it is first needed: by NVIDIA's NVRTC for a device, by the system's C or C++
 * compiler for the host (docs/gpu.md). What it includes by #include "name" is read now, from the current directory. The text
 * receives the parameter block of tessera_set_params; in the text TESSERA_NDIM and TESSERA_NCOMP are constants. NULL for
 * source takes the text away. A solver may hold a callback and a text at the same time; TESSERA_DEVICE says which one runs.
 * Then both are evaluated at 64 points before the text first runs, and unless they agree to 1e-6 of the component's largest
 * magnitude the run is refused with TESSERA_ERR_CHECK. In C, a return value other than 0 (Cuba's form: -999) stops the run,
 * on a device after the step in which it came. */
TESSERA_API int tessera_set_integrand_source(tessera_solver *s, int language, const char *source, const char *function);

/* The same from a file. Messages name the file as `path` does, and #include "name" is looked for in the directory of the file
 * that includes; this holds for all three languages, on the host and on a device. The file and what it includes are read now,
 * once. A file that cannot be read: TESSERA_ERR_ARGUMENT, and the integrand stays as it was. NULL for path takes the text
 * away. A solver holds one text or one piece of code: the last one set. */
TESSERA_API int tessera_set_integrand_file(tessera_solver *s, int language, const char *path, const char *function);

/* The integrand as code that a compiler has made for a device, linked when it is first needed (NVIDIA's nvJitLink, at least as
 * new as the compiler). code[bytes] is copied; a NUL at the end of PTX may be counted. `function` is one of
 *   extern "C" __device__ void f(const double *x, double *out, const void *params)
 *   __device__ void f(const double *x, double *out)        __device__ double f(const double *x)
 *   __device__ void f(const double *x, double *out, const void *params)
 *   __device__ double f(const double *x, const void *params)
 * with x[ndim], out[ncomp] and `params` the library's copy of the block of tessera_set_params (NULL if there is none); those
 * that return double have one component. A name in a namespace is written ns::f. LTO-IR does not tell the parameters of an
 * extern "C" function, which must therefore have the first form (one that writes nothing to `out` is refused); in PTX any form
 * may be extern "C". Code runs on a device only. With TESSERA_DEVICE = -1, or -2 without a device, a callback set beside it
 * runs; without one the call fails. The comparison with a callback is that of tessera_set_integrand_source. TESSERA_INLINED
 * says whether the code was inlined. NULL for code, with bytes 0, takes it away. */
TESSERA_API int tessera_set_integrand_code(tessera_solver *s, int form, const void *code, size_t bytes, const char *function);

/* A copy of `bytes` bytes is kept and handed to every form of the integrand (16-byte aligned). bytes = 0 removes it. */
TESSERA_API int tessera_set_params(tessera_solver *s, const void *params, size_t bytes);

/* ---- Options -------------------------------------------------------------------------------------------------------- */
TESSERA_API int tessera_set_int(tessera_solver *s, int key, int64_t value);
TESSERA_API int tessera_set_real(tessera_solver *s, int key, double value);
/* Options and statistics of the last run. */
TESSERA_API int tessera_get_int(const tessera_solver *s, int key, int64_t *value);
TESSERA_API int tessera_get_real(const tessera_solver *s, int key, double *value);

TESSERA_API int tessera_set_progress(tessera_solver *s, tessera_progress fn, void *userdata);
TESSERA_API int tessera_set_log(tessera_solver *s, tessera_log fn, void *userdata);

/* The CUDA stream, a CUstream or cudaStream_t of the device's primary context (that of the CUDA runtime), in which the work
 * on a device is done: it begins after what is in the stream already. tessera_integrate still returns only when its result is
 * there, and must find the stream alive. NULL, the default, is a stream of the library's own, which waits for no other. On
 * the host a stream means nothing. */
TESSERA_API int tessera_set_stream(tessera_solver *s, void *stream);

/* ---- Integration ---------------------------------------------------------------------------------------------------- */
/* Integrates over the domain: value[ncomp] and error[ncomp], an estimate of the absolute error. Converged (0) when every
 * component has error <= max(TESSERA_ABSTOL, TESSERA_RELTOL*|value|). Blocks until done. */
TESSERA_API int tessera_integrate(tessera_solver *s, int method, double *value, double *error);

/* After a run of TESSERA_MONTECARLO: chi2[ncomp], for each component the chi-square of the VEGAS iterations' values about their
 * mean weighted by the inverse variances, with TESSERA_ITERATIONS - 1 degrees of freedom; 0 after plain sampling.
 * TESSERA_ERR_ARGUMENT when the last run was of another method, or there was none. */
TESSERA_API int tessera_get_chi2(const tessera_solver *s, double *chi2);

/* The grid of VEGAS, which a solver keeps from its last run with it. TESSERA_KEEP_GRID = 1 makes the next run begin with the grid
 * there is. A grid belongs to the unit cube of which the domain is the image and may serve other domains and integrands of as
 * many variables. The file is text (docs/montecarlo.md). Save: TESSERA_ERR_ARGUMENT when there is no grid; load: when the file's
 * grid has another number of variables. TESSERA_ERR_FILE when the file cannot be written, read or understood; the solver's
 * grid then stays as it was. */
TESSERA_API int tessera_save_grid(const tessera_solver *s, const char *path);
TESSERA_API int tessera_load_grid(tessera_solver *s, const char *path);

#ifdef __cplusplus
}
#endif

#endif /* TESSERA_H */
