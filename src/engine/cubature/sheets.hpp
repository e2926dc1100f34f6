// Sheets: what is narrow along an axis, and goes on whatever another variable is, as a resonance in one of several variables, or a band between two of them. No peak stands out there, but lines of usual places
// (place_lines.hpp) cross them. For looks at other modes (mode_search.hpp) in finite ranges.
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
#include "place_lines.hpp"

namespace tessera {

// Somewhere the integrand is higher by so much than so far away along an axis, on both sides. held: what it holds if it goes on along all others.
struct rise_at_place {
  climbed_place top;
  std::size_t axis;
  double above, apart, held = 0.0;
  bool is_resolved = false, goes_on = false;
};

class sheet_search {
 public:
  // All of it stays where it is.
  sheet_search(const run_settings &settings, const user_range &range, mode_climbs &climbs)
      : set_(settings), nd_(static_cast<std::size_t>(settings.ndim)), range_(range), climbs_(climbs) {}

  rise_at_place rise_of(climbed_place top, std::size_t along, double above, double apart) const {
    for (std::size_t j = 0; j < nd_; ++j) top.width[j] = j == along ? apart : range_.length_of_box(axis(j));
    rise_at_place r = {std::move(top), along, above, apart};
    r.held = r.above;
    for (const double w : r.top.width) r.held *= w;
    return r;
  }
  // Those on the lines among places first ... end-1, of these sizes, as well.
  void add_rises(int first, int end, const double *sizes, std::vector<rise_at_place> &rises) const {
    const usual_list &list = listed_places(set_.ndim);
    const auto from = static_cast<std::size_t>(first), to = static_cast<std::size_t>(end);
    for (std::size_t along = 0; along < list.lines; ++along) {
      const std::size_t line = list.line_at(along);
      if (line < from || line + places_on_line > to) continue;
      const rise_on_line seen = find_rise(sizes + (line - from), places_on_line);
      if (!(seen.above > 0.0)) continue;
      const std::size_t at = line + static_cast<std::size_t>(seen.at);
      climbed_place top = {std::vector<double>(nd_), std::vector<double>(nd_), sizes[at - from], {}};
      for (std::size_t j = 0; j < nd_; ++j) top.at[j] = range_.at_part(axis(j), list.parts[at * nd_ + j]);
      rises.push_back(
          rise_of(std::move(top), along, seen.above, range_.length_of_box(axis(along)) * seen.apart / places_on_line));
    }
  }

  // Of those that would hold something, where is_left(place) holds, each is looked at until it is known how wide it is; what is narrower than can be seen, as a singular plane, is left to the regions. At most so many as
  // are climbed from. peaks: those that go on along no axis.
  outcome find(std::vector<rise_at_place> &rises, const std::function<bool(const climbed_place &)> &is_left,
               std::vector<climbed_place> &found, std::vector<climbed_place> &peaks) {
    std::stable_sort(rises.begin(), rises.end(),
                     [](const rise_at_place &a, const rise_at_place &b) { return a.held > b.held; });
    std::vector<rise_at_place> looked_at;
    outcome o = outcome::running;
    for (rise_at_place &r : rises) {
      if (looked_at.size() == climbs_of_places || o != outcome::running) break;
      const bool is_there = std::any_of(looked_at.begin(), looked_at.end(), [&r](const rise_at_place &other) {
        return other.axis == r.axis &&
               std::fabs(other.top.at[r.axis] - r.top.at[r.axis]) <= std::max(other.apart, r.apart);
      });
      if (is_there || !holds(r) || !is_left(r.top)) continue;
      o = look_across(r);
      if (o == outcome::running && r.is_resolved) o = look_along(r);
      if (o == outcome::running && r.is_resolved && holds(r)) (r.goes_on ? found : peaks).push_back(r.top);
      looked_at.push_back(r);
    }
    return o;
  }

 private:
  static constexpr int most_rounds = 8;

  static int axis(std::size_t j) { return static_cast<int>(j); }
  bool holds(const rise_at_place &r) const { return holds_something(set_.ndim, r.above, r.top.width.data()); }

