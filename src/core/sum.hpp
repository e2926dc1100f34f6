// Sums that do not drift: Neumaier's variant of Kahan's summation (Z. angew. Math. Mech. 54 (1974) 39-51).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hd.hpp"

namespace tessera {

struct compensated_sum {
  double sum = 0.0;
  double lost = 0.0;

  TESSERA_HD void add(double v) {
    const double t = sum + v;
    lost += fabs(sum) >= fabs(v) ? (sum - t) + v : (v - t) + sum;
    sum = t;
  }
  TESSERA_HD void add(const compensated_sum &other) {
    add(other.sum);
    lost += other.lost;
  }
  TESSERA_HD double value() const { return sum + lost; }
};

// A sum of non-negative terms: cancellation of a running sum must not make it negative, and what is not a number is unknown.
TESSERA_HD double error_of(const compensated_sum &s) {
  const double v = s.value();
  return v >= 0.0 ? v : (v < 0.0 ? 0.0 : infinity_value());
}

}  // namespace tessera
