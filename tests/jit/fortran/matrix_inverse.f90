! Gaussian elimination with pivots on a local matrix: a determinant and a quadratic form.
module matrix_inverse
  implicit none
  integer, parameter :: dp = kind(1d0), n = 5
contains
  subroutine quadratic(ndim, x, numfun, f)
    integer, intent(in) :: ndim, numfun
    real(dp), intent(in) :: x(ndim)
    real(dp), intent(out) :: f(numfun)
    real(dp) :: a(n, n), b(n), row(n), t, det
    integer :: i, j, k, p
    do j = 1, n
      do i = 1, n
        a(i, j) = exp(-abs(i - j)*(0.5_dp + x(1))) + merge(x(2), 0._dp, i == j)
      end do
      b(j) = x(mod(j, ndim) + 1)
    end do
    det = 1
    do k = 1, n
      p = k - 1 + maxloc(abs(a(k:n, k)), dim=1)
      if (p /= k) then
        row = a(k, :); a(k, :) = a(p, :); a(p, :) = row
        t = b(k); b(k) = b(p); b(p) = t
        det = -det
      end if
      det = det*a(k, k)
      do i = k + 1, n
        t = a(i, k)/a(k, k)
        a(i, k:n) = a(i, k:n) - t*a(k, k:n)
        b(i) = b(i) - t*b(k)
      end do
    end do
    do k = n, 1, -1
      b(k) = (b(k) - sum(a(k, k + 1:n)*b(k + 1:n)))/a(k, k)
    end do
    f(1) = det
    f(2) = sum(b*b)
  end subroutine
end module