  // Along its own axis, to its top: how far does it stay half as high above what is beside it? A box of half that width, for regions may be four times as wide as that, and are to be no wider than the sheet. A
  // kink at the top that is not narrow is a break point: regions are cut there, and see it at their faces.
  outcome look_across(rise_at_place &r) {
    constexpr double higher = 1.001, kink = 0.2, seen_by_break_lines = 1.0 / 128;
    std::vector<double> y, sizes;
    double width = r.apart, beside = r.top.size - r.above;
    for (int round = 0; round < most_rounds; ++round) {
      y.clear();
      for (int i = 0; i <= points_on_line; ++i) {
        y.insert(y.end(), r.top.at.begin(), r.top.at.end());
        if (i < points_on_line) y[y.size() - nd_ + r.axis] += offset_on_line(width, i);
      }
      const outcome o = climbs_.points().measure(y, sizes);
      if (o != outcome::running) return o;
      const double at_centre = sizes[points_on_line];
      std::size_t best = points_on_line;
      for (int i = 0; i < points_on_line; ++i) {  // not to where it is higher than the sheet elsewhere
        const bool is_near = std::fabs(offset_on_line(width, i)) <= r.apart;
        if (is_near && sizes[static_cast<std::size_t>(i)] > sizes[best]) best = static_cast<std::size_t>(i);
      }
      if (sizes[best] > higher * at_centre && round + 1 < most_rounds) {
        climbs_.take(r.top, y, sizes, best);
        continue;
      }
      climbs_.take(r.top, y, sizes, points_on_line);
      r.above = at_centre - beside;
      // Of both sides the higher one, and how far they have fallen in the mean.
      const auto side = [&sizes](int i) {
        return larger(sizes[static_cast<std::size_t>(i)], sizes[static_cast<std::size_t>(points_on_side + i)]);
      };
      const auto fallen = [&](int i) {
        return at_centre -
               0.5 * (sizes[static_cast<std::size_t>(i)] + sizes[static_cast<std::size_t>(points_on_side + i)]);
      };
      int i = 0;
      while (i < points_on_side && side(i) - beside > 0.5 * r.above) ++i;
      if (!(r.above > 0.0) || i == points_on_side) return o;  // it does not fall
      if (i < 2) {
        width /= 1 << doublings_on_line;
        continue;
      }
      const double away = offset_on_line(width, i - 1);
      const bool is_kink = fallen(i - 2) > kink * fallen(i);
      r.is_resolved = !(is_kink && away >= seen_by_break_lines * range_.length_of_box(axis(r.axis)));
      r.top.width[r.axis] = 0.5 * away;
      return o;
    }
    return outcome::running;
  }

  // Does it go on a quarter of the range away along the other axes? Else it is there alone.
  outcome look_along(rise_at_place &r) {
    constexpr double away = 0.25;
    std::vector<double> y, sizes;
    for (std::size_t j = 0; j < nd_; ++j) {
      if (j == r.axis) continue;
      const double length = range_.length_of_box(axis(j)), lower = range_.at_part(axis(j), 0.0);
      for (const double side : {-1.0, 1.0})
        for (const double beside : {0.0, -1.0, 1.0}) {
          y.insert(y.end(), r.top.at.begin(), r.top.at.end());
          double *const at = &y[y.size() - nd_];
          at[j] += side * away * length;
          if (at[j] <= lower) at[j] += 0.5 * length;
          if (at[j] >= lower + length) at[j] -= 0.5 * length;
          at[r.axis] += beside * r.apart;
        }
    }
    const outcome o = climbs_.points().measure(y, sizes);
    if (o != outcome::running) return o;
    const double *there = sizes.data();  // [other axis][side][beside]
    for (std::size_t j = 0; j < nd_; ++j) {
      if (j == r.axis) continue;
      bool goes_on = false;
      for (int side = 0; side < 2; ++side, there += 3)
        goes_on = goes_on || there[0] - std::max(there[1], there[2]) > 0.25 * r.above;
      if (!goes_on) r.top.width[j] *= first_width_there;
      r.goes_on = r.goes_on || goes_on;
    }
    return o;
  }

  const run_settings set_;
  const std::size_t nd_;
  const user_range &range_;
  mode_climbs &climbs_;
};

}  // namespace tessera
