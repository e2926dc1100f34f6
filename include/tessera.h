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

/* Version of this header; tessera_version() is that of the library in use. */
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
  TESSERA_LIMIT_TIME = 3,        /* TESSERA_MAX_SECONDS reached; while the integrand was compiled: value NaN, error infinity */
  TESSERA_ROUNDOFF = 4,          /* the regions left are too small to be divided in double precision */
  TESSERA_STOPPED = 5,           /* the progress callback asked to stop */
  TESSERA_CALLBACK_STOPPED = 6,  /* the integrand returned non-zero or threw; see TESSERA_CALLBACK_STATUS */
  TESSERA_NONFINITE = 7,         /* the integrand returned NaN or infinity; tessera_last_error() names the point */
  TESSERA_SOME_FAILED = 8,       /* tessera_integrate_many: some integrals have no result; their status is negative */
  TESSERA_ALL_ZERO = 9,          /* cubature with TESSERA_ABSTOL = 0: the integrand was 0 at all TESSERA_EVALUATIONS points; it may
                                  * be 0, or differ from 0 where no point lies */
  TESSERA_SLOW_CONVERGENCE = 10, /* quadrature: the sums do not converge, or too slowly; the value is the best to be had */
  TESSERA_DIVERGENT = 11,        /* quadrature: the integral probably diverges, or converges slowly */
  TESSERA_HEAVY_TAIL = 12,       /* sampling and lattice rules: TESSERA_MAXEVAL reached, and few of the evaluations carry the integral,
                                  * as beside a singularity without a variance or a peak just found: the error may be larger */
  TESSERA_ELSEWHERE = 13,        /* tessera_integrate_many with TESSERA_GATHER = 0: another rank has the result; value NaN, error infinity */
  TESSERA_ERR_ARGUMENT = -1,     /* an argument is NULL, NaN or out of range */
  TESSERA_ERR_KEY = -2,          /* no such option, or a statistic was to be set */
  TESSERA_ERR_TYPE = -3,         /* an integer option was given a real or the reverse */
  TESSERA_ERR_RANGE = -4,        /* the option's value is outside its bounds */
  TESSERA_ERR_NO_INTEGRAND = -5, /* no integrand has been set */
  TESSERA_ERR_MEMORY = -6,       /* not enough memory to start */
  TESSERA_ERR_UNSUPPORTED = -7,  /* the method, rule and dimension do not go together */
  TESSERA_ERR_CALLBACK = -8,     /* the integrand stopped the run before there was any value */
  TESSERA_ERR_BUSY = -9,         /* the solver was called from one of its own callbacks */
  TESSERA_ERR_NOT_BUILT = -10,   /* there is no device engine, driver, device, compiler or FFTW for what was asked */
  TESSERA_ERR_COMPILE = -11,     /* the text does not compile or the code not link; the message names stage, file and line */
  TESSERA_ERR_DEVICE = -12,      /* the device failed */
  TESSERA_ERR_CHECK = -13,       /* the callback and another form of the integrand do not give the same values */
  TESSERA_ERR_RANKS = -14,       /* the ranks of a communicator do not agree, or cannot communicate; the message says which and why */
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
  TESSERA_KEEP_REGIONS = 118,
  TESSERA_PRIORITY = 119,
  TESSERA_NONFINITE_POLICY = 120,
  TESSERA_SPARSE = 121,
  TESSERA_COMPLEX = 122,
  TESSERA_GATHER = 123,
  TESSERA_BREAK_POINTS = 124,
  TESSERA_LEAST_REGIONS = 125,
  TESSERA_SHIFTS = 130,
  TESSERA_SEED = 131,
  TESSERA_TRANSFORM = 132,
  TESSERA_COMPLEMENT = 133,
  TESSERA_MEDIAN = 134,
  TESSERA_COPIES = 135,
  TESSERA_POINTS = 136,
  TESSERA_SAMPLING = 140,
  TESSERA_ANTITHETIC = 141,
  TESSERA_INCREASE = 142,
  TESSERA_WARMUP = 143,
  TESSERA_KEEP_GRID = 144,
  TESSERA_KEEP_STATE = 145,
  TESSERA_GENERATOR = 146,
  TESSERA_WEIGHTS = 147,
  TESSERA_CONSTANT_EVALUATIONS = 148,
  TESSERA_WEIGHT = 150,
  TESSERA_SHARED_CALLS = 151,
  TESSERA_RELTOL = 200,
  TESSERA_ABSTOL = 201,
  TESSERA_MAX_SECONDS = 202,
  TESSERA_BULK_FRACTION = 203,
  TESSERA_PROGRESS_SECONDS = 204,
  TESSERA_CHECK_TOLERANCE = 205,
  TESSERA_CHECKPOINT_SECONDS = 206,
  TESSERA_CONFIDENCE = 210,
  TESSERA_DAMPING = 220,
  TESSERA_STRATIFY = 221,
  TESSERA_OMEGA = 230,
  TESSERA_ALPHA = 231,
  TESSERA_BETA = 232,
  TESSERA_POLE = 233,
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
  TESSERA_NONFINITE_POINTS = 311,
  TESSERA_SPARSE_EVALUATIONS = 312,
  TESSERA_SPARSE_USED = 313,
  TESSERA_METHOD_USED = 314,
  TESSERA_DEVICES_USED = 315,
  TESSERA_POINTS_USED = 330,
  TESSERA_SHIFTS_USED = 331,
  TESSERA_TRANSFORM_USED = 332,
  TESSERA_SAMPLING_USED = 340,
  TESSERA_STRATA = 341,
  TESSERA_SECONDS = 400,
  TESSERA_COMPILE_SECONDS = 401,
  TESSERA_CHI2 = 410
};

