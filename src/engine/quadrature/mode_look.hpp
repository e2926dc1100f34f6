// Looks for other modes of an integrand in one variable: peaks apart from the highest that the intervals have met. Far out in an infinite range, and beside a peak that is narrow in a finite one,
// intervals are long in the user's coordinate, and a peak there lies between their points; but its foot shows. So a ray of points runs from the peak to each
// side: outwards the integrand falls ever faster, or as a power, and where it rises again, or falls much more slowly than before, there is something else,
// which intervals may not be short enough to have seen. In several variables: engine/cubature/mode_search.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "extrapolating_run.hpp"
#include "range_map.hpp"

namespace tessera {

using interval_list_seen = interval_list<double, int>;

// A place in the user's coordinate, and how wide what is there is about.
struct mode_place {
  double at = 0.0, width = 0.0;
};

// The highest point of a ray beside its neighbours, and the integrand there.
struct found_mode {
  double at, low, high, size;
};

// One side of a look.
class mode_ray {
 public:
  mode_ray() = default;
  // step: from one distance to the next, and the sign of the way.
  TESSERA_HD mode_ray(const mode_place &from, double step, int points, double log_height)
      : at_(from.at),
        step_(step),
        log_bend_(log_bend * log(fabs(step)) / log_step_of_bend),
        away_(from.width),
        told_away_(from.width),
        before_(log_height),
        own_(log_height),
        least_(log_height),
        left_(points) {}
  TESSERA_HD bool has_ended() const { return left_ == 0; }
  TESSERA_HD void end() { left_ = 0; }
  TESSERA_HD double next() const { return place(away_); }
  TESSERA_HD void go_on() {
    away_ *= fabs(step_);
    --left_;
  }
  // The value at the next point that has not been told. True: the one before was the highest of a rise.
  TESSERA_HD bool tell(double value) {
    const double log_size = value == 0.0 ? log_of_zero : larger_of(log(fabs(value)), log_of_zero);
    if (value * sign_ < 0.0) doubt_ += log_of_change;
    if (value != 0.0) sign_ = value < 0.0 ? -1.0 : 1.0;
    const bool has_climbed = climbs_ && !(log_size > own_);
    if (has_climbed) {
      top_ = told_away_ / fabs(step_);
      log_of_top_ = least_ = own_;
      climbs_ = false;
    } else if (!climbs_ && told_ > 1) {
      const double bend = log_size + before_ - 2.0 * own_ - log_bend_, rise = log_size - least_ - log_rise;
      climbs_ = log_size > log_of_zero && larger_of(bend, rise) > doubt_;
    }
    least_ = smaller_of(least_, log_size);
    before_ = own_;
    own_ = log_size;
    told_away_ *= fabs(step_);
    ++told_;
    return has_climbed;
  }
  // Has the last point been the highest of a rise?
  TESSERA_HD bool ends_high() {
    top_ = told_away_ / fabs(step_);
    log_of_top_ = own_;
    return climbs_;
  }
  TESSERA_HD found_mode top() const {
    const double a = place(top_ / fabs(step_)), b = place(top_ * fabs(step_));
    return {place(top_), smaller_of(a, b), larger_of(a, b), exp(log_of_top_)};
  }

 private:
  static constexpr double log_of_zero = -750.0;
  // Between steps of the ratio 1.2: the integrand falls a hundred times less than a step before, or it has risen to three times its least.
  static constexpr double log_bend = 4.605170185988092, log_step_of_bend = 0.1823215567939546,
                          log_rise = 1.0986122886681098;
  static constexpr double log_of_change = 2.302585092994046;  // an integrand that changes its sign does so all the time

  TESSERA_HD double place(double away) const { return step_ > 0.0 ? at_ + away : at_ - away; }

  double at_ = 0.0, step_ = 0.0, log_bend_ = 0.0;
  double away_ = 0.0, told_away_ = 0.0;  // of the next points that are asked for, and told
  double before_ = 0.0, own_ = 0.0, least_ = 0.0, sign_ = 0.0, doubt_ = 0.0;
  double top_ = 0.0, log_of_top_ = 0.0;
  int left_ = 0, told_ = 0;
  bool climbs_ = false;
};

class mode_look {
 public:
  static constexpr int most_asked = 14;  // points at once: no more than the smallest rule has

