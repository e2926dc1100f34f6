// The limits of a domain: what can be wrong with them, the box that is divided, and the sign that they give the value.
// SPDX-License-Identifier: BSD-3-Clause
#include "domain.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "../failure.hpp"
#include "tessera.h"

namespace tessera {

std::string trouble_with_limits(int ndim, const double *lower, const double *upper) {
  for (int j = 0; j < ndim; ++j) {
    if (std::isnan(lower[j])) return "lower[" + std::to_string(j) + "] is NaN";
    if (std::isnan(upper[j])) return "upper[" + std::to_string(j) + "] is NaN";
    if (std::isfinite(lower[j]) && std::isfinite(upper[j]) && !std::isfinite(upper[j] - lower[j]))
      return "upper[" + std::to_string(j) + "] - lower[" + std::to_string(j) + "] overflows";
    if (lower[j] != upper[j] && std::nextafter(lower[j], upper[j]) == upper[j])
      return "no number lies between lower[" + std::to_string(j) + "] and upper[" + std::to_string(j) + "]";
  }
  return {};
}

static int kind_between(double lower, double upper) {
  if (std::isinf(lower)) return std::isinf(upper) ? axis_both : axis_down;
  return std::isinf(upper) ? axis_up : axis_finite;
}

// The number next to a limit on the way to the other; of 0 the least one that is not subnormal, if that is between them.
static double inside(double limit, double other) {
  return limit == 0.0 && std::fabs(other) > DBL_MIN ? std::copysign(DBL_MIN, other) : std::nextafter(limit, other);
}
static axis_map map_between(double lo, double hi, int kind) {
  const double anchor = kind == axis_down ? hi : (kind == axis_up || kind == axis_narrow ? lo : 0.0);
  return {kind, anchor, inside(lo, hi), inside(hi, lo)};
}

limited_axis axis_between(double a, double b) {
  const double lo = std::min(a, b), hi = std::max(a, b);
  const int kind = kind_between(lo, hi);
  const axis_map map = map_between(lo, hi, kind);
  return kind == axis_finite ? limited_axis{map, lo, hi - lo} : limited_axis{map, 0.0, 1.0};
}

void require_normal_volume(double volume) {
  if (!std::isnormal(volume))
    throw failure(TESSERA_ERR_UNSUPPORTED, "the volume of the domain is beyond the range of double precision");
}

// Beside its limits, the length of an axis whose points close to the faces would be rounded to the faces.
constexpr double narrow = 1e-8;

void set_box(cubature_problem &p, int ndim, const double *lower, const double *upper) {
  const auto n = static_cast<std::size_t>(ndim);
  p.axes.resize(n);
  p.lower.resize(n);
  p.upper.resize(n);
  p.grain.resize(n);
  for (std::size_t j = 0; j < n; ++j) {
    const double lo = std::min(lower[j], upper[j]), hi = std::max(lower[j], upper[j]);
    int kind = kind_between(lo, hi);
    if (kind == axis_finite && hi - lo < narrow * std::max(std::fabs(lo), std::fabs(hi))) kind = axis_narrow;
    p.axes[j] = map_between(lo, hi, kind);
    p.lower[j] = kind == axis_finite ? lo : (kind == axis_both ? -1.0 : 0.0);
    p.upper[j] = kind == axis_finite ? hi : (kind == axis_narrow ? hi - lo : 1.0);
    p.grain[j] = grain_of(p.axes[j]);
  }
}

int orientation(int ndim, const double *lower, const double *upper) {
  int sign = 1;
  for (int j = 0; j < ndim; ++j) {
    if (lower[j] == upper[j]) return 0;
    if (lower[j] > upper[j]) sign = -sign;
  }
  return sign;
}

}  // namespace tessera
