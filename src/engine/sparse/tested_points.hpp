// Where a sparse grid with a map has next to no points the integrand is looked at all the same: at some points of each region, and at points spread over the domain. What it is there is compared with what the
// grid has found, which in the variables of the map is nearly the same everywhere: so a second peak shows by its foot, at values that would mean nothing by themselves.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../cubature/region_store.hpp"
#include "log_density.hpp"
#include "polynomial_multiples.hpp"
#include "sparse_step.hpp"

namespace tessera {

constexpr int tested_in_region = 3;
constexpr int most_spread_axes = 64;

// Points of regions 0 ... in_regions-1, and behind them others, from `first` on: multiples of `turns`, numbers that are not rational, on each axis. They are spread evenly over the domain,
// or three of four over the mass, for beside a peak that is hardly narrow that may be next to none of the domain where there are many axes.
struct tested_set {
  region_view regions;
  int64 in_regions, first, spread;
  bool are_there;    // the regions; else the points have been looked at before, or cannot be
  double departure;  // that is expected, of the integrand from the mean in the variables of the map
  double
      departure_in_mass;  // the same at points that are spread over it, where the density is no tail's; 0: there are none
  double dense;           // where the map's density is as large the integrand may be anything
  polynomial_multiples multiples;  // of the component that the map is of: what they are is compared with that
  double turns[most_spread_axes];

  TESSERA_HD int64 points() const { return tested_in_region * in_regions + spread; }
};

TESSERA_HD double fraction(double v) { return v - static_cast<double>(static_cast<int64>(v)); }

// What a map's density is at a point, axis by axis: by the map itself, or by its logarithms.
struct series_density {
  product_map map;
  double product = 1.0;
  TESSERA_HD void add(int j, double, double at) { product *= density_at(map, j, at); }
  TESSERA_HD double value() const { return product; }
};
struct logged_density {
  log_map map;
  float sum = 0.0f;
  TESSERA_HD void add(int j, double place, double at) { sum += log_density_at(map, j, place, at); }
  TESSERA_HD double value() const { return same_exp2(sum < -996.0f ? -996.0 : (sum > 996.0f ? 996.0 : sum)); }
};

struct no_density {
  TESSERA_HD void add(int, double, double) {}
};

// Is a point that is spread, by its number, spread over the mass? Number 1 is the first.
TESSERA_HD bool is_in_mass(const tested_set &s, int64 number) { return s.departure_in_mass > 0.0 && number % 4 != 0; }
// Where it lies on axis j, from -1 to 1: not on a face.
TESSERA_HD double spread_place(const tested_set &s, const product_map &map, int j, int64 number) {
  const double share = fraction(0.5 + static_cast<double>(number) * s.turns[j]);
  return (is_in_mass(s, number) ? place_of_share(map, j, share) : 2.0 * share - 1.0) * 0.999999;
}

// Coordinate j goes to x[j*ldx]. density: of the domain's map, at no axis yet. Returns the Jacobian of the axes.
template <class Density>
TESSERA_HD double write_tested_point(const sparse_domain &domain, int ndim, const tested_set &s, int64 i, double *x,
                                     int64 ldx, Density &density) {
  double jacobian = 1.0;
  const int64 others = tested_in_region * s.in_regions;
  const bool is_in_region = i < others;
  const int64 region = is_in_region ? i / tested_in_region : 0;
  const double side = static_cast<double>(i - tested_in_region * region - 1);  // the centre, and one on each side of it
  const int64 number = s.first + i - others + 1;
  TESSERA_OVERLAPPED
  for (int j = 0; j < ndim; ++j) {
    double at, place;  // from -1 to 1
    if (is_in_region) {
      const double aside =
          1.6 * fraction(static_cast<double>((region % 1024 + 1) * (2 * j + 3)) * 0.6180339887498949) - 0.8;
      at = s.regions.centre(region, j) + side * aside * s.regions.half(region, j);
      place = (at - domain.centre[j]) / domain.half[j];
    } else {
      place = spread_place(s, domain.map, j, number);
      at = domain.centre[j] + place * domain.half[j];
    }
    density.add(j, place, at);
    *x = domain.axes ? map_axis(domain.axes[j], at, jacobian) : at;
    x += ldx;
  }
  return jacobian;
}

// The size of a value (the integrand times the Jacobian) at point i that is none that such a grid expects there; mean: of the grid, of this component.
TESSERA_HD double unexplained_size(const tested_set &s, int64 i, double value, double mean, double density) {
  const double size = fabs(value);
  const int64 others = tested_in_region * s.in_regions;
  constexpr double tail = 1e-4;
  const bool sharp = density >= tail && i >= others && is_in_mass(s, s.first + i - others + 1);
  const double departure = sharp ? s.departure_in_mass : s.departure;
  return density >= s.dense || size <= departure * fabs(mean) * density ? 0.0 : size;
}
// The same of component k, value(k) of each, at x[j*ldx] in the user's coordinates, of a multiple beside what it is one of.
template <class Value>
TESSERA_HD double unexplained_size(const tested_set &s, int64 i, int k, const Value &value, double mean, double density,
                                   const double *x, int64 ldx) {
  return s.multiples.has(k) ? unlike_multiple(s.multiples, k, value(k), value(s.multiples.base), x, ldx)
                            : unexplained_size(s, i, value(k), mean, density);
}

}  // namespace tessera
