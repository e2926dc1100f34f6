// Regions beside a peak. A peak that is narrow beside the regions it is found in may be cut by a face: one side sees it and is divided
// until all is resolved, the other has no point near it, sees its feet at most and claims next to nothing, with certainty. Before
// success is claimed, the regions around the places where there is most are therefore compared with those places: one that touches
// them, is much wider and holds much less has not been looked at closely enough, and is divided across the axis where it is too wide.
//
// Those places, the landmarks, are of each group of regions the densest one and the one that holds most; region i belongs to group
// i mod landmark_groups, so that pieces of one region, whose numbers are close, compete in different groups. A landmark does not
// depend on the order in which the regions are looked at.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "region_store.hpp"
#include "split.hpp"

namespace tessera {

constexpr int landmark_groups = 64;
constexpr double too_wide = 4.0;    // times the landmark's width
constexpr double much_less = 0.02;  // of the landmark's density

struct landmark {
  int64 region;  // -1: there is none
  double density;
  double held;  // largest share of what a component tolerates, or another measure that is the same for all regions
};
struct landmark_pair {
  landmark densest, fullest;
};

// The part of the domain that region i takes.
TESSERA_HD double share_of_domain(const region_view &s, int64 i, const double *lower, const double *upper) {
  double share = 1.0;
  for (int j = 0; j < s.ndim(); ++j) share *= s.half(i, j) / (0.5 * upper[j] - 0.5 * lower[j]);
  return share;
}

// Region i as a landmark; scale[ncomp] are the weights of the components.
TESSERA_HD landmark as_landmark(const region_view &s, int64 i, const double *lower, const double *upper, const double *scale) {
  double held = 0.0;
  for (int k = 0; k < s.ncomp(); ++k) held = larger(held, fabs(s.value(i, k)) * scale[k]);
  return {i, held / share_of_domain(s, i, lower, upper), held};
}

// Groups are shared out in parts, so that many can look for landmarks at a time.
constexpr int64 most_landmark_parts = 64;
TESSERA_HD int64 landmark_parts(int64 regions) {
  const int64 parts = regions / (16 * landmark_groups);
  return parts < 1 ? 1 : (parts > most_landmark_parts ? most_landmark_parts : parts);
}

// The better landmarks of two sets of which the second has the higher numbers.
TESSERA_HD void keep_better(landmark_pair &a, const landmark_pair &b) {
  if (b.densest.density > a.densest.density) a.densest = b.densest;
  if (b.fullest.held > a.fullest.held) a.fullest = b.fullest;
}

// The landmarks among one part of the regions of a group; there are n regions.
TESSERA_HD landmark_pair find_landmarks(const region_view &s, int64 n, int64 group, int64 part, const double *lower,
                                        const double *upper, const double *scale) {
  const int64 parts = landmark_parts(n), members = (n - group + landmark_groups - 1) / landmark_groups;
  landmark_pair best = {{-1, 0.0, 0.0}, {-1, 0.0, 0.0}};
  TESSERA_ROLLED
  for (int64 m = part * members / parts; m < (part + 1) * members / parts; ++m) {
    const landmark l = as_landmark(s, group + m * landmark_groups, lower, upper, scale);
    keep_better(best, {l, l});
  }
  return best;
}

// How many times as wide as the landmark is region i, at most, and along which axis, if they touch? Else 0.
TESSERA_HD double times_as_wide(const region_view &s, int64 i, int64 mark, int &axis) {
  constexpr double rounding = 1.0 + 1e-6;
  double times = 0.0;
  TESSERA_ROLLED
  for (int j = 0; j < s.ndim(); ++j) {
    const double own = s.half(i, j), other = s.half(mark, j);
    if (fabs(s.centre(i, j) - s.centre(mark, j)) > rounding * (own + other)) return 0.0;
    if (own > times * other) {
      times = own / other;
      axis = j;
    }
  }
  return times;
}

// The axis across which region i is to be divided because it is much wider than a landmark beside it and holds much less; -1: none.
TESSERA_HD TESSERA_APART int overlooked_axis(const splitting &split, const region_view &s, int64 i, const landmark_pair *marks,
                                             const double *lower, const double *upper, const double *scale) {
  const double density = as_landmark(s, i, lower, upper, scale).density;
  double widest = too_wide;
  int across = -1;
  TESSERA_ROLLED
  for (int m = 0; m < 2 * landmark_groups; ++m) {
    const landmark &mark = m < landmark_groups ? marks[m].densest : marks[m - landmark_groups].fullest;
    if (mark.region < 0 || !(density < much_less * mark.density)) continue;
    int axis = 0;
    const double times = times_as_wide(s, i, mark.region, axis);
    if (!(times > widest)) continue;
    widest = times;
    across = axis;
  }
  return across >= 0 && divisible_axis(split, {s.centre(i, across), s.half(i, across)}) ? across : -1;
}

}  // namespace tessera
