// The first regions: the whole domain, then its uniform partition.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "region_store.hpp"

namespace tessera {

TESSERA_HD void make_root(const region_view &s, int64 i, const double *lower, const double *upper) {
  TESSERA_ROLLED
  for (int j = 0; j < s.ndim(); ++j) {
    s.half(i, j) = 0.5 * (upper[j] - lower[j]);
    s.centre(i, j) = lower[j] + s.half(i, j);
  }
  s.state(i) = {0.0f, 0u};
}

// The result of a region whose integrand is not finite, where there is nothing better to fall back on.
TESSERA_HD void make_unknown(const region_view &s, int64 i) {
  TESSERA_ROLLED
  for (int k = 0; k < s.ncomp(); ++k) {
    s.value(i, k) = nan_value();
    s.error(i, k) = infinity_value();
  }
}

// Smallest number of halvings whose pieces number at least n.
TESSERA_HD int halvings(int64 n) {
  int b = 0;
  while ((int64{1} << b) < n) ++b;
  return b;
}

// Box m of the 2^bits equal boxes of `root`; the axes are halved in turn.
TESSERA_HD void make_cell(const region_view &from, int64 root, int bits, int64 m, const region_view &to, int64 child) {
  const int n = from.ndim();
  TESSERA_ROLLED
  for (int j = 0; j < n; ++j) {
    double h = from.half(root, j);
    double c = from.centre(root, j);
    TESSERA_ROLLED
    for (int b = j; b < bits; b += n) {
      h *= 0.5;
      c += ((m >> b) & 1) != 0 ? h : -h;
    }
    to.half(child, j) = h;
    to.centre(child, j) = c;
  }
}

}  // namespace tessera
