! Module tessera with complex values: integrands of three forms, complex arrays in the three ways to integrate, wrong arguments.
! SPDX-License-Identifier: BSD-3-Clause
module complex_integrands
  use, intrinsic :: iso_c_binding, only: c_double, c_f_pointer, c_int, c_ptr
  use tessera, only: tessera_solver, tessera_integrate, TESSERA_CUBATURE
  implicit none
  type(tessera_solver) :: outer
  integer(c_int) :: inner_status = 0
  integer :: coordinates = 0  ! that `wave` was given last
contains
  subroutine wave(x, fval)
    real(c_double), intent(in) :: x(:)
    complex(c_double), intent(out) :: fval(:)
    integer :: k
    coordinates = size(x)
    do k = 1, size(fval)
      fval(k) = k*exp(cmplx(0.0_c_double, 3*sum(x), c_double))
    end do
  end subroutine wave

  subroutine damped(x, fval, userdata)
    real(c_double), intent(in) :: x(:)
    complex(c_double), intent(out) :: fval(:)
    type(c_ptr), value :: userdata
    complex(c_double), pointer :: rate
    call c_f_pointer(userdata, rate)
    fval = exp(rate*sum(x))
  end subroutine damped

  function pole(ndim, x, ncomp, f, userdata) bind(c) result(status)
    integer(c_int), value :: ndim, ncomp
    real(c_double), intent(in) :: x(ndim)
    complex(c_double), intent(inout) :: f(ncomp/2)
    type(c_ptr), value :: userdata
    integer(c_int) :: status
    complex(c_double), pointer :: z
    call c_f_pointer(userdata, z)
    f = 1/(x(1) - z)
    status = 0
  end function pole

  ! Uses the solver that it serves.
  subroutine meddling(x, fval)
    real(c_double), intent(in) :: x(:)
    complex(c_double), intent(out) :: fval(:)
    complex(c_double) :: value(1), error(1)
    call tessera_integrate(outer, TESSERA_CUBATURE, value, error, inner_status)
    fval = sum(x)
  end subroutine meddling
end module complex_integrands

