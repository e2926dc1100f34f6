// Lists of regions, made by all teams of a grid together (bulk_steps.hpp).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bulk_state.hpp"

namespace tessera {

// Writes the first `most` of n regions for which take(i) holds to `list`, in order; chunk_counts[most_chunks] receives the number of
// all, which is what it returns.
template <class Grid, class Take>
TESSERA_HD int64 list_regions(Grid &grid, bulk_state &st, int64 n, int64 *list, int64 most, Take take) {
  const int64 chunks = chunks_of(n);
  grid.chunks(chunks, [=, &st](auto &team, int64 c) {
    const chunk_range r = range_of(n, chunks, c);
    int64 found = 0;
    TESSERA_ROLLED
    for (int64 i = r.begin + team.lane(); i < r.end; i += team.lanes()) found += take(i) ? 1 : 0;
    found = team.total(found);
    if (team.lane() == 0) st.chunk_counts[c] = found;
  });
  grid.barrier();
  grid.chunks(chunks, [=, &st](auto &team, int64 c) {
    const chunk_range r = range_of(n, chunks, c);
    int64 at = 0;
    TESSERA_ROLLED
    for (int64 b = team.lane(); b < c; b += team.lanes()) at += st.chunk_counts[b];
    at = team.total(at);
    TESSERA_ROLLED
    for (int64 from = r.begin; from < r.end; from += team.lanes()) {
      const int64 i = from + team.lane();
      const bool take_it = i < r.end && take(i);
      const int64 m = team.place(take_it, at);
      if (take_it && m < most) list[m] = i;
    }
    if (c == chunks - 1 && team.lane() == 0) st.chunk_counts[most_chunks] = at;
  });
  grid.barrier();
  return st.chunk_counts[most_chunks];
}

}  // namespace tessera
