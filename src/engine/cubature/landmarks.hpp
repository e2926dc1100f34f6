// Regions beside a peak. A peak that is narrow beside the regions it is found in may be cut by a face: one side sees it and is divided
// until all is resolved, the other has no point near it, sees its feet at most and claims next to nothing, with certainty. Before
// success is claimed, the regions around the places where there is most are therefore compared with those places: one that touches
// them, is much wider and holds much less has not been looked at closely enough, and is divided across the axis where it is too wide.
//
// Those places, the landmarks, are of each group of regions the densest one and the one that holds most; region i belongs to group
// i mod landmark_groups, so that pieces of one region, whose numbers are close, compete in different groups. A run of no more regions than
// there are groups has each as a landmark: what a curved valley holds is spread over all of them. A landmark does not
// depend on the order in which the regions are looked at.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../core/rule.hpp"
#include "../lone_lane.hpp"
#include "ranked_axes.hpp"
#include "region_store.hpp"
#include "split.hpp"

namespace tessera {

constexpr int landmark_groups = 512;
// A region where the integrand was 0 at all points is compared with the best of so many groups alone: beyond a jump there are many of them,
// which are empty rightly.
constexpr int groups_for_empty = 64;
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
  TESSERA_OVERLAPPED
  for (int j = 0; j < s.ndim(); ++j) share *= s.half(i, j) / (0.5 * domain.upper[j] - 0.5 * domain.lower[j]);
  return share;
}

// Region i, which has that share of the domain, as a landmark; scale[ncomp] are the weights of the components. Of regions that are alike but for rounding
// the first is taken, wherever the engine runs.
TESSERA_HD landmark as_landmark(const region_view &s, int64 i, double share, const double *scale) {
  double held = 0.0;
  for (int k = 0; k < s.ncomp(); ++k) held = larger(held, fabs(s.value(i, k)) * scale[k]);
  held = without_last_bits(held, 24);
  return {i, held / share, held};
}
TESSERA_HD landmark as_landmark(const region_view &s, int64 i, const domain_box &domain, const double *scale) {
  return as_landmark(s, i, share_of_domain(s, i, domain), scale);
}

// Groups that n regions have.
TESSERA_HD int64 groups_of(int64 n) { return n < landmark_groups ? n : landmark_groups; }

// Groups are shared out in parts, so that many can look for landmarks at a time.
constexpr int64 most_landmark_parts = 512;
TESSERA_HD int64 landmark_parts(int64 regions) {
  const int64 parts = regions / (4 * landmark_groups);
  return parts < 1 ? 1 : (parts > most_landmark_parts ? most_landmark_parts : parts);
}

// The better landmarks of two sets; of equal ones those of the lower numbers. One that is there has more than 0, one that is not has 0.
TESSERA_HD bool is_better(double b, int64 region_of_b, double a, int64 region_of_a) {
  return b > a || (b == a && region_of_b < region_of_a);
}
TESSERA_HD void keep_better(landmark_pair &a, const landmark_pair &b) {
  if (is_better(b.densest.density, b.densest.region, a.densest.density, a.densest.region)) a.densest = b.densest;
  if (is_better(b.fullest.held, b.fullest.region, a.fullest.held, a.fullest.region)) a.fullest = b.fullest;
}

// The landmarks among one part of the regions of a group, which the lanes share; there are n regions.
template <class Lanes>
TESSERA_HD landmark_pair find_landmarks(Lanes &lanes, const region_view &s, int64 n, int64 group, int64 part,
                                        const domain_box &domain, const double *scale) {
  const int64 parts = landmark_parts(n), members = (n - group + landmark_groups - 1) / landmark_groups;
  landmark_pair best = no_landmarks;
  TESSERA_ROLLED
  for (int64 m = part * members / parts + lanes.lane(); m < (part + 1) * members / parts; m += lanes.lanes()) {
    const int64 i = group + m * landmark_groups;
    const landmark l = as_landmark(s, i, domain, scale);
    keep_better(best, {l, l});
  }
  return lanes.fold(best, [](landmark_pair a, const landmark_pair &b) {
    keep_better(a, b);
    return a;
  });
}

