// Places from which a look for modes climbs beside whatever the regions have met (mode_search.hpp): where an integrand stands out at usual places of a finite range, or beside the ends of an
// infinite one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bitset>
#include <cmath>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "jumps.hpp"
#include "listed_places.hpp"
#include "mode_climbs.hpp"
#include "range_ends.hpp"
#include "sheets.hpp"

namespace tessera {

// Of the integrand by a map (product_map.hpp), at a point of the box, at[ndim], over its mean; and where that is highest, [ndim]. Without `at` there is none.
struct density_of_map {
  std::function<double(const double *at)> at;
  std::vector<double> top;
  int of_multiples =
      -1;  // the component that is so dense, where others are multiples of it; their tops are none of its own
};

// Usual places, x[ndim][n], at which a look before success asks for the integrand where a run has come so far; n = 0: there are none, or not all at once.
struct places_to_look_at {
  int64 n;
  const double *x;
  int ndim;
  int64 after;  // evaluations
};

// On which an end of an infinite range is looked at: all choices, those of many first; of many axes all, and all but one.
inline std::vector<uint64> choices_of_axes(std::size_t ndim) {
  constexpr std::size_t few = 6;
  const uint64 all = (uint64{1} << (ndim - 1) << 1) - 1;
  std::vector<uint64> chosen;
  for (uint64 axes = all; axes > 0 && ndim <= few; --axes) chosen.push_back(axes);
  const auto count = [](uint64 axes) { return std::bitset<64>(axes).count(); };
  std::stable_sort(chosen.begin(), chosen.end(), [&](uint64 a, uint64 b) { return count(a) > count(b); });
  if (ndim <= few) return chosen;
  chosen.push_back(all);
  for (std::size_t j = 0; j < ndim; ++j) chosen.push_back(all & ~(uint64{1} << j));
  return chosen;
}

class likely_places {
 public:
  // All of it stays where it is.
  likely_places(const run_settings &settings, const user_range &range, mode_climbs &climbs)
      : set_(settings),
        nd_(static_cast<std::size_t>(settings.ndim)),
        nc_(static_cast<std::size_t>(settings.ncomp)),
        range_(range),
        climbs_(climbs),
        sheets_(settings, range, climbs),
        jumps_(settings, range, climbs) {}

  // The usual ones, and how many of them are worth it behind so many evaluations.
  int count() const { return static_cast<int>(listed_places(set_.ndim).count()); }
  int affordable(int64 spent) const {
    return static_cast<int>(std::min<double>(count(), share_of_places * static_cast<double>(spent)));
  }
  // All of them. Valid until the next look.
  places_to_look_at all() {
    const auto n = static_cast<std::size_t>(count());
    if (climbs_.points().room(2) < static_cast<int64>(n) || !are_inside()) return {0, nullptr, set_.ndim, 0};
    return {static_cast<int64>(n), columns(0, n), set_.ndim,
            static_cast<int64>(std::ceil(static_cast<double>(n) / share_of_places))};
  }

