! Variables of a module: constants, scalars, an array, a logical.
module fourier_terms
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  real(dp), parameter :: pi = 3.14159265358979323846_dp
  real(dp) :: alpha = 0.7_dp, weight(4) = [1.0_dp, 0.5_dp, 0.25_dp, 0.125_dp]
  integer :: terms = 4
  logical :: squared = .true.
contains
  subroutine fourier(x, fval)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: fval(:)
    real(dp) :: s, t
    integer :: i, k
    s = 0
    do i = 1, size(x)
      do k = 1, terms
        t = weight(k)*cos(2*pi*k*x(i)*alpha)
        if (squared) t = t*t
        s = s + t
      end do
    end do
    fval(1) = s/size(x)
    fval(2) = log(1 + s*s)
  end subroutine
end module
