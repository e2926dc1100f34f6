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

#include "../../core/rule.hpp"
#include "region_store.hpp"
#include "split.hpp"

namespace tessera {

constexpr int landmark_groups = 64;
constexpr double too_wide = 4.0;         // times the landmark's width
constexpr double much_less = 0.02;       // of the landmark's density
constexpr double touching = 1.0 + 1e-6;  // times the half-widths, for rounding

struct landmark {
  int64 region;  // -1: there is none
  double density;
  double held;  // largest share of what a component tolerates, or another measure that is the same for all regions
};
struct landmark_pair {
  landmark densest, fullest;
};
constexpr landmark_pair no_landmarks = {{-1, 0.0, 0.0}, {-1, 0.0, 0.0}};

// The part of the domain that region i takes.
TESSERA_HD double share_of_domain(const region_view &s, int64 i, const domain_box &domain) {
  double share = 1.0;
  for (int j = 0; j < s.ndim(); ++j) share *= s.half(i, j) / (0.5 * domain.upper[j] - 0.5 * domain.lower[j]);
  return share;
}

// Region i as a landmark; scale[ncomp] are the weights of the components.
TESSERA_HD landmark as_landmark(const region_view &s, int64 i, const domain_box &domain, const double *scale) {
  double held = 0.0;
  for (int k = 0; k < s.ncomp(); ++k) held = larger(held, fabs(s.value(i, k)) * scale[k]);
  return {i, held / share_of_domain(s, i, domain), held};
}

// Groups are shared out in parts, so that many can look for landmarks at a time.
constexpr int64 most_landmark_parts = 512;
TESSERA_HD int64 landmark_parts(int64 regions) {
  const int64 parts = regions / (4 * landmark_groups);
  return parts < 1 ? 1 : (parts > most_landmark_parts ? most_landmark_parts : parts);
}

// The better landmarks of two sets of which the second has the higher numbers.
TESSERA_HD void keep_better(landmark_pair &a, const landmark_pair &b) {
  if (b.densest.density > a.densest.density) a.densest = b.densest;
  if (b.fullest.held > a.fullest.held) a.fullest = b.fullest;
}

// The landmarks among one part of the regions of a group; there are n regions.
TESSERA_HD landmark_pair find_landmarks(const region_view &s, int64 n, int64 group, int64 part,
                                        const domain_box &domain, const double *scale) {
  const int64 parts = landmark_parts(n), members = (n - group + landmark_groups - 1) / landmark_groups;
  landmark_pair best = no_landmarks;
  TESSERA_ROLLED
  for (int64 m = part * members / parts; m < (part + 1) * members / parts; ++m) {
    const landmark l = as_landmark(s, group + m * landmark_groups, domain, scale);
    keep_better(best, {l, l});
  }
  return best;
}

// What is known of the densest landmarks together, or of the fullest: a region that is nowhere much wider than the narrowest, dense
// beside the densest or apart from them all need not be compared with each of them.
struct landmark_bounds {
  double density;  // not less than the greatest
  double half[max_cubature_ndim], low[max_cubature_ndim],
      high[max_cubature_ndim];  // the least half-width; where they are
};

// What the regions are compared with: copies, which stay when regions are divided. First the densest, then the fullest.
constexpr int landmarks_kept = 2 * landmark_groups;
struct landmark_table {
  double density[landmarks_kept];  // 0: there is none
  landmark_bounds bounds[2];
};

// Writes the two landmarks of a group to the table and their boxes to `boxes`.
TESSERA_HD void keep_landmarks(const landmark_pair &of_group, int group, const region_view &s, landmark_table &table,
                               const region_view &boxes) {
  TESSERA_ROLLED
  for (int which = 0; which < 2; ++which) {
    const landmark &mark = which == 0 ? of_group.densest : of_group.fullest;
    const int to = which * landmark_groups + group;
    table.density[to] = mark.region < 0 ? 0.0 : mark.density;
    TESSERA_ROLLED
    for (int j = 0; mark.region >= 0 && j < s.ndim(); ++j) {
      boxes.centre(to, j) = s.centre(mark.region, j);
      boxes.half(to, j) = s.half(mark.region, j);
    }
  }
}

// The order of numbers in an int, from the upper half of their bits, and the number that is the least of its order.
TESSERA_HD int order_of(double v) {
  const int upper = static_cast<int>(bits_of(v) >> 32);
  return upper < 0 ? upper ^ 0x7fffffff : upper;
}
TESSERA_HD double least_of(int order) {
  const uint32 upper = static_cast<uint32>(order < 0 ? order ^ 0x7fffffff : order);
  return double_of(static_cast<uint64>(upper) << 32 | (order < 0 ? 0xffffffffu : 0u));
}

// One team, in which each lane has written the landmarks of the groups lane(), lane() + lanes(), ...
template <class Team>
TESSERA_HD void bound_landmarks(Team &team, const region_view &boxes, landmark_table &table) {
  constexpr int none = 0x7ff00000;  // infinity
  TESSERA_ROLLED
  for (int set = 0; set < 2; ++set) {
    landmark_bounds &all = table.bounds[set];
    int densest = 0, unused = 0, unused_too = 0;
    TESSERA_ROLLED
    for (int g = team.lane(); g < landmark_groups; g += team.lanes()) {
      const int density = order_of(table.density[set * landmark_groups + g]) + 1;
      densest = density > -densest ? -density : densest;
    }
    team.least(densest, unused, unused_too);
    if (team.lane() == 0) all.density = least_of(-densest);
    TESSERA_ROLLED
    for (int j = 0; j < boxes.ndim(); ++j) {
      int half = none, low = none, high = none;  // the last with its sign turned
      TESSERA_ROLLED
      for (int g = team.lane(); g < landmark_groups; g += team.lanes()) {
        const int mark = set * landmark_groups + g;
        if (!(table.density[mark] > 0.0)) continue;
        const double c = boxes.centre(mark, j), h = boxes.half(mark, j);
        const int own[3] = {order_of(h), order_of(c - touching * h) - 1, -(order_of(c + touching * h) + 2)};
        half = own[0] < half ? own[0] : half;
        low = own[1] < low ? own[1] : low;
        high = own[2] < high ? own[2] : high;
      }
      team.least(half, low, high);
      if (team.lane() != 0) continue;
      all.half[j] = least_of(half);
      all.low[j] = least_of(low);
      all.high[j] = least_of(-high);
    }
  }
}

// A team of one lane.
struct lone_team {
  TESSERA_HD static int lane() { return 0; }
  TESSERA_HD static int lanes() { return 1; }
  TESSERA_HD static void least(int &, int &, int &) {}
};

TESSERA_HD bool may_be_overlooked(const region_view &s, int64 i, const landmark_table &table, const domain_box &domain,
                                  const double *scale) {
  bool near[2] = {true, true}, wide[2] = {false, false};
  for (int j = 0; j < s.ndim(); ++j) {
    const double c = s.centre(i, j), h = s.half(i, j);
    TESSERA_UNROLLED
    for (int set = 0; set < 2; ++set) {
      const landmark_bounds &all = table.bounds[set];
      near[set] = near[set] && c - h <= all.high[j] && c + h >= all.low[j];
      wide[set] = wide[set] || h > too_wide * all.half[j];
    }
    if (!near[0] && !near[1]) return false;
  }
  const double least =
      larger(near[0] && wide[0] ? table.bounds[0].density : 0.0, near[1] && wide[1] ? table.bounds[1].density : 0.0);
  return least > 0.0 && as_landmark(s, i, domain, scale).density < much_less * least;
}

// How much too wide a region is, and along which axis; of equal ones the first axis.
struct width_check {
  int times;  // order_of the ratio; 0: it is not too wide
  int axis;
};
TESSERA_HD bool worse(const width_check &a, const width_check &b) {
  return a.times > b.times || (a.times == b.times && a.axis < b.axis);
}

// Region i beside a landmark that is much denser, `mark` of `boxes`.
TESSERA_HD width_check compare_widths(const region_view &s, int64 i, const region_view &boxes, int mark) {
  constexpr width_check not_too_wide = {0, 0};
  width_check worst = not_too_wide;
  TESSERA_ROLLED
  for (int j = 0; j < s.ndim(); ++j) {
    const double own = s.half(i, j), other = boxes.half(mark, j);
    if (fabs(s.centre(i, j) - boxes.centre(mark, j)) > touching * (own + other))
      return not_too_wide;  // they do not touch
    if (!(own > too_wide * other)) continue;
    const width_check w = {order_of(own / other), j};
    if (worse(w, worst)) worst = w;
  }
  return worst;
}

// The same beside the landmarks first, first + step, ...
TESSERA_HD TESSERA_APART width_check overlooked(const region_view &s, int64 i, const landmark_table &table,
                                                const region_view &boxes, int first, int step, const domain_box &domain,
                                                const double *scale) {
  const double density = as_landmark(s, i, domain, scale).density;
  width_check worst = {0, 0};
  TESSERA_ROLLED
  for (int mark = first; mark < landmarks_kept; mark += step) {
    if (!(density < much_less * table.density[mark])) continue;
    const width_check w = compare_widths(s, i, boxes, mark);
    if (worse(w, worst)) worst = w;
  }
  return worst;
}

// Region i is to be divided across the axis along which it is too wide; false if it is not, or cannot be.
TESSERA_HD bool turn_to(const splitting &split, const region_view &s, int64 i, const width_check &w,
                        const domain_box &domain) {
  if (w.times == 0) return false;
  if (!divisible_axis(split, w.axis, {s.centre(i, w.axis), s.half(i, w.axis)}, domain, point_slack)) return false;
  include_axis(s.state(i).word, s.ndim(), w.axis, true);
  return true;
}

}  // namespace tessera
