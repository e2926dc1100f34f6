module bound
  implicit none
  integer, parameter :: dp = kind(1d0)
  type :: potential
    real(dp) :: depth = 2, range = 0.7_dp
  contains
    procedure :: at => potential_at
    procedure :: sum => potential_sum
  end type
contains
  pure real(dp) function potential_at(this, r)
    class(potential), intent(in) :: this
    real(dp), intent(in) :: r
    potential_at = -this%depth*exp(-r/this%range)
  end function
  pure real(dp) function potential_sum(this, x)
    class(potential), intent(in) :: this
    real(dp), intent(in) :: x(:)
    integer :: k
    potential_sum = 0
    do k = 1, size(x)
      potential_sum = potential_sum + this%at(x(k))
    end do
  end function
  subroutine bound_calls(x, fval)
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: fval(:)
    type(potential) :: p, q
    q%depth = 1 + x(1)
    fval(1) = p%sum(x) + q%at(x(2))
  end subroutine
end module
