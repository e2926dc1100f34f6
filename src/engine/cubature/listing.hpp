// Lists of regions, made by all teams of a grid together (bulk_steps.hpp).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bulk_state.hpp"

namespace tessera {

constexpr int64 hindered = int64{1} << 32;  // more than there are regions
constexpr int64 hindering_share = 32;       // one in so many

template <class A, class B>
constexpr bool same_type = false;
template <class A>
constexpr bool same_type<A, A> = true;

struct nothing_hinders {
  TESSERA_HD bool operator()(int64) const { return false; }
};

TESSERA_HD bool is_hindered(int64 hinderers, int64 all) { return hinderers > 0 && hinderers * hindering_share >= all; }

// One team, where regions are few: all of n for which take(i) holds, in order. True: hinders(i) for a `hindering_share` of them.
template <class Team, class Take, class Hinders>
TESSERA_HD bool list_alone(Team &team, int64 n, int64 *list, Take take, Hinders hinders) {
  int64 at = 0, hinderers = 0;
  TESSERA_ROLLED
  for (int64 from = 0; from < n; from += team.lanes()) {
    const int64 i = from + team.lane();
    const bool take_it = i < n && take(i);
    if (take_it && hinders(i)) ++hinderers;
    const int64 m = team.place(take_it, at);
    if (take_it) list[m] = i;
  }
  return is_hindered(team.total(hinderers), at);
}

// Writes the first `most` of n regions for which take(i) holds to `list`, in order; chunk_counts[most_chunks] receives the number of
// all, which is what it returns. Where hinders(i) holds for a `hindering_share` of them: -1, and there is no list, nor a barrier behind the counters.
template <class Grid, class Take, class Hinders = nothing_hinders>
TESSERA_HD int64 list_regions(Grid &grid, bulk_state &st, int64 n, int64 *list, int64 most, Take take,
                              Hinders hinders = {}) {
  constexpr bool may_be_hindered = !same_type<Hinders, nothing_hinders>;
  const int64 chunks = chunks_of(n);
  grid.chunks(chunks, [=, &st](auto &team, int64 c) {
    const chunk_range r = range_of(n, chunks, c);
    int64 found = 0;
    TESSERA_ROLLED
    for (int64 i = r.begin + team.lane(); i < r.end; i += team.lanes()) {
      if (!take(i)) continue;
      found += 1;
      if (may_be_hindered && hinders(i)) found += hindered;
    }
    found = team.total(found);
    if (team.lane() == 0) st.chunk_counts[c] = found;
  });
  grid.barrier();
  if constexpr (may_be_hindered) {
    int64 found = 0;
    TESSERA_ROLLED
    for (int64 c = grid.team().lane(); c < chunks; c += grid.team().lanes()) found += st.chunk_counts[c];
    found = grid.team().total(found);
    if (is_hindered(found / hindered, found % hindered)) return -1;
  }
  grid.chunks(chunks, [=, &st](auto &team, int64 c) {
    const chunk_range r = range_of(n, chunks, c);
    int64 at = 0;
    TESSERA_ROLLED
    for (int64 b = team.lane(); b < c; b += team.lanes()) at += st.chunk_counts[b] % hindered;
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

// Lists in one go the regions for which number(i) is 1, those for which it is 2, ... `lists`, each list in order and one behind the other in
// `list`; 0 is none. all[lists]: how many each has. Its counters are not those of list_regions: where a list is hindered there is no barrier
// between, and a team may still be adding up what was found.
template <int lists, class Grid, class Number>
TESSERA_HD void list_apart(Grid &grid, bulk_state &st, int64 n, int64 *list, Number number, int64 *all) {
  static_assert(lists < chunk_counters, "counters for each list");
  const int64 chunks = chunks_of(n);
  const auto counts = [&st](int l) { return st.chunk_counts + (l + 1) * (most_chunks + 1); };
  grid.chunks(chunks, [=](auto &team, int64 c) {
    const chunk_range r = range_of(n, chunks, c);
    int64 found[lists] = {};
    TESSERA_ROLLED
    for (int64 i = r.begin + team.lane(); i < r.end; i += team.lanes()) {
      const int of = number(i);
      TESSERA_UNROLLED
      for (int l = 0; l < lists; ++l) found[l] += of == l + 1 ? 1 : 0;
    }
    TESSERA_ROLLED
    for (int l = 0; l < lists; ++l) {
      const int64 of_chunk = team.total(found[l]);
      if (team.lane() == 0) counts(l)[c] = of_chunk;
    }
  });
  grid.barrier();
  const auto sum = [=](auto &team, int l, int64 end) {
    int64 before = 0;
    TESSERA_ROLLED
    for (int64 b = team.lane(); b < end; b += team.lanes()) before += counts(l)[b];
    return team.total(before);
  };
  TESSERA_ROLLED
  for (int l = 0; l < lists; ++l) all[l] = sum(grid.team(), l, chunks);
  grid.chunks(chunks, [=](auto &team, int64 c) {
    const chunk_range r = range_of(n, chunks, c);
    int64 at[lists], before = 0;
    for (int l = 0; l < lists; ++l) {
      at[l] = before + sum(team, l, c);
      before += all[l];
    }
    TESSERA_ROLLED
    for (int64 from = r.begin; before > 0 && from < r.end; from += team.lanes()) {
      const int64 i = from + team.lane();
      const int of = i < r.end ? number(i) : 0;
      TESSERA_UNROLLED
      for (int l = 0; l < lists; ++l) {
        const int64 m = team.place(of == l + 1, at[l]);
        if (of == l + 1) list[m] = i;
      }
    }
  });
  grid.barrier();
}

}  // namespace tessera
