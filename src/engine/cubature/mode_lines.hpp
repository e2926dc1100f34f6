// What lines along the axes through a place say of the peak there, for whoever climbs it, and what a ray from a peak says of others. For a look at one integral (mode_search.hpp) and a check of
// many (mode_check.hpp). The sizes of an integrand are those of its values, in the coordinates of its user.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../problem.hpp"
#include "user_range.hpp"

namespace tessera {

constexpr double outside_size = -1.0;  // where the range has no points
constexpr double log_of_zero_size = -750.0;
// Without the last bits, so that of places that are equally high the first is taken on a host and on a device.
TESSERA_HD double size_of_mode(double size) { return without_last_bits(size, 24); }
TESSERA_HD double log_of_size(double size) { return size > 0.0 ? log(size) : log_of_zero_size; }

// The geometric mean of sizes to some per cent, by the leading bits of the numbers: straight lines between powers of two, in 64ths, whose sums do not depend on an order, for logarithms
// take much longer.
TESSERA_HD int64 rough_log(double size) { return size > 0.0 ? static_cast<int64>(bits_of(size) >> 46) : 0; }
TESSERA_HD double mean_of_rough_logs(int64 sum, int64 n) {
  constexpr double exponent_of_one = 1023.0, above_lines = 0.0573;  // a logarithm is above them by so much in the mean
  return n > 0 ? exp2(static_cast<double>(sum) / (64.0 * static_cast<double>(n)) - exponent_of_one + above_lines) : 0.0;
}

constexpr int steps_of_ray = 32;
constexpr int climbs_of_source = 3;             // from the rays of a mode: what stands out most
constexpr double on_the_way_to_mode = 0.75;     // of the distance of a known one from the source: it leads there
constexpr double negligible_mode = 0.01;        // holds so much of what is tolerated
constexpr double most_share_of_rays = 1.0 / 4;  // of the evaluations before
TESSERA_HD double most_rays(bool is_infinite) { return is_infinite ? 1024.0 : 256.0; }
// Of so many evaluations. A few of the most may take them all, and more a quarter of them.
TESSERA_HD double affordable_rays(bool is_infinite, int ndim, double evaluations) {
  const double all = evaluations / steps_of_ray, most = most_rays(is_infinite),
               few = smaller(0.25 * most, ndim > 2 ? 256.0 : 128.0);
  return smaller(all, larger(few, smaller(most, 0.25 * all)));
}

// Of a finite range only what is beside peaks that are narrow in it is looked through: a width of the peak, and half a width of a region there, in parts of an axis.
constexpr double narrow_peak = 0.1, small_region = 1.0 / 32;
// A small one has no more than such a part of the volume that all have in the mean, and a climb from it is not far from the top.
constexpr double share_of_small_region = 0.75;
constexpr int rounds_from_small_region = 4;
// There a climb begins with such a part of a region's half-width, so that its lines do not come to corners of regions, where the caller may have put singular points.
constexpr double off_corners = 0.9137;

// An integrand has risen so many times; or stands so many times above what it would be had it gone on falling as it did where it fell most.
constexpr double mode_rise = 3.0, log_of_mode_rise = 1.0986122886681098;
constexpr double log_of_mode_bend = 4.605170185988092;

// ---- Rays ------------------------------------------------------------------------------------------------------------

// From a width of the source each step is so many times as far as the one before; or more often so that the last comes to the end of a finite range, for widths may be very small parts of it.
constexpr double step_of_ray = 1.25, to_end_of_range = 0.98;
// way(j): a width of the source along the ray.
template <class Way>
TESSERA_HD double step_in_range(const user_range &range, int ndim, const double *from, const Way &way) {
  double room = infinity_value();
  TESSERA_ROLLED
  for (int j = 0; j < ndim; ++j) room = smaller(room, range.room(j, from[j], way(j)));
  return room < infinity_value() ? larger(step_of_ray, pow(to_end_of_range * room, 1.0 / (steps_of_ray - 1)))
                                 : step_of_ray;
}

// The sizes on a ray, one after the other: how much another foot stands out there, and where it is highest behind that. Steps grow as powers do, so that a power falls as much from each to the
// next, and all that falls ever faster than a power still more.
class foot_of_ray {
 public:
  TESSERA_HD explicit foot_of_ray(double log_size_of_source) : least_(log_size_of_source) {}
  TESSERA_HD void tell(double size) {
    const double by = stands_out_by(size);
    if ((by > 0.0 && !(by_ > 0.0)) || (by_ > 0.0 && size > size_)) top_ = told_, size_ = size;
    if (by > by_) by_ = by;
    ++told_;
  }
  TESSERA_HD double by() const { return by_; }  // as a logarithm; 0: there is none
  TESSERA_HD int top() const { return top_; }   // step
  TESSERA_HD double size() const { return size_; }

