// Before success is claimed in bulk: which regions have been overlooked beside a landmark (landmarks.hpp), and which are unexplored
// (explore.hpp). For a grid of teams; see bulk_steps.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "explore.hpp"
#include "listing.hpp"

namespace tessera {

// The landmarks of n regions, all that there are.
template <class Grid>
TESSERA_HD TESSERA_APART void find_all_landmarks(Grid &grid, bulk_state &st, int64 n, const double *weights) {
  const int64 parts = landmark_parts(n), groups = groups_of(n);
  // Of few regions lanes share those of a group; of many, a lane has a group, and its neighbours regions that are neighbours in memory.
  constexpr int64 few_regions = 32 * landmark_groups;
  constexpr int sharing = 8;
  grid.lanes_each(parts * groups, n < few_regions ? sharing : 1, [=, &st](auto &lanes, int64 t) {
    const landmark_pair best = find_landmarks(lanes, st.regions, n, t % groups, t / groups, st.domain(), weights);
    if (lanes.lane() == 0) st.candidates[t] = best;
  });
  constexpr int64 together = 8;
  for (int64 step = 1; step < parts; step *= together) {  // neighbouring parts become one, in the place of the first
    grid.barrier();
    grid.each((parts + together * step - 1) / (together * step) * groups, [=, &st](int64 t) {
      const int64 first = t / groups * together * step, g = t % groups;
      landmark_pair best = st.candidates[first * groups + g];
      TESSERA_ROLLED
      for (int64 p = first + step; p < first + together * step && p < parts; p += step)
        keep_better(best, st.candidates[p * groups + g]);
      st.candidates[first * groups + g] = best;
    });
  }
  const int marks = count_landmarks(n), count = static_cast<int>(groups);
  if (grid.once()) st.landmarks.table->count = marks;
  grid.barrier();
  grid.small_teams(marks, [=, &st](auto &team, int64 t) {
    order_landmark(team, st.landmarks, st.candidates, count, static_cast<int>(t), st.regions, st.domain());
  });
  grid.barrier();
  grid.small_teams(marks, [=, &st](auto &team, int64 t) {
    keep_landmark(team, st.landmarks, st.candidates, count, static_cast<int>(t), st.regions);
  });
  grid.barrier();
  grid.lanes_each(int64{st.landmarks.blocks()} * st.regions.ndim(), landmark_block,
                  [&st](auto &lanes, int64 t) { bound_block(lanes, st.landmarks, static_cast<int>(t)); });
  grid.barrier();
}

// Marks region i, with its share of the domain, if it has been overlooked, which `own` says, beside another mode, or is_empty(i, share) holds; else it loses the mark
// that it may have still.
template <class Empty>
TESSERA_HD void mark_overlooked(const bulk_state &st, const splitting &split, int64 i, double share, width_check own,
                                const double *weights, Empty is_empty) {
  if (st.landmarks.mode_boxes > 0) {
    const double density = as_landmark(st.regions, i, share, weights).density;
    const width_check at_mode = beside_mode(st.regions, i, st.landmarks, density, weights);
    if (worse(at_mode, own)) own = at_mode;
  }
  uint32 &word = st.regions.state(i).word;
  uint32 mark = 0u;
  if ((word & region_frozen) == 0u && (turn_to(split, st.regions, i, own, st.domain()) || is_empty(i, share)))
    mark = region_listed;
  if ((word & region_listed) != mark) word ^= region_listed;
}

// Lists, of n regions in their order, those that are marked and can be divided. Returns how many.
template <class Grid>
TESSERA_HD int64 list_marked(Grid &grid, bulk_state &st, int64 n, const splitting &split) {
  return list_regions(grid, st, n, st.marked, n, [=, &st](int64 i) {
    const uint32 word = st.regions.state(i).word;
    return (word & region_listed) != 0u && (word & region_frozen) == 0u && divisible(split, st.regions, i, st.domain());
  });
}

// So many and more are first looked at by a lane each, for most are beside no block of landmarks; of fewer, which are nearer to them, each has all
// the lanes of a small team. Measured: 66 000 lose by it, 500 000 gain.
constexpr int64 least_looked_at_alone = 131072;

// Lists, of n regions in their order, those of `suspects` for which is_empty(i, its share of the domain) holds or that have been overlooked, which get the mark
// region_listed, and others that have it still. Returns how many can be divided.
template <class Grid, class Empty>
TESSERA_HD TESSERA_APART int64 list_overlooked(Grid &grid, bulk_state &st, int64 n, const region_list &suspects,
                                               int64 suspected, const double *weights, const splitting &split,
                                               Empty is_empty) {
  const int64 together = suspected >= least_looked_at_alone ? Grid::small_lanes : 1;
  // Those of a group are spread over all, for neighbours are alike.
  const int64 groups = (suspected + together - 1) / together;
  grid.small_teams(groups, [=, &st](auto &team, int64 c) {
    const int64 own = c + team.lane() * groups;
    uint32 left = 1u;  // of these regions, those that are beside a block
    if (together > 1) {
      bool beside = false;
      if (own < suspected) {
        const int64 i = suspects[own];
        lone_lane alone;
        const double share = share_of_domain(st.regions, i, st.domain());
        const double density = as_landmark(st.regions, i, share, weights).density;
        beside = blocks_beside(st.regions, i, st.landmarks, alone, density) != 0u;
        if (!beside) mark_overlooked(st, split, i, share, {0, 0}, weights, is_empty);
      }
      left = team.either(beside ? 1u << team.lane() : 0u);
    }
    TESSERA_ROLLED
    for (int64 at = c; left != 0u; at += groups, left >>= 1) {
      if ((left & 1u) == 0u) continue;
      const int64 i = suspects[at];
      const double share = share_of_domain(st.regions, i, st.domain());
      const width_check worst = overlooked<(Grid::small_lanes > 1 ? few_axes : 1)>(
          st.regions, i, st.landmarks, team, as_landmark(st.regions, i, share, weights).density);
      int times = -worst.times, unused = 0, none = 0;
      team.least(times, unused, none);
      int axis = worst.times == -times ? worst.axis : max_cubature_ndim;
      team.least(axis, unused, none);
      if (team.lane() == 0) mark_overlooked(st, split, i, share, {-times, axis}, weights, is_empty);
    }
  });
  grid.barrier();
  return list_marked(grid, st, n, split);
}

// Lists what is unexplored and what has been overlooked among all n regions. Returns how many.
template <class Grid>
TESSERA_HD TESSERA_APART int64 list_unexplored(Grid &grid, bulk_state &st, int64 n, const double *weights,
                                               const splitting &split) {
  const double most = explored_share(n);
  find_all_landmarks(grid, st, n, weights);
  return list_overlooked(grid, st, n, {nullptr, 0, 1}, n, weights, split, [=, &st](int64 i, double share) {
    return (share > most && turn_to_uncut(st.split.breaks, st.regions, i)) ||
           unexplored(st.set, st.regions, i, share, most, [&st](int k) { return st.totals[k].value.value(); });
  });
}

}  // namespace tessera
