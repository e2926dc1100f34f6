double precision function local_allocation(ndim, x)
  implicit none
  integer, intent(in) :: ndim
  double precision, intent(in) :: x(ndim)
  double precision, allocatable :: y(:)
  integer :: k
  allocate (y(ndim))
  do k = 1, ndim
    y(k) = x(k)*k
  end do
  local_allocation = sum(y*y)
  deallocate (y)
end function
