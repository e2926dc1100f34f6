// Where integrands often have features that no point of the first regions meets: in corners, at the centres of the range, of its faces and its edges, at quarters of the axes, on the diagonal on which all
// variables are equal. A point each, a little beside them, for there callers also have singular points. And places that are spread evenly, for regions have the same few coordinates of an axis
// again and again: lines along the axes (place_lines.hpp), which see what is narrow in one variable, and rows across all of them (place_rows.hpp), which see it in two, and where the integrand jumps, and points.
// For looks at other modes (mode_search.hpp, mode_check.hpp).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "../../core/sobol.hpp"
#include "mode_lines.hpp"
#include "place_lines.hpp"
#include "place_rows.hpp"

namespace tessera {

struct usual_list {
  std::size_t ndim = 0;
  std::vector<double> parts;  // [place][ndim] of a cube, as parts of the axes: what matters most first
  // From this place on are the lines along axes 0, 1, ..., as many as axes or none, behind them the rows, and points that are spread.
  std::size_t first_line = 0, lines = 0, rows = 0;

  std::size_t count() const { return parts.size() / ndim; }
  std::size_t line_at(std::size_t axis) const { return first_line + axis * places_on_line; }
  std::size_t first_row() const { return line_at(lines); }
  std::size_t behind_rows() const { return first_row() + rows * places_in_row; }
};

// The places of a cube in so many variables.
class usual_places {
 public:
  explicit usual_places(int ndim)
      : nd_(static_cast<std::size_t>(ndim)), net_(static_cast<std::size_t>(sobol_words(ndim, sobol_columns))) {
    scramble_sobol(1, 0, ndim, sobol_columns, net_.data());
    for (std::size_t j = 0; j < nd_; ++j) turns_.push_back(part_of_turn(static_cast<int>(j) + 1));
  }

  usual_list list() {
    list_ = {};
    list_.ndim = nd_;
    add(corners(has_few_axes() ? near_place : nearer_place));
    add(centres());
    add(on_diagonal(0, first_on_diagonal));
    if (has_few_axes()) add(corners(nearer_place));
    std::vector<std::vector<double>> kinds = {on_diagonal(first_on_diagonal, 128)};
    if (has_few_axes()) kinds.insert(kinds.end(), {between_corners(), at_quarters()});
    add_in_turn(kinds);
    list_.first_line = list_.count();
    if (nd_ > 1) {
      add_lines();
      add_rows();
      for (int n = 0; n < count_spread; ++n) add(spread(n + 2 * count_rows));
    }
    return list_;
  }

 private:
  static constexpr std::size_t few_axes_there = 6;
  static constexpr int corner_bits = 10, first_on_diagonal = 32;
  static constexpr int count_rows = 128, count_spread = 256;
  static constexpr int sobol_columns = 13, first_of_lines = 1024;  // the last numbers are those of lines

  // Of many axes there are corners enough.
  bool has_few_axes() const { return nd_ <= few_axes_there; }

  void add(const std::vector<double> &places) { list_.parts.insert(list_.parts.end(), places.begin(), places.end()); }
  // A place of each kind after the other, as long as there are any.
  void add_in_turn(const std::vector<std::vector<double>> &kinds) {
    std::size_t most = 0;
    for (const std::vector<double> &kind : kinds) most = std::max(most, kind.size());
    for (std::size_t i = 0; i < most; i += nd_)
      for (const std::vector<double> &kind : kinds)
        if (i < kind.size()) list_.parts.insert(list_.parts.end(), &kind[i], &kind[i] + nd_);
  }

  static double off_ends(double part) { return std::min(std::max(part, nearer_place), 1.0 - nearer_place); }
  double near_end(bool upper, std::size_t j, double away) const {
    const double from_end = away * (1.0 + 0.25 * turns_[j]);
    return upper ? 1.0 - from_end : from_end;
  }
  double near_middle(double middle, std::size_t j) const { return middle + nearer_place * (turns_[j] - 0.5); }

