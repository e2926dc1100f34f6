// The limits of a domain: what can be wrong with them, and the sign that they give the value.
// SPDX-License-Identifier: BSD-3-Clause
#include "domain.hpp"

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

std::string trouble_with_volume(double volume) {
  return std::isnormal(volume) ? "" : "the volume of the domain is beyond the range of double precision";
}

void require_normal_volume(double volume) {
  const std::string trouble = trouble_with_volume(volume);
  if (!trouble.empty()) throw failure(TESSERA_ERR_UNSUPPORTED, trouble);
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
