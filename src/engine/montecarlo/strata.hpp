// Adaptive stratification: the unit cube of the grid's coordinates is cut into equal cubes, and those in which the integrand varies
// most get most of the samples (Lepage, J. Comput. Phys. 439 (2021) 110386).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "sampling_pass.hpp"

namespace tessera {

constexpr int64 mean_samples = 4;  // at least, over the cubes
constexpr int64 most_cubes = int64{1} << 20;

class strata {
 public:
  explicit strata(int ndim) : cells_(static_cast<std::size_t>(ndim), 1), counts_(1, 0) {}

  int64 cubes() const { return static_cast<int64>(counts_.size()); }
  const int *cells() const { return cells_.data(); }
  const std::vector<int64> &counts() const { return counts_; }
  int64 bytes() const { return static_cast<int64>(16 * counts_.capacity() + 8 * spread_.capacity()); }

  // Shares out `samples` samples (two or more): two for each cube and the rest by its spread^(exponent/2).
  void share_out(int64 samples, double exponent) {
    cut(samples);
    const std::size_t n = counts_.size();
    std::vector<double> wish(n, 1.0);
    double sum = 0.0;
    for (std::size_t h = 0; h < n; ++h) {
      if (!spread_.empty()) wish[h] = std::pow(between_bounds(spread_[h]), 0.5 * exponent);
      sum += wish[h];
    }
    const bool even = !(sum > 0.0);
    const double rest = static_cast<double>(samples - least_samples * cubes());
    int64 left = samples;
    for (std::size_t h = 0; h < n; ++h) {
      const double share = even ? 1.0 / static_cast<double>(n) : wish[h] / sum;
      counts_[h] = least_samples + static_cast<int64>(std::floor(rest * share * (1.0 - 1e-12)));
      left -= counts_[h];
    }
    for (std::size_t h = 0; left > 0; h = (h + 1) % n, --left) ++counts_[h];  // what rounding down has left
  }

  // Takes the variance of one sample in each cube; earlier values keep half their weight.
  void learn(const std::vector<double> &spread) {
    if (spread_.size() != spread.size()) spread_ = spread;
    for (std::size_t h = 0; h < spread.size(); ++h)
      spread_[h] = 0.5 * (between_bounds(spread_[h]) + between_bounds(spread[h]));
  }

  template <class Direction>
  void transfer(Direction &to) {
    for (int &c : cells_) to.whole(c);
    const int64 n = product(cells_);
    if (n < 1 || n > most_cubes) return to.give_up();
    counts_.resize(static_cast<std::size_t>(n), 0);
    bool known = !spread_.empty();
    to.whole(known);
    if (known) to.reals(spread_, counts_.size());
  }

 private:
  static double between_bounds(double v) { return v >= 0.0 ? std::min(v, 1e200) : 1e200; }

  static int64 product(const std::vector<int> &cells) {
    int64 n = 1;
    for (const int c : cells) {
      n *= c;
      if (n > most_cubes) return most_cubes + 1;
    }
    return n;
  }

  // As many cells on every axis, one more on the leading ones. Cubes are kept until there can be twice as many, or must be fewer.
  void cut(int64 samples) {
    const int64 most = std::max<int64>(1, std::min(most_cubes, samples / mean_samples));
    if (cubes() <= most && 2 * cubes() > most) return;
    std::vector<int> next(
        cells_.size(),
        std::max(1, static_cast<int>(std::pow(static_cast<double>(most), 1.0 / static_cast<double>(cells_.size())))));
    while (product(next) > most)
      for (int &c : next) c = std::max(1, c - 1);
    for (bool more = true; more;) {  // the root may have come out too small by one
      more = false;
      for (int &c : next) {
        ++c;
        if (product(next) > most) {
          --c;
          break;
        }
        more = true;
      }
    }
    const auto n = static_cast<std::size_t>(product(next));
    if (next == cells_) return;
    if (!spread_.empty()) {
      std::vector<double> spread(n);
      for (std::size_t h = 0; h < n; ++h) spread[h] = spread_[old_cube(static_cast<int64>(h), next)];
      spread_.swap(spread);
    }
    cells_.swap(next);
    counts_.assign(n, 0);
  }

  // The present cube that has the centre of cube h of another cut.
  std::size_t old_cube(int64 h, const std::vector<int> &cells) const {
    int64 at = 0, stride = 1;
    for (std::size_t j = 0; j < cells.size(); ++j) {
      const int64 cell = h % cells[j];
      h /= cells[j];
      at += stride * ((2 * cell + 1) * cells_[j] / (2 * cells[j]));
      stride *= cells_[j];
    }
    return static_cast<std::size_t>(at);
  }

  std::vector<int> cells_;
  std::vector<double> spread_;  // of each cube; empty before the first iteration
  std::vector<int64> counts_;
};

}  // namespace tessera
