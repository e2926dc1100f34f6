/* What ranks cost and gain (docs/ranks.md): mpirun -n 8 bench_ranks [integrals] [milliseconds].
 * many: integrals whose costs vary a hundredfold, in random order and with the dearest last; the integrand sleeps, so that ranks need
 * not have processors of their own. Efficiency: the time in the integrand of all ranks over ranks times the time of the call.
 * one: the same integral by one process and by the ranks, and the exchanges of a run that has nothing else to do.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <tessera.h>
#include <unistd.h>

static double busy;
static int rank, ranks, failed;

static int sleeping(int ndim, const double *x, int ncomp, double *f, void *params) {
  const double began = MPI_Wtime();
  (void)ndim, (void)x, (void)ncomp;
  usleep((useconds_t)(1e6 * *(const double *)params));
  f[0] = 1;
  busy += MPI_Wtime() - began;
  return 0;
}

static int kinks(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double s = 0;
  (void)ncomp, (void)userdata;
  for (int j = 0; j < ndim; ++j) s += fabs(x[j] - 0.3);
  f[0] = exp(-s);
  return 0;
}

static void many(int count, double unit, int sorted) {
  double *cost = malloc(sizeof(double) * (size_t)count), *value = malloc(sizeof(double) * (size_t)count),
         *error = malloc(sizeof(double) * (size_t)count);
  unsigned state = 1;
  for (int i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    const double u = sorted ? (double)i / count : (state >> 8) / 16777216.0;
    cost[i] = 1e-3 * unit * pow(100, u) / 21;
  }
  tessera_solver *s;
  tessera_create(&s, 1, 1);
  tessera_set_integrand1(s, sleeping, NULL);
  if (tessera_set_comm_world(s) != TESSERA_OK)
    fprintf(stderr, "%s\n", tessera_last_error(s)), MPI_Abort(MPI_COMM_WORLD, 1);
  busy = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  double began = MPI_Wtime(), all = 0;
  const int status =
      tessera_integrate_many(s, TESSERA_QUADRATURE, count, cost, sizeof cost[0], NULL, NULL, value, error, NULL);
  double wall = MPI_Wtime() - began;
  MPI_Allreduce(&busy, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &wall, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  failed |= status != TESSERA_OK;
  if (rank == 0)
    printf("many,%s,%d ranks,%d integrals,%.3f s,efficiency %.3f,status %d\n", sorted ? "dearest last" : "random",
           ranks, count, wall, all / (ranks * wall), status);
  tessera_destroy(s);
  free(cost), free(value), free(error);
}

static double seconds_of(const char *name, int method, int together, int64_t maxeval) {
  double value, error, seconds, least = 1e9;
  int64_t evaluations = 0;
  tessera_solver *s;
  tessera_create(&s, 5, 1);
  tessera_set_integrand1(s, kinks, NULL);
  tessera_set_real(s, TESSERA_RELTOL, 1e-13);
  tessera_set_int(s, TESSERA_MAXEVAL, maxeval);
  tessera_set_int(s, TESSERA_SPARSE, TESSERA_SPARSE_OFF);
  tessera_set_int(s, TESSERA_SAMPLING, TESSERA_SAMPLING_PLAIN);
  tessera_set_int(s, TESSERA_GENERATOR, TESSERA_GENERATOR_PHILOX);
  if (together) tessera_set_comm_world(s);
  for (int i = 0; i < 3; ++i) {
    failed |= tessera_integrate(s, method, &value, &error) < 0;
    tessera_get_real(s, TESSERA_SECONDS, &seconds);
    if (seconds < least) least = seconds;
  }
  tessera_get_int(s, TESSERA_EVALUATIONS, &evaluations);
  if (rank == 0 && together)
    printf("one,%s,%d ranks,%lld evaluations,%.4f s\n", name, ranks, (long long)evaluations, least);
  if (rank == 0 && !together) printf("one,%s,1 process,%lld evaluations,%.4f s\n", name, (long long)evaluations, least);
  tessera_destroy(s);
  return least;
}

int main(int argc, char **argv) {
  int level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int count = argc > 1 ? atoi(argv[1]) : 400;
  const double unit = argc > 2 ? atof(argv[2]) : 4;
  many(count, unit, 0);
  many(count, unit, 1);
  const int methods[] = {TESSERA_CUBATURE, TESSERA_LATTICE, TESSERA_MONTECARLO};
  const char *const names[] = {"cubature worst first", "lattice", "plain"};
  for (int m = 0; m < 3; ++m) {
    if (rank == 0) seconds_of(names[m], methods[m], 0, 20000 * (int64_t)count);
    MPI_Barrier(MPI_COMM_WORLD);
    seconds_of(names[m], methods[m], 1, 20000 * (int64_t)count);
  }
  MPI_Finalize();
  return failed;
}
