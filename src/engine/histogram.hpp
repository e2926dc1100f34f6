// Histogram over the magnitude of non-negative numbers: the exponent and the leading bits of the mantissa are the bin.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "region_store.hpp"

namespace tessera {

constexpr int histogram_bins = 1024;
constexpr int histogram_steps = 8;       // bins per factor of two
constexpr int histogram_least = -96;     // log2 of the lower edge of bin 1; bin 0 holds all that is smaller

TESSERA_HD int histogram_bin(double v) {
  if (!(v > 0.0)) return 0;
  int e;
  const double m = frexp(v, &e);  // v = m * 2^e, m in [1/2, 1)
  const int step = static_cast<int>((m - 0.5) * (2 * histogram_steps));
  const int b = 1 + (e - 1 - histogram_least) * histogram_steps + step;
  return b < 0 ? 0 : (b >= histogram_bins ? histogram_bins - 1 : b);
}

// Upper edge of a bin; the last bin has none and gives infinity.
TESSERA_HD double histogram_upper_edge(int b) {
  if (b >= histogram_bins - 1) return HUGE_VAL;
  if (b == 0) return ldexp(1.0, histogram_least);
  const int q = b - 1;
  return ldexp(1.0 + static_cast<double>(q % histogram_steps + 1) / histogram_steps, q / histogram_steps + histogram_least);
}

// Largest error of a region in units of what its component tolerates.
TESSERA_HD double region_key(const region_view &s, int64 i, const double *scale) {
  double key = 0.0;
  for (int k = 0; k < s.ncomp(); ++k) key = larger(key, s.error(i, k) * scale[k]);
  return key;
}

}  // namespace tessera
