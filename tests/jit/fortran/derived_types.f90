module shapes
  implicit none
  integer, parameter :: dp = kind(1d0)
  type :: gaussian
    real(dp) :: mu(2) = 0.5_dp
    real(dp) :: sigma = 0.3_dp
    integer :: power = 2
  end type
  type :: mixture
    type(gaussian) :: g(2)
    real(dp) :: norm = 1.5_dp
  end type
  type(mixture), save :: mix
contains
  pure elemental real(dp) function square(y)
    real(dp), intent(in) :: y
    square = y*y
  end function
end module
module evaluation
  use shapes
  implicit none
contains
  pure real(dp) function at(g, x) result(r)
    type(gaussian), intent(in) :: g
    real(dp), intent(in) :: x(2)
    r = exp(-sum(square(x - g%mu))/(2*g%sigma**g%power))
  end function
  subroutine derived(x, fval)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: fval(:)
    integer :: k
    type(gaussian) :: here
    fval(1) = 0
    do k = 1, size(mix%g)
      fval(1) = fval(1) + mix%norm*at(mix%g(k), x(1:2))
    end do
    here = gaussian(mu=[0.2_dp, x(1)], sigma=0.4_dp, power=2)
    fval(2) = at(here, x(1:2))
  end subroutine
end module
