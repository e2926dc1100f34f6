module array_functions
  implicit none
  integer, parameter :: dp = selected_real_kind(15)
  real(dp) :: a(3) = [0.1_dp, 0.5_dp, 0.9_dp]
  real(dp), parameter :: m(3,3) = reshape([1._dp,.2_dp,.3_dp,.2_dp,1._dp,.1_dp,.3_dp,.1_dp,1._dp], [3,3])
contains
  integer function arrays(ndim, x, ncomp, f)
    integer, intent(in) :: ndim, ncomp
    real(dp), intent(in) :: x(ndim)
    real(dp), intent(out) :: f(ncomp)
    real(dp) :: y(3)
    y = matmul(m, x(1:3) - a)
    f(1) = exp(-sum((x(1:3) - a)**2))*dot_product(y, x(1:3)) + maxval(y) - minval(x)
    f(2) = product(1 + x**3) + norm2(y) + merge(1._dp, 0._dp, any(x > 0.8_dp)) + count(x < 0.5_dp)
    where (y > 0)
      y = sqrt(y)
    elsewhere
      y = -y
    end where
    f(2) = f(2) + sum(y)
    arrays = 0
  end function
end module
