// Many integrals in one launch: what goes to the kernel and comes back; read by the host side of the plug-in and by the kernel.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../engine/cubature/bulk_state.hpp"

namespace tessera {

// The global memory that a block has for the integral it is at: places in bytes from the start of its slot.
struct many_slot {
  int64 capacity, parents;  // regions
  int64 regions_at, parents_at, marked_at, sums_at, frozen_at, counts_at, histogram_at, retired_at, totals_at, scale_at, decision_at,
      candidates_at, landmarks_at, landmark_boxes_at;
  int64 bytes;
};

// The state of a block, with the settings of `common` and the memory of its slot.
TESSERA_HD void take_slot(bulk_state &state, const bulk_state &common, const many_slot &slot, unsigned char *memory) {
  const int ndim = common.set.ndim, ncomp = common.set.ncomp;
  state = common;
  state.capacity = slot.capacity;
  state.parents_capacity = slot.parents;
  state.regions = region_view(reinterpret_cast<double *>(memory + slot.regions_at), ndim, ncomp, slot.capacity, 1);
  state.parents = region_view(reinterpret_cast<double *>(memory + slot.parents_at), 0, ncomp, slot.parents, 1);
  state.marked = reinterpret_cast<int64 *>(memory + slot.marked_at);
  state.sums = reinterpret_cast<component_sums *>(memory + slot.sums_at);
  state.frozen = reinterpret_cast<compensated_sum *>(memory + slot.frozen_at);
  state.chunk_counts = reinterpret_cast<int64 *>(memory + slot.counts_at);
  state.histogram = reinterpret_cast<uint32 *>(memory + slot.histogram_at);
  state.retired = reinterpret_cast<component_sums *>(memory + slot.retired_at);
  state.totals = reinterpret_cast<component_sums *>(memory + slot.totals_at);
  state.scale = reinterpret_cast<double *>(memory + slot.scale_at);
  state.decision = reinterpret_cast<bulk_decision *>(memory + slot.decision_at);
  state.candidates = reinterpret_cast<landmark_pair *>(memory + slot.candidates_at);
  state.landmarks = reinterpret_cast<landmark_table *>(memory + slot.landmarks_at);
  state.landmark_boxes = region_view(reinterpret_cast<double *>(memory + slot.landmark_boxes_at), ndim, 0, landmarks_kept, 1);
}

// The state at the beginning of an integral; its box is set apart.
TESSERA_HD void begin_integral(bulk_state &state) {
  state.count = state.retired_count = state.evaluations = state.iterations = state.marked_count = 0;
  state.turn = 0;
  state.pending = 0;
  state.exploring = state.surveyed = state.wants_room = false;
  state.end = outcome::running;
}

struct many_record {
  int64 evaluations, regions, iterations;
  int64 end;  // an outcome; running: the integral is too large for a slot
  int flags, status;  // tessera_flags and tessera_status
};

struct many_batch {
  unsigned char *slots;  // one for each block
  many_slot slot;
  int64 rows;
  unsigned long long *next;     // the first row that no block has taken yet, 0 at the start
  const double *lower, *upper;  // of row r from r*box_step on
  const axis_map *axes;         // the same; null where no row has an infinite range
  int64 box_step;               // ndim, or 0 where all have the same box
  const unsigned char *params;
  int64 params_step;    // bytes; 0 where all have the same block
  many_record *records; // [rows]
  double *value, *error; // [rows][ncomp]
};

}  // namespace tessera
