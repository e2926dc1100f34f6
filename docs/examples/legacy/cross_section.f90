! A toy cross-section by Cuhre: two partons with densities f(x) = x**(-1/2) (1-x)**3, x > x0, annihilate into a pair of muons.
! The integrand is called with the parameters through userdata. SPDX-License-Identifier: BSD-3-Clause
integer function pair_production(ndim, u, ncomp, f, parameters)
  implicit none
  integer :: ndim, ncomp
  double precision :: u(ndim), f(ncomp), parameters(2)
  double precision :: x1, x2, c, weight, x0, front
  x0 = parameters(1)
  front = parameters(2)
  x1 = x0**(1 - u(1))  ! equal steps in the logarithm
  x2 = x0**(1 - u(2))
  c = 2 * u(3) - 1     ! cosine of the angle
  weight = 2 * x1 * x2 * log(x0)**2
  f(1) = front * weight * density(x1) * density(x2) / (x1 * x2) * (1 + c**2)
  f(2) = f(1) * c**2
  pair_production = 0
contains
  double precision function density(x)
    double precision :: x
    density = (1 - x)**3 / sqrt(x)
  end function density
end function pair_production

program cross_section
  implicit none
  integer, parameter :: ndim = 3, ncomp = 2, nvec = 1, flags = 0, mineval = 0, maxeval = 1000000, key = 0
  double precision, parameter :: epsrel = 1d-6, epsabs = 0
  integer*8, parameter :: spin = -1
  double precision :: parameters(2), integral(ncomp), error(ncomp), prob(ncomp), exact(ncomp), one
  integer :: nregions, neval, fail
  integer, external :: pair_production

  parameters = [0.01d0, 21.71d0]
  call cuhre(ndim, ncomp, pair_production, parameters, nvec, epsrel, epsabs, flags, mineval, maxeval, key, '', spin, &
    nregions, neval, fail, integral, error, prob)
  one = primitive(1d0) - primitive(parameters(1))
  exact = parameters(2) * one**2 * [8d0 / 3, 16d0 / 15]
  print '(a, i0, a, i0)', 'fail ', fail, ', evaluations ', neval
  print '(a, f14.8, a, es8.1, a, f14.8)', 'cross-section  ', integral(1), ' +- ', error(1), ', exact ', exact(1)
  print '(a, f14.8, a, es8.1, a, f14.8)', 'times cosine^2 ', integral(2), ' +- ', error(2), ', exact ', exact(2)
  if (fail /= 0 .or. any(abs(integral - exact) > epsrel * exact)) error stop 1
contains
  double precision function primitive(x)  ! of density(x)/x
    double precision, intent(in) :: x
    primitive = -2 / sqrt(x) - 6 * sqrt(x) + 2 * x**1.5d0 - 0.4d0 * x**2.5d0
  end function primitive
end program cross_section
