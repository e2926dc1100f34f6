/* Watching a long run and stopping it. SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <tessera.h>

static int oscillating(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double s = 0;
  (void)ncomp, (void)userdata;
  for (int j = 0; j < ndim; ++j) s += (j + 1) * x[j];
  f[0] = cos(10 * s);
  return 0;
}

struct watch {
  int64_t enough; /* stop after so many evaluations */
  int calls;
};

static int progress(int64_t evaluations, int ncomp, const double *value, const double *error, int64_t remaining,
                    void *userdata) {
  struct watch *w = userdata;
  (void)ncomp;
  ++w->calls;
  printf("%10" PRId64 " evaluations, value %+.3e, error %.1e", evaluations, value[0], error[0]);
  if (remaining >= 0) printf(", about %" PRId64 " to come", remaining);
  printf("\n");
  return evaluations >= w->enough; /* anything but 0 stops the run */
}

static void write_line(int level, const char *line, void *userdata) { fprintf(userdata, "log %d: %s\n", level, line); }

int main(void) {
  struct watch w = {1000000, 0};
  double value = 0, error = 0;
  tessera_solver *s;
  if (tessera_create(&s, 6, 1) != 0) return 1;

  tessera_set_integrand1(s, oscillating, NULL);
  tessera_set_real(s, TESSERA_RELTOL, 1e-12); /* more than can be had */
  tessera_set_progress(s, progress, &w);
  tessera_set_log(s, write_line, stdout);
  tessera_set_real(s, TESSERA_MAX_SECONDS, 60); /* another way to end a run */

  const int status = tessera_integrate(s, TESSERA_CUBATURE, &value, &error);
  printf("%s: value %+.3e, error %.1e\n", tessera_status_string(status), value, error);
  tessera_destroy(s);
  return status == TESSERA_STOPPED && w.calls > 0 ? 0 : 1;
}
