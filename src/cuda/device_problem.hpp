// What the kernels need beside the engine's state; read by the host side of the plug-in and by the kernels.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../core/hd.hpp"

namespace tessera {

struct slice_sums;  // device_evaluator.cuh

// A point with at most three coordinates off the centre, one bit for each coordinate. `orbit` holds the orbit's index in its
// low byte and above it 0, or one more than the place of the value among those for the fourth differences.
struct alignas(16) device_node {
  uint32 moved, minus, uses_b, orbit;
};
constexpr int max_device_ndim = 32;

struct device_problem {
  const device_node *nodes;  // of the sparse points
  int64 sparse_points;
  const void *params;        // the user's parameter block
  slice_sums *slices;        // [most_slices][ncomp]
  int64 most_slices;
  int estimate;              // enum tessera_estimate
  unsigned *arrived;         // counter of the grid's barrier, 0 at the start
  int64 *failed;             // 0, or one more than a region where the integrand was not finite
  int64 *failed_out;         // where the host reads it
};

}  // namespace tessera
