// Break points: coordinates of an axis at which the integrand, or its slope, jumps wherever the other coordinates are. Halving comes
// near them by a bit a division; where they are known, regions are cut there, and the pieces are smooth.
//
// They are looked for along lines through regions that are rough, across the axis along which they would be divided, through faces behind
// which something is suspected (two_level_correction.hpp), and, where those found nothing and before success is claimed, along long lines, from
// one known break point of an axis to the next or to the ends of the domain. Each line stands elsewhere: what two of them find at the same
// coordinate is a plane, for a slope or a curve crosses them at different ones.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../core/break_search.hpp"
#include "../../core/estimate.hpp"
#include "region_store.hpp"

namespace tessera {

constexpr int most_breaks = 64, most_lines = 32, least_lines = 4;
constexpr int64 spent_on_a_line = 2048;                                            // evaluations before, at least
constexpr int64 most_of_line = break_search::samples * break_search::most_rounds;  // points
constexpr int64 spent_on_a_long_line = 1024;                                       // most of these are left soon
constexpr int long_lines_on_axis = 3;  // of what has two ends two of them find the same
constexpr int most_barren = 3;         // searches

// What a line has found. Where the integrand is not finite round `at` it is a hole, and the line went along axis first_hole - axis.
constexpr int no_break = -1, first_hole = -2;
struct found_break {
  double at, width;
  int axis;    // no_break: nothing; first_hole or less: a hole
  int points;  // that were looked at
  int zeros;   // on which sides the integrand is 0, of break_search
};

// When the next search is made.
struct break_schedule {
  int found;        // break points
  short barren;     // searches that found nothing new
  short owes_long;  // 1: something has been seen since long lines looked for break points, if they have
  int64 next;       // evaluations before the next one
};
constexpr break_schedule no_search_yet = {0, 0, 0, least_lines *spent_on_a_line};
// Of a run that goes on behind so many evaluations, when the searches of before have probably been made in vain.
TESSERA_HD break_schedule go_on_behind(int64 evaluations) {
  break_schedule s = no_search_yet;
  TESSERA_ROLLED
  for (; s.next <= evaluations; s.next *= 4)
    if (s.barren < most_barren - 1) ++s.barren;
  return s;
}
// Behind a search, which has looked at so many points: there are so many now. Returns whether some are new. Then the next one comes as soon as they are
// an eighth of what has been spent since.
TESSERA_HD bool plan_next(break_schedule &s, int found, int64 evaluations, int64 searched, bool has_long) {
  const bool fresh = found > s.found;
  s.barren = static_cast<short>(fresh ? 0 : s.barren + 1);
  if (fresh || has_long || searched > 0) s.owes_long = fresh || !has_long ? 1 : 0;
  s.found = found;
  if (fresh) s.next = evaluations + 8 * searched;
  TESSERA_ROLLED
  while (s.next <= evaluations) s.next *= found > 0 ? 2 : 4;
  return fresh;
}

// Before success is claimed: have there been regions to search, and no long lines since?
TESSERA_HD bool is_search_owed(const break_schedule &s) { return s.owes_long != 0; }

struct break_table {
  int count;
  int axis[most_breaks];
  int zeros[most_breaks];                      // on which sides all lines that found it saw nothing
  double at[most_breaks], least[most_breaks];  // half-width that pieces beside it have at least
  found_break lines[most_lines];               // of the last search
  int64 searched;                              // its points
};

// Where line m runs, on axis j of its region, in half-widths from the centre.
TESSERA_HD double line_offset(int m, int j) {
  const double turns = rounded_product(static_cast<double>((m + 1) * (2 * j + 3)), 0.6180339887498949);
  return rounded_sum(rounded_product(turns - static_cast<double>(static_cast<int64>(turns)), 1.2), -0.6);
}

// Each has another beside it.
TESSERA_HD double line_coordinate(double centre, double half, int m, int side, int j) {
  double offset = line_offset(m, j);
  if (side != 0) offset = rounded_sum(offset, rounded_product(0.2, line_offset(m + most_lines, j)));
  return rounded_sum(centre, rounded_product(offset, half));
}
TESSERA_HD double line_coordinate(const region_view &s, int64 i, int m, int side, int j) {
  return line_coordinate(s.centre(i, j), s.half(i, j), m, side, j);
}
// Lines of a search: those through single regions come first, the others are long.
struct search_lines {
  int all, long_ones;
  bool at_end;  // of the run, perhaps
  // Number of line m among the long ones, or negative.
  TESSERA_HD int among_long(int m) const { return m - (all - long_ones); }
};
// Both are in n regions, of a list or the first, evenly.
TESSERA_HD int64 region_of_line(const int64 *ids, int64 n, int m, const search_lines &lines) {
  const int place = lines.among_long(m);
  const int64 i = place < 0 ? m * n / (lines.all - lines.long_ones) : place * n / lines.long_ones;
  return ids ? ids[i] : i;
}
// As many as cost little beside what has been spent. None: no search now. Long ones are where the first search was in vain, and before success is claimed: where
// the integrand is not 0 in a corner alone most of them do not meet it.
TESSERA_HD search_lines lines_to_search(const break_schedule &s, int ndim, int64 evaluations, int64 regions,
                                        bool at_end = false) {
  if (s.found >= most_breaks || (!at_end && (evaluations < s.next || s.barren >= most_barren))) return {0, 0, at_end};
  const bool has_long = at_end || (s.found == 0 && s.barren == 1);
  int64 on_axes = has_long ? evaluations / spent_on_a_long_line : 0, n = evaluations / spent_on_a_line;
  if (on_axes > long_lines_on_axis * ndim) on_axes = long_lines_on_axis * ndim;
  if (on_axes > most_lines / 2) on_axes = most_lines / 2;
  if (n > most_lines - on_axes) n = most_lines - on_axes;
  if (n > regions) n = regions;
  if (n < least_lines) return {0, 0, at_end};
  return {static_cast<int>(n + on_axes), static_cast<int>(on_axes), at_end};
}

// Coordinates of an axis that are the same but for rounding.
TESSERA_HD bool same_place(double a, double b, double slack, double length) {
  return fabs(a - b) <= larger(slack, 1e-13 * length);
}

// Pieces must not be so narrow that their points are not their own.
constexpr double narrowest_piece = 1e-9;           // of their region
constexpr double narrowest_beside_centre = 4e-11;  // of their coordinates

// Behind a search of n lines: what at least two have found is a break point.
TESSERA_HD TESSERA_APART void keep_breaks(break_table &t, int n, const domain_box &domain) {
  for (int i = 0; i < n && t.count < most_breaks; ++i) {
    found_break best = t.lines[i];
    if (best.axis < 0) continue;
    const double length = domain.upper[best.axis] - domain.lower[best.axis];
    bool confirmed = false, known = false;
    int zeros = best.zeros;
    for (int l = 0; l < n; ++l) {
      const found_break &other = t.lines[l];
      if (l == i || other.axis != best.axis) continue;
      if (!same_place(best.at, other.at, 4.0 * larger(best.width, other.width), length)) continue;
      confirmed = true;
      zeros &= other.zeros;
      if (other.width < best.width) best = other;
    }
    for (int b = 0; b < t.count; ++b)
      known = known || (t.axis[b] == best.axis && same_place(t.at[b], best.at, 16.0 * best.width, length));
    if (!confirmed || known) continue;
    t.axis[t.count] = best.axis;
    t.zeros[t.count] = zeros;
    t.at[t.count] = best.at;
    t.least[t.count++] = larger(domain.grain[best.axis], narrowest_beside_centre * (fabs(best.at) + length));
  }
}

// Behind a search of n lines by one team, where `before` were known: looks at them, and what is there to be kept.
template <class Team>
TESSERA_HD void end_search(Team &team, break_table &t, int n, const domain_box &domain, int before) {
  int64 points = 0, found = 0;
  TESSERA_ROLLED
  for (int i = team.lane(); i < n; i += team.lanes()) {
    points += t.lines[i].points;
    found += t.lines[i].axis >= 0 ? 1 : 0;
  }
  points = team.total(points);
  found = team.total(found);
  if (team.lane() != 0) return;
  t.searched = points;
  t.count = before;
  if (found > 1) keep_breaks(t, n, domain);
}

// Where an interval of an axis is cut in two: at the break point that is nearest to its centre, or there. t: not null.
TESSERA_HD double cut_of(const break_table *t, int axis, double centre, double half) {
  double best = centre, nearest = half * (1.0 - narrowest_piece);
  TESSERA_ROLLED
  for (int b = 0; b < t->count; ++b) {
    if (t->axis[b] != axis) continue;
    const double away = fabs(t->at[b] - centre);
    if (away < nearest && 0.5 * (half - away) > t->least[b]) {
      nearest = away;
      best = t->at[b];
    }
  }
  return best;
}

// Is there a break point within so much of a place on an axis? known: null as long as there is none.
TESSERA_HD bool is_near_break(const break_table *known, int axis, double place, double within) {
  bool is = false;
  TESSERA_ROLLED
  for (int b = 0; known && b < known->count; ++b)
    is = is || (known->axis[b] == axis && fabs(known->at[b] - place) < within * (1.0 - narrowest_piece));
  return is;
}

// The line in region i: across the axis along which that is to be divided, if it is rough and would be halved, from face to face; where there is none,
// through the suspected face, if it has one.
struct searched_interval {
  int axis;  // -1: there is no line
  double lower, upper;
};
TESSERA_HD searched_interval interval_of_line(const break_table *known, const region_view &s, int64 i,
                                              const domain_box &domain) {
  const region_state state = s.state(i);
  const int axis = ranked_axis(state.word, 0);
  if ((state.word & region_rough) != 0u && !is_near_break(known, axis, s.centre(i, axis), s.half(i, axis)))
    return {axis, s.centre(i, axis) - s.half(i, axis), s.centre(i, axis) + s.half(i, axis)};
  if (!(state.suspicion > 0.0f)) return {-1, 0.0, 0.0};
  const int behind = ranked_axis(state.word, static_cast<int>((state.word & region_face_place) >> 24));
  const double half = s.half(i, behind),
               face = s.centre(i, behind) + ((state.word & region_face_high) != 0u ? half : -half),
               lower = larger(face - half, domain.lower[behind]), upper = smaller(face + half, domain.upper[behind]);
  const bool is_inside = lower < face && face < upper;
  return {is_inside && !is_near_break(known, behind, face, half) ? behind : -1, lower, upper};
}

// A long line through region i: across an axis, from the break point before it to the one behind it, or from end to end of the domain. It sees what lies
// between the points of two regions and their face. Where there is no break point yet only regions are asked that have something to look for, but at the end.
TESSERA_HD searched_interval interval_of_long_line(const break_table *known, const region_view &s, int64 i, int axis,
                                                   bool at_end, const domain_box &domain) {
  const region_state state = s.state(i);
  if (!known && !at_end && (state.word & region_rough) == 0u && !(state.suspicion > 0.0f)) return {-1, 0.0, 0.0};
  const double centre = s.centre(i, axis);
  searched_interval on = {axis, domain.lower[axis], domain.upper[axis]};
  TESSERA_ROLLED
  for (int b = 0; known && b < known->count; ++b) {
    if (known->axis[b] != axis) continue;
    if (known->at[b] <= centre)
      on.lower = larger(on.lower, known->at[b]);
    else
      on.upper = smaller(on.upper, known->at[b]);
  }
  return on;
}

// Line m of a search, in region i.
TESSERA_HD searched_interval interval_of(const break_table *known, const region_view &s, int64 i, int m,
                                         const search_lines &lines, const domain_box &domain) {
  const int place = lines.among_long(m);
  return place < 0 ? interval_of_line(known, s, i, domain)
                   : interval_of_long_line(known, s, i, place % s.ndim(), lines.at_end, domain);
}

// What a line sees of a point: the weighted sum of its components, of which all are finite or not. Where finite ones overflow, because next to nothing has been found
// by which they are weighted, that is no hole.
TESSERA_HD double seen_on_line(double sum, bool all_finite) {
  constexpr double greatest = 1.7976931348623157e308;
  return all_finite && !(fabs(sum) <= greatest) ? greatest : sum;
}

// A line on such an interval. round(search, axis): calls the integrand at the points of a round and shows search.next() the values; returns what that
// says, or false.
template <class Round>
TESSERA_HD found_break follow_line(const searched_interval &on, const domain_box &domain, Round round) {
  if (on.axis < 0) return {0.0, 0.0, no_break, 0, 0};
  break_search search(on.lower, on.upper, domain.upper[on.axis] - domain.lower[on.axis]);
  while (round(search, on.axis)) continue;
  const int axis = search.is_found() ? on.axis : (search.is_hole() ? first_hole - on.axis : no_break);
  return {search.at(), search.width(), axis, search.points(), search.zeros()};
}

// The greatest share of region i in which none of the points may be: between a break point and a face behind all of them, or between two break points.
constexpr double near_a_face = 1.0 / 512;  // half-widths
constexpr double near_another = 0.5;       // the same
TESSERA_HD double hidden_share(const break_table *t, const region_view &s, int64 i) {
  double most = 0.0;
  TESSERA_ROLLED
  for (int b = 0; b < t->count; ++b) {
    const int j = t->axis[b];
    const double half = s.half(i, j), centre = s.centre(i, j), behind = half - fabs(t->at[b] - centre);
    if (!(behind > narrowest_piece * half && 0.5 * behind > t->least[b])) continue;
    if (behind < near_a_face * half) most = larger(most, 0.5 * behind / half);
    TESSERA_ROLLED
    for (int c = 0; c < b; ++c) {
      const double between = fabs(t->at[c] - t->at[b]);
      if (t->axis[c] == j && between < near_another * half && half - fabs(t->at[c] - centre) > narrowest_piece * half)
        most = larger(most, 0.5 * between / half);
    }
  }
  return most;
}

// Is one of these two places on an axis a break point, but for rounding?
TESSERA_HD bool is_break(const break_table *t, int axis, double low, double high) {
  const double slack = 1e-14 * (fabs(low) + fabs(high));
  TESSERA_ROLLED
  for (int b = 0; b < t->count; ++b)
    if (t->axis[b] == axis && (fabs(t->at[b] - low) <= slack || fabs(t->at[b] - high) <= slack)) return true;
  return false;
}

// Does region i lie where nothing was seen beyond a break point, and a box before it? Then it is none of the neighbours that may hide more of
// what the box holds.
TESSERA_HD bool beyond_break(const break_table *t, const region_view &s, int64 i, const region_view &boxes, int64 box) {
  TESSERA_ROLLED
  for (int b = 0; b < t->count; ++b) {
    const int j = t->axis[b];
    const double at = t->at[b], c = s.centre(i, j), inner = s.half(i, j) * (1.0 - narrowest_piece);
    const bool box_below = boxes.centre(box, j) < at;
    if (box_below ? (t->zeros[b] & break_search::zero_above) != 0 && c - inner > at
                  : (t->zeros[b] & break_search::zero_below) != 0 && c + inner < at)
      return true;
  }
  return false;
}

}  // namespace tessera
