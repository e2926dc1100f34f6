!> TSRINT: one call from FORTRAN 77, without a module.
!>
!>     CALL TSRINT(F, NDIM, A, B, NCOMP, RELTOL, MAXEV, VAL, ERR, NEVAL, IERR)
!>
!>     EXTERNAL F                 SUBROUTINE F(NDIM, X, NCOMP, FVAL): the integrand at the point X(NDIM), into FVAL(NCOMP)
!>     INTEGER NDIM, NCOMP        numbers of variables and of components
!>     DOUBLE PRECISION A(NDIM), B(NDIM)   limits, finite or infinite
!>     DOUBLE PRECISION RELTOL    relative tolerance for every component
!>     INTEGER MAXEV              greatest number of evaluations, at least 1
!>     DOUBLE PRECISION VAL(NCOMP), ERR(NCOMP)   out: values and estimates of their absolute errors
!>     INTEGER NEVAL              out: evaluations made (the greatest INTEGER when there were more)
!>     INTEGER IERR               out: status as in tessera.h; 0 the tolerance is met, > 0 VAL and ERR are set but the
!>                                tolerance is not met, < 0 no result: VAL and ERR are as they were, NEVAL is 0
!>
!> F runs on one thread, so it may use COMMON and SAVE. It may call TSRINT for another integral.
!> If F has a device twin (docs/twins.md), its own text for instance, named in the map file TESSERA_TWINS, that runs on the GPU; F itself
!> where there is none or the two are not the same. TESSERA_REPORT=1 in the environment: a line about it on the standard error.
!> The INTEGERs are default ones: compiled with -fdefault-integer-8 the same source serves programs that use that option.
!>
!> SPDX-License-Identifier: BSD-3-Clause
module tessera_f77
  use, intrinsic :: iso_c_binding, only: c_double, c_f_pointer, c_int, c_ptr
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none
  private
  public :: f77_integrand, f77_box, call_f77, integrate_twin

  abstract interface
    subroutine f77_integrand(ndim, x, ncomp, fval)
      import :: c_double
      integer, intent(in) :: ndim, ncomp
      real(c_double), intent(in) :: x(*)
      real(c_double), intent(inout) :: fval(*)
    end subroutine f77_integrand
  end interface

  !> Gives the caller's procedure an address that can travel as user data.
  type :: f77_box
    procedure(f77_integrand), pointer, nopass :: f => null()
  end type f77_box

