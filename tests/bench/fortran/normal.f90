! A normal density, the inverse of its covariance in a module: array expressions.
module covariance
  implicit none
  integer, private :: i
  double precision :: a(6, 6) = reshape([(1d0/(1 + i), i=1, 36)], [6, 6])
end module
subroutine f(x, fval)
  use covariance
  implicit none
  double precision, intent(in) :: x(6)
  double precision, intent(out) :: fval(1)
  fval(1) = exp(-0.5d0*dot_product(x, matmul(a, x)))
end subroutine
