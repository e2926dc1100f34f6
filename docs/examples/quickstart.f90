! The integral of exp(x1 x2 x3 x4 x5) over the unit cube. SPDX-License-Identifier: BSD-3-Clause
module integrand
  use, intrinsic :: iso_c_binding, only: c_double
  implicit none
contains
  subroutine f(x, fval)
    real(c_double), intent(in) :: x(:)
    real(c_double), intent(out) :: fval(:)
    fval = exp(product(x))
  end subroutine f
end module integrand

program quickstart
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int64_t
  use integrand, only: f
  use tessera
  implicit none
  real(c_double), parameter :: exact = 1.03348486773424214_c_double  ! the sum of 1/(n! (n+1)^5)
  type(tessera_solver) :: s
  real(c_double) :: value(1), error(1)
  integer(c_int64_t) :: evaluations
  integer(c_int) :: status

  call tessera_create(s, 5, 1)  ! five variables, one component; the unit cube until told otherwise
  call tessera_set_point(s, f)
  call tessera_set(s, TESSERA_RELTOL, 1e-8_c_double)
  call tessera_integrate(s, TESSERA_CUBATURE, value, error, status)
  if (status < 0) error stop tessera_last_error(s)
  call tessera_get(s, TESSERA_EVALUATIONS, evaluations)
  print '(a)', tessera_status_string(status)
  print '(a, f0.12)', 'value       ', value
  print '(a, es7.1)', 'error       ', error
  print '(a, f0.12)', 'exact       ', exact
  print '(a, i0)', 'evaluations ', evaluations
  call tessera_destroy(s)
  if (status /= TESSERA_OK .or. abs(value(1) - exact) > 1e-8_c_double * exact) error stop 1
end program quickstart
