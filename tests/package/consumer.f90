! A user's program: prints the version and one integral. SPDX-License-Identifier: BSD-3-Clause
module integrands
  use, intrinsic :: iso_c_binding, only: c_double
  implicit none
contains
  subroutine integrand(x, fval)
    real(c_double), intent(in) :: x(:)
    real(c_double), intent(out) :: fval(:)
    fval(1) = exp(x(1) + x(2))
  end subroutine integrand
end module integrands

program consumer
  use, intrinsic :: iso_c_binding, only: c_double
  use tessera, only: tessera_solver, tessera_create, tessera_destroy, tessera_set_point, tessera_integrate, &
                     tessera_version_string, TESSERA_CUBATURE
  use integrands, only: integrand
  implicit none
  type(tessera_solver) :: s
  real(c_double) :: value(1), error(1)
  call tessera_create(s, 2, 1)
  call tessera_set_point(s, integrand)
  call tessera_integrate(s, TESSERA_CUBATURE, value, error)
  print '(3a,f8.6)', 'tessera ', tessera_version_string(), ': ', value(1)
  call tessera_destroy(s)
end program consumer
