// What stands out on a line of usual places (usual_places.hpp): something that is narrow along an axis, whatever the others are. There the integrand is compared with what it is beside it, not with its mean.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace tessera {

// Point `at` is higher by so much than those `apart` points away on both sides.
struct rise_on_line {
  std::size_t at = 0, apart = 0;
  double above = 0.0;  // 0: nothing stands out
};

// Of n sizes at equal distances: is one so much higher than those on both sides as the integrand changes from one point to the next in the mean? Not where it rises on, nor at a jump or a kink.
inline rise_on_line find_rise(const double *sizes, std::size_t n) {
  constexpr double outstanding = 8.0, both_sides = 0.5, rounding = 1e-6;  // sizes are without their last bits
  rise_on_line most;
  for (const std::size_t apart : {std::size_t{2}, std::size_t{4}}) {
    if (n < 8 * apart) break;
    double changes = 0.0, highest = 0.0;
    for (std::size_t i = 0; i + apart < n; ++i) {
      changes += std::fabs(sizes[i + apart] - sizes[i]);
      highest = std::max(highest, sizes[i]);
    }
    rise_on_line here = {0, apart, 0.0};
    for (std::size_t i = apart; i + apart < n; ++i) {
      const double above = sizes[i] - std::max(sizes[i - apart], sizes[i + apart]);
      const double above_other = sizes[i] - std::min(sizes[i - apart], sizes[i + apart]);
      if (above > here.above && above > both_sides * above_other) here.at = i, here.above = above;
    }
    const bool is_narrow =
        here.above > outstanding * changes / static_cast<double>(n - apart) && here.above > rounding * highest;
    if (is_narrow && here.above > most.above) most = here;
  }
  return most;
}

}  // namespace tessera
