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

// t in (0, 1) becomes the coordinate, unless there is trouble; multiplies `volume` by the length, by 0 where no number lies between the limits.
TESSERA_HD limits_trouble limited_coordinate(double lower, double upper, double &t, double &volume) {
  const double length = upper - lower;
  if (!(fabs(length) <= 1.7976931348623157e308)) return limits_apart;
  if (length < 0.0) return limits_cross;
  const double first = inside(lower, upper), last = inside(upper, lower);
  if (!(first <= last && lower < upper)) {
    volume = 0.0;
    return limits_good;
  }
  t = between(rounded_sum(lower, rounded_product(length, t)), first, last);
  volume *= length;
  return limits_good;
}

}  // namespace tessera
