// Does another mode show beside what the regions of an integral have met? For integrals that are run many at a time by the steps alone: the first look of mode_search.hpp, from the densest
// region, by the lanes of a team. One beside which something shows is left to a run of its own, whose driver looks through the range to the end.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bulk_state.hpp"
#include "climb_along_axes.hpp"
#include "jump_reach.hpp"
#include "mode_lines.hpp"
#include "place_lines.hpp"
#include "range_ends.hpp"
#include "top_along_axes.hpp"
#include "user_range.hpp"

namespace tessera {

// The first mode, those that rays have led to, and where a climb is.
constexpr int places_of_check = 2 + climbs_of_source;
// Numbers that a check with so many rays and usual places by so many lanes works with.
TESSERA_HD int64 numbers_of_check(int ndim, int rays, int places, int lanes) {
  const int64 of_rays = rays > lanes ? rays : lanes;
  return climb_memory::numbers(ndim) + (2 * places_of_check + 3) * int64{ndim} + 3 * of_rays + places;
}

// Where all checks in so many variables look.
struct looks_of_checks {
  const double *directions;  // [rays][ndim]: unit vectors
  int rays;
  const double *places;  // [place_count][ndim]: usual places (usual_places.hpp), as parts of the axes
  int place_count;
  int first_line, lines,
      rows;  // lines along axes 0 ... lines-1, from that place on; behind them rows, and points that are spread
  const uint64 *axes;  // [choices] of those with an end (range_ends.hpp), at most half as many as rays
  int choices;
};

// Size: size(box point) is the largest of all components' |value| times weight there, with the Jacobian of the axes; NaN where one is not finite. All functions are collective.
template <class Team, class Size>
class mode_check {
 public:
  // weights[ncomp]: one over what is tolerated. numbers: numbers_of_check, the team's.
  TESSERA_HD mode_check(Team &team, const bulk_state &state, const user_range &range, const double *weights,
                        const looks_of_checks &looks, double *numbers, const Size &size)
      : team_(team),
        st_(state),
        range_(range),
        weights_(weights),
        looks_(looks),
        nd_(state.set.ndim),
        rays_(affordable(looks.rays)),
        size_(size),
        climb_(climb_memory::in(numbers, state.set.ndim)) {
    numbers += climb_memory::numbers(nd_);
    const auto take = [&](double *&to, int64 n) {
      to = numbers;
      numbers += n;
    };
    take(places_, 2 * places_of_check * int64{nd_});
    take(ways_, nd_);
    take(box_, 2 * int64{nd_});
    const int64 of_rays = looks.rays > team.lanes() ? looks.rays : team.lanes();
    take(foot_, of_rays);
    take(height_, of_rays);
    take(step_, of_rays);
    take(seen_, looks.place_count);
  }

  // Is what it takes affordable? Else there is none.
  TESSERA_HD bool is_owed() const {
    return rays_ >= 2 * nd_ && st_.retired_count == 0 && st_.count > 0 &&
           (range_.is_infinite() || st_.set.looks_in_finite_ranges);
  }
  // True also where the integrand is not finite at a point. `points` it has then been evaluated at.
  TESSERA_HD TESSERA_APART bool shows_another(int64 &points) {
    const bool shows = is_another_seen();
    points = team_.total(points_);
    return team_.total(int64{is_bad_ ? 1 : 0}) > 0 || shows;
  }

 private:
  TESSERA_HD double *at(int place) const { return places_ + 2 * place * int64{nd_}; }
  TESSERA_HD double *width(int place) const { return at(place) + nd_; }

  TESSERA_HD int affordable(int rays) const {
    // Climbs take a few rounds of lines each.
    const double lines = (1.0 + climbs_of_source) * 3.0 * points_on_line * nd_;
    const double left = static_cast<double>(st_.set.maxeval - st_.evaluations) - lines;
    double n = affordable_rays(range_.is_infinite(), nd_, most_share_of_rays * static_cast<double>(st_.evaluations));
    n = smaller(larger(n, 2.0 * nd_), left / steps_of_ray);
    return n < 0.0 ? 0 : n < rays ? static_cast<int>(n) : rays;
  }

