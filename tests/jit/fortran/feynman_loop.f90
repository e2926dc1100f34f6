! A box of complex propagators.
subroutine feynman_loop(ndim, x, numfun, funvls)
  implicit none
  integer, parameter :: dp = kind(1d0)
  integer, intent(in) :: ndim, numfun
  real(dp), intent(in) :: x(ndim)
  real(dp), intent(out) :: funvls(numfun)
  complex(dp), parameter :: masses(3) = [(1._dp, -0.1_dp), (0.7_dp, -0.05_dp), (1.3_dp, -0.2_dp)]
  complex(dp) :: z, propagators
  integer :: i
  z = cmplx(x(1), x(2), dp)
  propagators = (1, 0)
  do i = 1, 3
    propagators = propagators/(z*z*x(3) - masses(i)**2 + (0._dp, 1e-3_dp))
  end do
  z = exp((0._dp, 1._dp)*z)*propagators + sqrt(z) + conjg(z)**3 + log(1 + z)
  funvls(1) = real(z, dp)
  funvls(2) = aimag(z)
  funvls(3) = abs(z)
end subroutine
