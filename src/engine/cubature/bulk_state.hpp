// What a bulk run keeps between its steps, as plain data that every backend can read.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../core/rule.hpp"
#include "../../core/sum.hpp"
#include "histogram.hpp"
#include "initial.hpp"
#include "landmarks.hpp"
#include "../problem.hpp"
#include "region_store.hpp"
#include "split.hpp"

namespace tessera {

// Work over the regions is cut into chunks by index.
constexpr int64 most_chunks = 512;
constexpr int64 least_chunk = 128;
constexpr int chunk_counters = 4;  // of each chunk: of a list, and of up to three that are made together

TESSERA_HD int64 chunks_of(int64 n) {
  const int64 c = n / least_chunk;
  return c < 1 ? 1 : (c > most_chunks ? most_chunks : c);
}

struct chunk_range {
  int64 begin, end;
};
TESSERA_HD chunk_range range_of(int64 n, int64 chunks, int64 c) {
  // A division of long numbers takes a device much longer.
  constexpr int64 short_numbers = int64{1} << 32;
  if (n < short_numbers && n * (chunks + 1) < short_numbers) {
    const uint32 all = static_cast<uint32>(n), of = static_cast<uint32>(chunks), own = static_cast<uint32>(c);
    return {own * all / of, (own + 1u) * all / of};
  }
  return {c * n / chunks, (c + 1) * n / chunks};
}

// Sums of one component.
struct component_sums {
  compensated_sum value, error;
  compensated_sum balance;  // errors with their signs; engine/cubature/balance.hpp
};
constexpr int team_sums = 4;  // that a team adds up at a time, at most

// What a survey of the regions led to.
struct bulk_decision {
  outcome end;     // running: regions are to be divided
  int bin;         // of the histogram: regions from here up are divided
  int64 count;     // how many these are
  double allowed;  // what is tolerated, in keys: less than 1 where it is reached in stages
  // So many of them would gain by a higher degree that they are not to be divided as they are; set where one team lists them.
  bool hindered;
  float excess;  // the error, of what is tolerated
};

// What the steps carry on from one to the next, the same in every team.
struct bulk_progress {
  int64 count;  // regions in the store
  int64 retired_count;
  int64 evaluations;
  int64 iterations;
  int64 marked_count;  // regions to divide next; their number when the store must grow first
  // Number of first regions that is wanted; above `count` while all regions are divided. Minus their number where fewer, all of one size, are enough.
  int64 fill;
  int turn;         // which of the buffers used in turn
  roughness rough;  // of the first regions, while there are few; a byte, as states that have been kept have it
  bool exploring;   // the regions divided last were listed because little was known of them
  bool surveyed;    // the sums and the histogram are those of the regions as they are
  bool joined;  // a step has been too large for one team alone: all take part from then on, also in a run gone on with
  int64 pending;                // regions of pending_list that the executor evaluates before it starts the steps again
  int raising;                  // 0, or the level to which they are to be raised
  int mode_boxes_explored;      // those of other modes beside which nothing is unexplored any more
  int64 raised;                 // points of the levels of this step that were raised before
  int64 listed[raised_levels];  // regions that are to be raised to each level
  break_schedule breaks;        // what is in break_points, and when they are looked for
  outcome end;                  // running: paused, or room is wanted
  bool wants_room;
  bool stopped;     // the run has ended, or the driver or the executor is wanted
  bool wants_look;  // for other modes, by the driver
};

struct bulk_state : bulk_progress {
  // Set by the driver, unchanged by the steps.
  cubature_settings set;
  splitting split, exploring_split;
  int64 points;    // of the rule in one region
  int64 capacity;  // regions that `regions` holds
  int64 parents_capacity;
  int64 pause_after;            // evaluations in one go before the driver is asked whether to go on
  int64 pause_exploring_after;  // the same where regions are explored, and there is no value between the steps
  int64 early_pause_after;      // the same where the error is at least early_excess times what is tolerated
  double early_excess;
  int64 look_after;     // evaluations, before other modes are looked for
  int64 pause_regions;  // and the number of regions, for an executor that then works in another shape
  int64 most_in_step;   // evaluations, one region's division at least
  int64 share_regions,
      share_points;  // from which on an evaluation is left to the executor: at least so many of both, and 2 regions
  bool can_grow;     // the driver may give more room
  bool whole_steps;  // one that the limit of evaluations would cut is not begun
  bool resumed;      // the first regions are those of an earlier run: they need not all be divided
  double lower[max_cubature_ndim], upper[max_cubature_ndim], grain[max_cubature_ndim];
  TESSERA_HD domain_box domain() const { return {lower, upper, grain}; }