// What the regions are compared with: copies, which stay when regions are divided. Those for empty regions come first, of each kind the
// densest before the fullest, and then they lie in the order in which space is cut in halves, one axis after the other, so that neighbours are
// close: a block of them that a region does not touch, or beside which none is dense or narrow enough, is passed over. Those that there are
// not have density 0 and come last.
constexpr int landmarks_kept = 2 * landmark_groups;
constexpr int most_modes = 8;
constexpr int landmark_block = 32;
constexpr int landmark_blocks = landmarks_kept / landmark_block;
static_assert(landmark_blocks <= 32, "bits for them");
struct landmark_table {
  int count;
  uint32 order
      [landmarks_kept];  // what they are put in order by, in the order of the groups: the densest, then the fullest
  double density[landmarks_kept];
  bool for_empty[landmarks_kept];
  double greatest_density[landmark_blocks][2];  // of all, and of those for empty regions
};
struct landmark_set {
  landmark_table *table;
  // [landmarks_kept], boxes alone; half-widths below 0 where one was cut at a break point, for which it is narrow.
  region_view boxes;
  double *bounds;  // [landmark_blocks][ndim][3] of each block's boxes: lowest and highest place, least half-width
  const break_table *breaks = nullptr;
  // Modes that a look has found (mode_search.hpp): boxes of them and of their feet, and as value the integrand at the mode times the volume of the domain.
  int mode_boxes = 0;
  region_view modes = {};

  TESSERA_HD double *bounds_of(int block, int axis) const { return bounds + (block * boxes.ndim() + axis) * 3; }
  TESSERA_HD int blocks() const { return (table->count + landmark_block - 1) / landmark_block; }
};
TESSERA_HD int64 landmark_bounds(int ndim) { return int64{landmark_blocks} * ndim * 3; }

// Landmarks of n regions; where each group has one region it is the densest and the fullest.
TESSERA_HD int count_landmarks(int64 n) { return static_cast<int>(n <= landmark_groups ? n : landmarks_kept); }
// Number t of them, from the best of each group.
TESSERA_HD landmark take_landmark(const landmark_pair *best, int groups, int t) {
  if (t < groups) return best[t].densest;
  const landmark_pair &of_group = best[t - groups];
  return of_group.fullest.region == of_group.densest.region ? no_landmarks.fullest : of_group.fullest;
}

// Is number t one of the best of groups_for_empty groups? Of equal ones the first is.
template <class Lanes>
TESSERA_HD bool is_for_empty(Lanes &lanes, const landmark_pair *best, int groups, int t) {
  const landmark_pair own = best[t % groups];
  uint32 behind = 0;  // another is better: 1 as the densest, 2 as the fullest
  TESSERA_ROLLED
  for (int g = t % groups % groups_for_empty + lanes.lane() * groups_for_empty; g < groups;
       g += lanes.lanes() * groups_for_empty) {
    const landmark densest = best[g].densest, fullest = best[g].fullest;
    if (is_better(densest.density, densest.region, own.densest.density, own.densest.region)) behind |= 1u;
    if (is_better(fullest.held, fullest.region, own.fullest.held, own.fullest.region)) behind |= 2u;
  }
  behind = lanes.either(behind);
  const bool densest = t < groups, fullest = !densest || own.fullest.region == own.densest.region;
  return (densest && (behind & 1u) == 0u) || (fullest && (behind & 2u) == 0u);
}

// Where a region lies: bits of its centre's coordinates, the highest of all axes first; below 2^30.
template <class Lanes>
TESSERA_HD uint32 place_code(Lanes &lanes, const region_view &s, int64 i, const domain_box &domain) {
  constexpr int bits = 30;
  const int ndim = s.ndim();
  uint32 code = 0;
  TESSERA_ROLLED
  for (int j = lanes.lane(); j < ndim && j < bits; j += lanes.lanes()) {
    const int of_axis = (bits - 1 - j) / ndim + 1;
    const double at =
        static_cast<double>(1u << of_axis) * ((s.centre(i, j) - domain.lower[j]) / (domain.upper[j] - domain.lower[j]));
    const uint32 whole = at > 0.0 && at < 2147483647.0 ? static_cast<uint32>(at) : 0u;
    TESSERA_ROLLED
    for (int q = 0; q < of_axis; ++q) code |= (whole >> (of_axis - 1 - q) & 1u) << (bits - 1 - (q * ndim + j));
  }
  return lanes.either(code);
}

