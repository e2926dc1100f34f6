// From uniform random numbers to the user's coordinates, one axis at a time: the cell of the stratification, the grid of
// importance sampling, the user's range. Each step multiplies the jacobian.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transform.hpp"

namespace tessera {

constexpr int grid_bins = 128;  // intervals of an axis, as many as in Cuba's Vegas
constexpr int grid_edges = grid_bins + 1;

// One axis of the user's domain, of which the unit interval is the image. The length of finite axes is left out of the
// jacobian: it is part of the domain's volume.
struct sample_axis {
  axis_map map;
  double lower, length;  // of finite axes
};

// u in (0, 1), 1 - u no smaller than 2^-53.
TESSERA_HD double sample_coordinate(const sample_axis &a, double u, double &jacobian) {
  if (a.map.kind == axis_finite) return between(a.lower + a.length * u, a.map.first, a.map.last);
  if (a.map.kind != axis_both) return map_axis(a.map, u, jacobian);
  jacobian *= 2.0;
  constexpr double next_to_0 = 1.1102230246251565404e-16;  // 2^-53: what is below it would be rounded to the end
  return map_axis(a.map, 2.0 * (u < next_to_0 ? next_to_0 : u) - 1.0, jacobian);
}

// An interval of the grid: where it begins, and by how much u grows with y in it.
struct grid_interval {
  double low, slope;
};
struct grid_table {
  const double *edges;
  TESSERA_HD double edge(int b) const { return edges[b]; }
  TESSERA_HD grid_interval at(int b) const { return {edges[b], grid_bins * (edges[b + 1] - edges[b])}; }
};

// y in (0, 1] in the grid's coordinate: the interval, and how far behind its beginning.
struct place_in_grid {
  double behind;
  int bin;
};
TESSERA_HD place_in_grid find_in_grid(double y) {
#if defined(__CUDA_ARCH__)
  // Not by the unit of conversions, which is slow: rounded down, the sum has the interval in its lowest bits.
  constexpr double rounding = 1.5 * 4503599627370496.0 / grid_bins;
  const double sum = __dadd_rd(y, rounding), edge = sum - rounding;
  const int bin = static_cast<int>(static_cast<uint32>(bits_of(sum)));
#else
  const int bin = static_cast<int>(y * grid_bins);
  const double edge = bin * (1.0 / grid_bins);
#endif
  return {y - edge, bin < grid_bins ? bin : grid_bins - 1};  // where rounding has made y 1 it is the last interval
}
// May be rounded to 1.
TESSERA_HD double go_to_place(const grid_interval &in, double behind, double &jacobian) {
  jacobian *= in.slope;
  return rounded_sum(in.low, rounded_product(in.slope, behind));
}
// To u: the grid cuts the unit interval at edges[0] = 0 < ... < edges[grid_bins] = 1, and y has the same share of each interval (Lepage
// 1978). `bin` is the interval. Table: see grid_table.
template <class Table>
TESSERA_HD double grid_coordinate(const Table &table, double y, double &jacobian, int &bin) {
  const place_in_grid place = find_in_grid(y);
  bin = place.bin;
  return below_one(go_to_place(table.at(bin), place.behind, jacobian));
}

// The way back: the intervals of `many` numbers u.
template <int many, class Table>
TESSERA_HD void intervals_of(const Table &table, const double *u, int *bin) {
  for (int l = 0; l < many; ++l) bin[l] = 0;
  TESSERA_UNROLLED
  for (int half = grid_bins / 2; half > 0; half /= 2)
    for (int l = 0; l < many; ++l) bin[l] += u[l] < table.edge(bin[l] + half) ? 0 : half;
}
// That of one, and the derivative du/dy there.
template <class Table>
TESSERA_HD double grid_width(const Table &table, double u, int &bin) {
  intervals_of<1>(table, &u, &bin);
  return table.at(bin).slope;
}

// Two kinds of samples share one integrand by the power heuristic (Veach and Guibas 1995, with the exponent 2): those of the grid, whose
// density is 1/jacobian, take the part in which they are denser, the scouts, which are uniform, the rest; together they take all of it.
// Where the grid is right the product of integrand and jacobian is a constant, and what scouts take of it is variance: with the balance
// heuristic a smooth integrand has several times as much. scouting: scouts for each sample of the grid. Then no sample of the grid weighs
// more than 1 / (2 scouting), and no scout more than 1.
struct sample_weight {
  double factor;  // of the integrand, the jacobian of the grid included
  double boost;   // from the squared product to the sample's part in the integral of f^2/density
};
TESSERA_HD sample_weight weight_of_sample(double jacobian, double scouting, bool scout) {
  const double j = between(jacobian, 1e-140, 1e140), s = scouting * j, q = rounded_product(s, s),
               both = rounded_sum(1.0, q);
  if (!scout) return {j / both, both};
  const double factor = q / both;
  return {factor, j / factor};
}

}  // namespace tessera
