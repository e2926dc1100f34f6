module recursion
  implicit none
contains
  recursive double precision function bisect(a, b, depth) result(r)
    double precision, intent(in) :: a, b
    integer, intent(in) :: depth
    double precision :: m
    m = (a + b)/2
    if (depth == 0) then
      r = (b - a)*exp(-m*m)
    else
      r = bisect(a, m, depth - 1) + bisect(m, b, depth - 1)
    end if
  end function
  double precision function by_recursion(ndim, x)
    integer, intent(in) :: ndim
    double precision, intent(in) :: x(ndim)
    by_recursion = bisect(0d0, x(1), 3) + x(ndim)
  end function
end module
