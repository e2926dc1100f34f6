// What stands out on a line of usual places (usual_places.hpp): something that is narrow along an axis, whatever the others are. There the integrand is compared with what it is beside it, not with its mean.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mode_lines.hpp"

namespace tessera {

constexpr int places_on_line = 64;  // at equal distances, from one end of an axis to the other
// A place at which the integrand is so many times what it is in the mean stands out a little, if it falls to half within such a part of an axis, on both sides.
constexpr double stands_out_a_little = 3.0, narrow_beside = 1.0 / 32;

// Of an axis: the higher one of what the integrand is on both sides. axis -1: it is high beside the place along all of them.
struct fall_beside {
  int axis;
  double beside;
};
// sizes: [axis][2] beside a place of that size; outside_size: there is none.
TESSERA_HD fall_beside find_fall(const double *sizes, int ndim, double size) {
  fall_beside most = {-1, 0.5 * size};
  TESSERA_ROLLED
  for (int j = 0; j < ndim; ++j) {
    const double lower = sizes[2 * j], upper = sizes[2 * j + 1], higher = larger(lower, upper);
    if (lower != outside_size && upper != outside_size && higher < most.beside) most = {j, higher};
  }
  return most;
}

// Point `at` is higher by so much than those `apart` points away on both sides.
struct rise_on_line {
  int at, apart;
  double above;  // 0: nothing stands out
};

// Of n sizes at equal distances: is one so much higher than those on both sides as the integrand changes from one point to the next in the mean? Not where it rises on, nor at a jump or a kink.
TESSERA_HD rise_on_line find_rise(const double *sizes, int n) {
  constexpr double outstanding = 8.0, both_sides = 0.5, rounding = 1e-6;  // sizes are without their last bits
  rise_on_line most = {0, 0, 0.0};
  TESSERA_ROLLED
  for (int apart = 2; apart <= 4 && n >= 8 * apart; apart *= 2) {
    double changes = 0.0, highest = 0.0;
    TESSERA_ROLLED
    for (int i = 0; i + apart < n; ++i) {
      changes += fabs(sizes[i + apart] - sizes[i]);
      highest = larger(highest, sizes[i]);
    }
    rise_on_line here = {0, apart, 0.0};
    TESSERA_ROLLED
    for (int i = apart; i + apart < n; ++i) {
      const double above = sizes[i] - larger(sizes[i - apart], sizes[i + apart]);
      const double above_other = sizes[i] - smaller(sizes[i - apart], sizes[i + apart]);
      if (above > here.above && above > both_sides * above_other) here.at = i, here.above = above;
    }
    const bool is_narrow = here.above > outstanding * changes / (n - apart) && here.above > rounding * highest;
    if (is_narrow && here.above > most.above) most = here;
  }
  return most;
}

}  // namespace tessera
