// The range of an integral in the coordinates of its user, but for the anchors of half-infinite axes, which are 0 here, and its place in the box that is divided (core/transform.hpp).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../core/transform.hpp"
#include "region_store.hpp"

namespace tessera {

struct stretch_of_axis {
  double first, last;
};

class user_range {
 public:
  // axes: their maps, null where all are finite; they and the box are the caller's.
  TESSERA_HD user_range(int ndim, const domain_box &box, const axis_map *axes) : box_(box), axes_(axes), ndim_(ndim) {}
  TESSERA_HD bool is_infinite() const {
    bool any = false;
    TESSERA_ROLLED
    for (int j = 0; j < ndim_; ++j) any = any || is_mapped(j);
    return any;
  }
  // Is axis j infinite, on one side at least?
  TESSERA_HD bool is_mapped(int j) const {
    const int k = kind(j);
    return k == axis_both || k == axis_up || k == axis_down;
  }
  TESSERA_HD double to_box(int j, double y) const {
    if (kind(j) == axis_both) return 2.0 * y / (1.0 + sqrt(1.0 + 4.0 * y * y));
    return is_mapped(j) ? y / (1.0 + y) : y;
  }
  TESSERA_HD double from_box(int j, double t) const {
    if (kind(j) == axis_both) return t / ((1.0 - t) * (1.0 + t));
    return is_mapped(j) ? t / (1.0 - t) : t;
  }
  // Such a part of the way through axis j of the box.
  TESSERA_HD double at_part(int j, double part) const { return from_box(j, box_.lower[j] + part * length_of_box(j)); }
  // So far from an end of axis j, in its units: from 0 where it is infinite, to one side or the other, or the one finite end that there is.
  TESSERA_HD double unit(int j) const { return is_mapped(j) ? 1.0 : length_of_box(j); }
  TESSERA_HD double beside_end(int j, bool upper, double units) const {
    if (is_mapped(j)) return upper && kind(j) == axis_both ? -units : units;
    return upper ? box_.upper[j] - units * unit(j) : box_.lower[j] + units * unit(j);
  }
  // How much faster the coordinate grows than that in the box, at t.
  TESSERA_HD double stretch(int j, double t) const {
    double faster = 1.0;
    if (is_mapped(j)) map_axis({kind(j) == axis_both ? axis_both : axis_up, 0.0, 0.0, infinity_value()}, t, faster);
    return faster;
  }
  // No farther out than rules have points too.
  TESSERA_HD bool is_inside(int j, double y) const {
    if (!is_mapped(j)) return y > box_.lower[j] && y < box_.upper[j];
    return fabs(to_box(j, y)) < outermost && (kind(j) == axis_both || y > 0.0);
  }
  // The sign of the way on which there is room for a width, where the range ends within it on the other; else 0.
  TESSERA_HD int only_way(int j, double y, double width) const {
    const bool up = is_inside(j, y + width), down = is_inside(j, y - width);
    return up == down ? 0 : up ? 1 : -1;
  }
  // How many steps of `way` there is room for on axis j; infinity where the axis has no end that is a number.
  TESSERA_HD double room(int j, double y, double way) const {
    if (is_mapped(j) || way == 0.0) return infinity_value();
    return ((way > 0.0 ? box_.upper[j] : box_.lower[j]) - y) / way;
  }
  // A stretch of axis j, as far as the range goes; that of the box.
  TESSERA_HD stretch_of_axis to_box(int j, double first, double last) const { return {end(j, first), end(j, last)}; }
  TESSERA_HD double length_of_box(int j) const { return box_.upper[j] - box_.lower[j]; }
  TESSERA_HD double part_of_box(int j, double t) const { return (t - box_.lower[j]) / length_of_box(j); }
  TESSERA_HD double volume_of_box() const {
    double v = 1.0;
    TESSERA_ROLLED
    for (int j = 0; j < ndim_; ++j) v *= length_of_box(j);
    return v;
  }

 private:
  static constexpr double outermost = 0.9998;
  TESSERA_HD int kind(int j) const { return axes_ ? axes_[j].kind : axis_finite; }
  TESSERA_HD double end(int j, double y) const {
    const bool is_half_infinite = is_mapped(j) && kind(j) != axis_both;
    return smaller(larger(is_half_infinite && y < 0.0 ? 0.0 : to_box(j, y), box_.lower[j]), box_.upper[j]);
  }

  domain_box box_;
  const axis_map *axes_;
  int ndim_;
};

}  // namespace tessera
