/* A run in two parts: the first is ended by a limit and leaves its state in a file, the second goes on from there with the limit and the
 * tolerance that it has been given meanwhile. Usage: checkpoint [file]. SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <tessera.h>

static int64_t calls;

static int ripples(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double r = 0;
  (void)ncomp, (void)userdata;
  ++calls;
  for (int j = 0; j < ndim; ++j) r += (x[j] - 0.4) * (x[j] - 0.4);
  f[0] = cos(20 * sqrt(r)) / (0.1 + r);
  return 0;
}

/* What both parts have in common: the problem. */
static tessera_solver *new_solver(void) {
  tessera_solver *s;
  if (tessera_create(&s, 3, 1) != 0) return NULL;
  tessera_set_integrand1(s, ripples, NULL);
  tessera_set_int(s, TESSERA_THREADS, 1);
  return s;
}

int main(int argc, char **argv) {
  const char *file = argc > 1 ? argv[1] : "checkpoint.state";
  double value = 0, error = 0;
  int64_t evaluations = 0;

  /* The file is written every ten minutes, and when the run ends. */
  tessera_solver *s = new_solver();
  if (!s) return 1;
  tessera_set_checkpoint(s, file);
  tessera_set_real(s, TESSERA_CHECKPOINT_SECONDS, 600);
  tessera_set_real(s, TESSERA_RELTOL, 1e-4);
  tessera_set_int(s, TESSERA_MAXEVAL, 50000); /* or TESSERA_MAX_SECONDS, or the batch system ends it */
  int status = tessera_integrate(s, TESSERA_CUBATURE, &value, &error);
  printf("%.12f +- %.1e: %s\n", value, error, tessera_status_string(status));
  tessera_destroy(s);

  /* Another process, on another day. */
  calls = 0;
  s = new_solver();
  if (!s) return 1;
  tessera_set_real(s, TESSERA_RELTOL, 1e-6);
  status = tessera_load_state(s, file);
  if (status == 0) status = tessera_integrate(s, TESSERA_CUBATURE, &value, &error);
  if (status < 0) printf("%s\n", tessera_last_error(s));
  tessera_get_int(s, TESSERA_EVALUATIONS, &evaluations);
  printf("%.12f +- %.1e after %" PRId64 " evaluations, of which %" PRId64 " were still to be made\n", value, error, evaluations,
         calls);
  tessera_destroy(s);
  remove(file);
  return status == 0 && evaluations - calls > 45000 ? 0 : 1;
}
