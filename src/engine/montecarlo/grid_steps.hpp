// How an axis of the grid of VEGAS learns, in steps that host and device share (Lepage, J. Comput. Phys. 27 (1978) 192-203; the damping as
// in J. Comput. Phys. 439 (2021) 110386).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../core/power.hpp"
#include "../../core/sample_map.hpp"
#include "lanes.hpp"

namespace tessera {

struct axis_refinement {
  double raw[grid_bins], weight[grid_bins], before[grid_bins], work[grid_bins], next[grid_edges];
};

// One axis. counts[grid_bins]: integral of the squared integrand over the bins, in any unit; squares: sum of the squares of what
// each point has counted, or 0 to believe all. With damping 0 or nothing counted the axis stays as it is.
template <class Lanes>
TESSERA_HD void refine_axis(const Lanes &lanes, axis_refinement &w, const uint64 *counts, double squares,
                            double damping, double *edges) {
  lanes.each(grid_bins, [&](int i) { w.work[i] = w.raw[i] = static_cast<double>(counts[i]); });
  const double sum = fold_numbers(lanes, grid_bins, w.work), mean = sum / grid_bins;
  if (!(sum > 0.0) || damping == 0.0) return;
  // What is left of the differences between the bins when chance is taken out: 0 .. 1. If an axis does not matter, the counts have the
  // relative variance bins * squares / sum^2. Without this, hundreds of axes that do not matter would together spoil the jacobian by
  // their noise.
  constexpr double caution = 1.2;  // the variance of 128 numbers is above 1.2 times its mean once in 20 cases
  lanes.each(grid_bins, [&](int i) {
    const double d = w.raw[i] / mean - 1.0;
    w.work[i] = d * d;
  });
  const double variance = fold_numbers(lanes, grid_bins, w.work) / (grid_bins - 1),
               chance = caution * grid_bins * (squares / sum) / sum;
  if (!(variance > chance)) return;
  const double seen = 1.0 - chance / variance;
  const auto believed = [&](int i) {
    return rounded_sum(rounded_product(seen, w.raw[i]), rounded_product(1.0 - seen, mean));
  };
  lanes.each(grid_bins, [&](int i) {
    const double here = believed(i), left = i > 0 ? believed(i - 1) : here,
                 right = i + 1 < grid_bins ? believed(i + 1) : here;
    // An empty bin keeps a little: nothing was seen there, which does not mean that there is nothing.
    const double r = larger(rounded_sum(left + right, rounded_product(6.0, here)) / 8.0 / sum, 1e-30);
    w.work[i] = w.weight[i] = r < 1.0 ? same_power((1.0 - r) / (-0.69314718055994530942 * same_log2(r)), damping) : 1.0;
  });
  const double weights = fold_numbers(lanes, grid_bins, w.work);
  lanes.each(1, [&](int) {
    double before = 0.0;
    for (int i = 0; i < grid_bins; ++i) {
      w.before[i] = before;
      before += w.weight[i];
    }
  });
  // New edges at equal shares of the weights, each spread evenly over its bin.
  lanes.each(grid_edges, [&](int i) {
    if (i == 0 || i == grid_bins) {
      w.next[i] = edges[i];
      return;
    }
    const double wanted = weights * i / grid_bins;
    int low = 0, high = grid_bins;
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      if (w.before[middle] < wanted)
        low = middle;
      else
        high = middle;
    }
    const double part = between((wanted - w.before[low]) / w.weight[low], 0.0, 1.0);
    w.next[i] = rounded_sum(edges[low], rounded_product(part, edges[low + 1] - edges[low]));
  });
  // Bins that double precision cannot tell apart would hold no point: then the axis is as fine as it can be.
  lanes.each(grid_bins, [&](int i) { w.work[i] = w.next[i + 1] - w.next[i] > 1e-15 ? 0.0 : 1.0; });
  if (fold_numbers(lanes, grid_bins, w.work) > 0.0) return;
  lanes.each(grid_edges, [&](int i) { edges[i] = w.next[i]; });
}

}  // namespace tessera
