! An integrand given as source text: compiled for a GPU where there is one, else for the host by the system's compiler. Its
! parameters go with the solver. SPDX-License-Identifier: BSD-3-Clause
program source
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int64_t, c_new_line
  use tessera
  implicit none
  integer, parameter :: ndim = 4
  ! TESSERA_NDIM is a constant in the text, so that the loop is unrolled.
  character(*), parameter :: text = &
    'double f(const double *x, const double *p) {' // c_new_line // &
    '  double product = 1;' // c_new_line // &
    '  for (int j = 0; j < TESSERA_NDIM; ++j) {' // c_new_line // &
    '    const double t = (x[j] - p[0]) / p[1];' // c_new_line // &
    '    product *= 1 / (1 + t * t);' // c_new_line // &
    '  }' // c_new_line // &
    '  return product;' // c_new_line // &
    '}'
  real(c_double), parameter :: peaks(2, 2) = reshape([0.5_c_double, 0.2_c_double, 0.3_c_double, 0.1_c_double], [2, 2])
  type(tessera_solver) :: s
  real(c_double) :: value(1), error(1), exact
  integer(c_int64_t) :: evaluations
  integer(c_int) :: status, device
  integer :: i

  call tessera_create(s, ndim, 1)
  call tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, text, 'f')
  call tessera_set(s, TESSERA_DEVICE, TESSERA_DEVICE_ANY)  ! a GPU if there is one
  do i = 1, 2  ! compiled once, run twice
    call tessera_set_params(s, peaks(:, i), 16_c_int64_t)  ! two double precision numbers
    call tessera_integrate(s, TESSERA_CUBATURE, value, error, status)
    if (status < 0) error stop tessera_last_error(s)
    call tessera_get(s, TESSERA_DEVICE_USED, device)
    call tessera_get(s, TESSERA_EVALUATIONS, evaluations)
    associate (c => peaks(1, i), w => peaks(2, i))
      exact = (w * (atan((1 - c) / w) + atan(c / w)))**ndim
    end associate
    print '(es16.9, a, es7.0, a, es16.9, a, i0, 2a)', value, ' +- ', error, ', exact ', exact, ', ', evaluations, &
      ' evaluations ', merge('on a GPU   ', 'on the host', device >= 0)
    if (status /= TESSERA_OK .or. abs(value(1) - exact) > 1e-6_c_double * exact) error stop 1
  end do
  call tessera_destroy(s)
end program source
