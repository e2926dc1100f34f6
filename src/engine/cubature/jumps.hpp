// Where an integrand jumps between two usual places of a row (place_rows.hpp): a window of some variables, a hole, a band, which no point of a few regions need have met. Each side is followed along the axes to where the
// integrand is as on the other; the smaller of both boxes is what no region may be wider than. For looks at other modes (mode_search.hpp) in finite ranges.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

#include "jump_reach.hpp"
#include "listed_places.hpp"
#include "mode_climbs.hpp"

namespace tessera {

class jump_search {
 public:
  // All of it stays where it is.
  jump_search(const run_settings &settings, const user_range &range, mode_climbs &climbs)
      : set_(settings),
        nd_(static_cast<std::size_t>(settings.ndim)),
        nc_(static_cast<std::size_t>(settings.ncomp)),
        range_(range),
        climbs_(climbs) {}

  // Of the n places from one on, at which the integrand has been asked for last: remembers where it jumps most.
  void remember(std::size_t first, std::size_t n) {
    const usual_list &list = listed_places(set_.ndim);
    const std::size_t end = std::min(first + n, list.behind_rows());
    for (std::size_t k = 0; k < nc_; ++k) {
      const strided_values values = climbs_.points().values_of(k);
      const double scale = climbs_.points().scale()[k], least = least_rough / (range_.volume_of_box() * scale);
      for (std::size_t row = list.first_line; row + places_in_row <= end; row += places_in_row) {
        if (row < first) continue;
        const double *const own = values.first + (row - first) * values.step;
        const jump_in_row found =
            find_jump([own, &values](int i) { return own[static_cast<std::size_t>(i) * values.step]; }, least);
        if (found.rough > 0.0) remember_jump(found.rough * scale, row + static_cast<std::size_t>(found.at), k, first);
      }
    }
    std::sort(seen_.begin(), seen_.end(), [](const jump &a, const jump &b) {
      return std::make_tuple(-a.rough, a.component, a.place) < std::make_tuple(-b.rough, b.component, b.place);
    });
    if (seen_.size() > most_remembered) seen_.resize(most_remembered);
  }

  // Boxes that hold something, as places with the widths of landmarks. is_known(place): it is in one that is known. is_explained(place, size): so high is expected there.
  outcome find(const std::function<bool(const std::vector<double> &)> &is_known,
               const std::function<bool(const std::vector<double> &, double)> &is_explained,
               std::vector<climbed_place> &found) {
    std::vector<jump> seen;
    seen.swap(seen_);
    std::vector<followed> all;
    const auto points = static_cast<int64>(2 * 2 * nd_) * halvings_of_reach;  // of each that is followed
    const auto most = static_cast<std::size_t>(std::min<int64>(climbs_of_places, climbs_.points().room(1) / points));
    for (jump &j : seen) {
      if (all.size() == most) break;
      followed f = begin(std::move(j));
      const side_of_jump &one = f.sides[0], &other = f.sides[1];
      const bool is_left = !is_known(one.at) && !is_known(other.at) &&
                           !(is_explained(one.at, std::fabs(one.own)) && is_explained(other.at, std::fabs(other.own)));
      if (is_left) all.push_back(std::move(f));
    }
    outcome o = all.empty() ? outcome::running : look_between(all);
    if (o == outcome::running && !all.empty()) o = reach_out(all);
    for (int round = 0; round < rounds_of_reach && o == outcome::running && !all.empty(); ++round)
      o = come_closer_all(all);
    if (o != outcome::running) return o;
    for (followed &f : all) {
      const auto is_in = [&f](const climbed_place &p) {
        return is_beside(p, f.sides[0].at) || is_beside(p, f.sides[1].at);
      };
      climbed_place box;
      if (!std::any_of(found.begin(), found.end(), is_in) && is_box(f, box)) found.push_back(std::move(box));
    }
    return outcome::running;
  }

  // In the box that has p as a landmark, or beside the top of a peak.
  static bool is_beside(const climbed_place &p, const std::vector<double> &at) {
    bool is = true;
    for (std::size_t j = 0; j < at.size(); ++j)
      is = is && std::fabs(at[j] - p.at[j]) <= 0.5 / width_of_landmark * p.width[j];
    return is;
  }

 private:
  struct jump {
    double rough;
    std::size_t place, component;
    std::vector<double> values[2];  // [ncomp] at that place and the next
  };
  struct side_of_jump {
    std::vector<double> at;
    double own, other;                // of the component that jumps, in units of what is tolerated
    std::vector<jump_reach> reaches;  // [axis][way]
  };
  struct followed {
    jump seen;
    side_of_jump sides[2];
  };
  static constexpr std::size_t most_remembered = 16;

  static int axis(std::size_t j) { return static_cast<int>(j); }
  std::vector<double> coordinates(std::size_t place) const {
    std::vector<double> at;
    for (std::size_t j = 0; j < nd_; ++j)
      at.push_back(range_.at_part(axis(j), listed_places(set_.ndim).parts[place * nd_ + j]));
    return at;
  }
  double value(std::size_t point, std::size_t k) {
    return climbs_.points().values(point)[k] * climbs_.points().scale()[k];
  }

