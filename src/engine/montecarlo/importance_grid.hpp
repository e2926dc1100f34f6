// The grid of VEGAS: for each axis edges between which the samples have equal shares, moved after every iteration towards equal
// contributions (Lepage, J. Comput. Phys. 27 (1978) 192-203; the damping as in J. Comput. Phys. 439 (2021) 110386).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "../../core/sample_map.hpp"

namespace tessera {

inline std::vector<double> uniform_grid(int ndim) {
  std::vector<double> edges;
  edges.reserve(static_cast<std::size_t>(ndim) * grid_edges);
  for (int j = 0; j < ndim; ++j)
    for (int i = 0; i < grid_edges; ++i) edges.push_back(static_cast<double>(i) / grid_bins);
  return edges;
}

// What is left of the differences between the bins when chance is taken out: 0 .. 1. If an axis does not matter, the counts have the
// relative variance bins * squares / sum^2, with the sum of the squares of what each point has counted. Without this, hundreds
// of axes that do not matter would together spoil the jacobian by their noise.
inline double seen_share(const double *counts, double sum, double squares) {
  constexpr double caution = 1.2;  // the variance of 128 numbers is above 1.2 times its mean once in 20 cases
  const double mean = sum / grid_bins;
  double variance = 0.0;
  for (int i = 0; i < grid_bins; ++i) variance += (counts[i] / mean - 1.0) * (counts[i] / mean - 1.0);
  variance /= grid_bins - 1;
  const double chance = caution * grid_bins * (squares / sum) / sum;
  return variance > chance ? 1.0 - chance / variance : 0.0;
}

// One axis. counts[grid_bins]: integral of the squared integrand over the bins, in any unit; squares: sum of the squares of what
// each point has counted, or 0 to believe all. With damping 0 or nothing counted the axis stays as it is.
inline void refine_axis(const uint64 *counts, double squares, double damping, double *edges) {
  double raw[grid_bins], smooth[grid_bins], sum = 0.0;
  for (int i = 0; i < grid_bins; ++i) sum += raw[i] = static_cast<double>(counts[i]);
  if (!(sum > 0.0) || damping == 0.0) return;
  const double seen = seen_share(raw, sum, squares);
  if (seen == 0.0) return;
  for (double &v : raw) v = seen * v + (1.0 - seen) * (sum / grid_bins);
  for (int i = 0; i < grid_bins; ++i) {
    const double here = raw[i], left = i > 0 ? raw[i - 1] : here, right = i + 1 < grid_bins ? raw[i + 1] : here;
    smooth[i] = (left + 6.0 * here + right) / 8.0;
  }
  double weights = 0.0;
  for (double &d : smooth) {
    // An empty bin keeps a little: nothing was seen there, which does not mean that there is nothing.
    const double r = larger(d / sum, 1e-30);
    d = r < 1.0 ? std::pow((1.0 - r) / -std::log(r), damping) : 1.0;
    weights += d;
  }
  // New edges at equal shares of the weights, each spread evenly over its bin.
  double next[grid_edges], before = 0.0;
  next[0] = edges[0];
  int bin = 0;
  for (int i = 1; i < grid_bins; ++i) {
    const double wanted = weights * i / grid_bins;
    while (bin < grid_bins - 1 && before + smooth[bin] < wanted) before += smooth[bin++];
    const double part = between((wanted - before) / smooth[bin], 0.0, 1.0);
    next[i] = edges[bin] + part * (edges[bin + 1] - edges[bin]);
  }
  next[grid_bins] = edges[grid_bins];
  // Bins that double precision cannot tell apart would hold no point: then the axis is as fine as it can be.
  for (int i = 0; i < grid_bins; ++i)
    if (!(next[i + 1] - next[i] > 1e-15)) return;
  std::copy(next, next + grid_edges, edges);
}

inline void refine_grid(int ndim, const std::vector<uint64> &counts, double squares, double damping,
                        std::vector<double> &edges) {
  for (std::size_t j = 0; j < static_cast<std::size_t>(ndim); ++j)
    refine_axis(&counts[j * grid_bins], squares, damping, &edges[j * grid_edges]);
}

// Is this a grid for so many axes?
inline bool is_grid(int ndim, const std::vector<double> &edges) {
  if (edges.size() != static_cast<std::size_t>(ndim) * grid_edges) return false;
  for (std::size_t j = 0; j < edges.size(); j += grid_edges) {
    if (edges[j] != 0.0 || edges[j + grid_bins] != 1.0) return false;
    for (std::size_t i = j; i < j + grid_bins; ++i)
      if (!(edges[i + 1] > edges[i])) return false;
  }
  return true;
}

}  // namespace tessera
