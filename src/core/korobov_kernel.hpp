// Kernels of the weighted Korobov spaces of smoothness 1, 2, 3: sums over h != 0 of exp(2 pi i h x) / |h|^(2 alpha), which are
// Bernoulli polynomials of degree 2 alpha.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hd.hpp"

namespace tessera {

// The kernel at k/n, 0 <= k <= n. As polynomials in y = x(1-x) they are symmetric to the last bit.
TESSERA_HD double korobov_kernel(int alpha, uint64 k, uint64 n) {
  if (k > n - k) k = n - k;
  const double x = static_cast<double>(k) / static_cast<double>(n);
  const double y = x * (1.0 - x);
  constexpr double pi2 = 9.8696044010893586188;
  if (alpha == 1) return 2.0 * pi2 * (1.0 / 6.0 - y);
  if (alpha == 2) return -2.0 / 3.0 * pi2 * pi2 * (y * y - 1.0 / 30.0);
  return 4.0 / 45.0 * pi2 * pi2 * pi2 * (1.0 / 42.0 - y * y * (0.5 + y));
}

}  // namespace tessera
