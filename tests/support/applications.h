/* Application integrals on the unit cube with known values: for lattice rules and sampling, tests and benchmarks alike.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESSERA_TESTS_APPLICATIONS_H
#define TESSERA_TESTS_APPLICATIONS_H

#include <stdint.h>

#include "tessera.h"

#ifdef __cplusplus
extern "C" {
#endif

struct application {
  const char *name;
  int ndim;
  tessera_integrand batch;
  double exact;
  double published; /* half a unit of the last digit known, 0: known exactly */
};

extern const struct application applications[];
extern const int application_count;
const struct application *application_find(const char *name); /* NULL: there is none */

#ifdef __cplusplus
}
#endif

#endif
