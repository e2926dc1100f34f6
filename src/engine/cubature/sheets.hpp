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

class sheet_search {
 public:
  // All of it stays where it is.
  sheet_search(const run_settings &settings, const user_range &range, mode_climbs &climbs)
      : set_(settings), nd_(static_cast<std::size_t>(settings.ndim)), range_(range), climbs_(climbs) {}

  // On those of the lines that lie in places first ... end-1, of these sizes: what would hold something if it went on along all other axes, and where is_left(place) holds. Each is looked at until it is known how wide
  // it is; those that are narrower than can be seen, as singular planes, are left to the regions. At most so many as are climbed from.
  outcome find(int first, int end, const double *sizes, const std::function<bool(const climbed_place &)> &is_left,
               std::vector<climbed_place> &found) {
    std::vector<rise> rises = rises_on_lines(static_cast<std::size_t>(first), static_cast<std::size_t>(end), sizes);
    rises.erase(std::remove_if(rises.begin(), rises.end(), [&](const rise &r) { return !is_left(r.top); }),
                rises.end());
    std::stable_sort(rises.begin(), rises.end(), [](const rise &a, const rise &b) { return a.held > b.held; });
    rises.resize(std::min<std::size_t>(rises.size(), climbs_of_places));
    outcome o = outcome::running;
    for (std::size_t i = 0; i < rises.size() && o == outcome::running; ++i) {
      o = look_across(rises[i]);
      if (o == outcome::running && rises[i].is_resolved) o = look_along(rises[i]);
      if (o == outcome::running && rises[i].is_resolved && holds(rises[i])) found.push_back(rises[i].top);
    }
    return o;
  }

 private:
  static constexpr int most_rounds = 4;

  struct rise {
    climbed_place top;
    std::size_t axis;
    double above, apart, held;  // over what is beside it, at that distance
    bool is_resolved = false;
  };

  static int axis(std::size_t j) { return static_cast<int>(j); }
  bool holds(const rise &r) const { return holds_something(set_.ndim, r.above, r.top.width.data()); }

  std::vector<rise> rises_on_lines(std::size_t first, std::size_t end, const double *sizes) const {
    const usual_list &list = listed_places(set_.ndim);
    std::vector<rise> rises;
    for (const line_of_places &line : list.lines) {
      if (line.first < first || line.first + line.count > end) continue;
      const rise_on_line seen = find_rise(sizes + (line.first - first), line.count);
      if (!(seen.above > 0.0)) continue;
      rise r = {{}, line.axis, seen.above, 0.0, 0.0};
      for (std::size_t j = 0; j < nd_; ++j) {
        r.top.at.push_back(range_.at_part(axis(j), list.parts[(line.first + seen.at) * nd_ + j]));
        r.top.width.push_back(range_.length_of_box(axis(j)));
      }
      r.apart = r.top.width[line.axis] * static_cast<double>(seen.apart) / static_cast<double>(line.count);
      r.top.width[line.axis] = r.apart;
      r.top.size = sizes[line.first - first + seen.at];
      r.held = r.above;
      for (const double w : r.top.width) r.held *= w;
      const bool is_there = std::any_of(rises.begin(), rises.end(), [&r](const rise &other) {
        return other.axis == r.axis &&
               std::fabs(other.top.at[r.axis] - r.top.at[r.axis]) <= std::max(other.apart, r.apart);
      });
      if (holds(r) && !is_there) rises.push_back(std::move(r));
    }
    return rises;
  }

  // Along its own axis: how far does it stay half as high above what is beside it? A box of half that width, for regions may be four times as wide as that, and are to be no wider than the sheet.
  outcome look_across(rise &r) {
    std::vector<double> y, sizes;
    double width = r.apart;
    for (int round = 0; round < most_rounds && !r.is_resolved; ++round) {
      y.clear();
      for (int i = 0; i <= points_on_line; ++i) {
        y.insert(y.end(), r.top.at.begin(), r.top.at.end());
        if (i < points_on_line) y[y.size() - nd_ + r.axis] += offset_on_line(width, i);
      }
      // What is beside it, from both sides.
      for (const double side : {-1.0, 1.0}) {
        y.insert(y.end(), r.top.at.begin(), r.top.at.end());
        y[y.size() - nd_ + r.axis] += side * r.apart;
      }
      const outcome o = climbs_.points().measure(y, sizes);
      if (o != outcome::running) return o;
      const std::size_t own = points_on_line;
      const double beside = std::max(sizes[own + 1], sizes[own + 2]);
      r.above = sizes[own] - beside;
      if (!(r.above > 0.0)) return o;
      climbs_.take(r.top, y, sizes, own);
      int i = 0;
      while (i < points_on_side && std::max(sizes[static_cast<std::size_t>(i)],
                                            sizes[static_cast<std::size_t>(points_on_side + i)]) -
                                           beside >
                                       0.5 * r.above)
        ++i;
      if (i == points_on_side) return o;  // it does not fall
      if (i > 0) {
        r.top.width[r.axis] = 0.5 * offset_on_line(width, i - 1);
        r.is_resolved = true;
      }
      width /= 1 << doublings_on_line;
    }
    return outcome::running;
  }

  // Does it go on a quarter of the range away along the other axes? Else it is there alone.
  outcome look_along(rise &r) {
    constexpr double away = 0.25;
    std::vector<double> y, sizes;
    for (std::size_t j = 0; j < nd_; ++j)
      for (const double side : {-1.0, 1.0})
        for (const double beside : {0.0, -1.0, 1.0}) {
          const double length = range_.length_of_box(axis(j)), lower = range_.at_part(axis(j), 0.0);
          y.insert(y.end(), r.top.at.begin(), r.top.at.end());
          double *const at = &y[y.size() - nd_];
          if (j != r.axis) {
            at[j] += side * away * length;
            if (at[j] <= lower) at[j] += 0.5 * length;
            if (at[j] >= lower + length) at[j] -= 0.5 * length;
          }
          at[r.axis] += beside * r.apart;
        }
    const outcome o = climbs_.points().measure(y, sizes);
    if (o != outcome::running) return o;
    for (std::size_t j = 0; j < nd_; ++j) {
      bool goes_on = j == r.axis;
      for (std::size_t i = 6 * j; i < 6 * (j + 1); i += 3)
        goes_on = goes_on || sizes[i] - std::max(sizes[i + 1], sizes[i + 2]) > 0.25 * r.above;
      if (!goes_on) r.top.width[j] *= first_width_there;
    }
    return o;
  }

  const run_settings set_;
  const std::size_t nd_;
  const user_range &range_;
  mode_climbs &climbs_;
};

}  // namespace tessera
