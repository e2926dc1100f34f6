// Large regions in which next to nothing was found, while there are many small ones elsewhere: before success is claimed they are
// divided, so that the regions are nowhere much larger than their number allows. An integrand that is the same everywhere has none.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "landmarks.hpp"

namespace tessera {

constexpr double largest_share = 4.0;  // of the domain, over the number of regions
constexpr double largest_explored =
    1.0 / 1024;                         // but no region smaller than this share of the domain is divided for it
constexpr double nothing_found = 0.01;  // of the mean of the integrand

TESSERA_HD double explored_share(int64 regions) {
  return 1.001 * larger(largest_share / static_cast<double>(regions), largest_explored);
}

// share: of the domain, that region i has; total(k): the integral of component k.
template <class Total>
TESSERA_HD bool unexplored(const run_settings &set, const region_view &s, int64 i, double share, double most,
                           Total total) {
  if (!(share > most)) return false;
  for (int k = 0; k < s.ncomp(); ++k)
    if (magnitude(set, k, [&](int c) { return s.value(i, c); }) > nothing_found * magnitude(set, k, total) * share)
      return false;
  return true;
}

}  // namespace tessera
