// The unit cube cut into boxes with given points in the middle of some of them, for a rule always looks at the middle of a region.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace cuba {

struct box {
  std::vector<double> lower, upper;
};

class boxes_around {
 public:
  // points: [n][ndim] in the cube. Stops short of `most` boxes: what is left is cut no more.
  boxes_around(int ndim, const std::vector<double> &points, std::size_t most)
      : nd_(static_cast<std::size_t>(ndim)), points_(points), most_(most) {
    std::vector<std::size_t> all(points.size() / nd_);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    cut({std::vector<double>(nd_, 0.0), std::vector<double>(nd_, 1.0)}, std::move(all));
  }
  const std::vector<box> &boxes() const { return boxes_; }

 private:
  static constexpr double nearest_face = 1.0 / 32;  // of the box: points closer to a face are not in the middle
  static constexpr double same_place = 1e-3;        // of the box: points closer to each other count as one

  double at(std::size_t point, std::size_t axis) const { return points_[point * nd_ + axis]; }

  void cut(box b, std::vector<std::size_t> inside) {
    if (inside.empty() || boxes_.size() + 2 * nd_ + 1 > most_) {
      boxes_.push_back(std::move(b));
      return;
    }
    // Several: halfway between the two neighbours that are farthest from each other.
    std::size_t axis = 0;
    double widest = same_place, place = 0.0;
    for (std::size_t j = 0; j < nd_; ++j) {
      std::sort(inside.begin(), inside.end(), [&](std::size_t p, std::size_t q) { return at(p, j) < at(q, j); });
      for (std::size_t i = 1; i < inside.size(); ++i) {
        const double gap = (at(inside[i], j) - at(inside[i - 1], j)) / (b.upper[j] - b.lower[j]);
        if (gap <= widest) continue;
        widest = gap, axis = j;
        place = 0.5 * (at(inside[i], j) + at(inside[i - 1], j));
      }
    }
    if (widest > same_place) {
      std::vector<std::size_t> above;
      const auto first =
          std::partition(inside.begin(), inside.end(), [&](std::size_t p) { return at(p, axis) < place; });
      above.assign(first, inside.end());
      inside.erase(first, inside.end());
      box low = b, high = std::move(b);
      low.upper[axis] = high.lower[axis] = place;
      cut(std::move(low), std::move(inside));
      cut(std::move(high), std::move(above));
      return;
    }
    // One: slabs on both sides of it along each axis, and what is left around it.
    for (std::size_t j = 0; j < nd_; ++j) {
      const double width = b.upper[j] - b.lower[j], x = at(inside[0], j);
      const double half = std::max(std::min(x - b.lower[j], b.upper[j] - x), nearest_face * width);
      const double low = std::max(b.lower[j], x - half), high = std::min(b.upper[j], x + half);
      if (low > b.lower[j]) {
        box slab = b;
        slab.upper[j] = b.lower[j] = low;
        boxes_.push_back(std::move(slab));
      }
      if (high < b.upper[j]) {
        box slab = b;
        slab.lower[j] = b.upper[j] = high;
        boxes_.push_back(std::move(slab));
      }
    }
    boxes_.push_back(std::move(b));
  }

  const std::size_t nd_;
  const std::vector<double> &points_;
  const std::size_t most_;
  std::vector<box> boxes_;
};

}  // namespace cuba
