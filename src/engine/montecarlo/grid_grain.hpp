// What a grid says of the integral that lies between neighbouring numbers of double precision, where no sample comes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "../../core/sample_map.hpp"

namespace tessera {

// The distance in u of points that are still different ones, near u.
inline double grain_at(const sample_axis &a, double u) {
  constexpr double half = 1.1102230246251565404e-16;  // 2^-53
  switch (a.map.kind) {
    case axis_finite:
      return half * larger(u, fabs(a.lower + a.length * u) / a.length);
    case axis_both:
      return half;
    case axis_narrow:
      return half * larger(u, fabs(a.map.anchor) / a.length);
    default:
      return half * larger(u, fabs(a.map.anchor));
  }
}

// The intervals of a trained grid have equal shares of the integral. About the finest of them these fall with the width by a power, which is
// small for a singularity and near 1 for a peak or a jump; as much is foretold of a single grain. The finest intervals are the last ones to
// learn, and show a power that is too large: the most of several spans counts. edges[grid_edges]
inline double share_of_a_grain(const sample_axis &a, const double *edges) {
  constexpr int least_span = 4, widening = 4;
  constexpr double singular = 0.6;  // a grain of such a power is 1e-10
  const auto grain = [&](int b) { return grain_at(a, 0.5 * (edges[b] + edges[b + 1])); };
  int finest = 0;
  double least = infinity_value();
  for (int b = 0; b < grid_bins; ++b) {
    const double grains = (edges[b + 1] - edges[b]) / grain(b);
    if (grains < least) least = grains, finest = b;
  }
  const auto width = [&](int span) {
    const int first = std::clamp(finest - span / 2, 0, grid_bins - span);
    return edges[first + span] - edges[first];
  };
  double most = 0.0;
  for (int span = least_span; span * widening <= grid_bins; span *= 2) {
    const double power = std::log(double{widening}) / std::log(width(widening * span) / width(span));
    if (span == least_span && power > singular) break;
    most = larger(most, std::pow(grain(finest) / width(span), power) * span / grid_bins);
  }
  return most;
}
inline double share_between_numbers(const std::vector<sample_axis> &axes, const std::vector<double> &grid) {
  double all = 0.0;
  for (std::size_t j = 0; j < axes.size(); ++j) all += share_of_a_grain(axes[j], &grid[j * grid_edges]);
  return std::fmin(all, 1.0);
}

}  // namespace tessera
