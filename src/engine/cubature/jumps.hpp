// Where an integrand jumps between two usual places of a row (place_rows.hpp): a window of some variables, a hole, a band, which no point of a few regions need have met. Each side is followed along the axes to where the
// integrand is as on the other; the smaller of both boxes is what no region may be wider than. For looks at other modes (mode_search.hpp) in finite ranges.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "listed_places.hpp"
#include "mode_climbs.hpp"
#include "place_rows.hpp"

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
    for (std::size_t row = list.first_line; row + places_in_row <= list.behind_rows(); row += places_in_row)
      if (row >= first && row + places_in_row <= first + n) remember_row(row, row - first);
    std::stable_sort(seen_.begin(), seen_.end(), [](const jump &a, const jump &b) { return a.rough > b.rough; });
    if (seen_.size() > most_remembered) seen_.resize(most_remembered);
  }

  // Boxes that are narrow and hold something, as places with a quarter of their widths, for regions may be four times as wide. is_known(place): it is in one that is known.
  outcome find(const std::function<bool(const std::vector<double> &)> &is_known, std::vector<climbed_place> &found) {
    std::vector<jump> seen;
    seen.swap(seen_);
    int looks = 0;
    for (const jump &j : seen) {
      if (looks == climbs_of_places) break;
      const std::vector<double> one = coordinates(j.place), other = coordinates(j.place + 1);
      const auto is_in = [&found, this](const std::vector<double> &at) {
        return std::any_of(found.begin(), found.end(), [&](const climbed_place &p) { return is_in_jump(p, at); });
      };
      if (is_known(one) || is_known(other) || is_in(one) || is_in(other)) continue;
      ++looks;
      climbed_place box;
      bool is_there = false;
      const outcome o = follow(j, one, other, box, is_there);
      if (o != outcome::running) return o;
      if (is_there) found.push_back(std::move(box));
    }
    return outcome::running;
  }

  static bool is_in_jump(const climbed_place &p, const std::vector<double> &at) {
    bool is = true;
    for (std::size_t j = 0; j < at.size(); ++j) is = is && std::fabs(at[j] - p.at[j]) <= 2.0 * p.width[j];
    return is;
  }

 private:
  struct jump {
    double rough;
    std::size_t place, component;
    std::vector<double> values[2];  // [ncomp] at that place and the next
  };
  static constexpr std::size_t most_remembered = 16;
  static constexpr int halvings = 9;          // of an axis, from a place outwards
  static constexpr double least_rough = 4.0;  // of what is tolerated, were it everywhere
  static constexpr int parts_between = 8, rounds = 5;
  static constexpr double at_once = 0.75, seen_by_regions = 0.1;

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

  // Row `row` is at points i and on of the last call.
  void remember_row(std::size_t row, std::size_t i) {
    for (std::size_t k = 0; k < nc_; ++k) {
      const jump_in_row found = find_jump([&](int p) { return value(i + static_cast<std::size_t>(p), k); });
      if (!(found.rough * range_.volume_of_box() > least_rough)) continue;
      const auto at = static_cast<std::size_t>(found.at);
      jump j = {found.rough, row + at, k, {}};
      for (std::size_t side = 0; side < 2; ++side) {
        const double *const values = climbs_.points().values(i + at + side);
        j.values[side].assign(values, values + nc_);
      }
      seen_.push_back(std::move(j));
    }
  }

  // Of a side: its place, the integrand there, and how far it stays nearer to that than to what it is on the other, down and up each axis: to `least` it does, at `most` it does not.
  struct reach {
    double least, most, at_least, at_most;
  };
  struct side_of_jump {
    std::vector<double> at;
    double own, other;
    std::vector<reach> reaches;  // [axis][down, up]
  };
  double room(const std::vector<double> &at, std::size_t a, std::size_t way) const {
    const double from_lower = at[a] - range_.at_part(axis(a), 0.0);
    return way == 0 ? from_lower : range_.length_of_box(axis(a)) - from_lower;
  }
  static double sign(std::size_t way) { return way == 0 ? -1.0 : 1.0; }

  outcome follow(const jump &j, const std::vector<double> &one, const std::vector<double> &other, climbed_place &box,
                 bool &is_there) {
    const double scale = climbs_.points().scale()[j.component], first = j.values[0][j.component] * scale,
                 second = j.values[1][j.component] * scale;
    side_of_jump sides[2] = {{one, first, second, {}}, {other, second, first, {}}};
    std::vector<double> y, sizes;
    for (const side_of_jump &s : sides)
      for (std::size_t a = 0; a < nd_; ++a)
        for (std::size_t way = 0; way < 2; ++way)
          for (int h = halvings; h > 0; --h) {
            y.insert(y.end(), s.at.begin(), s.at.end());
            y[y.size() - nd_ + a] += sign(way) * std::ldexp(range_.length_of_box(axis(a)), -h);
          }
    for (int i = 1; i < parts_between; ++i)
      for (std::size_t a = 0; a < nd_; ++a) y.push_back(one[a] + (other[a] - one[a]) * i / parts_between);
    outcome o = climbs_.points().measure(y, sizes);
    if (o != outcome::running) return o;
    std::size_t i = 0;
    for (side_of_jump &s : sides)
      for (std::size_t r = 0; r < 2 * nd_; ++r, i += halvings) {
        const double length = range_.length_of_box(axis(r / 2)), all = room(s.at, r / 2, r % 2);
        reach to = {0.0, all, s.own, s.own};
        for (int h = 0; h < halvings && to.most == all; ++h) {
          const std::size_t point = i + static_cast<std::size_t>(h);
          if (sizes[point] == outside_size) break;
          const double v = value(point, j.component), away = std::ldexp(length, h - halvings);
          (is_on_side(s, v) ? to.least : to.most) = away;
          (is_on_side(s, v) ? to.at_least : to.at_most) = v;
        }
        if (to.most == all) to.least = all;
        s.reaches.push_back(to);
      }
    // Where it changes from one place to the other: at once?
    double most = 0.0, last = first;
    for (int part = 1; part <= parts_between; ++part, ++i) {
      const double next = part < parts_between ? value(i, j.component) : second;
      most = std::max(most, std::fabs(next - last));
      last = next;
    }
    is_there = false;
    if (!(most > at_once * std::fabs(second - first))) return o;
    for (int round = 0; round < rounds && o == outcome::running; ++round) o = come_closer(sides, j.component);
    if (o != outcome::running) return o;
    double share[2];
    for (std::size_t side = 0; side < 2; ++side) share[side] = share_of(sides[side]);
    const std::size_t inner = share[1] < share[0] ? 1 : 0;
    const side_of_jump &s = sides[inner];
    box = {s.at, std::vector<double>(nd_), 0.0, {}};
    box.values = j.values[std::fabs(second) > std::fabs(first) ? 1 : 0];
    box.size = climbs_.size_of(box);
    for (std::size_t a = 0; a < nd_; ++a) {
      const double down = s.reaches[2 * a].most, up = s.reaches[2 * a + 1].most;
      box.width[a] = down + up;
      box.at[a] += 0.5 * (up - down);
    }
    is_there =
        share[inner] < seen_by_regions && holds_something(set_.ndim, std::fabs(second - first), box.width.data());
    for (double &w : box.width) w *= 0.25;
    return o;
  }
  outcome come_closer(side_of_jump (&sides)[2], std::size_t component) {
    std::vector<double> y, sizes;
    for (const side_of_jump &s : sides)
      for (std::size_t r = 0; r < 2 * nd_; ++r) {
        y.insert(y.end(), s.at.begin(), s.at.end());
        y[y.size() - nd_ + r / 2] += sign(r % 2) * 0.5 * (s.reaches[r].least + s.reaches[r].most);
      }
    const outcome o = climbs_.points().measure(y, sizes);
    std::size_t i = 0;
    for (side_of_jump &s : sides)
      for (std::size_t r = 0; r < 2 * nd_ && o == outcome::running; ++r, ++i) {
        reach &to = s.reaches[r];
        if (to.least == to.most) continue;
        const double v = value(i, component), middle = 0.5 * (to.least + to.most);
        (is_on_side(s, v) ? to.least : to.most) = middle;
        (is_on_side(s, v) ? to.at_least : to.at_most) = v;
      }
    return o;
  }
  // Of the range. Where it changes as slowly as what is smooth does, that is not where the box ends.
  double share_of(side_of_jump &s) const {
    double share = 1.0;
    for (std::size_t r = 0; r < 2 * nd_; ++r) {
      reach &to = s.reaches[r];
      if (std::fabs(to.at_most - to.at_least) < 0.5 * std::fabs(s.other - s.own)) to.most = room(s.at, r / 2, r % 2);
      if (r % 2 == 1) share *= (s.reaches[r - 1].most + to.most) / range_.length_of_box(axis(r / 2));
    }
    return share;
  }
  static bool is_on_side(const side_of_jump &s, double v) { return std::fabs(v - s.own) < std::fabs(v - s.other); }

  const run_settings set_;
  const std::size_t nd_, nc_;
  const user_range &range_;
  mode_climbs &climbs_;
  std::vector<jump> seen_;
};

}  // namespace tessera
