! Generating vectors and lattice rules from Fortran. SPDX-License-Identifier: BSD-3-Clause
module lattice_parts
  use, intrinsic :: iso_c_binding, only: c_double, c_f_pointer, c_int, c_int64_t, c_loc, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: error_unit
  use tessera
  implicit none
  integer :: failed = 0, passed = 0
  real(c_double) :: sum_of_weights = 0, sum_of_values = 0
contains
  subroutine check(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    if (condition) then
      passed = passed + 1
    else
      failed = failed + 1
      write (error_unit, '(2a)') 'FAILED: ', what
    end if
  end subroutine check

  subroutine f(x, fval)
    real(c_double), intent(in) :: x(:)
    real(c_double), intent(out) :: fval(:)
    fval = exp(sum(x))
  end subroutine f

  ! x**(-1/2) (1-x)**(-1/2) with 1 - x from the library
  subroutine arcsine(x, fval)
    real(c_double), intent(in) :: x(:)
    real(c_double), intent(out) :: fval(:)
    fval = -1
    if (size(x) == 2) fval = 1 / sqrt(x(1) * x(2))
  end subroutine arcsine

  ! The same, with the distance from the nearer end, negative at the lower one.
  subroutine from_the_nearer_end(x, fval)
    real(c_double), intent(in) :: x(:)
    real(c_double), intent(out) :: fval(:)
    fval = -1
    if (size(x) == 2) fval = 1 / sqrt(abs(x(2)) * (1 - abs(x(2))))
  end subroutine from_the_nearer_end

  ! Behind the coordinates the weight and the iteration, which is the first.
  subroutine summing_weights(x, fval)
    real(c_double), intent(in) :: x(:)
    real(c_double), intent(out) :: fval(:)
    fval = -1
    if (size(x) /= 6) return
    if (nint(x(6)) /= 1) return
    fval = product(x(1:4))
    sum_of_weights = sum_of_weights + x(5)
    sum_of_values = sum_of_values + x(5) * fval(1)
  end subroutine summing_weights

  function count_steps(done, all, userdata) result(stop_code) bind(c)
    integer(c_int64_t), value :: done, all
    type(c_ptr), value :: userdata
    integer(c_int) :: stop_code
    integer(c_int64_t), pointer :: last(:)
    call c_f_pointer(userdata, last, [2])
    last = [done, all]
    stop_code = 0
  end function count_steps
end module lattice_parts

program test_lattice
  use lattice_parts
  implicit none
  type(tessera_lattice_t) :: l, other
  type(tessera_solver) :: s
  integer(c_int) :: ierr, small
  integer(c_int64_t) :: n, prime, z(4), y(4)
  integer(c_int64_t), target :: steps(2)
  real(c_double) :: merit, value(1), error(1), product(4)
  real(c_double), parameter :: pi = 3.14159265358979324_c_double
  logical :: fft
  integer :: k, j

  call tessera_lattice_construct(l, 1009, ierr)
  call check(ierr == TESSERA_ERR_ARGUMENT, 'a lattice that was never created')
  call check(index(tessera_lattice_last_error(l), 'not been created') > 0, 'and its sentence')
  call tessera_lattice_create(l, 2000, ierr)
  call check(ierr == TESSERA_ERR_ARGUMENT, 'too many components')
  call check(index(tessera_lattice_last_error(l), '2000') > 0, 'and their number')
  call tessera_lattice_create(l, 4)

  call tessera_lattice_vector(l, 1009, [1, 2, 3], ierr)
  call check(ierr == TESSERA_ERR_ARGUMENT, 'a vector of another size')
  call check(index(tessera_lattice_last_error(l), 'size 3') > 0, 'and the size')
  call tessera_lattice_vector(l, 1009, [1, 20, 300, 400])
  call tessera_lattice_get_vector(l, z)
  call check(all(z == [1, 20, 300, 400]), 'the vector comes back')
  call tessera_lattice_get_vector(l, z(1:3), ierr)
  call check(ierr == TESSERA_ERR_ARGUMENT, 'an array of another size')
  call tessera_lattice_korobov(l, 1009, 500)
  call tessera_lattice_get_vector(l, z)
  call check(z(3) == mod(500 * 500, 1009), 'Korobov')
  call tessera_lattice_korobov(l, 1009, 0, ierr)
  call check(ierr == TESSERA_ERR_ARGUMENT .and. index(tessera_lattice_last_error(l), 'a = 0') > 0, 'Korobov, wrong')
  call tessera_lattice_prime(1008000_c_int64_t, 7_c_int64_t, prime)
  call check(prime == 1008001, 'a prime for FFTs')
  call tessera_lattice_prime(1_c_int64_t, 7_c_int64_t, prime, ierr)
  call check(ierr == TESSERA_ERR_ARGUMENT, 'no prime')

  product = 0.5_c_double
  call tessera_lattice_set_weights(l, product)
  call tessera_lattice_set_weights(l, product(1:2), ierr=ierr)
  call check(ierr == TESSERA_ERR_ARGUMENT, 'weights of another size')
  call tessera_lattice_set_weights(l, order=[1.0_c_double, -1.0_c_double], ierr=ierr)
  call check(ierr == TESSERA_ERR_ARGUMENT, 'a negative weight')
  call tessera_lattice_set_kernel(l, TESSERA_KERNEL_B2)
  call tessera_lattice_set_progress(l, count_steps, c_loc(steps))
  call tessera_lattice_construct(l, 1009, ierr)
  fft = ierr /= TESSERA_ERR_NOT_BUILT
  if (fft) then
    call check(ierr == TESSERA_OK, 'construction')
    call check(all(steps == 4), 'progress')
    call tessera_lattice_get_vector(l, z)
    call tessera_get(l, TESSERA_LATTICE_MERIT, merit)
    error = 0
    do k = 0, 1008
      value = 1
      do j = 1, 4
        value = value * (1 + pi**2 * (bernoulli(real(mod(k * z(j), 1009_c_int64_t), c_double) / 1009)))
      end do
      error = error + (value - 1) / 1009
    end do
    call check(abs(merit - error(1)) < 1e-10_c_double * merit, 'figure of merit')
    call tessera_set(l, TESSERA_LATTICE_LEAST, 64)
    call tessera_lattice_construct(l, 1000, ierr)
    call check(ierr == TESSERA_ERR_ARGUMENT .and. index(tessera_lattice_last_error(l), '997') > 0, 'n that is not prime')
    call tessera_lattice_construct(l, 4096_c_int64_t)
  else
    call tessera_lattice_builtin(l)
  end if
  call tessera_get(l, TESSERA_LATTICE_NDIM, small)
  call check(small == 4, 'number of components')
  call tessera_get(l, TESSERA_LATTICE_SIZE, n)

  call tessera_lattice_save(l, 'test_lattice.txt')
  call tessera_lattice_create(other, 1)
  call tessera_lattice_load(other, 'test_lattice.txt')
  call tessera_lattice_get_vector(l, z)
  call tessera_lattice_get_vector(other, y)
  call check(all(z == y), 'saved and loaded')
  call tessera_lattice_load(other, 'no such file', ierr)
  call check(ierr == TESSERA_ERR_FILE, 'no such file')
  open (10, file='test_lattice.txt')
  close (10, status='delete')

  call tessera_create(s, 4, 1)
  call tessera_set_point(s, f)
  call tessera_set_lattice(s, other)
  call tessera_lattice_destroy(other)
  call tessera_set_lattice(s, other, ierr)
  call check(ierr == TESSERA_ERR_ARGUMENT, 'a lattice that is gone')
  call tessera_set(s, TESSERA_TRANSFORM, TESSERA_TRANSFORM_BAKER)
  call tessera_set(s, TESSERA_RELTOL, 1e-5_c_double)
  call tessera_integrate(s, TESSERA_LATTICE, value, error, ierr)
  call check(ierr == TESSERA_OK, 'integration: ' // tessera_last_error(s))
  call check(abs(value(1) - (exp(1.0_c_double) - 1)**4) <= error(1), 'its value')
  call tessera_set_lattice(s)
  call tessera_integrate(s, TESSERA_LATTICE, value, error, ierr)
  call check(ierr == TESSERA_OK, 'with the built-in vector')
  call tessera_destroy(s)

  call tessera_create(s, 1, 1)
  call tessera_set_point(s, arcsine)
  call tessera_set(s, TESSERA_COMPLEMENT, 1)
  call tessera_set(s, TESSERA_TRANSFORM, TESSERA_TRANSFORM_TANH)
  call tessera_integrate(s, TESSERA_LATTICE, value, error, ierr)
  call check(ierr == TESSERA_OK .and. abs(value(1) - pi) < 1e-6_c_double, 'complements')
  call tessera_set_point(s, from_the_nearer_end)
  call tessera_set(s, TESSERA_COMPLEMENT, 2)
  call tessera_integrate(s, TESSERA_QUADRATURE, value, error, ierr)
  call check(ierr == TESSERA_OK .and. abs(value(1) - pi) < 1e-5_c_double, 'distances from the nearer end')
  call tessera_destroy(s)

  call tessera_create(s, 4, 1)
  call tessera_set_point(s, summing_weights)
  call tessera_set(s, TESSERA_WEIGHTS, 1)
  call tessera_set(s, TESSERA_SAMPLING, TESSERA_SAMPLING_PLAIN)
  call tessera_set(s, TESSERA_POINTS, 5000)
  call tessera_set(s, TESSERA_MAXEVAL, 5000)
  call tessera_set(s, TESSERA_RELTOL, 0.0_c_double)
  call tessera_integrate(s, TESSERA_MONTECARLO, value, error, ierr)
  call check(ierr == TESSERA_LIMIT_EVALUATIONS .and. abs(sum_of_weights - 1) < 1e-12_c_double .and. &
             abs(value(1) - sum_of_values) < 1e-12_c_double, 'weights')
  call tessera_destroy(s)
  call tessera_lattice_destroy(l)
  call tessera_lattice_destroy(l)
  print '(i0, a, i0, a)', passed, ' passed, ', failed, ' failed'
  if (failed > 0) error stop 1
contains
  ! B2; the kernel is 2 pi**2 B2, the weights are 1/2
  pure function bernoulli(x) result(b)
    real(c_double), intent(in) :: x
    real(c_double) :: b
    b = x * x - x + 1.0_c_double / 6
  end function bernoulli
end program test_lattice
