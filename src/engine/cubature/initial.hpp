// The first regions: the whole domain, and what it is divided into before single regions are chosen.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "region_store.hpp"
#include "split.hpp"

namespace tessera {

// The result of a region whose integrand is not finite, where there is nothing better to fall back on.
TESSERA_HD void make_unknown(const region_view &s, int64 i) {
  TESSERA_ROLLED
  for (int k = 0; k < s.ncomp(); ++k) {
    s.value(i, k) = nan_value();
    s.error(i, k) = infinity_value();
  }
}

// Region i is the whole domain.
TESSERA_HD void make_domain(const domain_box &domain, const region_view &to, int64 i) {
  for (int j = 0; j < to.ndim(); ++j) {
    to.half(i, j) = 0.5 * (domain.upper[j] - domain.lower[j]);
    to.centre(i, j) = domain.lower[j] + to.half(i, j);
  }
}

// Smallest number of halvings whose pieces number at least n.
TESSERA_HD int halvings(int64 n) { return n > 1 ? 64 - leading_zeros(static_cast<uint64>(n - 1)) : 0; }

// How many of the first regions are rough.
enum class roughness : unsigned char { none, some, most };
TESSERA_HD roughness roughness_of(int64 rough, int64 n) {
  return rough == 0 ? roughness::none : (2 * rough > n ? roughness::most : roughness::some);
}

// How the `have` first regions are divided on the way to `wanted`. As long as most of them are rough, the first levels are made by halving, each
// region along its own best axis, so that a feature is followed one axis at a time; where none is, by eight, if the last levels still come out even;
// others, and the later ones, by four, so that there are fewer levels and all together cost less than twice the last. None of these divisions is a
// choice of the estimate's: with few variables, where it costs little, doubt is handed on nearly whole.
constexpr int64 halved_regions = 64;
TESSERA_HD splitting first_splitting(const splitting &s, int ndim, int64 have, int64 wanted, roughness rough) {
  splitting first = {2, 1, false, false, s.margin, ndim <= 2 ? 0.5 : (ndim == 3 ? 0.2 : s.left_behind), false};
  const bool later = have >= halved_regions;
  const int left = halvings(wanted) - halvings(have);
  const bool even = left % 2 == 0;
  const bool by_eight = even ? left >= 6 && 8 * have < halved_regions : left >= 3;  // once, or twice in a row
  if (!later && rough == roughness::none && ndim > 2 && by_eight) {
    first.pieces = 8;
    first.axes = 3;
  } else if (ndim > 1 && (later || rough != roughness::most) && even) {
    first.pieces = 4;
    first.axes = 2;
    first.by_roughness = later;
  }
  return first;
}

// The greatest number of first regions, up to `wanted`, that can be had with `most` evaluations.
TESSERA_HD int64 affordable_first_regions(int64 wanted, int64 points, int64 most) {
  int64 n = int64{1} << halvings(wanted);
  while (n > 1 && 2 * n * points > most) n /= 2;
  return n;
}

// Can the domain be divided into so many regions, whichever axes the cuts go to? They are hardest to divide at the ends of the axes, which the lanes
// of a team share.
template <class Team>
TESSERA_HD bool fill_divisible(Team &team, const splitting &s, int ndim, const domain_box &domain, int64 wanted) {
  bool all = true;
  const double share = 1.0 / static_cast<double>(wanted);
  TESSERA_ROLLED
  for (int j = team.lane(); j < ndim; j += team.lanes()) {
    const double half = 0.5 * share * (domain.upper[j] - domain.lower[j]);
    all = all && divisible_axis(s, j, {domain.lower[j] + half, half}, domain, first_point_slack) &&
          divisible_axis(s, j, {domain.upper[j] - half, half}, domain, first_point_slack);
  }
  return team.either(all ? 0u : 1u) == 0u;
}

}  // namespace tessera
