! The cheapest: a sum of squares.
double precision function f(ndim, x)
  implicit none
  integer ndim, j
  double precision x(ndim)
  f = 0
  do j = 1, ndim
    f = f + x(j)*x(j)
  end do
end function
