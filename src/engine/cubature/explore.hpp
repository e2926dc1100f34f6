// Large regions in which next to nothing was found, while there are many small ones elsewhere, large ones of which no null rule has shown
// the scale of anything, and large ones that a known break point runs through: before success is claimed they are divided.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../problem.hpp"
#include "landmarks.hpp"

namespace tessera {

constexpr double largest_share = 4.0;  // of the domain, over the number of regions
constexpr double largest_explored =
    1.0 / 1024;                         // but no region smaller than this share of the domain is divided for it
constexpr double nothing_found = 0.01;  // of the mean of the integrand

TESSERA_HD double explored_share(int64 regions) {
  return 1.001 * larger(largest_share / static_cast<double>(regions), largest_explored);
}

// Where the integrand is a constant, or a polynomial that the rule integrates exactly, there is nothing but rounding by which to tell what
// may lie between the points: no such region is to be larger than one of cubature_settings::regions_of_rounding.
constexpr double errors_of_rounding = 1e-14;  // of the value
TESSERA_HD bool shows_only_rounding(const region_view &s, int64 i) {
  bool has_value = false;  // where all is 0 nothing has been seen
  for (int k = 0; k < s.ncomp(); ++k) {
    const double size = fabs(s.value(i, k));
    if (!(s.error(i, k) <= errors_of_rounding * size)) return false;
    has_value = has_value || size > 0.0;
  }
  return has_value;
}
// Are regions with such a share of the domain larger than one of so many?
TESSERA_HD bool is_larger_than_one_of(int64 regions, double share) {
  return share * static_cast<double>(regions) > 1.001;
}

// share: of the domain, that region i has; total(k): the integral of component k.
template <class Total>
TESSERA_HD bool unexplored(const cubature_settings &set, const region_view &s, int64 i, double share, double most,
                           Total total) {
  if (is_larger_than_one_of(set.least_regions, share)) return true;
  if (is_larger_than_one_of(set.regions_of_rounding, share) && shows_only_rounding(s, i)) return true;
  if (!(share > most)) return false;
  for (int k = 0; k < s.ncomp(); ++k)
    if (magnitude(set, k, [&](int c) { return s.value(i, c); }) > nothing_found * magnitude(set, k, total) * share)
      return false;
  return true;
}

// A known break point runs through region i, which looks smooth: what begins there may reach into it where no point is, as the corner of a box does whose most part lies
// across a face. It is turned to be cut there. breaks: null as long as there are none.
TESSERA_HD bool turn_to_uncut(const break_table *breaks, const region_view &s, int64 i) {
  if (!breaks) return false;
  int axis = -1;
  TESSERA_ROLLED
  for (int j = 0; j < s.ndim() && axis < 0; ++j)
    if (cut_of(breaks, j, s.centre(i, j), s.half(i, j)) != s.centre(i, j)) axis = j;
  if (axis < 0) return false;
  put_in_front(s.state(i), s.ndim(), axis);
  return true;
}

}  // namespace tessera
