// Rows of usual places (usual_places.hpp) across all axes, and what lines of them (place_lines.hpp) are cut into: from one place to the next an integrand may jump, or change as fast as at a jump. There what is on
// one side may be narrower than regions can see.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mode_lines.hpp"

namespace tessera {

constexpr int places_in_row = 8;  // at equal distances

// Between places `at` and `at` + 1 of a row. rough: how much of the row no polynomial of degree four has; 0: it is smooth, or less rough than asked for.
struct jump_in_row {
  int at;
  double rough;
};

// value(i): that of place i. By the discrete orthogonal polynomials (Gram, J. Reine Angew. Math. 94 (1883) 41), whose values are even or odd about the middle of the row: what is smooth has less of each degree than of the
// ones before, a jump about as much of all of them.
template <class Value>
TESSERA_HD jump_in_row find_jump(const Value &value, double least) {
  constexpr double as_at_jump = 0.2, rounding = 1e-10;
  double v[places_in_row], sum[places_in_row / 2], change[places_in_row / 2];
  for (int i = 0; i < places_in_row; ++i) v[i] = value(i);
  for (int i = 0; i < places_in_row / 2; ++i) {
    sum[i] = v[i] + v[places_in_row - 1 - i];
    change[i] = v[places_in_row - 1 - i] - v[i];
  }
  // Over the square roots of the sums of their squares.
  const double third = (7 * change[0] - 5 * change[1] - 7 * change[2] - 3 * change[3]) / 16.24807680927192,
               fourth = (7 * sum[0] - 13 * sum[1] - 3 * sum[2] + 9 * sum[3]) / 24.81934729198172,
               fifth = (7 * change[0] - 23 * change[1] + 17 * change[2] + 15 * change[3]) / 46.733285782191686,
               sixth = (sum[0] - 5 * sum[1] + 9 * sum[2] - 5 * sum[3]) / 16.24807680927192,
               seventh = (change[0] - 7 * change[1] + 21 * change[2] - 35 * change[3]) / 58.58327406350734;
  const double low = third * third + fourth * fourth, high = fifth * fifth + sixth * sixth + seventh * seventh;
  if (!(high > least * least && high > as_at_jump * as_at_jump * (low + high))) return {0, 0.0};
  // Where it changes most beside what it does from the place before to the next behind.
  double largest = fabs(v[0]), most = 0.0;
  jump_in_row jump = {0, sqrt(high)};
  const auto step = [&v](int i) { return v[i + 1] - v[i]; };
  const auto keep = [&jump, &most](int i, double by) {
    if (fabs(by) > most) most = fabs(by), jump.at = i;
  };
  TESSERA_ROLLED
  for (int i = 1; i + 2 < places_in_row; ++i) {
    largest = larger(largest, fabs(v[i]));
    keep(i, step(i) - 0.5 * (step(i - 1) + step(i + 1)));
  }
  constexpr int last = places_in_row - 2;
  constexpr double by_one_side = 0.75;  // more than half of a jump there, less than all of one beside it
  keep(0, by_one_side * (step(0) - step(1)));
  keep(last, by_one_side * (step(last) - step(last - 1)));
  largest = larger(largest, larger(fabs(v[last]), fabs(v[last + 1])));
  if (!(jump.rough > rounding * largest)) jump.rough = 0.0;
  return jump;
}

}  // namespace tessera
