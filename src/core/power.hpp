// Powers that are the same bits on every machine, to some 1e-8: for what decides where points lie, and how many.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hd.hpp"

namespace tessera {

// The logarithm to base 2 of a normal v > 0: that of its mantissa by the series of the inverse hyperbolic tangent.
TESSERA_HD double same_log2(double v) {
  const uint64 bits = bits_of(v), fraction = bits & ((uint64{1} << 52) - 1);
  const bool upper = fraction > uint64{0x6a09e667f3bcd};  // mantissas above the root of 2 are halved
  const double m = double_of(fraction | (upper ? uint64{1022} << 52 : uint64{1023} << 52));
  const double exponent = static_cast<double>(static_cast<int>(bits >> 52) - 1023 + (upper ? 1 : 0));
  const double s = (m - 1.0) / (m + 1.0), s2 = rounded_product(s, s);
  double sum = 2.8853900817779268147 / 9.0;  // 2 / ln 2
  TESSERA_UNROLLED for (int k = 7; k > 0; k -= 2) sum =
      rounded_sum(2.8853900817779268147 / k, rounded_product(s2, sum));
  return rounded_sum(exponent, rounded_product(s, sum));
}

// 2^t for |t| up to 1000, by Taylor's series after whole powers are taken out.
TESSERA_HD double same_exp2(double t) {
  constexpr double rounding =
      6755399441055744.0;  // 1.5 * 2^52: adding it leaves the nearest integer in the lowest bits
  const double nearest = t + rounding, r = rounded_product(t - (nearest - rounding), 0.69314718055994530942);
  const int whole = static_cast<int>(static_cast<uint32>(bits_of(nearest)));
  double sum = 1.0;
  TESSERA_UNROLLED for (int k = 8; k > 0; --k) sum =
      rounded_sum(1.0, rounded_product(r, rounded_product(1.0 / k, sum)));
  return sum * double_of(static_cast<uint64>(1023 + whole) << 52);
}

// v^p for v >= 0 and p >= 0, within 1e-300 .. 1e300; 0^0 is 1.
TESSERA_HD double same_power(double v, double p) {
  if (p == 0.0) return 1.0;
  if (v < 2.2250738585072014e-308) return 0.0;
  const double t = rounded_product(p, same_log2(v));
  return same_exp2(t < -996.0 ? -996.0 : (t > 996.0 ? 996.0 : t));
}

}  // namespace tessera
