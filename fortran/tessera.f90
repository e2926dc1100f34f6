!> Tessera from Fortran: the functions of tessera.h under the same names.
!>
!> Every procedure that can fail has an optional last argument `ierr`. With it, the status is returned; without it, a
!> negative status ends the program by `error stop` with the library's sentence. Positive statuses (there is a value, and a
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

  ! ---- Version of this source; tessera_version() is that of the library in use ----------------------------------------
  integer(c_int), parameter, public :: TESSERA_VERSION_MAJOR = 0
  integer(c_int), parameter, public :: TESSERA_VERSION_MINOR = 1
  integer(c_int), parameter, public :: TESSERA_VERSION_PATCH = 0

  ! ---- Status: 0 converged, > 0 value and error are set, < 0 no result ------------------------------------------------
  integer(c_int), parameter, public :: TESSERA_OK = 0
  integer(c_int), parameter, public :: TESSERA_LIMIT_EVALUATIONS = 1
  integer(c_int), parameter, public :: TESSERA_LIMIT_MEMORY = 2
  integer(c_int), parameter, public :: TESSERA_LIMIT_TIME = 3
  integer(c_int), parameter, public :: TESSERA_ROUNDOFF = 4
  integer(c_int), parameter, public :: TESSERA_STOPPED = 5
  integer(c_int), parameter, public :: TESSERA_CALLBACK_STOPPED = 6
  integer(c_int), parameter, public :: TESSERA_NONFINITE = 7
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
  integer(c_int), parameter, public :: TESSERA_ERR_FILE = -20
  integer(c_int), parameter, public :: TESSERA_ERR_INTERNAL = -99

  ! ---- Keys: 1xx integer options, 2xx real options, 3xx integer statistics, 4xx real statistics -----------------------
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
  integer(c_int), parameter, public :: TESSERA_SEED = 131
  integer(c_int), parameter, public :: TESSERA_POINTS = 136
  integer(c_int), parameter, public :: TESSERA_SAMPLING = 140
  integer(c_int), parameter, public :: TESSERA_ANTITHETIC = 141
  integer(c_int), parameter, public :: TESSERA_INCREASE = 142
  integer(c_int), parameter, public :: TESSERA_WARMUP = 143
  integer(c_int), parameter, public :: TESSERA_KEEP_GRID = 144
  integer(c_int), parameter, public :: TESSERA_RELTOL = 200
  integer(c_int), parameter, public :: TESSERA_ABSTOL = 201
  integer(c_int), parameter, public :: TESSERA_MAX_SECONDS = 202
  integer(c_int), parameter, public :: TESSERA_BULK_FRACTION = 203
  integer(c_int), parameter, public :: TESSERA_CONFIDENCE = 210
  integer(c_int), parameter, public :: TESSERA_DAMPING = 220
  integer(c_int), parameter, public :: TESSERA_STRATIFY = 221
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
  integer(c_int), parameter, public :: TESSERA_SAMPLING_USED = 340
  integer(c_int), parameter, public :: TESSERA_STRATA = 341
  integer(c_int), parameter, public :: TESSERA_SECONDS = 400
  integer(c_int), parameter, public :: TESSERA_COMPILE_SECONDS = 401
  integer(c_int), parameter, public :: TESSERA_CHI2 = 410

  ! ---- Values of TESSERA_RULE -----------------------------------------------------------------------------------------
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

  ! ---- Values of TESSERA_SELECTION, TESSERA_SPLITTING, TESSERA_ESTIMATE and of `method` -------------------------------
  integer(c_int), parameter, public :: TESSERA_SELECT_AUTO = 0
  integer(c_int), parameter, public :: TESSERA_SELECT_WORST_FIRST = 1
  integer(c_int), parameter, public :: TESSERA_SELECT_BULK = 2
  integer(c_int), parameter, public :: TESSERA_SPLIT_2R = 0
  integer(c_int), parameter, public :: TESSERA_SPLIT_4R0 = 1
  integer(c_int), parameter, public :: TESSERA_SPLIT_4R1 = 2
  integer(c_int), parameter, public :: TESSERA_SPLIT_4R2 = 3
  integer(c_int), parameter, public :: TESSERA_SPLIT_8R3 = 4
  integer(c_int), parameter, public :: TESSERA_SPLIT_16R4 = 5
  integer(c_int), parameter, public :: TESSERA_ESTIMATE_ROBUST = 0
  integer(c_int), parameter, public :: TESSERA_ESTIMATE_CLASSIC = 1
  integer(c_int), parameter, public :: TESSERA_CUBATURE = 1
  integer(c_int), parameter, public :: TESSERA_MONTECARLO = 3

  ! ---- Values of TESSERA_SAMPLING ----------------------------------------------------------------------------------------
  integer(c_int), parameter, public :: TESSERA_SAMPLING_AUTO = 0
  integer(c_int), parameter, public :: TESSERA_SAMPLING_PLAIN = 1
  integer(c_int), parameter, public :: TESSERA_SAMPLING_VEGAS = 2

  ! ---- Values of `language` in tessera_set_integrand_source and tessera_set_integrand_file ------------------------------
  integer(c_int), parameter, public :: TESSERA_LANGUAGE_CUDA = 1
  integer(c_int), parameter, public :: TESSERA_LANGUAGE_C = 2
  integer(c_int), parameter, public :: TESSERA_LANGUAGE_CUBA = 3

  ! ---- Values of `form` in tessera_set_integrand_code -------------------------------------------------------------------
  integer(c_int), parameter, public :: TESSERA_CODE_LTOIR = 1
  integer(c_int), parameter, public :: TESSERA_CODE_OBJECT = 2
  integer(c_int), parameter, public :: TESSERA_CODE_PTX = 3

  public :: tessera_solver
  public :: tessera_integrand, tessera_integrand1, tessera_point, tessera_point_data, tessera_progress, tessera_log
  public :: tessera_version, tessera_version_string, tessera_status_string, tessera_last_error, tessera_string
  public :: tessera_create, tessera_destroy, tessera_set_domain
  public :: tessera_set_integrand, tessera_set_integrand1, tessera_set_point, tessera_set_params, tessera_set_integrand_source
  public :: tessera_set_integrand_file, tessera_set_integrand_code, tessera_set_stream
  public :: tessera_set, tessera_get, tessera_set_progress, tessera_set_log, tessera_integrate
  public :: tessera_get_chi2, tessera_save_grid, tessera_load_grid

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

    !> Progress of a run; `remaining` is -1 when there is no guess. A result other than 0 stops the run (TESSERA_STOPPED).
    function tessera_progress(evaluations, ncomp, value, error, remaining, userdata) result(stop_code) bind(c)
      import :: c_double, c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: evaluations, remaining
      integer(c_int), value :: ncomp
      real(c_double), intent(in) :: value(ncomp), error(ncomp)
      type(c_ptr), value :: userdata
      integer(c_int) :: stop_code
    end function tessera_progress

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
    procedure(tessera_point), pointer, nopass :: point => null()
    procedure(tessera_point_data), pointer, nopass :: point_data => null()
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

  !> tessera_set(s, key, value [, ierr]): value is a 32-bit or 64-bit integer or a double precision number.
  interface tessera_set
    module procedure set_int32, set_int64, set_real64
  end interface tessera_set

  !> tessera_get(s, key, value [, ierr]): options, and statistics of the last run.
  interface tessera_get
    module procedure get_int32, get_int64, get_real64
  end interface tessera_get

  !> tessera_set_point(s, f [, ierr]) and tessera_set_point(s, f, userdata [, ierr]).
  interface tessera_set_point
    module procedure set_point, set_point_data
  end interface tessera_set_point

  !> tessera_set_params(s, params, bytes [, ierr]): bytes is a 32-bit or 64-bit integer.
  interface tessera_set_params
    module procedure set_params32, set_params64
  end interface tessera_set_params

  !> tessera_string(line): the characters of a C string, given as an array (log callback) or by its address.
  interface tessera_string
    module procedure string_of_array, string_of_address
  end interface tessera_string

  interface
    function c_tessera_version() result(version) bind(c, name='tessera_version')
      import :: c_int
      integer(c_int) :: version
    end function c_tessera_version

    function c_tessera_version_string() result(text) bind(c, name='tessera_version_string')
      import :: c_ptr
      type(c_ptr) :: text
    end function c_tessera_version_string

    function c_tessera_create(s, ndim, ncomp) result(status) bind(c, name='tessera_create')
      import :: c_int, c_ptr
      type(c_ptr), intent(out) :: s
      integer(c_int), value :: ndim, ncomp
      integer(c_int) :: status
    end function c_tessera_create

    subroutine c_tessera_destroy(s) bind(c, name='tessera_destroy')
      import :: c_ptr
      type(c_ptr), value :: s
    end subroutine c_tessera_destroy

    function c_tessera_last_error(s) result(text) bind(c, name='tessera_last_error')
      import :: c_ptr
      type(c_ptr), value :: s
      type(c_ptr) :: text
    end function c_tessera_last_error

    function c_tessera_status_string(status) result(text) bind(c, name='tessera_status_string')
      import :: c_int, c_ptr
      integer(c_int), value :: status
      type(c_ptr) :: text
    end function c_tessera_status_string

    function c_tessera_set_domain(s, lower, upper) result(status) bind(c, name='tessera_set_domain')
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: s
      real(c_double), intent(in) :: lower(*), upper(*)
      integer(c_int) :: status
    end function c_tessera_set_domain

    function c_tessera_set_integrand(s, fn, userdata) result(status) bind(c, name='tessera_set_integrand')
      import :: c_funptr, c_int, c_ptr
      type(c_ptr), value :: s, userdata
      type(c_funptr), value :: fn
      integer(c_int) :: status
    end function c_tessera_set_integrand

    function c_tessera_set_integrand1(s, fn, userdata) result(status) bind(c, name='tessera_set_integrand1')
      import :: c_funptr, c_int, c_ptr
      type(c_ptr), value :: s, userdata
      type(c_funptr), value :: fn
      integer(c_int) :: status
    end function c_tessera_set_integrand1

    function c_tessera_set_integrand_source(s, language, source, function_name) result(status) &
        bind(c, name='tessera_set_integrand_source')
      import :: c_int, c_ptr
      type(c_ptr), value :: s, source, function_name
      integer(c_int), value :: language
      integer(c_int) :: status
    end function c_tessera_set_integrand_source

    function c_tessera_set_integrand_file(s, language, path, function_name) result(status) &
        bind(c, name='tessera_set_integrand_file')
      import :: c_int, c_ptr
      type(c_ptr), value :: s, path, function_name
      integer(c_int), value :: language
      integer(c_int) :: status
    end function c_tessera_set_integrand_file

    function c_tessera_set_integrand_code(s, form, code, bytes, function_name) result(status) &
        bind(c, name='tessera_set_integrand_code')
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: s, code, function_name
      integer(c_int), value :: form
      integer(c_size_t), value :: bytes
      integer(c_int) :: status
    end function c_tessera_set_integrand_code

    function c_tessera_set_stream(s, stream) result(status) bind(c, name='tessera_set_stream')
      import :: c_int, c_ptr
      type(c_ptr), value :: s, stream
      integer(c_int) :: status
    end function c_tessera_set_stream

    function c_tessera_set_params(s, params, bytes) result(status) bind(c, name='tessera_set_params')
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: s, params
      integer(c_size_t), value :: bytes
      integer(c_int) :: status
    end function c_tessera_set_params

    function c_tessera_set_int(s, key, value) result(status) bind(c, name='tessera_set_int')
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: s
      integer(c_int), value :: key
      integer(c_int64_t), value :: value
      integer(c_int) :: status
    end function c_tessera_set_int

    function c_tessera_set_real(s, key, value) result(status) bind(c, name='tessera_set_real')
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: s
      integer(c_int), value :: key
      real(c_double), value :: value
      integer(c_int) :: status
    end function c_tessera_set_real

    function c_tessera_get_int(s, key, value) result(status) bind(c, name='tessera_get_int')
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: s
      integer(c_int), value :: key
      integer(c_int64_t), intent(inout) :: value
      integer(c_int) :: status
    end function c_tessera_get_int

    function c_tessera_get_real(s, key, value) result(status) bind(c, name='tessera_get_real')
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: s
      integer(c_int), value :: key
      real(c_double), intent(inout) :: value
      integer(c_int) :: status
    end function c_tessera_get_real

    function c_tessera_set_progress(s, fn, userdata) result(status) bind(c, name='tessera_set_progress')
      import :: c_funptr, c_int, c_ptr
      type(c_ptr), value :: s, userdata
      type(c_funptr), value :: fn
      integer(c_int) :: status
    end function c_tessera_set_progress

    function c_tessera_set_log(s, fn, userdata) result(status) bind(c, name='tessera_set_log')
      import :: c_funptr, c_int, c_ptr
      type(c_ptr), value :: s, userdata
      type(c_funptr), value :: fn
      integer(c_int) :: status
    end function c_tessera_set_log

    function c_tessera_integrate(s, method, value, error) result(status) bind(c, name='tessera_integrate')
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: s
      integer(c_int), value :: method
      real(c_double), intent(inout) :: value(*), error(*)
      integer(c_int) :: status
    end function c_tessera_integrate

    function c_tessera_get_chi2(s, chi2) result(status) bind(c, name='tessera_get_chi2')
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: s
      real(c_double), intent(inout) :: chi2(*)
      integer(c_int) :: status
    end function c_tessera_get_chi2

    function c_tessera_save_grid(s, path) result(status) bind(c, name='tessera_save_grid')
      import :: c_int, c_ptr
      type(c_ptr), value :: s, path
      integer(c_int) :: status
    end function c_tessera_save_grid

    function c_tessera_load_grid(s, path) result(status) bind(c, name='tessera_load_grid')
      import :: c_int, c_ptr
      type(c_ptr), value :: s, path
      integer(c_int) :: status
    end function c_tessera_load_grid

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

  !> Sentence about the last call on s that did not return 0; '' if there was none.
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

  !> Hands the status of a call of the library to the caller. A failed call puts the library's sentence in the place of an
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
    text_address = c_null_ptr
    name_address = c_null_ptr
    if (present(source)) then
      text = c_characters(source)
      text_address = c_loc(text)
    end if
    if (present(function_name)) then
      name = c_characters(function_name)
      name_address = c_loc(name)
    end if
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
    file_address = c_null_ptr
    name_address = c_null_ptr
    if (present(path)) then
      file = c_characters(path)
      file_address = c_loc(file)
    end if
    if (present(function_name)) then
      name = c_characters(function_name)
      name_address = c_loc(name)
    end if
    call conclude(s, c_tessera_set_integrand_file(s%handle, language, file_address, name_address), ierr)
  end subroutine tessera_set_integrand_file

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
    name_address = c_null_ptr
    bytes = 0
    if (present(code)) then
      bytes = len(code, c_size_t)
      code_address = c_loc(code)
    end if
    if (present(function_name)) then
      name = c_characters(function_name)
      name_address = c_loc(name)
    end if
    call conclude(s, c_tessera_set_integrand_code(s%handle, form, code_address, bytes, name_address), ierr)
  end subroutine tessera_set_integrand_code

  !> The CUDA stream (a cudaStream_t) for the work on a device; without it a stream of the library's own.
  subroutine tessera_set_stream(s, stream, ierr)
    type(tessera_solver), intent(inout) :: s
    type(c_ptr), intent(in), optional :: stream
    integer(c_int), intent(out), optional :: ierr
    if (.not. exists(s, ierr)) return
    call conclude(s, c_tessera_set_stream(s%handle, value_or_null(stream)), ierr)
  end subroutine tessera_set_stream

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
    real(c_double), intent(in) :: x(ndim)
    real(c_double), intent(inout) :: f(ncomp)
    type(c_ptr), value :: userdata
    integer(c_int) :: stop_code
    type(solver_state), pointer :: state
    call c_f_pointer(userdata, state)
    call state%point(x, f)
    stop_code = 0
  end function call_point

  recursive function call_point_data(ndim, x, ncomp, f, userdata) result(stop_code) bind(c, name='')
    integer(c_int), value :: ndim, ncomp
    real(c_double), intent(in) :: x(ndim)
    real(c_double), intent(inout) :: f(ncomp)
    type(c_ptr), value :: userdata
    integer(c_int) :: stop_code
    type(solver_state), pointer :: state
    type(c_ptr) :: address
    call c_f_pointer(userdata, state)
    address = state%userdata
    if (.not. c_associated(address) .and. associated(state%params)) address = c_loc(state%params)
    call state%point_data(x, f, address)
    stop_code = 0
  end function call_point_data

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
    if (.not. exists(s, ierr)) return
    call conclude(s, c_tessera_set_int(s%handle, key, value), ierr)
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

  !> Called some ten times a second during a run. Without f there is no such callback afterwards.
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

  !> Chi-square of each component after TESSERA_MONTECARLO, with TESSERA_ITERATIONS - 1 degrees of freedom.
  recursive subroutine tessera_get_chi2(s, chi2, ierr)
    type(tessera_solver), intent(inout) :: s
    real(c_double), intent(inout), contiguous :: chi2(:)
    integer(c_int), intent(out), optional :: ierr
    if (.not. exists(s, ierr)) return
    if (.not. size_is_right(s, 'chi2', size(chi2), 'ncomp', s%state%ncomp, ierr)) return
    call conclude(s, c_tessera_get_chi2(s%handle, chi2), ierr)
  end subroutine tessera_get_chi2

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

end module tessera
