// Steps of points that are spread evenly over a cube: point i has the coordinates i turns[j], without their whole part.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <vector>

namespace tessera {

// Powers of the number x with x^(ndim+1) = x + 1: of such sequences those are among the most even (M. Roberts, The unreasonable effectiveness of quasirandom sequences, 2018).
inline std::vector<double> spread_turns(int ndim) {
  double x = 2.0;
  for (int i = 0; i < 60; ++i) x = std::pow(1.0 + x, 1.0 / (ndim + 1));
  std::vector<double> turns;
  for (int j = 0; j < ndim; ++j) turns.push_back(std::pow(x, -1.0 - j));
  return turns;
}

}  // namespace tessera