  // Behind so many evaluations, with so many left: how many points it may take. 0: not enough.
  TESSERA_HD static int points_after(int64 evaluations, int64 left) {
    const int64 share = evaluations / spent_per_point, wanted = share < least_points ? least_points : share;
    const int64 points = wanted < left ? wanted : left;
    return points < least_points ? 0 : static_cast<int>(points < most_points ? points : most_points);
  }
  TESSERA_HD bool is_active() const { return count_ > 0; }
  TESSERA_HD void stop() { count_ = 0; }
  // The points that are wanted next, in the coordinate that is divided, and the integrand there times the Jacobian.
  TESSERA_HD int count() const { return count_; }
  TESSERA_HD double point(int i) const { return u_[i]; }
  TESSERA_HD void set_value(int i, double value) { value_[i] = value; }

  // From the highest place in the intervals of a stretch of the range. False: there is nothing.
  TESSERA_HD TESSERA_APART bool begin(const interval_list_seen &list, const range_map &map, const interval<double> &on,
                                      int points) {
    list_ = &list;
    map_ = map;
    has_found_[0] = has_found_[1] = false;
    mode_place from;
    double height = 0.0;
    if (!find_highest(on, from, height)) return false;
    // In a finite range intervals are short enough beside what is not narrow.
    if (!map.is_infinite() && from.width > narrow * (map.upper - map.lower)) return false;
    const bool up = is_inside(from.at + from.width), down = is_inside(from.at - from.width);
    const int each = up && down ? points / 2 : points;
    const double step = exp(log(reach) / each), log_height = log(height);
    ray_ = mode_ray(from, step, up ? each : 0, log_height);
    later_ = mode_ray(from, -step, down ? each : 0, log_height);
    side_ = 0;
    source_ = from.at;
    ask();
    return is_active();
  }
  // From where it looks.
  TESSERA_HD double source() const { return source_; }
  // All values have been set. True: further points are wanted.
  TESSERA_HD TESSERA_APART bool go_on() {
    mode_ray ray = ray_;  // whose numbers are at hand
    const range_map map = map_;
    TESSERA_ROLLED
    for (int i = 0; i < count_; ++i)
      if (ray.tell(value_[i] / map.at(u_[i]).jacobian)) take(ray);
    ray_ = ray;
    ask();
    return is_active();
  }
  // Of several on a side the highest.
  TESSERA_HD bool has_found(int side) const { return has_found_[side]; }
  TESSERA_HD const found_mode &found(int side) const { return found_[side]; }
  // Is the interval there too long to have seen it?
  TESSERA_HD static bool is_unseen(const interval_list_seen &list, const range_map &map, const found_mode &m) {
    const interval<double> on = list.at(list.number_at(map.coordinate(m.at)));
    return length_of(map, on) > sight * (m.high - m.low);
  }
  // A stretch as long as such an interval on both sides.
  TESSERA_HD static interval<double> around(const found_mode &m) {
    const double more = sight * (m.high - m.low);
    return {m.low - more, m.high + more};
  }

 private:
  static constexpr int64 spent_per_point = 8;
  static constexpr int least_points = 32, most_points = 128;
  static constexpr double reach = 100.0;     // of a ray, in widths
  static constexpr double narrow = 0.1;      // of a finite range
  static constexpr double high_share = 0.1;  // of the height: what is as high makes up the width
  static constexpr double log_two = 0.6931471805599453;
  static constexpr double outermost = 0.002;  // of an interval: no point of a rule is nearer to its end
  static constexpr double sight = 2.0;        // an interval so many times as long as the stretch has seen it

