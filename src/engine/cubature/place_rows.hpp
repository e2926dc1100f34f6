// Rows of usual places (usual_places.hpp) across all axes, and what lines of them (place_lines.hpp) are cut into: from one place to the next an integrand may jump, or change as fast as at a jump. There what is on
// one side may be narrower than regions can see.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mode_lines.hpp"

namespace tessera {

constexpr int places_in_row = 8;  // at equal distances

// Between places `at` and `at` + 1 of a row. rough: how much of the row no polynomial of degree four has; 0: it is smooth.
struct jump_in_row {
  int at;
  double rough;
};

// value(i): that of place i. By the discrete orthogonal polynomials (Gram, J. Reine Angew. Math. 94 (1883) 41): what is smooth has less of each degree than of the ones before, a jump as much of all of them.
template <class Value>
TESSERA_HD jump_in_row find_jump(const Value &value) {
  constexpr int degrees = 5;  // from the third on; their squares add up to what stands behind them
  constexpr double polynomials[degrees][places_in_row] = {{-7, 5, 7, 3, -3, -7, -5, 7},
                                                          {7, -13, -3, 9, 9, -3, -13, 7},
                                                          {-7, 23, -17, -15, 15, 17, -23, 7},
                                                          {1, -5, 9, -5, -5, 9, -5, 1},
                                                          {-1, 7, -21, 35, -35, 21, -7, 1}};
  constexpr double squares[degrees] = {264, 616, 2184, 264, 3432};
  constexpr double as_at_jump = 0.2, rounding = 1e-10;
  double left[places_in_row] = {}, largest = 0.0, low = 0.0, high = 0.0;
  TESSERA_ROLLED
  for (int d = 0; d < degrees; ++d) {
    double sum = 0.0;
    for (int i = 0; i < places_in_row; ++i) sum += polynomials[d][i] * value(i);
    for (int i = 0; i < places_in_row; ++i) left[i] += sum / squares[d] * polynomials[d][i];
    (d < 2 ? low : high) += sum * sum / squares[d];
  }
  jump_in_row jump = {0, sqrt(high)};
  double most = -1.0;
  for (int i = 0; i < places_in_row; ++i) {
    largest = larger(largest, fabs(value(i)));
    const double change = i + 1 < places_in_row ? fabs(left[i + 1] - left[i]) : 0.0;
    if (change > most) most = change, jump.at = i;
  }
  if (!(jump.rough > as_at_jump * sqrt(low + high) && jump.rough > rounding * largest)) jump.rough = 0.0;
  return jump;
}

}  // namespace tessera
