// Student's t distribution.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "hd.hpp"

namespace tessera {

// P(|T| <= t) with `freedom` degrees of freedom: finite sums (Abramowitz and Stegun, 26.7.3 and 26.7.4).
inline double student_probability(double t, int freedom) {
  const double angle = std::atan(t / std::sqrt(static_cast<double>(freedom)));
  const double c = std::cos(angle), c2 = c * c;
  const bool odd = freedom % 2 == 1;
  double term = odd ? c : 1.0, sum = 0.0;
  for (int k = odd ? 1 : 0; k < freedom - 1; k += 2) {
    sum += term;
    term *= c2 * (k + 1) / (k + 2);
  }
  return odd ? 2.0 / 3.14159265358979323846 * (angle + std::sin(angle) * sum) : std::sin(angle) * sum;
}

// The t that |T| exceeds with probability 1 - confidence.
inline double student_factor(double confidence, int freedom) {
  double low = 0.0, high = 1.0;
  while (student_probability(high, freedom) < confidence) high *= 2.0;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (student_probability(middle, freedom) < confidence ? low : high) = middle;
  }
  return high;
}

}  // namespace tessera
