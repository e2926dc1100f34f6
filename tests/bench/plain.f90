! What a drop-in is compared with: adaptive cubature written straight down in Fortran. The rule of degree 7 of Genz and Malik
! (1980) with its embedded rule of degree 5, a heap of regions, one call of a subroutine for each point.
! SPDX-License-Identifier: BSD-3-Clause
module plain
  implicit none
  integer, parameter :: dp = kind(1d0)
  abstract interface
    subroutine integrand(ndim, x, numfun, f)
      integer :: ndim, numfun
      double precision :: x(ndim), f(numfun)
    end subroutine integrand
  end interface
contains
  ! Divides the worst region until maxpts evaluations are made.
  subroutine plain_cubature(ndim, a, b, maxpts, f, value, error, neval)
    integer, intent(in) :: ndim, maxpts
    real(dp), intent(in) :: a(ndim), b(ndim)
    procedure(integrand) :: f
    real(dp), intent(out) :: value, error
    integer, intent(out) :: neval
    real(dp), allocatable :: centre(:, :), half(:, :), q(:), e(:)
    integer, allocatable :: axis(:), heap(:)
    integer :: n, points, most, i, j
    points = 2**ndim + 2 * ndim**2 + 2 * ndim + 1
    most = maxpts / (2 * points) + 2
    allocate (centre(ndim, most), half(ndim, most), q(most), e(most), axis(most), heap(most))
    centre(:, 1) = 0.5_dp * (a + b)
    half(:, 1) = 0.5_dp * (b - a)
    call apply(ndim, centre(:, 1), half(:, 1), f, q(1), e(1), axis(1))
    n = 1
    heap(1) = 1
    neval = points
    value = q(1)
    error = e(1)
    do while (neval + 2 * points <= maxpts)
      i = heap(1)
      value = value - q(i)
      error = error - e(i)
      j = axis(i)
      n = n + 1
      centre(:, n) = centre(:, i)
      half(:, n) = half(:, i)
      half(j, i) = 0.5_dp * half(j, i)
      half(j, n) = half(j, i)
      centre(j, i) = centre(j, i) - half(j, i)
      centre(j, n) = centre(j, n) + half(j, i)
      call apply(ndim, centre(:, i), half(:, i), f, q(i), e(i), axis(i))
      call sink(heap, n - 1, e)
      call apply(ndim, centre(:, n), half(:, n), f, q(n), e(n), axis(n))
      call rise(heap, n, e)
      value = value + q(i) + q(n)
      error = error + e(i) + e(n)
      neval = neval + 2 * points
    end do
    value = sum(q(:n))
    error = sum(e(:n))
  end subroutine plain_cubature

  subroutine sink(heap, n, e)
    integer, intent(inout) :: heap(:)
    integer, intent(in) :: n
    real(dp), intent(in) :: e(:)
    integer :: i, child, what
    what = heap(1)
    i = 1
    do
      child = 2 * i
      if (child > n) exit
      if (child < n) then
        if (e(heap(child + 1)) > e(heap(child))) child = child + 1
      end if
      if (e(heap(child)) <= e(what)) exit
      heap(i) = heap(child)
      i = child
    end do
    heap(i) = what
  end subroutine sink

  subroutine rise(heap, n, e)
    integer, intent(inout) :: heap(:)
    integer, intent(in) :: n
    real(dp), intent(in) :: e(:)
    integer :: i
    i = n
    do while (i > 1)
      if (e(heap(i / 2)) >= e(n)) exit
      heap(i) = heap(i / 2)
      i = i / 2
    end do
    heap(i) = n
  end subroutine rise

  subroutine apply(ndim, c, h, f, q, e, axis)
    integer, intent(in) :: ndim
    real(dp), intent(in) :: c(ndim), h(ndim)
    procedure(integrand) :: f
    real(dp), intent(out) :: q, e
    integer, intent(out) :: axis
    real(dp), parameter :: l2 = sqrt(9 / 70._dp), l4 = sqrt(0.9_dp), l5 = sqrt(9 / 19._dp)
    real(dp) :: x(ndim), v(1), f0, s2, s3, s4, s5, w(5), u(4), volume, a2, a3, difference, largest
    integer :: i, j, k, signs
    x = c
    call f(ndim, x, 1, v)
    f0 = v(1)
    s2 = 0
    s3 = 0
    largest = -1
    axis = 1
    do i = 1, ndim
      x(i) = c(i) - l2 * h(i)
      call f(ndim, x, 1, v)
      a2 = v(1)
      x(i) = c(i) + l2 * h(i)
      call f(ndim, x, 1, v)
      a2 = a2 + v(1)
      x(i) = c(i) - l4 * h(i)
      call f(ndim, x, 1, v)
      a3 = v(1)
      x(i) = c(i) + l4 * h(i)
      call f(ndim, x, 1, v)
      a3 = a3 + v(1)
      x(i) = c(i)
      s2 = s2 + a2
      s3 = s3 + a3
      difference = abs(a2 - 2 * f0 - (l2 / l4)**2 * (a3 - 2 * f0))
      if (difference > largest) then
        largest = difference
        axis = i
      end if
    end do
    s4 = 0
    do i = 1, ndim - 1
      do j = i + 1, ndim
        do k = 0, 3
          x(i) = c(i) + merge(l4, -l4, mod(k, 2) == 0) * h(i)
          x(j) = c(j) + merge(l4, -l4, k < 2) * h(j)
          call f(ndim, x, 1, v)
          s4 = s4 + v(1)
        end do
        x(j) = c(j)
      end do
      x(i) = c(i)
    end do
    s5 = 0
    do signs = 0, 2**ndim - 1
      do i = 1, ndim
        x(i) = c(i) + merge(-l5, l5, btest(signs, i - 1)) * h(i)
      end do
      call f(ndim, x, 1, v)
      s5 = s5 + v(1)
    end do
    volume = product(2 * h)
    w = [(12824 - 9120._dp * ndim + 400._dp * ndim**2) / 19683, 980 / 6561._dp, (1820 - 400._dp * ndim) / 19683, &
      200 / 19683._dp, 6859 / 19683._dp / 2**ndim]
    u = [(729 - 950._dp * ndim + 50._dp * ndim**2) / 729, 245 / 486._dp, (265 - 100._dp * ndim) / 1458, 25 / 729._dp]
    q = volume * (w(1) * f0 + w(2) * s2 + w(3) * s3 + w(4) * s4 + w(5) * s5)
    e = abs(q - volume * (u(1) * f0 + u(2) * s2 + u(3) * s3 + u(4) * s4))
  end subroutine apply