  // Of many axes some have the same sides.
  std::vector<double> corners(double away) const {
    std::vector<double> list;
    for (std::size_t c = 0; c < std::size_t{1} << std::min<std::size_t>(nd_, corner_bits); ++c)
      for (std::size_t j = 0; j < nd_; ++j) list.push_back(near_end((c >> j % corner_bits & 1) != 0, j, away));
    return list;
  }
  // Of the range, and of its faces: 2 j and 2 j + 1 are those of axis j.
  std::vector<double> centres() const {
    std::vector<double> list;
    for (std::size_t j = 0; j < nd_; ++j) list.push_back(near_middle(0.5, j));
    for (std::size_t face = 0; face < 2 * nd_; ++face)
      for (std::size_t j = 0; j < nd_; ++j)
        list.push_back(j == face / 2 ? near_end(face % 2 == 1, j, nearer_place) : near_middle(0.5, j));
    return list;
  }
  std::vector<double> on_diagonal(int first, int end) const {
    constexpr double beside_diagonal = 1.0 / 4096;
    std::vector<double> list;
    for (int n = first; n < end; ++n)
      for (std::size_t j = 0; j < nd_; ++j) {
        const double along = part_of_turn(n + 1) + beside_diagonal * turns_[j];
        list.push_back(along - std::floor(along));
      }
    return list;
  }

  // Of all choices of one of three for each axis, of which 0 is in the middle, those that leave it on so many axes, for coordinate(upper, j). Not one axis after the other, for there may be room for some of them only.
  template <class Coordinate>
  std::vector<double> choices(std::size_t least_aside, std::size_t most_aside, const Coordinate &coordinate) const {
    std::size_t count = 1;
    for (std::size_t j = 0; j < nd_; ++j) count *= 3;
    auto stride = static_cast<std::size_t>(part_of_turn(1) * static_cast<double>(count));
    if (stride % 3 == 0) ++stride;
    std::vector<double> list;
    for (std::size_t c = 0; c < count; ++c) {
      std::size_t digits = c * stride % count, aside = 0;
      for (std::size_t j = 0; j < nd_; ++j, digits /= 3) {
        list.push_back(digits % 3 == 0 ? near_middle(0.5, j) : coordinate(digits % 3 == 2, j));
        aside += digits % 3 == 0 ? 0 : 1;
      }
      if (aside < least_aside || aside > most_aside) list.resize(list.size() - nd_);
    }
    return list;
  }
  // At an end on some axes: no centres or corners once more.
  std::vector<double> between_corners() const {
    return choices(2, nd_ - 1, [this](bool upper, std::size_t j) { return near_end(upper, j, nearer_place); });
  }
  std::vector<double> at_quarters() const {
    return choices(1, nd_, [this](bool upper, std::size_t j) { return near_middle(upper ? 0.75 : 0.25, j); });
  }

  // Scrambled Sobol points, of which pairs of coordinates are spread evenly as well; numbers wrap around.
  double spread_part(int n, std::size_t j) const {
    const uint64 number = static_cast<uint64>(n) & ((uint64{1} << sobol_columns) - 1);
    const double part =
        std::ldexp(static_cast<double>(sobol_digits(&net_[j * (sobol_columns + 1)], sobol_columns, number)), -64);
    return off_ends(part);
  }
  std::vector<double> spread(int number) const {
    std::vector<double> at;
    for (std::size_t j = 0; j < nd_; ++j) at.push_back(spread_part(number, j));
    return at;
  }
  // One along each axis, each elsewhere.
  void add_lines() {
    list_.lines = nd_;
    for (std::size_t axis = 0; axis < nd_; ++axis) {
      const int number = static_cast<int>(axis) - first_of_lines;
      std::vector<double> at = spread(number);
      for (int i = 0; i < places_on_line; ++i) {
        at[axis] = (i + part_of_turn(1)) / places_on_line;
        add(at);
      }
    }
  }
  // Each somewhere else, along a diagonal of a box that is about a quarter of each axis long; more of them at the ends of axes, where one that crosses the middle has no place.
  void add_rows() {
    list_.rows = count_rows;
    for (int row = 0; row < count_rows; ++row) {
      const std::vector<double> spread_over = spread(row);
      for (int i = 0; i < places_in_row; ++i)
        for (std::size_t j = 0; j < nd_; ++j) {
          const double length = 0.25 * (0.75 + 0.5 * turns_[j]), along = i / (places_in_row - 1.0);
          const double from = 0.5 * spread_over[j] + 0.25 * (1.0 - std::cos(3.141592653589793 * spread_over[j]));
          const bool is_upwards = part_of_turn((row + 1) * (static_cast<int>(j) + 1)) < 0.5;
          list_.parts.push_back(off_ends(from * (1.0 - length) + length * (is_upwards ? along : 1.0 - along)));
        }
    }
  }

  const std::size_t nd_;
  std::vector<uint64> net_;
  std::vector<double> turns_;  // [ndim]: how far beside a place, other parts for each axis
  usual_list list_;
};

}  // namespace tessera
