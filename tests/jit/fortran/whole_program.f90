! The integrand stands in a program that does much else; what it does not reach is not looked at.
program whole
  implicit none
  double precision :: answer
  double precision, external :: peak
  character(20) :: word
  read (*, *) word
  open (10, file=word)
  answer = peak(2, [0.5d0, 0.5d0])
  write (10, *) answer
  call report(answer)
contains
  subroutine report(a)
    double precision, intent(in) :: a
    print *, 'the answer is ', a
  end subroutine
end program whole

double precision function peak(ndim, x)
  implicit none
  integer, intent(in) :: ndim
  double precision, intent(in) :: x(ndim)
  if (ndim < 1) then
    print *, 'no dimensions: ', ndim
    stop 1
  end if
  peak = 1/(1 + 100*sum((x - 0.4d0)**2))
end function
