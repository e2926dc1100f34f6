// Where on a line an integrand jumps, or its slope does: the largest second difference of values at equal distances is followed into
// ever smaller intervals. At points fifteen times as close the second difference of a jump is what it was and that of a kink a
// fifteenth; where the integrand is smooth it falls by more than 200, and the search ends. After every second round another line is taken that is parallel to it:
// what is found is a plane across the axis, and where a surface is at an angle the next interval is beside it, and the search ends soon.
// A value that is not finite is closed in on too: alone it is a singularity that a point has hit, beside others a hole in the integrand.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hd.hpp"

namespace tessera {

class break_search {
 public:
  static constexpr int samples = 32, most_rounds = 12;

  // Between two coordinates of an axis that is so long.
  TESSERA_HD break_search(double lower, double upper, double length)
      : apart_((upper - lower) * (1.0 / samples)), first_(lower + 0.5 * apart_), least_(least_spacing * length) {}

  // On which of the two lines this round is, and its points.
  TESSERA_HD int side() const { return side_; }
  TESSERA_HD double point(int i) const { return rounded_sum(first_, rounded_product(static_cast<double>(i), apart_)); }

  // value(i): at point i, for i = 0 ... samples-1 in turn. False: the search is over.
  template <class Value>
  TESSERA_HD bool next(const Value &value) {
    double before = value(0), here = value(1), size = larger(fabs(before), fabs(here)), last = 0.0;
    double most = -1.0, left = 0.0, right = 0.0;  // the largest second difference, and those beside it
    double below = 0.0, above = 0.0;
    int at = 1;
    int bad = !is_finite(before) ? 0 : (!is_finite(here) ? 1 : -1);  // the first point without a finite value
    bool adjacent = !is_finite(before) && !is_finite(here);          // are two of them side by side?
    TESSERA_ROLLED
    for (int i = 2; i < samples; ++i) {
      const double after = value(i), difference = fabs(after - 2.0 * here + before);
      if (!is_finite(after)) {
        adjacent = adjacent || !is_finite(here);
        if (bad < 0) bad = i;
      }
      size = larger(size, fabs(after));
      if (i == at + 2) right = difference;
      if (difference > most) {
        most = difference;
        left = last;
        right = 0.0;
        at = i - 1;
        below = before;
        above = after;
      }
      last = difference;
      before = here;
      here = after;
    }
    ++rounds_;
    if (bad >= 0) return close_in(bad, adjacent);
    if (closing_in_ || !(most < infinity_value())) return false;
    const double noise = rounding * size;
    if (!(most > noise)) {
      found_ = rounds_ > sure_rounds && !(most_before_ > 64.0 * noise);
      return false;
    }
    const bool is_first_of_side = (rounds_ - 1) % rounds_on_a_side == 0;
    if (rounds_ > 1 && most < (is_first_of_side ? less_beside : 1.0) * falls_at_a_kink * most_before_) return false;
    // A kink, or a jump, between two points has the largest second differences at these, in proportion to how near they are.
    const double other = left > right ? left : right, towards = left > right ? -1.0 : 1.0;
    at_ = point(at) + towards * (other / (most + other)) * apart_;
    width_ = apart_;
    zeros_ = (below == 0.0 ? zero_below : 0) | (above == 0.0 ? zero_above : 0);
    most_before_ = most;
    found_ = apart_ <= least_;
    if (found_ || rounds_ == most_rounds) return false;
    first_ = point(at - 1);  // the ends once more, for it may be next to one
    apart_ *= 2.0 / (samples - 1);
    side_ = rounds_ / rounds_on_a_side % 2;
    return true;
  }

  TESSERA_HD bool is_found() const { return found_; }
  // Has a hole been met? at() is in it.
  TESSERA_HD bool is_hole() const { return hole_; }
  TESSERA_HD double at() const { return at_; }
  TESSERA_HD double width() const { return width_; }  // it is there to about so much
  // On which sides of it the integrand is 0.
  static constexpr int zero_below = 1, zero_above = 2;
  TESSERA_HD int zeros() const { return zeros_; }
  TESSERA_HD int points() const { return rounds_ * samples; }

 private:
  TESSERA_HD static bool is_finite(double v) { return fabs(v) < infinity_value(); }

  // On point i, which has no finite value, and on the same line. The ends of the interval are not left.
  TESSERA_HD bool close_in(int i, bool adjacent) {
    at_ = point(i);
    found_ = false;
    hole_ = adjacent && rounds_ <= rounds_to_a_hole;
    if (adjacent || rounds_ >= rounds_to_a_hole) return false;
    apart_ *= 2.0 / samples;
    const double before = i == 0 ? at_an_end : (i < samples - 1 ? 0.5 * samples : samples - 1.0 - at_an_end);
    first_ = rounded_sum(at_, -rounded_product(before, apart_));
    return closing_in_ = true;
  }

  static constexpr double least_spacing = 1.5e-14, rounding = 64 * 2.3e-16, falls_at_a_kink = 1.0 / 40,
                          less_beside = 1.0 / 4;  // that a jump may be on the other line
  static constexpr int rounds_on_a_side = 2;
  static constexpr int sure_rounds = 3;
  static constexpr double at_an_end = samples / 4 - 1;  // that many fit between a point and the end of its interval
  static constexpr int rounds_to_a_hole = 4;  // narrower ones, of a hundred-thousandth, may be made of rounding
  double apart_, first_, least_;
  double most_before_ = 0.0, at_ = 0.0, width_ = 0.0;
  int rounds_ = 0, side_ = 0, zeros_ = 0;
  bool found_ = false, closing_in_ = false, hole_ = false;
};

}  // namespace tessera
