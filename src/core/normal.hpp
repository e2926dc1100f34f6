// Factors between a standard deviation and a confidence interval.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "student.hpp"

namespace tessera {

// The z that a normal variable exceeds in magnitude with probability 1 - confidence.
inline double normal_factor(double confidence) {
  double low = 0.0, high = 40.0;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (std::erfc(middle / std::sqrt(2.0)) > 1.0 - confidence ? low : high) = middle;
  }
  return high;
}

// Student's factor from the normal one, for any number of degrees of freedom that is known only by an estimate: beyond 40 by the
// expansion of Fisher and Cornish (Abramowitz and Stegun, 26.7.5), below by that of the whole number under it.
inline double confidence_factor(double confidence, double z, double freedom) {
  if (!(freedom >= 1.0)) return infinity_value();
  if (freedom < 40.0) return student_factor(confidence, static_cast<int>(freedom));
  const double z2 = z * z, f = 1.0 / freedom;
  return z * (1.0 + f * ((z2 + 1.0) / 4.0 + f * (((5.0 * z2 + 16.0) * z2 + 3.0) / 96.0 +
                                                 f * (((3.0 * z2 + 19.0) * z2 + 17.0) * z2 - 15.0) / 384.0)));
}

// The chi-square per degree of freedom that is exceeded with probability 1/20 (Wilson and Hilferty 1931).
inline double unlikely_chi_square(double freedom) {
  const double s = 2.0 / (9.0 * freedom), c = 1.0 - s + 1.6448536269514722 * std::sqrt(s);
  return c * c * c;
}

}  // namespace tessera
