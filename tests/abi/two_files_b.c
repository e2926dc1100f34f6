/* SPDX-License-Identifier: BSD-3-Clause */
#include <tessera.h>
#include <tessera.h>

int version_of_the_other_file(void);

int version_of_the_other_file(void) { return tessera_version(); }
