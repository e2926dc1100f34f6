// The last sums over the intervals that were extrapolated: what they say of the limit that they have.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "real.hpp"

namespace tessera {

template <class Real>
class recent_sums {
 public:
  TESSERA_HD void add(Real sum) {
    for (int i = 3; i > 0; --i) sums_[i] = sums_[i - 1];
    sums_[0] = sum;
    ++told_;
    const Real now = sums_[0] - sums_[1], before = sums_[1] - sums_[2];
    growing_ = told_ > 2 && before != Real(0) && now / before > Real(0.995) ? growing_ + 1 : 0;
  }
  // They are begun anew.
  TESSERA_HD void forget() { told_ = 0; }

  // What is extrapolated converges like a power or a power with a logarithm: each change is nearly the same part of the one before. At a
  // singularity that is nowhere in particular changes come as they like, and what the extrapolation makes of them is an accident.
  TESSERA_HD bool are_regular() const {
    if (told_ < 4) return false;
    const Real now = sums_[0] - sums_[1], before = sums_[1] - sums_[2], first = sums_[2] - sums_[3];
    if (before == Real(0) || first == Real(0)) return false;
    const Real ratio = now / before, last = before / first;
    return ratio > Real(0.01) && ratio < Real(1) && fabs(ratio - last) <= Real(0.2) * last;
  }

  // Over widths of many powers of two each change is at least as large as the one before, but for what a convergent integral of a
  // power as close as 0.993 has.
  TESSERA_HD bool diverge() const {
    constexpr int halvings = 50;
    return growing_ >= halvings;
  }

 private:
  Real sums_[4] = {};  // newest first
  int told_ = 0, growing_ = 0;
};

}  // namespace tessera
