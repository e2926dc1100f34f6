// The first regions: the whole domain, then its uniform partition.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "region_store.hpp"
#include "split.hpp"

namespace tessera {

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

// Axis j of box m of the 2^bits equal boxes of a domain; the axes are halved in turn. bits = 0 is the whole domain.
TESSERA_HD interval cell_axis(int ndim, int j, double lower, double upper, int bits, int64 m) {
  interval i;
  i.half = 0.5 * (upper - lower);
  i.centre = lower + i.half;
  TESSERA_ROLLED
  for (int b = j; b < bits; b += ndim) {
    i.half *= 0.5;
    i.centre += ((m >> b) & 1) != 0 ? i.half : -i.half;
  }
  return i;
}

TESSERA_HD void make_cell(const double *lower, const double *upper, int bits, int64 m, const region_view &to, int64 i) {
  for (int j = 0; j < to.ndim(); ++j) {
    const interval box = cell_axis(to.ndim(), j, lower[j], upper[j], bits, m);
    to.centre(i, j) = box.centre;
    to.half(i, j) = box.half;
  }
}

}  // namespace tessera
