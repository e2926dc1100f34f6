// From the coordinate in which intervals are divided to the user's. Ends that may be singular, infinity among them, are at 0 there, where numbers
// are as fine as can be.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../core/hd.hpp"

namespace tessera {

enum class range_kind : int {
  plain,   // x = u
  folded,  // x = lower + u for u > 0, upper + u for u < 0
  up,      // from `lower`: x = lower + u for u in (0, 1], lower - 1/u for u in [-1, 0)
  down,    // to `upper`: the mirror image
  whole    // x = centre + (1 - u) / u for u in (0, 1], centre - (1 + u) / |u| for u in [-1, 0)
};

struct mapped_point {
  double x, jacobian;
  double away;  // the nearer limit minus x; of plain and whole ranges from the rounded x
};

struct range_map {
  range_kind kind = range_kind::plain;
  double lower = 0.0, upper = 1.0;  // of the range, ascending, infinite
  double first = 0.0, last = 1.0;   // numbers next to the limits: what rounds to a limit is moved there
  double centre = 0.0;

  TESSERA_HD bool is_infinite() const { return kind != range_kind::plain && kind != range_kind::folded; }
  TESSERA_HD double inside(double x) const { return x < first ? first : (x > last ? last : x); }

  TESSERA_HD mapped_point at(double u) const {
    switch (kind) {
      case range_kind::plain: {
        const double x = inside(u);
        return {x, 1.0, x - lower < upper - x ? lower - x : upper - x};
      }
      case range_kind::folded:
        return {inside((u > 0.0 ? lower : upper) + u), 1.0, -u};
      case range_kind::up:
      case range_kind::down: {
        const double d = u > 0.0 ? u : -1.0 / u;
        const bool up = kind == range_kind::up;
        return {inside(up ? lower + d : upper - d), u > 0.0 ? 1.0 : d * d, up ? -d : d};
      }
      case range_kind::whole:
        break;
    }
    const double t = fabs(u), d = (1.0 - t) / t;
    return {inside(u > 0.0 ? centre + d : centre - d), 1.0 / (t * t), infinity_value()};
  }
  // Of a break point within the range.
  TESSERA_HD double coordinate(double x) const {
    const double middle = 0.5 * lower + 0.5 * upper, d = kind == range_kind::up ? x - lower : upper - x;
    switch (kind) {
      case range_kind::plain:
        return x;
      case range_kind::folded:
        return x <= middle ? x - lower : x - upper;
      case range_kind::up:
      case range_kind::down:
        return d <= 1.0 ? d : -1.0 / d;
      case range_kind::whole:
        break;
    }
    return x >= centre ? 1.0 / (1.0 + (x - centre)) : -1.0 / (1.0 + (centre - x));
  }
  // The distance from the upper limit.
  TESSERA_HD double complement(const mapped_point &p) const {
    if (kind == range_kind::down || (kind == range_kind::folded && p.away >= 0.0)) return p.away;
    return upper - p.x;
  }
};

}  // namespace tessera
