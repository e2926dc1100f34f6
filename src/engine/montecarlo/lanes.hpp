// Steps that a block of a device takes with all its threads and a host with one: the same arithmetic in the same order on both.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../core/hd.hpp"

namespace tessera {

// each(n, f): f(0) ... f(n-1), which do not depend on each other; what they have written is there afterwards.
struct one_lane {
  template <class F>
  TESSERA_HD void each(int n, const F &f) const {
    for (int i = 0; i < n; ++i) f(i);
  }
};

// The sum of v[0] ... v[n-1], n a power of two, by halves; v is used up.
template <class Lanes>
TESSERA_HD double fold_numbers(const Lanes &lanes, int n, double *v) {
  TESSERA_ROLLED for (int half = n / 2; half > 0; half /= 2) lanes.each(half, [&](int i) { v[i] += v[i + half]; });
  const double sum = v[0];
  lanes.each(0, [](int) {});  // all have read it
  return sum;
}

}  // namespace tessera
