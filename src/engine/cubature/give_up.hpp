// Bulk subdivision when the store is full. For a grid of teams; see bulk_steps.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "listing.hpp"
#include "survey.hpp"

namespace tessera {

// The regions with the smallest errors, at least half, are summed up and forgotten; kept ones from the end take their places.
// Uniform; false when that no longer helps.
template <class Grid>
TESSERA_HD TESSERA_APART bool give_up(Grid &grid, bulk_state &st, bulk_progress &at, const uint32 *histogram,
                                      const double *weights) {
  const int64 n = at.count, chunks = chunks_of(n);
  auto &own = grid.team();
  const threshold t = choose_bin(own, histogram, -1.0, n / 2);
  const int64 kept = t.count;
  if (kept == 0 || 2 * kept > n + 1) return false;
  const int bin = t.bin, nc = st.set.ncomp;
  grid.chunks(chunks, [=, &st](auto &team, int64 c) {
    TESSERA_ROLLED
    for (int k = 0; k < nc; ++k) {
      const component_sums lost = sum_chunk(team, st.regions, range_of(n, chunks, c), k,
                                            [=, &st](int64 i) { return !above(st, i, weights, bin); });
      if (team.lane() == 0) st.sums[c * nc + k] = lost;
    }
  });
  int64 *const holes = st.marked, *const movers = st.marked + n / 2 + 1;
  list_regions(grid, st, n, holes, n, [=, &st](int64 i) { return i < kept && !above(st, i, weights, bin); });
  const int64 moves =
      list_regions(grid, st, n, movers, n, [=, &st](int64 i) { return i >= kept && above(st, i, weights, bin); });
  bool helps = false;
  TESSERA_ROLLED
  for (int k = 0; k < nc; ++k) {
    component_sums lost = gather(own, st, chunks, k).component;
    lost.value.add(st.retired[k].value);
    lost.error.add(st.retired[k].error);
    helps = helps || st.totals[k].error.value() > 2.0 * lost.error.value();
    grid.barrier();
    if (grid.once()) st.retired[k] = lost;
  }
  const region_view s = st.regions;
  grid.each(moves, [=](int64 m) { s.copy(holes[m], s, movers[m]); });
  grid.barrier();
  at.retired_count += n - kept;
  at.count = kept;
  return helps;
}

}  // namespace tessera
