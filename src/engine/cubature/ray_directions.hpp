// Directions in which rays run from a point (mode_search.hpp).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "../../core/hd.hpp"

namespace tessera {

constexpr std::size_t most_free_signs = 6;  // all signs of so many axes; of more axes a choice of as many

// Adds those in which so many coordinates are not 0, up to `most` vectors in all; of equal size, or some twice as large as others.
inline void add_directions(std::size_t ndim, std::size_t of_axes, bool unequal, std::size_t most,
                           std::vector<double> &to) {
  const std::size_t free_signs = std::min(of_axes, most_free_signs);
  const unsigned first = unequal ? 1u : 0u, last = unequal ? (1u << of_axes) - 2u : 0u;
  std::vector<bool> chosen(ndim, false);
  std::fill_n(chosen.begin(), of_axes, true);
  do
    for (unsigned doubled = first; doubled <= last; ++doubled)
      for (uint64 i = 0; i < uint64{1} << free_signs && to.size() < most * ndim; ++i) {
        uint64 signs = free_signs == of_axes ? i : (i + 1) * 0x9e3779b97f4a7c15u;
        double length = 0.0;
        for (std::size_t j = 0, q = 0; j < ndim; ++j) {
          double size = 0.0;
          if (chosen[j]) {
            size = ((doubled >> q & 1u) != 0u ? 2.0 : 1.0) * ((signs & 1u) != 0u ? -1.0 : 1.0);
            signs >>= 1;
            ++q;
          }
          to.push_back(size);
          length += size * size;
        }
        for (std::size_t j = to.size() - ndim; j < to.size(); ++j) to[j] /= std::sqrt(length);
      }
  while (to.size() < most * ndim && std::prev_permutation(chosen.begin(), chosen.end()));
}

// Unit vectors, one behind the other: along the axes, both ways, all of these; then up to `most` in all along the diagonals of the cube and of its faces, from two axes on, and others
// between them.
inline std::vector<double> ray_directions(std::size_t ndim, std::size_t most) {
  std::vector<double> all;
  most = std::max(2 * ndim, most);
  add_directions(ndim, 1, false, most, all);
  if (ndim > 1) add_directions(ndim, ndim, false, most, all);
  for (std::size_t of_axes = 2; of_axes < ndim; ++of_axes) add_directions(ndim, of_axes, false, most, all);
  for (std::size_t of_axes = 2; of_axes <= std::min<std::size_t>(ndim, 3); ++of_axes)
    add_directions(ndim, of_axes, true, most, all);
  return all;
}

}  // namespace tessera
