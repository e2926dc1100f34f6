/* What a test returns that needs a device where there is none: skipped, or failed where TESSERA_TEST_REQUIRE_DEVICE=1 says that there is one,
 * for then a plug-in that does not load must not pass for a machine without a GPU. SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESSERA_TEST_SKIP_H
#define TESSERA_TEST_SKIP_H
#include <stdio.h>
#include <stdlib.h>
#include <tessera.h>

static inline int no_device_here(void) {
  const char *required = getenv("TESSERA_TEST_REQUIRE_DEVICE");
  return required && required[0] == '1' ? 1 : 77;
}
/* Is there no device for this solver, which is destroyed? It says so. */
static inline int lacks_device(tessera_solver *s, int device) {
  double value[8], error[8];
  tessera_set_int(s, TESSERA_DEVICE, device);
  const int lacks = tessera_integrate(s, TESSERA_CUBATURE, value, error) == TESSERA_ERR_NOT_BUILT;
  if (lacks) printf("skipped: %s\n", tessera_last_error(s));
  tessera_destroy(s);
  return lacks;
}
#endif
