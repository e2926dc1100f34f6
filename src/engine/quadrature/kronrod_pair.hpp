// What a Gauss-Kronrod pair consists of, and the error estimate of QUADPACK (Piessens, de Doncker-Kapenga, Ueberhuber and Kahaner, 1983,
// section 2.2).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "real.hpp"

namespace tessera {

// Nodes come in pairs of equal distance from the centre: first those of the Gauss rule, then those that Kronrod added, each from
// the outermost inward. Weights have the total 2.
template <class Real, int Pairs>
struct kronrod_pair {
  static constexpr int pairs = Pairs, shared = Pairs / 2, points = 2 * Pairs + 1;
  static constexpr bool centre_shared = Pairs % 2 == 1;

  Real node[Pairs], weight[Pairs + 1], gauss[shared + 1];  // the last weights are the centre's

  // The pair at a place that is counted from the outermost one inward.
  TESSERA_HD static constexpr int inward(int place) { return place % 2 == 1 ? place / 2 : shared + place / 2; }
};

// (200 |difference| / spread)^(3/2) of the spread, at most all of it: the difference is that of a rule far worse than the one whose error
// is wanted. Never below what rounding makes of the values.
template <class Real>
TESSERA_HD Real error_of_difference(Real difference, Real size, Real spread) {
  constexpr Real spacing = real_limits<Real>::spacing;
  Real error = fabs(difference);
  if (spread != Real(0) && error != Real(0)) {
    const Real ratio = Real(200) * error / spread;
    error = spread * smaller_of(Real(1), ratio * sqrt(ratio));
  }
  if (size > real_limits<Real>::least / (Real(50) * spacing)) error = larger_of(spacing * Real(50) * size, error);
  return error;
}

}  // namespace tessera