  // In the coordinates of the user; y(j): those of the point.
  template <class Coordinate>
  TESSERA_HD double size_at(const Coordinate &y) {
    double t[max_cubature_ndim], stretched = 1.0;
    TESSERA_ROLLED
    for (int j = 0; j < nd_; ++j) {
      const double own = y(j);
      if (!range_.is_inside(j, own)) return outside_size;
      t[j] = range_.to_box(j, own);
      stretched *= range_.stretch(j, t[j]);
    }
    const double size = size_(static_cast<const double *>(t));
    ++points_;
    if (!(size < infinity_value())) is_bad_ = true;
    return size_of_mode(size / stretched);
  }

  TESSERA_HD bool is_another_seen() { return is_another_at_usual_places() || is_another_around(); }

  // In a finite range: is there something at usual places that no region has met?
  TESSERA_HD bool is_another_at_usual_places() {
    if (range_.is_infinite()) return false;
    const int count = affordable_looks(looks_.place_count, 1);
    int64 logs = 0;
    TESSERA_ROLLED
    for (int n = team_.lane(); n < count; n += team_.lanes()) {
      seen_[n] = size_at([this, n](int j) { return at_place(n, j); });
      logs += rough_log(seen_[n]);
    }
    const double mean = larger(mean_size(), mean_of_rough_logs(team_.total(logs), count));
    return is_peak_at_places(count, stands_out * mean) || is_rise_on_lines(count) ||
           is_rise_at_spread_places(count, stands_out_a_little * mean) || is_peak_upon_highest_place(count) ||
           is_jump_in_rows(count);
  }
  // Of the places from one on that are higher than that a lane tells of the one where the integrand is highest. Is there any?
  TESSERA_HD bool tell_highest(int first, int count, double least) {
    double best = least;
    int highest = -1;
    TESSERA_ROLLED
    for (int n = first + team_.lane(); n < count; n += team_.lanes())
      if (seen_[n] > best) best = seen_[n], highest = n;
    return tell_place(highest, best);
  }
  // A lane tells of a place, for next_foot, or of none: -1. Has any one?
  TESSERA_HD bool tell_place(int place, double by) {
    team_.meet();
    foot_[team_.lane()] = place < 0 ? 0.0 : by;
    step_[team_.lane()] = place;
    return team_.total(int64{place < 0 ? 0 : 1}) > 0;
  }
  // Does the integrand stand out where no region has met that?
  TESSERA_HD bool is_peak_at_places(int count, double least) {
    if (!tell_highest(0, count, least)) return false;
    TESSERA_ROLLED
    for (int climbs = 0; climbs < climbs_of_places; ++climbs) {
      const int lane = next_foot(team_.lanes());
      if (lane < 0) break;
      const int n = static_cast<int>(step_[lane]);
      const double height = seen_[n];
      put_at_place(n, no_width);
      if (!is_unseen(0, height)) continue;  // by any region, however narrow it is
      put_at_place(n, first_width_there);
      const double top = climb(0, height, most_climb_rounds);
      if (is_unseen_mode(0, top)) return true;
    }
    return false;
  }
  // In a finite range: is what a climb has come to one that no region has met?
  TESSERA_HD bool is_unseen_mode(int place, double top) {
    return holds_something(nd_, top, width(place)) &&
           share_near(range_, nd_, at(place), width(place), 1.0) * static_cast<double>(st_.count) <= 1.0 &&
           !rises_on(place, top) && is_unseen(place, top);
  }
  // Does something stand upon the top of what is highest there?
  TESSERA_HD bool is_peak_upon_highest_place(int count) {
    if (!tell_highest(0, count, 0.0)) return false;
    const int n = static_cast<int>(step_[next_foot(team_.lanes())]);
    put_at_place(n, 0.25);
    return !is_beside_corner(range_, nd_, at(0)) &&
           is_peak_upon(0, seen_[n], [this](double top) { return is_unseen_mode(0, top); });
  }
  // From far down the flank the first climb may lead to the top alone. is_mode(top): is what it has come to one?
  template <class Mode>
  TESSERA_HD bool is_peak_upon(int place, double size, const Mode &is_mode) {
    shared_points points = {*this};
    TESSERA_ROLLED
    for (int climbs = 0; climbs < most_climbs_upon; ++climbs) {
      if (!find_upon_top(team_, nd_, climb_, points, range_, at(place), width(place), size)) return false;
      size = climb(place, size, most_climb_rounds);
      if (is_mode(size)) return true;
    }
    return false;
  }
  // Does a line show something that is narrow along its axis, where a region is too wide to tell?
  TESSERA_HD bool is_rise_on_lines(int count) {
    double *const apart = ways_;
    team_.meet();
    TESSERA_ROLLED
    for (int along = team_.lane(); along < looks_.lines; along += team_.lanes()) {
      const int line = looks_.first_line + along * places_on_line;
      const rise_on_line seen =
          line + places_on_line <= count ? find_rise(seen_ + line, places_on_line) : rise_on_line{0, 0, 0.0};
      foot_[along] = height_[along] = seen.above;
      step_[along] = line + seen.at;
      apart[along] = range_.length_of_box(along) * seen.apart / places_on_line;
    }
    team_.meet();
    TESSERA_ROLLED
    for (;;) {
      const int along = next_foot(looks_.lines);
      if (along < 0) return false;
      if (is_unmet_rise(static_cast<int>(step_[along]), along, height_[along], apart[along])) return true;
    }
  }
  // Or is a place, one of those behind the lines, narrow along an axis where it stands out a little?
  TESSERA_HD bool is_rise_at_spread_places(int count, double least) {
    if (!tell_highest(looks_.first_line + looks_.lines * places_on_line, count, least)) return false;
    TESSERA_ROLLED
    for (int looks = 0; looks < climbs_of_places; ++looks) {
      const int lane = next_foot(team_.lanes());
      if (lane < 0) break;
      const int n = static_cast<int>(step_[lane]);
      put_at_place(n, narrow_beside);
      double *const sides = climb_.sizes;  // [axis][2]
      TESSERA_ROLLED
      for (int i = team_.lane(); i < 2 * nd_; i += team_.lanes()) {
        const double by = i % 2 == 0 ? -width(0)[i / 2] : width(0)[i / 2];
        sides[i] = size_at([this, i, by](int j) { return at(0)[j] + (j == i / 2 ? by : 0.0); });
      }
      team_.meet();
      const fall_beside fall = find_fall(sides, nd_, seen_[n]);
      if (fall.axis >= 0 &&
          is_unmet_rise(n, fall.axis, seen_[n] - fall.beside, narrow_beside * range_.length_of_box(fall.axis)))
        return true;
    }
    return false;
  }
  // At a place the integrand is higher by so much than so far away along an axis, on both sides. Would that hold something if it goes on along all others, and is a region there too wide to tell?
  TESSERA_HD bool is_unmet_rise(int n, int along, double above, double apart) {
    put_at_place(n, 1.0);
    if (team_.lane() == 0) width(0)[along] = apart;
    team_.meet();
    if (!holds_something(nd_, above, width(0))) return false;
    bool any = false;
    TESSERA_ROLLED
    for (int64 i = team_.lane(); i < st_.count; i += team_.lanes()) {
      bool is_here = st_.regions.half(i, along) > 0.5 * too_wide * apart;
      TESSERA_ROLLED
      for (int j = 0; j < nd_; ++j)
        is_here =
            is_here && fabs(range_.to_box(j, at(0)[j]) - st_.regions.centre(i, j)) <= touching * st_.regions.half(i, j);
      any = any || is_here;
    }
    return team_.total(int64{any ? 1 : 0}) > 0;
  }
  // Is there something behind a jump (jump_reach.hpp) where a region is too wide to tell?
  TESSERA_HD bool is_jump_in_rows(int count) {
    const int end = looks_.first_line + looks_.lines * places_on_line + looks_.rows * places_in_row;
    const double least = least_rough / range_.volume_of_box();
    double best = least;
    int place = -1;
    TESSERA_ROLLED
    for (int row = looks_.first_line + places_in_row * team_.lane(); row + places_in_row <= (count < end ? count : end);
         row += places_in_row * team_.lanes()) {
      const double *const sizes = seen_ + row;
      const jump_in_row jump = find_jump([sizes](int i) { return sizes[i]; }, least);
      if (jump.rough > best) best = jump.rough, place = row + jump.at;
    }
    if (!tell_place(place, best)) return false;
    TESSERA_ROLLED
    for (int looks = 0; looks < climbs_of_places; ++looks) {
      const int lane = next_foot(team_.lanes());
      if (lane < 0) break;
      if (is_unmet_box(static_cast<int>(step_[lane]))) return true;
    }
    return false;
  }
  // Between a place and the next: is there a jump, and behind it a box that a region is wider than?
  TESSERA_HD bool is_unmet_box(int n) {
    const double sizes[2] = {seen_[n], seen_[n + 1]};
    team_.meet();
    TESSERA_ROLLED
    for (int i = team_.lane(); i < 2 * nd_; i += team_.lanes()) at(i / nd_)[i % nd_] = at_place(n + i / nd_, i % nd_);
    team_.meet();
    double *const between = climb_.sizes;
    TESSERA_ROLLED
    for (int i = 1 + team_.lane(); i < parts_between_places; i += team_.lanes())
      between[i] = size_at([this, i](int j) { return at(0)[j] + (at(1)[j] - at(0)[j]) * i / parts_between_places; });
    team_.meet();
    if (!is_at_once([between](int i) { return between[i]; }, sizes[0], sizes[1])) return false;
    team_.meet();
    double *const ends = climb_.sizes;  // [side][axis][way]
    TESSERA_ROLLED
    for (int i = team_.lane(); i < 4 * nd_; i += team_.lanes()) {
      const int side = i / (2 * nd_);
      ends[i] = end_of_box(side, i % (2 * nd_), sizes[side], sizes[1 - side]);
    }
    team_.meet();
    const int inner = inner_side(range_, nd_, ends);
    if (inner < 0) return false;
    TESSERA_ROLLED
    for (int j = team_.lane(); j < nd_; j += team_.lanes()) {
      const double down = ends[2 * (inner * nd_ + j)], up = ends[2 * (inner * nd_ + j) + 1];
      width(inner)[j] = down + up;
      at(inner)[j] += 0.5 * (up - down);
    }
    team_.meet();
    if (!holds_something(nd_, fabs(sizes[1] - sizes[0]), width(inner))) return false;
    constexpr double met_edges = 0.1;  // has a region with an error of so much of what the box holds in it
    bool any = false;
    TESSERA_ROLLED
    for (int64 i = team_.lane(); i < st_.count; i += team_.lanes()) {
      bool is_wide = false;
      double held = fabs(sizes[1] - sizes[0]), error = 0.0;  // of the box in the region
      TESSERA_ROLLED
      for (int j = 0; j < nd_; ++j) {
        const double half = st_.regions.half(i, j), whole = width(inner)[j];
        const double beyond = half + next_to_end * whole - fabs(at(inner)[j] - st_.regions.centre(i, j));
        held *= larger(0.0, smaller(beyond, smaller(2.0 * half, whole)));
        is_wide = is_wide || half > 0.5 * too_wide * width_of_landmark * whole;
      }
      TESSERA_ROLLED
      for (int k = 0; k < st_.set.ncomp; ++k) error = larger(error, st_.regions.error(i, k) * weights_[k]);
      any = any || (is_wide && held > 0.0 && error < met_edges * held);
    }
    return team_.total(int64{any ? 1 : 0}) > 0;
  }
  // Reach r, an axis and a way, from a place of that size beside one of the other; one lane.
  TESSERA_HD double end_of_box(int place, int r, double own, double other) {
    const int axis = r / 2;
    const double way = way_of_reach(r % 2), room = room_of_reach(range_, axis, at(place)[axis], r % 2),
                 length = range_.length_of_box(axis);
    const auto size_there = [&](double away) {
      return size_at([this, place, axis, by = way * away](int j) { return at(place)[j] + (j == axis ? by : 0.0); });
    };
    jump_reach to = find_reach([&](int h) { return size_there(away_on_reach(length, h)); }, own, other, length, room);
    TESSERA_ROLLED
    for (int round = 0; round < rounds_of_reach && to.least < to.most; ++round)
      come_closer(to, size_there(middle_of_reach(to)), own, other);
    return end_of_reach(to, own, other, room);
  }
  TESSERA_HD double at_place(int n, int j) const { return range_.at_part(j, looks_.places[n * nd_ + j]); }
  // width: in parts of the axes.
  TESSERA_HD void put_at_place(int n, double width_there) {
    team_.meet();
    TESSERA_ROLLED
    for (int j = team_.lane(); j < nd_; j += team_.lanes()) {
      at(0)[j] = at_place(n, j);
      width(0)[j] = width_there * range_.length_of_box(j);
    }
    team_.meet();
  }
  TESSERA_HD bool rises_on(int place, double size) {
    bool any = false;
    TESSERA_ROLLED
    for (int moved = 0; moved <= nd_ && !any; ++moved) {  // along each of the axes, and along all
      any =
          told([this, place, moved](int j) {
            return moved == nd_ || moved == j ? nearer_to_end(range_, j, at(place)[j], width(place)[j]) : at(place)[j];
          }) > mode_rise * size;
      team_.meet();
    }
    return any;
  }
  // So many places, or choices of axes, each of so many points.
  TESSERA_HD int affordable_looks(int count, int points) const {
    // Rays and what is climbed from them may come behind.
    const double left = static_cast<double>(st_.set.maxeval - st_.evaluations) - rays_ * double{steps_of_ray} -
                        (1.0 + climbs_of_source + climbs_of_places) * 3.0 * points_on_line * nd_;
    const double n = smaller(share_of_places * static_cast<double>(st_.evaluations), left) / points;
    return n < 0.0 ? 0 : n < count ? static_cast<int>(n) : count;
  }
  // Of the integrand in the mean, by the totals of the run.
  TESSERA_HD double mean_size() const {
    double size = 0.0;
    TESSERA_ROLLED
    for (int k = 0; k < st_.set.ncomp; ++k) size = larger(size, fabs(st_.totals[k].value.value()) * weights_[k]);
    return size / range_.volume_of_box();
  }

