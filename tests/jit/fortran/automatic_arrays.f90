module automatic_arrays
  implicit none
  integer, parameter :: dp = kind(1d0)
contains
  subroutine automatic(ndim, x, numfun, funvls)
    integer, intent(in) :: ndim, numfun
    real(dp), intent(in) :: x(ndim)
    real(dp), intent(out) :: funvls(numfun)
    real(dp) :: t(ndim), u(0:ndim)
    integer :: i
    t = 2*x - 1
    u(0) = 1
    do i = 1, ndim
      u(i) = u(i - 1)*cos(t(i))
    end do
    funvls(1) = sum(u) + sum(abs(t(ndim:1:-1) - x))
    funvls(2) = helper(t)
  end subroutine
  pure real(dp) function helper(v)
    real(dp), intent(in) :: v(:)
    integer :: n
    n = size(v)
    helper = sum(v*v) + v(n)*v(1)
  end function
end module
