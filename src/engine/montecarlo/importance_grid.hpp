// The grid of VEGAS: for each axis edges between which the samples have equal shares, moved after every iteration towards equal
// contributions (Lepage, J. Comput. Phys. 27 (1978) 192-203).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <vector>

#include "grid_steps.hpp"

namespace tessera {

inline std::vector<double> uniform_grid(int ndim) {
  std::vector<double> edges;
  edges.reserve(static_cast<std::size_t>(ndim) * grid_edges);
  for (int j = 0; j < ndim; ++j)
    for (int i = 0; i < grid_edges; ++i) edges.push_back(static_cast<double>(i) / grid_bins);
  return edges;
}

inline void refine_grid(int ndim, const std::vector<uint64> &counts, double squares, double damping,
                        std::vector<double> &edges) {
  axis_refinement work;
  for (std::size_t j = 0; j < static_cast<std::size_t>(ndim); ++j)
    refine_axis(one_lane(), work, &counts[j * grid_bins], squares, damping, &edges[j * grid_edges]);
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

// Of an axis the part of the samples below t, which is between 0 and 1.
inline double share_below(const double *edges, double t) {
  const double *const next = std::upper_bound(edges + 1, edges + grid_bins, t), *const own = next - 1;
  return (static_cast<double>(own - edges) + (t - *own) / (*next - *own)) / grid_bins;
}
// The part of the samples in a box, from[ndim] to to[ndim].
inline double share_between(const std::vector<double> &edges, const double *from, const double *to) {
  double share = 1.0;
  for (std::size_t j = 0; j < edges.size() / grid_edges; ++j)
    share *= share_below(&edges[j * grid_edges], to[j]) - share_below(&edges[j * grid_edges], from[j]);
  return share;
}

}  // namespace tessera
