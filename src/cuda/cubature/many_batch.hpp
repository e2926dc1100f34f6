// Many integrals in one launch: what goes to the kernel and comes back; read by the host side of the plug-in and by the kernel.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../engine/cubature/bulk_state.hpp"
#include "../../engine/cubature/mode_check.hpp"

namespace tessera {

// The arrays of a state whose store holds `regions`, in a slot: the memory that a block has for the integral it is at. Returns the
// bytes; they alone are asked for where there is no memory. The settings are in the state.
TESSERA_HD int64 place_slot(bulk_state &state, int64 regions, unsigned char *memory) {
  const int ndim = state.set.ndim, ncomp = state.set.ncomp;
  array_places places = {memory, 0};
  double *records, *parents;
  state.capacity = regions;
  state.parents_capacity = regions / 2;
  places.take(records, regions * region_fields(ndim, ncomp));
  places.take(parents, regions / 2 * region_fields(0, ncomp));
  state.regions = arrange_by_field(records, ndim, ncomp, regions);
  state.parents = arrange_by_field(parents, 0, ncomp, regions / 2);
  places.take(state.marked, regions + 2);
  places.take(state.totals, ncomp);
  places.take(state.candidates, landmark_parts(regions) * landmark_groups);
  place_tables(state, places, chunks_of(regions), arrange_by_field);
  return places.bytes;
}

// The state at the beginning of an integral; its box is set apart.
TESSERA_HD void begin_integral(bulk_state &state) {
  state.count = state.retired_count = state.evaluations = state.iterations = state.marked_count = 0;
  state.turn = 0;
  state.pending = state.raising = 0;
  state.exploring = state.surveyed = state.wants_room = false;
  state.end = outcome::running;
}

struct many_record {
  int64 evaluations, regions, iterations;
  int64 end;          // an outcome; running: the integral is too large for a slot
  int flags, status;  // tessera_flags and tessera_status
};

struct many_batch {
  unsigned char *slots;  // one for each block
  int64 slot_bytes, slot_regions;
  int64 check_at;  // from the beginning of a slot: numbers for a check
  int64 rows;
  unsigned long long *next;     // the first row that no block has taken yet, 0 at the start
  const double *lower, *upper;  // of row r from r*box_step on
  const axis_map *axes;         // the same; null where no row has an infinite range
  int64 box_step;               // ndim, or 0 where all have the same box
  const unsigned char *params;
  int64 params_step;      // bytes; 0 where all have the same block
  many_record *records;   // [rows]
  double *value, *error;  // [rows][ncomp]
  looks_of_checks looks;  // for other modes before success is claimed; no rays: there are none
};

}  // namespace tessera
