// A change of variables, one axis at a time: to the shares of the integrand's mass on each axis, in which a peak is as wide as the domain. Where the integrand is a product of
// functions of one variable it is a constant in them. Made by map_search.hpp; read by sparse grids on the host and in kernels.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../core/hd.hpp"

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

// Which of the panels low ... end-1 a coordinate lies in.
template <class Panel>
TESSERA_HD int panel_at(const Panel *panels, int low, int end, double at) {
  while (end - low > 1) {
    const int middle = (low + end) / 2;
    if (panels[middle].lower <= at)
      low = middle;
    else
      end = middle;
  }
  return low;
}

// The density on axis j at a coordinate, over its mean there; where it is next to nothing perhaps too much.
TESSERA_HD double density_at(const product_map &map, int j, double at) {
  const density_panel &p = map.panels[panel_at(map.panels, map.first[j], map.first[j + 1], at)];
  const double t = (2.0 * at - p.lower - p.upper) / (p.upper - p.lower);
  return larger(chebyshev_sum(p.series, density_terms, t < -1.0 ? -1.0 : (t > 1.0 ? 1.0 : t)), p.least);
}

// Where it is highest, to a thousandth of a panel's width.
TESSERA_HD double top_of_density(const product_map &map, int j) {
  constexpr int parts = 16, rounds = 3;
  double top = 0.0, highest = -1.0;
  for (int p = map.first[j]; p < map.first[j + 1]; ++p) {
    const density_panel &panel = map.panels[p];
    double most = 0.0;
    for (const double c : panel.series) most += fabs(c);
    if (most <= highest) continue;
    double low = panel.lower, high = panel.upper;
    for (int round = 0; round < rounds; ++round) {
      const double step = (high - low) / parts;
      double best = low, size = -1.0;
      for (int i = 0; i <= parts; ++i) {
        const double at = low + i * step, t = (2.0 * at - panel.lower - panel.upper) / (panel.upper - panel.lower);
        const double density = chebyshev_sum(panel.series, density_terms, t);
        if (density > size) size = density, best = at;
      }
      if (size > highest) highest = size, top = best;
      low = larger(panel.lower, best - step);
      high = smaller(panel.upper, best + step);
    }
  }
  return top;
}

}  // namespace tessera
