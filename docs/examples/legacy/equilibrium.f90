! Integrals over the cross-sections of nested flux surfaces in a torus: thousands of small calls of DCUHRE with three
! components, whose parameters are in a module. SPDX-License-Identifier: BSD-3-Clause
module torus
  implicit none
  double precision :: major_radius = 1.65d0, elongation = 1.7d0, minor_radius
end module torus

! The area element, and it times 2 pi R (volume) and R**2, at x = (rho, theta).
subroutine surface(ndim, x, numfun, f)
  use torus
  implicit none
  integer :: ndim, numfun
  double precision :: x(ndim), f(numfun), r
  double precision, parameter :: pi = 3.14159265358979324d0
  r = major_radius + x(1) * minor_radius * cos(x(2))
  f(1) = elongation * minor_radius**2 * x(1)
  f(2) = 2 * pi * r * f(1)
  f(3) = r**2 * f(1)
end subroutine surface

program equilibrium
  use torus
  implicit none
  integer, parameter :: surfaces = 5000, nw = 4000, numfun = 3
  double precision, parameter :: pi = 3.14159265358979324d0
  double precision :: a(2) = [0d0, 0d0], b(2) = [1d0, 2 * pi], result(numfun), abserr(numfun), exact(numfun), work(nw)
  double precision :: worst, start, finish
  integer :: i, neval, ifail, total
  external :: surface

  worst = 0
  total = 0
  call cpu_time(start)
  do i = 1, surfaces
    minor_radius = 0.5d0 * i / surfaces
    call dcuhre(2, numfun, a, b, 0, 10000, surface, 0d0, 1d-8, 0, nw, 0, result, abserr, neval, ifail, work)
    if (ifail /= 0) error stop 'dcuhre did not meet the tolerance'
    total = total + neval
    exact(1) = pi * elongation * minor_radius**2
    exact(2) = 2 * pi * major_radius * exact(1)
    exact(3) = (major_radius**2 + minor_radius**2 / 4) * exact(1)
    worst = max(worst, maxval(abs(result - exact) / exact))
  end do
  call cpu_time(finish)
  print '(i0, a, i0, a, f0.3, a)', surfaces, ' surfaces, ', total, ' evaluations, ', finish - start, ' s'
  print '(a, es8.1)', 'largest relative error ', worst
  if (worst > 1d-8) error stop 'wrong'
end program equilibrium
