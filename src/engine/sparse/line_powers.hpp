// How much wider a peak is along an axis than along a line through it: as which power of the line's density the integrand's mass lies along the axis. Of a product of functions of one
// variable that is the first power; of a peak with long tails, or whose variables go together, less. Each axis has its power, that which brings the logarithm of the line's density to
// the mean that it has over the mass, from weighted points (cross-entropy: R. Rubinstein, The cross-entropy method for combinatorial and continuous optimization, 1999).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "../../core/spread_turns.hpp"
#include "axis_density.hpp"
#include "tested_points.hpp"

namespace tessera {

class line_powers {
 public:
  explicit line_powers(const std::vector<axis_density> &lines)
      : axes_(lines.size()), powers_(lines.size(), first_power), turns_(spread_turns(static_cast<int>(lines.size()))) {
    for (std::size_t j = 0; j < lines.size(); ++j) {
      double largest = 0.0;
      lines[j].each_cell([&](double, double, double size) { largest = std::max(largest, size); });
      lines[j].each_cell([&](double lower, double width, double size) {
        if (size > 0.0) axes_[j].push_back({lower, width, std::log(size / largest), 0.0, 0.0});
      });
      if (!axes_[j].empty()) set_power(j);
    }
  }

  // No density is seen on some axis.
  bool is_empty() const {
    return std::any_of(axes_.begin(), axes_.end(), [](const std::vector<cell> &axis) { return axis.empty(); });
  }

  // n points of a round that lie as the powers so far say, to x[ndim][n].
  void write_points(std::size_t n, double *x) {
    chosen_.resize(axes_.size() * n);
    for (std::size_t j = 0; j < axes_.size(); ++j)
      for (std::size_t i = 0; i < n; ++i) {
        const std::vector<cell> &axis = axes_[j];
        const double share = fraction(0.5 + static_cast<double>(i + 1) * turns_[j]);
        const auto behind =
            std::upper_bound(axis.begin() + 1, axis.end(), share, [](double s, const cell &c) { return s < c.before; });
        const cell &c = *(behind - 1);
        const double within = c.share > 0.0 ? (share - c.before) / c.share : 0.5;
        x[j * n + i] = c.lower + c.width * std::min(1.0, std::max(0.0, within));
        chosen_[j * n + i] = static_cast<int>(behind - 1 - axis.begin());
      }
  }
  // Sizes of the integrand at them, which are not negative, by which the powers are found anew. Returns as how many points of the same weight they are.
  double take(std::size_t n, const double *sizes) {
    std::vector<double> weights(n);
    double sum = 0.0, squares = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      double density = 1.0;
      for (std::size_t j = 0; j < axes_.size(); ++j) {
        const cell &c = chosen(j, i, n);
        density *= c.share / c.width;
      }
      weights[i] = density > 0.0 ? sizes[i] / density : 0.0;
      sum += weights[i];
    }
    if (!(sum > 0.0 && sum < infinity_value())) return 0.0;
    for (double &w : weights) {
      w /= sum;
      squares += w * w;
    }
    for (std::size_t j = 0; j < axes_.size(); ++j) {
      double wanted = 0.0;
      for (std::size_t i = 0; i < n; ++i) wanted += weights[i] * chosen(j, i, n).log_size;
      find_power(j, wanted);
    }
    return 1.0 / squares;
  }
  const std::vector<double> &powers() const { return powers_; }
  // Is the mass nearly as narrow as the lines?
  bool is_narrow() const { return *std::min_element(powers_.begin(), powers_.end()) > like_lines; }

 private:
  static constexpr double first_power = 0.5, least_power = 0.02, like_lines = 0.9, arrived = 1e-4;
  static constexpr int most_steps = 20;

  struct cell {
    double lower, width, log_size;  // beside the largest
    double share, before;           // of the mass by the power
  };
  const cell &chosen(std::size_t j, std::size_t i, std::size_t n) const {
    return axes_[j][static_cast<std::size_t>(chosen_[j * n + i])];
  }

  // Mean and variance of log_size over the mass by power p of the density.
  void moments(const std::vector<cell> &axis, double p, double &mean, double &variance) const {
    double mass = 0.0, first = 0.0, second = 0.0;
    for (const cell &c : axis) {
      const double m = c.width * std::exp(p * c.log_size);
      mass += m;
      first += m * c.log_size;
      second += m * c.log_size * c.log_size;
    }
    mean = first / mass;
    variance = second / mass - mean * mean;
  }
  // Newton's method between bounds; the mean grows with the power.
  void find_power(std::size_t j, double wanted) {
    double low = least_power, high = 1.0, p = powers_[j];
    for (int step = 0; step < most_steps; ++step) {
      double mean, variance;
      moments(axes_[j], p, mean, variance);
      (mean > wanted ? high : low) = p;
      const double newton = p - (mean - wanted) / variance,
                   next = newton > low && newton < high ? newton : 0.5 * (low + high);
      const bool ends = std::fabs(next - p) < arrived;
      p = next;
      if (ends) break;
    }
    powers_[j] = p;
    set_power(j);
  }
  void set_power(std::size_t j) {
    std::vector<cell> &axis = axes_[j];
    double mass = 0.0, before = 0.0;
    for (cell &c : axis) mass += c.share = c.width * std::exp(powers_[j] * c.log_size);
    for (cell &c : axis) {
      c.before = before;
      before += c.share /= mass;
    }
  }

  std::vector<std::vector<cell>> axes_;
  std::vector<double> powers_, turns_;
  std::vector<int> chosen_;  // [ndim][n] cells of the points
};

}  // namespace tessera
