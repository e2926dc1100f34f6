! Module tessera from the user's side: life cycle, every wrong argument, all forms of the integrand, callbacks, statuses.
! SPDX-License-Identifier: BSD-3-Clause
module test_support
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_f_pointer, c_int, c_int64_t, c_loc, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: error_unit
  use tessera
  implicit none
  private
  public :: check, check_status, close_to, same, passed, failed
  public :: exponential, exponential_1, exponential_batch, polynomial_batch, powers, gauss, decay, step, not_a_number, one
  public :: shifted_pole
  public :: shifted, table, weighted_1, weighted_batch, calls, stop_at, stopping, meddling, nested, outer, inner_status
  public :: watch, listen, sphere_1, slow_step, narrow_ridge, wedge

  integer :: passed = 0, failed = 0
  integer(c_int64_t) :: calls = 0    ! points that an integrand has seen
  integer(c_int64_t) :: stop_at = 0  ! the call in which `stopping` stops
  type(tessera_solver) :: outer      ! the solver in whose run `meddling` and `nested` are called
  integer(c_int) :: inner_status(5) = 0

  type, public :: watch_record
    integer :: calls = 0
    integer :: stop_at = huge(0)
    logical :: sane = .true.
    integer(c_int64_t) :: evaluations = 0
  end type watch_record

  type, public :: listen_record
    integer :: lines = 0
    logical :: sane = .true.
    character(200) :: last = ''
  end type listen_record

