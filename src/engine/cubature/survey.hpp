// What all regions say together: sums, a histogram of their errors, and the threshold that follows from it. For a grid of teams; see
// bulk_steps.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "balance.hpp"
#include "bulk_state.hpp"

namespace tessera {

// ---- Chunks ---------------------------------------------------------------------------------------------------------

// Sums of value and error of one component over the regions of a chunk for which `take` holds.
template <class Team, class Take>
TESSERA_HD component_sums sum_chunk(Team &team, const region_view &s, chunk_range r, int k, Take take) {
  compensated_sum t[3];
  TESSERA_ROLLED
  for (int64 i = r.begin + team.lane(); i < r.end; i += team.lanes())
    if (take(i)) {
      t[0].add(s.value(i, k));
      t[1].add(s.error(i, k));
      t[2].add(signed_error(s.error(i, k)));
    }
  team.sum(t);
  return {t[0], t[1], t[2]};
}

// Sums, histogram of the keys unless it is null, and keys of the frozen regions of a chunk.
template <class Team>
TESSERA_HD void survey_chunk(Team &team, const bulk_state &st, chunk_range r, const double *scale, uint32 *histogram,
                             component_sums *sums, compensated_sum *frozen) {
  const region_view &s = st.regions;
  constexpr int ahead = 4;
  compensated_sum t[team_sums];  // values, errors, frozen keys, signed errors
  double balance = 0.0;
  typename Team::counters bins(team, histogram, histogram ? r.end - r.begin : 0);
  TESSERA_ROLLED
  for (int64 from = r.begin + team.lane(); from < r.end; from += ahead * team.lanes()) {
    double value[ahead], error[ahead], key[ahead];  // loaded together, for a load takes longer than all that follows
    uint32 word[ahead];
    TESSERA_OVERLAPPED
    for (int q = 0; q < ahead; ++q) {
      const int64 at = from + q * team.lanes(), i = at < r.end ? at : from;
      value[q] = s.value(i, 0);
      error[q] = s.error(i, 0);
      word[q] = s.state(i).word;
    }
    const double first_scale = scale[0];
    TESSERA_OVERLAPPED
    for (int q = 0; q < ahead; ++q) key[q] = larger(0.0, error[q] * first_scale);
    TESSERA_ROLLED
    for (int k = 1; k < s.ncomp(); ++k) TESSERA_OVERLAPPED
    for (int q = 0; q < ahead; ++q) {
      const int64 at = from + q * team.lanes(), i = at < r.end ? at : from;
      key[q] = larger(key[q], s.error(i, k) * scale[k]);
    }
    TESSERA_OVERLAPPED
    for (int q = 0; q < ahead; ++q) {
      if (from + q * team.lanes() >= r.end) continue;
      t[0].add(value[q]);
      t[1].add(error[q]);
      balance += signed_error(error[q]);
      if ((word[q] & region_frozen) != 0u) {
        t[2].add(key[q]);
      } else if (histogram) {
        bins.add(histogram_bin(key[q]));
      }
    }
  }
  if (histogram) bins.flush();
  t[3].add(balance);
  team.sum(t);
  if (team.lane() == 0) {
    sums[0] = {t[0], t[1], t[3]};
    *frozen = t[2];
  }
  TESSERA_ROLLED
  for (int k = 1; k < st.set.ncomp; ++k) {
    const component_sums other = sum_chunk(team, s, r, k, [](int64) { return true; });
    if (team.lane() == 0) sums[k] = other;
  }
}

TESSERA_HD bool above(const bulk_state &st, int64 i, const double *scale, int bin) {
  const uint32 word = st.regions.state(i).word;  // loaded together with what follows
  const int own = histogram_bin(region_key(st.regions, i, scale));
  return (word & region_frozen) == 0u && own >= bin;
}

// ---- Uniform decisions ----------------------------------------------------------------------------------------------

// What the chunks say together about one component, and the keys of the frozen regions.
struct survey_sums {
  component_sums component;
  double frozen;
};
template <class Team>
TESSERA_HD survey_sums gather(Team &all, const bulk_state &st, int64 chunks, int k) {
  if (chunks == 1) return {st.sums[k], st.frozen[0].value()};
  compensated_sum t[3];
  TESSERA_ROLLED
  for (int64 c = all.lane(); c < chunks; c += all.lanes()) {
    const component_sums s = st.sums[c * st.set.ncomp + k];
    const compensated_sum f = st.frozen[c];
    t[0].add(s.value);
    t[1].add(s.error);
    t[2].add(f);
  }
  all.sum(t);
  return {{t[0], t[1], {}}, t[2].value()};
}

// Sums of a component over all regions, those that were given up among them. whole: the sum of the errors of the others, of which `share`
// counts; frozen: keys of all components.
struct component_total {
  component_sums sums;
  double whole, share, frozen;
  TESSERA_HD value_and_error now() const { return {sums.value.value(), sums.error.value()}; }
};
template <class Team>
TESSERA_HD component_total total_of(Team &team, const bulk_state &st, int64 chunks, int k) {
  const component_sums retired = st.retired[k];  // asked for ahead
  const survey_sums all = gather(team, st, chunks, k);
  component_sums t = all.component;
  const double whole = t.error.value(), share = balanced_share(team, st, chunks, k, whole);
  if (share < 1.0) {
    t.error = compensated_sum{};
    t.error.add(share * whole);
  }
  t.value.add(retired.value);
  t.error.add(retired.error);
  return {t, whole, share, all.frozen};
}

struct threshold {
  int bin;
  int64 count;  // regions in this bin and above
};

// The lowest bin such that all below hold at most `budget` of error, and there are at most `most` regions in it and above;
// the highest filled bin if there is none. Each lane has neighbouring bins.
template <class Team>
TESSERA_HD TESSERA_APART threshold choose_bin(Team &team, const uint32 *histogram, double budget, int64 most) {
  constexpr int own = histogram_bins / Team::most_lanes;
  const int begin = own * team.lane();
  uint32 n[own];
  TESSERA_OVERLAPPED
  for (int i = 0; i < own; ++i) n[i] = histogram[begin + i];
  double below = 0.0;
  int64 before = 0;
  TESSERA_OVERLAPPED
  for (int i = 0; i < own; ++i) {
    if (n[i] != 0) below += static_cast<double>(n[i]) * histogram_upper_edge(begin + i);
    before += n[i];
  }
  const int64 all = team.scan(below, before);
  int over = histogram_bins, few = histogram_bins, top = 0;
  int64 here = all - before;  // regions in bin i and above
  TESSERA_OVERLAPPED
  for (int i = 0; i < own; ++i) {
    const int b = begin + i;
    if (n[i] != 0) below += static_cast<double>(n[i]) * histogram_upper_edge(b);
    if (below > budget && b < over) over = b;
    if (here <= most && b < few) few = b;
    if (n[i] != 0) top = -b;
    here -= n[i];
  }
  team.least(over, few, top);
  int bin = over > few ? over : few;
  if (bin > -top) bin = -top;
  int64 count = all - before;  // in that bin and above, as the lane knows that has it
  TESSERA_OVERLAPPED
  for (int i = 0; i < own; ++i) count -= begin + i < bin ? n[i] : 0u;
  return {bin, team.told(bin - begin >= 0 && bin - begin < own, count)};
}

}  // namespace tessera
