// Histogram over the magnitude of non-negative numbers: the exponent and the leading bits of the mantissa are the bin.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "region_store.hpp"

namespace tessera {

constexpr int histogram_bins = 1024;
constexpr int histogram_least = -96;  // log2 of the lower edge of bin 1; bin 0 holds all that is smaller

constexpr int histogram_step_bits = 3;  // 2^3 bins per factor of two
constexpr int histogram_shift = 52 - histogram_step_bits;
constexpr int histogram_base = (1023 + histogram_least) << histogram_step_bits;

TESSERA_HD int histogram_bin(double v) {
  if (!(v > 0.0)) return 0;
  const int b = 1 + static_cast<int>(bits_of(v) >> histogram_shift) - histogram_base;
  return b < 0 ? 0 : (b >= histogram_bins ? histogram_bins - 1 : b);
}

// Upper edge of a bin; the last bin has none and gives infinity.
TESSERA_HD double histogram_upper_edge(int b) {
  if (b >= histogram_bins - 1) return infinity_value();
  return double_of(static_cast<uint64>(b + histogram_base) << histogram_shift);
}

// Largest error of a region in units of what its component tolerates.
TESSERA_HD double region_key(const region_view &s, int64 i, const double *scale) {
  double key = larger(0.0, s.error(i, 0) * scale[0]);
  TESSERA_ROLLED
  for (int k = 1; k < s.ncomp(); ++k) key = larger(key, s.error(i, k) * scale[k]);
  return key;
}

}  // namespace tessera
