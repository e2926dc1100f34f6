/* methods/test_outside.c on device 0, where 1 initial region means 1024. Skipped where there is no device.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "outside_runs.h"

static const int64_t initial[] = {1, 2, 16, 256, 4096, 0};
static const struct outside_plan plan = {outside_device, 0, TESSERA_TEST_OUTSIDE_TEXT, initial, 100, 1};

#include "outside_tests.h"
#include "skip.h"

int main(void) {
  tessera_solver *s = outside_solver(outside_find("valley"), 1, 0, TESSERA_TEST_OUTSIDE_TEXT);
  double value, error;
  if (!s) return 1;
  int status = tessera_set_int(s, TESSERA_DEVICE, 0);
  if (status == TESSERA_OK) status = tessera_integrate(s, TESSERA_CUBATURE, &value, &error);
  if (status == TESSERA_ERR_NOT_BUILT) printf("skipped: %s\n", tessera_last_error(s));
  tessera_destroy(s);
  return status == TESSERA_ERR_NOT_BUILT ? no_device_here() : cmocka_run_group_tests(outside_tests, NULL, NULL);
}
