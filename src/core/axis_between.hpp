// From two limits of the user's, which may be reversed and infinite, to the axis between them. For the host.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>

#include "limited_axis.hpp"

namespace tessera {

inline int kind_between(double lower, double upper) {
  if (std::isinf(lower)) return std::isinf(upper) ? axis_both : axis_down;
  return std::isinf(upper) ? axis_up : axis_finite;
}

inline axis_map map_between(double lo, double hi, int kind) {
  const double anchor = kind == axis_down ? hi : (kind == axis_up || kind == axis_narrow ? lo : 0.0);
  return {kind, anchor, inside(lo, hi), inside(hi, lo)};
}

// The way from (0, 1) to the interval between two limits.
struct limited_axis {
  axis_map map;
  double lower, length;  // of a finite one, otherwise 0 and 1
};
inline limited_axis axis_between(double a, double b) {
  const double lo = std::min(a, b), hi = std::max(a, b);
  const int kind = kind_between(lo, hi);
  const axis_map map = map_between(lo, hi, kind);
  return kind == axis_finite ? limited_axis{map, lo, hi - lo} : limited_axis{map, 0.0, 1.0};
}

// take(axis) for all axes of a domain. Returns the volume of the finite ones.
template <class Take>
double each_axis_between(int ndim, const double *lower, const double *upper, const Take &take) {
  double volume = 1.0;
  for (int j = 0; j < ndim; ++j) {
    const limited_axis a = axis_between(lower[j], upper[j]);
    take(a);
    volume *= a.length;
  }
  return volume;
}

}  // namespace tessera
