// What the kernels of a device batch callback are given; read by the host side of the plug-in and by the kernels.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../engine/cubature/batch.hpp"

namespace tessera {

struct batch_arguments {
  batch_chunk chunk;
  region_view regions;
  region_list list;        // of all pending regions
  const node_word *words;  // of the rule's sparse points
  double *x;               // [ndim, and one more for the Jacobian of infinite ranges][chunk.stride()]
  double *f;               // [ncomp][chunk.stride()]
  double *slices;          // [chunk.regions][chunk.slices()][ncomp][sum_fields]
  double *sums;            // [chunk.regions][ncomp][sum_fields]
  int estimate;            // enum tessera_estimate
  int64 *failed;           // 0, or one more than a region whose sums are not finite
};

// Of the kernel that runs the steps.
struct batch_control {
  unsigned *arrived;    // counter of the grid's barrier, 0 at the start
  const int64 *failed;  // as above
};

}  // namespace tessera
