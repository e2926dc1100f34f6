/* A legacy MPI program whose ranks call drop-ins. Without TESSERA_COMM each rank has integrals of its own, as many as it likes; with
 * TESSERA_COMM=world all make the same calls and share each. SPDX-License-Identifier: BSD-3-Clause */
#include <cuba.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tessera_dcuhre.h>

static long calls;
static double rate;

static void f(const int *ndim, const double *x, const int *numfun, double *out) {
  double s = 0;
  for (int j = 0; j < *ndim; ++j) s += fabs(x[j] - 0.3);
  for (int k = 0; k < *numfun; ++k) out[k] = exp(-rate * (k + 1) * s);
  ++calls;
}
static int g(const int *ndim, const double x[], const int *ncomp, double out[], void *userdata) {
  (void)userdata;
  f(ndim, x, ncomp, out);
  return 0;
}

static double exact(int ndim, double a) { return pow((2 - exp(-0.3 * a) - exp(-0.7 * a)) / a, ndim); }

/* Value of the first component; *neval as the routine says. */
static double by_dcuhre(int ndim, int *neval) {
  static double work[400000];
  const double lower[4] = {0, 0, 0, 0}, upper[4] = {1, 1, 1, 1}, epsabs = 0, epsrel = 1e-2;
  const int numfun = 2, minpts = 0, maxpts = 2000000, key = 0, nw = 400000, restar = 0;
  double result[2], abserr[2];
  int ifail = -1;
  dcuhre_(&ndim, &numfun, lower, upper, &minpts, &maxpts, f, &epsabs, &epsrel, &key, &nw, &restar, result, abserr,
          neval, &ifail, work);
  return ifail == 0 ? result[0] : NAN;
}
static double by_vegas(int ndim, int *neval) {
  double integral[1], error[1], prob[1];
  int fail = -1;
  Vegas(ndim, 1, g, NULL, 1, 1e-3, 0, 0, 17, 0, 2000000, 100000, 100000, 1000, 0, NULL, NULL, neval, &fail, integral,
        error, prob);
  return fail == 0 ? integral[0] : NAN;
}

int main(int argc, char **argv) {
  int rank, ranks, wrong = 0;
  const char *const comm = getenv("TESSERA_COMM");
  const int together = comm && strcmp(comm, "world") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int routine = 0; routine < 2; ++routine)
    for (int i = 0; i < (together ? 2 : 1 + rank); ++i) {
      int neval = 0;
      rate = together ? 2 + i : 1 + 0.5 * rank + i;
      calls = 0;
      const double value = routine == 0 ? by_dcuhre(3, &neval) : by_vegas(3, &neval), right = exact(3, rate);
      if (!(fabs(value - right) <= 5e-3 * right))
        ++wrong, fprintf(stderr, "rank %d: %.10f is not %.10f\n", rank, value, right);
      if (!together) {
        if (calls != neval) ++wrong, fprintf(stderr, "rank %d: %ld calls, %d evaluations\n", rank, calls, neval);
        continue;
      }
      long all = 0;
      double first = value;
      MPI_Allreduce(&calls, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
      MPI_Bcast(&first, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
      if (first != value) ++wrong, fprintf(stderr, "rank %d: another value\n", rank);
      if (all < neval || (double)calls > 0.6 * (double)all) /* some are made ahead of their time */
        ++wrong, fprintf(stderr, "rank %d: %ld of %ld calls, %d evaluations\n", rank, calls, all, neval);
      if (rank == 0) printf("routine %d: %.17g, %d evaluations\n", routine, value, neval);
    }
  MPI_Finalize();
  return wrong != 0;
}