end module plain

! Runs of so many evaluations with DCUHRE of the library and with the above. Usage: bench_dropins [evaluations]
program bench_dropins
  use plain
  implicit none
  integer, parameter :: dims(4) = [2, 3, 5, 8]
  double precision :: a(8) = 0, b(8) = 1, value, error, result(1), abserr(1), seconds(2), start, finish
  double precision, allocatable :: work(:)
  character(20) :: argument
  integer :: maxpts, i, key, nw, neval, neval2, ifail, turn
  external :: kink
  maxpts = 10000000
  if (command_argument_count() > 0) then
    call get_command_argument(1, argument)
    read (argument, *) maxpts
  end if
  print '(a)', 'ndim,key,evaluations,dcuhre_s,plain_s,ratio_per_evaluation'
  do i = 1, size(dims)
    do key = 0, 4, 4
      call compare(dims(i))
    end do
  end do
contains
  subroutine compare(n)
    integer, intent(in) :: n
    nw = (maxpts / 20) * (2 * n + 4) + 100
    allocate (work(nw))
    seconds = huge(1d0)
    do turn = 1, 3
      call cpu_time(start)
      call dcuhre(n, 1, a, b, 0, maxpts, kink, 0d0, 0d0, key, nw, 0, result, abserr, neval, ifail, work)
      call cpu_time(finish)
      seconds(1) = min(seconds(1), finish - start)
      call cpu_time(start)
      call plain_cubature(n, a(:n), b(:n), maxpts, kink, value, error, neval2)
      call cpu_time(finish)
      seconds(2) = min(seconds(2), finish - start)
    end do
    if (ifail > 1 .or. abs(result(1) - value) > 1d-2 * value) error stop 'the two disagree'
    print '(i0, a, i0, a, i0, a, f0.3, a, f0.3, a, f0.2)', n, ',', key, ',', neval, ',', seconds(1), ',', seconds(2), ',', &
      seconds(1) / seconds(2) * neval2 / neval
    deallocate (work)
  end subroutine compare
end program bench_dropins
