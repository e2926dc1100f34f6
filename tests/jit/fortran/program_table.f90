! Interpolation in a table that the program allocates, with a factor that it sets through an ENTRY: nothing of it is in this text.
module program_table
  implicit none
  real(8), allocatable :: t(:), u(:, :)
  integer :: order = 1
end module program_table

subroutine in_table(ndim, x, numfun, f)
  use program_table
  implicit none
  integer ndim, numfun, i
  real(8) x(ndim), f(numfun), factor, place
  real(8), save :: scale = 1
  place = lbound(t, 1) + x(1)*(size(t) - 1)
  i = min(int(place), ubound(t, 1) - 1)
  if (place < 0 .and. i > place) i = i - 1
  f(1) = scale*(t(i) + (place - i)*(t(i + 1) - t(i)))
  f(2) = 0
  do i = lbound(u, 2), ubound(u, 2)
    f(2) = f(2) + u(1, i)*x(2)**(i - lbound(u, 2) + order)
  end do
  return
  entry set_scale(factor)
  scale = factor
end subroutine in_table
