// Directions in which rays run from a point (mode_search.hpp).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "../../core/hd.hpp"
#include "../../core/spread_turns.hpp"

namespace tessera {

constexpr std::size_t most_free_signs = 6;  // all signs of so many axes; of more axes a choice of as many

inline void make_unit(double *to, std::size_t ndim) {
  double length = 0.0;
  for (std::size_t j = 0; j < ndim; ++j) length += to[j] * to[j];
  for (std::size_t j = 0; j < ndim; ++j) to[j] /= std::sqrt(length);
}

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
        for (std::size_t j = 0, q = 0; j < ndim; ++j) {
          double size = 0.0;
          if (chosen[j]) {
            size = ((doubled >> q & 1u) != 0u ? 2.0 : 1.0) * ((signs & 1u) != 0u ? -1.0 : 1.0);
            signs >>= 1;
            ++q;
          }
          to.push_back(size);
        }
        make_unit(&to[to.size() - ndim], ndim);
      }
  while (to.size() < most * ndim && std::prev_permutation(chosen.begin(), chosen.end()));
}

// A sequence of points that is spread over the unit cube.
class spread_points {
 public:
  explicit spread_points(std::size_t ndim) : turns_(spread_turns(static_cast<int>(ndim))) {}
  void next() { ++made_; }
  double coordinate(std::size_t j) const {
    const double whole = 0.5 + made_ * turns_[j];
    return whole - std::floor(whole);
  }

 private:
  const std::vector<double> turns_;
  double made_ = 0.0;
};

// A sequence of unit vectors that is spread over all directions: pairs of normal variables (Box and Muller 1958), from such points.
class spread_directions {
 public:
  explicit spread_directions(std::size_t ndim) : ndim_(ndim), points_(ndim + ndim % 2) {}
  void next(double *to) {
    points_.next();
    for (std::size_t j = 0; j < ndim_; j += 2) {
      const double size = std::sqrt(-2.0 * std::log(1.0 - points_.coordinate(j + 1))),
                   angle = 6.283185307179586 * points_.coordinate(j);
      to[j] = size * std::cos(angle);
      if (j + 1 < ndim_) to[j + 1] = size * std::sin(angle);
    }
    make_unit(to, ndim_);
  }

 private:
  const std::size_t ndim_;
  spread_points points_;
};

// Adds one of the next few of them, that which is farthest from all that are there (Mitchell 1991), with the signs that there is room for. Where there are many it takes the next: that is near
// none, and to compare it with them all would take longer than the points of the ray.
inline void add_apart(spread_directions &spread, std::size_t ndim, const std::vector<int> &only,
                      std::vector<double> &to) {
  const int few = to.size() < 64 * ndim ? 6 : 1;
  std::vector<double> next(ndim), best;
  double nearest = 2.0;  // the cosine of the angle
  for (int n = 0; n < few; ++n) {
    spread.next(next.data());
    for (std::size_t j = 0; j < ndim; ++j)
      if (only[j] != 0) next[j] = only[j] * std::fabs(next[j]);
    double most = -1.0;
    for (std::size_t r = 0; few > 1 && r < to.size() && most < nearest; r += ndim) {
      double cosine = 0.0;
      for (std::size_t j = 0; j < ndim; ++j) cosine += to[r + j] * next[j];
      most = std::fmax(most, cosine);
    }
    if (most < nearest) nearest = most, best = next;
  }
  to.insert(to.end(), best.begin(), best.end());
}

// Along the axes, both ways, all of these; then up to `most` in all along the diagonals of the cube and of its faces, from two axes on, and others between them. only[j]: 0, or the sign that
// coordinate j has to have, for there is no room the other way; as many directions are then others, spread over those that there is room for.
inline std::vector<double> even_directions(std::size_t ndim, std::size_t most, const std::vector<int> &only) {
  std::vector<double> all;
  add_directions(ndim, 1, false, most, all);
  if (ndim > 1) add_directions(ndim, ndim, false, most, all);
  for (std::size_t of_axes = 2; of_axes < ndim; ++of_axes) add_directions(ndim, of_axes, false, most, all);
  for (std::size_t of_axes = 2; of_axes <= std::min<std::size_t>(ndim, 3); ++of_axes)
    add_directions(ndim, of_axes, true, most, all);
  // Those that there is room for, and then others.
  std::vector<double> with_room;
  for (std::size_t r = 0; r < all.size(); r += ndim) {
    bool has_room = true;
    for (std::size_t j = 0; j < ndim; ++j) has_room = has_room && all[r + j] * only[j] >= 0.0;
    if (has_room) with_room.insert(with_room.end(), &all[r], &all[r] + ndim);
  }
  spread_directions spread(ndim);
  while (with_room.size() < all.size()) add_apart(spread, ndim, only, with_room);
  return with_room;
}

// Those of which some coordinates are very much larger than others, so many: where peaks are narrow along some axes, others lie in such directions from them, measured in their widths.
inline std::vector<double> uneven_directions(std::size_t ndim, std::size_t count, const std::vector<int> &only) {
  constexpr double orders = 3.0;  // of magnitude
  std::vector<double> all;
  spread_points points(ndim);
  for (std::size_t n = 0; n < count; ++n) {
    points.next();
    for (std::size_t j = 0; j < ndim; ++j) {
      const double u = 2.0 * points.coordinate(j), sign = only[j] != 0 ? only[j] : u < 1.0 ? -1.0 : 1.0;
      all.push_back(sign * std::pow(10.0, orders * (u < 1.0 ? u : u - 1.0)));
    }
    make_unit(&all[all.size() - ndim], ndim);
  }
  return all;
}

// Unit vectors, one behind the other: even_directions, and, beside those along the axes, in turn with them, so that the first of them are a choice as well, uneven ones.
inline std::vector<double> ray_directions(std::size_t ndim, std::size_t most, const std::vector<int> &only) {
  most = std::max(2 * ndim, most);
  const std::size_t axes = 2 * ndim;
  const std::vector<double> even = even_directions(ndim, axes + (most - axes + 1) / 2, only);
  const std::size_t evens = even.size() / ndim;
  const std::vector<double> uneven = uneven_directions(ndim, ndim > 1 ? most - evens : 0, only);
  std::vector<double> all(even.begin(), even.begin() + static_cast<std::ptrdiff_t>(axes * ndim));
  const auto add = [&](const std::vector<double> &from, std::size_t r) {
    if (r * ndim < from.size()) all.insert(all.end(), &from[r * ndim], &from[r * ndim] + ndim);
  };
  for (std::size_t r = 0; all.size() < even.size() + uneven.size(); ++r) {
    add(even, axes + r);
    add(uneven, r);
  }
  return all;
}

}  // namespace tessera