  TESSERA_HD bool is_another_around() {
    double size = start();
    if (!(size > 0.0)) return false;
    const double at_start = size;
    size = climb(0, size, range_.is_infinite() ? most_climb_rounds : rounds_from_small_region);
    const bool is_at_corner = is_in_corner(range_, nd_, at(0), [this](int j) { return width(0)[j]; });
    if (!range_.is_infinite() && !is_at_corner && at_start < much_less * size) size = climb(0, size, most_climb_rounds);
    if (!is_narrow(width(0))) return false;
    if (at_start < much_less * size && is_unseen(0, size)) return true;
    if (!is_at_corner && is_peak_upon_first(size)) return true;
    run_rays(size);
    double tops[places_of_check];  // of the modes, the first one's first
    tops[0] = size;
    int known = 1;
    TESSERA_ROLLED
    for (int climbs = 0; climbs < climbs_of_source;) {
      const int ray = next_foot(rays_);
      if (ray < 0) break;
      put_on_ray(known, ray);
      const double height = height_[ray];
      team_.meet();
      if (leads_to_known(known)) continue;
      ++climbs;
      const double top = climb(known, height, most_climb_rounds);
      if (is_known(known)) continue;
      if (matters_beside(st_.set, top, width(known), size, width(0)) && is_narrow(width(known)) &&
          is_unseen(known, top))
        return true;
      tops[known++] = top;
    }
    return range_.is_infinite() && is_another_at_ends(known, tops);
  }

