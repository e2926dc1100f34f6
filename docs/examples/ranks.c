/* The ranks of an MPI program share one integral, then a thousand: mpirun -n 4 ./ranks. SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <tessera.h>

/* A peak at the point params[0 .. 2]. */
static int peak(int ndim, const double *x, int ncomp, double *f, void *params) {
  const double *at = params;
  double r = 0;
  (void)ncomp;
  for (int j = 0; j < ndim; ++j) r += (x[j] - at[j]) * (x[j] - at[j]);
  f[0] = 1 / (0.01 + r);
  return 0;
}

enum { count = 1000 };

int main(int argc, char **argv) {
  int level, rank, ranks, status;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level); /* the library's threads do not call MPI */
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);

  const double middle[3] = {0.5, 0.5, 0.5};
  double value, error;
  tessera_solver *s;
  if (tessera_create(&s, 3, 1) < 0) MPI_Abort(comm, 1);
  tessera_set_integrand1(s, peak, NULL);
  tessera_set_params(s, middle, sizeof middle);
  tessera_set_real(s, TESSERA_RELTOL, 1e-6);
  status = tessera_set_comm(s, &comm, sizeof comm); /* from here on all ranks call together */
  if (status == TESSERA_OK) status = tessera_integrate(s, TESSERA_CUBATURE, &value, &error);
  if (status < 0) { /* the same on all ranks */
    fprintf(stderr, "%s\n", tessera_last_error(s));
    MPI_Finalize();
    return status == TESSERA_ERR_NOT_BUILT ? 77 : 1;
  }
  if (rank == 0) printf("one integral     %.9f +- %.1e, by %d ranks\n", value, error, ranks);

  static double at[count][3], values[count], errors[count];
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < 3; ++j) at[i][j] = j == 0 ? i / (double)(count - 1) : 0.5;
  tessera_set_real(s, TESSERA_RELTOL, 1e-3);
  status |= tessera_integrate_many(s, TESSERA_CUBATURE, count, at, sizeof at[0], NULL, NULL, values, errors, NULL);
  if (rank == 0) printf("integral %d     %.5f\nits mirror image %.5f\n", count / 4, values[count / 4], values[count - 1 - count / 4]);

  tessera_destroy(s); /* before MPI_Finalize */
  MPI_Finalize();
  return status == TESSERA_OK && fabs(values[0] - values[count - 1]) <= errors[0] + errors[count - 1] ? 0 : 1;
}
