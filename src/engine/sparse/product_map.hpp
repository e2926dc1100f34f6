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

constexpr int map_shares = 32;  // of the mass of an axis, equal ones
struct product_map {
  const mapped_node *nodes;  // [ndim][mapped_nodes]; null: there is no map
  const density_panel *panels;
  const int *first;  // [ndim + 1] of each axis, in ascending order
  const double *
      parts;  // [ndim][map_shares + 1]: between which such a share lies, from -1 to 1 on the axis; null where the integrand is narrow
};

// Below about which place on axis j, from -1 to 1, such a share of its mass lies.
TESSERA_HD double place_of_share(const product_map &map, int j, double share) {
  const double *const parts = map.parts + j * (map_shares + 1);
  const int part = static_cast<int>(share * map_shares);
  return parts[part] + (share * map_shares - part) * (parts[part + 1] - parts[part]);
}

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

// No less than it is anywhere on a panel.
TESSERA_HD double bound_of(const density_panel &panel) {
  double most = 0.0;
  for (const double c : panel.series) most += fabs(c);
  return most;
}
// Where it is highest, to a hundredth of a panel. That with the largest bound first, for then others need not be looked at.
TESSERA_HD double top_of_density(const product_map &map, int j) {
  constexpr int parts = 8, rounds = 3;
  const int first = map.first[j], end = map.first[j + 1];
  int best_bound = first;
  for (int p = first + 1; p < end; ++p)
    if (bound_of(map.panels[p]) > bound_of(map.panels[best_bound])) best_bound = p;
  double top = 0.0, highest = -1.0;
  for (int i = 0; i < end - first; ++i) {
    const density_panel &panel = map.panels[first + (best_bound - first + i) % (end - first)];
    if (bound_of(panel) <= highest) continue;
    double low = -1.0, high = 1.0;
    for (int round = 0; round < rounds; ++round) {
      const double step = (high - low) / parts;
      double best = low, size = -1.0;
      for (int part = 0; part <= parts; ++part) {
        const double t = low + part * step, density = chebyshev_sum(panel.series, density_terms, t);
        if (density > size) size = density, best = t;
      }
      if (size > highest) highest = size, top = 0.5 * (panel.lower + panel.upper + best * (panel.upper - panel.lower));
      low = larger(-1.0, best - step);
      high = smaller(1.0, best + step);
    }
  }
  return top;
}

}  // namespace tessera