  TESSERA_HD bool is_peak_upon_first(double size_of_first) {
    TESSERA_ROLLED
    for (int j = team_.lane(); j < nd_; j += team_.lanes()) {
      at(1)[j] = at(0)[j];
      width(1)[j] = width(0)[j];
    }
    team_.meet();
    return is_peak_upon(1, size_of_first, [this, size_of_first](double top) {
      return range_.is_infinite() ? is_unseen_beside_first(1, top, size_of_first) : is_unseen_mode(1, top);
    });
  }

  // In an infinite range: is what a climb has come to a mode beside the first that no region has met?
  TESSERA_HD bool is_unseen_beside_first(int place, double top, double size_of_first) {
    return matters_beside(st_.set, top, width(place), size_of_first, width(0)) && !rises_on(place, top) &&
           is_unseen(place, top);
  }
  // In an infinite range, beside so many modes that are known and have been met.
  TESSERA_HD bool is_another_at_ends(int known, const double *tops) {
    const int ends = 2 * affordable_looks(looks_.choices, 2 * points_at_end);
    TESSERA_ROLLED
    for (int e = team_.lane(); e < ends; e += team_.lanes()) {
      double sizes[points_at_end];
      TESSERA_ROLLED
      for (int i = 0; i < points_at_end; ++i) sizes[i] = size_at([this, e, i](int j) { return at_end(e, i, j); });
      const int high = high_at_end(sizes, stands_out);
      foot_[e] = high < 0 ? 0.0 : sizes[high];
      height_[e] = foot_[e];
      step_[e] = high;
    }
    team_.meet();
    TESSERA_ROLLED
    for (int climbs = 0; climbs < climbs_of_places;) {
      const int e = next_foot(ends);
      if (e < 0) break;
      const double height = height_[e];
      TESSERA_ROLLED
      for (int j = team_.lane(); j < nd_; j += team_.lanes()) {
        at(known)[j] = at_end(e, static_cast<int>(step_[e]), j);
        width(known)[j] = first_width_there * range_.unit(j);
      }
      team_.meet();
      if (is_part_of_known(known, height, tops)) continue;
      ++climbs;
      const double top = climb(known, height, most_climb_rounds);
      if (!is_alike_known(known, top, tops) && is_unseen_beside_first(known, top, tops[0])) return true;
    }
    return false;
  }
  // Of point i at that end.
  TESSERA_HD double at_end(int end, int i, int j) const {
    return coordinate_at_end(range_, looks_.axes[end / 2], end % 2 == 1, i, j, at(0)[j]);
  }

