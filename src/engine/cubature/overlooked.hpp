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
  const int64 parts = landmark_parts(n);
  grid.each(parts * landmark_groups, [=, &st](int64 t) {
    st.candidates[t] = find_landmarks(st.regions, n, t % landmark_groups, t / landmark_groups, st.domain(), weights);
  });
  auto &team = grid.team();
  grid.barrier_then([&st, &team, parts] {  // those of the groups from those of their parts
    TESSERA_ROLLED
    for (int g = team.lane(); g < landmark_groups; g += team.lanes()) {
      landmark_pair best = st.candidates[g];
      TESSERA_ROLLED
      for (int64 p = 1; p < parts; ++p) keep_better(best, st.candidates[p * landmark_groups + g]);
      keep_landmarks(best, g, st.regions, *st.landmarks, st.landmark_boxes);
    }
    bound_landmarks(team, st.landmark_boxes, *st.landmarks);
  });
}

// Lists, of n regions, those with the mark region_listed, among them those of `suspects` that have been overlooked. Returns how many.
template <class Grid>
TESSERA_HD TESSERA_APART int64 list_overlooked(Grid &grid, bulk_state &st, int64 n, const region_list &suspects,
                                               int64 suspected, const double *weights, const splitting &split) {
  grid.chunks(suspected, [=, &st](auto &team, int64 c) {
    const int64 i = suspects[c];
    const width_check own =
        overlooked(st.regions, i, *st.landmarks, st.landmark_boxes, team.lane(), team.lanes(), st.domain(), weights);
    int times = -own.times, unused = 0, none = 0;
    team.least(times, unused, none);
    int axis = own.times == -times ? own.axis : max_cubature_ndim;
    team.least(axis, unused, none);
    if (team.lane() == 0 && turn_to(split, st.regions, i, {-times, axis}, st.domain()))
      st.regions.state(i).word |= region_listed;
  });
  grid.barrier();
  return list_regions(grid, st, n, st.marked, n, [=, &st](int64 i) {
    const uint32 word = st.regions.state(i).word;
    return (word & region_listed) != 0u && (word & region_frozen) == 0u && divisible(split, st.regions, i, st.domain());
  });
}

// Lists what is unexplored and what has been overlooked among all n regions. Returns how many.
template <class Grid>
TESSERA_HD TESSERA_APART int64 list_unexplored(Grid &grid, bulk_state &st, int64 n, const double *weights,
                                               const splitting &split) {
  const double most = explored_share(n);
  find_all_landmarks(grid, st, n, weights);
  const int64 suspects = list_regions(grid, st, n, st.marked, n, [=, &st](int64 i) {
    uint32 &word = st.regions.state(i).word;
    if ((word & region_frozen) != 0u) return false;
    const bool empty =
        unexplored(st.set, st.regions, i, st.domain(), most, [&st](int k) { return st.totals[k].value.value(); });
    const uint32 mark = empty ? region_listed : 0u;
    if ((word & region_listed) != mark) word ^= region_listed;
    return empty || may_be_overlooked(st.regions, i, *st.landmarks, st.domain(), weights);
  });
  return suspects == 0 ? 0 : list_overlooked(grid, st, n, {st.marked, 0, 1}, suspects, weights, split);
}

}  // namespace tessera
