// How far what is on one side of a jump goes along the axes: from a place to where the integrand is nearer to what it is on the other side. What ends at once in all ways, or at the ends of the range, is a box; where an
// integrand changes as what is smooth does, a box does not end, for that is what rules have. For a look at one integral (jumps.hpp) and a check of many (mode_check.hpp).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "place_rows.hpp"
#include "user_range.hpp"

namespace tessera {

// From a place outwards, down (way 0) or up (1) an axis: to `least` it is as at the place, at `most` it is not, or the range ends.
struct jump_reach {
  double least, most, at_least, at_most;
};
constexpr int halvings_of_reach = 9, parts_between_places = 8, rounds_of_reach = 5;

// Point h of a reach, outwards.
TESSERA_HD double away_on_reach(double length, int h) {
  return length / static_cast<double>(1 << (halvings_of_reach - h));
}
TESSERA_HD double way_of_reach(int way) { return way == 0 ? -1.0 : 1.0; }
TESSERA_HD double room_of_reach(const user_range &range, int j, double at, int way) {
  const double from_lower = at - range.at_part(j, 0.0);
  return way == 0 ? from_lower : range.length_of_box(j) - from_lower;
}
TESSERA_HD bool is_on_side(double v, double own, double other) { return fabs(v - own) < fabs(v - other); }

// value(h): at its points that the range has room for.
template <class Value>
TESSERA_HD jump_reach find_reach(const Value &value, double own, double other, double length, double room) {
  jump_reach to = {0.0, room, own, own};
  TESSERA_ROLLED
  for (int h = 0; h < halvings_of_reach; ++h) {
    const double away = away_on_reach(length, h);
    if (!(away < room)) break;
    const double v = value(h);
    if (!is_on_side(v, own, other)) return {to.least, away, to.at_least, v};
    to.least = away;
    to.at_least = v;
  }
  return {room, room, to.at_least, to.at_least};
}
TESSERA_HD double middle_of_reach(const jump_reach &to) { return 0.5 * (to.least + to.most); }
// v: in the middle.
TESSERA_HD void come_closer(jump_reach &to, double v, double own, double other) {
  const double middle = middle_of_reach(to);
  if (is_on_side(v, own, other)) {
    to.least = middle;
    to.at_least = v;
  } else {
    to.most = middle;
    to.at_most = v;
  }
}
TESSERA_HD double end_of_reach(const jump_reach &to, double own, double other, double room) {
  return fabs(to.at_most - to.at_least) < 0.5 * fabs(other - own) ? room : to.most;
}

// value(i): at points that part the way from one place to the other evenly. Does it change at once there?
template <class Value>
TESSERA_HD bool is_at_once(const Value &value, double one, double other) {
  constexpr double most_of_it = 0.75;
  double most = 0.0, last = one;
  TESSERA_ROLLED
  for (int i = 1; i <= parts_between_places; ++i) {
    const double next = i < parts_between_places ? value(i) : other;
    most = larger(most, fabs(next - last));
    last = next;
  }
  return most > most_of_it * fabs(other - one);
}

// How rough a row is to be, in units of what is tolerated, were it so everywhere.
constexpr double least_rough = 4.0;
// What is wider than that, in parts of each axis, or of the range, rules see by themselves; of the rest no region may be wider than it: a landmark is a quarter of that wide, for regions may be so many times as wide.
constexpr double axis_seen_by_rules = 0.25, share_seen_by_rules = 0.1, width_of_landmark = 0.25;
// Landmarks go so far from its centre, in its widths: what lies beside it, cut at the jump, is not touched.
constexpr double next_to_end = 0.475;

// ends[side][axis][way]: of the boxes on both sides. Which takes less of the range, of those that rules need not see; -1: none.
TESSERA_HD int inner_side(const user_range &range, int ndim, const double *ends) {
  double least = share_seen_by_rules;
  int inner = -1;
  TESSERA_ROLLED
  for (int side = 0; side < 2; ++side) {
    double share = 1.0, narrowest = 1.0;
    TESSERA_ROLLED
    for (int j = 0; j < ndim; ++j, ends += 2) {
      const double part = (ends[0] + ends[1]) / range.length_of_box(j);
      share *= part;
      narrowest = smaller(narrowest, part);
    }
    if (share < least && narrowest < axis_seen_by_rules) least = share, inner = side;
  }
  return inner;
}

}  // namespace tessera