  TESSERA_HD bool is_narrow(const double *widths) const {
    return range_.is_infinite() || is_narrow_peak(range_, nd_, widths);
  }

  // To the densest region; returns the size there, 0 where there is none, or in a finite range none that is small.
  TESSERA_HD double start() {
    double best = 0.0;
    int64 region = 0;
    TESSERA_ROLLED
    for (int64 i = team_.lane(); i < st_.count; i += team_.lanes()) {
      double density = as_landmark(st_.regions, i, st_.domain(), weights_).density;
      TESSERA_ROLLED
      for (int j = 0; j < nd_; ++j) density /= range_.stretch(j, st_.regions.centre(i, j));
      if (density > best) best = density, region = i;
    }
    foot_[team_.lane()] = best;
    step_[team_.lane()] = static_cast<double>(region);
    team_.meet();
    const int lane = team_.highest(best, team_.lane());
    if (!(foot_[lane] > 0.0)) return 0.0;
    const int64 densest = static_cast<int64>(step_[lane]);
    const auto half = [this, densest](int j) { return st_.regions.half(densest, j); };
    if (!range_.is_infinite() && !is_small_region(range_, nd_, half, st_.count)) return 0.0;
    TESSERA_ROLLED
    for (int j = team_.lane(); j < nd_; j += team_.lanes()) {
      const double t = st_.regions.centre(densest, j);
      at(0)[j] = range_.from_box(j, t);
      width(0)[j] = (range_.is_infinite() ? 1.0 : off_corners) * st_.regions.half(densest, j) * range_.stretch(j, t);
    }
    team_.meet();
    return told([this](int j) { return at(0)[j]; });
  }

