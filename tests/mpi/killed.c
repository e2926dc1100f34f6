/* The last rank dies in the middle of a run: a signal, as when the machine has no memory left. SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <tessera.h>

static int dying, calls;
static int f(int ndim, const double *x, int ncomp, double *fval, void *userdata) {
  (void)ndim, (void)ncomp, (void)userdata;
  if (dying && ++calls > 1000) raise(SIGKILL);
  fval[0] = x[0] > 0.3 ? x[1] : 0;
  return 0;
}

int main(int argc, char **argv) {
  int level, rank, ranks;
  double value, error;
  tessera_solver *s;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  dying = rank == ranks - 1;
  if (tessera_create(&s, 2, 1) < 0 || tessera_set_comm_world(s) < 0) return 3;
  tessera_set_integrand1(s, f, NULL);
  tessera_set_real(s, TESSERA_RELTOL, 1e-12);
  printf("integrating\n");
  fflush(stdout);
  const int status = tessera_integrate(s, TESSERA_MONTECARLO, &value, &error);
  printf("rank %d has ended with %d\n", rank, status);
  MPI_Finalize();
  return 0;
}
