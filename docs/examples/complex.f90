! Complex values: a product of propagators above threshold, whose integral has a closed form, and the limit of vanishing width.
! SPDX-License-Identifier: BSD-3-Clause
module propagators
  use, intrinsic :: iso_c_binding, only: c_double, c_f_pointer, c_int, c_ptr
  implicit none
  real(c_double), parameter :: pole(2) = [0.3_c_double, 0.6_c_double], width = 0.05_c_double
contains
  subroutine product_of_two(x, fval)
    real(c_double), intent(in) :: x(:)
    complex(c_double), intent(out) :: fval(:)
    fval(1) = 1/product(cmplx(x - pole, width, c_double))
  end subroutine product_of_two

  ! The parameter block is the width.
  function one_alone(ndim, x, ncomp, f, userdata) bind(c) result(status)
    integer(c_int), value :: ndim, ncomp
    real(c_double), intent(in) :: x(ndim)
    complex(c_double), intent(inout) :: f(ncomp/2)
    type(c_ptr), value :: userdata
    integer(c_int) :: status
    real(c_double), pointer :: delta
    call c_f_pointer(userdata, delta)
    f(1) = 1/cmplx(x(1) - pole(1), -delta, c_double)
    status = 0
  end function one_alone
end module propagators

program complex_values
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_loc
  use tessera
  use propagators
  implicit none
  type(tessera_solver) :: s
  complex(c_double) :: value(1), error(1), exact
  real(c_double), target :: delta = 1
  integer(c_int) :: count

  call tessera_create(s, 2, 2)  ! two numbers for one complex component
  call tessera_set_point_complex(s, product_of_two)
  call tessera_integrate(s, TESSERA_CUBATURE, value, error)
  exact = product(log(cmplx(1 - pole, width, c_double)/cmplx(-pole, width, c_double)))
  print '(a, 2f14.9, a, es8.1)', 'two propagators  ', value, '  error ', abs(error)
  if (.not. abs(value(1) - exact) <= 1e-6_c_double*abs(exact)) error stop 'wrong value'
  call tessera_destroy(s)

  call tessera_create(s, 1, 2)
  call tessera_set_integrand1_complex(s, one_alone)
  call tessera_set_params(s, c_loc(delta), 8)
  call tessera_integrate_limit(s, TESSERA_QUADRATURE, 0, 0.25_c_double, 0.5_c_double, TESSERA_EXTRAPOLATE_EPSILON, 30, &
                               value, error, count)
  exact = cmplx(log((1 - pole(1))/pole(1)), acos(-1.0_c_double), c_double)
  print '(a, 2f14.9, a, es8.1, a, i0, a)', 'width to 0       ', value, '  error ', abs(error), '  by ', count, ' integrals'
  if (.not. abs(value(1) - exact) <= 1e-6_c_double*abs(exact)) error stop 'wrong limit'
  call tessera_destroy(s)
end program complex_values
