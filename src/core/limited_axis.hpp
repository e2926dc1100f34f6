// An axis between two limits that are known only where a point is: the image of (0, 1), the same for host and device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transform.hpp"

namespace tessera {

// Why nobody can integrate between two limits.
enum limits_trouble : int { limits_good = 0, limits_apart = 1, limits_cross = 2 };  // apart: not a finite distance

// The number next to a limit on the way to the other; of 0 the least one that is not subnormal, if that is between them.
TESSERA_HD double inside(double limit, double other) {
  constexpr double least = 2.2250738585072014e-308;
  return limit == 0.0 && fabs(other) > least ? copysign(least, other) : nextafter(limit, other);
}

// Where an axis lies: from `lower` on; first and last: numbers within its limits. Without length where no number lies between them.
struct axis_extent {
  double lower = 0.0, length = 1.0, first = 0.0, last = 1.0;

  TESSERA_HD double at(double t) const { return between(rounded_sum(lower, rounded_product(length, t)), first, last); }
};
TESSERA_HD limits_trouble find_extent(double lower, double upper, axis_extent &to) {
  const double length = upper - lower;
  if (!(fabs(length) <= 1.7976931348623157e308)) return limits_apart;
  if (length < 0.0) return limits_cross;
  to = {lower, length, inside(lower, upper), inside(upper, lower)};
  if (!(to.first <= to.last && lower < upper)) to = {lower, 0.0, lower, upper};
  return limits_good;
}

// t in (0, 1) becomes the coordinate, unless there is trouble; multiplies `volume` by the length.
TESSERA_HD limits_trouble limited_coordinate(double lower, double upper, double &t, double &volume) {
  axis_extent e;
  const limits_trouble trouble = find_extent(lower, upper, e);
  if (trouble != limits_good) return trouble;
  if (e.length > 0.0) t = e.at(t);
  volume *= e.length;
  return limits_good;
}

}  // namespace tessera
