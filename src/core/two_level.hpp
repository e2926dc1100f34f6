// Comparison of a region with its pieces: what division showed about the error estimate. One component at a time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hd.hpp"

namespace tessera {

// A raw error below this share of a value is round-off, and says nothing of one piece beside another; 0: none is, as in the original.
constexpr double round_off_share = 1e-13;
TESSERA_HD double shown_error(double raw, double value, double round_off) {
  return larger(raw, round_off * fabs(value));
}

struct level_check {
  double difference;  // |parent's value - sum of the pieces' values|
  double raw;         // sum of the pieces' raw errors, as shown_error() counts them where the estimate is robust
  double share;       // of each piece: one over their number
  bool negative;      // the pieces' values are the greater ones
};

// The correction of Berntsen, Espelid and Genz (1991).
TESSERA_HD double corrected_classic(const level_check &c, double raw) {
  const double factor = c.raw > 0.0 ? 1.0 + 0.5 * c.difference / c.raw : 1.0;
  return raw * factor + 0.5 * c.difference * c.share;
}

// The same, but what the levels differ by is shared out by what the pieces show: among pieces that show round-off alone not by that, by
// which places would differ, but by their values. c.raw: the sum of what they show.
TESSERA_HD double corrected_robust(const level_check &c, double raw, double shown) {
  const double shares = c.raw > 0.0 ? shown / c.raw + c.share : c.share;
  return raw + 0.5 * c.difference * shares;
}

// Pieces whose raw errors are below this share of the difference between the levels claim to be smooth.
constexpr double vanishing = 0.001;

}  // namespace tessera