  // The size at one point, by the first lane.
  template <class Coordinate>
  TESSERA_HD double told(const Coordinate &y) {
    double *const to = climb_.sizes + points_on_line * nd_;
    if (team_.lane() == 0) *to = size_at(y);
    team_.meet();
    return *to;
  }

  // The points of a climb, shared out to the lanes.
  struct shared_points {
    mode_check &of;
    TESSERA_HD bool measure_lines(const double *from, const double *wide, double *sizes) {
      TESSERA_ROLLED
      for (int i = of.team_.lane(); i < of.nd_ * points_on_line; i += of.team_.lanes()) {
        const int moved = i / points_on_line;
        const double by = offset_on_line(wide[moved], i % points_on_line);
        sizes[i] = of.size_at([=](int j) { return from[j] + (j == moved ? by : 0.0); });
      }
      return true;
    }
    TESSERA_HD bool measure(const double *y, double &size) {
      size = of.told([=](int j) { return y[j]; });
      return true;
    }
    TESSERA_HD bool measure_around(const double *centre, const double *away, double *sizes) {
      TESSERA_ROLLED
      for (int i = of.team_.lane(); i < 2 * of.nd_ + 1; i += of.team_.lanes())
        sizes[i] = of.size_at([=](int j) { return centre[j] + offset_around(away, i, j); });
      return true;
    }
    TESSERA_HD static void keep_of_line(int) {}
    TESSERA_HD static void take_around(int) {}
    TESSERA_HD static void take(bool) {}
  };
  // From a place of that size; returns the size where it ends.
  TESSERA_HD double climb(int place, double size, int rounds) {
    shared_points points = {*this};
    return climb_along_axes(team_, nd_, climb_, points, range_.is_infinite() ? peak_side::steeper : peak_side::flatter,
                            rounds, at(place), width(place), size);
  }

