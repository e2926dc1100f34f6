! The module's constants mean to the library what their names say, and the versions agree. That they are the header's is
! checked by compare_constants.sh from the texts.
! SPDX-License-Identifier: BSD-3-Clause
program test_constants
  use, intrinsic :: iso_c_binding, only: c_double, c_int
  use, intrinsic :: iso_fortran_env, only: error_unit, int64
  use tessera
  implicit none
  integer :: passed = 0, failed = 0
  type(tessera_solver) :: s
  character(20) :: version

  ! Version: module and library in use.
  call check(tessera_version() == 10000 * TESSERA_VERSION_MAJOR + 100 * TESSERA_VERSION_MINOR + TESSERA_VERSION_PATCH, &
             'version number of the library')
  write (version, '(i0, 2(".", i0))') TESSERA_VERSION_MAJOR, TESSERA_VERSION_MINOR, TESSERA_VERSION_PATCH
  call check(tessera_version_string() == trim(version), 'version string of the library')

  ! Statuses: the library's text begins with the name.
  call status(TESSERA_OK, 'TESSERA_OK')
  call status(TESSERA_LIMIT_EVALUATIONS, 'TESSERA_LIMIT_EVALUATIONS')
  call status(TESSERA_LIMIT_MEMORY, 'TESSERA_LIMIT_MEMORY')
  call status(TESSERA_LIMIT_TIME, 'TESSERA_LIMIT_TIME')
  call status(TESSERA_ROUNDOFF, 'TESSERA_ROUNDOFF')
  call status(TESSERA_STOPPED, 'TESSERA_STOPPED')
  call status(TESSERA_CALLBACK_STOPPED, 'TESSERA_CALLBACK_STOPPED')
  call status(TESSERA_NONFINITE, 'TESSERA_NONFINITE')
  call status(TESSERA_ERR_ARGUMENT, 'TESSERA_ERR_ARGUMENT')
  call status(TESSERA_ERR_KEY, 'TESSERA_ERR_KEY')
  call status(TESSERA_ERR_TYPE, 'TESSERA_ERR_TYPE')
  call status(TESSERA_ERR_RANGE, 'TESSERA_ERR_RANGE')
  call status(TESSERA_ERR_NO_INTEGRAND, 'TESSERA_ERR_NO_INTEGRAND')
  call status(TESSERA_ERR_MEMORY, 'TESSERA_ERR_MEMORY')
  call status(TESSERA_ERR_UNSUPPORTED, 'TESSERA_ERR_UNSUPPORTED')
  call status(TESSERA_ERR_CALLBACK, 'TESSERA_ERR_CALLBACK')
  call status(TESSERA_ERR_BUSY, 'TESSERA_ERR_BUSY')
  call status(TESSERA_ERR_FILE, 'TESSERA_ERR_FILE')
  call status(TESSERA_ERR_INTERNAL, 'TESSERA_ERR_INTERNAL')

  ! Keys: the library's sentence about a wrong type names the key.
  call tessera_create(s, 2, 1)
  call integer_key(TESSERA_MAXEVAL, 'TESSERA_MAXEVAL')
  call integer_key(TESSERA_MINEVAL, 'TESSERA_MINEVAL')
  call integer_key(TESSERA_THREADS, 'TESSERA_THREADS')
  call integer_key(TESSERA_MAX_MEMORY, 'TESSERA_MAX_MEMORY')
  call integer_key(TESSERA_RULE, 'TESSERA_RULE')
  call integer_key(TESSERA_SELECTION, 'TESSERA_SELECTION')
  call integer_key(TESSERA_SPLITTING, 'TESSERA_SPLITTING')
  call integer_key(TESSERA_INITIAL_REGIONS, 'TESSERA_INITIAL_REGIONS')
  call integer_key(TESSERA_ESTIMATE, 'TESSERA_ESTIMATE')
  call integer_key(TESSERA_BATCH_POINTS, 'TESSERA_BATCH_POINTS')
  call integer_key(TESSERA_NDIM_LIMIT, 'TESSERA_NDIM_LIMIT')
  call integer_key(TESSERA_KEEP_REGIONS, 'TESSERA_KEEP_REGIONS')
  call integer_key(TESSERA_PRIORITY, 'TESSERA_PRIORITY')
  call real_key(TESSERA_RELTOL, 'TESSERA_RELTOL')
  call real_key(TESSERA_ABSTOL, 'TESSERA_ABSTOL')
  call real_key(TESSERA_MAX_SECONDS, 'TESSERA_MAX_SECONDS')
  call real_key(TESSERA_BULK_FRACTION, 'TESSERA_BULK_FRACTION')
  call real_key(TESSERA_PROGRESS_SECONDS, 'TESSERA_PROGRESS_SECONDS')
  call integer_key(TESSERA_EVALUATIONS, 'TESSERA_EVALUATIONS')
  call integer_key(TESSERA_REGIONS, 'TESSERA_REGIONS')
  call integer_key(TESSERA_ITERATIONS, 'TESSERA_ITERATIONS')
  call integer_key(TESSERA_CALLBACK_STATUS, 'TESSERA_CALLBACK_STATUS')
  call integer_key(TESSERA_REGION_BYTES, 'TESSERA_REGION_BYTES')
  call integer_key(TESSERA_RULE_USED, 'TESSERA_RULE_USED')
  call integer_key(TESSERA_RULE_POINTS, 'TESSERA_RULE_POINTS')
  call integer_key(TESSERA_THREADS_USED, 'TESSERA_THREADS_USED')
  call integer_key(TESSERA_PEAK_MEMORY, 'TESSERA_PEAK_MEMORY')
  call real_key(TESSERA_SECONDS, 'TESSERA_SECONDS')
  call integer_key(TESSERA_SEED, 'TESSERA_SEED')
  call integer_key(TESSERA_POINTS, 'TESSERA_POINTS')
  call integer_key(TESSERA_SAMPLING, 'TESSERA_SAMPLING')
  call integer_key(TESSERA_ANTITHETIC, 'TESSERA_ANTITHETIC')
  call integer_key(TESSERA_INCREASE, 'TESSERA_INCREASE')
  call integer_key(TESSERA_WARMUP, 'TESSERA_WARMUP')
  call integer_key(TESSERA_KEEP_GRID, 'TESSERA_KEEP_GRID')
  call integer_key(TESSERA_KEEP_STATE, 'TESSERA_KEEP_STATE')
  call real_key(TESSERA_CONFIDENCE, 'TESSERA_CONFIDENCE')
  call real_key(TESSERA_DAMPING, 'TESSERA_DAMPING')
  call real_key(TESSERA_STRATIFY, 'TESSERA_STRATIFY')
  call integer_key(TESSERA_SAMPLING_USED, 'TESSERA_SAMPLING_USED')
  call integer_key(TESSERA_STRATA, 'TESSERA_STRATA')
  call real_key(TESSERA_CHI2, 'TESSERA_CHI2')
  call tessera_destroy(s)

  write (*, '(i0, a, i0, a)') passed, ' passed, ', failed, ' failed'
  if (failed > 0) error stop 1