 private:
  // At the next point; 0 and less: there is no foot.
  TESSERA_HD double stands_out_by(double size) {
    const double next = log_of_size(size);
    double by = 0.0;
    if (told_ > 1) {
      expected_ -= fall_;
      by = larger(next - expected_ - log_of_mode_bend, next - least_ - log_of_mode_rise);
      if (!(size > 0.0)) by = 0.0;
      least_ = smaller(least_, own_);
    }
    if (told_ > 0 && (told_ == 1 || own_ - next > fall_)) {
      fall_ = own_ - next;
      expected_ = next;
    }
    own_ = next;
    return by;
  }

  double least_, own_ = 0.0;
  double fall_ = 0.0, expected_ = 0.0;  // the most of any step, and where it would have come to from there
  double by_ = 0.0, size_ = 0.0;
  int top_ = 0, told_ = 0;
};

// ---- Lines along the axes --------------------------------------------------------------------------------------------

constexpr int doublings_on_line = 4;  // from a width, outwards and inwards
constexpr int points_on_side = 2 * doublings_on_line + 1, points_on_line = 2 * points_on_side;
constexpr int most_climb_rounds = 10;

// From the place to point i of a line, from nearby outwards, to one side and then to the other.
TESSERA_HD double offset_on_line(double width, int i) {
  const double away =
      width * static_cast<double>(1 << (i % points_on_side)) / static_cast<double>(1 << doublings_on_line);
  return i < points_on_side ? away : -away;
}

// Not through a valley to where another peak is.
TESSERA_HD int highest_within_reach(const double *sizes, double at_centre) {
  int top = 0;
  for (int first = 0; first <= points_on_side; first += points_on_side) {
    double highest = at_centre;
    TESSERA_ROLLED
    for (int i = first; i < first + points_on_side && sizes[i] * mode_rise >= highest; ++i) {
      highest = larger(highest, sizes[i]);
      if (sizes[i] > sizes[top]) top = i;
    }
  }
  return top;
}
// In an infinite range a peak is as wide as on its steeper side. In a finite one as on the other: beside a jump it is not narrow, along whose edge there would be one peak next to the other.
enum class peak_side { steeper, flatter };
TESSERA_HD double on_side(peak_side side, double a, double b) {
  if (a == outside_size || b == outside_size) return a == outside_size ? b : a;
  return side == peak_side::steeper ? smaller(a, b) : larger(a, b);
}
// Of a normal density: where it has fallen to the square of 1/e, over where it has fallen to so much.
TESSERA_HD double width_over(double fallen) {
  return sqrt(2.0 / smaller(larger(-log(larger(fallen, 1e-300)), 0.125), 700.0));
}

// A peak is as wide as the distance at which it has fallen to so much.
constexpr double falls_to = 0.1353352832366127;
// What the sizes on a line tell a climb, beside that at the place itself.
struct climb_on_line {
  int top;       // the point where it is highest
  bool goes_on;  // there, for that is higher than the place
  double width;  // of the peak
};
TESSERA_HD climb_on_line climb_line(const double *sizes, double at_centre, double width, peak_side side) {
  constexpr double better = 1.05;
  const int top = highest_within_reach(sizes, at_centre);
  if (sizes[top] > better * at_centre) {
    const bool at_end = top % points_on_side == points_on_side - 1;
    return {top, true, at_end ? width * static_cast<double>(1 << doublings_on_line) : width};
  }
  int i = 0;
  TESSERA_ROLLED
  while (i + 1 < points_on_side && on_side(side, sizes[i], sizes[points_on_side + i]) > falls_to * at_centre) ++i;
  const double fallen = on_side(side, sizes[i], sizes[points_on_side + i]);
  // At half the distance it had not fallen so far: no farther in, however far it falls from there, as at a jump.
  const double part = fallen == outside_size ? 1.0 : larger(width_over(fallen / at_centre), i > 0 ? 0.5 : 0.0);
  return {top, false, fabs(offset_on_line(width, i)) * part};
}

// ---- Places that climbs have come to, with the widths there ------------------------------------------------------------

// From one to another, in such widths.
TESSERA_HD double distance_of_places(int ndim, const double *a, const double *b, const double *widths) {
  double sum = 0.0;
  TESSERA_ROLLED
  for (int j = 0; j < ndim; ++j) {
    const double d = (a[j] - b[j]) / widths[j];
    sum += d * d;
  }
  return sqrt(sum);
}
// Is a place, seen from a source, on the way to a known one?
TESSERA_HD bool is_on_the_way(int ndim, const double *place, const double *known, const double *source,
                              const double *widths_of_source) {
  const double away = distance_of_places(ndim, source, known, widths_of_source);
  return distance_of_places(ndim, place, known, widths_of_source) <= larger(1.0, on_the_way_to_mode * away);
}
// Are two places one mode?
TESSERA_HD bool is_same_mode(int ndim, const double *a, const double *widths_of_a, const double *b,
                             const double *widths_of_b) {
  double sum = 0.0;
  TESSERA_ROLLED
  for (int j = 0; j < ndim; ++j) {
    const double d = (a[j] - b[j]) / larger(widths_of_a[j], widths_of_b[j]);
    sum += d * d;
  }
  return sum < 1.0;
}
// The part of the box that is so many widths or less from a place along each axis.
TESSERA_HD double share_near(const user_range &range, int ndim, const double *at, const double *width, double widths) {
  double share = 1.0;
  TESSERA_ROLLED
  for (int j = 0; j < ndim; ++j) {
    const stretch_of_axis t = range.to_box(j, at[j] - widths * width[j], at[j] + widths * width[j]);
    share *= (t.last - t.first) / range.length_of_box(j);
  }
  return share;
}
// Not where there is a narrow one upon a wide one.
TESSERA_HD bool is_alike_mode(const user_range &range, int ndim, const double *a, const double *widths_of_a,
                              const double *b, const double *widths_of_b) {
  constexpr double other_sizes = 100.0;
  if (!is_same_mode(ndim, a, widths_of_a, b, widths_of_b)) return false;
  const double share_of_a = share_near(range, ndim, a, widths_of_a, 1.0),
               share_of_b = share_near(range, ndim, b, widths_of_b, 1.0);
  return share_of_a <= other_sizes * share_of_b && share_of_b <= other_sizes * share_of_a;
}
// Is a place from which nobody has climbed no higher than a normal density would be there that has the top and the widths of a peak?
TESSERA_HD bool is_part_of_peak(int ndim, const double *place, double size, const double *peak, const double *widths,
                                double top) {
  constexpr double close = 1.05;
  const double away = distance_of_places(ndim, place, peak, widths);
  return away < 1.0 && size <= close * top * exp(-2.0 * away * away);
}
// Of a finite range: is a peak narrow along an axis?
TESSERA_HD bool is_narrow_peak(const user_range &range, int ndim, const double *widths) {
  bool any = false;
  TESSERA_ROLLED
  for (int j = 0; j < ndim; ++j) any = any || widths[j] < narrow_peak * range.length_of_box(j);
  return any;
}
// Has a region, one of so many, been divided so often along an axis that a peak there may be narrow, and more often than others? half(j): its half-widths.
template <class Half>
TESSERA_HD bool is_small_region(const user_range &range, int ndim, const Half &half, int64 regions) {
  double share = 1.0;
  bool small = false;
  TESSERA_ROLLED
  for (int j = 0; j < ndim; ++j) {
    const double all = range.length_of_box(j);
    share *= 2.0 * half(j) / all;
    small = small || half(j) < small_region * all;
  }
  return small && share * static_cast<double>(regions) < share_of_small_region;
}
// At a usual place (usual_places.hpp) an integrand stands out if it is so many times what it is in the mean, by the value of the run and by the geometric mean of all of them, for the first may be next to nothing. Such a part of the evaluations before may be spent on them, and so many are climbed from; and upon a top so often.
constexpr double stands_out = 30.0, share_of_places = 1.0 / 7, first_width_there = 1.0 / 64, no_width = 1e-9;
constexpr int climbs_of_places = 4, most_climbs_upon = 3;
// Places are a little beside a corner, or an end of an infinite range, and once more much nearer, where it is narrow; in parts of an axis, or in units.
constexpr double near_place = 1.0 / 256, nearer_place = 1.0 / 131072;
// What rises to a corner of a finite range has its top there, where usual places are: is a place no farther from one than near(j) along each axis?
template <class Near>
TESSERA_HD bool is_in_corner(const user_range &range, int ndim, const double *at, const Near &near) {
  bool is = !range.is_infinite();
  TESSERA_ROLLED
  for (int j = 0; j < ndim; ++j) {
    const double from_end = at[j] - range.at_part(j, 0.0);
    is = is && (from_end <= near(j) || range.length_of_box(j) - from_end <= near(j));
  }
  return is;
}
// Of usual places: is one beside a corner?
TESSERA_HD bool is_beside_corner(const user_range &range, int ndim, const double *at) {
  constexpr double farthest = 1.25 * near_place;
  return is_in_corner(range, ndim, at, [&range](int j) { return farthest * range.length_of_box(j); });
}
// Multiples of the golden ratio, whose fractions are spread evenly.
TESSERA_HD double part_of_turn(int n) {
  const double turns = 0.6180339887498949 * n;
  return turns - floor(turns);
}
// Beside the end of a finite range, or 0 in an infinite one, that a place there is near in its widths, nearer to that. A peak is about as high there; what rises on is singular at the end, which the points of rules near faces have shown.
TESSERA_HD double nearer_to_end(const user_range &range, int j, double at, double width) {
  constexpr double near = 1.0, nearer = 0.9375;
  if (range.is_mapped(j)) return fabs(at) < near * width ? (1.0 - nearer) * at : at;
  const double up = range.room(j, at, width), down = range.room(j, at, -width);
  return at + nearer * width * ((up < near ? up : 0.0) - (down < near ? down : 0.0));
}
// Does a mode hold something beside what is tolerated? size: in units of that. In a finite range.
TESSERA_HD bool holds_something(int ndim, double size, const double *widths) {
  double log_held = log(size);
  TESSERA_ROLLED
  for (int j = 0; j < ndim; ++j) log_held += log(widths[j]);
  return log_held > log(negligible_mode);
}
// Or beside the first?
TESSERA_HD bool matters_beside(const run_settings &set, double size, const double *widths, double size_of_first,
                               const double *widths_of_first) {
  double log_share = log(size / size_of_first);
  TESSERA_ROLLED
  for (int j = 0; j < set.ndim; ++j) log_share += log(widths[j] / widths_of_first[j]);
  return set.abstol > 0.0 || log_share > log(negligible_mode * set.reltol);
}

}  // namespace tessera
