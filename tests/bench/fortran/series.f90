! The dearest: a hundred terms of a series, with a work array.
double precision function f(ndim, x)
  implicit none
  integer, parameter :: terms = 100
  integer ndim, k
  double precision x(ndim), term(terms)
  do k = 1, terms
    term(k) = exp(-k*x(1))*sin(k*x(2) + x(3))/k
  end do
  f = sum(term)
end function