contains

  recursive function call_f77(ndim, x, ncomp, f, userdata) result(stop_code) bind(c, name='')
    integer(c_int), value :: ndim, ncomp
    real(c_double), intent(in) :: x(ndim)
    real(c_double), intent(inout) :: f(ncomp)
    type(c_ptr), value :: userdata
    integer(c_int) :: stop_code
    type(f77_box), pointer :: box
    call c_f_pointer(userdata, box)
    call box%f(int(ndim), x, int(ncomp), f)
    stop_code = 0
  end function call_f77
  !> Whether the integral has been taken with a twin of f. If not, the solver is as it was, value and error too.
  recursive function integrate_twin(s, f, value, error, status) result(done)
    use tessera, only: tessera_solver, tessera_integrate, tessera_last_error, tessera_set, tessera_set_twin, &
                       TESSERA_CUBATURE, TESSERA_DEVICE, TESSERA_OK
    type(tessera_solver), intent(inout) :: s
    procedure(f77_integrand) :: f
    real(c_double), intent(inout) :: value(:), error(:)
    integer(c_int), intent(inout) :: status
    logical :: done
    real(c_double) :: its_value(size(value)), its_error(size(error))
    integer(c_int) :: end_of_run
    done = .false.
    call tessera_set_twin(s, f, end_of_run)
    if (end_of_run == TESSERA_OK) then
      call tessera_set(s, TESSERA_DEVICE, 0)
      call tessera_integrate(s, TESSERA_CUBATURE, its_value, its_error, end_of_run)
      done = end_of_run >= 0
    end if
    if (done) then
      value = its_value
      error = its_error
      status = end_of_run
      call report('the twin runs on the device')
      return
    end if
    if (len(tessera_last_error(s)) > 0) call report('the host function is used: ' // tessera_last_error(s))
    call tessera_set_twin(s, ierr=end_of_run)
    call tessera_set(s, TESSERA_DEVICE, -1)
  end function integrate_twin

  subroutine report(message)
    character(*), intent(in) :: message
    character(8) :: wanted
    integer :: length
    call get_environment_variable('TESSERA_REPORT', wanted, length)
    if (length > 0 .and. wanted /= '0') write (error_unit, '(2a)') 'tessera: TSRINT: ', message
  end subroutine report
end module tessera_f77

recursive subroutine tsrint(f, ndim, a, b, ncomp, reltol, maxev, val, err, neval, ierr)
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int64_t, c_loc
  use tessera, only: tessera_solver, tessera_create, tessera_destroy, tessera_get, tessera_integrate, tessera_set, &
                     tessera_set_domain, tessera_set_integrand1, TESSERA_CUBATURE, TESSERA_ERR_ARGUMENT, &
                     TESSERA_EVALUATIONS, TESSERA_MAXEVAL, TESSERA_RELTOL
  use tessera_f77, only: call_f77, f77_box, f77_integrand, integrate_twin
  implicit none
  procedure(f77_integrand) :: f
  integer, intent(in) :: ndim, ncomp, maxev
  real(c_double), intent(in) :: a(*), b(*), reltol
  real(c_double), intent(inout) :: val(*), err(*)
  integer, intent(out) :: neval, ierr
  type(tessera_solver) :: s
  type(f77_box), target :: box
  integer(c_int64_t) :: evaluations
  integer(c_int) :: status

  neval = 0
  ierr = TESSERA_ERR_ARGUMENT
  if (max(abs(ndim), abs(ncomp)) > huge(status)) return  ! possible with 8-byte INTEGERs only
  call tessera_create(s, int(ndim, c_int), int(ncomp, c_int), status)
  if (status >= 0) call tessera_set_domain(s, a(:ndim), b(:ndim), status)
  if (status >= 0) call tessera_set(s, TESSERA_RELTOL, reltol, status)
  if (status >= 0) call tessera_set(s, TESSERA_MAXEVAL, int(maxev, c_int64_t), status)
  box%f => f
  if (status >= 0) call tessera_set_integrand1(s, call_f77, c_loc(box), status)
  if (status >= 0) then
    if (.not. integrate_twin(s, f, val(:ncomp), err(:ncomp), status)) &
      call tessera_integrate(s, TESSERA_CUBATURE, val(:ncomp), err(:ncomp), status)
    if (status >= 0) then
      evaluations = 0
      call tessera_get(s, TESSERA_EVALUATIONS, evaluations)
      neval = int(min(evaluations, int(huge(neval), c_int64_t)))
    end if
  end if
  call tessera_destroy(s)
  ierr = int(status)
end subroutine tsrint

!> The device twin of a procedure (docs/twins.md), from FORTRAN 77:
!>
!>     CALL TESSERA_REGISTER_TWIN(F, LANG, SOURCE, ISFILE, NAME, PARAMS, NBYTES, IERR)
!>
!>     EXTERNAL F                 the procedure that is handed to DCUHRE, ADAPT or CUHRE
!>     INTEGER LANG               language of the twin, as in tessera.h
!>     CHARACTER*(*) SOURCE       the twin's text, or the path of its file
!>     INTEGER ISFILE             not 0: SOURCE is a path
!>     CHARACTER*(*) NAME         of the function in the text
!>     PARAMS                     the first variable of a COMMON block, of any type: its first NBYTES bytes are what the twin
!>                                receives, as they are when a run begins
!>     INTEGER NBYTES             0: PARAMS is not looked at
!>     INTEGER IERR               out: status as in tessera.h; 0: good
recursive subroutine tessera_register_twin(f, lang, source, isfile, name, params, nbytes, ierr)
  use, intrinsic :: iso_c_binding, only: c_int, c_loc, c_null_ptr, c_ptr, c_size_t
  use tessera, only: register => tessera_register_twin
  implicit none
  procedure() :: f
  integer, intent(in) :: lang, isfile, nbytes
  character(*), intent(in) :: source, name
  type(*), intent(in), target :: params(*)
  integer, intent(out) :: ierr
  integer(c_int) :: status
  type(c_ptr) :: address
  address = c_null_ptr
  if (nbytes > 0) address = c_loc(params)
  call register(f, int(lang, c_int), source, name, isfile /= 0, address, int(max(nbytes, 0), c_size_t), status)
  ierr = int(status)
end subroutine tessera_register_twin