// The landmarks in three passes, each over all t before the next begins. The first: t is one of table->count landmarks.
constexpr uint32 not_for_empty = 1u << 31, not_densest = 1u << 30;
template <class Lanes>
TESSERA_HD void order_landmark(Lanes &lanes, const landmark_set &all, const landmark_pair *best, int groups, int t,
                               const region_view &s, const domain_box &domain) {
  const landmark mark = take_landmark(best, groups, t);
  uint32 order = ~0u;
  if (mark.region >= 0)
    order = (is_for_empty(lanes, best, groups, t) ? 0u : not_for_empty) | (t < groups ? 0u : not_densest) |
            place_code(lanes, s, mark.region, domain);
  if (lanes.lane() == 0) all.table->order[t] = order;
}
// The second, for the same.
template <class Lanes>
TESSERA_HD void keep_landmark(Lanes &lanes, const landmark_set &all, const landmark_pair *best, int groups, int t,
                              const region_view &s) {
  landmark_table &table = *all.table;
  const uint32 own = table.order[t];
  int to = 0;
  TESSERA_OVERLAPPED
  for (int u = lanes.lane(); u < table.count; u += lanes.lanes())
    to += table.order[u] < own || (table.order[u] == own && u < t) ? 1 : 0;
  to = lanes.total(to);
  const landmark mark = take_landmark(best, groups, t);
  TESSERA_ROLLED
  for (int j = lanes.lane(); mark.region >= 0 && j < s.ndim(); j += lanes.lanes()) {
    const double c = s.centre(mark.region, j), h = s.half(mark.region, j);
    const bool is_cut = all.breaks && is_break(all.breaks, j, c - h, c + h);
    all.boxes.centre(to, j) = c;
    all.boxes.half(to, j) = is_cut ? -h : h;
  }
  if (lanes.lane() != 0) return;
  table.density[to] = mark.region < 0 ? 0.0 : mark.density;
  table.for_empty[to] = own < not_for_empty;
}
// The third: t is an axis of a block.
template <class Lanes>
TESSERA_HD void bound_block(Lanes &lanes, const landmark_set &all, int t) {
  const int block = t / all.boxes.ndim(), j = t % all.boxes.ndim(), first = block * landmark_block;
  const int end = all.table->count < first + landmark_block ? all.table->count : first + landmark_block;
  double low = infinity_value(), high = -infinity_value(), half = infinity_value(), density[2] = {0.0, 0.0};
  TESSERA_ROLLED
  for (int mark = first + lanes.lane(); mark < end; mark += lanes.lanes()) {
    const double own = all.table->density[mark], c = all.boxes.centre(mark, j), own_half = all.boxes.half(mark, j),
                 h = fabs(own_half);
    const bool for_empty = all.table->for_empty[mark];
    if (!(own > 0.0)) continue;
    low = smaller(low, c - touching * h);
    high = larger(high, c + touching * h);
    if (own_half > 0.0) half = smaller(half, h);
    density[0] = larger(density[0], own);
    if (for_empty) density[1] = larger(density[1], own);
  }
  const auto less = [](double a, double b) { return smaller(a, b); };
  const auto more = [](double a, double b) { return larger(a, b); };
  low = lanes.fold(low, less);
  high = lanes.fold(high, more);
  half = lanes.fold(half, less);
  TESSERA_ROLLED
  for (int of = 0; of < 2 && j == 0; ++of) {
    const double greatest = lanes.fold(density[of], more);
    if (lanes.lane() == 0) all.table->greatest_density[block][of] = greatest;
  }
  if (lanes.lane() != 0) return;
  double *const bounds = all.bounds_of(block, j);
  bounds[0] = low;
  bounds[1] = high;
  bounds[2] = half;
}

// Is there a landmark in a block that is much denser than region i, and maybe for it?
TESSERA_HD bool is_denser(const landmark_set &all, int block, double density) {
  return density < much_less * all.table->greatest_density[block][density == 0.0 ? 1 : 0];
}
// Where a load takes longer than what follows from it, those of a few axes are made together, an axis twice where there are fewer; where there are many
// regions at a time what is loaded in vain is dearer.
constexpr int few_axes = 4;

// May a region have been overlooked beside one of a block? So many axes are asked for at once.
template <int axes_at_once = 1>
TESSERA_HD bool may_be_beside(const landmark_set &all, int block, const region_view &s, int64 i) {
  bool wide = false;
  TESSERA_ROLLED
  for (int first = 0; first < s.ndim(); first += axes_at_once) {
    bool apart = false;
    TESSERA_OVERLAPPED
    for (int q = 0; q < axes_at_once; ++q) {
      const int j = first + q < s.ndim() ? first + q : first;
      const double c = s.centre(i, j), h = s.half(i, j), *const bounds = all.bounds_of(block, j);
      apart = apart || c - touching * h > bounds[1] || c + touching * h < bounds[0];
      wide = wide || h > too_wide * bounds[2];
    }
    if (apart) return false;
  }
  return wide;
}

