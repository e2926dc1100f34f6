// What the density of a map (log_density.hpp) is at least, in equal cells of each axis: at nearly all points of a look that is enough to explain what the integrand is there, and takes a load and an addition an axis.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "log_density.hpp"
#include "sparse_step.hpp"

namespace tessera {

class density_bound {
 public:
  // Of that map of a domain whose axes are not mapped, and its logarithms.
  density_bound(const sparse_domain &domain, const log_map &logs, int ndim)
      : least_(static_cast<std::size_t>(ndim) * cells, std::numeric_limits<float>::infinity()),
        rounding_(0.005 + 6.1e-5 * ndim * ndim) {
    for (int j = 0; j < ndim; ++j)
      for (int p = domain.map.first[j]; p < domain.map.first[j + 1]; ++p) add_panel(domain, logs, j, p);
  }

  // Logarithms to base 2 at least[0 ... n-1], each the sum over axes 0, 1, ... of what is added for it: that of axis j where the coordinate has these places, from -1 to 1.
  void add(int j, const double *places, int n, double *least) const {
    const float *const own = &least_[static_cast<std::size_t>(j) * cells];
    for (int i = 0; i < n; ++i) least[i] += own[cell_of(places[i])];
  }
  // The density is no less, by that sum. 2^t lies above its tangents.
  double density(double least) const {
    const double t = least - rounding_;
    if (!(t > -1000.0 && t < 996.0)) return 0.0;  // where it is cut off itself
    const auto whole = static_cast<int>(t + 1024.0) - 1024;
    const double part = t - whole;
    return (1.0 + 0.693 * part) * double_of(static_cast<uint64>(1023 + whole) << 52);
  }

 private:
  static constexpr int cells = 1024;

  static int cell_of(double place) {
    const auto cell = static_cast<int>((place + 1.0) * (0.5 * cells));
    return cell < cells ? cell : cells - 1;
  }

  // What lies behind a panel and before the next one is told by its end.
  void add_panel(const sparse_domain &domain, const log_map &logs, int j, int p) {
    const int first = domain.map.first[j], last = domain.map.first[j + 1] - 1;
    const log_panel &panel = logs.panels[p];
    const double centre = domain.centre[j], half = domain.half[j];
    const double rounding = 1e-9 + 1e-14 * std::fabs(centre) / half;  // of places
    const auto place = [&](double at) { return (at - centre) / half; };
    const auto within = [&](double part) { return (centre + part * half - panel.lower) * panel.cells; };
    const double lower = p == first ? -1.0 : place(panel.lower),
                 upper = p == last ? 1.0 : place(logs.panels[p + 1].lower);
    for (int c = cell_of(std::max(-1.0, lower - rounding)); c < cells; ++c) {
      const double from = c * (2.0 / cells) - 1.0 - rounding;
      if (from > upper + rounding) break;
      float &own = least_[static_cast<std::size_t>(j) * cells + static_cast<std::size_t>(c)];
      own =
          std::min(own, least_within(panel, std::max(within(from), within(lower - rounding)),
                                     std::min(within(from + 2.0 / cells + 2.0 * rounding), within(upper + rounding))));
    }
  }
  // From one place of a panel to another, in cells of it. A parabola is above the line between its ends but for an eighth of what it bends, and else it is the higher of two ends that falls first.
  static float least_within(const log_panel &panel, double from, double to) {
    constexpr float rounding = 1e-3f;
    const auto whole = static_cast<double>(log_cells);
    from = std::min(std::max(from, 0.0), whole);
    to = std::min(std::max(to, from), whole);
    float least = std::numeric_limits<float>::infinity();
    for (double a = from;;) {
      const double b = std::min(to, std::floor(a) + 1.0);
      const int cell = std::min(static_cast<int>(a), log_cells - 1), pair = cell & ~1;
      const float bend = panel.logs[pair] + panel.logs[pair + 2] - 2.0f * panel.logs[pair + 1];
      const auto length = static_cast<float>(b - a);
      const float sag = 0.125f * std::max(0.0f, bend) * length * length;
      least = std::min(
          least, std::min(log_within(panel, static_cast<float>(a)), log_within(panel, static_cast<float>(b))) - sag);
      if (b >= to) return least - rounding;
      a = b;
    }
  }

  std::vector<float> least_;  // [axis][cell]
  const double rounding_;     // of the sums, which that of the logarithms makes in single precision
};

}  // namespace tessera
