/* What a test returns that needs a device where there is none: skipped, or failed where TESSERA_TEST_REQUIRE_DEVICE=1 says that there is one,
 * for then a plug-in that does not load must not pass for a machine without a GPU. SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESSERA_TEST_SKIP_H
#define TESSERA_TEST_SKIP_H
#include <stdlib.h>

static inline int no_device_here(void) {
  const char *required = getenv("TESSERA_TEST_REQUIRE_DEVICE");
  return required && required[0] == '1' ? 1 : 77;
}
#endif