  // Usual places first ... end-1 at which the integrand stands out against the background, which has its size in the mean, and from which it falls; the highest first, and no more than are
  // climbed from. density: none, or as high as which they are explained. is_known(place): it is a part of a known mode; is_known_sheet(place): of one beside the first. sheets: what lines among them have found (sheets.hpp), as it is.
  // highest: of all of them, with widths for a search of its top.
  template <class Known, class Sheet>
  outcome find_usual(int first, int end, const climbed_place &background, const density_of_map &density,
                     const Known &is_known, const Sheet &is_known_sheet, std::vector<climbed_place> &found,
                     std::vector<climbed_place> &sheets, climbed_place &highest) {
    high_places seen;
    outcome o = outcome::running;
    // As many at once as half of the memory has room for.
    const int64 most = std::max<int64>(1, climbs_.points().room(2));
    for (int next = first; next < end && o == outcome::running;) {
      const int n = static_cast<int>(std::min<int64>(end - next, most));
      o = look_at(next, n, next + n == end, background.size, seen);
      next += n;
    }
    if (o != outcome::running) return o;
    highest = background;
    highest.size = seen.most;
    for (std::size_t j = 0; j < nd_; ++j) highest.at[j] = coordinate(seen.most_at, j), highest.width[j] *= 0.25;
    const auto is_explained = [&](const double *at, double size) {
      return density.at && size <= as_explained * density.at(at) * background.size;
    };
    std::vector<climbed_place> lower;  // those that stand out less, of which more has to be known; in corners much is
    const usual_list &list = listed_places(set_.ndim);
    const double much = stands_out * larger(background.size, seen.mean());
    std::vector<double> at(nd_);
    for (const high_place &high : seen.highest) {
      const bool is_high = high.size > much && found.size() < climbs_of_places;
      if (!is_high && (high.number < list.first_line || lower.size() == climbs_of_places)) continue;
      for (std::size_t j = 0; j < nd_; ++j) at[j] = coordinate(high.number, j);
      // The highest is climbed all the same: there may be a narrow peak upon the one that explains it.
      if (!(is_high && found.empty()) && is_explained(at.data(), high.size)) continue;
      climbed_place p = place_of(high, at, background, seen);
      if (!is_known(p)) (is_high ? found : lower).push_back(std::move(p));
    }
    std::vector<rise_at_place> rises;
    o = keep_what_falls(found, lower, background, density, rises);
    if (o != outcome::running) return o;
    sheets_.add_rises(first, end, seen.sizes.data(), rises);
    return sheets_.find(
        rises, [&](const climbed_place &p) { return !is_known_sheet(p) && !is_explained(p.at.data(), p.size); }, sheets,
        found);
  }
  // And what they have seen behind jumps (jumps.hpp), but where it is about as high on both sides as the density says.
  outcome find_jumps(const climbed_place &background, const density_of_map &density,
                     const std::function<bool(const std::vector<double> &)> &is_known,
                     std::vector<climbed_place> &found) {
    const auto is_explained = [&](const std::vector<double> &at, double size) {
      if (!density.at) return false;
      const double expected = density.at(at.data()) * background.size;
      return size <= as_explained * expected && expected <= as_explained * size;
    };
    return jumps_.find(is_known, is_explained, found);
  }

  // On which axes ends of an infinite range are worth it behind so many evaluations; none as long as those are few.
  std::vector<uint64> affordable_choices(int64 spent) const {
    std::vector<uint64> chosen = choices_of_axes(nd_);
    const double affordable = share_of_places * static_cast<double>(spent) / (2.0 * points_at_end);
    chosen.resize(std::min(chosen.size(), static_cast<std::size_t>(affordable)));
    return chosen;
  }
  // Over infinite ranges: beside finite ends and 0, on all axes, or on some while the others are where the first mode is. The integrand stands out where it is higher than farther from there.
  outcome find_at_ends(const std::vector<uint64> &choices, const climbed_place &first_mode,
                       std::vector<climbed_place> &found) {
    std::vector<double> y, sizes;
    for (const uint64 axes : choices)
      for (const bool upper : {false, true})
        for (int i = 0; i < points_at_end; ++i)
          for (std::size_t j = 0; j < nd_; ++j)
            y.push_back(coordinate_at_end(range_, axes, upper, i, axis(j), first_mode.at[j]));
    const outcome o = climbs_.points().measure(y, sizes);
    if (o != outcome::running) return o;
    for (std::size_t i = 0; i < sizes.size(); i += points_at_end) {
      const int high = high_at_end(&sizes[i], stands_out);
      if (high < 0) continue;
      climbed_place p = first_mode;
      climbs_.take(p, y, sizes, i + static_cast<std::size_t>(high));
      for (std::size_t j = 0; j < nd_; ++j) p.width[j] = first_width_there * range_.unit(axis(j));
      found.push_back(std::move(p));
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const climbed_place &a, const climbed_place &b) { return a.size > b.size; });
    return o;
  }

