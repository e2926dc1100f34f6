// Where integrands often have features that no point of the first regions meets: in corners, at the centres of the range, of its faces and its edges, at quarters of the axes, on the diagonal on which all
// variables are equal. A point each, a little beside them, for there callers also have singular points. For looks at other modes (mode_search.hpp, mode_check.hpp).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "mode_lines.hpp"

namespace tessera {

// The places of a cube in so many variables, what matters most first: as parts of the axes.
class usual_places {
 public:
  explicit usual_places(int ndim) : nd_(static_cast<std::size_t>(ndim)) {
    for (std::size_t j = 0; j < nd_; ++j) turns_.push_back(part_of_turn(static_cast<int>(j) + 1));
  }

  // [place][ndim]
  std::vector<double> list() const {
    std::vector<place> all;
    add(all, corners(has_few_axes() ? near_place : nearer_place));
    add(all, centres());
    std::vector<place> more = on_diagonal();
    const auto first = more.begin() + first_on_diagonal;
    all.insert(all.end(), more.begin(), first);
    more.erase(more.begin(), first);
    if (has_few_axes()) {
      add(all, corners(nearer_place));
      add_in_turn(all, {more, between_corners(), at_quarters()});
    } else {
      add(all, more);
    }
    std::vector<double> parts;
    for (const place &p : all) parts.insert(parts.end(), p.begin(), p.end());
    return parts;
  }

 private:
  using place = std::vector<double>;
  static constexpr std::size_t few_axes_there = 6;
  static constexpr int corner_bits = 10, first_on_diagonal = 32;

  // Of many axes there are corners enough.
  bool has_few_axes() const { return nd_ <= few_axes_there; }

  static void add(std::vector<place> &to, const std::vector<place> &places) {
    to.insert(to.end(), places.begin(), places.end());
  }
  // One of each kind after the other, as long as there are any.
  static void add_in_turn(std::vector<place> &to, const std::vector<std::vector<place>> &kinds) {
    std::size_t most = 0;
    for (const std::vector<place> &kind : kinds) most = std::max(most, kind.size());
    for (std::size_t i = 0; i < most; ++i)
      for (const std::vector<place> &kind : kinds)
        if (i < kind.size()) to.push_back(kind[i]);
  }

  double near_end(bool upper, std::size_t j, double away) const {
    const double from_end = away * (1.0 + 0.25 * turns_[j]);
    return upper ? 1.0 - from_end : from_end;
  }
  double near_middle(double middle, std::size_t j) const { return middle + nearer_place * (turns_[j] - 0.5); }

  // Of many axes some have the same sides.
  std::vector<place> corners(double away) const {
    std::vector<place> list(std::size_t{1} << std::min<std::size_t>(nd_, corner_bits), place(nd_));
    for (std::size_t c = 0; c < list.size(); ++c)
      for (std::size_t j = 0; j < nd_; ++j) list[c][j] = near_end((c >> j % corner_bits & 1) != 0, j, away);
    return list;
  }
  // Of the range and of its faces.
  std::vector<place> centres() const {
    place centre;
    for (std::size_t j = 0; j < nd_; ++j) centre.push_back(near_middle(0.5, j));
    std::vector<place> list(1 + 2 * nd_, centre);
    for (std::size_t j = 0; j < nd_; ++j)
      for (const bool upper : {false, true}) list[1 + 2 * j + (upper ? 1 : 0)][j] = near_end(upper, j, nearer_place);
    return list;
  }
  std::vector<place> on_diagonal() const {
    constexpr double beside_diagonal = 1.0 / 4096;
    std::vector<place> list(has_few_axes() ? 256 : 128, place(nd_));
    for (std::size_t n = 0; n < list.size(); ++n)
      for (std::size_t j = 0; j < nd_; ++j) {
        const double along = part_of_turn(static_cast<int>(n) + 1) + beside_diagonal * turns_[j];
        list[n][j] = along - std::floor(along);
      }
    return list;
  }

  // All choices of one of three for each axis, [choice][ndim] from 0 to 2. Not one axis after the other, for there may be room for some of them only.
  std::vector<std::vector<int>> choices() const {
    std::size_t count = 1;
    for (std::size_t j = 0; j < nd_; ++j) count *= 3;
    auto stride = static_cast<std::size_t>(part_of_turn(1) * static_cast<double>(count));
    if (stride % 3 == 0) ++stride;
    std::vector<std::vector<int>> list(count, std::vector<int>(nd_));
    for (std::size_t c = 0; c < count; ++c) {
      std::size_t digits = c * stride % count;
      for (int &digit : list[c]) {
        digit = static_cast<int>(digits % 3);
        digits /= 3;
      }
    }
    return list;
  }
  // At an end on some axes, in the middle on others: no corners or centres once more.
  std::vector<place> between_corners() const {
    std::vector<place> list;
    for (const std::vector<int> &choice : choices()) {
      const auto in_middle = static_cast<std::size_t>(std::count(choice.begin(), choice.end(), 0));
      if (in_middle == 0 || in_middle + 1 >= nd_) continue;
      place p;
      for (std::size_t j = 0; j < nd_; ++j)
        p.push_back(choice[j] == 0 ? near_middle(0.5, j) : near_end(choice[j] == 2, j, nearer_place));
      list.push_back(p);
    }
    return list;
  }
  // At a quarter on some axes, in the middle on others.
  std::vector<place> at_quarters() const {
    std::vector<place> list;
    for (const std::vector<int> &choice : choices()) {
      if (std::count(choice.begin(), choice.end(), 0) == static_cast<std::ptrdiff_t>(nd_)) continue;
      place p;
      for (std::size_t j = 0; j < nd_; ++j)
        p.push_back(near_middle(choice[j] == 0 ? 0.5 : choice[j] == 1 ? 0.25 : 0.75, j));
      list.push_back(p);
    }
    return list;
  }

  const std::size_t nd_;
  std::vector<double> turns_;  // [ndim]: how far beside a place, other parts for each axis
};

}  // namespace tessera