  // Between a place and the next; the last call was made at `first` and on.
  void remember_jump(double rough, std::size_t place, std::size_t component, std::size_t first) {
    jump j = {rough, place, component, {}};
    for (std::size_t side = 0; side < 2; ++side) {
      const double *const values = climbs_.points().values(place + side - first);
      j.values[side].assign(values, values + nc_);
    }
    seen_.push_back(std::move(j));
  }

  followed begin(jump seen) const {
    const double scale = climbs_.points().scale()[seen.component], one = seen.values[0][seen.component] * scale,
                 other = seen.values[1][seen.component] * scale;
    const std::size_t place = seen.place;
    return {std::move(seen), {{coordinates(place), one, other, {}}, {coordinates(place + 1), other, one, {}}}};
  }
  double room(const side_of_jump &s, std::size_t r) const {
    return room_of_reach(range_, axis(r / 2), s.at[r / 2], static_cast<int>(r % 2));
  }
  void add_beside(const side_of_jump &s, std::size_t r, double away) {
    y_.insert(y_.end(), s.at.begin(), s.at.end());
    y_[y_.size() - nd_ + r / 2] += way_of_reach(static_cast<int>(r % 2)) * away;
  }

  // Those that do not change at once are no longer followed.
  outcome look_between(std::vector<followed> &all) {
    y_.clear();
    for (const followed &f : all)
      for (int i = 1; i < parts_between_places; ++i)
        for (std::size_t a = 0; a < nd_; ++a)
          y_.push_back(f.sides[0].at[a] + (f.sides[1].at[a] - f.sides[0].at[a]) * i / parts_between_places);
    const outcome o = climbs_.points().measure(y_, sizes_);
    std::vector<followed> left;
    std::size_t first = 0;
    for (followed &f : all) {
      if (o == outcome::running &&
          is_at_once([&](int i) { return value(first + static_cast<std::size_t>(i - 1), f.seen.component); },
                     f.sides[0].own, f.sides[1].own))
        left.push_back(std::move(f));
      first += parts_between_places - 1;
    }
    all.swap(left);
    return o;
  }
  outcome reach_out(std::vector<followed> &all) {
    y_.clear();
    for (const followed &f : all)
      for (const side_of_jump &s : f.sides)
        for (std::size_t r = 0; r < 2 * nd_; ++r)
          for (int h = 0; h < halvings_of_reach; ++h)
            add_beside(s, r, away_on_reach(range_.length_of_box(axis(r / 2)), h));
    const outcome o = climbs_.points().measure(y_, sizes_);
    std::size_t i = 0;
    for (followed &f : all)
      for (side_of_jump &s : f.sides)
        for (std::size_t r = 0; r < 2 * nd_ && o == outcome::running; ++r, i += halvings_of_reach)
          s.reaches.push_back(
              find_reach([&](int h) { return value(i + static_cast<std::size_t>(h), f.seen.component); }, s.own,
                         s.other, range_.length_of_box(axis(r / 2)), room(s, r)));
    return o;
  }
  outcome come_closer_all(std::vector<followed> &all) {
    y_.clear();
    for (const followed &f : all)
      for (const side_of_jump &s : f.sides)
        for (std::size_t r = 0; r < 2 * nd_; ++r) add_beside(s, r, middle_of_reach(s.reaches[r]));
    const outcome o = climbs_.points().measure(y_, sizes_);
    std::size_t i = 0;
    for (followed &f : all)
      for (side_of_jump &s : f.sides)
        for (std::size_t r = 0; r < 2 * nd_ && o == outcome::running; ++r, ++i)
          if (s.reaches[r].least < s.reaches[r].most)
            come_closer(s.reaches[r], value(i, f.seen.component), s.own, s.other);
    return o;
  }
  // That of the side that takes less of the range.
  bool is_box(const followed &f, climbed_place &box) const {
    std::vector<double> ends;
    for (const side_of_jump &s : f.sides)
      for (std::size_t r = 0; r < 2 * nd_; ++r) ends.push_back(end_of_reach(s.reaches[r], s.own, s.other, room(s, r)));
    const int inner = inner_side(range_, set_.ndim, ends.data());
    if (inner < 0) return false;
    const side_of_jump &s = f.sides[inner];
    const double *const own = &ends[static_cast<std::size_t>(inner) * 2 * nd_];
    box = {s.at, std::vector<double>(nd_), 0.0, {}};
    for (std::size_t a = 0; a < nd_; ++a) {
      const double down = own[2 * a], up = own[2 * a + 1];
      box.width[a] = down + up;
      box.at[a] += 0.5 * (up - down);
    }
    if (!holds_something(set_.ndim, std::fabs(s.other - s.own), box.width.data())) return false;
    for (double &w : box.width) w *= width_of_landmark;
    box.values = f.seen.values[std::fabs(f.sides[1].own) > std::fabs(f.sides[0].own) ? 1 : 0];
    box.size = climbs_.size_of(box);
    box.is_bounded_by_jump = true;
    return true;
  }

  const run_settings set_;
  const std::size_t nd_, nc_;
  const user_range &range_;
  mode_climbs &climbs_;
  std::vector<jump> seen_;
  std::vector<double> y_, sizes_;
};

}  // namespace tessera