  // A lane has a ray. Where the range ends within a width they all go the other way.
  TESSERA_HD void run_rays(double size) {
    const double *const from = at(0), *const wide = width(0);
    TESSERA_ROLLED
    for (int j = team_.lane(); j < nd_; j += team_.lanes()) ways_[j] = range_.only_way(j, from[j], wide[j]);
    team_.meet();
    TESSERA_ROLLED
    for (int r = team_.lane(); r < rays_; r += team_.lanes()) {
      foot_of_ray seen(log_of_size(size));
      const double step = step_on(r);
      double away = 1.0;
      TESSERA_ROLLED
      for (int i = 0; i < steps_of_ray; ++i, away *= step)
        seen.tell(size_at([=](int j) { return from[j] + away * wide[j] * direction(r, j); }));
      foot_[r] = seen.by();
      height_[r] = seen.size();
      step_[r] = seen.top();
    }
    team_.meet();
  }
  TESSERA_HD double direction(int ray, int j) const {
    const double d = looks_.directions[ray * nd_ + j];
    return ways_[j] == 0.0 ? d : ways_[j] * fabs(d);
  }
  TESSERA_HD double step_on(int ray) const {
    return step_in_range(range_, nd_, at(0), [this, ray](int j) { return width(0)[j] * direction(ray, j); });
  }
  // Of so many the ray on which a foot stands out most, which is then taken out; -1: there is none. Or the lane that has seen a place.
  TESSERA_HD int next_foot(int rays) {
    double most = -1.0;
    int own = rays;
    TESSERA_ROLLED
    for (int r = team_.lane(); r < rays; r += team_.lanes())
      if (foot_[r] > most) most = foot_[r], own = r;
    const int best = team_.highest(most, own);
    const bool is_there = best < rays && foot_[best] > 0.0;
    team_.meet();
    if (is_there && team_.lane() == 0) foot_[best] = 0.0;
    team_.meet();
    return is_there ? best : -1;
  }
  // Where that foot leads to.
  TESSERA_HD void put_on_ray(int place, int ray) {
    const double step = step_on(ray);
    double away = 1.0;
    TESSERA_ROLLED
    for (int i = 0; i < static_cast<int>(step_[ray]); ++i) away *= step;
    TESSERA_ROLLED
    for (int j = team_.lane(); j < nd_; j += team_.lanes()) {
      at(place)[j] = at(0)[j] + away * width(0)[j] * direction(ray, j);
      width(place)[j] = width(0)[j];
    }
  }