contains

  subroutine check(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    if (condition) then
      passed = passed + 1
    else
      failed = failed + 1
      write (error_unit, '(2a)') 'FAILED: ', what
    end if
  end subroutine check

  ! Whether `text` holds `name` as a whole word.
  pure function names(text, name) result(yes)
    character(*), intent(in) :: text, name
    logical :: yes
    integer :: at
    at = index(text, name)
    yes = at > 0
    if (yes .and. at + len(name) <= len(text)) yes = scan(text(at + len(name):at + len(name)), 'ABCDEFGHIJKLMNOPQRSTUVWXYZ_') == 0
  end function names

  subroutine status(code, name)
    integer(c_int), intent(in) :: code
    character(*), intent(in) :: name
    character(:), allocatable :: text
    text = tessera_status_string(code)
    call check(names(text, name), name // ' is called: ' // text)
  end subroutine status

  subroutine integer_key(key, name)
    integer(c_int), intent(in) :: key
    character(*), intent(in) :: name
    integer(c_int) :: ierr
    integer(int64) :: n
    real(c_double) :: r
    character(:), allocatable :: text
    call tessera_get(s, key, n, ierr)
    call check(ierr == TESSERA_OK, name // ' is an integer key')
    call tessera_get(s, key, r, ierr)
    text = tessera_last_error(s)
    call check(ierr == TESSERA_ERR_TYPE .and. names(text, name), name // ' is called: ' // text)
  end subroutine integer_key

  subroutine real_key(key, name)
    integer(c_int), intent(in) :: key
    character(*), intent(in) :: name
    integer(c_int) :: ierr
    integer(int64) :: n
    real(c_double) :: r
    character(:), allocatable :: text
    call tessera_get(s, key, r, ierr)
    call check(ierr == TESSERA_OK, name // ' is a real key')
    call tessera_get(s, key, n, ierr)
    text = tessera_last_error(s)
    call check(ierr == TESSERA_ERR_TYPE .and. names(text, name), name // ' is called: ' // text)
  end subroutine real_key
end program test_constants
