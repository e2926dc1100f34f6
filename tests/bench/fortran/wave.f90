! Elementary functions: a phase and a damping along each axis.
double precision function f(ndim, x)
  implicit none
  integer ndim, j
  double precision x(ndim), phase, damping
  phase = 0
  damping = 0
  do j = 1, ndim
    phase = phase + sin(3*j*x(j))
    damping = damping + log(1 + j*x(j))
  end do
  f = cos(phase)*exp(-damping)*sqrt(1 + phase*phase)
end function
