// Comparison of a region with its pieces: what division showed about the error estimate. One component at a time.
//
// First the pieces' values and raw errors are summed, then each piece's error is corrected with the sums.
// `classic` is the correction of Berntsen, Espelid and Genz (1991); `robust` is explained in docs/methods.md.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hd.hpp"

namespace tessera {

struct parent_estimate {
  double value;
  double error;      // corrected
  double pessimism;  // see region_state
};

struct level_check {
  double difference;  // |parent's value - sum of the pieces' values|
  double raw;         // sum of the pieces' raw errors
  int64 pieces;
};

TESSERA_HD double corrected_classic(const level_check &c, double raw) {
  const double factor = c.raw > 0.0 ? 1.0 + 0.5 * c.difference / c.raw : 1.0;
  return raw * factor + 0.5 * c.difference / static_cast<double>(c.pieces);
}

// How far the parent's estimate was above what division showed, at most 1.
TESSERA_HD double seen_pessimism(const parent_estimate &, const level_check &) { return 1.0; }

TESSERA_HD double corrected_robust(const parent_estimate &, const level_check &c, double, double raw) {
  return corrected_classic(c, raw);
}

}  // namespace tessera
