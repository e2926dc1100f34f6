// Division of a region into equal pieces, by the policies of TESSERA_SPLITTING, or in two at a break point.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "break_points.hpp"
#include "ranked_axes.hpp"

namespace tessera {

// One over the number of pieces, which is a power of two: exact, and sooner there than a quotient.
TESSERA_HD double share_of_piece(int pieces) {
  return pieces == 2 ? 0.5 : (pieces == 4 ? 0.25 : (pieces == 8 ? 0.125 : 0.0625));
}

struct splitting {
  int pieces;          // 2, 4, 8 or 16
  int axes;            // how many ranked axes are halved (pieces = 2^axes), or 1 with `slabs`
  bool slabs;          // cut one axis into all the pieces
  bool widest;         // the widest axis in place of the ranked one
  double margin;       // distance of the outermost points from the face, in half-widths
  double left_behind;  // share of a region's error that stays with pieces in which nothing of it is seen
  // Rough regions are cut into slabs along their first axis, which follows a feature without losing it.
  bool by_roughness;
  const break_table *breaks = nullptr;  // where halves are unequal

  // For a region with this word.
  TESSERA_HD splitting of(uint32 word) const {
    return by_roughness && (word & region_rough) != 0u ? splitting{pieces, 1, true, false, margin, left_behind, false}
                                                       : *this;
  }
};

// Measured: a greater share finds more of what is hidden and costs more regions, the more the more variables there are.
TESSERA_HD double share_left_behind(int ndim) { return ndim <= 4 ? 0.03 : 0.015; }

// policy: a value of enum tessera_splitting. Fewer axes than dimensions there are.
TESSERA_HD splitting make_splitting(int policy, int ndim, double margin) {
  const double left = share_left_behind(ndim);
  switch (policy) {
    case 1:
      return {4, 1, true, true, margin, left, false};
    case 2:
      return {4, 1, true, false, margin, left, false};
    case 3:
      break;
    case 4:
      break;
    case 5:
      break;
    default:
      return {2, 1, false, false, margin, left, false};
  }
  const int axes = policy - 1 < ndim ? policy - 1 : ndim;
  return {1 << axes, axes, false, false, margin, left, false};
}

// What has been overlooked is much too wide along one axis: slabs come to its width in half the steps, for the same evaluations.
TESSERA_HD splitting make_exploring(const splitting &s) {
  return s.pieces > 2 ? s : splitting{4, 1, true, false, s.margin, s.left_behind, false};
}

TESSERA_HD int widest_axis(const region_view &s, int64 i) {
  int best = 0;
  TESSERA_ROLLED
  for (int j = 1; j < s.ndim(); ++j)
    if (s.half(i, j) > s.half(i, best)) best = j;
  return best;
}

struct interval {
  double centre, half;
};

// Axis j of piece `piece` of a region with these ranked axes, from the region's own interval on that axis.
TESSERA_HD interval piece_axis(const splitting &split, uint32 word, int j, interval i, int piece) {
  const splitting p = split.of(word);
  if (p.slabs) {
    if (ranked_axis(word, 0) != j) return i;
    i.half *= share_of_piece(p.pieces);
    i.centre += (2 * piece + 1 - p.pieces) * i.half;
    return i;
  }
  if (p.breaks && ranked_axis(word, 0) == j) {
    const double cut = cut_of(p.breaks, j, i.centre, i.half);
    if (cut != i.centre) {
      const double end = piece == 0 ? i.centre - i.half : i.centre + i.half;
      return {0.5 * (cut + end), 0.5 * fabs(cut - end)};
    }
  }
  TESSERA_ROLLED
  for (int q = 0; q < p.axes; ++q)
    if (ranked_axis(word, q) == j) {
      i.half *= 0.5;
      i.centre += ((piece >> q) & 1) != 0 ? i.half : -i.half;
    }
  return i;
}

// Writes the box of piece `piece` of region `parent` of `from` to region `child` of `to`.
TESSERA_HD void make_piece(const splitting &p, const region_view &from, int64 parent, int piece, const region_view &to,
                           int64 child) {
  const uint32 word = from.state(parent).word;
  for (int j = 0; j < from.ndim(); ++j) {
    const interval i = piece_axis(p, word, j, {from.centre(parent, j), from.half(parent, j)}, piece);
    to.centre(child, j) = i.centre;
    to.half(child, j) = i.half;
  }
}

// One axis of all pieces of region i, one of which takes its place, by lanes together (lone_lane.hpp): piece q goes to region piece(q).
template <class Lanes, class Piece>
TESSERA_HD void divide_axis(Lanes &lanes, const region_view &s, const splitting &split, int64 i, int j, Piece piece) {
  const interval whole = {s.centre(i, j), s.half(i, j)};
  const uint32 word = s.state(i).word;
  lanes.meet();  // all have read
  TESSERA_ROLLED
  for (int q = lanes.lane(); q < split.pieces; q += lanes.lanes()) {
    const interval part = piece_axis(split, word, j, whole, q);
    const int64 to = piece(q);
    s.centre(to, j) = part.centre;
    s.half(to, j) = part.half;
  }
}

// What rounding moves a point by, relative to the numbers it comes from: of a piece of a region, and of one at the end of the levels
// of the first regions.
constexpr double point_slack = 2e-15, first_point_slack = 1e-14;

// The outermost points of an interval, however they are rounded, lie within the limits and not on them.
TESSERA_HD bool points_inside(interval i, double margin, double lower, double upper, double slack) {
  const double reach = (1.0 - margin) * i.half + slack * (fabs(i.centre) + i.half);
  return i.centre - reach > lower && i.centre + reach < upper;
}

// Are the pieces' points still different from their faces in double precision when axis j is divided, and inside the domain?
TESSERA_HD bool divisible_axis(const splitting &p, int j, interval i, const domain_box &domain, double slack) {
  const double half = i.half * share_of_piece(p.pieces), step = half * (0.5 * p.margin), end = i.half - half;
  return i.centre + step != i.centre && i.centre - step != i.centre && step != 0.0 && half > domain.grain[j] &&
         points_inside({i.centre - end, half}, p.margin, domain.lower[j], domain.upper[j], slack) &&
         points_inside({i.centre + end, half}, p.margin, domain.lower[j], domain.upper[j], slack);
}
TESSERA_HD bool divisible(const splitting &p, const region_view &s, int64 i, const domain_box &domain) {
  const uint32 word = s.state(i).word;
  TESSERA_ROLLED
  for (int q = 0; q < p.of(word).axes; ++q) {
    const int j = ranked_axis(word, q);
    if (!divisible_axis(p, j, {s.centre(i, j), s.half(i, j)}, domain, point_slack)) return false;
  }
  return true;
}

}  // namespace tessera
