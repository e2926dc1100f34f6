! Expected volume of a tetrahedron with random vertices in a cube, 12 variables: 3977/216000 - pi**2/2160 (Zinani 2003).
! SPDX-License-Identifier: BSD-3-Clause
module tetrahedron
  use, intrinsic :: iso_c_binding, only: c_double
  implicit none
contains
  subroutine f(x, fval)
    real(c_double), intent(in) :: x(:)
    real(c_double), intent(out) :: fval(:)
    real(c_double) :: a(3), b(3), c(3)
    a = x(4:6) - x(1:3)
    b = x(7:9) - x(1:3)
    c = x(10:12) - x(1:3)
    fval = abs(a(1) * (b(2) * c(3) - b(3) * c(2)) - a(2) * (b(1) * c(3) - b(3) * c(1)) + a(3) * (b(1) * c(2) - b(2) * c(1))) / 6
  end subroutine f
end module tetrahedron

program lattice
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int64_t
  use tetrahedron, only: f
  use tessera
  implicit none
  real(c_double), parameter :: pi = 3.14159265358979324_c_double
  real(c_double), parameter :: exact = 3977 / 216000.0_c_double - pi**2 / 2160
  type(tessera_solver) :: s
  real(c_double) :: value(1), error(1)
  integer(c_int64_t) :: evaluations
  integer(c_int) :: status

  call tessera_create(s, 12, 1)
  call tessera_set_point(s, f)
  call tessera_set(s, TESSERA_RELTOL, 1e-3_c_double)
  call tessera_set(s, TESSERA_SEED, 2026)  ! another seed: other shifts
  call tessera_integrate(s, TESSERA_LATTICE, value, error, status)
  if (status < 0) error stop tessera_last_error(s)
  call tessera_get(s, TESSERA_EVALUATIONS, evaluations)
  print '(a)', tessera_status_string(status)
  print '(a, f0.9)', 'value       ', value
  print '(a, es7.1)', 'error       ', error
  print '(a, f0.9)', 'exact       ', exact
  print '(a, i0)', 'evaluations ', evaluations
  call tessera_destroy(s)
  if (status /= TESSERA_OK .or. abs(value(1) - exact) > error(1)) error stop 1
end program lattice
