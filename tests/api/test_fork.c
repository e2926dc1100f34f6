/* A process forks after a solver has used threads: child and parent go on with it. SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

#include "solve.h"

static int kink(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ncomp, (void)userdata;
  f[0] = 1;
  for (int j = 0; j < ndim; ++j) f[0] += fabs(x[j] - 0.3);
  return 0;
}

enum work { to_destroy, to_integrate, to_change_threads, to_integrate_many, works };

/* In the child, where nothing may wait for the parent's threads: 0 when all is well. */
static int child(tessera_solver *s, enum work what, double expected) {
  double value[2] = {0, 0}, error[2];
  int status = TESSERA_OK;
  if (what == to_change_threads) status = tessera_set_int(s, TESSERA_THREADS, 2);
  if (what == to_integrate || what == to_change_threads) status |= tessera_integrate(s, TESSERA_CUBATURE, value, error);
  if (what == to_integrate_many)
    status |= tessera_integrate_many(s, TESSERA_CUBATURE, 2, NULL, 0, NULL, NULL, value, error, NULL);
  tessera_destroy(s);
  return status != TESSERA_OK || (what != to_destroy && fabs(value[0] - expected) > 1e-3);
}

static void child_and_parent_go_on(void **state) {
  (void)state;
  for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection)
    for (enum work what = to_destroy; what < works; ++what) {
      double value, again, error;
      int status;
      tessera_solver *s = solver_of(3, 1);
      put_point(s, kink, NULL);
      put_int(s, TESSERA_THREADS, 3);
      put_int(s, TESSERA_SELECTION, selection);
      put_real(s, TESSERA_RELTOL, 1e-3);
      assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, &value, &error), TESSERA_OK);
      const pid_t pid = fork();
      assert_true(pid >= 0);
      if (pid == 0) {
        alarm(30);
        _exit(child(s, what, value));
      }
      assert_int_equal(waitpid(pid, &status, 0), pid);
      assert_true(WIFEXITED(status));
      assert_int_equal(WEXITSTATUS(status), 0);
      assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, &again, &error), TESSERA_OK);
      assert_same_bits(again, value);
      tessera_destroy(s);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(child_and_parent_go_on)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
