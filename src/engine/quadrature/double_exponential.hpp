// Double-exponential rules: tanh-sinh on a finite range, exp-sinh on a half-infinite, sinh-sinh on an infinite one (H. Takahasi and M. Mori, Double
// exponential formulas for numerical integration, Publ. RIMS 9, 1974). The trapezoidal rule in t with steps 2^-level; each point comes with
// its distance from the end.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "range_map.hpp"
#include "real.hpp"

#if !defined(__CUDACC_RTC__)
namespace tessera {
using std::cosh;
using std::exp;
using std::sinh;
}  // namespace tessera
#endif

namespace tessera {

// A piece of the range, between neighbouring break points or limits.
struct exponential_piece {
  double lower, upper;        // infinite where the range is
  bool lower_end, upper_end;  // it is a limit of the range: the distance from it is handed on
};

struct exponential_point {
  double x, weight;  // dx/dt
  double away;       // as in mapped_point, of this piece: its nearer end minus x
};

struct double_exponential {
  // Where the last weight of an integrand that is 1 / distance^0.99 has become nothing; of infinite ends x overflows beyond.
  static constexpr double finite_reach = 6.0, infinite_reach = 6.5, both_reach = 6.5;
  // Points that are mirror images of each other would not see what is odd about the middle.
  static constexpr double shift = 0.1180339887498949;
  static constexpr int first_level = 1, last_level = 8;

  // Points have t = -reach ... reach, and the shift.
  TESSERA_HD static double reach(const exponential_piece &p) {
    const bool low = is_finite(p.lower), high = is_finite(p.upper);
    return low && high ? finite_reach : (low || high ? infinite_reach : both_reach);
  }
  // Points that a level adds; the first one has those of all steps.
  TESSERA_HD static int points(const exponential_piece &p, int level) {
    const int half = static_cast<int>(reach(p) * static_cast<double>(1 << level));
    if (level == first_level) return 2 * half + 1;
    return 2 * ((half + 1) / 2);
  }
  TESSERA_HD static double parameter(const exponential_piece &p, int level, int i) {
    const int half = static_cast<int>(reach(p) * static_cast<double>(1 << level));
    const int step = level == first_level ? i - half : 2 * i + 1 - 2 * ((half + 1) / 2);
    return static_cast<double>(step) / static_cast<double>(1 << level) + shift;
  }

  TESSERA_HD static exponential_point at(const exponential_piece &p, double t) {
    constexpr double half_pi = 1.5707963267948966;
    const double s = half_pi * sinh(t), ds = half_pi * cosh(t);
    const bool low = is_finite(p.lower), high = is_finite(p.upper);
    if (low && high) {
      // (1 - tanh|s|) / 2 = 1 / (1 + e^(2|s|))
      const double e = exp(-2.0 * fabs(s)), share = e / (1.0 + e), width = p.upper - p.lower, d = width * share;
      const double weight = 2.0 * width * ds * share / (1.0 + e);
      return s < 0.0 ? exponential_point{p.lower + d, weight, -d} : exponential_point{p.upper - d, weight, d};
    }
    if (low || high) {
      const double d = exp(s);
      return low ? exponential_point{p.lower + d, ds * d, -d} : exponential_point{p.upper - d, ds * d, d};
    }
    return {sinh(s), ds * cosh(s), infinity_value()};
  }
};

}  // namespace tessera
