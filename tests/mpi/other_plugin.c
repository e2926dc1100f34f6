/* The plug-in of another MPI than the program's, which TESSERA_COMM_LIB names, is refused with a sentence that names both, and the solver
 * integrates on each rank by itself. SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tessera.h>

static int half(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp, (void)userdata;
  f[0] = x[0];
  return 0;
}

#ifdef OPEN_MPI
static const char ours[] = "Open MPI", theirs[] = "MPICH";
#else
static const char ours[] = "MPICH", theirs[] = "Open MPI";
#endif

static int is_refused(tessera_solver *s, const char *call, int status) {
  const char *const text = tessera_last_error(s), *const built = strstr(text, "built for"),
                    *const runs = strstr(text, "runs");
  const int good = status == TESSERA_ERR_RANKS && built && strncmp(built + 10, theirs, strlen(theirs)) == 0 && runs &&
                   strstr(runs, ours);
  if (!good) fprintf(stderr, "%s: %d, %s\n", call, status, text);
  return good;
}

int main(int argc, char **argv) {
  int level, good = 1;
  double value = NAN, error;
  tessera_solver *s;
  MPI_Comm world = MPI_COMM_WORLD;
  if (!getenv("TESSERA_COMM_LIB")) return puts("there is no second MPI"), 77;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  if (tessera_create(&s, 2, 1) < 0) return 3;
  good &= is_refused(s, "tessera_set_comm", tessera_set_comm(s, &world, sizeof world));
  good &= is_refused(s, "tessera_set_comm_f", tessera_set_comm_f(s, (int)MPI_Comm_c2f(world)));
  good &= is_refused(s, "tessera_set_comm_world", tessera_set_comm_world(s));
  tessera_set_integrand1(s, half, NULL);
  const int status = tessera_integrate(s, TESSERA_CUBATURE, &value, &error);
  if (status != TESSERA_OK || !(fabs(value - 0.5) < 1e-9)) good = 0, fprintf(stderr, "%d, %g\n", status, value);
  tessera_destroy(s);
  MPI_Finalize();
  return !good;
}