// The order of numbers in an int, from the upper half of their bits.
TESSERA_HD int order_of(double v) {
  const int upper = static_cast<int>(bits_of(v) >> 32);
  return upper < 0 ? upper ^ 0x7fffffff : upper;
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
template <int axes_at_once = 1>
TESSERA_HD width_check compare_widths(const region_view &s, int64 i, const region_view &boxes, int mark) {
  constexpr width_check not_too_wide = {0, 0};
  width_check worst = not_too_wide;
  TESSERA_ROLLED
  for (int first = 0; first < s.ndim(); first += axes_at_once) {
    double own[axes_at_once], other[axes_at_once], from[axes_at_once], to[axes_at_once];
    TESSERA_OVERLAPPED
    for (int q = 0; q < axes_at_once; ++q) {
      const int j = first + q < s.ndim() ? first + q : first;
      own[q] = s.half(i, j);
      other[q] = boxes.half(mark, j);
      from[q] = s.centre(i, j);
      to[q] = boxes.centre(mark, j);
    }
    bool apart = false;  // they do not touch
    TESSERA_OVERLAPPED
    for (int q = 0; q < axes_at_once; ++q)
      apart = apart || fabs(from[q] - to[q]) > touching * (own[q] + fabs(other[q]));
    if (apart) return not_too_wide;
    TESSERA_OVERLAPPED
    for (int q = 0; q < axes_at_once; ++q) {
      if (first + q >= s.ndim() || !(other[q] > 0.0 && own[q] > too_wide * other[q])) continue;
      const width_check w = {order_of(own[q] / other[q]), first + q};
      if (worse(w, worst)) worst = w;
    }
  }
  return worst;
}

// Bits of the blocks of landmarks of which one may make region i, of this density, one that has been overlooked.
template <int axes_at_once = 1, class Lanes>
TESSERA_HD uint32 blocks_beside(const region_view &s, int64 i, const landmark_set &all, Lanes &lanes, double density) {
  uint32 beside = 0;
  TESSERA_ROLLED
  for (int b = lanes.lane(); b < all.blocks(); b += lanes.lanes())
    if (is_denser(all, b, density) && may_be_beside<axes_at_once>(all, b, s, i)) beside |= 1u << b;
  return lanes.either(beside);
}

// Region i, of this density, beside all landmarks that each of the lanes looks at, of those that are denser. The worst of all lanes counts.
template <int axes_at_once = 1, class Lanes>
TESSERA_HD TESSERA_APART width_check overlooked(const region_view &s, int64 i, const landmark_set &all, Lanes &lanes,
                                                double density) {
  uint32 beside = blocks_beside<axes_at_once>(s, i, all, lanes, density);
  width_check worst = {0, 0};
  TESSERA_ROLLED
  for (int b = 0; beside != 0; ++b, beside >>= 1) {
    if ((beside & 1u) == 0) continue;
    const int end = all.table->count < (b + 1) * landmark_block ? all.table->count : (b + 1) * landmark_block;
    TESSERA_ROLLED
    for (int mark = b * landmark_block + lanes.lane(); mark < end; mark += lanes.lanes()) {
      if (!(density < much_less * all.table->density[mark]) || (density == 0.0 && !all.table->for_empty[mark]))
        continue;
      if (all.breaks && density == 0.0 && beyond_break(all.breaks, s, i, all.boxes, mark)) continue;
      const width_check w = compare_widths<axes_at_once>(s, i, all.boxes, mark);
      if (worse(w, worst)) worst = w;
    }
  }
  return worst;
}

// Region i, of this density, beside a mode.
TESSERA_HD width_check beside_mode(const region_view &s, int64 i, const landmark_set &all, double density,
                                   const double *scale) {
  width_check worst = {0, 0};
  TESSERA_ROLLED
  for (int m = 0; m < all.mode_boxes; ++m) {
    if (!(density < much_less * as_landmark(all.modes, m, 1.0, scale).density)) continue;
    const width_check w = compare_widths(s, i, all.modes, m);
    if (worse(w, worst)) worst = w;
  }
  return worst;
}

// Region i is to be divided across the axis along which it is too wide; false if it is not, or cannot be.
TESSERA_HD bool turn_to(const splitting &split, const region_view &s, int64 i, const width_check &w,
                        const domain_box &domain) {
  if (w.times == 0) return false;
  if (!divisible_axis(split, w.axis, {s.centre(i, w.axis), s.half(i, w.axis)}, domain, point_slack)) return false;
  put_in_front(s.state(i), s.ndim(), w.axis);
  return true;
}

}  // namespace tessera