program test_complex
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_loc, c_null_ptr
  use, intrinsic :: iso_fortran_env, only: error_unit
  use tessera
  use complex_integrands
  implicit none
  integer, parameter :: many = 20
  type(tessera_solver) :: s
  complex(c_double), target :: rate = (-1.0_c_double, 2.0_c_double), z = (0.3_c_double, 1.0_c_double)
  complex(c_double) :: value(2), error(2), one(1), one_error(1), exact, values(1, many), errors(1, many), table(1, 30)
  complex(c_double) :: three(3), none(1, 0), spread(1, 30)
  real(c_double) :: real_value(2), real_error(2), poles(2, many), widths(30)
  integer(c_int) :: status, ends(many), count
  integer :: i, failed = 0

  ! Two components, and the same with real arrays.
  call tessera_create(s, 2, 4)
  call tessera_set_point_complex(s, wave)
  call tessera_get(s, TESSERA_COMPLEX, status)
  call check(status == 1, 'the integrand sets the option')
  call tessera_integrate(s, TESSERA_CUBATURE, value, error, status)
  exact = ((exp((0, 3)*1.0_c_double) - 1)/(0, 3))**2
  call check(status == TESSERA_OK, 'status')
  call check(all(abs(value - [exact, 2*exact]) <= 1e-6_c_double*abs(value)), 'a wave in two components')
  call check(all(abs(error) <= 1e-6_c_double*abs(value)), 'errors by their moduli')
  call tessera_integrate(s, TESSERA_CUBATURE, three, error, status)
  call check(status == TESSERA_ERR_ARGUMENT .and. index(tessera_last_error(s), 'ncomp/2') > 0, 'value has another size')
  call tessera_integrate(s, TESSERA_CUBATURE, value, one_error, status)
  call check(status == TESSERA_ERR_ARGUMENT .and. index(tessera_last_error(s), 'error') > 0, 'error has another size')
  call tessera_destroy(s)

  ! With user data, and with a parameter block.
  call tessera_create(s, 1, 2)
  exact = (exp(rate) - 1)/rate
  call tessera_set_point_complex(s, damped, c_loc(rate))
  call tessera_integrate(s, TESSERA_QUADRATURE, one, one_error)
  call check(abs(one(1) - exact) <= 1e-6_c_double*abs(exact), 'user data')
  call tessera_set_params(s, c_loc(rate), 16)
  call tessera_set_point_complex(s, damped, c_null_ptr)
  call tessera_integrate(s, TESSERA_QUADRATURE, real_value, real_error)
  call check(abs(cmplx(real_value(1), real_value(2), c_double) - exact) <= 1e-6_c_double*abs(exact), 'real arrays')

  ! Many, and a limit.
  call tessera_set_integrand1_complex(s, pole)
  poles(1, :) = [(0.05_c_double*i - 0.025_c_double, i=1, many)]
  poles(2, :) = 0.1_c_double
  call tessera_integrate_many(s, TESSERA_QUADRATURE, values, errors, params=poles, status=ends, ierr=status)
  call check(status == TESSERA_OK .and. all(ends == TESSERA_OK), 'many: status')
  do i = 1, many
    z = cmplx(poles(1, i), poles(2, i), c_double)
    exact = log((1 - z)/(-z))
    call check(abs(values(1, i) - exact) <= 1e-6_c_double*abs(exact), 'many: values')
  end do
  call tessera_integrate_many(s, TESSERA_QUADRATURE, none, none, ierr=status)
  call check(status == TESSERA_OK, 'none of many')
  call tessera_integrate_many(s, TESSERA_QUADRATURE, values, none, ierr=status)
  call check(status == TESSERA_ERR_ARGUMENT, 'many: errors for others')
  z = (0.3_c_double, 1.0_c_double)
  call tessera_set_params(s, c_loc(z), 16)
  call tessera_integrate_limit(s, TESSERA_QUADRATURE, 8, 0.25_c_double, 0.5_c_double, TESSERA_EXTRAPOLATE_EPSILON, 30, one, &
                               one_error, count, widths, table, spread, status)
  exact = cmplx(log(0.7_c_double/0.3_c_double), acos(-1.0_c_double), c_double)
  call check(status == TESSERA_OK .and. abs(one(1) - exact) <= 1e-6_c_double*abs(exact), 'a limit')
  z = cmplx(0.3_c_double, widths(count), c_double)
  exact = log((1 - z)/(-z))
  call check(abs(table(1, count) - exact) <= 1e-6_c_double*abs(exact), 'the table of a limit')
  call tessera_integrate_limit(s, TESSERA_QUADRATURE, 8, 0.25_c_double, 0.5_c_double, TESSERA_EXTRAPOLATE_EPSILON, 30, one, &
                               one_error, ierr=status)
  call check(status == TESSERA_OK, 'a limit without its table')

  ! Distances from the ends come as coordinates.
  call tessera_set_point_complex(s, wave)
  call tessera_set(s, TESSERA_COMPLEMENT, 2)
  call tessera_integrate(s, TESSERA_QUADRATURE, one, one_error, status)
  call check(status == TESSERA_OK .and. coordinates == 2, 'a point with its distance')
  call tessera_set(s, TESSERA_COMPLEMENT, 0)

  ! Complex arrays for real components.
  call tessera_set(s, TESSERA_COMPLEX, 0)
  one = (7, 7)
  call tessera_integrate(s, TESSERA_QUADRATURE, one, one_error, status)
  call check(status == TESSERA_ERR_ARGUMENT .and. index(tessera_last_error(s), 'TESSERA_COMPLEX') > 0, 'the option is off')
  call check(one(1) == (7, 7), 'outputs are left alone')
  call tessera_destroy(s)
  call tessera_integrate(s, TESSERA_QUADRATURE, one, one_error, status)
  call check(status == TESSERA_ERR_ARGUMENT, 'no solver')

  ! An odd number of components; a call from the integrand.
  call tessera_create(s, 1, 3)
  call tessera_set_point_complex(s, wave, status)
  call check(status == TESSERA_ERR_RANGE .and. index(tessera_last_error(s), 'ncomp = 3') > 0, 'an odd ncomp')
  call tessera_destroy(s)
  call tessera_create(outer, 1, 2)
  call tessera_set_point_complex(outer, meddling)
  call tessera_integrate(outer, TESSERA_CUBATURE, one, one_error, status)
  call check(status == TESSERA_OK .and. inner_status == TESSERA_ERR_BUSY, 'a call from the integrand')
  call tessera_destroy(outer)

  if (failed > 0) error stop 'tests failed'

contains
  subroutine check(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    if (condition) return
    failed = failed + 1
    write (error_unit, '(2a)') 'FAILED: ', what
  end subroutine check
end program test_complex
