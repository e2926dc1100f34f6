! SAVE, with a table that the first call fills.
double precision function first_call(ndim, x)
  implicit none
  integer, intent(in) :: ndim
  double precision, intent(in) :: x(ndim)
  double precision, save :: nodes(8)
  logical, save :: ready = .false.
  integer :: k
  if (.not. ready) then
    do k = 1, 8
      nodes(k) = cos((2*k - 1)*acos(-1d0)/16)
    end do
    ready = .true.
  end if
  first_call = 0
  do k = 1, 8
    first_call = first_call + nodes(k)/(1 + (x(1) - nodes(k))**2 + x(ndim))
  end do
end function