/* Values of TESSERA_DEVICE beside the numbers 0, 1, ... of CUDA devices. */
enum tessera_where {
  TESSERA_DEVICE_HOST = -1, /* the host */
  TESSERA_DEVICE_ANY = -2   /* device 0 if there is a GPU that can be used and the integrand has a form for it, else the host */
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
  TESSERA_RULE_KRONROD61 = 61,
  TESSERA_RULE_DOUBLE_EXPONENTIAL = 70 /* tanh-sinh, exp-sinh, sinh-sinh; with TESSERA_QUADRATURE only */
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

/* Values of TESSERA_PRIORITY: what makes a region come first. */
enum tessera_priority {
  TESSERA_PRIORITY_ALL = 0,            /* its largest error; the axis by the differences of all components */
  TESSERA_PRIORITY_WORST_COMPONENT = 1 /* its error of the component farthest from its tolerance, and the axis by the
                                        * differences of this component alone (Cuba's Cuhre); with worst first only */
};

/* Values of `method` in tessera_integrate. */
enum tessera_method {
  TESSERA_CUBATURE = 1, /* adaptive subdivision */
  TESSERA_LATTICE = 2,  /* randomly shifted rank-1 lattice rules */
  TESSERA_MONTECARLO = 3, /* random points, plain or by importance sampling (docs/montecarlo.md) */
  TESSERA_QUADRATURE = 4, /* one variable: Gauss-Kronrod with extrapolation, weights, double-exponential rules (docs/quadrature.md) */
  TESSERA_ITERATED = 5, /* several variables, one axis after the other, each by TESSERA_QUADRATURE (docs/quadrature.md) */
  TESSERA_AUTO = 6      /* one of the first four, found by trial (docs/choose.md) */
};

/* Values of TESSERA_WEIGHT: a factor of the integrand that TESSERA_QUADRATURE integrates exactly (docs/quadrature.md). [a, b] is the range. */
enum tessera_weight {
  TESSERA_WEIGHT_NONE = 0,
  TESSERA_WEIGHT_COS = 1,                 /* cos(omega x), on finite and infinite ranges */
  TESSERA_WEIGHT_SIN = 2,                 /* sin(omega x), on finite and infinite ranges */
  TESSERA_WEIGHT_ALGEBRAIC = 3,           /* (x - a)^alpha (b - x)^beta */
  TESSERA_WEIGHT_ALGEBRAIC_LOG_LOWER = 4, /* times log(x - a) */
  TESSERA_WEIGHT_ALGEBRAIC_LOG_UPPER = 5, /* times log(b - x) */
  TESSERA_WEIGHT_ALGEBRAIC_LOG_BOTH = 6,  /* times log(x - a) log(b - x) */
  TESSERA_WEIGHT_CAUCHY = 7               /* 1 / (x - pole), as a principal value */
};

/* Values of TESSERA_TRANSFORM: the change of variables before a lattice rule (docs/lattice.md). */
enum tessera_transform {
  TESSERA_TRANSFORM_AUTO = 0,      /* the one with the least error in a short trial */
  TESSERA_TRANSFORM_NONE = 1,      /* x = t */
  TESSERA_TRANSFORM_BAKER = 2,     /* x = 1 - |2t - 1|, also called tent */
  TESSERA_TRANSFORM_TANH = 3,      /* x = (1 + tanh(1/(1-t) - 1/t))/2 */
  TESSERA_TRANSFORM_KOROBOV1 = 11, /* dx/dt proportional to (t(1-t))^m, m = 1 .. 6 */
  TESSERA_TRANSFORM_KOROBOV2 = 12,
  TESSERA_TRANSFORM_KOROBOV3 = 13,
  TESSERA_TRANSFORM_KOROBOV4 = 14,
  TESSERA_TRANSFORM_KOROBOV5 = 15,
  TESSERA_TRANSFORM_KOROBOV6 = 16,
  TESSERA_TRANSFORM_SIDI1 = 21, /* dx/dt proportional to sin(pi t)^m, m = 1 .. 6 */
  TESSERA_TRANSFORM_SIDI2 = 22,
  TESSERA_TRANSFORM_SIDI3 = 23,
  TESSERA_TRANSFORM_SIDI4 = 24,
  TESSERA_TRANSFORM_SIDI5 = 25,
  TESSERA_TRANSFORM_SIDI6 = 26
};

/* Kernels for the construction of generating vectors: the space whose worst-case error is made small. */
enum tessera_kernel {
  TESSERA_KERNEL_B2 = 1,   /* Korobov space of smoothness 1: 2 pi^2 B2(x), B2 a Bernoulli polynomial */
  TESSERA_KERNEL_B4 = 2,   /* smoothness 2: -(2/3) pi^4 B4(x) */
  TESSERA_KERNEL_B6 = 3,   /* smoothness 3: (4/45) pi^6 B6(x) */
  TESSERA_KERNEL_TABLE = 9 /* the user's, by its values */
};

/* Keys of tessera_lattice_set_int, tessera_lattice_get_int and tessera_lattice_get_real. */
enum tessera_lattice_key {
  TESSERA_LATTICE_LEAST = 500,      /* option: 0, or for n = 2^m the least n = 2^k for which the vector shall be good too */
  TESSERA_LATTICE_PRECISION = 501,  /* option: 64 (default) or 32 bits, precision of the construction */
  TESSERA_LATTICE_MAX_MEMORY = 502, /* option: most bytes of a construction; 0 (default): three quarters of what is free */
  TESSERA_LATTICE_DEVICE = 503,     /* option: where to construct: -1 (default) the host, 0, 1, ... a CUDA device, -2 one if there is
                                     * one; a device needs cuFFT and NVRTC, the host FFTW. The vector is the same */
  TESSERA_LATTICE_NDIM = 520,       /* number of components */
  TESSERA_LATTICE_SIZE = 521,       /* n; 0 while there is no vector */
  TESSERA_LATTICE_ORIGIN = 522,     /* a value of enum tessera_lattice_origin */
  TESSERA_LATTICE_BYTES = 523,      /* bytes that the last construction asked for */
  TESSERA_LATTICE_DEVICE_USED = 524, /* device of the last construction; -1 for the host */
  TESSERA_LATTICE_MERIT = 540,      /* real: squared worst-case error of the construction at n; NaN for other vectors */
  TESSERA_LATTICE_RATIO = 541,      /* real: greatest ratio of it to that of a vector for one n alone; 1 where LEAST is 0 */
  TESSERA_LATTICE_SECONDS = 542,    /* real: duration of the construction */
  TESSERA_LATTICE_PLAN_SECONDS = 543 /* real: part of it that is not for the components: start of the device, kernels, FFT plans, memory */
};

/* Where a vector comes from. */
enum tessera_lattice_origin {
  TESSERA_ORIGIN_EMPTY = 0,
  TESSERA_ORIGIN_CONSTRUCTED = 1,
  TESSERA_ORIGIN_KOROBOV = 2,
  TESSERA_ORIGIN_GIVEN = 3,
  TESSERA_ORIGIN_BUILTIN = 4
};

/* Values of TESSERA_SPARSE: the part of a sparse grid in TESSERA_CUBATURE. */
enum tessera_sparse {
  TESSERA_SPARSE_AUTO = 0, /* beside the regions, where the estimate is robust; it ends the run where its value can be believed */
  TESSERA_SPARSE_OFF = 1,  /* regions alone */
  TESSERA_SPARSE_ALONE = 2 /* no regions: for integrands that are known to be smooth in the whole domain */
};

/* Values of `method` in tessera_extrapolate. */
enum tessera_extrapolation {
  TESSERA_EXTRAPOLATE_EPSILON = 1,    /* Wynn's epsilon algorithm: geometric convergence, or oscillation */
  TESSERA_EXTRAPOLATE_RICHARDSON = 2, /* polynomials in a parameter that goes to 0 */
  TESSERA_EXTRAPOLATE_LEVIN = 3       /* Levin's u transformation: convergence as slow as powers of 1/n; sums of series */
};

/* Values of TESSERA_NONFINITE_POLICY: what happens where the integrand is NaN or infinite. */
enum tessera_nonfinite_policy {
  TESSERA_NONFINITE_STOP = 0, /* the run ends with TESSERA_NONFINITE and names the point */
  TESSERA_NONFINITE_ZERO = 1  /* it counts as 0 there, the points are counted, and the error allows for them; on the host */
};

/* Values of TESSERA_SAMPLING: how the points of TESSERA_MONTECARLO are drawn. */
enum tessera_sampling {
  TESSERA_SAMPLING_AUTO = 0,  /* plain or VEGAS, as trials show */
  TESSERA_SAMPLING_PLAIN = 1, /* uniform, independent */
  TESSERA_SAMPLING_VEGAS = 2  /* adaptive importance sampling and stratification (Lepage 1978, 2021) */
};

/* Values of TESSERA_GENERATOR: where the random or quasi-random numbers come from. cuRAND's are for plain sampling. */
enum tessera_generator {
  TESSERA_GENERATOR_PHILOX = 0,          /* Philox4x32-10, a function of seed and index: the same points everywhere */
  TESSERA_GENERATOR_XORWOW = 1,          /* cuRAND's XORWOW; on a device */
  TESSERA_GENERATOR_MRG32K3A = 2,        /* cuRAND's MRG32k3a; on a device */
  TESSERA_GENERATOR_SOBOL_SCRAMBLED = 3, /* cuRAND's scrambled 64-bit Sobol points under random shifts; on a device */
  TESSERA_GENERATOR_SOBOL = 4,           /* Sobol points scrambled by seed and index: the same points everywhere */
  TESSERA_GENERATOR_THREEFRY = 5,        /* Threefry4x64-20, a function of seed and index: the same points everywhere */
  TESSERA_GENERATOR_AUTO = 6             /* with TESSERA_SAMPLING_AUTO Sobol or Philox as trials show, else Philox */
};

/* Values of `language` in tessera_set_integrand_source and tessera_set_integrand_file. `function` is the name of a function
 * in the text: */
enum tessera_language {
  /* CUDA C++: double f(const double *x), double f(const double *x, const P *params), void f(const double *x, double *out) or
   * void f(const double *x, double *out, const P *params); P is any type, __device__ may be left out. */
  TESSERA_LANGUAGE_CUDA = 1,
  /* C: int f(int ndim, const double *x, int ncomp, double *f, void *userdata), the form of tessera_integrand1; or with double complex *f.
   * With one component also double f(const double *x, const void *userdata) or double f(const double *x). */
  TESSERA_LANGUAGE_C = 2,
  /* C: int f(const int *ndim, const double x[], const int *ncomp, double f[], void *userdata), the form of Cuba. */
  TESSERA_LANGUAGE_CUBA = 3,
  /* Fortran: SUBROUTINE f(ndim, x, numfun, funvls), SUBROUTINE f(x, fval), DOUBLE PRECISION FUNCTION f(ndim, x), DOUBLE PRECISION
   * FUNCTION f(x) or Cuba's INTEGER FUNCTION f(ndim, x, ncomp, fval [, userdata]); `function` is its name, or module::name. A text is in
   * free form, a file in the form that its suffix says (.f, .for, .ftn, .f77: fixed; in capitals: with the preprocessor). */
  TESSERA_LANGUAGE_FORTRAN = 4,
  TESSERA_LANGUAGE_FORTRAN_FIXED = 5 /* the same in fixed form, whatever the suffix */
};

/* Values of `form` in tessera_set_integrand_code. */
enum tessera_code {
  TESSERA_CODE_LTOIR = 1,  /* LTO-IR of nvcc -dlto -ltoir, or of NVRTC -dlto: linked and inlined */
  TESSERA_CODE_OBJECT = 2, /* host object file, library (.a) or fatbin of nvcc -dc -dlto: the same */
  TESSERA_CODE_PTX = 3     /* PTX text of any compiler: linked, but called and not inlined */
};

/* ---- Types ---------------------------------------------------------------------------------------------------------- */
typedef struct tessera_solver tessera_solver;   /* one integration problem and its workspace; see tessera_create */
typedef struct tessera_lattice tessera_lattice; /* a generating vector; see tessera_lattice_create */

/* Integrand at n points. Coordinate j of point i is x[j*ldx + i], component k of its value goes to f[k*ldf + i]; ldx >= n,
 * ldf >= n. Return 0 to go on; anything else stops the run and is found under TESSERA_CALLBACK_STATUS. It may not call the
 * solver it serves and may not longjmp out. A C++ exception stops the run like a non-zero return. */
typedef int (*tessera_integrand)(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf,
                                 void *userdata);

/* Integrand at one point: x[ndim] in, f[ncomp] out. Same return value and rules. With TESSERA_COMPLEX = 1 f is an array of ncomp/2 complex numbers as well
 * (double _Complex, std::complex<double>, complex(c_double)), and so are value and error of tessera_integrate. */
typedef int (*tessera_integrand1)(int ndim, const double *x, int ncomp, double *f, void *userdata);

/* Limits of one axis from the coordinates x[0 .. axis-1] before it: sets *lower and *upper, finite and in this order; where they are
 * equal the integrand is not called. Same return value and rules as the integrand; called from the threads that call it. */
typedef int (*tessera_limits)(int ndim, int axis, const double *x, double *lower, double *upper, void *userdata);

/* Integrand at n points on a CUDA device, launched by the caller's own program. The arrays lie in the device's memory, in the
 * order of tessera_integrand: coordinate j of point i is x[j*ldx + i], component k of its value goes to f[k*ldf + i]; ldx and
 * ldf are at least n, and n is at most 4194304. The function is called on the host, with the solver's device current; it
 * launches work on `stream` (a cudaStream_t) that writes f at all n points, and returns without waiting for it. What follows is
 * ordered behind it on the same stream. Return 0 to go on; anything else stops the run and is found under
 * TESSERA_CALLBACK_STATUS, so that `return (int)cudaGetLastError();` is a good ending. The arrays are the library's and may be
 * used in this call only. It may not call the solver it serves, may not make another device current for good and may not
 * longjmp out. A C++ exception stops the run like a non-zero return. Values that are left out end the run with
 * TESSERA_NONFINITE. */
typedef int (*tessera_device_integrand)(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf,
                                        void *stream, void *userdata);

/* Progress: integrand evaluations so far, value[ncomp], error[ncomp], and a rough guess of the evaluations still to come
 * (-1 when there is none yet). Return non-zero to stop; the run then ends with TESSERA_STOPPED. Called on the caller's
 * thread between two steps, at most every TESSERA_PROGRESS_SECONDS; on the host also within a step that takes longer, with the
 * numbers of the step before (a value of 0 with an error of infinity when there was none). Other threads may be calling the
 * integrand meanwhile. It may call tessera_get_regions, tessera_get_state and tessera_get_chi2, and nothing else, on the solver
 * it serves. */
typedef int (*tessera_progress)(int64_t evaluations, int ncomp, const double *value, const double *error,
                                int64_t remaining, void *userdata);

/* Progress of a construction: steps done and steps in all. Return non-zero to stop; the construction then fails with
 * TESSERA_ERR_CALLBACK and the vector there was before stays. */
typedef int (*tessera_lattice_progress)(int64_t done, int64_t all, void *userdata);

/* Log: one complete line without newline; level 1 warning, 2 information, 3 detail. */
typedef void (*tessera_log)(int level, const char *line, void *userdata);

/* ---- Version -------------------------------------------------------------------------------------------------------- */
TESSERA_API int tessera_version(void);                /* 10000*major + 100*minor + patch of the library in use */
TESSERA_API const char *tessera_version_string(void); /* "major.minor.patch" */

/* ---- Life cycle ----------------------------------------------------------------------------------------------------- */
/* A solver for integrands of ndim variables (1..1024) with ncomp components (1..65536). On failure *s is NULL.
 * The domain is the unit cube until tessera_set_domain. */
TESSERA_API int tessera_create(tessera_solver **s, int ndim, int ncomp);

/* Frees the solver; NULL is fine. Kernels and memory that it has on devices wait for the next one, within limits (docs/gpu.md). From one
 * of the solver's own callbacks it does nothing, and says so to the log. */
TESSERA_API void tessera_destroy(tessera_solver *s);

/* Message about the last call on s that did not return 0; "" if there was none. Valid until the next call on s. With NULL for
 * s: about the last call of tessera_register_twin in this thread that did not return 0. */
TESSERA_API const char *tessera_last_error(const tessera_solver *s);

/* Name and meaning of a status, for any int. Never NULL. */
TESSERA_API const char *tessera_status_string(int status);

/* ---- Problem -------------------------------------------------------------------------------------------------------- */
/* Limits lower[ndim], upper[ndim]; +-INFINITY is allowed, NaN is not. Reversed limits change the sign of the value as
 * usual; equal limits give the value 0 without an evaluation, limits without a number between them are refused. The integrand is
 * never evaluated outside the limits or on one of them. Half-infinite and infinite ranges are mapped to a finite one
 * by x = a + t/(1-t) and x = t/(1-t^2) (docs/methods.md). */
TESSERA_API int tessera_set_domain(tessera_solver *s, const double *lower, const double *upper);

/* Limits of axis 0 .. ndim-1 as a function of the coordinates before it, in place of those of the domain: triangles, balls, wedges. NULL
 * for fn gives the axis back its limits of tessera_set_domain. For every method on the host, on a device for TESSERA_ITERATED
 * (tessera_set_limits_source is for every method on both). The box
 * has the limits 0 and 1 on this axis (regions and grids are of the box), and x = lower + (upper - lower) t. Limits that are not finite, or
 * that cross, end the run with TESSERA_CALLBACK_STOPPED and a message that names the axis and the coordinates; a value that there was is
 * kept. */
TESSERA_API int tessera_set_limits(tessera_solver *s, int axis, tessera_limits fn, void *userdata);

/* The same as source text, for every method on the host and, beside an integrand as source text or compiled code, on a device, where it becomes a
 * part of the kernels. `function` is the name of a function in the text, in TESSERA_LANGUAGE_CUDA
 *   void f(const double *x, double *lower, double *upper) or void f(const double *x, double *lower, double *upper, const P *params),
 * in TESSERA_LANGUAGE_C the form of tessera_limits; TESSERA_LANGUAGE_CUBA has none. params and userdata are the parameter block of
 * tessera_set_params, which the integrand receives too. The text is copied and stands for itself: what it defines is unknown to the other texts
 * (those in CUDA C++ are in a namespace each, so that extern "C" must not be used twice); several axes may have one text. It is
 * compiled, and files are included, as those of tessera_set_integrand_source; errors are told by the run. NULL for source gives the axis back its limits
 * of tessera_set_domain; of this call and tessera_set_limits the last one counts. On a device the message about limits that cross or are not finite
 * names the axis alone. TESSERA_ERR_UNSUPPORTED from a run for a device where some axis has limits of tessera_set_limits, or a device
 * callback would run. */
TESSERA_API int tessera_set_limits_source(tessera_solver *s, int axis, int language, const char *source,
                                          const char *function);

/* How the unit cube becomes a simplex. */
enum tessera_simplex {
  TESSERA_SIMPLEX_NONE = 0,     /* not at all: the domain is that of tessera_set_domain */
  TESSERA_SIMPLEX_DUFFY = 1,    /* smooth, a face of the cube becomes the first vertex: for cubature and quadrature, and singularities there */
  TESSERA_SIMPLEX_SYMMETRIC = 2 /* by order statistics, constant Jacobian, all vertices alike, kinks: for Monte Carlo and lattice rules */
};

/* A simplex as the domain, in place of that of tessera_set_domain: vertices[ndim + 1][ndim], coordinate j of vertex i at vertices[i*ndim + j],
 * copied; NULL: 0 < x[j], x[0] + ... + x[ndim-1] < 1, with the origin as its first vertex. For every method, on the host and, for source texts and
 * compiled code, on a device (where other vertices are compiled anew). The integrand receives points of the simplex and is multiplied by the
 * Jacobian; the box is the unit cube (regions and grids are of the box). The order of the vertices has
 * no effect on the sign; which is the first matters to Duffy's map. Each coordinate lies within what the vertices enclose and not on its ends; sums of
 * coordinates may be beyond a face by rounding. TESSERA_ERR_ARGUMENT for vertices that are not finite or lie in one plane, TESSERA_ERR_UNSUPPORTED for
 * ndim above 128; then everything stays as it was. A run is refused with TESSERA_ERR_UNSUPPORTED where some axis has limits that are
 * functions, or a device callback would run. */
TESSERA_API int tessera_set_simplex(tessera_solver *s, int map, const double *vertices);

/* Points at which the integrand has a jump, a kink or a singularity, for TESSERA_QUADRATURE (ndim = 1): points[count], in any order, finite,
 * copied. They must lie within the limits when tessera_integrate is called; of tessera_integrate_many those within the limits of an
 * integral count. 0 and NULL: none. TESSERA_ERR_ARGUMENT for a NaN, an infinity, a negative count; TESSERA_ERR_UNSUPPORTED where
 * ndim is not 1. */
TESSERA_API int tessera_set_breakpoints(tessera_solver *s, int count, const double *points);

/* The rule of axis 0 .. ndim-1 in TESSERA_ITERATED: TESSERA_RULE_KRONROD15 to TESSERA_RULE_KRONROD61, TESSERA_RULE_DOUBLE_EXPONENTIAL, or
 * TESSERA_RULE_AUTO for that of the option TESSERA_RULE, which holds for all axes without one of their own. TESSERA_ERR_ARGUMENT for anything else. */
TESSERA_API int tessera_set_axis_rule(tessera_solver *s, int axis, int rule);

/* The integrand, for many points a call or for one; the last one set counts. With userdata NULL the callback receives the
 * parameter block of tessera_set_params in its place. NULL for fn takes the integrand away. */
TESSERA_API int tessera_set_integrand(tessera_solver *s, tessera_integrand fn, void *userdata);
TESSERA_API int tessera_set_integrand1(tessera_solver *s, tessera_integrand1 fn, void *userdata);

/* The integrand as source text, compiled when it is first needed: by NVIDIA's NVRTC for a device, by the system's C or C++
 * compiler for the host (docs/gpu.md). What it includes by #include "name" is read now, from the current directory. The text
 * receives the parameter block of tessera_set_params; in the text TESSERA_NDIM and TESSERA_NCOMP are constants. NULL for
 * source takes the text away. A solver may hold a callback and a text at the same time; TESSERA_DEVICE says which one runs.
 * Then both are evaluated at 64 points before the text first runs, and unless they agree to TESSERA_CHECK_TOLERANCE of the component's largest
 * magnitude the run is refused with TESSERA_ERR_CHECK; so it is when the text breaks down, which on the host happens in a child process
 * (the callback is called in this one). Compiling counts toward TESSERA_MAX_SECONDS: when the time is over, the system's compiler is
 * ended; NVRTC is not. In C, a return value other than 0 (Cuba's form: -999) stops the run,
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

/* The integrand as a callback for a CUDA device (docs/gpu.md). With userdata NULL it receives the address that the parameter
 * block of tessera_set_params has in the device's memory, or NULL where there is none. It stands beside a host callback and a
 * text or code: where TESSERA_DEVICE names a device it is what runs, before a text or code; on the host it is not used. Beside a
 * host callback both are evaluated at 64 points before the first run on a device, and compared as a text is. NULL for fn takes
 * it away. */
TESSERA_API int tessera_set_integrand_device(tessera_solver *s, tessera_device_integrand fn, void *userdata);

/* ---- Device twins ---------------------------------------------------------------------------------------------------
 * A twin is a source text of a host function that a program hands to a library written for the host. The drop-ins
 * (docs/twins.md) run it on a device in the function's place. */

/* From now on and for the whole process, the text is the twin of the host function `function`. `source` is a text, or with
 * is_file not 0 the path of a file, read now; `language` and `name` (of the function in the text) are as in
 * tessera_set_integrand_source and tessera_set_integrand_file. params[bytes] is memory of the caller's, a COMMON block for
 * instance, that must stay where it is: before each run it is copied, and the copy is the text's parameter block; NULL and 0: none.
 * A function has one twin: the last one counts. NULL for source takes it away. May be called by any thread. */
TESSERA_API int tessera_register_twin(void (*function)(void), int language, const char *source, int is_file, const char *name,
                                      const void *params, size_t bytes);

/* The twin of `function`, registered or named in the map file TESSERA_TWINS, becomes the text of s, and what is in its
 * parameters now the parameter block of s: what a drop-in does before each run, with the host function as callback, so that the
 * two are compared (TESSERA_ERR_CHECK), and TESSERA_DEVICE = 0. `userdata` is what the program hands to the function, or NULL: the
 * flag userdata:bytes of the map file copies from there. TESSERA_ERR_NO_INTEGRAND: there is no twin; the message says
 * why, and is empty where nobody has spoken of twins. A twin with which a run or tessera_evaluate ended with TESSERA_ERR_NOT_BUILT,
 * TESSERA_ERR_COMPILE, TESSERA_ERR_DEVICE or TESSERA_ERR_CHECK is not tried again in this process: this status at once. In all
 * these cases, and with NULL for function, s has no text afterwards. With NULL for s it only looks, at next to no cost: 0 when it is
 * worth a call with a solver, else TESSERA_ERR_NO_INTEGRAND. */
TESSERA_API int tessera_set_twin(tessera_solver *s, void (*function)(void), const void *userdata);

/* A copy of `bytes` bytes is kept and handed to every form of the integrand (16-byte aligned). bytes = 0 removes it. */
TESSERA_API int tessera_set_params(tessera_solver *s, const void *params, size_t bytes);

/* ---- Options -------------------------------------------------------------------------------------------------------- */
TESSERA_API int tessera_set_int(tessera_solver *s, int key, int64_t value);
TESSERA_API int tessera_set_real(tessera_solver *s, int key, double value);
/* Options and statistics of the last run. */
TESSERA_API int tessera_get_int(const tessera_solver *s, int key, int64_t *value);
TESSERA_API int tessera_get_real(const tessera_solver *s, int key, double *value);

/* All options of s as tessera_create left them. Problem, integrand, callbacks, stream, vector, grid and the statistics of the last run
 * stay as they are. */
TESSERA_API int tessera_reset(tessera_solver *s);

TESSERA_API int tessera_set_progress(tessera_solver *s, tessera_progress fn, void *userdata);
TESSERA_API int tessera_set_log(tessera_solver *s, tessera_log fn, void *userdata);

/* The CUDA stream, a CUstream or cudaStream_t of the device's primary context (that of the CUDA runtime), in which the work
 * on a device is done: it begins after what is in the stream already. tessera_integrate and tessera_integrate_many still return
 * only when their results are there, and must find the stream alive. A device callback receives this stream. NULL, the default,
 * is a stream of the library's own, which waits for no other. On the host a stream means nothing. */
TESSERA_API int tessera_set_stream(tessera_solver *s, void *stream);

/* The devices of this machine that share runs (docs/scaling.md): ordinals[n], the numbers of CUDA devices; NULL: the first n; n = -1 with
 * NULL: all that there are; n = 0: one device again, that of TESSERA_DEVICE. TESSERA_DEVICE becomes the first of them. A run on that one
 * takes the others along: a run on the host, or on another device, does not. They must be of one kind.
 *
 * Lattice rules and Monte Carlo share out points, cubature regions that are evaluated in one step, tessera_integrate_many integrals (not
 * those of a device callback); value, error, evaluations and status have the same bits on any number of devices. Steps that are too small
 * stay on the first device, and the others are not started before one is large enough. Sparse grids, cuRAND's generators, single integrals
 * by quadrature and iterated integrals, and the construction of lattices are done by the first device alone. A device callback is called for one device after the other, with that device current and a stream
 * of it: of its userdata all of them must be able to read what it points at. A stream of tessera_set_stream belongs to the first device; the
 * others wait for what is in it when the run begins. ordinals is read during the call.
 *
 * TESSERA_ERR_ARGUMENT: a device that is not there, or that is named twice, or another n. TESSERA_ERR_NOT_BUILT: there is no device engine,
 * driver or device. The devices that were set before then stay. tessera_reset leaves them, and sets TESSERA_DEVICE. */
TESSERA_API int tessera_set_devices(tessera_solver *s, int n, const int *ordinals);

/* ---- Ranks ---------------------------------------------------------------------------------------------------------- */
/* The ranks of an MPI communicator, which from now on share the runs of s (docs/ranks.md). comm points to the caller's MPI_Comm, bytes
 * is its size: tessera_set_comm(s, &comm, sizeof comm). The library keeps a duplicate, so that its messages meet no others; the
 * communicator stays the caller's. NULL and 0: s runs by itself again.
 *
 * This call, tessera_integrate, tessera_integrate_many, tessera_integrate_limit and tessera_destroy are then for all ranks together, in
 * the same order and, but for where results go, with the same arguments, options and integrand. What differs is found before a run and
 * is TESSERA_ERR_RANKS on all ranks; a rank that fails ends the run on all of them, with its status. All ranks get the result, the same
 * bits for any number of ranks and threads, and those of one process without a communicator but for the status of a run that the clock
 * or a callback ends. Cubature, lattice rules and Monte Carlo share out the integrand's evaluations, on the host and on devices of one kind (there
 * but for sparse grids and cuRAND's generators); all else is made by each rank for itself. tessera_integrate_many shares out
 * integrals. Each rank has TESSERA_THREADS threads of its own, and MPI is called by the calling thread alone: more than one needs
 * MPI_THREAD_FUNNELED.
 *
 * TESSERA_ERR_NOT_BUILT: libtessera_mpi.so, or what TESSERA_COMM_LIB in the environment names, is not there. TESSERA_ERR_ARGUMENT: comm
 * is NULL and bytes is not 0. TESSERA_ERR_RANKS: MPI is not initialised, the communicator is none, has been freed or is of another MPI,
 * or bytes is not the size of one. The communicator that was set before then stays. */
TESSERA_API int tessera_set_comm(tessera_solver *s, const void *comm, size_t bytes);
/* The same with the handle that the communicator has in Fortran, an MPI_Fint: comm of `use mpi`, comm%MPI_VAL of `use mpi_f08`. */
TESSERA_API int tessera_set_comm_f(tessera_solver *s, int comm);
/* The same with MPI_COMM_WORLD, for callers without a handle: what TESSERA_COMM=world does for the drop-ins. */
TESSERA_API int tessera_set_comm_world(tessera_solver *s);

/* ---- Integration ---------------------------------------------------------------------------------------------------- */
/* Integrates over the domain by `method`, a value of enum tessera_method: value[ncomp] and error[ncomp], an estimate of
 * the absolute error. Converged (0) when every component has error <= max(TESSERA_ABSTOL, TESSERA_RELTOL*|value|). Blocks
 * until done. */
TESSERA_API int tessera_integrate(tessera_solver *s, int method, double *value, double *error);

/* The integrand at n points of the user's coordinates, where TESSERA_DEVICE says and in the form that would be integrated there:
 * coordinate j of point i is x[j*n + i] (x[ndim][n]), component k of its value goes to f[k*n + i] (f[ncomp][n]). The domain and
 * its limits play no part, values may be NaN or infinite, statistics stay as they are but for TESSERA_COMPILE_SECONDS, and
 * TESSERA_MAX_SECONDS does not hold. On the host one thread makes the calls, in the order of the points; a callback must not call
 * the solver. On a device it is one launch, and what is compiled and allocated stays for the next call. A callback beside a text, code
 * or device callback that is to run is called as well, at all points up to 256 and at 256 of them beyond, until a run or 64 points at
 * once have been compared: TESSERA_ERR_CHECK where the two differ. TESSERA_ERR_CALLBACK: the integrand asked to stop;
 * TESSERA_ERR_UNSUPPORTED: with TESSERA_COMPLEMENT or TESSERA_WEIGHTS. Unless 0 is returned f has no values of use. */
TESSERA_API int tessera_evaluate(tessera_solver *s, int64_t n, const double *x, double *f);

/* `count` integrals of the solver's integrand: integral i has the parameter block of params_bytes bytes at
 * params + i*params_bytes and the limits lower[i*ndim + j], upper[i*ndim + j]. params NULL: all have the block of
 * tessera_set_params (params_bytes is then 0); lower and upper NULL, both: all have the solver's domain. Results go to
 * value[i*ncomp + k], error[i*ncomp + k] and status[i]; status may be NULL. The arrays are the caller's and are used during
 * the call only; the integrand receives an aligned copy of its block in the place of that of tessera_set_params. A callback
 * with a userdata of its own would not see the block: it is refused together with params (TESSERA_ERR_ARGUMENT).
 *
 * The options hold for each integral as in tessera_integrate, TESSERA_MAXEVAL and TESSERA_MAX_MEMORY among them;
 * TESSERA_MAX_SECONDS holds for the whole call. On the host each integral runs on one of TESSERA_THREADS threads and gives what
 * tessera_integrate gives, bit by bit; with more than one thread the integrand must be re-entrant. On a device most cubatures are run
 * side by side, each on a small part of it, and those that are too large for that one after another on the whole
 * (docs/gpu.md), as are all with a device callback; they agree with tessera_integrate within the tolerance. TESSERA_LATTICE and
 * TESSERA_MONTECARLO are run one after another on the whole device and give the bits of tessera_integrate there. Their random numbers are
 * those of TESSERA_SEED for every integral. VEGAS begins each with the grid that a single run would begin with. Grid, state and
 * regions that are given for the next run stay given, and none is left behind; nor is there a chi-square. A device callback
 * with a userdata of its own is refused together with params unless TESSERA_DEVICE is -1. For integrals that were run side by
 * side tessera_last_error() names no point where the integrand is not finite.
 *
 * Each status[i] is what tessera_integrate would return for this integral; value and error are untouched where it is negative.
 * Limits that are NaN or whose difference overflows are an error of their integral (TESSERA_ERR_ARGUMENT), as is a volume that a lattice rule
 * or Monte Carlo cannot use (TESSERA_ERR_UNSUPPORTED). When the call ends
 * early, by the progress callback or TESSERA_MAX_SECONDS, integrals that are finished keep their results; the others have the
 * status TESSERA_STOPPED or TESSERA_LIMIT_TIME with the value so far, or, when they were not begun, with value NaN and error
 * infinity.
 *
 * Returns 0 when all of status are 0; TESSERA_SOME_FAILED when one of them is negative; else the largest of them. A negative
 * status means that nothing was run: all outputs are untouched. tessera_last_error() is about the first integral with the
 * worst status. TESSERA_EVALUATIONS, TESSERA_REGIONS and TESSERA_ITERATIONS are sums over the integrals,
 * TESSERA_CALLBACK_STATUS is that of the first that has one, TESSERA_PEAK_MEMORY counts what is held at the same time. The
 * progress callback receives the evaluations of all integrals so far, value and error of one that is finished (0 before there
 * is one) and a guess of the evaluations still to come. */
TESSERA_API int tessera_integrate_many(tessera_solver *s, int method, int64_t count, const void *params, size_t params_bytes,
                                       const double *lower, const double *upper, double *value, double *error, int *status);

/* ---- Regions --------------------------------------------------------------------------------------------------------
 * The regions of a run on the host, to look at, to write to a file, or to go on from later. A region is a record of
 * 2*ndim + 3*ncomp + 2 doubles:
 *   centre[ndim], half[ndim]        its box: centre and half-widths (> 0). On an infinite axis in the mapped coordinate t
 *   value[ncomp], error[ncomp]      for ascending limits, whatever the order of the limits
 *   axis[ncomp]                     the axis, from 0, along which it would be divided next: for TESSERA_PRIORITY_WORST_COMPONENT
 *                                   that of each component, else the same for all
 *   suspicion, rest                 what the estimate remembers (0 and 0: nothing)
 * With TESSERA_ESTIMATE_CLASSIC, worst first and TESSERA_PRIORITY_ALL the order is that of the heap: the largest error comes
 * first, and no region's is larger than that of the region (i-1)/2. */

/* Doubles of such a record. */
#define TESSERA_REGION_LENGTH(ndim, ncomp) (2 * (ndim) + 3 * (ncomp) + 2)

/* Regions first .. first+n-1 of the last run go to records[n][TESSERA_REGION_LENGTH(ndim, ncomp)]; count, unless NULL, receives how many
 * regions there are. After the run TESSERA_KEEP_REGIONS must be 1; during a run the progress callback may call it.
 * TESSERA_ERR_UNSUPPORTED when there are none, or when they are not complete: some were given up because of TESSERA_MAX_MEMORY,
 * or the integrand failed in the middle of a bulk step. */
TESSERA_API int tessera_get_regions(const tessera_solver *s, int64_t first, int64_t n, double *records, int64_t *count);

/* The next tessera_integrate, and only that one, goes on from a copy of records[n] in place of the domain; n = 0 takes that
 * back. `evaluations` is where its count starts: limits are meant for the whole. The result is that of one uninterrupted run
 * if all regions, the solver's settings and the integrand are those of the run that was interrupted, but where that had found coordinates at which the
 * integrand jumps (docs/methods.md, Break points): it looks for them again. Not on a device.
 * TESSERA_ERR_ARGUMENT when a record cannot be that of a region; from the run itself when a region is not inside the domain. */
TESSERA_API int tessera_set_regions(tessera_solver *s, int64_t n, const double *records, int64_t evaluations);

/* The generating vector for TESSERA_LATTICE; its first ndim components are copied. TESSERA_ERR_ARGUMENT when it has fewer
 * than the integrand has variables. NULL: the built-in one again. */
TESSERA_API int tessera_set_lattice(tessera_solver *s, const tessera_lattice *l);

/* ---- Generating vectors of lattice rules ------------------------------------------------------------------------------
 * A rank-1 lattice rule has the points {i z/n}, i = 0 .. n-1, with a vector z of integers; {} is the fractional part. Theory,
 * settings and file format: docs/lattice.md. A lattice is used by one thread at a time; what fails leaves it as it was. */

/* A lattice of ndim components (1..1024), without a vector yet. On failure *l is NULL. */
TESSERA_API int tessera_lattice_create(tessera_lattice **l, int ndim);
/* NULL is fine. Solvers keep their copies. From the lattice's own callback it does nothing. */
TESSERA_API void tessera_lattice_destroy(tessera_lattice *l);
/* As tessera_last_error. */
TESSERA_API const char *tessera_lattice_last_error(const tessera_lattice *l);

/* Weights of the space: a set u of components weighs order[|u|-1] times the product of product[j], j in u. product[ndim] >
 * 0; NULL means all 1. order[orders] >= 0, order[0] > 0, for sets of 1 .. orders components, 0 for larger ones; NULL
 * (orders 0) means all 1. So product alone: product weights; order alone: order-dependent; both: POD weights. Default:
 * product[j] = 1/(j+1)^2. */
TESSERA_API int tessera_lattice_set_weights(tessera_lattice *l, const double *product, int orders, const double *order);

/* The kernel, a value of enum tessera_kernel (default TESSERA_KERNEL_B2). For TESSERA_KERNEL_TABLE values[j] is the kernel
 * at j/n, j = 0 .. n/2 (count = n/2 + 1 of them, for the n of the construction): omega(x) = omega(1-x), the other half
 * follows. */
TESSERA_API int tessera_lattice_set_kernel(tessera_lattice *l, int kernel, const double *values, int64_t count);

TESSERA_API int tessera_lattice_set_int(tessera_lattice *l, int key, int64_t value);
TESSERA_API int tessera_lattice_get_int(const tessera_lattice *l, int key, int64_t *value);
TESSERA_API int tessera_lattice_get_real(const tessera_lattice *l, int key, double *value);
TESSERA_API int tessera_lattice_set_progress(tessera_lattice *l, tessera_lattice_progress fn, void *userdata);

/* Component-by-component construction by FFT (Nuyens and Cools 2006; for TESSERA_LATTICE_LEAST > 0 Cools, Kuo and Nuyens
 * 2006), at a cost of O(ndim n log n) and, in double precision, some 32 n bytes (TESSERA_LATTICE_BYTES). n: a prime from 3
 * on, or 2^m from 4 on, below 2^32 (TESSERA_ERR_ARGUMENT otherwise). TESSERA_ERR_MEMORY: more bytes than
 * TESSERA_LATTICE_MAX_MEMORY, found before the start. TESSERA_ERR_NOT_BUILT: there is no FFTW. Equal candidates: the
 * smallest; of z and n-z the smaller. */
TESSERA_API int tessera_lattice_construct(tessera_lattice *l, int64_t n);
/* z = (1, a, a^2, ...) mod n, 2 <= n < 2^32 and 1 <= a < n without a common divisor (Korobov 1959). */
TESSERA_API int tessera_lattice_korobov(tessera_lattice *l, int64_t n, int64_t a);
/* z[ndim], 1 <= z[j] < n without common divisors with n (z[j] = 1 for n = 1); 1 <= n < 2^32. */
TESSERA_API int tessera_lattice_vector(tessera_lattice *l, int64_t n, const int64_t *z);
/* The library's own vector, constructed by itself for n = 2^10 .. 2^25; components beyond those constructed are
 * pseudo-random odd numbers (docs/lattice.md). */
TESSERA_API int tessera_lattice_builtin(tessera_lattice *l);
/* z[ndim]; TESSERA_ERR_ARGUMENT while there is no vector. */
TESSERA_API int tessera_lattice_get_vector(const tessera_lattice *l, int64_t *z);

/* A text file with the vector and the settings that made it. Loading replaces everything in l, its number of components too.
 * TESSERA_ERR_FILE when the file cannot be written, read or understood. */
TESSERA_API int tessera_lattice_save(const tessera_lattice *l, const char *path);
TESSERA_API int tessera_lattice_load(tessera_lattice *l, const char *path);

/* The prime p nearest to n, 3 <= n < 2^32, for which (p-1)/2 has no prime factor above `largest` (5 or more; 7 is good for
 * FFTs; 0: any). TESSERA_ERR_ARGUMENT when there is none below 2^32. */
TESSERA_API int tessera_lattice_prime(int64_t n, int64_t largest, int64_t *prime);

/* After a run of TESSERA_MONTECARLO: chi2[ncomp], for each component the chi-square of the VEGAS iterations' values about their
 * mean weighted by the inverse variances, with TESSERA_ITERATIONS - 1 degrees of freedom; 0 after plain sampling.
 * In a progress callback it is that of the value shown. TESSERA_ERR_ARGUMENT when the last run was of another method, or there was none. */
TESSERA_API int tessera_get_chi2(const tessera_solver *s, double *chi2);

/* ---- Sequences ------------------------------------------------------------------------------------------------------ */
/* The limit of sequence[0 .. n-1] and an estimate of its error. Where there is none (n is 1, or numbers overflow) TESSERA_NONFINITE with
 * the last member and an error of infinity. parameter[n]: for Richardson's method the parameter of
 * each member, of one sign and smaller every time; NULL for the others. Members with errors of their own: the limit has several times their
 * size as an error that is not counted. TESSERA_ERR_ARGUMENT, with the outputs untouched, for NULL, a number that is not
 * finite, n < 1. Wynn 1956 with the error estimate of QUADPACK, Bulirsch and Stoer 1964, Levin 1973 (docs/methods.md). */
TESSERA_API int tessera_extrapolate(int method, int64_t n, const double *parameter, const double *sequence, double *limit,
                                    double *error);

/* The limit of the solver's integral by `method` as one number of the parameter block of tessera_set_params, the double that begins `offset`
 * bytes from its beginning, goes to 0: the integrals with first, first*ratio, first*ratio^2, ... in its place (first may be negative; ratio
 * between 0 and 1) are extrapolated by `extrapolation`, a value of enum tessera_extrapolation, until the error of the limit, value[ncomp]
 * and error[ncomp], meets the solver's tolerances, with 6 to `most` integrals (most from 6 to 100). Several are asked for at a time
 * as by tessera_integrate_many, to tolerances that follow from those of the limit and from how much an error of theirs moves it;
 * where that is too much all are integrated anew. error holds what the extrapolation leaves, how far the limit without the last integral is from it, and what
 * the errors of the integrals make of it. What is asked of a callback's userdata and of the options is said there.
 *
 * The table, each NULL where it is not wanted: count, how many integrals; parameter[count], values[count][ncomp] and errors[count][ncomp],
 * with room for `most`. 0: the tolerance is met. TESSERA_SLOW_CONVERGENCE: `most` integrals were not enough, or double precision is not. Where an
 * integral has not met its tolerance its status, else; where one has no result the limit is that of those before it, with TESSERA_SOME_FAILED, and
 * with fewer than two of these its status is returned. Evaluations and regions are sums over all integrals; TESSERA_MAX_SECONDS holds for the whole
 * call, TESSERA_MAXEVAL for each integral. de Doncker and others 2004: direct computation of loop integrals (docs/methods.md). */
TESSERA_API int tessera_integrate_limit(tessera_solver *s, int method, size_t offset, double first, double ratio, int extrapolation,
                                        int most, double *value, double *error, int *count, double *parameter, double *values,
                                        double *errors);

/* The grid of VEGAS, which a solver keeps from its last run with it. TESSERA_KEEP_GRID = 1 makes the next run begin with the grid
 * there is; a grid that was loaded or set is used by the next run in any case. A grid belongs to the unit cube of which the domain is the image and may serve other domains and integrands of as
 * many variables. The file is text (docs/montecarlo.md). Save: TESSERA_ERR_ARGUMENT when there is no grid; load: when the file's
 * grid has another number of variables. TESSERA_ERR_FILE when the file cannot be written, read or understood; the solver's
 * grid then stays as it was. */
TESSERA_API int tessera_save_grid(const tessera_solver *s, const char *path);
TESSERA_API int tessera_load_grid(tessera_solver *s, const char *path);

/* Edges of an axis of the grid. */
enum tessera_grid {
  TESSERA_GRID_EDGES = 129
};

/* The same grid as numbers: edges[ndim][TESSERA_GRID_EDGES], for each axis from 0 to 1 in ascending order. Get: TESSERA_ERR_ARGUMENT when there
 * is no grid. Set: TESSERA_ERR_ARGUMENT when the numbers are no grid, which then stays as it was; NULL takes it away. */
TESSERA_API int tessera_get_grid(const tessera_solver *s, double *edges);
TESSERA_API int tessera_set_grid(tessera_solver *s, const double *edges);

/* ---- States ---------------------------------------------------------------------------------------------------------------
 * The state of a run of tessera_integrate, by any method, in a file: what the integrand has answered so far (docs/checkpoints.md). */

/* Writes the state of the last run, for which TESSERA_KEEP_STATE must have been 1, or, from the progress callback, of the run that goes on (or
 * that has a file of tessera_set_checkpoint). The file appears whole or not at all: a new one beside it, path.new, takes its name. With ranks
 * it is for all of them together, and rank 0 writes; from a progress callback the others do nothing. TESSERA_ERR_UNSUPPORTED when there is no state: no run, or
 * one that keeps none; TESSERA_ERR_MEMORY when there was no memory to keep it; TESSERA_ERR_FILE when the file cannot be written. */
TESSERA_API int tessera_save_state(const tessera_solver *s, const char *path);

/* The next tessera_integrate, and only that one, goes on from the state in the file; NULL takes that back. It must be asked for the same method, problem and options but for limits,
 * tolerances, threads, ranks and what is to be kept (else it returns TESSERA_ERR_ARGUMENT and names what differs), and it must have the same
 * integrand, which nothing can check. Limits and statistics are those of the whole. It ends with the bits of a run that was never
 * interrupted, with the limits and tolerances that it has now. With ranks the call is for all of them together, and rank 0 reads.
 * TESSERA_ERR_FILE, and nothing of s changes, when the file cannot be read, is cut off, damaged, no such file or one of another version of
 * the library; TESSERA_ERR_ARGUMENT when it is of another number of variables or components. */
TESSERA_API int tessera_load_state(tessera_solver *s, const char *path);

/* The file to which every tessera_integrate writes its state from now on: every TESSERA_CHECKPOINT_SECONDS, between two steps, and at its end. NULL: none.
 * The path is copied. A run that keeps no state is then refused with TESSERA_ERR_UNSUPPORTED, one that cannot write there with TESSERA_ERR_FILE;
 * what goes wrong later is told to the log, and the run goes on. With ranks rank 0 writes. */
TESSERA_API int tessera_set_checkpoint(tessera_solver *s, const char *path);

/* Where the last run of TESSERA_MONTECARLO with TESSERA_SAMPLING_VEGAS stands after its last complete iteration, as numbers without
 * a meaning for others: grid, strata, sums and counters. To keep it TESSERA_KEEP_STATE must be 1. *count, unless NULL, receives how
 * many numbers there are; state, unless NULL, the first n of them. The progress callback may call it.
 * TESSERA_ERR_UNSUPPORTED when there is none. */
TESSERA_API int tessera_get_state(const tessera_solver *s, int64_t n, double *state, int64_t *count);

/* The next tessera_integrate, and only that one, goes on from a copy of all of these numbers; it must be of TESSERA_MONTECARLO with
 * TESSERA_SAMPLING_VEGAS (TESSERA_ERR_UNSUPPORTED). n = 0 takes that back. The grid of s
 * becomes that of the state. Limits are meant for the whole. A run that was interrupted in the middle ends as if it had not been, to the last bit, with the same settings and integrand; any of
 * them may be changed. TESSERA_ERR_ARGUMENT when the numbers cannot be a state of as many variables and components. */
TESSERA_API int tessera_set_state(tessera_solver *s, int64_t n, const double *state);

#ifdef __cplusplus
}
#endif

#endif /* TESSERA_H */
