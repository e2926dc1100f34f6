double precision function sum_of_roots(ndim, x)
  implicit none
  integer, intent(in) :: ndim
  double precision, intent(in) :: x(ndim)
  integer :: i
  sum_of_roots = 0
  do i = 1, ndim
    sum_of_roots = sum_of_roots + sqrt(x(i))*exp(-x(i)**2)
  end do
end function
