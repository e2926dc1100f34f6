// Comparison of a region with its pieces: what division showed about the error estimate. One component at a time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hd.hpp"

namespace tessera {

struct level_check {
  double difference;  // |parent's value - sum of the pieces' values|
  double raw;         // sum of the pieces' raw errors
  double share;       // of each piece: one over their number
  bool negative;      // the pieces' values are the greater ones
};

// The correction of Berntsen, Espelid and Genz (1991).
TESSERA_HD double corrected_classic(const level_check &c, double raw) {
  const double factor = c.raw > 0.0 ? 1.0 + 0.5 * c.difference / c.raw : 1.0;
  return raw * factor + 0.5 * c.difference * c.share;
}

// Pieces whose raw errors are below this share of the difference between the levels claim to be smooth.
constexpr double vanishing = 0.001;

}  // namespace tessera
