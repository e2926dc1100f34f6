! One variable: a singular end, a singularity inside, an oscillating tail; and 500 integrals with parameters of their own.
! SPDX-License-Identifier: BSD-3-Clause
module integrands
  use, intrinsic :: iso_c_binding, only: c_double, c_f_pointer, c_int, c_ptr
  implicit none
contains
  subroutine inside(x, f)
    real(c_double), intent(in) :: x(:)
    real(c_double), intent(out) :: f(:)
    f(1) = 1/sqrt(abs(x(1) - 0.3_c_double))
  end subroutine inside

  subroutine decay(x, f)
    real(c_double), intent(in) :: x(:)
    real(c_double), intent(out) :: f(:)
    f(1) = exp(-x(1))
  end subroutine decay

  function power(ndim, x, ncomp, f, userdata) bind(c) result(status)
    integer(c_int), value :: ndim, ncomp
    real(c_double), intent(in) :: x(ndim)
    real(c_double), intent(inout) :: f(ncomp)
    type(c_ptr), value :: userdata
    integer(c_int) :: status
    real(c_double), pointer :: exponent
    call c_f_pointer(userdata, exponent)
    f = x(1)**exponent
    status = 0
  end function power
end module integrands

program quadrature
  use, intrinsic :: iso_c_binding, only: c_double, c_int
  use, intrinsic :: ieee_arithmetic, only: ieee_positive_inf, ieee_value
  use tessera
  use integrands
  implicit none
  integer, parameter :: many = 500
  type(tessera_solver) :: s
  real(c_double) :: value(1), error(1), exponents(1, many), values(1, many), errors(1, many)
  integer(c_int) :: status
  integer :: i

  call tessera_create(s, 1, 1)
  call tessera_set(s, TESSERA_RELTOL, 1e-9_c_double)

  call tessera_set_point(s, inside)
  call tessera_set_breakpoints(s, [0.3_c_double])
  call tessera_integrate(s, TESSERA_QUADRATURE, value, error)
  call check('1 / sqrt |x - 0.3| on (0,1)', value(1), 2*(sqrt(0.3_c_double) + sqrt(0.7_c_double)))
  call tessera_set_breakpoints(s)

  call tessera_set_point(s, decay)
  call tessera_set_domain(s, [0.0_c_double], [ieee_value(1.0_c_double, ieee_positive_inf)])
  call tessera_set(s, TESSERA_WEIGHT, TESSERA_WEIGHT_SIN)
  call tessera_set(s, TESSERA_OMEGA, 5.0_c_double)
  call tessera_integrate(s, TESSERA_QUADRATURE, value, error)
  call check('exp(-x) sin(5 x) from 0', value(1), 5/26.0_c_double)
  call tessera_set(s, TESSERA_WEIGHT, TESSERA_WEIGHT_NONE)

  call tessera_set_integrand1(s, power)
  call tessera_set_domain(s, [0.0_c_double], [1.0_c_double])
  exponents(1, :) = [(-0.9_c_double + 2*real(i, c_double)/many, i=1, many)]
  call tessera_integrate_many(s, TESSERA_QUADRATURE, values, errors, params=exponents, ierr=status)
  if (status /= TESSERA_OK) error stop 'not all of many are converged'
  call check('500 powers of x on (0,1)', maxval(abs(values*(1 + exponents))), 1.0_c_double)
  call tessera_destroy(s)

contains
  subroutine check(what, value, exact)
    character(*), intent(in) :: what
    real(c_double), intent(in) :: value, exact
    print '(a, t32, f18.12)', what, value
    if (.not. abs(value - exact) <= 1e-8_c_double*abs(exact)) error stop 'wrong value'
  end subroutine check
end program quadrature
