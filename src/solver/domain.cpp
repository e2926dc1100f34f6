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
  }
  return {};
}

static int kind_between(double lower, double upper) {
  if (std::isinf(lower)) return std::isinf(upper) ? axis_both : axis_down;
  return std::isinf(upper) ? axis_up : axis_finite;
}

limited_axis axis_between(double a, double b) {
  const double lo = std::min(a, b), hi = std::max(a, b);
  const int kind = kind_between(lo, hi);
  if (kind != axis_finite) return {{kind, std::isinf(hi) ? lo : hi}, 0.0, 1.0, 0.0, 1.0};
  // The neighbours of 0 would be subnormal.
  const double first = lo == 0.0 ? std::min(DBL_MIN, hi) : std::nextafter(lo, hi);
  const double last = hi == 0.0 ? std::max(-DBL_MIN, lo) : std::nextafter(hi, lo);
  return {{axis_finite, 0.0}, lo, hi - lo, first, last};
}

void require_normal_volume(double volume) {
  if (!std::isnormal(volume))
    throw failure(TESSERA_ERR_UNSUPPORTED, "the volume of the domain is beyond the range of double precision");
}

void set_box(cubature_problem &p, int ndim, const double *lower, const double *upper) {
  const auto n = static_cast<std::size_t>(ndim);
  p.axes.resize(n);
  p.lower.resize(n);
  p.upper.resize(n);
  for (std::size_t j = 0; j < n; ++j) {
    const double lo = std::min(lower[j], upper[j]), hi = std::max(lower[j], upper[j]);
    const int kind = kind_between(lo, hi);
    p.axes[j] = {kind, std::isinf(hi) ? lo : hi};
    p.lower[j] = kind == axis_finite ? lo : (kind == axis_both ? -1.0 : 0.0);
    p.upper[j] = kind == axis_finite ? hi : 1.0;
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
