subroutine concurrent_loops(ndim, x, numfun, f)
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  integer, intent(in) :: ndim, numfun
  real(real64), intent(in) :: x(ndim)
  real(real64), intent(out) :: f(numfun)
  real(real64) :: a(6, 6), v(6)
  integer :: i, j
  do concurrent (i = 1:6, j = 1:6)
    a(i, j) = merge(2 + x(1), 1/real(i + j, real64), i == j)
  end do
  v = [(real(i, real64)*x(2), i=1, 6)]
  associate (w => matmul(a, v))
    f(1) = dot_product(w, v)
    f(2) = sum(transpose(a)*a) + maxloc(w, dim=1)
  end associate
  block
    integer :: bits
    bits = int(1000*x(1))
    f(2) = f(2) + iand(bits, 7) + popcnt(bits) + ishft(bits, -2) + leadz(bits)
  end block
end subroutine
