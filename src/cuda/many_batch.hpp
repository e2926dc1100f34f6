// Many integrals in one launch: what goes to the kernel and comes back; read by the host side of the plug-in and by the kernel.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../engine/bulk_state.hpp"

namespace tessera {

// The global memory that a block has for the integral it is at: places in bytes from the start of its slot.
struct many_slot {
  int64 capacity, parents;  // regions
  int64 regions_at, parents_at, marked_at, sums_at, frozen_at, counts_at, histogram_at, retired_at, totals_at, scale_at;
  int64 bytes;
};

struct many_record {
  int64 evaluations, regions, iterations;
  int64 end;  // an outcome; running: the integral is too large for a slot
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
