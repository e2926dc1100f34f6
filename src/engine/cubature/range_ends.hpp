// Beside the ends of infinite ranges, finite ones and 0, integrands often have what no point of the first regions meets. Points on both sides, on some axes or on all, for looks at other modes
// (likely_places.hpp, mode_check.hpp).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mode_lines.hpp"
#include "user_range.hpp"

namespace tessera {

// Two near an end and one farther away, with which they are compared.
constexpr int points_at_end = 3;
// Coordinate j of point i; axes: bits of those on which it is at that end, while on others it is that of the first mode.
TESSERA_HD double coordinate_at_end(const user_range &range, uint64 axes, bool upper, int i, int j, double of_mode) {
  if ((axes >> j & 1) == 0) return of_mode;
  const double away = i == 0 ? near_place : i == 1 ? nearer_place : 1.0 / 16, turn = part_of_turn(j + 1);
  return range.beside_end(j, upper, away * (1.0 + 0.25 * turn));
}
// By the sizes at these: the one at which an integrand stands out; -1: at none.
TESSERA_HD int high_at_end(const double *sizes, double stands_out_by) {
  const int high = sizes[0] >= sizes[1] ? 0 : 1;
  return sizes[high] > 0.0 && sizes[high] > stands_out_by * sizes[2] ? high : -1;
}

}  // namespace tessera
