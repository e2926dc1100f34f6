// What the quadrature in one variable asks of a type of real numbers, and the functions it calls.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../core/hd.hpp"

#if !defined(__CUDACC_RTC__)
namespace tessera {
using std::cos;
using std::exp;
using std::log;
using std::pow;
using std::sin;
}  // namespace tessera
#endif

namespace tessera {

// Spacing of the numbers above 1, the least normal number, the greatest.
template <class Real>
struct real_limits;
template <>
struct real_limits<double> {
  static constexpr double spacing = 0x1p-52, least = 0x1p-1022, greatest = 0x1.fffffffffffffp+1023;
};
template <>
struct real_limits<float> {
  static constexpr float spacing = 0x1p-23f, least = 0x1p-126f, greatest = 0x1.fffffep+127f;
};

template <class Real>
TESSERA_HD Real larger_of(Real a, Real b) {
  return a < b ? b : a;
}
template <class Real>
TESSERA_HD Real smaller_of(Real a, Real b) {
  return b < a ? b : a;
}
template <class Real>
TESSERA_HD bool is_finite(Real v) {
  return fabs(v) <= real_limits<Real>::greatest;
}

template <class Real>
struct interval {
  Real lower, upper;
};

// What a rule says of one interval: the integral, its error, the integral of the modulus, and that of the distance from the mean.
template <class Real>
struct interval_estimate {
  Real value, error, size, spread;
  // Of a careful rule: the values do not look as those of a smooth function do; else values and derivatives at both ends by
  // extrapolation, the length between an end and the next point, and the size of
  // the highest coefficients in orthogonal polynomials.
  bool rough = false;
  Real lower_end = 0, upper_end = 0, lower_slope = 0, upper_slope = 0, gap = 0, tail = 0;
  Real lower_doubt = 0, upper_doubt = 0;  // what there may be in the gap at an end (end_probes.hpp)
};

template <class Real>
struct tolerances {
  Real absolute, relative;

  TESSERA_HD Real bound(Real value) const { return larger_of(absolute, relative * fabs(value)); }
  // Whether it can be asked for at all. NaN cannot.
  TESSERA_HD bool possible() const {
    return absolute == absolute && (absolute > Real(0) ? relative == relative : possible_relative());
  }
  TESSERA_HD bool possible_relative() const {
    return relative >= larger_of(Real(50) * real_limits<Real>::spacing, Real(0.5e-28));
  }
};

}  // namespace tessera
