! Two W bosons decay: Breit and Wigner's resonances in both masses, and the angles of the two electrons, by Vegas, Suave and Divonne.
! Arguments for sampling that has no peaks to be told of are 0, as is usual in older programs.
! SPDX-License-Identifier: BSD-3-Clause
module boson
  implicit none
  double precision, parameter :: mass = 80.377d0, width = 2.085d0  ! GeV
  double precision, parameter :: least = 1000, most = 12000        ! of the squared masses
  double precision, parameter :: correlation = 0.7d0               ! of the angles
contains
  double precision function exact_value()
    double precision :: resonance
    resonance = atan((most - mass**2) / (mass * width)) - atan((least - mass**2) / (mass * width))
    exact_value = resonance**2 * ((8d0 / 3)**2 + correlation * (16d0 / 15)**2)
  end function exact_value
end module boson

integer function decay(ndim, u, ncomp, f)
  use boson
  implicit none
  integer :: ndim, ncomp, i
  double precision :: u(ndim), f(ncomp), s, c, both
  f(1) = 1
  both = correlation
  do i = 1, 2
    s = least + u(i) * (most - least)
    c = 2 * u(2 + i) - 1
    f(1) = f(1) * (most - least) * mass * width / ((s - mass**2)**2 + (mass * width)**2) * 2 * (1 + c**2)
    both = both * c**2
  end do
  f(1) = f(1) * (1 + both)
  decay = 0
end function decay

program resonances
  use boson
  implicit none
  integer, parameter :: ndim = 4, ncomp = 1, nvec = 1, verbose = 0, seed = 1, mineval = 0, maxeval = 5000000
  integer, parameter :: nstart = 10000, nincrease = 5000, nbatch = 1000, gridno = 0, nnew = 10000, nmin = 2
  integer, parameter :: key1 = 47, key2 = 1, key3 = 1, maxpass = 5, ngiven = 0, nextra = 0
  double precision, parameter :: epsrel = 1d-3, epsabs = 1d-12, flatness = 25, border = 0, maxchisq = 10, mindeviation = .25d0
  integer*8, parameter :: spin = -1
  double precision :: integral(ncomp), error(ncomp), prob(ncomp)
  integer :: nregions, neval, fail
  integer, external :: decay
  external :: vegas, suave, divonne

  call vegas(ndim, ncomp, decay, 0, nvec, epsrel, epsabs, verbose, seed, mineval, maxeval, nstart, nincrease, nbatch, &
    gridno, '', spin, neval, fail, integral, error, prob)
  call show('Vegas  ')
  call suave(ndim, ncomp, decay, 0, nvec, epsrel, epsabs, verbose, seed, mineval, maxeval, nnew, nmin, flatness, &
    '', spin, nregions, neval, fail, integral, error, prob)
  call show('Suave  ')
  call divonne(ndim, ncomp, decay, 0, nvec, epsrel, epsabs, verbose, seed, mineval, maxeval, key1, key2, key3, maxpass, &
    border, maxchisq, mindeviation, ngiven, ndim, 0, nextra, 0, '', spin, nregions, neval, fail, integral, error, prob)
  call show('Divonne')
contains
  subroutine show(routine)
    character(*), intent(in) :: routine
    print '(2a, i0, a, i8, a, f9.5, a, f8.5, a, f7.3, a, f9.5)', routine, ' fail ', fail, ', evaluations ', neval, ': ', &
      integral, ' +- ', error, ', prob ', prob, ', exact ', exact_value()
    if (fail /= 0 .or. abs(integral(1) - exact_value()) > 3 * error(1)) error stop 1
  end subroutine show
end program resonances
