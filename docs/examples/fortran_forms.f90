! The integral of exp(-a |x|^2) over [-1,1]^3 for several a, with the integrand as a point procedure with user data and as a
! batch procedure with a parameter block; a progress callback and the log. SPDX-License-Identifier: BSD-3-Clause
module hill
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_f_pointer, c_int, c_int64_t, c_ptr
  use tessera, only: tessera_string
  implicit none

  type :: hill_data
    real(c_double) :: a
    integer(c_int64_t) :: calls
  end type hill_data

contains

  ! One point a call. `userdata` is the address given to tessera_set_point.
  subroutine point(x, fval, userdata)
    real(c_double), intent(in) :: x(:)
    real(c_double), intent(out) :: fval(:)
    type(c_ptr), value :: userdata
    type(hill_data), pointer :: d
    call c_f_pointer(userdata, d)
    fval(1) = exp(-d%a * sum(x**2))
    d%calls = d%calls + 1
  end subroutine point

  ! Many points a call: coordinate j of point i is x(i, j), component k goes to f(i, k); only rows 1..n are in use.
  function batch(n, ndim, x, ldx, ncomp, f, ldf, userdata) result(stop_code) bind(c)
    integer(c_int64_t), value :: n, ldx, ldf
    integer(c_int), value :: ndim, ncomp
    real(c_double), intent(in) :: x(ldx, ndim)
    real(c_double), intent(inout) :: f(ldf, ncomp)
    type(c_ptr), value :: userdata
    integer(c_int) :: stop_code
    real(c_double), pointer :: a
    call c_f_pointer(userdata, a)
    f(1:n, 1) = exp(-a * sum(x(1:n, :)**2, dim=2))
    stop_code = 0  ! anything else stops the run
  end function batch

  ! Some ten times a second at most; a result other than 0 stops the run.
  function progress(evaluations, ncomp, value, error, remaining, userdata) result(stop_code) bind(c)
    integer(c_int64_t), value :: evaluations, remaining
    integer(c_int), value :: ncomp
    real(c_double), intent(in) :: value(ncomp), error(ncomp)
    type(c_ptr), value :: userdata
    integer(c_int) :: stop_code
    integer(c_int64_t), pointer :: budget
    call c_f_pointer(userdata, budget)
    print '(i0, a, es12.5, a, es8.1, a, i0)', evaluations, ' evaluations: ', value(1), ' +- ', error(1), ', to come: ', &
      remaining
    stop_code = merge(1_c_int, 0_c_int, evaluations > budget)
  end function progress

  subroutine print_line(level, line, userdata) bind(c)
    integer(c_int), value :: level
    character(kind=c_char), intent(in) :: line(*)
    type(c_ptr), value :: userdata
    integer(c_int), pointer :: most
    call c_f_pointer(userdata, most)
    if (level <= most) print '(2a)', 'tessera: ', tessera_string(line)
  end subroutine print_line
end module hill

program fortran_forms
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int64_t, c_loc, c_sizeof
  use hill
  use tessera
  implicit none
  type(tessera_solver) :: s
  type(hill_data), target :: d
  integer(c_int64_t), target :: budget = 100000000_c_int64_t
  integer(c_int), target :: most = 1
  integer(c_int64_t) :: evaluations
  integer(c_int) :: status
  integer :: k, wrong = 0
  real(c_double) :: value(1), error(1), a

  call tessera_create(s, 3, 1)
  call tessera_set_domain(s, [-1.0_c_double, -1.0_c_double, -1.0_c_double], [1.0_c_double, 1.0_c_double, 1.0_c_double])
  call tessera_set(s, TESSERA_RELTOL, 1e-8_c_double)
  call tessera_set_progress(s, progress, c_loc(budget))
  call tessera_set_log(s, print_line, c_loc(most))

  call tessera_set_point(s, point, c_loc(d))
  do k = 1, 3
    d = hill_data(real(k, c_double), 0)
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, status)
    call report(d%a, 'point')
    call tessera_get(s, TESSERA_EVALUATIONS, evaluations)
    if (evaluations /= d%calls) wrong = wrong + 1
  end do

  call tessera_set_integrand(s, batch)  ! without user data it receives the parameter block
  do k = 1, 3
    a = k
    call tessera_set_params(s, a, c_sizeof(a))
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, status)
    call report(a, 'batch')
  end do
  call tessera_destroy(s)
  if (wrong > 0) error stop 1

contains

  subroutine report(a, form)
    real(c_double), intent(in) :: a
    character(*), intent(in) :: form
    real(c_double) :: exact
    if (status < 0) error stop tessera_last_error(s)
    if (status > 0) print '(a)', tessera_status_string(status)
    exact = (sqrt(acos(-1.0_c_double) / a) * erf(sqrt(a)))**3
    print '(2a, f4.1, a, f13.10, a, es8.1, a, f13.10)', form, ' a =', a, ': ', value(1), ' +- ', error(1), ', exact ', exact
    if (.not. abs(value(1) - exact) <= 1e-8_c_double * exact) wrong = wrong + 1
  end subroutine report
end program fortran_forms
