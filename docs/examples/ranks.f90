! The ranks of an MPI program share one integral: mpirun -n 4 ./ranks_f90. SPDX-License-Identifier: BSD-3-Clause
module ranks_integrand
  use, intrinsic :: iso_c_binding, only: c_double
  implicit none
contains
  subroutine f(x, fval)
    real(c_double), intent(in) :: x(:)
    real(c_double), intent(out) :: fval(:)
    fval = exp(product(x))
  end subroutine f
end module ranks_integrand

program ranks
  use, intrinsic :: iso_c_binding, only: c_double, c_int
  use mpi_f08
  use ranks_integrand, only: f
  use tessera
  implicit none
  real(c_double), parameter :: exact = 1.03348486773424214_c_double  ! the sum of 1/(n! (n+1)^5)
  type(tessera_solver) :: s
  real(c_double) :: value(1), error(1)
  integer :: level, rank
  integer(c_int) :: status

  call MPI_Init_thread(MPI_THREAD_FUNNELED, level)  ! the library's threads do not call MPI
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call tessera_create(s, 5, 1)
  call tessera_set_point(s, f)
  call tessera_set(s, TESSERA_RELTOL, 1e-6_c_double)
  call tessera_set_comm(s, MPI_COMM_WORLD%MPI_VAL, status)  ! with `use mpi`: MPI_COMM_WORLD itself
  if (status == TESSERA_OK) call tessera_integrate(s, TESSERA_LATTICE, value, error, status)
  if (status == TESSERA_ERR_NOT_BUILT) stop 77
  if (status < 0) error stop tessera_last_error(s)
  if (rank == 0) then
    print '(a, f0.9, a, es7.1)', 'value ', value, ' +- ', error
    print '(a, f0.9)', 'exact ', exact
  end if
  call tessera_destroy(s)  ! before MPI_Finalize
  call MPI_Finalize()
  if (status /= TESSERA_OK .or. abs(value(1) - exact) > 1e-6_c_double * exact) error stop 1
end program ranks
