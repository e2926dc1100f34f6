// Where a sparse grid with a map has next to no points the integrand is looked at all the same: at some points of each region, and at points spread over the domain. What it is there is compared with what the
// grid has found, which in the variables of the map is nearly the same everywhere: so a second peak shows by its foot, at values that would mean nothing by themselves.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../cubature/region_store.hpp"
#include "sparse_step.hpp"

namespace tessera {

constexpr int tested_in_region = 3;
constexpr int most_spread_axes = 64;

// Points of regions 0 ... in_regions-1, and behind them others, from `first` on: multiples of `turns`, numbers that are not rational, on each axis.
struct tested_set {
  region_view regions;
  int64 in_regions, first, spread;
  bool are_there;    // the regions; else the points have been looked at before, or cannot be
  double departure;  // that is expected, of the integrand from the mean in the variables of the map
  double dense;      // where the map's density is as large the integrand may be anything
  double turns[most_spread_axes];

  TESSERA_HD int64 points() const { return tested_in_region * in_regions + spread; }
};

TESSERA_HD double fraction(double v) { return v - static_cast<double>(static_cast<int64>(v)); }

// Coordinate j goes to x[j*ldx]. logs: of the domain's map, or null where there are none. Returns the Jacobian of the axes.
TESSERA_HD double write_tested_point(const sparse_domain &domain, const log_panel *logs, int ndim, const tested_set &s,
                                     int64 i, double *x, int64 ldx, double &density) {
  double jacobian = 1.0, log_density = 0.0;
  density = 1.0;
  const int64 region = i / tested_in_region, others = tested_in_region * s.in_regions;
  const int place = static_cast<int>(i % tested_in_region) - 1;  // the centre, and one on each side of it
  TESSERA_ROLLED
  for (int j = 0; j < ndim; ++j) {
    double at;
    if (i < others) {
      const double aside =
          1.6 * fraction(static_cast<double>((region % 1024 + 1) * (2 * j + 3)) * 0.6180339887498949) - 0.8;
      at = s.regions.centre(region, j) + place * aside * s.regions.half(region, j);
    } else {
      const double share = fraction(0.5 + static_cast<double>(s.first + i - others + 1) * s.turns[j]);
      at = domain.centre[j] + (2.0 * share - 1.0) * 0.999999 * domain.half[j];  // not on a face
    }
    if (logs)
      log_density += log_density_at(logs, domain.map.first, j, at);
    else
      density *= density_at(domain.map, j, at);
    x[j * ldx] = domain.axes ? map_axis(domain.axes[j], at, jacobian) : at;
  }
  if (logs) density = same_exp2(log_density < -996.0 ? -996.0 : (log_density > 996.0 ? 996.0 : log_density));
  return jacobian;
}

// The size of a value (the integrand times the Jacobian) that is none that such a grid expects there; mean: of the grid, of this component.
TESSERA_HD double unexplained_size(const tested_set &s, double value, double mean, double density) {
  const double size = fabs(value);
  return density >= s.dense || size <= s.departure * fabs(mean) * density ? 0.0 : size;
}

}  // namespace tessera
