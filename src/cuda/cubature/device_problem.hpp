// What the kernels need beside the engine's state; read by the host side of the plug-in and by the kernels.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../core/raised_rule.hpp"
#include "../../core/transform.hpp"
#include "../../engine/problem.hpp"

namespace tessera {

struct slice_record;  // device_evaluator.cuh

// A sparse point on a device: for each coordinate a half-word that selects, from the bytes below, the upper half of the upper
// word of 0.0, 1.0 or -1.0; padded to whole 16 bytes.
constexpr uint32 device_node_bytes = 0xbf3ff000u;  // bytes 0: 00, 1: f0, 2: 3f, 3: bf
constexpr uint32 device_node_zero = 0x0000u, device_node_plus = 0x2100u, device_node_minus = 0x3100u;
TESSERA_HD constexpr int device_node_quads(int ndim) { return (ndim + 7) / 8; }

// How null rules i and i+1 are combined in an orbit: scale and norm of `rule`, side by side.
struct alignas(16) pair_factors {
  struct {
    double scale, norm;
  } pair[null_rules - 1];
};

constexpr int max_device_ndim = 32;

// Near memory of the integrand's, where each block is at an integral of its own; see many.cuh.
struct own_memory {
  axis_map *axes;
  int *flags, *status;  // tessera_flags, tessera_status
};

struct device_problem {
  const uint32 *nodes;   // [sparse points][4 * device_node_quads]
  const uint32 *b_axes;  // [sparse points] bit of the coordinate that moves by the second generator, or 0
  const void *params;    // the user's parameter block
  listed_rule listed;    // the rule once more; no words: there is none
  raised_rules raised;   // where regions are given a higher degree
  int64 raised_points[raised_levels];
  slice_record *slices;  // [most_slices][ncomp]
  int64 most_slices;
  int estimate;       // enum tessera_estimate
  unsigned *arrived;  // counter of the grid's barrier, 0 at the start
  unsigned *left;     // blocks that are through, 0 at the start
  int64 *taken;       // work items given out, 0 at the start
  int64 *failed;      // 0, or one more than a region where the integrand was not finite
  int64 *failed_out;  // where the host reads it
  int *flags_out;     // and tessera_flags, tessera_status, and 1 once the steps have written all that is for the host
  own_memory own;     // of many integrals
};

}  // namespace tessera
