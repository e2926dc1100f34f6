// Adaptive stratification: the unit cube of the grid's coordinates is cut into equal cubes, and those in which the integrand varies
// most get most of the samples (Lepage, J. Comput. Phys. 439 (2021) 110386).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "strata_steps.hpp"

namespace tessera {

constexpr int64 mean_samples = 4;  // at least, over the cubes

// How many cells each axis has.
class strata_cut {
 public:
  explicit strata_cut(int ndim) : cells_(static_cast<std::size_t>(ndim), 1) {}

  int64 cubes() const { return product(cells_); }
  const std::vector<int> &cells() const { return cells_; }

  // As many cells on every axis, one more on the leading ones. Cubes are kept until there can be twice as many, or must be fewer.
  void fit(int64 samples) {
    const int64 most = std::max<int64>(1, std::min(most_cubes, samples / mean_samples)), now = cubes();
    if (now <= most && 2 * now > most) return;
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
    cells_.swap(next);
  }

  template <class Direction>
  void transfer(Direction &to) {
    for (int &c : cells_) to.whole(c);
    const int64 all = cubes();
    for (const int c : cells_)
      if (c > most_divided && c != all) to.give_up();
    if (all < 1 || all > most_cubes) to.give_up();
  }

 private:
  static int64 product(const std::vector<int> &cells) {
    int64 n = 1;
    for (const int c : cells) {
      n *= c;
      if (n > most_cubes) return most_cubes + 1;
    }
    return n;
  }

  std::vector<int> cells_;
};

// What the cubes have shown, and the samples that they get: as a host keeps it.
class strata {
 public:
  explicit strata(int ndim) : cells_(static_cast<std::size_t>(ndim), 1), counts_(1, 0) {}

  const std::vector<int> &cells() const { return cells_; }
  const std::vector<int64> &counts() const { return counts_; }
  const std::vector<double> &spread() const { return spread_; }  // variance of one sample; empty before it is known

  void begin(const std::vector<int> &cells, const std::vector<double> &spread) {
    cells_ = cells;
    spread_ = spread;
  }

  // Shares out `samples` samples, two or more for each cube of the cut. each(n, body): body(i) for i = 0 ... n-1, in any order, at the same
  // time if it likes.
  template <class Each>
  void share_out(const strata_cut &cut, int64 samples, double exponent, const Each &each) {
    take_over(cut);
    const shared_samples all = {samples, cut.cubes(), exponent};
    const std::size_t n = static_cast<std::size_t>(all.cubes);
    const int64 chunks = cube_chunks(all.cubes);
    chunks_.resize(static_cast<std::size_t>(chunks));
    shared_.resize(chunks_.size());
    wishes_.resize(n);
    counts_.resize(n);
    each(chunks, [&](int64 chunk) {
      double near[chunk_cubes];
      const std::size_t c = static_cast<std::size_t>(chunk), first = c * chunk_cubes;
      chunks_[c] =
          sum_of_chunk(one_lane(), near, static_cast<int>(std::min<std::size_t>(n - first, chunk_cubes)), [&](int i) {
            const std::size_t h = first + static_cast<std::size_t>(i);
            return wishes_[h] = spread_.empty() ? 1.0 : wish_of_cube(all, spread_[h]);
          });
    });
    double near[chunk_cubes];
    const double sum = sum_of_chunks(one_lane(), near, chunks_.data(), static_cast<int>(chunks));
    each(chunks, [&](int64 chunk) {
      const std::size_t c = static_cast<std::size_t>(chunk), end = std::min(n, (c + 1) * chunk_cubes);
      shared_[c] = 0;
      for (std::size_t h = c * chunk_cubes; h < end; ++h)
        shared_[c] += counts_[h] = whole_samples(all, sum, wishes_[h]);
    });
    const left_samples rest = share_left(all, samples - std::accumulate(shared_.begin(), shared_.end(), int64{0}));
    each(chunks, [&](int64 chunk) {
      const std::size_t c = static_cast<std::size_t>(chunk), end = std::min(n, (c + 1) * chunk_cubes);
      for (std::size_t h = c * chunk_cubes; h < end; ++h)
        counts_[h] = samples_of_cube(rest, static_cast<int64>(h), counts_[h]);
    });
  }

  // Takes the variance of one sample in each cube.
  void learn(const std::vector<double> &spread) {
    const bool known = spread_.size() == spread.size();
    spread_.resize(spread.size());
    for (std::size_t h = 0; h < spread.size(); ++h) spread_[h] = learnt_spread(known, spread_[h], spread[h]);
  }

 private:
  void take_over(const strata_cut &cut) {
    if (cut.cells() == cells_) return;
    if (!spread_.empty()) {
      const int64 n = cut.cubes();
      std::vector<double> spread(static_cast<std::size_t>(n));
      for (int64 h = 0; h < n; ++h)
        spread[static_cast<std::size_t>(h)] = spread_[static_cast<std::size_t>(
            cube_at_centre(h, static_cast<int>(cells_.size()), cut.cells().data(), cells_.data()))];
      spread_.swap(spread);
    }
    cells_ = cut.cells();
  }

  std::vector<int> cells_;
  std::vector<double> spread_;
  std::vector<int64> counts_;
  std::vector<double> wishes_, chunks_;
  std::vector<int64> shared_;  // samples of the cubes of each chunk
};

}  // namespace tessera
