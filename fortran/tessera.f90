!> Tessera from Fortran: the functions of tessera.h under the same names.
!>
!> Every procedure that can fail has an optional last argument `ierr`. With it, the status is returned; without it, a
!> negative status ends the program by `error stop` with the library's message. Positive statuses (there is a value, and a
!> reason why the run ended early) never stop the program. docs/fortran.md is the manual.
!>
!> Integrands must be module or external procedures: with an internal one the compiler needs an executable stack.
!>
!> SPDX-License-Identifier: BSD-3-Clause
module tessera
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_f_pointer, c_funloc, c_funptr, c_int, c_int8_t, c_int64_t, &
                                         c_loc, c_null_char, c_null_funptr, c_null_ptr, c_ptr, c_size_t, c_associated
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  implicit none
  private

  ! >>> constants: written by scripts/generate-fortran from include/tessera.h, do not edit

  ! Version of this header; tessera_version() is that of the library in use.
  integer(c_int), parameter, public :: TESSERA_VERSION_MAJOR = 0
  integer(c_int), parameter, public :: TESSERA_VERSION_MINOR = 1
  integer(c_int), parameter, public :: TESSERA_VERSION_PATCH = 0

  ! ---- Status ---------------------------------------------------------------------------------------------------------
  ! 0: the tolerance is met. > 0: value and error are set; the status says why the run ended. < 0: no result; the outputs
  ! are untouched. tessera_status_string() explains the class, tessera_last_error() the instance. Numbers never change.
  integer(c_int), parameter, public :: TESSERA_OK = 0
  integer(c_int), parameter, public :: TESSERA_LIMIT_EVALUATIONS = 1
  integer(c_int), parameter, public :: TESSERA_LIMIT_MEMORY = 2
  integer(c_int), parameter, public :: TESSERA_LIMIT_TIME = 3
  integer(c_int), parameter, public :: TESSERA_ROUNDOFF = 4
  integer(c_int), parameter, public :: TESSERA_STOPPED = 5
  integer(c_int), parameter, public :: TESSERA_CALLBACK_STOPPED = 6
  integer(c_int), parameter, public :: TESSERA_NONFINITE = 7
  integer(c_int), parameter, public :: TESSERA_SOME_FAILED = 8
  integer(c_int), parameter, public :: TESSERA_ALL_ZERO = 9
  integer(c_int), parameter, public :: TESSERA_SLOW_CONVERGENCE = 10
  integer(c_int), parameter, public :: TESSERA_DIVERGENT = 11
  integer(c_int), parameter, public :: TESSERA_HEAVY_TAIL = 12
  integer(c_int), parameter, public :: TESSERA_ELSEWHERE = 13
  integer(c_int), parameter, public :: TESSERA_ERR_ARGUMENT = -1
  integer(c_int), parameter, public :: TESSERA_ERR_KEY = -2
  integer(c_int), parameter, public :: TESSERA_ERR_TYPE = -3
  integer(c_int), parameter, public :: TESSERA_ERR_RANGE = -4
  integer(c_int), parameter, public :: TESSERA_ERR_NO_INTEGRAND = -5
  integer(c_int), parameter, public :: TESSERA_ERR_MEMORY = -6
  integer(c_int), parameter, public :: TESSERA_ERR_UNSUPPORTED = -7
  integer(c_int), parameter, public :: TESSERA_ERR_CALLBACK = -8
  integer(c_int), parameter, public :: TESSERA_ERR_BUSY = -9
  integer(c_int), parameter, public :: TESSERA_ERR_NOT_BUILT = -10
  integer(c_int), parameter, public :: TESSERA_ERR_COMPILE = -11
  integer(c_int), parameter, public :: TESSERA_ERR_DEVICE = -12
  integer(c_int), parameter, public :: TESSERA_ERR_CHECK = -13
  integer(c_int), parameter, public :: TESSERA_ERR_RANKS = -14
  integer(c_int), parameter, public :: TESSERA_ERR_FILE = -20
  integer(c_int), parameter, public :: TESSERA_ERR_INTERNAL = -99

  ! ---- Options and statistics -----------------------------------------------------------------------------------------
  ! Keys with explicit numbers that never change. 100..199 integer options, 200..299 real options, 300..399 integer
  ! statistics, 400..499 real statistics. Defaults, bounds and meaning: docs/options.md (from the library's own table).
  integer(c_int), parameter, public :: TESSERA_MAXEVAL = 100
  integer(c_int), parameter, public :: TESSERA_MINEVAL = 101
  integer(c_int), parameter, public :: TESSERA_THREADS = 102
  integer(c_int), parameter, public :: TESSERA_MAX_MEMORY = 103
  integer(c_int), parameter, public :: TESSERA_DEVICE = 104
  integer(c_int), parameter, public :: TESSERA_RULE = 110
  integer(c_int), parameter, public :: TESSERA_SELECTION = 111
  integer(c_int), parameter, public :: TESSERA_SPLITTING = 112
  integer(c_int), parameter, public :: TESSERA_INITIAL_REGIONS = 113
  integer(c_int), parameter, public :: TESSERA_ESTIMATE = 114
  integer(c_int), parameter, public :: TESSERA_BATCH_POINTS = 115
  integer(c_int), parameter, public :: TESSERA_NDIM_LIMIT = 116
  integer(c_int), parameter, public :: TESSERA_DISK_CACHE = 117
  integer(c_int), parameter, public :: TESSERA_KEEP_REGIONS = 118
  integer(c_int), parameter, public :: TESSERA_PRIORITY = 119
  integer(c_int), parameter, public :: TESSERA_NONFINITE_POLICY = 120
  integer(c_int), parameter, public :: TESSERA_SPARSE = 121
  integer(c_int), parameter, public :: TESSERA_COMPLEX = 122
  integer(c_int), parameter, public :: TESSERA_GATHER = 123
  integer(c_int), parameter, public :: TESSERA_BREAK_POINTS = 124
  integer(c_int), parameter, public :: TESSERA_LEAST_REGIONS = 125
  integer(c_int), parameter, public :: TESSERA_SHIFTS = 130
  integer(c_int), parameter, public :: TESSERA_SEED = 131
  integer(c_int), parameter, public :: TESSERA_TRANSFORM = 132
  integer(c_int), parameter, public :: TESSERA_COMPLEMENT = 133
  integer(c_int), parameter, public :: TESSERA_MEDIAN = 134
  integer(c_int), parameter, public :: TESSERA_COPIES = 135
  integer(c_int), parameter, public :: TESSERA_POINTS = 136
  integer(c_int), parameter, public :: TESSERA_SAMPLING = 140
  integer(c_int), parameter, public :: TESSERA_ANTITHETIC = 141
  integer(c_int), parameter, public :: TESSERA_INCREASE = 142
  integer(c_int), parameter, public :: TESSERA_WARMUP = 143
  integer(c_int), parameter, public :: TESSERA_KEEP_GRID = 144
  integer(c_int), parameter, public :: TESSERA_KEEP_STATE = 145
  integer(c_int), parameter, public :: TESSERA_GENERATOR = 146
  integer(c_int), parameter, public :: TESSERA_WEIGHTS = 147
  integer(c_int), parameter, public :: TESSERA_CONSTANT_EVALUATIONS = 148
  integer(c_int), parameter, public :: TESSERA_WEIGHT = 150
  integer(c_int), parameter, public :: TESSERA_SHARED_CALLS = 151
  integer(c_int), parameter, public :: TESSERA_RELTOL = 200
  integer(c_int), parameter, public :: TESSERA_ABSTOL = 201
  integer(c_int), parameter, public :: TESSERA_MAX_SECONDS = 202
  integer(c_int), parameter, public :: TESSERA_BULK_FRACTION = 203
  integer(c_int), parameter, public :: TESSERA_PROGRESS_SECONDS = 204
  integer(c_int), parameter, public :: TESSERA_CHECK_TOLERANCE = 205
  integer(c_int), parameter, public :: TESSERA_CHECKPOINT_SECONDS = 206
  integer(c_int), parameter, public :: TESSERA_CONFIDENCE = 210
  integer(c_int), parameter, public :: TESSERA_DAMPING = 220
  integer(c_int), parameter, public :: TESSERA_STRATIFY = 221
  integer(c_int), parameter, public :: TESSERA_OMEGA = 230
  integer(c_int), parameter, public :: TESSERA_ALPHA = 231
  integer(c_int), parameter, public :: TESSERA_BETA = 232
  integer(c_int), parameter, public :: TESSERA_POLE = 233
  integer(c_int), parameter, public :: TESSERA_EVALUATIONS = 300
  integer(c_int), parameter, public :: TESSERA_REGIONS = 301
  integer(c_int), parameter, public :: TESSERA_ITERATIONS = 302
  integer(c_int), parameter, public :: TESSERA_CALLBACK_STATUS = 303
  integer(c_int), parameter, public :: TESSERA_REGION_BYTES = 304
  integer(c_int), parameter, public :: TESSERA_RULE_USED = 305
  integer(c_int), parameter, public :: TESSERA_RULE_POINTS = 306
  integer(c_int), parameter, public :: TESSERA_THREADS_USED = 307
  integer(c_int), parameter, public :: TESSERA_PEAK_MEMORY = 308
  integer(c_int), parameter, public :: TESSERA_DEVICE_USED = 309
  integer(c_int), parameter, public :: TESSERA_INLINED = 310
  integer(c_int), parameter, public :: TESSERA_NONFINITE_POINTS = 311
  integer(c_int), parameter, public :: TESSERA_SPARSE_EVALUATIONS = 312
  integer(c_int), parameter, public :: TESSERA_SPARSE_USED = 313
  integer(c_int), parameter, public :: TESSERA_METHOD_USED = 314
  integer(c_int), parameter, public :: TESSERA_DEVICES_USED = 315
  integer(c_int), parameter, public :: TESSERA_POINTS_USED = 330
  integer(c_int), parameter, public :: TESSERA_SHIFTS_USED = 331
  integer(c_int), parameter, public :: TESSERA_TRANSFORM_USED = 332
  integer(c_int), parameter, public :: TESSERA_SAMPLING_USED = 340
  integer(c_int), parameter, public :: TESSERA_STRATA = 341
  integer(c_int), parameter, public :: TESSERA_SECONDS = 400
  integer(c_int), parameter, public :: TESSERA_COMPILE_SECONDS = 401
  integer(c_int), parameter, public :: TESSERA_CHI2 = 410

  ! Values of TESSERA_DEVICE beside the numbers 0, 1, ... of CUDA devices.
  integer(c_int), parameter, public :: TESSERA_DEVICE_HOST = -1
  integer(c_int), parameter, public :: TESSERA_DEVICE_ANY = -2

  ! Values of TESSERA_RULE: integration rule families (docs/methods.md).
  integer(c_int), parameter, public :: TESSERA_RULE_AUTO = 0
  integer(c_int), parameter, public :: TESSERA_RULE_GM7 = 7
  integer(c_int), parameter, public :: TESSERA_RULE_DEGREE7 = 4
  integer(c_int), parameter, public :: TESSERA_RULE_DEGREE9 = 3
  integer(c_int), parameter, public :: TESSERA_RULE_DEGREE11 = 2
  integer(c_int), parameter, public :: TESSERA_RULE_DEGREE13 = 1
  integer(c_int), parameter, public :: TESSERA_RULE_LOW = 12
  integer(c_int), parameter, public :: TESSERA_RULE_KRONROD15 = 15
  integer(c_int), parameter, public :: TESSERA_RULE_KRONROD21 = 21
  integer(c_int), parameter, public :: TESSERA_RULE_KRONROD31 = 31
  integer(c_int), parameter, public :: TESSERA_RULE_KRONROD41 = 41
  integer(c_int), parameter, public :: TESSERA_RULE_KRONROD51 = 51
  integer(c_int), parameter, public :: TESSERA_RULE_KRONROD61 = 61
  integer(c_int), parameter, public :: TESSERA_RULE_DOUBLE_EXPONENTIAL = 70

  ! Values of TESSERA_SELECTION: which regions are divided next.
  integer(c_int), parameter, public :: TESSERA_SELECT_AUTO = 0
  integer(c_int), parameter, public :: TESSERA_SELECT_WORST_FIRST = 1
  integer(c_int), parameter, public :: TESSERA_SELECT_BULK = 2

  ! Values of TESSERA_SPLITTING: pieces and axes of a division. Axes are ranked by the fourth differences.
  integer(c_int), parameter, public :: TESSERA_SPLIT_2R = 0
  integer(c_int), parameter, public :: TESSERA_SPLIT_4R0 = 1
  integer(c_int), parameter, public :: TESSERA_SPLIT_4R1 = 2
  integer(c_int), parameter, public :: TESSERA_SPLIT_4R2 = 3
  integer(c_int), parameter, public :: TESSERA_SPLIT_8R3 = 4
  integer(c_int), parameter, public :: TESSERA_SPLIT_16R4 = 5

  ! Values of TESSERA_ESTIMATE.
  integer(c_int), parameter, public :: TESSERA_ESTIMATE_ROBUST = 0
  integer(c_int), parameter, public :: TESSERA_ESTIMATE_CLASSIC = 1

  ! Values of TESSERA_PRIORITY: what makes a region come first.
  integer(c_int), parameter, public :: TESSERA_PRIORITY_ALL = 0
  integer(c_int), parameter, public :: TESSERA_PRIORITY_WORST_COMPONENT = 1

  ! Values of `method` in tessera_integrate.
  integer(c_int), parameter, public :: TESSERA_CUBATURE = 1
  integer(c_int), parameter, public :: TESSERA_LATTICE = 2
  integer(c_int), parameter, public :: TESSERA_MONTECARLO = 3
  integer(c_int), parameter, public :: TESSERA_QUADRATURE = 4
  integer(c_int), parameter, public :: TESSERA_ITERATED = 5
  integer(c_int), parameter, public :: TESSERA_AUTO = 6

  ! Values of TESSERA_WEIGHT: a factor of the integrand that TESSERA_QUADRATURE integrates exactly (docs/quadrature.md). [a, b] is the range.
  integer(c_int), parameter, public :: TESSERA_WEIGHT_NONE = 0
  integer(c_int), parameter, public :: TESSERA_WEIGHT_COS = 1
  integer(c_int), parameter, public :: TESSERA_WEIGHT_SIN = 2
  integer(c_int), parameter, public :: TESSERA_WEIGHT_ALGEBRAIC = 3
  integer(c_int), parameter, public :: TESSERA_WEIGHT_ALGEBRAIC_LOG_LOWER = 4
  integer(c_int), parameter, public :: TESSERA_WEIGHT_ALGEBRAIC_LOG_UPPER = 5
  integer(c_int), parameter, public :: TESSERA_WEIGHT_ALGEBRAIC_LOG_BOTH = 6
  integer(c_int), parameter, public :: TESSERA_WEIGHT_CAUCHY = 7

  ! Values of TESSERA_TRANSFORM: the change of variables before a lattice rule (docs/lattice.md).
  integer(c_int), parameter, public :: TESSERA_TRANSFORM_AUTO = 0
  integer(c_int), parameter, public :: TESSERA_TRANSFORM_NONE = 1
  integer(c_int), parameter, public :: TESSERA_TRANSFORM_BAKER = 2
  integer(c_int), parameter, public :: TESSERA_TRANSFORM_TANH = 3
  integer(c_int), parameter, public :: TESSERA_TRANSFORM_KOROBOV1 = 11
  integer(c_int), parameter, public :: TESSERA_TRANSFORM_KOROBOV2 = 12
  integer(c_int), parameter, public :: TESSERA_TRANSFORM_KOROBOV3 = 13
  integer(c_int), parameter, public :: TESSERA_TRANSFORM_KOROBOV4 = 14
  integer(c_int), parameter, public :: TESSERA_TRANSFORM_KOROBOV5 = 15
  integer(c_int), parameter, public :: TESSERA_TRANSFORM_KOROBOV6 = 16
  integer(c_int), parameter, public :: TESSERA_TRANSFORM_SIDI1 = 21
  integer(c_int), parameter, public :: TESSERA_TRANSFORM_SIDI2 = 22
  integer(c_int), parameter, public :: TESSERA_TRANSFORM_SIDI3 = 23
  integer(c_int), parameter, public :: TESSERA_TRANSFORM_SIDI4 = 24
  integer(c_int), parameter, public :: TESSERA_TRANSFORM_SIDI5 = 25
  integer(c_int), parameter, public :: TESSERA_TRANSFORM_SIDI6 = 26

  ! Kernels for the construction of generating vectors: the space whose worst-case error is made small.
  integer(c_int), parameter, public :: TESSERA_KERNEL_B2 = 1
  integer(c_int), parameter, public :: TESSERA_KERNEL_B4 = 2
  integer(c_int), parameter, public :: TESSERA_KERNEL_B6 = 3
  integer(c_int), parameter, public :: TESSERA_KERNEL_TABLE = 9

  ! Keys of tessera_lattice_set_int, tessera_lattice_get_int and tessera_lattice_get_real.
  integer(c_int), parameter, public :: TESSERA_LATTICE_LEAST = 500
  integer(c_int), parameter, public :: TESSERA_LATTICE_PRECISION = 501
  integer(c_int), parameter, public :: TESSERA_LATTICE_MAX_MEMORY = 502
  integer(c_int), parameter, public :: TESSERA_LATTICE_DEVICE = 503
  integer(c_int), parameter, public :: TESSERA_LATTICE_NDIM = 520
  integer(c_int), parameter, public :: TESSERA_LATTICE_SIZE = 521
  integer(c_int), parameter, public :: TESSERA_LATTICE_ORIGIN = 522
  integer(c_int), parameter, public :: TESSERA_LATTICE_BYTES = 523
  integer(c_int), parameter, public :: TESSERA_LATTICE_DEVICE_USED = 524
  integer(c_int), parameter, public :: TESSERA_LATTICE_MERIT = 540
  integer(c_int), parameter, public :: TESSERA_LATTICE_RATIO = 541
  integer(c_int), parameter, public :: TESSERA_LATTICE_SECONDS = 542
  integer(c_int), parameter, public :: TESSERA_LATTICE_PLAN_SECONDS = 543

  ! Where a vector comes from.
  integer(c_int), parameter, public :: TESSERA_ORIGIN_EMPTY = 0
  integer(c_int), parameter, public :: TESSERA_ORIGIN_CONSTRUCTED = 1
  integer(c_int), parameter, public :: TESSERA_ORIGIN_KOROBOV = 2
  integer(c_int), parameter, public :: TESSERA_ORIGIN_GIVEN = 3
  integer(c_int), parameter, public :: TESSERA_ORIGIN_BUILTIN = 4

  ! Values of TESSERA_SPARSE: the part of a sparse grid in TESSERA_CUBATURE.
  integer(c_int), parameter, public :: TESSERA_SPARSE_AUTO = 0
  integer(c_int), parameter, public :: TESSERA_SPARSE_OFF = 1
  integer(c_int), parameter, public :: TESSERA_SPARSE_ALONE = 2

  ! Values of `method` in tessera_extrapolate.
  integer(c_int), parameter, public :: TESSERA_EXTRAPOLATE_EPSILON = 1
  integer(c_int), parameter, public :: TESSERA_EXTRAPOLATE_RICHARDSON = 2
  integer(c_int), parameter, public :: TESSERA_EXTRAPOLATE_LEVIN = 3

  ! Values of TESSERA_NONFINITE_POLICY: what happens where the integrand is NaN or infinite.
  integer(c_int), parameter, public :: TESSERA_NONFINITE_STOP = 0
  integer(c_int), parameter, public :: TESSERA_NONFINITE_ZERO = 1

  ! Values of TESSERA_SAMPLING: how the points of TESSERA_MONTECARLO are drawn.
  integer(c_int), parameter, public :: TESSERA_SAMPLING_AUTO = 0
  integer(c_int), parameter, public :: TESSERA_SAMPLING_PLAIN = 1
  integer(c_int), parameter, public :: TESSERA_SAMPLING_VEGAS = 2

  ! Values of TESSERA_GENERATOR: where the random or quasi-random numbers come from. cuRAND's are for plain sampling.
  integer(c_int), parameter, public :: TESSERA_GENERATOR_PHILOX = 0
  integer(c_int), parameter, public :: TESSERA_GENERATOR_XORWOW = 1
  integer(c_int), parameter, public :: TESSERA_GENERATOR_MRG32K3A = 2
  integer(c_int), parameter, public :: TESSERA_GENERATOR_SOBOL_SCRAMBLED = 3
  integer(c_int), parameter, public :: TESSERA_GENERATOR_SOBOL = 4
  integer(c_int), parameter, public :: TESSERA_GENERATOR_THREEFRY = 5
  integer(c_int), parameter, public :: TESSERA_GENERATOR_AUTO = 6

  ! Values of `language` in tessera_set_integrand_source and tessera_set_integrand_file. `function` is the name of a function
  ! in the text:
  ! CUDA C++: double f(const double *x), double f(const double *x, const P *params), void f(const double *x, double *out) or
  ! void f(const double *x, double *out, const P *params); P is any type, __device__ may be left out.
  integer(c_int), parameter, public :: TESSERA_LANGUAGE_CUDA = 1

  ! C: int f(int ndim, const double *x, int ncomp, double *f, void *userdata), the form of tessera_integrand1; or with double complex *f.
  ! With one component also double f(const double *x, const void *userdata) or double f(const double *x).
  integer(c_int), parameter, public :: TESSERA_LANGUAGE_C = 2

  ! C: int f(const int *ndim, const double x[], const int *ncomp, double f[], void *userdata), the form of Cuba.
  integer(c_int), parameter, public :: TESSERA_LANGUAGE_CUBA = 3

  ! Fortran: SUBROUTINE f(ndim, x, numfun, funvls), SUBROUTINE f(x, fval), DOUBLE PRECISION FUNCTION f(ndim, x), DOUBLE PRECISION
  ! FUNCTION f(x) or Cuba's INTEGER FUNCTION f(ndim, x, ncomp, fval [, userdata]); `function` is its name, or module::name. A text is in
  ! free form, a file in the form that its suffix says (.f, .for, .ftn, .f77: fixed; in capitals: with the preprocessor).
  integer(c_int), parameter, public :: TESSERA_LANGUAGE_FORTRAN = 4
  integer(c_int), parameter, public :: TESSERA_LANGUAGE_FORTRAN_FIXED = 5

  ! Values of `form` in tessera_set_integrand_code.
  integer(c_int), parameter, public :: TESSERA_CODE_LTOIR = 1
  integer(c_int), parameter, public :: TESSERA_CODE_OBJECT = 2
  integer(c_int), parameter, public :: TESSERA_CODE_PTX = 3

  ! How the unit cube becomes a simplex.
  integer(c_int), parameter, public :: TESSERA_SIMPLEX_NONE = 0
  integer(c_int), parameter, public :: TESSERA_SIMPLEX_DUFFY = 1
  integer(c_int), parameter, public :: TESSERA_SIMPLEX_SYMMETRIC = 2

  ! Edges of an axis of the grid.
  integer(c_int), parameter, public :: TESSERA_GRID_EDGES = 129
  ! <<<

  public :: tessera_solver
  public :: tessera_device_integrand, tessera_set_integrand_device
  public :: tessera_integrand, tessera_integrand1, tessera_limits, tessera_point, tessera_point_data, tessera_progress, tessera_log
  public :: tessera_point_complex, tessera_point_complex_data, tessera_integrand1_complex
  public :: tessera_set_point_complex, tessera_set_integrand1_complex
  public :: tessera_version, tessera_version_string, tessera_status_string, tessera_last_error, tessera_string
  public :: tessera_create, tessera_destroy, tessera_set_domain, tessera_set_limits, tessera_set_limits_source, tessera_set_simplex
  public :: tessera_set_integrand, tessera_set_integrand1, tessera_set_point, tessera_set_params, tessera_set_integrand_source
  public :: tessera_set_integrand_file, tessera_set_integrand_code, tessera_set_devices, tessera_set_stream, tessera_reset
  public :: tessera_set_comm, tessera_set_comm_world
  public :: tessera_register_twin, tessera_set_twin
  public :: tessera_set, tessera_get, tessera_set_progress, tessera_set_log, tessera_integrate
  public :: tessera_integrate_many, tessera_integrate_limit, tessera_set_axis_rule, tessera_evaluate
  public :: tessera_get_regions, tessera_set_regions
  public :: tessera_lattice_t, tessera_lattice_progress, tessera_lattice_create, tessera_lattice_destroy
  public :: tessera_lattice_last_error
  public :: tessera_lattice_set_weights, tessera_lattice_set_kernel, tessera_lattice_set_progress, tessera_lattice_construct
  public :: tessera_lattice_korobov, tessera_lattice_vector, tessera_lattice_builtin, tessera_lattice_get_vector
  public :: tessera_lattice_save, tessera_lattice_load, tessera_lattice_prime, tessera_set_lattice
  public :: tessera_set_breakpoints
  public :: tessera_get_chi2, tessera_save_grid, tessera_load_grid, tessera_get_grid, tessera_set_grid
  public :: tessera_get_state, tessera_set_state, tessera_extrapolate
  public :: tessera_save_state, tessera_load_state, tessera_set_checkpoint

  abstract interface
    !> Integrand at n points: coordinate j of point i is x(i, j), component k of its value goes to f(i, k). Only the rows
    !> 1..n are in use. The result is 0 to go on; anything else stops the run (TESSERA_CALLBACK_STATUS).
    function tessera_integrand(n, ndim, x, ldx, ncomp, f, ldf, userdata) result(stop_code) bind(c)
      import :: c_double, c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: n, ldx, ldf
      integer(c_int), value :: ndim, ncomp
      real(c_double), intent(in) :: x(ldx, ndim)
      real(c_double), intent(inout) :: f(ldf, ncomp)
      type(c_ptr), value :: userdata
      integer(c_int) :: stop_code
    end function tessera_integrand

    !> Integrand at one point in the C form.
    function tessera_integrand1(ndim, x, ncomp, f, userdata) result(stop_code) bind(c)
      import :: c_double, c_int, c_ptr
      integer(c_int), value :: ndim, ncomp
      real(c_double), intent(in) :: x(ndim)
      real(c_double), intent(inout) :: f(ncomp)
      type(c_ptr), value :: userdata
      integer(c_int) :: stop_code
    end function tessera_integrand1

    !> Integrand at n points on a CUDA device: called on the host with the addresses of arrays on the device, laid out as in
    !> tessera_integrand, it launches the work on `stream` (a cudaStream_t) and returns. In CUDA Fortran c_f_pointer makes
    !> device arrays of x and f. The result is 0 to go on; anything else stops the run (TESSERA_CALLBACK_STATUS).
    function tessera_device_integrand(n, ndim, x, ldx, ncomp, f, ldf, stream, userdata) result(stop_code) bind(c)
      import :: c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: n, ldx, ldf
      integer(c_int), value :: ndim, ncomp
      type(c_ptr), value :: x, f, stream, userdata
      integer(c_int) :: stop_code
    end function tessera_device_integrand

    !> Integrand at one point in plain Fortran form.
    subroutine tessera_point(x, fval)
      import :: c_double
      real(c_double), intent(in) :: x(:)
      real(c_double), intent(out) :: fval(:)
    end subroutine tessera_point

    !> The same with the address given to tessera_set_point; when that is c_null_ptr, with the address of the library's
    !> copy of the parameter block.
    subroutine tessera_point_data(x, fval, userdata)
      import :: c_double, c_ptr
      real(c_double), intent(in) :: x(:)
      real(c_double), intent(out) :: fval(:)
      type(c_ptr), value :: userdata
    end subroutine tessera_point_data

    !> The integrand at one point with complex values: fval(ncomp/2).
    subroutine tessera_point_complex(x, fval)
      import :: c_double
      real(c_double), intent(in) :: x(:)
      complex(c_double), intent(out) :: fval(:)
    end subroutine tessera_point_complex

    !> The same with an address, as tessera_point_data.
    subroutine tessera_point_complex_data(x, fval, userdata)
      import :: c_double, c_ptr
      real(c_double), intent(in) :: x(:)
      complex(c_double), intent(out) :: fval(:)
      type(c_ptr), value :: userdata
    end subroutine tessera_point_complex_data

    !> The same in the C form.
    function tessera_integrand1_complex(ndim, x, ncomp, f, userdata) result(stop_code) bind(c)
      import :: c_double, c_int, c_ptr
      integer(c_int), value :: ndim, ncomp
      real(c_double), intent(in) :: x(ndim)
      complex(c_double), intent(inout) :: f(ncomp/2)
      type(c_ptr), value :: userdata
      integer(c_int) :: stop_code
    end function tessera_integrand1_complex

    !> Limits of an axis from the `before` coordinates x(1:before) in front of it. The result is 0 to go on; anything else stops
    !> the run (TESSERA_CALLBACK_STATUS).
    function tessera_limits(ndim, before, x, lower, upper, userdata) result(stop_code) bind(c)
      import :: c_double, c_int, c_ptr
      integer(c_int), value :: ndim, before
      real(c_double), intent(in) :: x(ndim)
      real(c_double), intent(inout) :: lower, upper
      type(c_ptr), value :: userdata
      integer(c_int) :: stop_code
    end function tessera_limits

    !> Progress of a run; `remaining` is -1 when there is no guess. A result other than 0 stops the run (TESSERA_STOPPED).
    function tessera_progress(evaluations, ncomp, value, error, remaining, userdata) result(stop_code) bind(c)
      import :: c_double, c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: evaluations, remaining
      integer(c_int), value :: ncomp
      real(c_double), intent(in) :: value(ncomp), error(ncomp)
      type(c_ptr), value :: userdata
      integer(c_int) :: stop_code
    end function tessera_progress

    !> Progress of a construction: steps done and steps in all. A result other than 0 stops it.
    function tessera_lattice_progress(done, all, userdata) result(stop_code) bind(c)
      import :: c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: done, all
      type(c_ptr), value :: userdata
      integer(c_int) :: stop_code
    end function tessera_lattice_progress

    !> One line of the log; level 1 warning, 2 information, 3 detail. tessera_string(line) makes it a Fortran string.
    subroutine tessera_log(level, line, userdata) bind(c)
      import :: c_char, c_int, c_ptr
      integer(c_int), value :: level
      character(kind=c_char), intent(in) :: line(*)
      type(c_ptr), value :: userdata
    end subroutine tessera_log
  end interface

  !> What the Fortran side keeps for one solver. It is reached through a pointer, so that its address, which is the user
  !> data of the trampolines, stays the same for the life of the solver.
  type :: solver_state
    integer(c_int) :: ndim = 0, ncomp = 0
    integer(c_int) :: complements = 0, weights = 0  ! numbers behind the coordinates of a point
    procedure(tessera_point), pointer, nopass :: point => null()
    procedure(tessera_point_data), pointer, nopass :: point_data => null()
    procedure(tessera_point_complex), pointer, nopass :: point_complex => null()
    procedure(tessera_point_complex_data), pointer, nopass :: point_complex_data => null()
    type(c_ptr) :: userdata = c_null_ptr
    integer(c_int8_t), pointer :: params(:) => null()
    character(:), allocatable :: message  ! of an error found on the Fortran side, if that was the last one
  end type solver_state

  !> One integration problem. Assignment copies the handle, not the solver: both names then mean the same solver, and only
  !> one of them may be destroyed. There is no finalizer.
  type :: tessera_solver
    private
    type(c_ptr) :: handle = c_null_ptr
    type(solver_state), pointer :: state => null()
    character(:), allocatable :: message  ! why tessera_create failed
  end type tessera_solver

  !> A generating vector of a lattice rule (TESSERA_LATTICE is the method, and Fortran knows no capitals). Assignment copies the
  !> handle, as for solvers; there is no finalizer.
  type :: tessera_lattice_t
    private
    type(c_ptr) :: handle = c_null_ptr
    character(:), allocatable :: message  ! of an error found on the Fortran side, if that was the last one
  end type tessera_lattice_t

  !> tessera_set(s, key, value [, ierr]): value is a 32-bit or 64-bit integer or a double precision number. For a lattice an
  !> integer.
  interface tessera_set
    module procedure set_int32, set_int64, set_real64, set_lattice_int32, set_lattice_int64
  end interface tessera_set

  !> tessera_get(s, key, value [, ierr]): options, and statistics of the last run.
  interface tessera_get
    module procedure get_int32, get_int64, get_real64, get_lattice_int32, get_lattice_int64, get_lattice_real64
  end interface tessera_get

  !> tessera_set_point(s, f [, ierr]) and tessera_set_point(s, f, userdata [, ierr]).
  interface tessera_set_point
    module procedure set_point, set_point_data
  end interface tessera_set_point

  !> tessera_set_point_complex(s, f [, ierr]) and tessera_set_point_complex(s, f, userdata [, ierr]).
  interface tessera_set_point_complex
    module procedure set_point_complex, set_point_complex_data
  end interface tessera_set_point_complex

  !> With real or with complex arrays.
  interface tessera_integrate
    module procedure tessera_integrate, integrate_complex
  end interface tessera_integrate
  interface tessera_integrate_many
    module procedure tessera_integrate_many, integrate_many_complex
  end interface tessera_integrate_many
  interface tessera_integrate_limit
    module procedure tessera_integrate_limit, integrate_limit_complex
  end interface tessera_integrate_limit

  !> tessera_set_params(s, params, bytes [, ierr]): bytes is a 32-bit or 64-bit integer.
  interface tessera_set_params
    module procedure set_params32, set_params64
  end interface tessera_set_params

  !> tessera_lattice_construct(l, n [, ierr]): n is a 32-bit or 64-bit integer, in the following too.
  interface tessera_lattice_construct
    module procedure lattice_construct32, lattice_construct64
  end interface tessera_lattice_construct

  !> tessera_lattice_korobov(l, n, a [, ierr])
  interface tessera_lattice_korobov
    module procedure lattice_korobov32, lattice_korobov64
  end interface tessera_lattice_korobov

  !> tessera_lattice_vector(l, n, z [, ierr]): z(ndim)
  interface tessera_lattice_vector
    module procedure lattice_vector32, lattice_vector64
  end interface tessera_lattice_vector

  !> tessera_string(line): the characters of a C string, given as an array (log callback) or by its address.
  interface tessera_string
    module procedure string_of_array, string_of_address
  end interface tessera_string

  interface
    ! >>> interfaces: written by scripts/generate-fortran from include/tessera.h, do not edit

    ! ---- Version ----

    function c_tessera_version() bind(c, name='tessera_version')
      import :: c_int
      integer(c_int) :: c_tessera_version
    end function c_tessera_version

    function c_tessera_version_string() bind(c, name='tessera_version_string')
      import :: c_ptr
      type(c_ptr) :: c_tessera_version_string
    end function c_tessera_version_string

    ! ---- Life cycle ----

    function c_tessera_create(s, ndim, ncomp) bind(c, name='tessera_create')
      import :: c_int, c_ptr
      type(c_ptr), intent(out) :: s
      integer(c_int), value :: ndim, ncomp
      integer(c_int) :: c_tessera_create
    end function c_tessera_create

    subroutine c_tessera_destroy(s) bind(c, name='tessera_destroy')
      import :: c_ptr
      type(c_ptr), value :: s
    end subroutine c_tessera_destroy

    function c_tessera_last_error(s) bind(c, name='tessera_last_error')
      import :: c_ptr
      type(c_ptr), value :: s
      type(c_ptr) :: c_tessera_last_error
    end function c_tessera_last_error

    function c_tessera_status_string(status) bind(c, name='tessera_status_string')
      import :: c_int, c_ptr
      integer(c_int), value :: status
      type(c_ptr) :: c_tessera_status_string
    end function c_tessera_status_string

    ! ---- Problem ----

    function c_tessera_set_domain(s, lower, upper) bind(c, name='tessera_set_domain')
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: s
      real(c_double), intent(in), optional :: lower(*), upper(*)
      integer(c_int) :: c_tessera_set_domain
    end function c_tessera_set_domain

    function c_tessera_set_limits(s, axis, fn, userdata) bind(c, name='tessera_set_limits')
      import :: c_funptr, c_int, c_ptr
      type(c_ptr), value :: s, userdata
      integer(c_int), value :: axis
      type(c_funptr), value :: fn
      integer(c_int) :: c_tessera_set_limits
    end function c_tessera_set_limits

    function c_tessera_set_limits_source(s, axis, language, source, function) bind(c, name='tessera_set_limits_source')
      import :: c_int, c_ptr
      type(c_ptr), value :: s, source, function
      integer(c_int), value :: axis, language
      integer(c_int) :: c_tessera_set_limits_source
    end function c_tessera_set_limits_source

    function c_tessera_set_simplex(s, map, vertices) bind(c, name='tessera_set_simplex')
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: s
      integer(c_int), value :: map
      real(c_double), intent(in), optional :: vertices(*)
      integer(c_int) :: c_tessera_set_simplex
    end function c_tessera_set_simplex

    function c_tessera_set_breakpoints(s, count, points) bind(c, name='tessera_set_breakpoints')
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: s
      integer(c_int), value :: count
      real(c_double), intent(in), optional :: points(*)
      integer(c_int) :: c_tessera_set_breakpoints
    end function c_tessera_set_breakpoints

    function c_tessera_set_axis_rule(s, axis, rule) bind(c, name='tessera_set_axis_rule')
      import :: c_int, c_ptr
      type(c_ptr), value :: s
      integer(c_int), value :: axis, rule
      integer(c_int) :: c_tessera_set_axis_rule
    end function c_tessera_set_axis_rule

    function c_tessera_set_integrand(s, fn, userdata) bind(c, name='tessera_set_integrand')
      import :: c_funptr, c_int, c_ptr
      type(c_ptr), value :: s, userdata
      type(c_funptr), value :: fn
      integer(c_int) :: c_tessera_set_integrand
    end function c_tessera_set_integrand

    function c_tessera_set_integrand1(s, fn, userdata) bind(c, name='tessera_set_integrand1')
      import :: c_funptr, c_int, c_ptr
      type(c_ptr), value :: s, userdata
      type(c_funptr), value :: fn
      integer(c_int) :: c_tessera_set_integrand1
    end function c_tessera_set_integrand1

    function c_tessera_set_integrand_source(s, language, source, function) bind(c, name='tessera_set_integrand_source')
      import :: c_int, c_ptr
      type(c_ptr), value :: s, source, function
      integer(c_int), value :: language
      integer(c_int) :: c_tessera_set_integrand_source
    end function c_tessera_set_integrand_source

    function c_tessera_set_integrand_file(s, language, path, function) bind(c, name='tessera_set_integrand_file')
      import :: c_int, c_ptr
      type(c_ptr), value :: s, path, function
      integer(c_int), value :: language
      integer(c_int) :: c_tessera_set_integrand_file
    end function c_tessera_set_integrand_file

    function c_tessera_set_integrand_code(s, form, code, bytes, function) bind(c, name='tessera_set_integrand_code')
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: s, code, function
      integer(c_int), value :: form
      integer(c_size_t), value :: bytes
      integer(c_int) :: c_tessera_set_integrand_code
    end function c_tessera_set_integrand_code

    function c_tessera_set_integrand_device(s, fn, userdata) bind(c, name='tessera_set_integrand_device')
      import :: c_funptr, c_int, c_ptr
      type(c_ptr), value :: s, userdata
      type(c_funptr), value :: fn
      integer(c_int) :: c_tessera_set_integrand_device
    end function c_tessera_set_integrand_device

    ! ---- Device twins ----

    function c_tessera_register_twin(function, language, source, is_file, name, params, bytes) &
        bind(c, name='tessera_register_twin')
      import :: c_funptr, c_int, c_ptr, c_size_t
      type(c_funptr), value :: function
      integer(c_int), value :: language, is_file
      type(c_ptr), value :: source, name, params
      integer(c_size_t), value :: bytes
      integer(c_int) :: c_tessera_register_twin
    end function c_tessera_register_twin

    function c_tessera_set_twin(s, function, userdata) bind(c, name='tessera_set_twin')
      import :: c_funptr, c_int, c_ptr
      type(c_ptr), value :: s, userdata
      type(c_funptr), value :: function
      integer(c_int) :: c_tessera_set_twin
    end function c_tessera_set_twin

    function c_tessera_set_params(s, params, bytes) bind(c, name='tessera_set_params')
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: s, params
      integer(c_size_t), value :: bytes
      integer(c_int) :: c_tessera_set_params
    end function c_tessera_set_params

    ! ---- Options ----

    function c_tessera_set_int(s, key, value) bind(c, name='tessera_set_int')
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: s
      integer(c_int), value :: key
      integer(c_int64_t), value :: value
      integer(c_int) :: c_tessera_set_int
    end function c_tessera_set_int

    function c_tessera_set_real(s, key, value) bind(c, name='tessera_set_real')
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: s
      integer(c_int), value :: key
      real(c_double), value :: value
      integer(c_int) :: c_tessera_set_real
    end function c_tessera_set_real

    function c_tessera_get_int(s, key, value) bind(c, name='tessera_get_int')
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: s
      integer(c_int), value :: key
      integer(c_int64_t), intent(inout), optional :: value
      integer(c_int) :: c_tessera_get_int
    end function c_tessera_get_int

    function c_tessera_get_real(s, key, value) bind(c, name='tessera_get_real')
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: s
      integer(c_int), value :: key
      real(c_double), intent(inout), optional :: value
      integer(c_int) :: c_tessera_get_real
    end function c_tessera_get_real

    function c_tessera_reset(s) bind(c, name='tessera_reset')
      import :: c_int, c_ptr
      type(c_ptr), value :: s
      integer(c_int) :: c_tessera_reset
    end function c_tessera_reset

    function c_tessera_set_progress(s, fn, userdata) bind(c, name='tessera_set_progress')
      import :: c_funptr, c_int, c_ptr
      type(c_ptr), value :: s, userdata
      type(c_funptr), value :: fn
      integer(c_int) :: c_tessera_set_progress
    end function c_tessera_set_progress

    function c_tessera_set_log(s, fn, userdata) bind(c, name='tessera_set_log')
      import :: c_funptr, c_int, c_ptr
      type(c_ptr), value :: s, userdata
      type(c_funptr), value :: fn
      integer(c_int) :: c_tessera_set_log
    end function c_tessera_set_log

    function c_tessera_set_stream(s, stream) bind(c, name='tessera_set_stream')
      import :: c_int, c_ptr
      type(c_ptr), value :: s, stream
      integer(c_int) :: c_tessera_set_stream
    end function c_tessera_set_stream

    function c_tessera_set_devices(s, n, ordinals) bind(c, name='tessera_set_devices')
      import :: c_int, c_ptr
      type(c_ptr), value :: s
      integer(c_int), value :: n
      integer(c_int), intent(in), optional :: ordinals(*)
      integer(c_int) :: c_tessera_set_devices
    end function c_tessera_set_devices

    ! ---- Ranks ----

    function c_tessera_set_comm(s, comm, bytes) bind(c, name='tessera_set_comm')
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: s, comm
      integer(c_size_t), value :: bytes
      integer(c_int) :: c_tessera_set_comm
    end function c_tessera_set_comm

    function c_tessera_set_comm_f(s, comm) bind(c, name='tessera_set_comm_f')
      import :: c_int, c_ptr
      type(c_ptr), value :: s
      integer(c_int), value :: comm
      integer(c_int) :: c_tessera_set_comm_f
    end function c_tessera_set_comm_f

    function c_tessera_set_comm_world(s) bind(c, name='tessera_set_comm_world')
      import :: c_int, c_ptr
      type(c_ptr), value :: s
      integer(c_int) :: c_tessera_set_comm_world
    end function c_tessera_set_comm_world

    ! ---- Integration ----

    function c_tessera_integrate(s, method, value, error) bind(c, name='tessera_integrate')
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: s
      integer(c_int), value :: method
      real(c_double), intent(inout), optional :: value(*), error(*)
      integer(c_int) :: c_tessera_integrate
    end function c_tessera_integrate

    function c_tessera_evaluate(s, n, x, f) bind(c, name='tessera_evaluate')
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: s
      integer(c_int64_t), value :: n
      real(c_double), intent(in), optional :: x(*)
      real(c_double), intent(inout), optional :: f(*)
      integer(c_int) :: c_tessera_evaluate
    end function c_tessera_evaluate

    function c_tessera_integrate_many(s, method, count, params, params_bytes, lower, upper, value, error, status) &
        bind(c, name='tessera_integrate_many')
      import :: c_double, c_int, c_int64_t, c_ptr, c_size_t
      type(c_ptr), value :: s, params
      integer(c_int), value :: method
      integer(c_int64_t), value :: count
      integer(c_size_t), value :: params_bytes
      real(c_double), intent(in), optional :: lower(*), upper(*)
      real(c_double), intent(inout), optional :: value(*), error(*)
      integer(c_int), intent(inout), optional :: status(*)
      integer(c_int) :: c_tessera_integrate_many
    end function c_tessera_integrate_many

    ! ---- Regions ----

    function c_tessera_get_regions(s, first, n, records, count) bind(c, name='tessera_get_regions')
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: s
      integer(c_int64_t), value :: first, n
      real(c_double), intent(inout), optional :: records(*)
      integer(c_int64_t), intent(inout), optional :: count
      integer(c_int) :: c_tessera_get_regions
    end function c_tessera_get_regions

    function c_tessera_set_regions(s, n, records, evaluations) bind(c, name='tessera_set_regions')
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: s
      integer(c_int64_t), value :: n, evaluations
      real(c_double), intent(in), optional :: records(*)
      integer(c_int) :: c_tessera_set_regions
    end function c_tessera_set_regions

    function c_tessera_set_lattice(s, l) bind(c, name='tessera_set_lattice')
      import :: c_int, c_ptr
      type(c_ptr), value :: s, l
      integer(c_int) :: c_tessera_set_lattice
    end function c_tessera_set_lattice

    ! ---- Generating vectors of lattice rules ----

    function c_tessera_lattice_create(l, ndim) bind(c, name='tessera_lattice_create')
      import :: c_int, c_ptr
      type(c_ptr), intent(out) :: l
      integer(c_int), value :: ndim
      integer(c_int) :: c_tessera_lattice_create
    end function c_tessera_lattice_create

    subroutine c_tessera_lattice_destroy(l) bind(c, name='tessera_lattice_destroy')
      import :: c_ptr
      type(c_ptr), value :: l
    end subroutine c_tessera_lattice_destroy

    function c_tessera_lattice_last_error(l) bind(c, name='tessera_lattice_last_error')
      import :: c_ptr
      type(c_ptr), value :: l
      type(c_ptr) :: c_tessera_lattice_last_error
    end function c_tessera_lattice_last_error

    function c_tessera_lattice_set_weights(l, product, orders, order) bind(c, name='tessera_lattice_set_weights')
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: l
      real(c_double), intent(in), optional :: product(*), order(*)
      integer(c_int), value :: orders
      integer(c_int) :: c_tessera_lattice_set_weights
    end function c_tessera_lattice_set_weights

    function c_tessera_lattice_set_kernel(l, kernel, values, count) bind(c, name='tessera_lattice_set_kernel')
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: l
      integer(c_int), value :: kernel
      real(c_double), intent(in), optional :: values(*)
      integer(c_int64_t), value :: count
      integer(c_int) :: c_tessera_lattice_set_kernel
    end function c_tessera_lattice_set_kernel

    function c_tessera_lattice_set_int(l, key, value) bind(c, name='tessera_lattice_set_int')
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: l
      integer(c_int), value :: key
      integer(c_int64_t), value :: value
      integer(c_int) :: c_tessera_lattice_set_int
    end function c_tessera_lattice_set_int

    function c_tessera_lattice_get_int(l, key, value) bind(c, name='tessera_lattice_get_int')
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: l
      integer(c_int), value :: key
      integer(c_int64_t), intent(inout), optional :: value
      integer(c_int) :: c_tessera_lattice_get_int
    end function c_tessera_lattice_get_int

    function c_tessera_lattice_get_real(l, key, value) bind(c, name='tessera_lattice_get_real')
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: l
      integer(c_int), value :: key
      real(c_double), intent(inout), optional :: value
      integer(c_int) :: c_tessera_lattice_get_real
    end function c_tessera_lattice_get_real

    function c_tessera_lattice_set_progress(l, fn, userdata) bind(c, name='tessera_lattice_set_progress')
      import :: c_funptr, c_int, c_ptr
      type(c_ptr), value :: l, userdata
      type(c_funptr), value :: fn
      integer(c_int) :: c_tessera_lattice_set_progress
    end function c_tessera_lattice_set_progress

    function c_tessera_lattice_construct(l, n) bind(c, name='tessera_lattice_construct')
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: l
      integer(c_int64_t), value :: n
      integer(c_int) :: c_tessera_lattice_construct
    end function c_tessera_lattice_construct

    function c_tessera_lattice_korobov(l, n, a) bind(c, name='tessera_lattice_korobov')
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: l
      integer(c_int64_t), value :: n, a
      integer(c_int) :: c_tessera_lattice_korobov
    end function c_tessera_lattice_korobov

    function c_tessera_lattice_vector(l, n, z) bind(c, name='tessera_lattice_vector')
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: l
      integer(c_int64_t), value :: n
      integer(c_int64_t), intent(in), optional :: z(*)
      integer(c_int) :: c_tessera_lattice_vector
    end function c_tessera_lattice_vector

    function c_tessera_lattice_builtin(l) bind(c, name='tessera_lattice_builtin')
      import :: c_int, c_ptr
      type(c_ptr), value :: l
      integer(c_int) :: c_tessera_lattice_builtin
    end function c_tessera_lattice_builtin

    function c_tessera_lattice_get_vector(l, z) bind(c, name='tessera_lattice_get_vector')
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: l
      integer(c_int64_t), intent(inout), optional :: z(*)
      integer(c_int) :: c_tessera_lattice_get_vector
    end function c_tessera_lattice_get_vector

    function c_tessera_lattice_save(l, path) bind(c, name='tessera_lattice_save')
      import :: c_int, c_ptr
      type(c_ptr), value :: l, path
      integer(c_int) :: c_tessera_lattice_save
    end function c_tessera_lattice_save

    function c_tessera_lattice_load(l, path) bind(c, name='tessera_lattice_load')
      import :: c_int, c_ptr
      type(c_ptr), value :: l, path
      integer(c_int) :: c_tessera_lattice_load
    end function c_tessera_lattice_load

    function c_tessera_lattice_prime(n, largest, prime) bind(c, name='tessera_lattice_prime')
      import :: c_int, c_int64_t
      integer(c_int64_t), value :: n, largest
      integer(c_int64_t), intent(inout), optional :: prime
      integer(c_int) :: c_tessera_lattice_prime
    end function c_tessera_lattice_prime

    function c_tessera_get_chi2(s, chi2) bind(c, name='tessera_get_chi2')
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: s
      real(c_double), intent(inout), optional :: chi2(*)
      integer(c_int) :: c_tessera_get_chi2
    end function c_tessera_get_chi2

    ! ---- Sequences ----

    function c_tessera_extrapolate(method, n, parameter, sequence, limit, error) bind(c, name='tessera_extrapolate')
      import :: c_double, c_int, c_int64_t
      integer(c_int), value :: method
      integer(c_int64_t), value :: n
      real(c_double), intent(in), optional :: parameter(*), sequence(*)
      real(c_double), intent(inout), optional :: limit(*), error(*)
      integer(c_int) :: c_tessera_extrapolate
    end function c_tessera_extrapolate

    function c_tessera_integrate_limit(s, method, offset, first, ratio, extrapolation, most, value, error, count, &
        parameter, values, errors) bind(c, name='tessera_integrate_limit')
      import :: c_double, c_int, c_ptr, c_size_t
      type(c_ptr), value :: s
      integer(c_int), value :: method, extrapolation, most
      integer(c_size_t), value :: offset
      real(c_double), value :: first, ratio
      real(c_double), intent(inout), optional :: value(*), error(*), parameter(*), values(*), errors(*)
      integer(c_int), intent(inout), optional :: count
      integer(c_int) :: c_tessera_integrate_limit
    end function c_tessera_integrate_limit

    function c_tessera_save_grid(s, path) bind(c, name='tessera_save_grid')
      import :: c_int, c_ptr
      type(c_ptr), value :: s, path
      integer(c_int) :: c_tessera_save_grid
    end function c_tessera_save_grid

    function c_tessera_load_grid(s, path) bind(c, name='tessera_load_grid')
      import :: c_int, c_ptr
      type(c_ptr), value :: s, path
      integer(c_int) :: c_tessera_load_grid
    end function c_tessera_load_grid

    function c_tessera_get_grid(s, edges) bind(c, name='tessera_get_grid')
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: s
      real(c_double), intent(inout), optional :: edges(*)
      integer(c_int) :: c_tessera_get_grid
    end function c_tessera_get_grid

    function c_tessera_set_grid(s, edges) bind(c, name='tessera_set_grid')
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: s
      real(c_double), intent(in), optional :: edges(*)
      integer(c_int) :: c_tessera_set_grid
    end function c_tessera_set_grid

    ! ---- States ----

    function c_tessera_save_state(s, path) bind(c, name='tessera_save_state')
      import :: c_int, c_ptr
      type(c_ptr), value :: s, path
      integer(c_int) :: c_tessera_save_state
    end function c_tessera_save_state

    function c_tessera_load_state(s, path) bind(c, name='tessera_load_state')
      import :: c_int, c_ptr
      type(c_ptr), value :: s, path
      integer(c_int) :: c_tessera_load_state
    end function c_tessera_load_state

    function c_tessera_set_checkpoint(s, path) bind(c, name='tessera_set_checkpoint')
      import :: c_int, c_ptr
      type(c_ptr), value :: s, path
      integer(c_int) :: c_tessera_set_checkpoint
    end function c_tessera_set_checkpoint

    function c_tessera_get_state(s, n, state, count) bind(c, name='tessera_get_state')
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: s
      integer(c_int64_t), value :: n
      real(c_double), intent(inout), optional :: state(*)
      integer(c_int64_t), intent(inout), optional :: count
      integer(c_int) :: c_tessera_get_state
    end function c_tessera_get_state

    function c_tessera_set_state(s, n, state) bind(c, name='tessera_set_state')
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: s
      integer(c_int64_t), value :: n
      real(c_double), intent(in), optional :: state(*)
      integer(c_int) :: c_tessera_set_state
    end function c_tessera_set_state
    ! <<<
  end interface

  interface
    function c_strlen(text) result(length) bind(c, name='strlen')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function c_strlen
  end interface

contains

  ! ---- Version and strings --------------------------------------------------------------------------------------------

  !> 10000*major + 100*minor + patch of the library in use.
  function tessera_version() result(version)
    integer(c_int) :: version
    version = c_tessera_version()
  end function tessera_version

  !> "major.minor.patch" of the library in use.
  function tessera_version_string() result(text)
    character(:), allocatable :: text
    text = string_of_address(c_tessera_version_string())
  end function tessera_version_string

  !> Name and meaning of a status.
  recursive function tessera_status_string(status) result(text)
    integer(c_int), intent(in) :: status
    character(:), allocatable :: text
    text = string_of_address(c_tessera_status_string(status))
  end function tessera_status_string

  !> Message about the last call on s that did not return 0; '' if there was none.
  recursive function tessera_last_error(s) result(text)
    type(tessera_solver), intent(in) :: s
    character(:), allocatable :: text
    if (.not. associated(s%state)) then
      if (allocated(s%message)) then
        text = s%message
      else
        text = 'the solver has not been created'
      end if
    else if (allocated(s%state%message)) then
      text = s%state%message
    else
      text = string_of_address(c_tessera_last_error(s%handle))
    end if
  end function tessera_last_error

  recursive function string_of_array(line) result(text)
    character(kind=c_char), intent(in) :: line(*)
    character(:), allocatable :: text
    integer :: i, n
    n = 0
    do while (line(n + 1) /= c_null_char)
      n = n + 1
    end do
    allocate (character(n) :: text)
    do i = 1, n
      text(i:i) = line(i)
    end do
  end function string_of_array

  recursive function string_of_address(address) result(text)
    type(c_ptr), intent(in) :: address
    character(:), allocatable :: text
    character(kind=c_char), pointer :: characters(:)
    integer :: i, n
    n = 0
    if (c_associated(address)) n = int(c_strlen(address))
    allocate (character(n) :: text)
    if (n == 0) return
    call c_f_pointer(address, characters, [n])
    do i = 1, n
      text(i:i) = characters(i)
    end do
  end function string_of_address

  pure function decimal(n) result(text)
    integer(c_int64_t), intent(in) :: n
    character(:), allocatable :: text
    character(20) :: digits
    write (digits, '(i0)') n
    text = trim(digits)
  end function decimal

  ! ---- Errors ---------------------------------------------------------------------------------------------------------

  !> Hands the status of a call of the library to the caller. A failed call puts the library's message in the place of an
  !> older one of ours.
  recursive subroutine conclude(s, status, ierr)
    type(tessera_solver), intent(in) :: s
    integer(c_int), intent(in) :: status
    integer(c_int), intent(out), optional :: ierr
    if (status /= TESSERA_OK .and. associated(s%state)) then
      if (allocated(s%state%message)) deallocate (s%state%message)
    end if
    call hand_out(s, status, ierr)
  end subroutine conclude

  !> The same for an error that was found here.
  recursive subroutine reject(s, status, message, ierr)
    type(tessera_solver), intent(in) :: s
    integer(c_int), intent(in) :: status
    character(*), intent(in) :: message
    integer(c_int), intent(out), optional :: ierr
    if (associated(s%state)) s%state%message = message
    call hand_out(s, status, ierr)
  end subroutine reject

  recursive subroutine hand_out(s, status, ierr)
    type(tessera_solver), intent(in) :: s
    integer(c_int), intent(in) :: status
    integer(c_int), intent(out), optional :: ierr
    if (present(ierr)) then
      ierr = status
    else if (status < 0) then
      error stop 'tessera: ' // tessera_last_error(s)
    end if
  end subroutine hand_out

  !> False, with the error handed out, for a solver that was never created.
  recursive function exists(s, ierr) result(yes)
    type(tessera_solver), intent(in) :: s
    integer(c_int), intent(out), optional :: ierr
    logical :: yes
    yes = associated(s%state)
    if (.not. yes) call reject(s, TESSERA_ERR_ARGUMENT, '', ierr)
  end function exists

  !> False, with the error handed out, for an array of the wrong size.
  recursive function size_is_right(s, name, elements, expected_name, expected, ierr) result(yes)
    type(tessera_solver), intent(in) :: s
    character(*), intent(in) :: name, expected_name
    integer, intent(in) :: elements
    integer(c_int), intent(in) :: expected
    integer(c_int), intent(out), optional :: ierr
    logical :: yes
    yes = elements == expected
    if (.not. yes) call reject(s, TESSERA_ERR_ARGUMENT, name // ' has the size ' // decimal(int(elements, c_int64_t)) // &
                               ', but ' // expected_name // ' is ' // decimal(int(expected, c_int64_t)), ierr)
  end function size_is_right

  ! ---- Life cycle -----------------------------------------------------------------------------------------------------

  !> A solver for integrands of ndim variables with ncomp components. A solver that s still holds is destroyed first.
  subroutine tessera_create(s, ndim, ncomp, ierr)
    type(tessera_solver), intent(inout) :: s
    integer(c_int), intent(in) :: ndim, ncomp
    integer(c_int), intent(out), optional :: ierr
    integer(c_int) :: status
    integer :: failed
    call tessera_destroy(s)
    status = c_tessera_create(s%handle, ndim, ncomp)
    if (status < 0) then
      s%handle = c_null_ptr
      s%message = tessera_status_string(status)
      if (status == TESSERA_ERR_ARGUMENT) s%message = 'a solver with ndim = ' // decimal(int(ndim, c_int64_t)) // &
        ' and ncomp = ' // decimal(int(ncomp, c_int64_t)) // ' cannot be created: ' // s%message
    else
      allocate (s%state, stat=failed)
      if (failed /= 0) then
        call c_tessera_destroy(s%handle)
        s%handle = c_null_ptr
        nullify (s%state)
        status = TESSERA_ERR_MEMORY
        s%message = tessera_status_string(status)
      else
        s%state%ndim = ndim
        s%state%ncomp = ncomp
      end if
    end if
    call hand_out(s, status, ierr)
  end subroutine tessera_create

  !> Frees the solver. Nothing happens when there is none.
  subroutine tessera_destroy(s)
    type(tessera_solver), intent(inout) :: s
    if (associated(s%state)) then
      call c_tessera_destroy(s%handle)
      if (associated(s%state%params)) deallocate (s%state%params)
      deallocate (s%state)
    end if
    s%handle = c_null_ptr
    nullify (s%state)
    if (allocated(s%message)) deallocate (s%message)
  end subroutine tessera_destroy

  ! ---- Problem --------------------------------------------------------------------------------------------------------

  !> Limits of integration; infinite ones are allowed (ieee_value(x, ieee_positive_inf)).
  subroutine tessera_set_domain(s, lower, upper, ierr)
    type(tessera_solver), intent(inout) :: s
    real(c_double), intent(in), contiguous :: lower(:), upper(:)
    integer(c_int), intent(out), optional :: ierr
    if (.not. exists(s, ierr)) return
    if (.not. size_is_right(s, 'lower', size(lower), 'ndim', s%state%ndim, ierr)) return
    if (.not. size_is_right(s, 'upper', size(upper), 'ndim', s%state%ndim, ierr)) return
    call conclude(s, c_tessera_set_domain(s%handle, lower, upper), ierr)
  end subroutine tessera_set_domain

  !> Limits of axis 1 ... ndim as a function of the coordinates before it. Without f the axis has those of the domain again.
  subroutine tessera_set_limits(s, axis, f, userdata, ierr)
    type(tessera_solver), intent(inout) :: s
    integer(c_int), intent(in) :: axis
    procedure(tessera_limits), optional :: f
    type(c_ptr), intent(in), optional :: userdata
    integer(c_int), intent(out), optional :: ierr
    type(c_funptr) :: fn
    fn = c_null_funptr
    if (present(f)) fn = c_funloc(f)
    if (.not. exists(s, ierr)) return
    if (.not. axis_is_right(s, axis, ierr)) return
    call conclude(s, c_tessera_set_limits(s%handle, axis - 1_c_int, fn, value_or_null(userdata)), ierr)
  end subroutine tessera_set_limits

  !> The same as source text in CUDA C++ or C, for devices too; see tessera.h for what a function in it must look like. Trailing blanks of the name do
  !> not count. Without source and function_name the axis gets back its limits of tessera_set_domain.
  subroutine tessera_set_limits_source(s, axis, language, source, function_name, ierr)
    type(tessera_solver), intent(inout) :: s
    integer(c_int), intent(in) :: axis, language
    character(*), intent(in), optional :: source, function_name
    integer(c_int), intent(out), optional :: ierr
    character(kind=c_char), allocatable, target :: text(:), name(:)
    type(c_ptr) :: text_address, name_address
    if (.not. exists(s, ierr)) return
    if (.not. axis_is_right(s, axis, ierr)) return
    text_address = address_of(source, text)
    name_address = address_of(function_name, name)
    call conclude(s, c_tessera_set_limits_source(s%handle, axis - 1_c_int, language, text_address, name_address), ierr)
  end subroutine tessera_set_limits_source

  !> A simplex as the domain, vertices(ndim, ndim+1), by TESSERA_SIMPLEX_DUFFY or _SYMMETRIC; without vertices the unit simplex.
  subroutine tessera_set_simplex(s, map, vertices, ierr)
    type(tessera_solver), intent(inout) :: s
    integer(c_int), intent(in) :: map
    real(c_double), intent(in), optional :: vertices(:, :)
    integer(c_int), intent(out), optional :: ierr
    if (.not. exists(s, ierr)) return
    if (present(vertices)) then
      if (.not. size_is_right(s, 'vertices, dimension 1', size(vertices, 1), 'ndim', s%state%ndim, ierr)) return
      if (.not. size_is_right(s, 'vertices, dimension 2', size(vertices, 2), 'ndim + 1', s%state%ndim + 1, ierr)) return
    end if
    call conclude(s, c_tessera_set_simplex(s%handle, map, vertices), ierr)
  end subroutine tessera_set_simplex

  !> The rule of axis 1 ... ndim in TESSERA_ITERATED: TESSERA_RULE_KRONROD15 ... 61, _DOUBLE_EXPONENTIAL, _AUTO.
  subroutine tessera_set_axis_rule(s, axis, rule, ierr)
    type(tessera_solver), intent(inout) :: s
    integer(c_int), intent(in) :: axis, rule
    integer(c_int), intent(out), optional :: ierr
    if (.not. exists(s, ierr)) return
    if (.not. axis_is_right(s, axis, ierr)) return
    call conclude(s, c_tessera_set_axis_rule(s%handle, axis - 1_c_int, rule), ierr)
  end subroutine tessera_set_axis_rule

  !> The integrand for many points a call. Without f the solver has no integrand afterwards.
  subroutine tessera_set_integrand(s, f, userdata, ierr)
    type(tessera_solver), intent(inout) :: s
    procedure(tessera_integrand), optional :: f
    type(c_ptr), intent(in), optional :: userdata
    integer(c_int), intent(out), optional :: ierr
    type(c_funptr) :: fn
    fn = c_null_funptr
    if (present(f)) fn = c_funloc(f)
    if (.not. exists(s, ierr)) return
    call conclude(s, c_tessera_set_integrand(s%handle, fn, value_or_null(userdata)), ierr)
  end subroutine tessera_set_integrand

  !> The integrand for one point a call, in the C form.
  subroutine tessera_set_integrand1(s, f, userdata, ierr)
    type(tessera_solver), intent(inout) :: s
    procedure(tessera_integrand1), optional :: f
    type(c_ptr), intent(in), optional :: userdata
    integer(c_int), intent(out), optional :: ierr
    type(c_funptr) :: fn
    fn = c_null_funptr
    if (present(f)) fn = c_funloc(f)
    if (.not. exists(s, ierr)) return
    call conclude(s, c_tessera_set_integrand1(s%handle, fn, value_or_null(userdata)), ierr)
  end subroutine tessera_set_integrand1

  !> The integrand as a callback for a CUDA device. Without f it is taken away.
  subroutine tessera_set_integrand_device(s, f, userdata, ierr)
    type(tessera_solver), intent(inout) :: s
    procedure(tessera_device_integrand), optional :: f
    type(c_ptr), intent(in), optional :: userdata
    integer(c_int), intent(out), optional :: ierr
    type(c_funptr) :: fn
    fn = c_null_funptr
    if (present(f)) fn = c_funloc(f)
    if (.not. exists(s, ierr)) return
    call conclude(s, c_tessera_set_integrand_device(s%handle, fn, value_or_null(userdata)), ierr)
  end subroutine tessera_set_integrand_device

  !> The integrand as source text: `language` is one of TESSERA_LANGUAGE_..., `function_name` a function in the text. Blanks at
  !> their ends do not count. Without source and function_name the text is taken away.
  subroutine tessera_set_integrand_source(s, language, source, function_name, ierr)
    type(tessera_solver), intent(inout) :: s
    integer(c_int), intent(in) :: language
    character(*), intent(in), optional :: source, function_name
    integer(c_int), intent(out), optional :: ierr
    character(kind=c_char), allocatable, target :: text(:), name(:)
    type(c_ptr) :: text_address, name_address
    if (.not. exists(s, ierr)) return
    text_address = address_of(source, text)
    name_address = address_of(function_name, name)
    call conclude(s, c_tessera_set_integrand_source(s%handle, language, text_address, name_address), ierr)
  end subroutine tessera_set_integrand_source

  !> The same from a file. Blanks at the end of the path and the name do not count. Without path and function_name the text is
  !> taken away.
  subroutine tessera_set_integrand_file(s, language, path, function_name, ierr)
    type(tessera_solver), intent(inout) :: s
    integer(c_int), intent(in) :: language
    character(*), intent(in), optional :: path, function_name
    integer(c_int), intent(out), optional :: ierr
    character(kind=c_char), allocatable, target :: file(:), name(:)
    type(c_ptr) :: file_address, name_address
    if (.not. exists(s, ierr)) return
    file_address = address_of(path, file)
    name_address = address_of(function_name, name)
    call conclude(s, c_tessera_set_integrand_file(s%handle, language, file_address, name_address), ierr)
  end subroutine tessera_set_integrand_file

  !> The devices of this machine that share runs: ordinals, the numbers of CUDA devices; or the first n, and with n = 0 one device again;
  !> with neither all that there are.
  subroutine tessera_set_devices(s, ordinals, n, ierr)
    type(tessera_solver), intent(inout) :: s
    integer(c_int), intent(in), optional, contiguous :: ordinals(:)
    integer(c_int), intent(in), optional :: n
    integer(c_int), intent(out), optional :: ierr
    if (.not. exists(s, ierr)) return
    if (present(ordinals)) then
      if (size(ordinals) > 0) then
        call conclude(s, c_tessera_set_devices(s%handle, size(ordinals, kind=c_int), ordinals), ierr)
      else
        call conclude(s, c_tessera_set_devices(s%handle, 0_c_int), ierr)
      end if
    else if (present(n)) then
      call conclude(s, c_tessera_set_devices(s%handle, n), ierr)
    else
      call conclude(s, c_tessera_set_devices(s%handle, -1_c_int), ierr)
    end if
  end subroutine tessera_set_devices

  !> The MPI communicator whose ranks share the runs: its handle in Fortran, comm of `use mpi` or comm%MPI_VAL of `use mpi_f08`. All ranks
  !> call it, and from then on tessera_integrate, tessera_integrate_many, tessera_integrate_limit and tessera_destroy. Without comm the
  !> solver runs by itself again.
  subroutine tessera_set_comm(s, comm, ierr)
    type(tessera_solver), intent(inout) :: s
    integer(c_int), intent(in), optional :: comm
    integer(c_int), intent(out), optional :: ierr
    if (.not. exists(s, ierr)) return
    if (present(comm)) then
      call conclude(s, c_tessera_set_comm_f(s%handle, comm), ierr)
    else
      call conclude(s, c_tessera_set_comm(s%handle, c_null_ptr, 0_c_size_t), ierr)
    end if
  end subroutine tessera_set_comm

  !> The same with all ranks of the program.
  subroutine tessera_set_comm_world(s, ierr)
    type(tessera_solver), intent(inout) :: s
    integer(c_int), intent(out), optional :: ierr
    if (.not. exists(s, ierr)) return
    call conclude(s, c_tessera_set_comm_world(s%handle), ierr)
  end subroutine tessera_set_comm_world

  !> The integrand as code compiled for a device: `form` is one of TESSERA_CODE_..., code the bytes of the file, all of which
  !> count. Without code and function_name it is taken away.
  subroutine tessera_set_integrand_code(s, form, code, function_name, ierr)
    type(tessera_solver), intent(inout) :: s
    integer(c_int), intent(in) :: form
    character(*), intent(in), optional, target :: code
    character(*), intent(in), optional :: function_name
    integer(c_int), intent(out), optional :: ierr
    character(kind=c_char), allocatable, target :: name(:)
    type(c_ptr) :: code_address, name_address
    integer(c_size_t) :: bytes
    if (.not. exists(s, ierr)) return
    code_address = c_null_ptr
    bytes = 0
    if (present(code)) then
      bytes = len(code, c_size_t)
      code_address = c_loc(code)
    end if
    name_address = address_of(function_name, name)
    call conclude(s, c_tessera_set_integrand_code(s%handle, form, code_address, bytes, name_address), ierr)
  end subroutine tessera_set_integrand_code

  !> All options of s as tessera_create left them.
  subroutine tessera_reset(s, ierr)
    type(tessera_solver), intent(inout) :: s
    integer(c_int), intent(out), optional :: ierr
    if (.not. exists(s, ierr)) return
    call conclude(s, c_tessera_reset(s%handle), ierr)
  end subroutine tessera_reset

  !> The CUDA stream (a cudaStream_t) for the work on a device; without it a stream of the library's own.
  subroutine tessera_set_stream(s, stream, ierr)
    type(tessera_solver), intent(inout) :: s
    type(c_ptr), intent(in), optional :: stream
    integer(c_int), intent(out), optional :: ierr
    if (.not. exists(s, ierr)) return
    call conclude(s, c_tessera_set_stream(s%handle, value_or_null(stream)), ierr)
  end subroutine tessera_set_stream

  !> From now on and for the whole process, source is the twin of the procedure f, which is what a program hands to a drop-in; it
  !> may be of any kind. is_file: source is the path of a file. params is the address of a COMMON block or a variable of
  !> `bytes` bytes that are copied before each run. Without source the twin is taken away.
  subroutine tessera_register_twin(f, language, source, function_name, is_file, params, bytes, ierr)
    procedure() :: f
    integer(c_int), intent(in), optional :: language
    character(*), intent(in), optional :: source, function_name
    logical, intent(in), optional :: is_file
    type(c_ptr), intent(in), optional :: params
    integer(c_size_t), intent(in), optional :: bytes
    integer(c_int), intent(out), optional :: ierr
    character(kind=c_char), allocatable, target :: text(:), name(:)
    type(c_ptr) :: text_address, name_address
    integer(c_size_t) :: length
    integer(c_int) :: which, from_file, status
    length = 0
    which = 0
    from_file = 0
    if (present(language)) which = language
    text_address = address_of(source, text)
    name_address = address_of(function_name, name)
    if (present(is_file)) from_file = merge(1_c_int, 0_c_int, is_file)
    if (present(bytes)) length = bytes
    status = c_tessera_register_twin(c_funloc(f), which, text_address, from_file, name_address, value_or_null(params), length)
    if (present(ierr)) then
      ierr = status
    else if (status < 0) then
      error stop 'tessera: ' // tessera_string(c_tessera_last_error(c_null_ptr))
    end if
  end subroutine tessera_register_twin

  !> The twin of the procedure f, registered or named in the map file, becomes the text of the solver. Without f the text is taken
  !> away.
  subroutine tessera_set_twin(s, f, ierr)
    type(tessera_solver), intent(inout) :: s
    procedure(), optional :: f
    integer(c_int), intent(out), optional :: ierr
    type(c_funptr) :: host_function
    if (.not. exists(s, ierr)) return
    host_function = c_null_funptr
    if (present(f)) host_function = c_funloc(f)
    call conclude(s, c_tessera_set_twin(s%handle, host_function, c_null_ptr), ierr)
  end subroutine tessera_set_twin

  !> The characters of a string, without the blanks at its end, and a NUL.
  pure function c_characters(text) result(characters)
    character(*), intent(in) :: text
    character(kind=c_char), allocatable :: characters(:)
    integer :: i, n
    n = len_trim(text)
    allocate (characters(n + 1))
    do i = 1, n
      characters(i) = text(i:i)
    end do
    characters(n + 1) = c_null_char
  end function c_characters

  !> The address of a string for C, null where there is none; `characters` holds it.
  function address_of(text, characters) result(address)
    character(*), intent(in), optional :: text
    character(kind=c_char), allocatable, target, intent(out) :: characters(:)
    type(c_ptr) :: address
    address = c_null_ptr
    if (.not. present(text)) return
    characters = c_characters(text)
    address = c_loc(characters)
  end function address_of

  pure function value_or_null(userdata) result(address)
    type(c_ptr), intent(in), optional :: userdata
    type(c_ptr) :: address
    address = c_null_ptr
    if (present(userdata)) address = userdata
  end function value_or_null

  subroutine set_point(s, f, ierr)
    type(tessera_solver), intent(inout) :: s
    procedure(tessera_point) :: f
    integer(c_int), intent(out), optional :: ierr
    integer(c_int) :: status
    if (.not. exists(s, ierr)) return
    ! The library first: it refuses when a run is under way, and then the old integrand must stay.
    status = c_tessera_set_integrand1(s%handle, c_funloc(call_point), c_loc(s%state))
    if (status == TESSERA_OK) s%state%point => f
    call conclude(s, status, ierr)
  end subroutine set_point

  subroutine set_point_data(s, f, userdata, ierr)
    type(tessera_solver), intent(inout) :: s
    procedure(tessera_point_data) :: f
    type(c_ptr), intent(in) :: userdata
    integer(c_int), intent(out), optional :: ierr
    integer(c_int) :: status
    if (.not. exists(s, ierr)) return
    status = c_tessera_set_integrand1(s%handle, c_funloc(call_point_data), c_loc(s%state))
    if (status == TESSERA_OK) then
      s%state%point_data => f
      s%state%userdata = userdata
    end if
    call conclude(s, status, ierr)
  end subroutine set_point_data

  !> Trampolines: what the library calls for the plain Fortran forms.
  recursive function call_point(ndim, x, ncomp, f, userdata) result(stop_code) bind(c, name='')
    integer(c_int), value :: ndim, ncomp
    real(c_double), intent(in) :: x(2 * ndim + 2)  ! those that the options ask for are there
    real(c_double), intent(inout) :: f(ncomp)
    type(c_ptr), value :: userdata
    integer(c_int) :: stop_code
    type(solver_state), pointer :: state
    call c_f_pointer(userdata, state)
    call state%point(x(1:ndim + max(state%complements, state%weights)), f)
    stop_code = 0
  end function call_point

  recursive function call_point_data(ndim, x, ncomp, f, userdata) result(stop_code) bind(c, name='')
    integer(c_int), value :: ndim, ncomp
    real(c_double), intent(in) :: x(2 * ndim + 2)  ! those that the options ask for are there
    real(c_double), intent(inout) :: f(ncomp)
    type(c_ptr), value :: userdata
    integer(c_int) :: stop_code
    type(solver_state), pointer :: state
    type(c_ptr) :: address
    call c_f_pointer(userdata, state)
    address = state%userdata
    if (.not. c_associated(address) .and. associated(state%params)) address = c_loc(state%params)
    call state%point_data(x(1:ndim + max(state%complements, state%weights)), f, address)
    stop_code = 0
  end function call_point_data

  !> Integrands with complex values set TESSERA_COMPLEX as well.
  subroutine set_point_complex(s, f, ierr)
    type(tessera_solver), intent(inout) :: s
    procedure(tessera_point_complex) :: f
    integer(c_int), intent(out), optional :: ierr
    integer(c_int) :: status
    if (.not. exists(s, ierr)) return
    status = c_tessera_set_int(s%handle, TESSERA_COMPLEX, 1_c_int64_t)
    if (status == TESSERA_OK) status = c_tessera_set_integrand1(s%handle, c_funloc(call_point_complex), c_loc(s%state))
    if (status == TESSERA_OK) s%state%point_complex => f
    call conclude(s, status, ierr)
  end subroutine set_point_complex

  subroutine set_point_complex_data(s, f, userdata, ierr)
    type(tessera_solver), intent(inout) :: s
    procedure(tessera_point_complex_data) :: f
    type(c_ptr), intent(in) :: userdata
    integer(c_int), intent(out), optional :: ierr
    integer(c_int) :: status
    if (.not. exists(s, ierr)) return
    status = c_tessera_set_int(s%handle, TESSERA_COMPLEX, 1_c_int64_t)
    if (status == TESSERA_OK) status = c_tessera_set_integrand1(s%handle, c_funloc(call_point_complex_data), c_loc(s%state))
    if (status == TESSERA_OK) then
      s%state%point_complex_data => f
      s%state%userdata = userdata
    end if
    call conclude(s, status, ierr)
  end subroutine set_point_complex_data

  !> The integrand with complex values for one point a call, in the C form.
  subroutine tessera_set_integrand1_complex(s, f, userdata, ierr)
    type(tessera_solver), intent(inout) :: s
    procedure(tessera_integrand1_complex) :: f
    type(c_ptr), intent(in), optional :: userdata
    integer(c_int), intent(out), optional :: ierr
    type(c_funptr) :: fn
    integer(c_int) :: status
    fn = c_funloc(f)
    if (.not. exists(s, ierr)) return
    status = c_tessera_set_int(s%handle, TESSERA_COMPLEX, 1_c_int64_t)
    if (status == TESSERA_OK) status = c_tessera_set_integrand1(s%handle, fn, value_or_null(userdata))
    call conclude(s, status, ierr)
  end subroutine tessera_set_integrand1_complex

  recursive function call_point_complex(ndim, x, ncomp, f, userdata) result(stop_code) bind(c, name='')
    integer(c_int), value :: ndim, ncomp
    real(c_double), intent(in) :: x(2 * ndim + 2)  ! those that the options ask for are there
    type(c_ptr), value :: f, userdata
    integer(c_int) :: stop_code
    type(solver_state), pointer :: state
    complex(c_double), pointer, contiguous :: fval(:)
    call c_f_pointer(userdata, state)
    call c_f_pointer(f, fval, [ncomp/2])
    call state%point_complex(x(1:ndim + max(state%complements, state%weights)), fval)
    stop_code = 0
  end function call_point_complex

  recursive function call_point_complex_data(ndim, x, ncomp, f, userdata) result(stop_code) bind(c, name='')
    integer(c_int), value :: ndim, ncomp
    real(c_double), intent(in) :: x(2 * ndim + 2)  ! those that the options ask for are there
    type(c_ptr), value :: f, userdata
    integer(c_int) :: stop_code
    type(solver_state), pointer :: state
    complex(c_double), pointer, contiguous :: fval(:)
    type(c_ptr) :: address
    call c_f_pointer(userdata, state)
    call c_f_pointer(f, fval, [ncomp/2])
    address = state%userdata
    if (.not. c_associated(address) .and. associated(state%params)) address = c_loc(state%params)
    call state%point_complex_data(x(1:ndim + max(state%complements, state%weights)), fval, address)
    stop_code = 0
  end function call_point_complex_data

  subroutine set_params32(s, params, bytes, ierr)
    type(tessera_solver), intent(inout) :: s
    type(*), intent(in), contiguous, target :: params(..)
    integer(int32), intent(in) :: bytes
    integer(c_int), intent(out), optional :: ierr
    call copy_params(s, c_loc(params), int(bytes, int64), ierr)
  end subroutine set_params32

  subroutine set_params64(s, params, bytes, ierr)
    type(tessera_solver), intent(inout) :: s
    type(*), intent(in), contiguous, target :: params(..)
    integer(int64), intent(in) :: bytes
    integer(c_int), intent(out), optional :: ierr
    call copy_params(s, c_loc(params), bytes, ierr)
  end subroutine set_params64

  !> The library keeps a copy for its own forms of the integrand. tessera_point_data needs one here, because the user data
  !> of its trampoline is taken.
  subroutine copy_params(s, address, bytes, ierr)
    type(tessera_solver), intent(inout) :: s
    type(c_ptr), intent(in) :: address
    integer(int64), intent(in) :: bytes
    integer(c_int), intent(out), optional :: ierr
    integer(c_int8_t), pointer :: source(:), copy(:)
    integer(c_int) :: status
    integer :: failed
    if (.not. exists(s, ierr)) return
    if (bytes < 0) then
      call reject(s, TESSERA_ERR_ARGUMENT, 'bytes is negative', ierr)
      return
    end if
    nullify (copy)
    if (bytes > 0) then
      allocate (copy(bytes), stat=failed)
      if (failed /= 0) then
        call reject(s, TESSERA_ERR_MEMORY, 'there is no memory for a parameter block of ' // decimal(bytes) // ' bytes', ierr)
        return
      end if
      call c_f_pointer(address, source, [bytes])
      copy = source
    end if
    status = c_tessera_set_params(s%handle, address, int(bytes, c_size_t))
    if (status == TESSERA_OK) then
      if (associated(s%state%params)) deallocate (s%state%params)
      s%state%params => copy
    else if (associated(copy)) then
      deallocate (copy)
    end if
    call conclude(s, status, ierr)
  end subroutine copy_params

  ! ---- Options and statistics -----------------------------------------------------------------------------------------

  subroutine set_int32(s, key, value, ierr)
    type(tessera_solver), intent(inout) :: s
    integer(c_int), intent(in) :: key
    integer(int32), intent(in) :: value
    integer(c_int), intent(out), optional :: ierr
    call set_int64(s, key, int(value, int64), ierr)
  end subroutine set_int32

  subroutine set_int64(s, key, value, ierr)
    type(tessera_solver), intent(inout) :: s
    integer(c_int), intent(in) :: key
    integer(int64), intent(in) :: value
    integer(c_int), intent(out), optional :: ierr
    integer(c_int) :: status
    if (.not. exists(s, ierr)) return
    status = c_tessera_set_int(s%handle, key, value)
    if (status == TESSERA_OK .and. key == TESSERA_COMPLEMENT) s%state%complements = merge(s%state%ndim, 0_c_int, value /= 0)
    if (status == TESSERA_OK .and. key == TESSERA_WEIGHTS) s%state%weights = merge(2_c_int, 0_c_int, value /= 0)
    call conclude(s, status, ierr)
  end subroutine set_int64

  subroutine set_real64(s, key, value, ierr)
    type(tessera_solver), intent(inout) :: s
    integer(c_int), intent(in) :: key
    real(real64), intent(in) :: value
    integer(c_int), intent(out), optional :: ierr
    if (.not. exists(s, ierr)) return
    call conclude(s, c_tessera_set_real(s%handle, key, value), ierr)
  end subroutine set_real64

  subroutine get_int32(s, key, value, ierr)
    type(tessera_solver), intent(in) :: s
    integer(c_int), intent(in) :: key
    integer(int32), intent(inout) :: value
    integer(c_int), intent(out), optional :: ierr
    integer(c_int64_t) :: wide
    integer(c_int) :: status
    if (.not. exists(s, ierr)) return
    wide = 0
    status = c_tessera_get_int(s%handle, key, wide)
    if (status == TESSERA_OK) then
      if (wide > huge(value) .or. wide < -huge(value)) then
        call reject(s, TESSERA_ERR_RANGE, 'the value ' // decimal(wide) // ' of key ' // &
                    decimal(int(key, c_int64_t)) // ' needs a 64-bit integer', ierr)
        return
      end if
      value = int(wide, int32)
    end if
    call conclude(s, status, ierr)
  end subroutine get_int32

  subroutine get_int64(s, key, value, ierr)
    type(tessera_solver), intent(in) :: s
    integer(c_int), intent(in) :: key
    integer(int64), intent(inout) :: value
    integer(c_int), intent(out), optional :: ierr
    if (.not. exists(s, ierr)) return
    call conclude(s, c_tessera_get_int(s%handle, key, value), ierr)
  end subroutine get_int64

  subroutine get_real64(s, key, value, ierr)
    type(tessera_solver), intent(in) :: s
    integer(c_int), intent(in) :: key
    real(real64), intent(inout) :: value
    integer(c_int), intent(out), optional :: ierr
    if (.not. exists(s, ierr)) return
    call conclude(s, c_tessera_get_real(s%handle, key, value), ierr)
  end subroutine get_real64

  ! ---- Callbacks of a run ---------------------------------------------------------------------------------------------

  !> Called during a run, at most every TESSERA_PROGRESS_SECONDS. Without f there is no such callback afterwards.
  subroutine tessera_set_progress(s, f, userdata, ierr)
    type(tessera_solver), intent(inout) :: s
    procedure(tessera_progress), optional :: f
    type(c_ptr), intent(in), optional :: userdata
    integer(c_int), intent(out), optional :: ierr
    type(c_funptr) :: fn
    fn = c_null_funptr
    if (present(f)) fn = c_funloc(f)
    if (.not. exists(s, ierr)) return
    call conclude(s, c_tessera_set_progress(s%handle, fn, value_or_null(userdata)), ierr)
  end subroutine tessera_set_progress

  !> Receives the lines of the log. Without f the library is silent again.
  subroutine tessera_set_log(s, f, userdata, ierr)
    type(tessera_solver), intent(inout) :: s
    procedure(tessera_log), optional :: f
    type(c_ptr), intent(in), optional :: userdata
    integer(c_int), intent(out), optional :: ierr
    type(c_funptr) :: fn
    fn = c_null_funptr
    if (present(f)) fn = c_funloc(f)
    if (.not. exists(s, ierr)) return
    call conclude(s, c_tessera_set_log(s%handle, fn, value_or_null(userdata)), ierr)
  end subroutine tessera_set_log

  ! ---- Integration ----------------------------------------------------------------------------------------------------

  !> value(ncomp) and error(ncomp), an estimate of the absolute error. Both are left as they are when the status is negative.
  recursive subroutine tessera_integrate(s, method, value, error, ierr)
    type(tessera_solver), intent(inout) :: s
    integer(c_int), intent(in) :: method
    real(c_double), intent(inout), contiguous :: value(:), error(:)
    integer(c_int), intent(out), optional :: ierr
    if (.not. exists(s, ierr)) return
    if (.not. size_is_right(s, 'value', size(value), 'ncomp', s%state%ncomp, ierr)) return
    if (.not. size_is_right(s, 'error', size(error), 'ncomp', s%state%ncomp, ierr)) return
    call conclude(s, c_tessera_integrate(s%handle, method, value, error), ierr)
  end subroutine tessera_integrate

  !> Many integrals of the solver's integrand: column i of value(ncomp, count) and error(ncomp, count) belongs to integral i, and
  !> so do the parameters params(:, i), the limits lower(ndim, i) and upper(ndim, i), and status(i). Without params all have the
  !> block of tessera_set_params, without lower and upper the solver's domain. ierr: 0, TESSERA_SOME_FAILED or the largest
  !> status; negative when nothing was run. Only integrands that were set by tessera_set_integrand1 or tessera_set_integrand
  !> without userdata, and source texts, see params; with tessera_set_point they are refused.
  recursive subroutine tessera_integrate_many(s, method, value, error, params, lower, upper, status, ierr)
    type(tessera_solver), intent(inout) :: s
    integer(c_int), intent(in) :: method
    real(c_double), intent(inout), contiguous :: value(:, :), error(:, :)
    real(c_double), intent(in), contiguous, target, optional :: params(:, :), lower(:, :), upper(:, :)
    integer(c_int), intent(inout), contiguous, target, optional :: status(:)
    integer(c_int), intent(out), optional :: ierr
    type(c_ptr) :: params_address
    real(c_double), pointer, contiguous :: lower_there(:, :), upper_there(:, :)  ! null for NULL
    integer(c_int), pointer, contiguous :: status_there(:)
    integer(c_size_t) :: params_bytes
    integer :: n
    if (.not. exists(s, ierr)) return
    n = size(value, 2)
    if (.not. size_is_right(s, 'value', size(value, 1), 'ncomp', s%state%ncomp, ierr)) return
    if (.not. size_is_right(s, 'error', size(error, 1), 'ncomp', s%state%ncomp, ierr)) return
    if (.not. columns_are_right(s, 'error', size(error, 2), n, ierr)) return
    params_address = c_null_ptr
    nullify (lower_there, upper_there, status_there)
    params_bytes = 0
    if (present(params)) then
      if (.not. columns_are_right(s, 'params', size(params, 2), n, ierr)) return
      params_bytes = 8*size(params, 1, kind=c_size_t)
      if (n > 0) params_address = c_loc(params)
      if (n == 0) params_bytes = 0
    end if
    if (present(lower)) then
      if (.not. size_is_right(s, 'lower', size(lower, 1), 'ndim', s%state%ndim, ierr)) return
      if (.not. columns_are_right(s, 'lower', size(lower, 2), n, ierr)) return
      if (n > 0) lower_there => lower
    end if
    if (present(upper)) then
      if (.not. size_is_right(s, 'upper', size(upper, 1), 'ndim', s%state%ndim, ierr)) return
      if (.not. columns_are_right(s, 'upper', size(upper, 2), n, ierr)) return
      if (n > 0) upper_there => upper
    end if
    if (present(status)) then
      if (.not. columns_are_right(s, 'status', size(status), n, ierr)) return
      if (n > 0) status_there => status
    end if
    call conclude(s, c_tessera_integrate_many(s%handle, method, int(n, c_int64_t), params_address, params_bytes, &
                                              lower_there, upper_there, value, error, status_there), ierr)
  end subroutine tessera_integrate_many

  !> The limit of the integral as one number of the parameter block, offset bytes from its beginning, goes to 0 along first*ratio**j, by the
  !> extrapolation TESSERA_EXTRAPOLATE_..., from 6 to `most` integrals. The table of the `count` integrals goes to parameter(most),
  !> values(ncomp, most) and errors(ncomp, most). Integrands as for tessera_integrate_many with params.
  recursive subroutine tessera_integrate_limit(s, method, offset, first, ratio, extrapolation, most, value, error, count, &
                                               parameter, values, errors, ierr)
    type(tessera_solver), intent(inout) :: s
    integer(c_int), intent(in) :: method, offset, extrapolation, most
    real(c_double), intent(in) :: first, ratio
    real(c_double), intent(inout), contiguous :: value(:), error(:)
    integer(c_int), intent(inout), optional :: count
    real(c_double), intent(inout), contiguous, target, optional :: parameter(:), values(:, :), errors(:, :)
    integer(c_int), intent(out), optional :: ierr
    real(c_double), pointer, contiguous :: parameter_there(:), values_there(:, :), errors_there(:, :)  ! null for NULL
    nullify (parameter_there, values_there, errors_there)
    if (.not. exists(s, ierr)) return
    if (.not. size_is_right(s, 'value', size(value), 'ncomp', s%state%ncomp, ierr)) return
    if (.not. size_is_right(s, 'error', size(error), 'ncomp', s%state%ncomp, ierr)) return
    if (present(parameter)) then
      if (.not. size_is_right(s, 'parameter', size(parameter), 'most', int(most), ierr)) return
      parameter_there => parameter
    end if
    if (present(values)) then
      if (.not. size_is_right(s, 'values', size(values, 1), 'ncomp', s%state%ncomp, ierr)) return
      if (.not. size_is_right(s, 'values(1, :)', size(values, 2), 'most', int(most), ierr)) return
      values_there => values
    end if
    if (present(errors)) then
      if (.not. size_is_right(s, 'errors', size(errors, 1), 'ncomp', s%state%ncomp, ierr)) return
      if (.not. size_is_right(s, 'errors(1, :)', size(errors, 2), 'most', int(most), ierr)) return
      errors_there => errors
    end if
    if (offset < 0) then
      call reject(s, TESSERA_ERR_ARGUMENT, 'offset = ' // decimal(int(offset, c_int64_t)) // ' is negative', ierr)
      return
    end if
    call conclude(s, c_tessera_integrate_limit(s%handle, method, int(offset, c_size_t), first, ratio, extrapolation, most, value, &
                                               error, count, parameter_there, values_there, errors_there), ierr)
  end subroutine tessera_integrate_limit

  !> The same with value(ncomp/2) and error(ncomp/2): the error of a real part is the real part of `error`, and abs(error) is what the tolerance
  !> holds for.
  recursive subroutine integrate_complex(s, method, value, error, ierr)
    type(tessera_solver), intent(inout) :: s
    integer(c_int), intent(in) :: method
    complex(c_double), intent(inout), contiguous, target :: value(:), error(:)
    integer(c_int), intent(out), optional :: ierr
    real(c_double), pointer, contiguous :: value_parts(:), error_parts(:)
    if (.not. is_complex(s, ierr)) return
    if (.not. size_is_right(s, 'value', size(value), 'ncomp/2', s%state%ncomp/2, ierr)) return
    if (.not. size_is_right(s, 'error', size(error), 'ncomp/2', s%state%ncomp/2, ierr)) return
    call c_f_pointer(c_loc(value), value_parts, [2*size(value)])
    call c_f_pointer(c_loc(error), error_parts, [2*size(error)])
    call tessera_integrate(s, method, value_parts, error_parts, ierr)
  end subroutine integrate_complex

  !> The same with value(ncomp/2, count) and error(ncomp/2, count).
  recursive subroutine integrate_many_complex(s, method, value, error, params, lower, upper, status, ierr)
    type(tessera_solver), intent(inout) :: s
    integer(c_int), intent(in) :: method
    complex(c_double), intent(inout), contiguous, target :: value(:, :), error(:, :)
    real(c_double), intent(in), contiguous, target, optional :: params(:, :), lower(:, :), upper(:, :)
    integer(c_int), intent(inout), contiguous, target, optional :: status(:)
    integer(c_int), intent(out), optional :: ierr
    real(c_double), pointer, contiguous :: value_parts(:, :), error_parts(:, :), params_there(:, :), lower_there(:, :), &
                                           upper_there(:, :)
    integer(c_int), pointer, contiguous :: status_there(:)
    real(c_double), allocatable, target :: nothing(:, :)
    nullify (params_there, lower_there, upper_there, status_there)  ! absent
    if (present(params)) params_there => params
    if (present(lower)) lower_there => lower
    if (present(upper)) upper_there => upper
    if (present(status)) status_there => status
    if (.not. is_complex(s, ierr)) return
    if (.not. size_is_right(s, 'value', size(value, 1), 'ncomp/2', s%state%ncomp/2, ierr)) return
    if (.not. size_is_right(s, 'error', size(error, 1), 'ncomp/2', s%state%ncomp/2, ierr)) return
    if (.not. columns_are_right(s, 'error', size(error, 2), size(value, 2), ierr)) return
    if (size(value) > 0) then
      call c_f_pointer(c_loc(value), value_parts, [2*size(value, 1), size(value, 2)])
      call c_f_pointer(c_loc(error), error_parts, [2*size(error, 1), size(error, 2)])
    else  ! no array, no address
      allocate (nothing(s%state%ncomp, 0))
      value_parts => nothing
      error_parts => nothing
    end if
    call tessera_integrate_many(s, method, value_parts, error_parts, params_there, lower_there, upper_there, status_there, &
                                ierr)
  end subroutine integrate_many_complex

  !> The same with value(ncomp/2), error(ncomp/2), values(ncomp/2, most) and errors(ncomp/2, most).
  recursive subroutine integrate_limit_complex(s, method, offset, first, ratio, extrapolation, most, value, error, count, &
                                               parameter, values, errors, ierr)
    type(tessera_solver), intent(inout) :: s
    integer(c_int), intent(in) :: method, offset, extrapolation, most
    real(c_double), intent(in) :: first, ratio
    complex(c_double), intent(inout), contiguous, target :: value(:), error(:)
    integer(c_int), intent(inout), optional :: count
    real(c_double), intent(inout), contiguous, target, optional :: parameter(:)
    complex(c_double), intent(inout), contiguous, target, optional :: values(:, :), errors(:, :)
    integer(c_int), intent(out), optional :: ierr
    real(c_double), pointer, contiguous :: value_parts(:), error_parts(:), values_parts(:, :), errors_parts(:, :), &
                                           parameter_there(:)
    nullify (values_parts, errors_parts, parameter_there)  ! absent
    if (present(parameter)) parameter_there => parameter
    if (.not. is_complex(s, ierr)) return
    if (.not. size_is_right(s, 'value', size(value), 'ncomp/2', s%state%ncomp/2, ierr)) return
    if (.not. size_is_right(s, 'error', size(error), 'ncomp/2', s%state%ncomp/2, ierr)) return
    call c_f_pointer(c_loc(value), value_parts, [2*size(value)])
    call c_f_pointer(c_loc(error), error_parts, [2*size(error)])
    if (present(values)) then
      if (.not. size_is_right(s, 'values', size(values, 1), 'ncomp/2', s%state%ncomp/2, ierr)) return
      if (size(values) > 0) call c_f_pointer(c_loc(values), values_parts, [2*size(values, 1), size(values, 2)])
    end if
    if (present(errors)) then
      if (.not. size_is_right(s, 'errors', size(errors, 1), 'ncomp/2', s%state%ncomp/2, ierr)) return
      if (size(errors) > 0) call c_f_pointer(c_loc(errors), errors_parts, [2*size(errors, 1), size(errors, 2)])
    end if
    call tessera_integrate_limit(s, method, offset, first, ratio, extrapolation, most, value_parts, error_parts, count, &
                                 parameter_there, values_parts, errors_parts, ierr)
  end subroutine integrate_limit_complex

  !> False, with the error handed out, where complex results are asked for and TESSERA_COMPLEX is 0.
  recursive function is_complex(s, ierr) result(yes)
    type(tessera_solver), intent(in) :: s
    integer(c_int), intent(out), optional :: ierr
    logical :: yes
    integer(c_int) :: status
    integer(c_int64_t) :: wanted
    yes = exists(s, ierr)
    if (.not. yes) return
    status = c_tessera_get_int(s%handle, TESSERA_COMPLEX, wanted)
    yes = status == TESSERA_OK
    if (.not. yes) then
      call conclude(s, status, ierr)
    else if (wanted == 0) then
      yes = .false.
      call reject(s, TESSERA_ERR_ARGUMENT, 'value is complex, but TESSERA_COMPLEX is 0', ierr)
    end if
  end function is_complex

  !> False, with the error handed out, for an axis that is not one of the solver's.
  recursive function axis_is_right(s, axis, ierr) result(yes)
    type(tessera_solver), intent(in) :: s
    integer(c_int), intent(in) :: axis
    integer(c_int), intent(out), optional :: ierr
    logical :: yes
    yes = axis >= 1 .and. axis <= s%state%ndim
    if (.not. yes) call reject(s, TESSERA_ERR_ARGUMENT, 'axis = ' // decimal(int(axis, c_int64_t)) // &
                               ' is not within 1 .. ' // decimal(int(s%state%ndim, c_int64_t)), ierr)
  end function axis_is_right

  !> False, with the error handed out, for an array that has not one column for each integral.
  recursive function columns_are_right(s, name, columns, expected, ierr) result(yes)
    type(tessera_solver), intent(in) :: s
    character(*), intent(in) :: name
    integer, intent(in) :: columns, expected
    integer(c_int), intent(out), optional :: ierr
    logical :: yes
    yes = columns == expected
    if (.not. yes) call reject(s, TESSERA_ERR_ARGUMENT, name // ' is for ' // decimal(int(columns, c_int64_t)) // &
                               ' integrals, but value is for ' // decimal(int(expected, c_int64_t)), ierr)
  end function columns_are_right

  !> The integrand at the points x(n, ndim), where TESSERA_DEVICE says: values f(n, ncomp).
  recursive subroutine tessera_evaluate(s, x, f, ierr)
    type(tessera_solver), intent(inout) :: s
    real(c_double), intent(in), contiguous :: x(:, :)
    real(c_double), intent(inout), contiguous :: f(:, :)
    integer(c_int), intent(out), optional :: ierr
    real(c_double) :: nothing(1)
    if (.not. exists(s, ierr)) return
    if (.not. size_is_right(s, 'x(1, :)', size(x, 2), 'ndim', s%state%ndim, ierr)) return
    if (.not. size_is_right(s, 'f(1, :)', size(f, 2), 'ncomp', s%state%ncomp, ierr)) return
    if (.not. size_is_right(s, 'f(:, 1)', size(f, 1), 'that of x(:, 1)', size(x, 1, c_int), ierr)) return
    if (size(x) == 0 .or. size(f) == 0) then  ! which may have no address
      nothing = 0
      call conclude(s, c_tessera_evaluate(s%handle, 0_c_int64_t, nothing, nothing), ierr)
    else
      call conclude(s, c_tessera_evaluate(s%handle, size(x, 1, c_int64_t), x, f), ierr)
    end if
  end subroutine tessera_evaluate

  ! ---- Regions --------------------------------------------------------------------------------------------------------

  !> The regions of the last run, allocated to records(2*ndim + 3*ncomp + 2, regions); what a record holds stands in tessera.h.
  !> Needs TESSERA_KEEP_REGIONS = 1, or is called from the progress procedure. Not allocated when the status is negative.
  recursive subroutine tessera_get_regions(s, records, ierr)
    type(tessera_solver), intent(in) :: s
    real(c_double), intent(out), allocatable :: records(:, :)
    integer(c_int), intent(out), optional :: ierr
    real(c_double) :: none(1)
    integer(c_int64_t) :: n
    integer(c_int) :: status
    if (.not. exists(s, ierr)) return
    n = 0
    status = c_tessera_get_regions(s%handle, 0_c_int64_t, 0_c_int64_t, none, n)
    if (status == TESSERA_OK) then
      allocate (records(record_length(s), n))
      status = c_tessera_get_regions(s%handle, 0_c_int64_t, n, records, n)
    end if
    call conclude(s, status, ierr)
  end subroutine tessera_get_regions

  !> Points at which the integrand has a jump, a kink or a singularity, for TESSERA_QUADRATURE; none without `points`.
  recursive subroutine tessera_set_breakpoints(s, points, ierr)
    type(tessera_solver), intent(inout) :: s
    real(c_double), intent(in), optional, contiguous :: points(:)
    integer(c_int), intent(out), optional :: ierr
    if (.not. exists(s, ierr)) return
    if (present(points)) then
      call conclude(s, c_tessera_set_breakpoints(s%handle, size(points, kind=c_int), points), ierr)
    else
      call conclude(s, c_tessera_set_breakpoints(s%handle, 0_c_int), ierr)
    end if
  end subroutine tessera_set_breakpoints

  !> The next run goes on from these regions; evaluations is where its count starts.
  recursive subroutine tessera_set_regions(s, records, evaluations, ierr)
    type(tessera_solver), intent(inout) :: s
    real(c_double), intent(in), contiguous :: records(:, :)
    integer(c_int64_t), intent(in) :: evaluations
    integer(c_int), intent(out), optional :: ierr
    if (.not. exists(s, ierr)) return
    if (.not. size_is_right(s, 'records(:, 1)', size(records, 1), '2*ndim + 3*ncomp + 2', record_length(s), ierr)) return
    call conclude(s, c_tessera_set_regions(s%handle, size(records, 2, c_int64_t), records, evaluations), ierr)
  end subroutine tessera_set_regions

  pure function record_length(s) result(length)
    type(tessera_solver), intent(in) :: s
    integer :: length
    length = 2 * s%state%ndim + 3 * s%state%ncomp + 2
  end function record_length

  ! ---- Generating vectors ---------------------------------------------------------------------------------------------

  !> The vector for TESSERA_LATTICE, copied. Without l the built-in one again.
  subroutine tessera_set_lattice(s, l, ierr)
    type(tessera_solver), intent(inout) :: s
    type(tessera_lattice_t), intent(in), optional :: l
    integer(c_int), intent(out), optional :: ierr
    type(c_ptr) :: handle
    if (.not. exists(s, ierr)) return
    handle = c_null_ptr
    if (present(l)) then
      handle = l%handle
      if (.not. c_associated(handle)) then
        call reject(s, TESSERA_ERR_ARGUMENT, 'the lattice has not been created', ierr)
        return
      end if
    end if
    call conclude(s, c_tessera_set_lattice(s%handle, handle), ierr)
  end subroutine tessera_set_lattice

  !> Message about the last call on l that did not return 0; '' if there was none.
  recursive function tessera_lattice_last_error(l) result(text)
    type(tessera_lattice_t), intent(in) :: l
    character(:), allocatable :: text
    if (allocated(l%message)) then
      text = l%message
    else if (c_associated(l%handle)) then
      text = string_of_address(c_tessera_lattice_last_error(l%handle))
    else
      text = 'the lattice has not been created'
    end if
  end function tessera_lattice_last_error

  recursive subroutine conclude_lattice(l, status, ierr)
    type(tessera_lattice_t), intent(inout) :: l
    integer(c_int), intent(in) :: status
    integer(c_int), intent(out), optional :: ierr
    if (c_associated(l%handle) .and. status /= TESSERA_OK) then
      if (allocated(l%message)) deallocate (l%message)
    end if
    call hand_out_lattice(l, status, ierr)
  end subroutine conclude_lattice

  recursive subroutine reject_lattice(l, message, ierr)
    type(tessera_lattice_t), intent(inout) :: l
    character(*), intent(in) :: message
    integer(c_int), intent(out), optional :: ierr
    l%message = message
    call hand_out_lattice(l, TESSERA_ERR_ARGUMENT, ierr)
  end subroutine reject_lattice

  recursive subroutine hand_out_lattice(l, status, ierr)
    type(tessera_lattice_t), intent(in) :: l
    integer(c_int), intent(in) :: status
    integer(c_int), intent(out), optional :: ierr
    if (present(ierr)) then
      ierr = status
    else if (status < 0) then
      error stop 'tessera: ' // tessera_lattice_last_error(l)
    end if
  end subroutine hand_out_lattice

  recursive function lattice_ndim(l) result(ndim)
    type(tessera_lattice_t), intent(in) :: l
    integer(c_int64_t) :: ndim
    integer(c_int) :: status
    ndim = 0
    if (c_associated(l%handle)) status = c_tessera_lattice_get_int(l%handle, TESSERA_LATTICE_NDIM, ndim)
  end function lattice_ndim

  !> A lattice of ndim components, without a vector yet. One that l still holds is destroyed first.
  subroutine tessera_lattice_create(l, ndim, ierr)
    type(tessera_lattice_t), intent(inout) :: l
    integer(c_int), intent(in) :: ndim
    integer(c_int), intent(out), optional :: ierr
    integer(c_int) :: status
    call tessera_lattice_destroy(l)
    status = c_tessera_lattice_create(l%handle, ndim)
    if (status < 0) then
      l%handle = c_null_ptr
      l%message = 'a lattice with ndim = ' // decimal(int(ndim, c_int64_t)) // ' cannot be created: ' // &
        tessera_status_string(status)
    end if
    call hand_out_lattice(l, status, ierr)
  end subroutine tessera_lattice_create

  !> Frees the lattice. Nothing happens when there is none; solvers keep their copies.
  subroutine tessera_lattice_destroy(l)
    type(tessera_lattice_t), intent(inout) :: l
    call c_tessera_lattice_destroy(l%handle)
    l%handle = c_null_ptr
    if (allocated(l%message)) deallocate (l%message)
  end subroutine tessera_lattice_destroy

  !> product(ndim): product weights; order(:): order-dependent weights; both: POD weights.
  subroutine tessera_lattice_set_weights(l, product, order, ierr)
    type(tessera_lattice_t), intent(inout) :: l
    real(c_double), intent(in), contiguous, optional, target :: product(:), order(:)
    integer(c_int), intent(out), optional :: ierr
    real(c_double), pointer, contiguous :: product_there(:), order_there(:)  ! null for NULL
    integer(c_int) :: orders
    nullify (product_there, order_there)
    orders = 0
    if (present(product)) then
      if (size(product) /= lattice_ndim(l)) then
        call reject_lattice(l, 'product has the size ' // decimal(int(size(product), c_int64_t)) // ', but ndim is ' // &
                            decimal(lattice_ndim(l)), ierr)
        return
      end if
      product_there => product
    end if
    if (present(order)) then
      orders = int(size(order), c_int)
      if (orders > 0) order_there => order
    end if
    call conclude_lattice(l, c_tessera_lattice_set_weights(l%handle, product_there, orders, order_there), ierr)
  end subroutine tessera_lattice_set_weights

  !> values(n/2 + 1): the kernel at 0, 1/n, 2/n, ..., for TESSERA_KERNEL_TABLE alone.
  subroutine tessera_lattice_set_kernel(l, kernel, values, ierr)
    type(tessera_lattice_t), intent(inout) :: l
    integer(c_int), intent(in) :: kernel
    real(c_double), intent(in), contiguous, optional, target :: values(:)
    integer(c_int), intent(out), optional :: ierr
    real(c_double), pointer, contiguous :: values_there(:)  ! null for NULL
    integer(c_int64_t) :: count
    nullify (values_there)
    count = 0
    if (present(values)) then
      count = size(values, kind=c_int64_t)
      if (count > 0) values_there => values
    end if
    call conclude_lattice(l, c_tessera_lattice_set_kernel(l%handle, kernel, values_there, count), ierr)
  end subroutine tessera_lattice_set_kernel

  !> Called after each step of a construction. Without f there is no such callback afterwards.
  subroutine tessera_lattice_set_progress(l, f, userdata, ierr)
    type(tessera_lattice_t), intent(inout) :: l
    procedure(tessera_lattice_progress), optional :: f
    type(c_ptr), intent(in), optional :: userdata
    integer(c_int), intent(out), optional :: ierr
    type(c_funptr) :: fn
    fn = c_null_funptr
    if (present(f)) fn = c_funloc(f)
    call conclude_lattice(l, c_tessera_lattice_set_progress(l%handle, fn, value_or_null(userdata)), ierr)
  end subroutine tessera_lattice_set_progress

  subroutine lattice_construct32(l, n, ierr)
    type(tessera_lattice_t), intent(inout) :: l
    integer(int32), intent(in) :: n
    integer(c_int), intent(out), optional :: ierr
    call lattice_construct64(l, int(n, int64), ierr)
  end subroutine lattice_construct32

  subroutine lattice_construct64(l, n, ierr)
    type(tessera_lattice_t), intent(inout) :: l
    integer(int64), intent(in) :: n
    integer(c_int), intent(out), optional :: ierr
    call conclude_lattice(l, c_tessera_lattice_construct(l%handle, n), ierr)
  end subroutine lattice_construct64

  subroutine lattice_korobov32(l, n, a, ierr)
    type(tessera_lattice_t), intent(inout) :: l
    integer(int32), intent(in) :: n, a
    integer(c_int), intent(out), optional :: ierr
    call lattice_korobov64(l, int(n, int64), int(a, int64), ierr)
  end subroutine lattice_korobov32

  subroutine lattice_korobov64(l, n, a, ierr)
    type(tessera_lattice_t), intent(inout) :: l
    integer(int64), intent(in) :: n, a
    integer(c_int), intent(out), optional :: ierr
    call conclude_lattice(l, c_tessera_lattice_korobov(l%handle, n, a), ierr)
  end subroutine lattice_korobov64

  subroutine lattice_vector32(l, n, z, ierr)
    type(tessera_lattice_t), intent(inout) :: l
    integer(int32), intent(in) :: n
    integer(int32), intent(in) :: z(:)
    integer(c_int), intent(out), optional :: ierr
    call lattice_vector64(l, int(n, int64), int(z, int64), ierr)
  end subroutine lattice_vector32

  subroutine lattice_vector64(l, n, z, ierr)
    type(tessera_lattice_t), intent(inout) :: l
    integer(int64), intent(in) :: n
    integer(int64), intent(in), contiguous :: z(:)
    integer(c_int), intent(out), optional :: ierr
    if (size(z) /= lattice_ndim(l)) then
      call reject_lattice(l, 'z has the size ' // decimal(int(size(z), c_int64_t)) // ', but ndim is ' // &
                          decimal(lattice_ndim(l)), ierr)
      return
    end if
    call conclude_lattice(l, c_tessera_lattice_vector(l%handle, n, z), ierr)
  end subroutine lattice_vector64

  !> The library's own vector.
  subroutine tessera_lattice_builtin(l, ierr)
    type(tessera_lattice_t), intent(inout) :: l
    integer(c_int), intent(out), optional :: ierr
    call conclude_lattice(l, c_tessera_lattice_builtin(l%handle), ierr)
  end subroutine tessera_lattice_builtin

  !> z(ndim), 64-bit.
  subroutine tessera_lattice_get_vector(l, z, ierr)
    type(tessera_lattice_t), intent(inout) :: l
    integer(c_int64_t), intent(inout), contiguous :: z(:)
    integer(c_int), intent(out), optional :: ierr
    if (size(z) /= lattice_ndim(l)) then
      call reject_lattice(l, 'z has the size ' // decimal(int(size(z), c_int64_t)) // ', but ndim is ' // &
                          decimal(lattice_ndim(l)), ierr)
      return
    end if
    call conclude_lattice(l, c_tessera_lattice_get_vector(l%handle, z), ierr)
  end subroutine tessera_lattice_get_vector

  !> Blanks at the end of the path do not count.
  subroutine tessera_lattice_save(l, path, ierr)
    type(tessera_lattice_t), intent(inout) :: l
    character(*), intent(in) :: path
    integer(c_int), intent(out), optional :: ierr
    character(kind=c_char), allocatable, target :: file(:)
    allocate (file, source=c_characters(path))
    call conclude_lattice(l, c_tessera_lattice_save(l%handle, c_loc(file)), ierr)
  end subroutine tessera_lattice_save

  !> Replaces everything in l, the number of components too.
  subroutine tessera_lattice_load(l, path, ierr)
    type(tessera_lattice_t), intent(inout) :: l
    character(*), intent(in) :: path
    integer(c_int), intent(out), optional :: ierr
    character(kind=c_char), allocatable, target :: file(:)
    allocate (file, source=c_characters(path))
    call conclude_lattice(l, c_tessera_lattice_load(l%handle, c_loc(file)), ierr)
  end subroutine tessera_lattice_load

  !> The limit of a sequence by TESSERA_EXTRAPOLATE_EPSILON, _RICHARDSON (with the parameters of its members) or _LEVIN.
  subroutine tessera_extrapolate(method, sequence, limit, error, parameter, ierr)
    integer(c_int), intent(in) :: method
    real(c_double), intent(in) :: sequence(:)
    real(c_double), intent(inout) :: limit, error
    real(c_double), intent(in), optional :: parameter(:)
    integer(c_int), intent(out), optional :: ierr
    real(c_double) :: found(1), apart(1)
    logical :: fits
    integer(c_int) :: status
    fits = .true.
    if (present(parameter)) fits = size(parameter) == size(sequence)
    status = TESSERA_ERR_ARGUMENT
    if (fits) status = c_tessera_extrapolate(method, size(sequence, kind=c_int64_t), parameter, sequence, found, apart)
    if (status >= 0) then
      limit = found(1)
      error = apart(1)
    else if (.not. present(ierr)) then
      error stop 'tessera_extrapolate: an argument cannot be'
    end if
    if (present(ierr)) ierr = status
  end subroutine tessera_extrapolate


  !> The prime nearest to n for which (prime-1)/2 has no prime factor above `largest`; 0: any prime.
  subroutine tessera_lattice_prime(n, largest, prime, ierr)
    integer(c_int64_t), intent(in) :: n, largest
    integer(c_int64_t), intent(inout) :: prime
    integer(c_int), intent(out), optional :: ierr
    integer(c_int) :: status
    status = c_tessera_lattice_prime(n, largest, prime)
    if (present(ierr)) then
      ierr = status
    else if (status < 0) then
      error stop 'tessera: there is no such prime'
    end if
  end subroutine tessera_lattice_prime

  subroutine set_lattice_int32(l, key, value, ierr)
    type(tessera_lattice_t), intent(inout) :: l
    integer(c_int), intent(in) :: key
    integer(int32), intent(in) :: value
    integer(c_int), intent(out), optional :: ierr
    call set_lattice_int64(l, key, int(value, int64), ierr)
  end subroutine set_lattice_int32

  subroutine set_lattice_int64(l, key, value, ierr)
    type(tessera_lattice_t), intent(inout) :: l
    integer(c_int), intent(in) :: key
    integer(int64), intent(in) :: value
    integer(c_int), intent(out), optional :: ierr
    call conclude_lattice(l, c_tessera_lattice_set_int(l%handle, key, value), ierr)
  end subroutine set_lattice_int64

  subroutine get_lattice_int32(l, key, value, ierr)
    type(tessera_lattice_t), intent(inout) :: l
    integer(c_int), intent(in) :: key
    integer(int32), intent(inout) :: value
    integer(c_int), intent(out), optional :: ierr
    integer(c_int64_t) :: wide
    integer(c_int) :: status
    wide = 0
    status = c_tessera_lattice_get_int(l%handle, key, wide)
    if (status == TESSERA_OK .and. wide > huge(value)) then
      call reject_lattice(l, 'the value ' // decimal(wide) // ' of key ' // decimal(int(key, c_int64_t)) // &
                          ' needs a 64-bit integer', ierr)
      return
    end if
    if (status == TESSERA_OK) value = int(wide, int32)
    call conclude_lattice(l, status, ierr)
  end subroutine get_lattice_int32

  subroutine get_lattice_int64(l, key, value, ierr)
    type(tessera_lattice_t), intent(inout) :: l
    integer(c_int), intent(in) :: key
    integer(int64), intent(inout) :: value
    integer(c_int), intent(out), optional :: ierr
    call conclude_lattice(l, c_tessera_lattice_get_int(l%handle, key, value), ierr)
  end subroutine get_lattice_int64

  subroutine get_lattice_real64(l, key, value, ierr)
    type(tessera_lattice_t), intent(inout) :: l
    integer(c_int), intent(in) :: key
    real(real64), intent(inout) :: value
    integer(c_int), intent(out), optional :: ierr
    call conclude_lattice(l, c_tessera_lattice_get_real(l%handle, key, value), ierr)
  end subroutine get_lattice_real64

  !> Chi-square of each component after TESSERA_MONTECARLO, with TESSERA_ITERATIONS - 1 degrees of freedom.
  recursive subroutine tessera_get_chi2(s, chi2, ierr)
    type(tessera_solver), intent(inout) :: s
    real(c_double), intent(inout), contiguous :: chi2(:)
    integer(c_int), intent(out), optional :: ierr
    if (.not. exists(s, ierr)) return
    if (.not. size_is_right(s, 'chi2', size(chi2), 'ncomp', s%state%ncomp, ierr)) return
    call conclude(s, c_tessera_get_chi2(s%handle, chi2), ierr)
  end subroutine tessera_get_chi2

  !> The state of the last run to a file, of TESSERA_KEEP_STATE = 1. Blanks at the end of the path do not count.
  subroutine tessera_save_state(s, path, ierr)
    type(tessera_solver), intent(inout) :: s
    character(*), intent(in) :: path
    integer(c_int), intent(out), optional :: ierr
    character(kind=c_char), allocatable, target :: file(:)
    if (.not. exists(s, ierr)) return
    file = c_characters(path)
    call conclude(s, c_tessera_save_state(s%handle, c_loc(file)), ierr)
  end subroutine tessera_save_state

  !> The next tessera_integrate goes on from the state in a file.
  subroutine tessera_load_state(s, path, ierr)
    type(tessera_solver), intent(inout) :: s
    character(*), intent(in) :: path
    integer(c_int), intent(out), optional :: ierr
    character(kind=c_char), allocatable, target :: file(:)
    if (.not. exists(s, ierr)) return
    file = c_characters(path)
    call conclude(s, c_tessera_load_state(s%handle, c_loc(file)), ierr)
  end subroutine tessera_load_state

  !> The file to which runs write their state every TESSERA_CHECKPOINT_SECONDS; a blank path: none.
  subroutine tessera_set_checkpoint(s, path, ierr)
    type(tessera_solver), intent(inout) :: s
    character(*), intent(in) :: path
    integer(c_int), intent(out), optional :: ierr
    character(kind=c_char), allocatable, target :: file(:)
    if (.not. exists(s, ierr)) return
    file = c_characters(path)
    call conclude(s, c_tessera_set_checkpoint(s%handle, c_loc(file)), ierr)
  end subroutine tessera_set_checkpoint

  !> The grid of VEGAS to a file. Blanks at the end of the path do not count.
  subroutine tessera_save_grid(s, path, ierr)
    type(tessera_solver), intent(inout) :: s
    character(*), intent(in) :: path
    integer(c_int), intent(out), optional :: ierr
    character(kind=c_char), allocatable, target :: file(:)
    if (.not. exists(s, ierr)) return
    file = c_characters(path)
    call conclude(s, c_tessera_save_grid(s%handle, c_loc(file)), ierr)
  end subroutine tessera_save_grid

  !> And back; used by runs with TESSERA_KEEP_GRID = 1.
  subroutine tessera_load_grid(s, path, ierr)
    type(tessera_solver), intent(inout) :: s
    character(*), intent(in) :: path
    integer(c_int), intent(out), optional :: ierr
    character(kind=c_char), allocatable, target :: file(:)
    if (.not. exists(s, ierr)) return
    file = c_characters(path)
    call conclude(s, c_tessera_load_grid(s%handle, c_loc(file)), ierr)
  end subroutine tessera_load_grid

  !> The grid as numbers, edges(129, ndim): for each axis from 0 to 1 in ascending order.
  recursive subroutine tessera_get_grid(s, edges, ierr)
    type(tessera_solver), intent(inout) :: s
    real(c_double), intent(out), allocatable :: edges(:, :)
    integer(c_int), intent(out), optional :: ierr
    if (.not. exists(s, ierr)) return
    allocate (edges(TESSERA_GRID_EDGES, s%state%ndim))
    call conclude(s, c_tessera_get_grid(s%handle, edges), ierr)
  end subroutine tessera_get_grid

  recursive subroutine tessera_set_grid(s, edges, ierr)
    type(tessera_solver), intent(inout) :: s
    real(c_double), intent(in), contiguous :: edges(:, :)
    integer(c_int), intent(out), optional :: ierr
    if (.not. exists(s, ierr)) return
    if (.not. size_is_right(s, 'edges(:, 1)', size(edges, 1), 'the number of edges', TESSERA_GRID_EDGES, ierr)) return
    if (.not. size_is_right(s, 'edges(1, :)', size(edges, 2), 'ndim', s%state%ndim, ierr)) return
    call conclude(s, c_tessera_set_grid(s%handle, edges), ierr)
  end subroutine tessera_set_grid

  !> Where the last run with VEGAS stands; needs TESSERA_KEEP_STATE = 1.
  recursive subroutine tessera_get_state(s, state, ierr)
    type(tessera_solver), intent(in) :: s
    real(c_double), intent(out), allocatable :: state(:)
    integer(c_int), intent(out), optional :: ierr
    real(c_double) :: none(1)
    integer(c_int64_t) :: n
    integer(c_int) :: status
    if (.not. exists(s, ierr)) return
    n = 0
    status = c_tessera_get_state(s%handle, 0_c_int64_t, none, n)
    if (status == TESSERA_OK) then
      allocate (state(n))
      status = c_tessera_get_state(s%handle, n, state, n)
    end if
    call conclude(s, status, ierr)
  end subroutine tessera_get_state

  !> The next run goes on from there.
  recursive subroutine tessera_set_state(s, state, ierr)
    type(tessera_solver), intent(inout) :: s
    real(c_double), intent(in), contiguous :: state(:)
    integer(c_int), intent(out), optional :: ierr
    if (.not. exists(s, ierr)) return
    call conclude(s, c_tessera_set_state(s%handle, size(state, 1, c_int64_t), state), ierr)
  end subroutine tessera_set_state

end module tessera