contains

  !> 0 < x(1) < 1, x(1) < x(2) < 2 x(1) times userdata.
  function wedge(ndim, before, x, lower, upper, userdata) result(stop_code) bind(c)
    integer(c_int), value :: ndim, before
    real(c_double), intent(in) :: x(ndim)
    real(c_double), intent(inout) :: lower, upper
    type(c_ptr), value :: userdata
    integer(c_int) :: stop_code
    real(c_double), pointer :: factor
    call c_f_pointer(userdata, factor)
    lower = x(before)
    upper = 2 * x(before) * factor
    stop_code = 0
  end function wedge

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

  subroutine check_status(status, expected, what)
    integer(c_int), intent(in) :: status, expected
    character(*), intent(in) :: what
    character(12) :: got, wanted
    write (got, '(i0)') status
    write (wanted, '(i0)') expected
    call check(status == expected, what // ': status ' // trim(got) // ', expected ' // trim(wanted))
  end subroutine check_status

  ! Equal to the last bit; a NaN is not.
  elemental function same(value, expected) result(yes)
    real(c_double), intent(in) :: value, expected
    logical :: yes
    yes = value >= expected .and. value <= expected
  end function same

  ! A NaN is close to nothing.
  pure function close_to(value, exact, relative) result(yes)
    real(c_double), intent(in) :: value, exact, relative
    logical :: yes
    yes = abs(value - exact) <= relative * abs(exact)
  end function close_to

  ! ---- Integrands -----------------------------------------------------------------------------------------------------

  subroutine exponential(x, fval)
    real(c_double), intent(in) :: x(:)
    real(c_double), intent(out) :: fval(:)
    calls = calls + 1
    fval = exp(sum(x))
  end subroutine exponential

  function exponential_1(ndim, x, ncomp, f, userdata) result(stop_code) bind(c)
    integer(c_int), value :: ndim, ncomp
    real(c_double), intent(in) :: x(ndim)
    real(c_double), intent(inout) :: f(ncomp)
    type(c_ptr), value :: userdata
    integer(c_int) :: stop_code
    calls = calls + 1
    f = exp(sum(x))
    stop_code = 0
    if (c_loc_is_set(userdata)) stop_code = 99
  end function exponential_1

  function exponential_batch(n, ndim, x, ldx, ncomp, f, ldf, userdata) result(stop_code) bind(c)
    integer(c_int64_t), value :: n, ldx, ldf
    integer(c_int), value :: ndim, ncomp
    real(c_double), intent(in) :: x(ldx, ndim)
    real(c_double), intent(inout) :: f(ldf, ncomp)
    type(c_ptr), value :: userdata
    integer(c_int) :: stop_code
    calls = calls + n
    f(1:n, 1) = exp(sum(x(1:n, :), dim=2))
    stop_code = 0
    if (c_loc_is_set(userdata) .or. ncomp /= 1) stop_code = 99
  end function exponential_batch

  ! Which coordinate is which, and which component: x1 + 10 x2^2 + 100 x3^3 and x1 x2.
  function polynomial_batch(n, ndim, x, ldx, ncomp, f, ldf, userdata) result(stop_code) bind(c)
    integer(c_int64_t), value :: n, ldx, ldf
    integer(c_int), value :: ndim, ncomp
    real(c_double), intent(in) :: x(ldx, ndim)
    real(c_double), intent(inout) :: f(ldf, ncomp)
    type(c_ptr), value :: userdata
    integer(c_int) :: stop_code
    calls = calls + n
    f(1:n, 1) = x(1:n, 1) + 10 * x(1:n, 2)**2 + 100 * x(1:n, 3)**3
    f(1:n, 2) = x(1:n, 1) * x(1:n, 2)
    stop_code = 0
    if (c_loc_is_set(userdata)) stop_code = 99
  end function polynomial_batch

  pure function c_loc_is_set(address) result(yes)
    use, intrinsic :: iso_c_binding, only: c_associated
    type(c_ptr), intent(in) :: address
    logical :: yes
    yes = c_associated(address)
  end function c_loc_is_set

  subroutine powers(x, fval)
    real(c_double), intent(in) :: x(:)
    real(c_double), intent(out) :: fval(:)
    integer :: k
    do k = 1, size(fval)
      fval(k) = x(1)**k + x(2)
    end do
  end subroutine powers

  subroutine gauss(x, fval)
    real(c_double), intent(in) :: x(:)
    real(c_double), intent(out) :: fval(:)
    fval = exp(-sum(x**2))
  end subroutine gauss

  subroutine decay(x, fval)
    real(c_double), intent(in) :: x(:)
    real(c_double), intent(out) :: fval(:)
    fval = exp(-abs(x(1)))
  end subroutine decay

  subroutine step(x, fval)
    real(c_double), intent(in) :: x(:)
    real(c_double), intent(out) :: fval(:)
    calls = calls + 1
    fval = merge(1.0_c_double, 0.0_c_double, sum(x**2) < 1)
  end subroutine step

  subroutine slow_step(x, fval)
    real(c_double), intent(in) :: x(:)
    real(c_double), intent(out) :: fval(:)
    integer :: i
    fval = 0
    do i = 1, 100
      fval = fval + merge(sin(i + x(1))**2, 0.0_c_double, sum(x**2) < 1)
    end do
  end subroutine slow_step

  subroutine not_a_number(x, fval)
    real(c_double), intent(in) :: x(:)
    real(c_double), intent(out) :: fval(:)
    fval = sqrt(x(1) - 0.5_c_double)
  end subroutine not_a_number

  subroutine one(x, fval)
    real(c_double), intent(in) :: x(:)
    real(c_double), intent(out) :: fval(:)
    fval = 1 + 0 * x(1)
  end subroutine one

  ! exp(p1 x1 + p2 x2) with the user data p(2).
  subroutine shifted(x, fval, userdata)
    real(c_double), intent(in) :: x(:)
    real(c_double), intent(out) :: fval(:)
    type(c_ptr), value :: userdata
    real(c_double), pointer :: p(:)
    call c_f_pointer(userdata, p, [2])
    fval = exp(p(1) * x(1) + p(2) * x(2))
  end subroutine shifted

  pure function table(p) result(exact)
    real(c_double), intent(in) :: p(2)
    real(c_double) :: exact
    exact = (exp(p(1)) - 1) / p(1) * ((exp(p(2)) - 1) / p(2))
  end function table

  function weighted_1(ndim, x, ncomp, f, userdata) result(stop_code) bind(c)
    integer(c_int), value :: ndim, ncomp
    real(c_double), intent(in) :: x(ndim)
    real(c_double), intent(inout) :: f(ncomp)
    type(c_ptr), value :: userdata
    integer(c_int) :: stop_code
    real(c_double), pointer :: p(:)
    call c_f_pointer(userdata, p, [2])
    f = exp(p(1) * x(1) + p(2) * x(2))
    stop_code = 0
  end function weighted_1

  function shifted_pole(ndim, x, ncomp, f, userdata) result(stop_code) bind(c)
    integer(c_int), value :: ndim, ncomp
    real(c_double), intent(in) :: x(ndim)
    real(c_double), intent(inout) :: f(ncomp)
    type(c_ptr), value :: userdata
    integer(c_int) :: stop_code
    real(c_double), pointer :: p(:)
    call c_f_pointer(userdata, p, [2])
    f = p(1) / (1 + x(1) + p(2))
    stop_code = 0
  end function shifted_pole

  function weighted_batch(n, ndim, x, ldx, ncomp, f, ldf, userdata) result(stop_code) bind(c)
    integer(c_int64_t), value :: n, ldx, ldf
    integer(c_int), value :: ndim, ncomp
    real(c_double), intent(in) :: x(ldx, ndim)
    real(c_double), intent(inout) :: f(ldf, ncomp)
    type(c_ptr), value :: userdata
    integer(c_int) :: stop_code
    real(c_double), pointer :: p(:)
    call c_f_pointer(userdata, p, [2])
    f(1:n, 1) = exp(p(1) * x(1:n, 1) + p(2) * x(1:n, 2))
    stop_code = 0
  end function weighted_batch

  function stopping(ndim, x, ncomp, f, userdata) result(stop_code) bind(c)
    integer(c_int), value :: ndim, ncomp
    real(c_double), intent(in) :: x(ndim)
    real(c_double), intent(inout) :: f(ncomp)
    type(c_ptr), value :: userdata
    integer(c_int) :: stop_code
    calls = calls + 1
    f = merge(1.0_c_double, 0.0_c_double, sum(x**2) < 1)
    stop_code = merge(42_c_int, 0_c_int, calls >= stop_at .and. .not. c_loc_is_set(userdata))
  end function stopping

  ! Calls the solver that is running: everything but queries must be refused.
  subroutine meddling(x, fval)
    real(c_double), intent(in) :: x(:)
    real(c_double), intent(out) :: fval(:)
    real(c_double) :: value(1), error(1)
    call tessera_set(outer, TESSERA_MAXEVAL, 10, inner_status(1))
    call tessera_set(outer, TESSERA_RELTOL, 0.5_c_double, inner_status(2))
    call tessera_set_point(outer, gauss, inner_status(3))
    call tessera_integrate(outer, TESSERA_CUBATURE, value, error, inner_status(4))
    call tessera_set_domain(outer, x, x, inner_status(5))
    fval = exp(sum(x))
  end subroutine meddling

  ! x1 times the integral of exp over the unit interval by another solver.
  subroutine nested(x, fval)
    real(c_double), intent(in) :: x(:)
    real(c_double), intent(out) :: fval(:)
    type(tessera_solver) :: inner
    real(c_double) :: value(1), error(1)
    call tessera_create(inner, 1, 1)
    call tessera_set_point(inner, exponential)
    call tessera_set(inner, TESSERA_RELTOL, 1e-12_c_double)
    call tessera_integrate(inner, TESSERA_CUBATURE, value, error, inner_status(1))
    call tessera_destroy(inner)
    fval = x(1) * value(1)
  end subroutine nested

  ! A ball of radius 1 with its octant cut out of the cube; re-entrant (no counter).
  function sphere_1(ndim, x, ncomp, f, userdata) result(stop_code) bind(c)
    integer(c_int), value :: ndim, ncomp
    real(c_double), intent(in) :: x(ndim)
    real(c_double), intent(inout) :: f(ncomp)
    type(c_ptr), value :: userdata
    integer(c_int) :: stop_code
    f = exp(-x(1)) * merge(1.0_c_double, 0.0_c_double, sum(x**2) < 1)
    stop_code = 0
    if (c_loc_is_set(userdata)) stop_code = 99
  end function sphere_1

  ! ---- Progress and log -----------------------------------------------------------------------------------------------

  function watch(evaluations, ncomp, value, error, remaining, userdata) result(stop_code) bind(c)
    integer(c_int64_t), value :: evaluations, remaining
    integer(c_int), value :: ncomp
    real(c_double), intent(in) :: value(ncomp), error(ncomp)
    type(c_ptr), value :: userdata
    integer(c_int) :: stop_code
    type(watch_record), pointer :: w
    call c_f_pointer(userdata, w)
    w%calls = w%calls + 1
    w%sane = w%sane .and. ncomp == 1 .and. evaluations > 0 .and. evaluations >= w%evaluations .and. remaining >= -1 &
             .and. all(error >= 0) .and. all(abs(value) < 1e3_c_double)
    w%evaluations = evaluations
    stop_code = merge(1_c_int, 0_c_int, w%calls >= w%stop_at)
  end function watch

  subroutine listen(level, line, userdata) bind(c)
    integer(c_int), value :: level
    character(kind=c_char), intent(in) :: line(*)
    type(c_ptr), value :: userdata
    type(listen_record), pointer :: l
    call c_f_pointer(userdata, l)
    l%lines = l%lines + 1
    l%last = tessera_string(line)
    l%sane = l%sane .and. level >= 1 .and. level <= 3 .and. len(tessera_string(line)) > 0 &
             .and. index(tessera_string(line), new_line('a')) == 0
  end subroutine listen

  !> A normal density with deviation 1/100 in x(1) times 1 + x(2): 3/2.
  subroutine narrow_ridge(x, fval)
    real(c_double), intent(in) :: x(:)
    real(c_double), intent(out) :: fval(:)
    fval = exp(-5000 * (x(1) - 0.4_c_double)**2) * sqrt(5000 / acos(-1.0_c_double)) * (1 + x(2))
  end subroutine narrow_ridge

end module test_support

program test_module
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_int64_t, c_loc, c_null_char, c_null_ptr, c_size_t, c_sizeof
  use, intrinsic :: ieee_arithmetic, only: ieee_negative_inf, ieee_positive_inf, ieee_quiet_nan, ieee_value
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use tessera
  use test_support
  implicit none
  character(20) :: argument

  call get_command_argument(1, argument)
  if (argument /= '') then
    call die(trim(argument))  ! this run is expected to end by error stop: see test_error_stop
    stop
  end if
  call test_never_created()
  call test_life_cycle()
  call test_domain()
  call test_options()
  call test_wrong_calls()
  call test_point()
  call test_point_data()
  call test_batch()
  call test_params()
  call test_many()
  call test_evaluate()
  call test_regions()
  call test_source()
  call test_file_and_code()
  call test_twins()
  call test_device_callback()
  call test_ranges()
  call test_limit_functions()
  call test_limit_texts()
  call test_simplex()
  call test_callback_status()
  call test_limits()
  call test_own_callbacks()
  call test_progress()
  call test_log()
  call test_threads()
  call test_monte_carlo()
  call test_strings()
  call test_extrapolate()
  call test_integrate_limit()
  call test_iterated()
  call test_auto()
  call test_error_stop()
  write (*, '(i0, a, i0, a)') passed, ' passed, ', failed, ' failed'
  if (failed > 0) error stop 1

contains

  ! Every procedure answers a solver that was never created with a status, not with a crash.
  subroutine test_never_created()
    type(tessera_solver) :: s
    integer(c_int) :: ierr
    integer :: narrow
    integer(int64) :: wide
    real(c_double) :: x(2), value(1), error(1), r
    x = 0
    value = 5
    error = 6
    call check(len(tessera_last_error(s)) > 0, 'never created: there is a sentence')
    call tessera_set_domain(s, x, x, ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'never created: set_domain')
    call tessera_set_integrand(s, exponential_batch, ierr=ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'never created: set_integrand')
    call tessera_set_integrand1(s, exponential_1, ierr=ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'never created: set_integrand1')
    call tessera_set_point(s, exponential, ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'never created: set_point')
    call tessera_set_point(s, shifted, c_null_ptr, ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'never created: set_point with data')
    call tessera_set_params(s, x, 16, ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'never created: set_params')
    call tessera_set(s, TESSERA_MAXEVAL, 10, ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'never created: set 32-bit')
    call tessera_set(s, TESSERA_MAXEVAL, 10_int64, ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'never created: set 64-bit')
    call tessera_set(s, TESSERA_RELTOL, 0.1_c_double, ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'never created: set real')
    narrow = 7
    wide = 8
    r = 9
    call tessera_get(s, TESSERA_MAXEVAL, narrow, ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'never created: get 32-bit')
    call tessera_get(s, TESSERA_MAXEVAL, wide, ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'never created: get 64-bit')
    call tessera_get(s, TESSERA_RELTOL, r, ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'never created: get real')
    call check(narrow == 7 .and. wide == 8 .and. same(r, 9.0_c_double), 'never created: get leaves its argument alone')
    call tessera_set_progress(s, watch, ierr=ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'never created: set_progress')
    call tessera_set_log(s, listen, ierr=ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'never created: set_log')
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'never created: integrate')
    call check(same(value(1), 5.0_c_double) .and. same(error(1), 6.0_c_double), &
               'never created: integrate leaves value and error alone')
    call check(len(tessera_last_error(s)) > 0, 'never created: there still is a sentence')
    call tessera_destroy(s)
    call tessera_destroy(s)
    call check(.true., 'never created: destroy does nothing')
  end subroutine test_never_created

  subroutine test_life_cycle()
    type(tessera_solver) :: s, other
    integer(c_int) :: ierr
    integer :: i
    integer, parameter :: wrong(2, 5) = reshape([0, 1, -1, 1, 1025, 1, 1, 0, 1, 65537], [2, 5])
    real(c_double) :: value(1), error(1), other_value(1)
    integer(int64) :: maxeval
    do i = 1, size(wrong, 2)
      call tessera_create(s, wrong(1, i), wrong(2, i), ierr)
      call check_status(ierr, TESSERA_ERR_ARGUMENT, 'create with a wrong dimension')
      call check(index(tessera_last_error(s), 'ndim') > 0, 'create: the sentence names the arguments')
      call tessera_set(s, TESSERA_MAXEVAL, 10, ierr)
      call check_status(ierr, TESSERA_ERR_ARGUMENT, 'a solver that could not be created does not exist')
    end do
    call tessera_create(s, 2, 1, ierr)
    call check_status(ierr, TESSERA_OK, 'create')
    call check(tessera_last_error(s) == '', 'a new solver has no last error')
    call tessera_set_point(s, exponential, ierr)
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call check_status(ierr, TESSERA_OK, 'first integral')
    call tessera_integrate(s, TESSERA_CUBATURE, other_value, error, ierr)
    call check(ierr == TESSERA_OK .and. same(other_value(1), value(1)), 'the second run gives the same bits')

    other = s  ! a second name of the same solver
    call tessera_set(other, TESSERA_MAXEVAL, 4321, ierr)
    maxeval = 0
    call tessera_get(s, TESSERA_MAXEVAL, maxeval, ierr)
    call check(maxeval == 4321, 'assignment gives a second name, not a second solver')

    call tessera_create(s, 3, 2, ierr)  ! takes the place of the old one
    call check_status(ierr, TESSERA_OK, 'create over an existing solver')
    call tessera_set_domain(s, [0.0_c_double, 0.0_c_double, 0.0_c_double], [1.0_c_double, 1.0_c_double, 1.0_c_double], ierr)
    call check_status(ierr, TESSERA_OK, 'create over an existing solver: it has the new dimension')
    call tessera_destroy(s)
    call tessera_set(s, TESSERA_MAXEVAL, 10, ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'a destroyed solver does not exist')
    call tessera_destroy(s)
  end subroutine test_life_cycle

  subroutine test_monte_carlo()
    type(tessera_solver) :: s, other
    real(c_double), allocatable :: grid(:, :), state(:)
    real(c_double) :: value(1), error(1), again(1), chi2(1), wrong(2)
    integer(c_int) :: status
    integer(c_int64_t) :: sampling
    integer :: unit
    call tessera_create(s, 2, 1)
    call tessera_get_chi2(s, chi2, status)
    call check(status == TESSERA_ERR_ARGUMENT, 'no chi-square before a run')
    call tessera_set_point(s, narrow_ridge)
    call tessera_set(s, TESSERA_RELTOL, 1e-2_c_double)
    call tessera_set(s, TESSERA_SAMPLING, TESSERA_SAMPLING_VEGAS)
    call tessera_set(s, TESSERA_SEED, 7)
    call tessera_integrate(s, TESSERA_MONTECARLO, value, error, status)
    call check(status == TESSERA_OK, 'Monte Carlo converges')
    call check(abs(value(1) - 1.5_c_double) <= 1.5_c_double * error(1), 'Monte Carlo gives the value')
    call tessera_get(s, TESSERA_SAMPLING_USED, sampling)
    call check(sampling == TESSERA_SAMPLING_VEGAS, 'VEGAS was used')
    chi2 = -1
    call tessera_get_chi2(s, chi2)
    call check(chi2(1) >= 0, 'chi-square')
    call tessera_get_chi2(s, wrong, status)
    call check(status == TESSERA_ERR_ARGUMENT, 'chi-square of another size')
    call tessera_save_grid(s, 'test_module_grid.txt  ')
    call tessera_create(other, 2, 1)
    call tessera_set_point(other, narrow_ridge)
    call tessera_set(other, TESSERA_RELTOL, 1e-2_c_double)
    call tessera_set(other, TESSERA_SAMPLING, TESSERA_SAMPLING_VEGAS)
    call tessera_set(other, TESSERA_SEED, 7)
    call tessera_set(other, TESSERA_KEEP_GRID, 1)
    call tessera_set(s, TESSERA_KEEP_GRID, 1)
    call tessera_load_grid(other, 'test_module_grid.txt')
    call tessera_integrate(s, TESSERA_MONTECARLO, value, error, status)
    call tessera_integrate(other, TESSERA_MONTECARLO, again, error, status)
    call check(value(1) == again(1), 'a grid from a file gives the same as the one kept')
    call tessera_get_grid(s, grid)
    call check(size(grid) == 258 .and. abs(grid(129, 2) - 1) <= 0, 'the grid as numbers')
    call tessera_set_grid(other, grid)
    call tessera_set_grid(other, grid(1:128, :), status)
    call check(status == TESSERA_ERR_ARGUMENT, 'a grid of another size')
    call tessera_set(s, TESSERA_KEEP_STATE, 1)
    call tessera_integrate(s, TESSERA_MONTECARLO, value, error, status)
    call tessera_get_state(s, state)
    call tessera_set_state(other, state)
    call tessera_integrate(other, TESSERA_MONTECARLO, again, error, status)
    call check(value(1) == again(1), 'a run that goes on from the end of another is that run')
    call tessera_save_state(s, 'test_module_state.bin  ')
    call tessera_set(s, TESSERA_KEEP_STATE, 0)
    call tessera_set_checkpoint(s, 'test_module_state.new2')
    call tessera_load_state(s, 'test_module_state.bin', status)
    call check(status == TESSERA_OK, 'a state from a file')
    call tessera_set_checkpoint(s, ' ')
    call tessera_load_state(s, 'test_module_none.bin', status)
    call check(status == TESSERA_ERR_FILE, 'a state that is not there')
    call tessera_integrate(s, TESSERA_MONTECARLO, value, error, status)
    call check(value(1) == again(1), 'a run that goes on from the file of another is that run')
    open (newunit=unit, file='test_module_state.bin')
    close (unit, status='delete')
    call tessera_set_state(other, state(2:), status)
    call check(status == TESSERA_ERR_ARGUMENT, 'a state of another size')
    call tessera_load_grid(other, 'test_module_none.txt', status)
    call check(status == TESSERA_ERR_FILE, 'a grid file that is not there')
    open (newunit=unit, file='test_module_grid.txt')
    close (unit, status='delete')
    call tessera_destroy(s)
    call tessera_destroy(other)
  end subroutine test_monte_carlo

  subroutine test_domain()
    type(tessera_solver) :: s
    integer(c_int) :: ierr
    real(c_double) :: x(4), value(1), error(1), plane(3, 3)
    character(:), allocatable :: text
    x = [1, 2, 3, 4]
    call tessera_create(s, 3, 1)
    call tessera_set_domain(s, x(1:2), x(2:4), ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'domain: lower too short')
    call check(index(tessera_last_error(s), 'lower has the size 2') == 1, 'domain: the sentence names lower')
    call tessera_set_domain(s, x(1:3), x, ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'domain: upper too long')
    call check(index(tessera_last_error(s), 'upper has the size 4') == 1, 'domain: the sentence names upper')
    call tessera_set(s, TESSERA_MAXEVAL, 100000, ierr)
    call check(index(tessera_last_error(s), 'upper has the size 4') == 1, 'a call that succeeds keeps the last error')
    call tessera_set(s, 9999, 1, ierr)
    call check_status(ierr, TESSERA_ERR_KEY, 'unknown key')
    text = tessera_last_error(s)
    call check(index(text, 'upper') == 0 .and. len(text) > 0, 'an error of the library replaces one of the module')
    x(2) = ieee_value(x(2), ieee_quiet_nan)
    call tessera_set_domain(s, x(1:3), [5.0_c_double, 5.0_c_double, 5.0_c_double], ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'domain: NaN')
    call check(len(tessera_last_error(s)) > 0, 'domain: NaN has a sentence')

    ! A section with a stride: the limits are (0,0,0) and (1,2,3).
    plane = 0
    plane(1, :) = 0
    plane(2, :) = [1, 2, 3]
    call tessera_set_domain(s, plane(1, :), plane(2, :), ierr)
    call check_status(ierr, TESSERA_OK, 'domain from array sections')
    call tessera_set_point(s, one)
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call check(ierr == TESSERA_OK .and. close_to(value(1), 6.0_c_double, 1e-13_c_double), 'domain: the volume is right')
    call tessera_destroy(s)
  end subroutine test_domain

  subroutine test_options()
    type(tessera_solver) :: s
    integer(c_int) :: ierr
    integer(int32) :: narrow
    integer(int64) :: wide
    real(c_double) :: r
    narrow = -1
    wide = -1
    r = -1
    call tessera_create(s, 3, 1)
    call tessera_get(s, TESSERA_MAXEVAL, narrow, ierr)
    call check(ierr == TESSERA_OK .and. narrow == 100000000, 'option: default of an integer')
    call tessera_get(s, TESSERA_RELTOL, r, ierr)
    call check(ierr == TESSERA_OK .and. same(r, 1e-6_c_double), 'option: default of a real')
    call tessera_set(s, TESSERA_MAXEVAL, 1000000, ierr)
    call check_status(ierr, TESSERA_OK, 'option: set a 32-bit integer')
    call tessera_get(s, TESSERA_MAXEVAL, wide, ierr)
    call check(ierr == TESSERA_OK .and. wide == 1000000, 'option: get a 64-bit integer')
    call tessera_set(s, TESSERA_MAXEVAL, 5000000000_int64, ierr)
    call check_status(ierr, TESSERA_OK, 'option: set a 64-bit integer')
    call tessera_get(s, TESSERA_MAXEVAL, wide, ierr)
    call check(ierr == TESSERA_OK .and. wide == 5000000000_int64, 'option: 64 bits arrive')
    narrow = 17
    call tessera_get(s, TESSERA_MAXEVAL, narrow, ierr)
    call check_status(ierr, TESSERA_ERR_RANGE, 'option: 64 bits do not fit into 32')
    call check(narrow == 17, 'option: what does not fit is not written')
    call check(index(tessera_last_error(s), '5000000000') > 0, 'option: what does not fit is in the sentence')
    call tessera_set(s, TESSERA_RELTOL, 1e-3_c_double, ierr)
    call tessera_get(s, TESSERA_RELTOL, r, ierr)
    call check(ierr == TESSERA_OK .and. same(r, 1e-3_c_double), 'option: a real goes and comes back')

    call tessera_set(s, TESSERA_MAXEVAL, 1e6_c_double, ierr)
    call check_status(ierr, TESSERA_ERR_TYPE, 'option: a real for an integer')
    call tessera_set(s, TESSERA_RELTOL, 1, ierr)
    call check_status(ierr, TESSERA_ERR_TYPE, 'option: a 32-bit integer for a real')
    call tessera_set(s, TESSERA_RELTOL, 1_int64, ierr)
    call check_status(ierr, TESSERA_ERR_TYPE, 'option: a 64-bit integer for a real')
    call tessera_get(s, TESSERA_MAXEVAL, r, ierr)
    call check_status(ierr, TESSERA_ERR_TYPE, 'option: get an integer as a real')
    call tessera_get(s, TESSERA_RELTOL, wide, ierr)
    call check_status(ierr, TESSERA_ERR_TYPE, 'option: get a real as a 64-bit integer')
    call tessera_get(s, TESSERA_RELTOL, narrow, ierr)
    call check_status(ierr, TESSERA_ERR_TYPE, 'option: get a real as a 32-bit integer')
    call tessera_set(s, 12345, 1, ierr)
    call check_status(ierr, TESSERA_ERR_KEY, 'option: set an unknown key')
    call tessera_get(s, 12345, wide, ierr)
    call check_status(ierr, TESSERA_ERR_KEY, 'option: get an unknown key')
    call tessera_set(s, TESSERA_EVALUATIONS, 1, ierr)
    call check_status(ierr, TESSERA_ERR_KEY, 'option: a statistic cannot be set')
    call tessera_set(s, TESSERA_SECONDS, 1.0_c_double, ierr)
    call check_status(ierr, TESSERA_ERR_KEY, 'option: a real statistic cannot be set')
    call tessera_set(s, TESSERA_MAXEVAL, 0, ierr)
    call check_status(ierr, TESSERA_ERR_RANGE, 'option: below its bounds')
    call check(index(tessera_last_error(s), 'MAXEVAL') > 0, 'option: the sentence names the key')
    call tessera_set(s, TESSERA_SPLITTING, 6, ierr)
    call check_status(ierr, TESSERA_ERR_RANGE, 'option: above its bounds')
    call tessera_set(s, TESSERA_RELTOL, -1.0_c_double, ierr)
    call check_status(ierr, TESSERA_ERR_RANGE, 'option: a negative tolerance')
    call tessera_set(s, TESSERA_RELTOL, ieee_value(r, ieee_quiet_nan), ierr)
    call check(ierr < 0, 'option: NaN')
    call tessera_get(s, TESSERA_RELTOL, r, ierr)
    call check(same(r, 1e-3_c_double), 'option: a refused value changes nothing')
    call tessera_destroy(s)
  end subroutine test_options

  ! A callback for a device: on the host it is no integrand, and on a device it is called.
  subroutine test_device_callback()
    type(tessera_solver) :: s
    real(c_double) :: value(1), error(1)
    integer(c_int) :: ierr
    integer :: stopped
    call tessera_set_integrand_device(s, refuses, ierr=ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'device callback: a solver that was never created')
    call tessera_create(s, 2, 1)
    call tessera_set_integrand_device(s, refuses, ierr=ierr)
    call check_status(ierr, TESSERA_OK, 'device callback: set')
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call check_status(ierr, TESSERA_ERR_NO_INTEGRAND, 'device callback: not on the host')
    call tessera_set(s, TESSERA_DEVICE, 0)
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    if (ierr /= TESSERA_ERR_NOT_BUILT) then
      call check_status(ierr, TESSERA_ERR_CALLBACK, 'device callback: it stops the run')
      call tessera_get(s, TESSERA_CALLBACK_STATUS, stopped)
      call check(stopped == 5, 'device callback: its result')
    end if
    call tessera_set_integrand_device(s, ierr=ierr)
    call check_status(ierr, TESSERA_OK, 'device callback: taken away')
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call check_status(ierr, TESSERA_ERR_NO_INTEGRAND, 'device callback: none is left')
    call tessera_destroy(s)
  end subroutine test_device_callback

  ! Launches nothing; 5 if the arguments are those of two variables and one component.
  function refuses(n, ndim, x, ldx, ncomp, f, ldf, stream, userdata) result(stop_code) bind(c)
    use, intrinsic :: iso_c_binding, only: c_associated, c_ptr
    integer(c_int64_t), value :: n, ldx, ldf
    integer(c_int), value :: ndim, ncomp
    type(c_ptr), value :: x, f, stream, userdata
    integer(c_int) :: stop_code
    stop_code = 5
    if (ndim /= 2 .or. ncomp /= 1 .or. ldx < n .or. ldf < n) stop_code = 6
    if (.not. (c_associated(x) .and. c_associated(f) .and. c_associated(stream))) stop_code = 7
    if (c_associated(userdata)) stop_code = 8
  end function refuses

  ! Source text on the host, with and without a compiler to compile it.
  subroutine test_source()
    type(tessera_solver) :: s
    real(c_double) :: value(1), error(1)
    integer(c_int) :: ierr
    character(80) :: text
    text = 'double f(const double *x) { return x[0] * x[1]; }'
    call tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, text, 'f', ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'source: a solver that was never created')
    call tessera_create(s, 2, 1)
    call tessera_set(s, TESSERA_DISK_CACHE, 0)
    call tessera_set_integrand_source(s, 17, text, 'f', ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'source: unknown language')
    call tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, source=text, ierr=ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'source: no name of a function')
    call tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, text, 'f  ', ierr)
    call check_status(ierr, TESSERA_OK, 'source: set')
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    if (ierr /= TESSERA_ERR_NOT_BUILT) then
      call check(ierr == TESSERA_OK .and. close_to(value(1), 0.25_c_double, 1e-13_c_double), 'source: the value')
    end if
    call tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, ierr=ierr)
    call check_status(ierr, TESSERA_OK, 'source: taken away')
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call check_status(ierr, TESSERA_ERR_NO_INTEGRAND, 'source: none is left')
    call tessera_destroy(s)
  end subroutine test_source

  ! A file on the host, and code, which has no host form.
  subroutine test_file_and_code()
    type(tessera_solver) :: s
    real(c_double) :: value(1), error(1)
    integer(c_int) :: ierr, inlined
    integer :: unit
    character(*), parameter :: file = 'test_module_integrand.cu   '
    character(*), parameter :: ptx = '.version 8.0' // new_line('a') // '.target sm_80' // new_line('a')
    call tessera_set_integrand_file(s, TESSERA_LANGUAGE_CUDA, file, 'f', ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'file: a solver that was never created')
    call tessera_set_integrand_code(s, TESSERA_CODE_PTX, ptx, 'f', ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'code: a solver that was never created')
    call tessera_set_stream(s, ierr=ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'stream: a solver that was never created')
    call tessera_set_devices(s, [0_c_int], ierr=ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'devices: a solver that was never created')
    call tessera_reset(s, ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'reset: a solver that was never created')
    call tessera_set_comm(s, 0, ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'comm: a solver that was never created')
    call tessera_create(s, 2, 1)
    call tessera_set_comm(s, ierr=ierr)
    call check_status(ierr, TESSERA_OK, 'comm: none')
    call tessera_set_comm(s, 0, ierr)
    call check(ierr == TESSERA_ERR_RANKS .or. ierr == TESSERA_ERR_NOT_BUILT, 'comm: this is no MPI program')
    call tessera_set_comm_world(s, ierr)
    call check(ierr == TESSERA_ERR_RANKS .or. ierr == TESSERA_ERR_NOT_BUILT, 'comm: nor has it a world')
    call tessera_set(s, TESSERA_DISK_CACHE, 0)
    call tessera_reset(s, ierr)
    call check_status(ierr, TESSERA_OK, 'reset')
    call tessera_set(s, TESSERA_DISK_CACHE, 0)
    call tessera_set_integrand_file(s, TESSERA_LANGUAGE_CUDA, '/nonexistent/f.cu', 'f', ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'file: there is none')
    call check(index(tessera_last_error(s), '/nonexistent/f.cu') > 0, 'file: the sentence names it')
    open (newunit=unit, file=trim(file), status='replace', action='write')
    write (unit, '(a)') 'double f(const double *x) { return x[0] * x[1]; }'
    close (unit)
    call tessera_set_integrand_file(s, TESSERA_LANGUAGE_CUDA, file, 'f ', ierr)
    call check_status(ierr, TESSERA_OK, 'file: set')
    open (newunit=unit, file=trim(file), status='old')
    close (unit, status='delete')
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    if (ierr /= TESSERA_ERR_NOT_BUILT) then
      call check(ierr == TESSERA_OK .and. close_to(value(1), 0.25_c_double, 1e-13_c_double), 'file: the value')
    end if
    call tessera_get(s, TESSERA_INLINED, inlined)
    call check(inlined == -1, 'file: nothing was inlined on the host')
    call tessera_set_integrand_file(s, TESSERA_LANGUAGE_CUDA, ierr=ierr)
    call check_status(ierr, TESSERA_OK, 'file: taken away')
    call tessera_set_integrand_code(s, TESSERA_CODE_LTOIR, ptx, 'f', ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'code: of another kind')
    call tessera_set_integrand_code(s, TESSERA_CODE_PTX, ptx, ierr=ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'code: no name of a function')
    call tessera_set_integrand_code(s, TESSERA_CODE_PTX, ptx, 'f', ierr)
    call check_status(ierr, TESSERA_OK, 'code: set')
    call tessera_set_stream(s, c_null_ptr, ierr)
    call check_status(ierr, TESSERA_OK, 'stream: set')
    call tessera_set_devices(s, n=-2_c_int, ierr=ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'devices: no number of them')
    call tessera_set_devices(s, [-1_c_int], ierr=ierr)
    call check(ierr == TESSERA_ERR_ARGUMENT .or. ierr == TESSERA_ERR_NOT_BUILT, 'devices: none of this number')
    call tessera_set_devices(s, n=0_c_int, ierr=ierr)
    call check_status(ierr, TESSERA_OK, 'devices: one again')
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call check_status(ierr, TESSERA_ERR_NO_INTEGRAND, 'code: the host cannot run it')
    call tessera_set_integrand_code(s, 0, ierr=ierr)
    call check_status(ierr, TESSERA_OK, 'code: taken away')
    call tessera_destroy(s)
  end subroutine test_file_and_code

  ! A twin of a procedure of any kind: registered, set, taken away. The callback of the solver runs on the host.
  subroutine test_twins()
    type(tessera_solver) :: s
    real(c_double) :: value(1), error(1)
    real(c_double), target :: rate
    integer(c_int) :: ierr
    character(*), parameter :: text = 'double f(const double *x, const double *rate) { return exp(-*rate * (x[0] + x[1])); }'
    call tessera_set_twin(s, exponential, ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'twin: a solver that was never created')
    call tessera_register_twin(exponential, 77, text, 'f', ierr=ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'twin: unknown language')
    call tessera_register_twin(exponential, TESSERA_LANGUAGE_CUDA, '/nonexistent/f.cu', 'f', is_file=.true., ierr=ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'twin: there is no such file')
    call tessera_create(s, 2, 1)
    call tessera_set_twin(s, exponential, ierr)
    call check_status(ierr, TESSERA_ERR_NO_INTEGRAND, 'twin: none was registered')
    rate = 2
    call tessera_register_twin(exponential, TESSERA_LANGUAGE_CUDA, text, 'f ', params=c_loc(rate), bytes=int(8, c_size_t))
    call tessera_set_twin(s, exponential, ierr)
    call check_status(ierr, TESSERA_OK, 'twin: set')
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    if (ierr /= TESSERA_ERR_NOT_BUILT) then
      call check(ierr == TESSERA_OK .and. close_to(value(1), (0.5_c_double*(1 - exp(-2.0_c_double)))**2, 1e-6_c_double), &
                 'twin: the value')
    end if
    call tessera_register_twin(exponential, ierr=ierr)
    call check_status(ierr, TESSERA_OK, 'twin: taken away')
    call tessera_set_twin(s, exponential, ierr)
    call check_status(ierr, TESSERA_ERR_NO_INTEGRAND, 'twin: none is left')
    call tessera_set_twin(s)
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call check_status(ierr, TESSERA_ERR_NO_INTEGRAND, 'twin: and no text')
    call tessera_destroy(s)
  end subroutine test_twins

  subroutine test_wrong_calls()
    type(tessera_solver) :: s
    integer(c_int) :: ierr
    real(c_double) :: value(3), error(3)
    value = 5
    error = 6
    call tessera_create(s, 2, 2)
    call tessera_integrate(s, TESSERA_CUBATURE, value(:2), error(:2), ierr)
    call check_status(ierr, TESSERA_ERR_NO_INTEGRAND, 'integrate without an integrand')
    call tessera_set_point(s, powers)
    call tessera_integrate(s, TESSERA_CUBATURE, value, error(:2), ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'integrate: value too long')
    call check(index(tessera_last_error(s), 'value has the size 3') == 1, 'integrate: the sentence names value')
    call tessera_integrate(s, TESSERA_CUBATURE, value(:2), error(:1), ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'integrate: error too short')
    call check(index(tessera_last_error(s), 'error has the size 1') == 1, 'integrate: the sentence names error')
    call tessera_integrate(s, 77, value(:2), error(:2), ierr)
    call check(ierr < 0, 'integrate: no such method')
    call check(all(same(value, 5.0_c_double)) .and. all(same(error, 6.0_c_double)), &
               'integrate: a negative status leaves value and error alone')
    call tessera_set_integrand(s, ierr=ierr)
    call check_status(ierr, TESSERA_OK, 'the integrand can be taken away')
    call tessera_integrate(s, TESSERA_CUBATURE, value(:2), error(:2), ierr)
    call check_status(ierr, TESSERA_ERR_NO_INTEGRAND, 'integrate after the integrand was taken away')
    call tessera_set_point(s, powers)
    call tessera_set_integrand1(s, ierr=ierr)
    call tessera_integrate(s, TESSERA_CUBATURE, value(:2), error(:2), ierr)
    call check_status(ierr, TESSERA_ERR_NO_INTEGRAND, 'the other setter takes it away as well')
    call tessera_destroy(s)
    call tessera_create(s, 30, 1)
    call tessera_set_point(s, exponential)
    call tessera_integrate(s, TESSERA_CUBATURE, value(:1), error(:1), ierr)
    call check_status(ierr, TESSERA_ERR_UNSUPPORTED, 'integrate: more variables than TESSERA_NDIM_LIMIT')
    call check(same(value(1), 5.0_c_double) .and. same(error(1), 6.0_c_double), &
               'integrate: unsupported leaves value and error alone')
    call tessera_destroy(s)
  end subroutine test_wrong_calls

  subroutine test_point()
    type(tessera_solver) :: s
    integer(c_int) :: ierr
    integer :: k, n
    integer(int64) :: evaluations, n64
    real(c_double) :: value(1), error(1), seconds, exact, values(4), errors(4)
    exact = (exp(1.0_c_double) - 1)**3
    call tessera_create(s, 3, 1)
    call tessera_set_point(s, exponential)
    call tessera_set(s, TESSERA_RELTOL, 1e-9_c_double)
    calls = 0
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call check_status(ierr, TESSERA_OK, 'point')
    call check(close_to(value(1), exact, 1e-9_c_double), 'point: the value is right')
    call check(abs(value(1) - exact) <= max(error(1), 1e-14_c_double), 'point: the error estimate holds')
    call check(error(1) <= 1e-9_c_double * exact * (1 + 1e-6_c_double), 'point: the tolerance is met')
    evaluations = -1
    seconds = -1
    n = -1
    n64 = -1
    call tessera_get(s, TESSERA_EVALUATIONS, evaluations)
    call check(evaluations == calls .and. calls > 0, 'statistics: evaluations are calls')
    call tessera_get(s, TESSERA_SECONDS, seconds)
    call check(seconds >= 0 .and. seconds < 60, 'statistics: seconds')
    call tessera_get(s, TESSERA_REGIONS, n)
    call check(n >= 2, 'statistics: regions')
    call tessera_get(s, TESSERA_ITERATIONS, n)
    call check(n >= 1, 'statistics: iterations')
    call tessera_get(s, TESSERA_RULE_USED, n)
    call check(n > 0, 'statistics: rule')
    call tessera_get(s, TESSERA_RULE_POINTS, n)
    call check(n > 1 .and. evaluations > n, 'statistics: evaluations are rules and places beside them')
    call tessera_set(s, TESSERA_LEAST_REGIONS, 1)
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call check_status(ierr, TESSERA_OK, 'point, few regions')
    call tessera_get(s, TESSERA_EVALUATIONS, evaluations)
    call check(mod(evaluations, int(n, int64)) == 0, 'statistics: evaluations are whole rules')
    call tessera_get(s, TESSERA_THREADS_USED, n)
    call check(n == 1, 'statistics: threads')
    call tessera_get(s, TESSERA_REGION_BYTES, n)
    call check(n > 0, 'statistics: bytes of a region')
    call tessera_get(s, TESSERA_PEAK_MEMORY, n64)
    call check(n64 > 0, 'statistics: memory')
    call tessera_get(s, TESSERA_CALLBACK_STATUS, n)
    call check(n == 0, 'statistics: callback status')

    call tessera_set_integrand1(s, exponential_1)
    calls = 0
    call tessera_integrate(s, TESSERA_CUBATURE, values(1:1), error, ierr)
    call check(ierr == TESSERA_OK .and. calls == evaluations, 'integrand1: as many calls')
    call check(close_to(values(1), value(1), 1e-14_c_double), 'integrand1: the same value')
    call tessera_set_integrand(s, exponential_batch)
    calls = 0
    call tessera_integrate(s, TESSERA_CUBATURE, values(1:1), error, ierr)
    call check(ierr == TESSERA_OK .and. calls == evaluations, 'batch: as many points')
    call check(close_to(values(1), value(1), 1e-14_c_double), 'batch: the same value')
    call tessera_destroy(s)

    call tessera_create(s, 2, 4)
    call tessera_set_point(s, powers)
    call tessera_integrate(s, TESSERA_CUBATURE, values, errors, ierr)
    call check_status(ierr, TESSERA_OK, 'vector integrand')
    do k = 1, 4
      exact = 1.0_c_double / (k + 1) + 0.5_c_double
      call check(close_to(values(k), exact, 1e-12_c_double), 'vector integrand: every component is right')
    end do
    call tessera_destroy(s)
  end subroutine test_point

  ! The integrand without an integral.
  subroutine test_evaluate()
    type(tessera_solver) :: s
    integer(c_int) :: ierr
    real(c_double) :: x(3, 2), f(3, 4), expected(4)
    integer :: i
    call tessera_create(s, 2, 4)
    call tessera_set_point(s, powers)
    x(:, 1) = [0.1_c_double, 0.7_c_double, 2.0_c_double]
    x(:, 2) = [0.9_c_double, 0.2_c_double, -1.0_c_double]
    f = -1
    call tessera_evaluate(s, x, f)
    do i = 1, 3
      call powers(x(i, :), expected)
      call check(all(abs(f(i, :) - expected) <= 0.0_c_double), 'values at a point')
    end do
    call tessera_evaluate(s, x(:, :1), f, ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'too few coordinates')
    call tessera_evaluate(s, x, f(:2, :), ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'too few values')
    call tessera_evaluate(s, x(:0, :), f(:0, :), ierr)
    call check_status(ierr, TESSERA_OK, 'no points')
    call tessera_destroy(s)
  end subroutine test_evaluate

  ! A run in two parts, the regions handed over as an array.
  subroutine test_regions()
    type(tessera_solver) :: s
    integer(c_int) :: ierr
    integer(c_int64_t) :: evaluations
    real(c_double) :: value(4), error(4), whole(4), whole_error(4)
    real(c_double), allocatable :: records(:, :)
    call tessera_create(s, 2, 4)
    call tessera_set_point(s, powers)
    call tessera_get_regions(s, records, ierr)
    call check_status(ierr, TESSERA_ERR_UNSUPPORTED, 'regions before a run')
    call check(.not. allocated(records), 'regions before a run: none')
    call tessera_set(s, TESSERA_RELTOL, 0.0_c_double)
    call tessera_set(s, TESSERA_MAXEVAL, 2000)
    call tessera_integrate(s, TESSERA_CUBATURE, whole, whole_error, ierr)
    call tessera_set(s, TESSERA_MAXEVAL, 1000)
    call tessera_set(s, TESSERA_KEEP_REGIONS, 1)
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call check_status(ierr, TESSERA_LIMIT_EVALUATIONS, 'first part')
    call tessera_get(s, TESSERA_EVALUATIONS, evaluations)
    call tessera_get_regions(s, records)
    call check(size(records, 1) == 18 .and. size(records, 2) == (evaluations / 65 + 1) / 2, 'shape of the records')
    call check(close_to(sum(records(5, :)), value(1), 1e-12_c_double), 'values of the regions')
    call tessera_set_regions(s, records(:17, :), evaluations, ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'records of the wrong length')
    call tessera_set_regions(s, records, evaluations)
    call tessera_set(s, TESSERA_MAXEVAL, 2000)
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call check_status(ierr, TESSERA_LIMIT_EVALUATIONS, 'second part')
    call check(all(value == whole) .and. all(error == whole_error), 'two parts give the whole')
    call tessera_destroy(s)
  end subroutine test_regions

  ! Two solvers with the same procedure and different data, run in turns.
  subroutine test_point_data()
    type(tessera_solver) :: a, b
    real(c_double), target :: pa(2), pb(2), pc(2)
    integer(c_int) :: ierr
    real(c_double) :: value(1), error(1)
    integer :: turn
    pa = [1.0_c_double, 2.0_c_double]
    pb = [-0.5_c_double, 0.25_c_double]
    pc = [0.75_c_double, -1.5_c_double]
    call tessera_create(a, 2, 1)
    call tessera_create(b, 2, 1)
    call tessera_set(a, TESSERA_RELTOL, 1e-10_c_double)
    call tessera_set(b, TESSERA_RELTOL, 1e-10_c_double)
    call tessera_set_point(a, shifted, c_loc(pa), ierr)
    call check_status(ierr, TESSERA_OK, 'point with data')
    call tessera_set_point(b, shifted, c_loc(pb))
    do turn = 1, 2
      call tessera_integrate(a, TESSERA_CUBATURE, value, error, ierr)
      call check(ierr == TESSERA_OK .and. close_to(value(1), table(pa), 1e-10_c_double), 'point with data: solver a')
      call tessera_integrate(b, TESSERA_CUBATURE, value, error, ierr)
      call check(ierr == TESSERA_OK .and. close_to(value(1), table(pb), 1e-10_c_double), 'point with data: solver b')
    end do
    pa = pc  ! the address counts, not a copy
    call tessera_integrate(a, TESSERA_CUBATURE, value, error, ierr)
    call check(ierr == TESSERA_OK .and. close_to(value(1), table(pc), 1e-10_c_double), 'point with data: it is not copied')
    call tessera_set_point(a, exponential)
    call tessera_integrate(a, TESSERA_CUBATURE, value, error, ierr)
    call check(ierr == TESSERA_OK .and. close_to(value(1), (exp(1.0_c_double) - 1)**2, 1e-10_c_double), &
               'the last integrand set counts')
    call tessera_set_point(a, shifted, c_loc(pb))
    call tessera_integrate(a, TESSERA_CUBATURE, value, error, ierr)
    call check(ierr == TESSERA_OK .and. close_to(value(1), table(pb), 1e-10_c_double), 'and the data set with it')
    call tessera_destroy(a)
    call tessera_integrate(b, TESSERA_CUBATURE, value, error, ierr)
    call check(ierr == TESSERA_OK .and. close_to(value(1), table(pb), 1e-10_c_double), &
               'a solver outlives the other one')
    call tessera_destroy(b)
  end subroutine test_point_data

  subroutine test_batch()
    type(tessera_solver) :: s
    integer(c_int) :: ierr
    integer(int64) :: evaluations
    real(c_double) :: value(2), error(2), work(2, 2)
    real(c_double), target :: p(2)
    call tessera_create(s, 3, 2)
    call tessera_set_domain(s, [0.0_c_double, 0.0_c_double, 0.0_c_double], [2.0_c_double, 1.0_c_double, 1.0_c_double])
    call tessera_set_integrand(s, polynomial_batch, ierr=ierr)
    call check_status(ierr, TESSERA_OK, 'batch')
    call tessera_set(s, TESSERA_BATCH_POINTS, 100)
    calls = 0
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call check_status(ierr, TESSERA_OK, 'batch: integrate')
    call check(close_to(value(1), 2 + 20.0_c_double / 3 + 50, 1e-12_c_double), 'batch: coordinates are where they belong')
    call check(close_to(value(2), 1.0_c_double, 1e-12_c_double), 'batch: components are where they belong')
    evaluations = -1
    call tessera_get(s, TESSERA_EVALUATIONS, evaluations)
    call check(evaluations == calls, 'batch: evaluations are points')
    work = 0
    call tessera_integrate(s, TESSERA_CUBATURE, work(1, :), work(2, :), ierr)
    call check(ierr == TESSERA_OK .and. all(same(work(1, :), value)) .and. all(same(work(2, :), error)), &
               'value and error may be array sections')
    call tessera_destroy(s)

    p = [0.5_c_double, -2.0_c_double]
    call tessera_create(s, 2, 1)
    call tessera_set_integrand(s, weighted_batch, c_loc(p), ierr)
    call tessera_integrate(s, TESSERA_CUBATURE, value(:1), error(:1), ierr)
    call check(ierr == TESSERA_OK .and. close_to(value(1), table(p), 1e-6_c_double), 'batch with user data')
    call tessera_set_integrand1(s, weighted_1, c_loc(p), ierr)
    call tessera_integrate(s, TESSERA_CUBATURE, value(:1), error(:1), ierr)
    call check(ierr == TESSERA_OK .and. close_to(value(1), table(p), 1e-6_c_double), 'integrand1 with user data')
    call tessera_destroy(s)
  end subroutine test_batch

  ! The parameter block reaches every form of the integrand when there is no user data; it is a copy.
  subroutine test_params()
    type :: pair
      real(c_double) :: first, second
    end type pair
    type(tessera_solver) :: s
    type(pair) :: scalar
    integer(c_int) :: ierr
    real(c_double) :: value(1), error(1), p(2), kept(2)
    real(c_double), target :: q(2)
    p = [1.5_c_double, -0.5_c_double]
    kept = p
    q = [0.25_c_double, 3.0_c_double]
    call tessera_create(s, 2, 1)
    call tessera_set_params(s, p, 16, ierr)
    call check_status(ierr, TESSERA_OK, 'parameters')
    p = 100
    call tessera_set_integrand(s, weighted_batch)
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call check(ierr == TESSERA_OK .and. close_to(value(1), table(kept), 1e-6_c_double), 'parameters: batch')
    call tessera_set_integrand1(s, weighted_1)
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call check(ierr == TESSERA_OK .and. close_to(value(1), table(kept), 1e-6_c_double), 'parameters: integrand1')
    call tessera_set_point(s, shifted, c_null_ptr)
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call check(ierr == TESSERA_OK .and. close_to(value(1), table(kept), 1e-6_c_double), 'parameters: point with data')
    call tessera_set_point(s, shifted, c_loc(q))
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call check(ierr == TESSERA_OK .and. close_to(value(1), table(q), 1e-6_c_double), 'parameters: user data go first')
    scalar = pair(-1.0_c_double, 0.5_c_double)
    call tessera_set_params(s, scalar, c_sizeof(p), ierr)
    call check_status(ierr, TESSERA_OK, 'parameters: a structure, and a 64-bit size')
    call tessera_set_point(s, shifted, c_null_ptr)
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call check(ierr == TESSERA_OK .and. close_to(value(1), table([-1.0_c_double, 0.5_c_double]), 1e-6_c_double), &
               'parameters: new ones replace the old ones')
    call tessera_set_params(s, p, -1, ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'parameters: a negative size')
    call check(index(tessera_last_error(s), 'bytes') == 1, 'parameters: the sentence names bytes')
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call check(ierr == TESSERA_OK .and. close_to(value(1), table([-1.0_c_double, 0.5_c_double]), 1e-6_c_double), &
               'parameters: a refused block changes nothing')
    call tessera_set_params(s, p, 0, ierr)
    call check_status(ierr, TESSERA_OK, 'parameters: removed')
    call tessera_destroy(s)
    call tessera_create(s, 3, 1)
    call tessera_set_params(s, q, 16)
    call tessera_set_params(s, q, 0)
    call tessera_set_integrand(s, exponential_batch)  ! answers 99 if it is given an address
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call check_status(ierr, TESSERA_OK, 'parameters: none are left')
    call tessera_destroy(s)
  end subroutine test_params

  subroutine test_many()
    integer, parameter :: n = 6
    type(tessera_solver) :: s
    integer(c_int) :: ierr, status(n)
    integer :: i
    real(c_double) :: value(1, n), error(1, n), one(1), one_error(1), params(2, n), lower(2, n), upper(2, n)
    do i = 1, n
      params(:, i) = [0.5_c_double * i, 1.1_c_double - 0.25_c_double * i]
      lower(:, i) = 0
      upper(:, i) = 0.25_c_double * i
    end do
    call tessera_integrate_many(s, TESSERA_CUBATURE, value, error, ierr=ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'never created: integrate_many')
    call tessera_create(s, 2, 1)
    call tessera_set_integrand1(s, weighted_1)
    call tessera_integrate_many(s, TESSERA_CUBATURE, value, error, params, status=status, ierr=ierr)
    call check_status(ierr, TESSERA_OK, 'many: parameters')
    do i = 1, n
      call check(status(i) == TESSERA_OK .and. close_to(value(1, i), table(params(:, i)), 1e-6_c_double), 'many: a parameter block')
    end do
    call tessera_integrate_many(s, TESSERA_CUBATURE, value, error, params, lower, upper, status, ierr)
    call check_status(ierr, TESSERA_OK, 'many: parameters and limits')
    do i = 1, n
      call tessera_set_params(s, params(:, i), 16)
      call tessera_set_domain(s, lower(:, i), upper(:, i))
      call tessera_integrate(s, TESSERA_CUBATURE, one, one_error)
      call check(same(value(1, i), one(1)) .and. same(error(1, i), one_error(1)), 'many: the same as a single call')
    end do
    upper(1, 2) = ieee_value(upper(1, 2), ieee_quiet_nan)
    value(1, 2) = -7
    call tessera_integrate_many(s, TESSERA_CUBATURE, value, error, params, lower, upper, status, ierr)
    call check_status(ierr, TESSERA_SOME_FAILED, 'many: a limit that is not a number')
    call check(all(status == [0, TESSERA_ERR_ARGUMENT, 0, 0, 0, 0]) .and. same(value(1, 2), -7.0_c_double), &
               'many: only that integral fails')
    call check(index(tessera_last_error(s), 'integral 1 (counted from 0)') == 1, 'many: the sentence names the integral')
    call tessera_integrate_many(s, TESSERA_CUBATURE, value(:, :4), error, ierr=ierr)
    call check(ierr == TESSERA_ERR_ARGUMENT .and. tessera_last_error(s) == 'error is for 6 integrals, but value is for 4', &
               'many: error has too many columns')
    call tessera_integrate_many(s, TESSERA_CUBATURE, value, error, params(:, :5), ierr=ierr)
    call check(index(tessera_last_error(s), 'params is for 5') == 1, 'many: params has too few columns')
    call tessera_integrate_many(s, TESSERA_CUBATURE, value, error, lower=lower(:1, :), upper=upper, ierr=ierr)
    call check(index(tessera_last_error(s), 'lower has the size 1') == 1, 'many: lower has too few rows')
    call tessera_integrate_many(s, TESSERA_CUBATURE, value, error, lower=lower, ierr=ierr)
    call check(index(tessera_last_error(s), 'upper is NULL') == 1, 'many: lower alone')
    call tessera_integrate_many(s, TESSERA_CUBATURE, value, error, status=status(:3), ierr=ierr)
    call check(index(tessera_last_error(s), 'status is for 3') == 1, 'many: status is too short')
    call tessera_set_point(s, gauss)
    call tessera_integrate_many(s, TESSERA_CUBATURE, value, error, params, ierr=ierr)
    call check(index(tessera_last_error(s), 'params is not NULL') == 1, 'many: the plain form sees no parameters')
    upper(1, 2) = 1
    call tessera_integrate_many(s, TESSERA_CUBATURE, value, error, lower=lower, upper=upper, ierr=ierr)
    call check_status(ierr, TESSERA_OK, 'many: the plain form with limits')
    call tessera_integrate_many(s, TESSERA_CUBATURE, value(:, :0), error(:, :0), params(:, :0), lower(:, :0), upper(:, :0), &
                                status(:0), ierr)
    call check_status(ierr, TESSERA_OK, 'many: none at all')
    call tessera_destroy(s)
  end subroutine test_many

  subroutine test_limit_functions()
    type(tessera_solver) :: s
    integer(c_int) :: ierr
    real(c_double) :: value(1), error(1)
    real(c_double), target :: factor
    factor = 3
    call tessera_create(s, 2, 1)
    call tessera_set_point(s, one)
    call tessera_set_limits(s, 2, wedge, c_loc(factor))
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call check(ierr == TESSERA_OK .and. close_to(value(1), 2.5_c_double, 1e-9_c_double), 'limits as a function')
    factor = 0.25_c_double
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call check(ierr == TESSERA_ERR_CALLBACK, 'limits that cross')
    call tessera_set_limits(s, 2)
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call check(ierr == TESSERA_OK .and. close_to(value(1), 1.0_c_double, 1e-12_c_double), 'limits taken away')
    call tessera_set_limits(s, 3, wedge, c_loc(factor), ierr)
    call check(ierr == TESSERA_ERR_ARGUMENT, 'limits of an axis that is not there')
    call tessera_set_limits(s, 0, wedge, c_loc(factor), ierr)
    call check(ierr == TESSERA_ERR_ARGUMENT, 'limits of axis 0')
    call tessera_destroy(s)
  end subroutine test_limit_functions

  subroutine test_limit_texts()
    type(tessera_solver) :: s
    integer(c_int) :: ierr
    real(c_double) :: value(1), error(1)
    call tessera_create(s, 2, 1)
    call tessera_set_point(s, one)
    call tessera_set_limits_source(s, 2, TESSERA_LANGUAGE_C, &
      'int half(int n, int axis, const double *x, double *lower, double *upper, void *p) ' // &
      '{ *lower = 0; *upper = axis == 1 ? x[0] : -1; return 0; }', 'half')
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call check(ierr == TESSERA_OK .and. close_to(value(1), 0.5_c_double, 1e-9_c_double), 'a triangle by a text')
    call tessera_set_limits_source(s, 3, TESSERA_LANGUAGE_C, 'int f;', 'f', ierr)
    call check(ierr == TESSERA_ERR_ARGUMENT, 'a text for an axis that there is not')
    call check(index(tessera_last_error(s), 'axis = 3 is not within 1 .. 2') > 0, 'axes are counted from 1')
    call tessera_set_limits_source(s, 2, TESSERA_LANGUAGE_C, 'int f;', ierr=ierr)
    call check(ierr == TESSERA_ERR_ARGUMENT, 'a text without a name')
    call tessera_set_limits_source(s, 2, TESSERA_LANGUAGE_C)
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call check(ierr == TESSERA_OK .and. close_to(value(1), 1.0_c_double, 1e-9_c_double), 'the square again')
    call tessera_destroy(s)
  end subroutine test_limit_texts

  subroutine test_simplex()
    type(tessera_solver) :: s
    integer(c_int) :: ierr
    real(c_double) :: value(1), error(1), vertices(2, 3)
    vertices = reshape([1.0_c_double, 1.0_c_double, 3.0_c_double, 1.0_c_double, 1.0_c_double, 2.0_c_double], [2, 3])
    call tessera_create(s, 2, 1)
    call tessera_set_point(s, one)
    call tessera_set_simplex(s, TESSERA_SIMPLEX_DUFFY, vertices)
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call check(ierr == TESSERA_OK .and. close_to(value(1), 1.0_c_double, 1e-9_c_double), 'a triangle by its vertices')
    call tessera_set_simplex(s, TESSERA_SIMPLEX_SYMMETRIC)
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call check(ierr == TESSERA_OK .and. close_to(value(1), 0.5_c_double, 1e-9_c_double), 'the unit triangle')
    call tessera_set_simplex(s, TESSERA_SIMPLEX_DUFFY, vertices(:, :2), ierr)
    call check(ierr == TESSERA_ERR_ARGUMENT, 'a vertex is missing')
    vertices(:, 3) = vertices(:, 2)
    call tessera_set_simplex(s, TESSERA_SIMPLEX_DUFFY, vertices, ierr)
    call check(ierr == TESSERA_ERR_ARGUMENT, 'a triangle without an area')
    call tessera_destroy(s)
  end subroutine test_simplex

  subroutine test_ranges()
    type(tessera_solver) :: s
    integer(c_int) :: ierr
    integer :: evaluations
    real(c_double), parameter :: pi = acos(-1.0_c_double)
    real(c_double) :: inf, value(1), error(1), forward
    inf = ieee_value(inf, ieee_positive_inf)
    call tessera_create(s, 2, 1)
    call tessera_set_point(s, gauss)
    call tessera_set_domain(s, [-inf, -inf], [inf, inf])
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call check(ierr == TESSERA_OK .and. close_to(value(1), pi, 2e-6_c_double), 'infinite range')
    call tessera_set_domain(s, [0.0_c_double, -inf], [inf, 0.0_c_double])
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call check(ierr == TESSERA_OK .and. close_to(value(1), pi / 4, 2e-6_c_double), 'half-infinite ranges')
    call tessera_set_domain(s, [inf, -inf], [0.0_c_double, 0.0_c_double])
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call check(ierr == TESSERA_OK .and. close_to(value(1), -pi / 4, 2e-6_c_double), 'a reversed half-infinite range')
    call tessera_set_domain(s, [0.0_c_double, -1.0_c_double], [1.0_c_double, 2.0_c_double])
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    forward = value(1)
    call tessera_set_domain(s, [1.0_c_double, -1.0_c_double], [0.0_c_double, 2.0_c_double])
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call check(ierr == TESSERA_OK .and. close_to(value(1), -forward, 1e-13_c_double) .and. forward > 0, &
               'reversed limits change the sign')
    call check(error(1) >= 0, 'reversed limits: the error is positive')
    call tessera_set_domain(s, [1.0_c_double, 2.0_c_double], [0.0_c_double, -1.0_c_double])
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call check(ierr == TESSERA_OK .and. close_to(value(1), forward, 1e-13_c_double), 'reversed twice')
    call tessera_set_domain(s, [0.5_c_double, 0.0_c_double], [0.5_c_double, 1.0_c_double])
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call check(ierr == TESSERA_OK .and. same(value(1), 0.0_c_double) .and. same(error(1), 0.0_c_double), 'equal limits give 0')
    evaluations = -1
    call tessera_get(s, TESSERA_EVALUATIONS, evaluations)
    call check(evaluations == 0, 'equal limits need no evaluation')
    call tessera_destroy(s)

    call tessera_create(s, 1, 1)
    call tessera_set_point(s, decay)
    call tessera_set_domain(s, [0.0_c_double], [inf])
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call check(ierr == TESSERA_OK .and. close_to(value(1), 1.0_c_double, 1e-6_c_double), 'one variable, half-infinite')
    call tessera_set_domain(s, [ieee_value(inf, ieee_negative_inf)], [inf])
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call check(ierr == TESSERA_OK .and. close_to(value(1), 2.0_c_double, 1e-6_c_double), 'one variable, infinite')
    call tessera_destroy(s)
  end subroutine test_ranges

  subroutine test_callback_status()
    type(tessera_solver) :: s
    integer(c_int) :: ierr
    integer :: code
    real(c_double) :: value(1), error(1)
    value = 5
    error = 6
    call tessera_create(s, 3, 1)
    call tessera_set_integrand1(s, stopping)
    call tessera_set(s, TESSERA_RELTOL, 1e-12_c_double)
    call tessera_set(s, TESSERA_MAXEVAL, 1000000)
    calls = 0
    stop_at = 5
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call check_status(ierr, TESSERA_ERR_CALLBACK, 'the integrand stops before there is a value')
    call check(same(value(1), 5.0_c_double) .and. same(error(1), 6.0_c_double), 'and value and error stay as they were')
    code = 0
    call tessera_get(s, TESSERA_CALLBACK_STATUS, code)
    call check(code == 42, 'its answer is a statistic')
    calls = 0
    stop_at = 10000
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call check_status(ierr, TESSERA_CALLBACK_STOPPED, 'the integrand stops later')
    call check(abs(value(1) - acos(-1.0_c_double) / 6) < 0.1_c_double .and. error(1) > 0, 'and there is a value')
    code = 0
    call tessera_get(s, TESSERA_CALLBACK_STATUS, code)
    call check(code == 42, 'its answer is a statistic then as well')
    stop_at = huge(stop_at)
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call tessera_get(s, TESSERA_CALLBACK_STATUS, code)
    call check(code == 0, 'the statistic is that of the last run')
    call tessera_set_point(s, not_a_number)
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call check_status(ierr, TESSERA_NONFINITE, 'the integrand returns NaN')
    call check(len(tessera_last_error(s)) > 0, 'and the sentence says where')
    call tessera_destroy(s)
  end subroutine test_callback_status

  ! Positive statuses: there is a value, and no stop without ierr.
  subroutine test_limits()
    type(tessera_solver) :: s
    integer(c_int) :: ierr
    integer(int64) :: evaluations
    real(c_double) :: value(1), error(1), exact
    exact = acos(-1.0_c_double) / 6
    call tessera_create(s, 3, 1)
    call tessera_set_point(s, step)
    call tessera_set(s, TESSERA_RELTOL, 1e-12_c_double)
    call tessera_set(s, TESSERA_MAXEVAL, 50000)
    calls = 0
    value = 0
    error = 0
    call tessera_integrate(s, TESSERA_CUBATURE, value, error)
    call check(.true., 'a positive status does not stop the program')
    call check(abs(value(1) - exact) < 0.02_c_double .and. error(1) > 0, 'limit of evaluations: there is a value')
    call tessera_get(s, TESSERA_EVALUATIONS, evaluations)
    call check(evaluations <= 50000 .and. evaluations > 25000 .and. evaluations <= calls, &
               'limit of evaluations: it is not exceeded')
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call check_status(ierr, TESSERA_LIMIT_EVALUATIONS, 'limit of evaluations')
    call check(len(tessera_last_error(s)) > 0, 'limit of evaluations: a sentence')
    call tessera_set(s, TESSERA_MAXEVAL, 1000000000)
    call tessera_set(s, TESSERA_MAX_SECONDS, 0.2_c_double)
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call check_status(ierr, TESSERA_LIMIT_TIME, 'limit of time')
    call check(abs(value(1) - exact) < 0.02_c_double, 'limit of time: there is a value')
    call tessera_destroy(s)
  end subroutine test_limits

  ! A solver refuses calls from its own callbacks; another solver may be used there.
  subroutine test_own_callbacks()
    type(tessera_solver) :: s
    integer(c_int) :: ierr
    integer :: i
    real(c_double) :: value(1), error(1), exact
    exact = (exp(1.0_c_double) - 1)**2
    inner_status = 0
    call tessera_create(outer, 2, 1)
    call tessera_set_point(outer, meddling)
    call tessera_integrate(outer, TESSERA_CUBATURE, value, error, ierr)
    do i = 1, size(inner_status)
      call check_status(inner_status(i), TESSERA_ERR_BUSY, 'a call from a callback')
    end do
    call check(ierr == TESSERA_OK .and. close_to(value(1), exact, 1e-6_c_double), 'and the run goes on')
    call tessera_integrate(outer, TESSERA_CUBATURE, value, error, ierr)
    call check(ierr == TESSERA_OK .and. close_to(value(1), exact, 1e-6_c_double), 'with the integrand it had')
    call tessera_destroy(outer)
    inner_status = -1
    call tessera_create(s, 2, 1)
    call tessera_set_point(s, nested)
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call check(ierr == TESSERA_OK .and. inner_status(1) == TESSERA_OK, 'an integral inside an integrand')
    call check(close_to(value(1), (exp(1.0_c_double) - 1) / 2, 1e-9_c_double), 'and its value')
    call tessera_destroy(s)
  end subroutine test_own_callbacks

  subroutine test_progress()
    type(tessera_solver) :: s
    type(watch_record), target :: w
    integer(c_int) :: ierr
    integer :: before
    integer(int64) :: evaluations
    real(c_double) :: value(1), error(1)
    call tessera_create(s, 3, 1)
    call tessera_set_point(s, slow_step)
    call tessera_set(s, TESSERA_RELTOL, 1e-13_c_double)
    call tessera_set(s, TESSERA_MAXEVAL, 2000000000)
    call tessera_set(s, TESSERA_MAX_SECONDS, 30.0_c_double)
    w = watch_record(stop_at=3)
    call tessera_set_progress(s, watch, c_loc(w), ierr)
    call check_status(ierr, TESSERA_OK, 'progress')
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call check_status(ierr, TESSERA_STOPPED, 'progress: it can stop the run')
    call check(w%calls == 3, 'progress: no call after the one that stopped')
    call check(w%sane, 'progress: its arguments make sense')
    evaluations = -1
    call tessera_get(s, TESSERA_EVALUATIONS, evaluations)
    call check(evaluations >= w%evaluations .and. w%evaluations > 0, 'progress: the evaluations are the statistic')
    call check(value(1) > 0 .and. error(1) > 0, 'progress: there is a value after the stop')
    before = w%calls
    call tessera_set_progress(s, ierr=ierr)
    call check_status(ierr, TESSERA_OK, 'progress: taken away')
    call tessera_set(s, TESSERA_MAX_SECONDS, 0.5_c_double)
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call check_status(ierr, TESSERA_LIMIT_TIME, 'progress: a run without it')
    call check(w%calls == before, 'progress: no call after it was taken away')
    call tessera_destroy(s)
  end subroutine test_progress

  subroutine test_log()
    type(tessera_solver) :: s
    type(listen_record), target :: l
    integer(c_int) :: ierr
    integer :: before
    real(c_double) :: value(1), error(1)
    character(kind=c_char) :: line(6)
    line = ['a', 'b', ' ', 'c', c_null_char, 'd']
    call check(tessera_string(line) == 'ab c' .and. len(tessera_string(line)) == 4, 'a C string becomes a Fortran string')
    line(1) = c_null_char
    call check(len(tessera_string(line)) == 0, 'an empty C string becomes an empty Fortran string')
    l = listen_record()
    call tessera_create(s, 3, 1)
    call tessera_set_point(s, step)
    call tessera_set(s, TESSERA_RELTOL, 1e-12_c_double)
    call tessera_set(s, TESSERA_MAXEVAL, 20000)
    call tessera_set_log(s, listen, c_loc(l), ierr)
    call check_status(ierr, TESSERA_OK, 'log')
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call check(l%lines > 0, 'log: a run that ends early says something')
    call check(l%sane, 'log: levels and lines make sense')
    before = l%lines
    call tessera_set_log(s, ierr=ierr)
    call check_status(ierr, TESSERA_OK, 'log: taken away')
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, ierr)
    call check(l%lines == before, 'log: silent after it was taken away')
    call tessera_destroy(s)
  end subroutine test_log

  ! The trampoline is re-entrant, and the result does not depend on the number of threads.
  subroutine test_threads()
    type(tessera_solver) :: s
    integer(c_int) :: ierr, ierr2
    integer :: threads
    real(c_double) :: value(2), error(2)
    call tessera_create(s, 3, 1)
    call tessera_set(s, TESSERA_RELTOL, 1e-12_c_double)
    call tessera_set(s, TESSERA_MAXEVAL, 300000)
    call tessera_set_point(s, slow_step)
    call tessera_integrate(s, TESSERA_CUBATURE, value(1:1), error(1:1), ierr)
    call tessera_set(s, TESSERA_THREADS, 2)
    call tessera_integrate(s, TESSERA_CUBATURE, value(2:2), error(2:2), ierr2)
    call check(ierr == ierr2 .and. same(value(1), value(2)) .and. same(error(1), error(2)), 'threads: the same bits, point')
    threads = 0
    call tessera_get(s, TESSERA_THREADS_USED, threads)
    call check(threads == 2, 'threads: two were used')
    call tessera_set_integrand1(s, sphere_1)
    call tessera_integrate(s, TESSERA_CUBATURE, value(1:1), error(1:1), ierr)
    call tessera_set(s, TESSERA_THREADS, 1)
    call tessera_integrate(s, TESSERA_CUBATURE, value(2:2), error(2:2), ierr2)
    call check(ierr == ierr2 .and. same(value(1), value(2)) .and. same(error(1), error(2)), 'threads: the same bits, integrand1')
    call tessera_destroy(s)
  end subroutine test_threads

  ! log 2 as the limit of the integral of 1/(1 + x + delta); params(2) is delta.
  subroutine test_integrate_limit()
    type(tessera_solver) :: s
    real(c_double) :: value(1), error(1), parameter(20), values(1, 20), errors(1, 20), params(2)
    real(c_double), parameter :: half = 0.5_c_double
    integer(c_int), parameter :: epsilon = TESSERA_EXTRAPOLATE_EPSILON
    integer(c_int) :: ierr, count
    value = 7
    call tessera_integrate_limit(s, TESSERA_CUBATURE, 8, half, half, epsilon, 20, value, error, ierr=ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'never created: integrate_limit')
    call tessera_create(s, 1, 1)
    call tessera_set_integrand1(s, shifted_pole)
    params = 1
    call tessera_set_params(s, params, 16)
    call tessera_set(s, TESSERA_RELTOL, 1e-8_c_double)
    call tessera_integrate_limit(s, TESSERA_CUBATURE, 8, half, half, epsilon, 20, value, error, count, &
                                 parameter, values, errors, ierr)
    call check_status(ierr, TESSERA_OK, 'a limit of integrals')
    call check(close_to(value(1), log(2.0_c_double), 1e-8_c_double) .and. error(1) <= 1e-8_c_double * value(1), 'its value')
    call check(count >= 6 .and. same(parameter(3), 0.125_c_double) .and. &
               close_to(values(1, 3), log(2.125_c_double / 1.125_c_double), 1e-9_c_double), 'its table')
    call tessera_integrate_limit(s, TESSERA_CUBATURE, 8, half, half, TESSERA_EXTRAPOLATE_RICHARDSON, 20, value, error, &
                                 ierr=ierr)
    call check_status(ierr, TESSERA_OK, 'a limit by Richardson''s method')
    call tessera_integrate_limit(s, TESSERA_CUBATURE, 8, half, half, epsilon, 21, value, error, &
                                 parameter=parameter, ierr=ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'integrate_limit: too short a table')
    call tessera_integrate_limit(s, TESSERA_CUBATURE, -8, half, half, epsilon, 20, value, error, ierr=ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'integrate_limit: a negative offset')
    call tessera_integrate_limit(s, TESSERA_CUBATURE, 16, half, half, epsilon, 20, value, error, ierr=ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'integrate_limit: beyond the block')
    call tessera_destroy(s)
  end subroutine test_integrate_limit

  ! exp(x + y) over the square, one axis after the other.
  subroutine test_iterated()
    type(tessera_solver) :: s
    real(c_double) :: value(1), error(1)
    integer(c_int) :: ierr
    call tessera_set_axis_rule(s, 1, TESSERA_RULE_KRONROD15, ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'never created: set_axis_rule')
    call tessera_create(s, 2, 1)
    call tessera_set_integrand1(s, exponential_1)
    call tessera_set_axis_rule(s, 1, TESSERA_RULE_KRONROD61)
    call tessera_set_axis_rule(s, 2, TESSERA_RULE_DOUBLE_EXPONENTIAL)
    call tessera_integrate(s, TESSERA_ITERATED, value, error, ierr)
    call check_status(ierr, TESSERA_OK, 'iterated')
    call check(close_to(value(1), (exp(1.0_c_double) - 1)**2, 1e-6_c_double), 'iterated: the value')
    call tessera_set_axis_rule(s, 3, TESSERA_RULE_KRONROD15, ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'set_axis_rule: an axis that there is not')
    call tessera_set_axis_rule(s, 1, 3_c_int, ierr)
    call check_status(ierr, TESSERA_ERR_ARGUMENT, 'set_axis_rule: no rule in one variable')
    call tessera_destroy(s)
  end subroutine test_iterated

  ! exp(x + y) over the square, by the method that the library chooses.
  subroutine test_auto()
    type(tessera_solver) :: s
    real(c_double) :: value(1), error(1)
    integer(c_int) :: ierr
    integer(c_int64_t) :: used
    call tessera_create(s, 2, 1)
    call tessera_set_integrand1(s, exponential_1)
    call tessera_integrate(s, TESSERA_AUTO, value, error, ierr)
    call check_status(ierr, TESSERA_OK, 'auto')
    call check(close_to(value(1), (exp(1.0_c_double) - 1)**2, 1e-6_c_double), 'auto: the value')
    call tessera_get(s, TESSERA_METHOD_USED, used)
    call check(used == TESSERA_CUBATURE, 'auto: the method used')
    call tessera_destroy(s)
  end subroutine test_auto

  subroutine test_extrapolate()
    real(c_double) :: members(12), parameters(12), limit, error
    integer(c_int) :: ierr
    integer :: i
    members(1) = 1
    do i = 2, 12
      members(i) = members(i - 1) + 1 / real(i, c_double)**2
    end do
    call tessera_extrapolate(TESSERA_EXTRAPOLATE_LEVIN, members, limit, error, ierr=ierr)
    call check(ierr == TESSERA_OK .and. close_to(limit, acos(-1.0_c_double)**2 / 6, 1e-8_c_double) .and. error < 1e-7_c_double, &
               'the limit of a series')
    do i = 1, 12
      parameters(i) = 0.5_c_double**i
      members(i) = exp(parameters(i))
    end do
    call tessera_extrapolate(TESSERA_EXTRAPOLATE_RICHARDSON, members, limit, error, parameters)
    call check(close_to(limit, 1.0_c_double, 1e-13_c_double), 'Richardson''s extrapolation')
    limit = -7
    call tessera_extrapolate(TESSERA_EXTRAPOLATE_RICHARDSON, members, limit, error, parameters(:5), ierr)
    call check(ierr == TESSERA_ERR_ARGUMENT .and. same(limit, -7.0_c_double), 'too few parameters')
    call tessera_extrapolate(0_c_int, members, limit, error, ierr=ierr)
    call check(ierr == TESSERA_ERR_ARGUMENT .and. same(limit, -7.0_c_double), 'no method')
  end subroutine test_extrapolate

  subroutine test_strings()
    call check(index(tessera_status_string(TESSERA_OK), 'the tolerance is met') > 0, 'status string of 0')
    call check(tessera_status_string(TESSERA_LIMIT_TIME) /= tessera_status_string(TESSERA_LIMIT_MEMORY), &
               'different statuses, different strings')
    call check(len(tessera_status_string(-1234)) > 0, 'status string of a number that is none')
    call check(len(tessera_version_string()) >= 5, 'version string')
  end subroutine test_strings

  ! ---- Without ierr ---------------------------------------------------------------------------------------------------

  ! What ends in error stop when it is run as `test_module <what>`.
  subroutine die(what)
    character(*), intent(in) :: what
    type(tessera_solver) :: s
    real(c_double) :: value(2), error(2)
    integer :: n
    select case (what)
    case ('create')
      call tessera_create(s, 0, 1)
    case ('nothing')
      call tessera_set(s, TESSERA_MAXEVAL, 10)
    case ('domain')
      call tessera_create(s, 2, 1)
      call tessera_set_domain(s, [0.0_c_double], [1.0_c_double, 1.0_c_double])
    case ('key')
      call tessera_create(s, 2, 1)
      call tessera_set(s, TESSERA_MAXEVAL, -5)
    case ('get')
      call tessera_create(s, 2, 1)
      call tessera_get(s, TESSERA_RELTOL, n)
    case ('integrand')
      call tessera_create(s, 2, 1)
      call tessera_integrate(s, TESSERA_CUBATURE, value(:1), error(:1))
    case ('size')
      call tessera_create(s, 2, 1)
      call tessera_set_point(s, exponential)
      call tessera_integrate(s, TESSERA_CUBATURE, value, error(:1))
    end select
  end subroutine die

  subroutine test_error_stop()
    call dies('create', 'ndim')
    call dies('nothing', 'has not been created')
    call dies('domain', 'lower has the size 1')
    call dies('key', 'MAXEVAL')
    call dies('get', 'RELTOL')
    call dies('integrand', 'integrand')
    call dies('size', 'value has the size 2')
    call check(status_of('none') == 0, 'a run that is not expected to die does not')
  end subroutine test_error_stop

  subroutine dies(what, sentence)
    character(*), intent(in) :: what, sentence
    character(300) :: line
    integer :: unit, end_of_file
    logical :: found
    call check(status_of(what) > 0, 'error stop without ierr: ' // what)
    found = .false.
    open (newunit=unit, file='test_module_' // what // '.txt', status='old', action='read', iostat=end_of_file)
    do while (end_of_file == 0)
      read (unit, '(a)', iostat=end_of_file) line
      if (end_of_file == 0) found = found .or. index(line, sentence) > 0
    end do
    close (unit, status='delete', iostat=end_of_file)
    call check(found, 'error stop says: ' // sentence)
  end subroutine dies

  function status_of(what) result(status)
    character(*), intent(in) :: what
    integer :: status, length, failure
    character(:), allocatable :: program
    call get_command_argument(0, length=length)
    allocate (character(length) :: program)
    call get_command_argument(0, program)
    status = -1
    call execute_command_line('"' // program // '" ' // what // ' 2> test_module_' // what // '.txt', exitstat=status, &
                              cmdstat=failure)
    if (failure /= 0) status = -1
  end function status_of
end program test_module
