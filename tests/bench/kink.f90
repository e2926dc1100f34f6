! The integrand of bench_dropins, in a file of its own so that no compiler sees through the call.
! SPDX-License-Identifier: BSD-3-Clause
subroutine kink(ndim, x, numfun, f)
  implicit none
  integer :: ndim, numfun, j
  double precision :: x(ndim), f(numfun)
  f(1) = 0
  do j = 1, ndim
    f(1) = f(1) + abs(x(j) - 0.3d0 - 0.05d0 * j)
  end do
end subroutine kink
