module special_functions
  implicit none
  integer, parameter :: dp = kind(1d0)
contains
  subroutine special(ndim, x, numfun, f)
    integer, intent(in) :: ndim, numfun
    real(dp), intent(in) :: x(ndim)
    real(dp), intent(out) :: f(numfun)
    real(dp) :: s, t
    integer :: i, n
    s = 0
    do i = 1, ndim
      select case (mod(i, 4))
      case (0)
        s = s + erf(x(i))
      case (1)
        s = s + gamma(x(i) + 1)
      case (2)
        s = s + bessel_j0(5*x(i)) + bessel_jn(2, x(i))
      case default
        s = s + log_gamma(x(i) + 2) + erfc(x(i))
      end select
    end do
    n = 0
    t = 1
    do while (t > 1d-6)
      t = t*merge(0.3_dp, 0.5_dp, x(1) > 0.5_dp)
      n = n + 1
      if (n > 100) exit
    end do
    f(1) = s
    f(2) = max(s, t, x(1)) - min(s, x(2)) + n + hypot(x(1), x(2)) + atan2(x(1), x(2)) + sign(1d0, x(1) - 0.5d0)
    f(3) = modulo(x(1)*7, 0.3_dp) + nint(10*x(2)) + floor(3*x(1)) + aint(4*x(2)) + tanh(x(1)) + x(1)**x(2) + x(1)**n
  end subroutine
end module