  TESSERA_HD bool is_inside(double x) const {
    if (!(x > map_.lower && x < map_.upper && x >= map_.first && x <= map_.last)) return false;
    const double u = map_.coordinate(x);
    return u > 0.0 ? u >= nearest_[1] : -u >= nearest_[0];
  }
  TESSERA_HD static bool is_infinite(const range_map &map, const interval<double> &on) {
    return map.is_infinite() && (on.upper == 0.0 || (map.kind == range_kind::whole && on.lower == 0.0));
  }
  TESSERA_HD static double length_of(const range_map &map, const interval<double> &on) {
    if (!map.is_infinite()) return on.upper - on.lower;
    return is_infinite(map, on) ? infinity_value() : fabs(map.at(on.upper).x - map.at(on.lower).x);
  }
  // Of an interval its middle and the mean of the integrand there, in the user's coordinate.
  struct interval_seen {
    double middle, height, value;
  };
  TESSERA_HD interval_seen seen(const range_map &map, int i) const {
    const interval<double> on = list_->at(i);
    const double value = fabs(list_->value_of(i));
    if (!map.is_infinite() || is_infinite(map, on)) {
      const mapped_point p = map.at(0.5 * (on.lower + on.upper));
      return {p.x, value / ((on.upper - on.lower) * p.jacobian), value};
    }
    const double a = map.at(on.lower).x, b = map.at(on.upper).x;
    return {0.5 * a + 0.5 * b, value / fabs(b - a), value};
  }
  TESSERA_HD bool find_highest(const interval<double> &within, mode_place &from, double &height) {
    const range_map map = map_;
    const double none = map.is_infinite() ? 1.0 : 0.0;
    double nearest[2] = {none, none};
    TESSERA_ROLLED
    for (int i = 1; i <= list_->size(); ++i) {
      const interval<double> on = list_->at(i);
      if (map.is_infinite() && on.upper == 0.0) nearest[0] = outermost * (on.upper - on.lower);
      if (map.is_infinite() && on.lower == 0.0) nearest[1] = outermost * (on.upper - on.lower);
      const interval_seen s = seen(map, i);
      if (s.middle >= within.lower && s.middle <= within.upper && s.height > height)
        from.at = s.middle, height = s.height;
    }
    nearest_[0] = nearest[0];
    nearest_[1] = nearest[1];
    if (!(height > 0.0)) return false;
    double sum = 0.0;
    TESSERA_ROLLED
    for (int i = 1; i <= list_->size(); ++i) {
      const interval_seen s = seen(map, i);
      if (s.middle >= within.lower && s.middle <= within.upper && s.height >= high_share * height) sum += s.value;
    }
    // A power of two, so that components that hardly differ ask for the same points.
    from.width = exp(log_two * floor(log(sum / height) / log_two + 0.5));
    return from.width > 0.0 && is_finite(from.width);
  }
  TESSERA_HD void take(const mode_ray &ray) {
    const found_mode m = ray.top();
    if ((has_found_[side_] && !(m.size > found_[side_].size)) || !is_unseen(*list_, map_, m)) return;
    has_found_[side_] = true;
    found_[side_] = m;
  }
  // For the next points of a side, or of the other one.
  TESSERA_HD void ask() {
    count_ = 0;
    ask_on_side();
    if (count_ > 0 || side_ > 0) return;
    side_ = 1;
    ray_ = later_;
    ask_on_side();
  }
  TESSERA_HD void ask_on_side() {
    mode_ray ray = ray_;
    TESSERA_ROLLED
    while (count_ < most_asked && !ray.has_ended()) {
      const double x = ray.next();
      if (is_inside(x)) {
        u_[count_++] = map_.coordinate(x);
        ray.go_on();
      } else {
        ray.end();
      }
    }
    if (count_ == 0 && ray.ends_high()) take(ray);
    ray_ = ray;
  }

  const interval_list_seen *list_ = nullptr;
  range_map map_;
  double source_ = 0.0;
  mode_ray ray_, later_;  // of the side that is looked at, of the other one
  int side_ = 0;          // 0: upwards
  bool has_found_[2] = {false, false};
  found_mode found_[2] = {};
  int count_ = 0;
  double u_[most_asked] = {}, value_[most_asked] = {};
  double nearest_[2] = {1.0, 1.0};  // coordinates of negative and positive sign are no nearer to 0
};

}  // namespace tessera