 private:
  static constexpr double as_explained = 1.5;  // of what a density says
  static constexpr std::size_t most_high = 64, few_high = 4 * most_high;

  struct high_place {
    double size;
    std::size_t number, values;  // values: where its [ncomp] values stand
  };
  struct high_places {
    std::vector<high_place> highest;  // of those that stand out, in descending order
    std::vector<double> values;
    std::vector<double> sizes;  // of all places
    double most = 0.0;          // of them
    std::size_t most_at = 0;
    int64 logs = 0, count = 0;
    double mean() const { return mean_of_rough_logs(logs, count); }
  };

  static int axis(std::size_t j) { return static_cast<int>(j); }
  double coordinate(std::size_t place, std::size_t j) const {
    return range_.at_part(axis(j), listed_places(set_.ndim).parts[place * nd_ + j]);
  }

  // At so many places, from one on. are_last: of a look.
  outcome look_at(int next, int count, bool are_last, double background, high_places &seen) {
    const auto first = static_cast<std::size_t>(next), n = static_cast<std::size_t>(count);
    const outcome o = measure(first, n);
    if (o != outcome::running) return o;
    const looked_memory &m = climbs_.points().memory();
    jumps_.remember(first, n);
    for (std::size_t i = 0; i < n; ++i) seen.logs += rough_log(m.sizes[i]);
    seen.sizes.insert(seen.sizes.end(), m.sizes.begin(), m.sizes.end());
    seen.count += count;
    const auto is_higher = [&m](std::size_t a, std::size_t b) {
      return m.sizes[a] > m.sizes[b] || (m.sizes[a] == m.sizes[b] && a < b);
    };
    std::vector<std::size_t> order;
    order.reserve(few_high);
    double least = stands_out_a_little * (are_last ? larger(background, seen.mean()) : background);
    for (std::size_t i = 0; i < n; ++i) {
      if (!(m.sizes[i] > least)) continue;
      if (order.size() == few_high) {  // the lower ones are none of the highest
        std::nth_element(order.begin(), order.begin() + (most_high - 1), order.end(), is_higher);
        order.resize(most_high);
        least = m.sizes[order.back()];
        if (!(m.sizes[i] > least)) continue;
      }
      order.push_back(i);
    }
    std::sort(order.begin(), order.end(), is_higher);
    const std::size_t chosen = std::min(order.size(), most_high);
    const std::size_t top =
        chosen > 0 ? order[0]
                   : static_cast<std::size_t>(std::max_element(m.sizes.begin(), m.sizes.end()) - m.sizes.begin());
    if (m.sizes[top] > seen.most) {
      seen.most = m.sizes[top];
      seen.most_at = first + top;
    }
    for (std::size_t c = 0; c < chosen; ++c) {
      seen.highest.push_back({m.sizes[order[c]], first + order[c], seen.values.size()});
      const double *const values = climbs_.points().values(order[c]);
      seen.values.insert(seen.values.end(), values, values + nc_);
    }
    if (seen.highest.size() > chosen)  // there are some of the places before
      std::stable_sort(seen.highest.begin(), seen.highest.end(),
                       [](const high_place &a, const high_place &b) { return a.size > b.size; });
    seen.highest.resize(std::min(seen.highest.size(), most_high));
    return o;
  }
  outcome measure(std::size_t first, std::size_t n) {
    looked_memory &m = climbs_.points().memory();
    const double *const x = columns(first, n);
    if (are_inside()) return climbs_.points().measure_columns(n, x, m.sizes);
    m.y.resize(n * nd_);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < nd_; ++j) m.y[i * nd_ + j] = x[j * n + i];
    return climbs_.points().measure(m.y, m.sizes);
  }
  // Of the range, all of them? By rounding some may not be, where it is narrow beside its coordinates.
  bool are_inside() const {
    bool all = true;
    for (std::size_t j = 0; j < nd_; ++j)
      for (const double part : {nearer_place, 1.0 - nearer_place})
        all = all && range_.is_inside(axis(j), range_.at_part(axis(j), part));
    return all;
  }
  // So many from one on, [ndim][n].
  const double *columns(std::size_t first, std::size_t n) {
    looked_memory &m = climbs_.points().memory();
    std::vector<double> wanted = {static_cast<double>(first), static_cast<double>(n)};
    for (std::size_t j = 0; j < nd_; ++j)
      wanted.insert(wanted.end(), {range_.at_part(axis(j), 0.0), range_.length_of_box(axis(j))});
    if (wanted == m.made_for) return m.places.data();
    m.made_for.clear();  // none, until all are there
    m.places.resize(n * nd_);
    for (std::size_t j = 0; j < nd_; ++j) {
      const double *const parts = &listed_places(set_.ndim).parts[first * nd_ + j];
      for (std::size_t i = 0; i < n; ++i) m.places[j * n + i] = range_.at_part(axis(j), parts[i * nd_]);
    }
    m.made_for = wanted;
    return m.places.data();
  }
  climbed_place place_of(const high_place &high, const std::vector<double> &at, const climbed_place &background,
                         const high_places &seen) const {
    climbed_place p = background;
    p.at = at;
    p.size = high.size;
    p.values.assign(&seen.values[high.values], &seen.values[high.values] + nc_);
    for (double &w : p.width) w *= first_width_there;
    return p;
  }
  // Where an integrand is still high a quarter of the range away along all axes, there is no peak that points may miss. What does not stand out so much may be a sheet that is narrow along an axis. And upon the
  // top of a map may stand what no map along lines beside it has seen.
  outcome keep_what_falls(std::vector<climbed_place> &found, const std::vector<climbed_place> &lower,
                          const climbed_place &background, const density_of_map &density,
                          std::vector<rise_at_place> &sheets) {
    constexpr double widest = 0.25;
    if (found.empty() && lower.empty() && density.top.empty()) return outcome::running;
    std::vector<double> y, sizes;
    const auto add = [&](const climbed_place &p, double distance) {
      for (std::size_t j = 0; j < nd_; ++j)
        for (const double away : {-distance, distance}) {
          y.insert(y.end(), p.at.begin(), p.at.end());
          y[y.size() - nd_ + j] += away * range_.length_of_box(axis(j));
        }
    };
    for (const climbed_place &p : found) add(p, widest);
    for (const climbed_place &p : lower) add(p, narrow_beside);
    y.insert(y.end(), density.top.begin(), density.top.end());
    const outcome o = climbs_.points().measure(y, sizes);
    if (o != outcome::running) return o;
    const double *beside = sizes.data();  // [place][axis][side]
    std::size_t kept = 0;
    for (std::size_t c = 0; c < found.size(); ++c, beside += 2 * nd_) {
      bool falls = false;
      for (std::size_t i = 0; i < 2 * nd_; i += 2)
        falls = falls || on_side(peak_side::flatter, beside[i], beside[i + 1]) < falls_to * found[c].size;
      if (falls) std::swap(found[kept++], found[c]);
    }
    found.resize(kept);
    for (const climbed_place &p : lower) {
      const fall_beside fall = find_fall(beside, set_.ndim, p.size);
      if (fall.axis >= 0)
        sheets.push_back(sheets_.rise_of(p, static_cast<std::size_t>(fall.axis), p.size - fall.beside,
                                         narrow_beside * range_.length_of_box(fall.axis)));
      beside += 2 * nd_;
    }
    if (!density.top.empty() && *beside > mode_rise * density.at(density.top.data()) * background.size) {
      climbed_place p = background;
      climbs_.take(p, y, sizes, sizes.size() - 1);
      for (double &w : p.width) w *= first_width_there;
      found.insert(found.begin(), std::move(p));
    }
    return o;
  }

  const run_settings set_;
  const std::size_t nd_, nc_;
  const user_range &range_;
  mode_climbs &climbs_;
  sheet_search sheets_;
  jump_search jumps_;
};

}  // namespace tessera
