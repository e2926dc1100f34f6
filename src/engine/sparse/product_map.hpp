// A change of variables, one axis at a time: to the shares of the integrand's mass on each axis, in which a peak is as wide as the domain. Where the integrand is a product of
// functions of one variable it is a constant in them. Made by map_search.hpp; read by sparse grids on the host and in kernels.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../core/power.hpp"

namespace tessera {

// Where a node of a rule lies, and what the integrand is multiplied by there: the mean of the density on the axis over the density.
struct mapped_node {
  double at, slope;
};
constexpr int mapped_nodes = 256;
// Of a node of a rule: the place on this level, as counted in sparse_step.hpp.
TESSERA_HD int mapped_place(int level, int64 digit) {
  return level == 1 ? 0 : (1 << (level - 1)) + static_cast<int>(digit);
}

// The density between two coordinates, over its mean on the axis: a Chebyshev series.
constexpr int density_terms = 16;
struct density_panel {
  double lower, upper;
  double least;  // below which the series says nothing
  double series[density_terms];
};

// Of Clenshaw (1955), at t between -1 and 1.
TESSERA_HD double chebyshev_sum(const double *series, int terms, double t) {
  double one = 0.0, two = 0.0;
  TESSERA_ROLLED
  for (int k = terms - 1; k > 0; --k) {
    const double next = 2.0 * t * one - two + series[k];
    two = one;
    one = next;
  }
  return t * one - two + series[0];
}

struct product_map {
  const mapped_node *nodes;  // [ndim][mapped_nodes]; null: there is no map
  const density_panel *panels;
  const int *first;  // [ndim + 1] of each axis, in ascending order
};

// Which of the panels of axis j a coordinate lies in.
template <class Panel>
TESSERA_HD int panel_at(const Panel *panels, const int *first, int j, double at) {
  int low = first[j], high = first[j + 1];
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (panels[middle].lower <= at)
      low = middle;
    else
      high = middle;
  }
  return low;
}

// The density on axis j at a coordinate, over its mean there; where it is next to nothing perhaps too much.
TESSERA_HD double density_at(const product_map &map, int j, double at) {
  const density_panel &p = map.panels[panel_at(map.panels, map.first, j, at)];
  const double t = (2.0 * at - p.lower - p.upper) / (p.upper - p.lower);
  return larger(chebyshev_sum(p.series, density_terms, t < -1.0 ? -1.0 : (t > 1.0 ? 1.0 : t)), p.least);
}

// The logarithm of the density, to base 2, at the ends of equal cells of a panel: a look at millions of points needs it to a hundredth, and reads three numbers of it instead of a series.
constexpr int log_cells = 16;
struct log_panel {
  double lower, cells;  // of a unit of the coordinate
  float logs[log_cells + 2];
};
constexpr int most_log_panels = 720;  // of a map: those that a block of threads has room for; of more there are none

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

// Of density_at: the parabola of a pair of cells. first[ndim + 1] as in the map.
TESSERA_HD double log_density_at(const log_panel *panels, const int *first, int j, double at) {
  constexpr double steep = 3.0;
  const log_panel &p = panels[panel_at(panels, first, j, at)];
  const double t = smaller(static_cast<double>(log_cells), larger(0.0, (at - p.lower) * p.cells));
  const int pair = t < log_cells ? static_cast<int>(t) / 2 * 2 : log_cells - 2;
  const double behind = t - pair, from = p.logs[pair], middle = p.logs[pair + 1], to = p.logs[pair + 2];
  if (fabs(middle - from) < steep && fabs(to - middle) < steep)
    return from + behind * (middle - from + 0.5 * (behind - 1.0) * (to - 2.0 * middle + from));
  const bool second = behind > 1.0;  // there may be a zero
  const double share = second ? behind - 1.0 : behind;
  return same_log2((1.0 - share) * same_exp2(second ? middle : from) + share * same_exp2(second ? to : middle));
}

}  // namespace tessera
