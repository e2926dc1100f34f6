// The range of an integral in the coordinates of its user, but for the anchors of half-infinite axes, which are 0 here, and its place in the box that is divided (core/transform.hpp).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "../../core/transform.hpp"
#include "region_store.hpp"

namespace tessera {

struct stretch_of_axis {
  double first, last;
};

class user_range {
 public:
  // axes: their maps, null where all are finite.
  user_range(int ndim, const domain_box &box, const axis_map *axes)
      : box_(box), kinds_(static_cast<std::size_t>(ndim), axis_finite) {
    for (std::size_t j = 0; axes && j < kinds_.size(); ++j) kinds_[j] = axes[j].kind;
  }
  bool is_infinite() const {
    bool any = false;
    for (std::size_t j = 0; j < kinds_.size(); ++j) any = any || is_mapped(j);
    return any;
  }
  double to_box(std::size_t j, double y) const {
    if (kinds_[j] == axis_both) return 2.0 * y / (1.0 + std::sqrt(1.0 + 4.0 * y * y));
    return is_mapped(j) ? y / (1.0 + y) : y;
  }
  double from_box(std::size_t j, double t) const {
    if (kinds_[j] == axis_both) return t / ((1.0 - t) * (1.0 + t));
    return is_mapped(j) ? t / (1.0 - t) : t;
  }
  // How much faster the coordinate grows than that in the box, at t.
  double stretch(std::size_t j, double t) const {
    double faster = 1.0;
    if (is_mapped(j)) map_axis({kinds_[j] == axis_both ? axis_both : axis_up, 0.0, 0.0, infinity_value()}, t, faster);
    return faster;
  }
  // No farther out than rules have points too.
  bool is_inside(std::size_t j, double y) const {
    if (!is_mapped(j)) return y > box_.lower[j] && y < box_.upper[j];
    return std::fabs(to_box(j, y)) < outermost && (kinds_[j] == axis_both || y > 0.0);
  }
  // A stretch of axis j, as far as the range goes; that of the box.
  stretch_of_axis to_box(std::size_t j, double first, double last) const {
    const bool is_half_infinite = is_mapped(j) && kinds_[j] != axis_both;
    const auto inside = [&](double y) {
      return std::fmin(std::fmax(is_half_infinite && y < 0.0 ? 0.0 : to_box(j, y), box_.lower[j]), box_.upper[j]);
    };
    return {inside(first), inside(last)};
  }
  double length_of_box(std::size_t j) const { return box_.upper[j] - box_.lower[j]; }
  double volume_of_box() const {
    double v = 1.0;
    for (std::size_t j = 0; j < kinds_.size(); ++j) v *= length_of_box(j);
    return v;
  }

 private:
  static constexpr double outermost = 0.9998;
  bool is_mapped(std::size_t j) const {
    return kinds_[j] == axis_both || kinds_[j] == axis_up || kinds_[j] == axis_down;
  }

  const domain_box box_;
  std::vector<int> kinds_;
};

}  // namespace tessera
