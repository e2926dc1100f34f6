// The density of a map (product_map.hpp) for a look at millions of points, which needs it to a hundredth: the logarithm to base 2 at the ends of equal cells of each panel, three numbers instead of a series, and
// where the panels lie in equal parts of an axis, so that few are to be searched.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../core/power.hpp"
#include "product_map.hpp"

namespace tessera {

constexpr int log_cells = 16, log_parts = 64;
struct log_panel {
  double lower, cells;  // of a unit of the coordinate
  float logs[log_cells + 2];
};
constexpr int log_starts = log_parts + 1;  // of an axis: in which panel each of its parts begins, and the last one ends
using panel_number = unsigned short;
constexpr int most_log_panels = 720;  // of a map: those that a block of threads has room for; of more there are none

struct log_map {
  const log_panel *panels;     // as in the map
  const panel_number *starts;  // [ndim][log_starts]
};

// The part of a panel that is known by the lower end of a cell, or the upper one of the last; with the first where it lies.
TESSERA_HD void write_log_cell(const density_panel &p, int cell, log_panel &to) {
  constexpr double least = 1e-300;
  const double density = larger(chebyshev_sum(p.series, density_terms, cell * (2.0 / log_cells) - 1.0), p.least);
  to.logs[cell] = static_cast<float>(same_log2(larger(density, least)));
  if (cell == 0) {
    to.lower = p.lower;
    to.cells = log_cells / (p.upper - p.lower);
  }
}
TESSERA_HD panel_number log_start(const product_map &map, int j, int part) {
  const int first = map.first[j], last = map.first[j + 1] - 1;
  const double lower = map.panels[first].lower, upper = map.panels[last].upper;
  const int p = panel_at(map.panels, first, last + 1, lower + (upper - lower) * part / log_parts);
  return static_cast<panel_number>(part == log_parts ? last : p);
}

// At so many cells of it from its lower end: the parabola of a pair of cells.
TESSERA_HD float log_within(const log_panel &p, float cells) {
  constexpr float steep = 3.0f, straight = 1.0f;
  const float t = cells < 0.0f ? 0.0f : (cells > log_cells ? static_cast<float>(log_cells) : cells);
  const int cell = static_cast<int>(t) & ~1, pair = cell < log_cells ? cell : log_cells - 2;
  const float behind = t - static_cast<float>(pair), from = p.logs[pair], middle = p.logs[pair + 1],
              to = p.logs[pair + 2], one = middle - from, two = to - middle, bend = two - one;
  if ((fabs(one) < steep && fabs(two) < steep) || fabs(bend) < straight)
    return from + behind * (one + 0.5f * (behind - 1.0f) * bend);
  const bool second = behind > 1.0f;  // there may be a zero
  const double share = second ? behind - 1.0f : behind;
  return static_cast<float>(
      same_log2((1.0 - share) * same_exp2(second ? middle : from) + share * same_exp2(second ? to : middle)));
}
// Of density_at. place: where the coordinate lies on the axis, from -1 to 1.
TESSERA_HD float log_density_at(const log_map &map, int j, double place, double at) {
  const int part = static_cast<int>((place + 1.0) * (0.5 * log_parts));
  const panel_number *const starts = map.starts + j * log_starts + (part < log_parts ? part : log_parts - 1);
  const log_panel &p = map.panels[panel_at(map.panels, starts[0], starts[1] + 1, at)];
  return log_within(p, static_cast<float>((at - p.lower) * p.cells));
}

}  // namespace tessera
