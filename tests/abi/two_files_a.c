/* Two C files that include the header link into one program: the header defines no objects.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <tessera.h>

int version_of_the_other_file(void);

int main(void) {
  const int header = 10000 * TESSERA_VERSION_MAJOR + 100 * TESSERA_VERSION_MINOR + TESSERA_VERSION_PATCH;
  printf("header %d, library %d, %s\n", header, tessera_version(), tessera_version_string());
  return version_of_the_other_file() == header && tessera_version() == header ? 0 : 1;
}
