// Looks for other modes of an integrand in one variable over an infinite range: peaks apart from the highest that the intervals have met. Far out
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
  TESSERA_HD void begin(const mode_place &from, double step, int points, double log_height) {
    from_ = from;
    step_ = step;
    left_ = points;
    away_ = from.width;
    before_ = own_ = least_ = log_height;
    told_ = 0;
    climbs_ = has_found_ = false;
    sign_ = doubt_ = 0.0;
    log_bend_ = log_bend * log(fabs(step)) / log_step_of_bend;
  }
  TESSERA_HD bool has_ended() const { return left_ == 0; }
  TESSERA_HD void end() { left_ = 0; }
  TESSERA_HD double next() const { return place(away_); }
  TESSERA_HD void go_on() {
    away_ *= fabs(step_);
    --left_;
  }
  // The value at the next point. unseen(mode): has no interval seen what may be there?
  template <class Unseen>
  TESSERA_HD void tell(double value, double away, const Unseen &unseen) {
    const double log_size = value == 0.0 ? log_of_zero : larger_of(log(fabs(value)), log_of_zero);
    if (value * sign_ < 0.0) doubt_ += log_of_change;
    if (value != 0.0) sign_ = value < 0.0 ? -1.0 : 1.0;
    if (climbs_ && log_size > own_) {
      top_ = away;
    } else if (climbs_) {
      settle(unseen);
      least_ = own_;
    } else if (told_ > 1) {
      const double bend = log_size + before_ - 2.0 * own_ - log_bend_, rise = log_size - least_ - log_rise;
      climbs_ = log_size > log_of_zero && larger_of(bend, rise) > doubt_;
      top_ = away;
    }
    least_ = smaller_of(least_, log_size);
    before_ = own_;
    own_ = log_size;
    ++told_;
  }
  template <class Unseen>
  TESSERA_HD void settle(const Unseen &unseen) {
    if (!climbs_) return;
    climbs_ = false;
    const double a = place(top_ / fabs(step_)), b = place(top_ * fabs(step_));
    const found_mode m = {place(top_), smaller_of(a, b), larger_of(a, b), exp(own_)};
    if ((has_found_ && !(m.size > found_.size)) || !unseen(m)) return;
    has_found_ = true;
    found_ = m;
  }
  // Of several the highest.
  TESSERA_HD bool has_found() const { return has_found_; }
  TESSERA_HD const found_mode &found() const { return found_; }
  TESSERA_HD double away() const { return away_; }

 private:
  static constexpr double log_of_zero = -750.0;
  // Between steps of the ratio 1.2: the integrand falls a hundred times less than a step before, or it has risen to three times its least.
  static constexpr double log_bend = 4.605170185988092, log_step_of_bend = 0.1823215567939546,
                          log_rise = 1.0986122886681098;
  static constexpr double log_of_change =
      2.302585092994046;  // an integrand that oscillates rises, and falls less, all the time

  TESSERA_HD double place(double away) const { return step_ > 0.0 ? from_.at + away : from_.at - away; }

  mode_place from_;
  double step_ = 0.0;  // negative: downwards
  double away_ = 0.0, before_ = 0.0, own_ = 0.0, least_ = 0.0, log_bend_ = 0.0;
  double sign_ = 0.0, doubt_ = 0.0;
  double top_ = 0.0;
  found_mode found_ = {0.0, 0.0, 0.0, 0.0};
  int left_ = 0, told_ = 0;
  bool climbs_ = false, has_found_ = false;
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

  // From the highest place in the intervals between on.low and on.high. False: there is nothing.
  TESSERA_HD TESSERA_APART bool begin(const interval_list_seen &list, const range_map &map, const found_mode &on,
                                      int points) {
    list_ = &list;
    map_ = map;
    mode_place from;
    double height = 0.0;
    if (!find_highest(on.low, on.high, from, height)) return false;
    const bool up = is_inside(from.at + from.width), down = is_inside(from.at - from.width);
    const int each = up && down ? points / 2 : points;
    const double step = exp(log(reach) / each);
    sides_[0].begin(from, step, up ? each : 0, log(height));
    sides_[1].begin(from, -step, down ? each : 0, log(height));
    ask();
    return is_active();
  }
  // All values have been set. True: further points are wanted.
  TESSERA_HD TESSERA_APART bool go_on() {
    TESSERA_ROLLED
    for (int i = 0; i < count_; ++i) {
      const double value = value_[i] / map_.at(u_[i]).jacobian;
      sides_[side_[i]].tell(value, away_[i], [this](const found_mode &m) { return is_unseen(*list_, map_, m); });
    }
    ask();
    if (is_active()) return true;
    for (mode_ray &side : sides_) side.settle([this](const found_mode &m) { return is_unseen(*list_, map_, m); });
    return false;
  }
  TESSERA_HD bool has_found(int side) const { return sides_[side].has_found(); }
  TESSERA_HD const found_mode &found(int side) const { return sides_[side].found(); }
  // Is the interval there too long to have seen it?
  TESSERA_HD static bool is_unseen(const interval_list_seen &list, const range_map &map, const found_mode &m) {
    const interval<double> on = list.at(list.number_at(map.coordinate(m.at)));
    return length_of(map, on) > sight * (m.high - m.low);
  }
  // A stretch as long as such an interval on both sides.
  TESSERA_HD static found_mode around(const found_mode &m) {
    const double more = sight * (m.high - m.low);
    return {m.at, m.low - more, m.high + more, m.size};
  }

 private:
  TESSERA_HD bool is_inside(double x) const {
    if (!(x > map_.lower && x < map_.upper && x >= map_.first && x <= map_.last)) return false;
    const double u = map_.coordinate(x);
    return u > 0.0 ? u >= nearest_[1] : -u >= nearest_[0];
  }

  static constexpr int64 spent_per_point = 8;
  static constexpr int least_points = 32, most_points = 128;
  static constexpr double reach = 100.0;     // of a ray, in widths
  static constexpr double high_share = 0.1;  // of the height: what is as high makes up the width
  static constexpr double log_two = 0.6931471805599453;
  static constexpr double outermost = 0.002;  // of an interval: no point of a rule is nearer to its end
  static constexpr double sight = 2.0;        // an interval so many times as long as the stretch has seen it

  TESSERA_HD static double length_of(const range_map &map, const interval<double> &on) {
    const bool is_infinite = on.upper == 0.0 || (map.kind == range_kind::whole && on.lower == 0.0);
    return is_infinite ? infinity_value() : fabs(map.at(on.upper).x - map.at(on.lower).x);
  }
  // The mean of the integrand over an interval.
  TESSERA_HD double height_of(int i) const {
    const interval<double> on = list_->at(i);
    const double length = length_of(map_, on), value = fabs(list_->value_of(i));
    if (length < infinity_value()) return value / length;
    const double middle = 0.5 * (on.lower + on.upper);
    return value / ((on.upper - on.lower) * map_.at(middle).jacobian);
  }
  TESSERA_HD double middle_of(int i) const {
    const interval<double> on = list_->at(i);
    if (length_of(map_, on) < infinity_value()) return 0.5 * map_.at(on.lower).x + 0.5 * map_.at(on.upper).x;
    return map_.at(0.5 * (on.lower + on.upper)).x;
  }
  TESSERA_HD bool find_highest(double low, double high, mode_place &from, double &height) {
    int best = 0;
    nearest_[0] = nearest_[1] = 1.0;
    for (int i = 1; i <= list_->size(); ++i) {
      const interval<double> on = list_->at(i);
      if (on.upper == 0.0) nearest_[0] = outermost * (on.upper - on.lower);
      if (on.lower == 0.0) nearest_[1] = outermost * (on.upper - on.lower);
      const double own = height_of(i), at = middle_of(i);
      if (at >= low && at <= high && own > height) best = i, height = own;
    }
    if (best == 0) return false;
    double sum = 0.0;
    for (int i = 1; i <= list_->size(); ++i) {
      const double at = middle_of(i);
      if (at >= low && at <= high && height_of(i) >= high_share * height) sum += fabs(list_->value_of(i));
    }
    // A power of two, so that components that hardly differ ask for the same points.
    from = {middle_of(best), exp(log_two * floor(log(sum / height) / log_two + 0.5))};
    return from.width > 0.0 && is_finite(from.width);
  }
  // For the next points, from both sides in turn as far as they go.
  TESSERA_HD void ask() {
    count_ = 0;
    TESSERA_ROLLED
    while (count_ < most_asked && !(sides_[0].has_ended() && sides_[1].has_ended()))
      for (int s = 0; s < 2 && count_ < most_asked; ++s) ask_side(s);
  }
  TESSERA_HD void ask_side(int s) {
    mode_ray &side = sides_[s];
    if (side.has_ended()) return;
    const double x = side.next();
    if (!is_inside(x)) {
      side.end();
      return;
    }
    u_[count_] = map_.coordinate(x);
    side_[count_] = s;
    away_[count_++] = side.away();
    side.go_on();
  }

  const interval_list_seen *list_ = nullptr;
  range_map map_;
  mode_ray sides_[2];  // upwards, downwards
  int count_ = 0, side_[most_asked] = {};
  double u_[most_asked] = {}, away_[most_asked] = {}, value_[most_asked] = {};
  double nearest_[2] = {1.0, 1.0};  // coordinates of negative and positive sign are no nearer to 0
};

}  // namespace tessera