  // Memory.
  region_view regions;
  region_view parents;        // values, errors and states of the regions being divided; no boxes (ndim 0)
  int64 *marked;              // [capacity + 1] the regions being divided, or lists of regions to move
  component_sums *sums;       // [most_chunks][ncomp] of the chunks
  compensated_sum *frozen;    // [most_chunks] keys of the frozen regions
  int64 *chunk_counts;        // [chunk_counters][most_chunks + 1] listed regions; behind those of the first their sum
  uint32 *histogram;          // [3][histogram_bins], used in turn
  component_sums *retired;    // [ncomp] of regions that were given up for want of memory
  component_sums *totals;     // [ncomp], where the driver can read them
  bulk_decision *decision;    // one
  double *scale;              // [2][ncomp] one over the tolerated error, used in turn
  landmark_pair *candidates;  // [landmark_parts][landmark_groups]
  landmark_set landmarks;
  bulk_progress *published;   // one; by the team that has been alone
  break_table *break_points;  // one

  region_list pending_list;
};

// The settings of a run, and what follows from them. Nothing bounds it but they: that is for the driver to change.
TESSERA_HD void set_up(bulk_state &s, const cubature_settings &settings, int64 points) {
  s.set = settings;
  s.split = make_splitting(settings.splitting, settings.ndim, settings.margin);
  s.exploring_split = make_exploring(s.split);
  s.points = points;
  s.pause_after = s.pause_exploring_after = s.pause_regions = s.look_after = greatest_int64;
  s.most_in_step = s.share_regions = greatest_int64;
  s.early_pause_after = greatest_int64 / 2;
}

// Is the evaluation of n regions, with so many points in each, left to the executor? Not that of a team that is alone with fewer.
TESSERA_HD bool is_left(const bulk_state &s, int64 n, int64 points, int64 alone_points) {
  return n >= s.share_regions && n * points >= s.share_points && n * points > alone_points;
}

// Regions that the memory limit allows: beside its record a region may need its parent's, and a place in the list.
TESSERA_HD int64 regions_in_memory(const cubature_settings &s, int pieces) {
  constexpr int64 most = 0xfffffff0;
  const int64 fit = s.memory / (8 * (region_fields(s.ndim, s.ncomp) + region_fields(0, s.ncomp) + 1));
  const int64 n = fit < most ? fit : most;
  return n > 4 * pieces ? n : 4 * pieces;
}

// Places of arrays in one block of memory, one behind the other.
struct array_places {
  unsigned char *base = nullptr;  // null: the bytes alone are asked for
  int64 bytes = 0;
  template <class T>
  TESSERA_HD void take(T *&array, int64 n) {
    const int64 at = take_bytes(n * static_cast<int64>(sizeof(T)));
    array = base ? reinterpret_cast<T *>(base + at) : nullptr;
  }
  TESSERA_HD int64 take_bytes(int64 n) {
    const int64 at = bytes;
    bytes += (n + 255) / 256 * 256;
    return at;
  }
};

// The arrays that a run with so many chunks has from beginning to end, whatever the number of its regions. arrange(base, ndim, ncomp,
// capacity): the view of a store.
template <class Arrange>
TESSERA_HD void place_tables(bulk_state &s, array_places &places, int64 chunks, Arrange arrange) {
  const int ndim = s.set.ndim, ncomp = s.set.ncomp;
  double *boxes;
  places.take(s.sums, chunks * ncomp);
  places.take(s.frozen, chunks);
  places.take(s.chunk_counts, chunk_counters * (most_chunks + 1));
  places.take(s.histogram, 3 * histogram_bins);
  places.take(s.retired, ncomp);
  places.take(s.scale, 2 * ncomp);
  places.take(s.decision, 1);
  places.take(s.published, 1);
  places.take(s.break_points, 1);
  places.take(s.landmarks.table, 1);
  places.take(s.landmarks.bounds, landmark_bounds(ndim));
  places.take(boxes, landmarks_kept * region_fields(ndim, 0));
  s.landmarks.boxes = arrange(boxes, ndim, 0, landmarks_kept);
}

}  // namespace tessera