  // Is a place on the way to one of those before it?
  TESSERA_HD bool leads_to_known(int place) const {
    bool any = false;
    TESSERA_ROLLED
    for (int k = 0; k < place; ++k) any = any || is_on_the_way(nd_, at(place), at(k), at(0), width(0));
    return any;
  }
  TESSERA_HD bool is_known(int place) const {
    bool any = false;
    TESSERA_ROLLED
    for (int k = 0; k < place; ++k) any = any || is_same_mode(nd_, at(place), width(place), at(k), width(k));
    return any;
  }
  TESSERA_HD bool is_alike_known(int place, double size, const double *tops) const {
    bool any = false;
    TESSERA_ROLLED
    for (int k = 0; k < place; ++k)
      any =
          any || (size <= mode_rise * tops[k] && is_alike_mode(range_, nd_, at(place), width(place), at(k), width(k)));
    return any;
  }
  TESSERA_HD bool is_part_of_known(int place, double size, const double *tops) const {
    bool any = false;
    TESSERA_ROLLED
    for (int k = 0; k < place; ++k) any = any || is_part_of_peak(nd_, at(place), size, at(k), width(k), tops[k]);
    return any;
  }
  // Is there a region that has been overlooked beside it (landmarks.hpp)?
  TESSERA_HD bool is_unseen(int place, double size) {
    const region_view box = arrange_by_field(box_, nd_, 0, 1);
    double density = range_.volume_of_box() * size;
    TESSERA_ROLLED
    for (int j = 0; j < nd_; ++j) density *= range_.stretch(j, range_.to_box(j, at(place)[j]));
    team_.meet();
    TESSERA_ROLLED
    for (int j = team_.lane(); j < nd_; j += team_.lanes()) {
      const double y = at(place)[j], half = 0.5 * width(place)[j];
      const stretch_of_axis t = range_.to_box(j, y - half, y + half);
      box.centre(0, j) = 0.5 * (t.first + t.last);
      box.half(0, j) = 0.5 * (t.last - t.first);
    }
    team_.meet();
    bool any = false;
    TESSERA_ROLLED
    for (int64 i = team_.lane(); i < st_.count; i += team_.lanes())
      any = any || (compare_widths(st_.regions, i, box, 0).times > 0 &&
                    as_landmark(st_.regions, i, st_.domain(), weights_).density < much_less * density);
    return team_.total(int64{any ? 1 : 0}) > 0;
  }

  Team &team_;
  const bulk_state &st_;
  const user_range range_;
  const double *const weights_;
  const looks_of_checks looks_;
  const int nd_, rays_;
  const Size size_;
  const climb_memory climb_;
  // Of places the coordinates and widths; of axes; a box; of rays, lanes or lines.
  double *places_, *ways_, *box_, *foot_, *height_, *step_;
  double *seen_;      // [place_count]: sizes at usual places
  int64 points_ = 0;  // of this lane
  bool is_bad_ = false;
};

}  // namespace tessera
