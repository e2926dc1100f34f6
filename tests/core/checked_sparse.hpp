// Differences of sparse grids in plain loops, and how far they are from their definition as tensor products.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "engine/sparse/sparse_grid.hpp"

namespace tessera {

using integrand = std::function<double(const double *x, int k)>;

// Points of level l in their order: the middle, then plus and minus of each node.
inline double node(int i) {
  if (i == 0) return 0.0;
  return (i % 2 == 1 ? 1.0 : -1.0) * patterson_nodes[(i + 1) / 2];
}
inline double weight(int level, int i) {
  return level == 0 || i >= (1 << level) - 1 ? 0.0 : patterson_weights[(1 << (level - 1)) - 1 + (i + 1) / 2];
}

// Works out each difference twice: as the library's executors do, and from its definition.
class checked_executor final : public sparse_executor {
 public:
  checked_executor(int ndim, int ncomp, integrand f) : ndim_(ndim), ncomp_(ncomp), f_(std::move(f)) {}
  void begin(const sparse_domain &domain) override { domain_ = domain; }
  int64 bytes_of_point() const override { return 0; }
  outcome sample(int64, const double *, double *) override { return outcome::memory; }
  outcome find_unexplained(const tested_set &, const double *, double *) override { return outcome::memory; }

  outcome evaluate(const sparse_step &step, double *differences) override {
    steps.push_back(step.points);
    store_.resize(static_cast<std::size_t>(step.store));
    std::vector<double> x(static_cast<std::size_t>(ndim_));
    for (int n = step.before; n < step.end; ++n)
      for (int b = 0; b < domain_.boxes; ++b) {
        const sparse_index &q = step.all.indices[n];
        for (int64 i = 0; i < int64{1} << q.bits; ++i) {
          write_sparse_point(tables_, domain_, ndim_, b, q, links(step, n), i, x.data(), 1);
          for (int k = 0; k < ncomp_; ++k) at(q.place + i + (b * ncomp_ + k) * q.stride) = f_(x.data(), k);
        }
      }
    for (int n = step.before; n < step.end; ++n)
      for (int c = 0; c < domain_.boxes * ncomp_; ++c) {
        const double d = sum_up(step, n, c);
        differences[c * step.count() + n - step.before] = d;
        const double expected = by_definition(step, n, c);
        worst = std::fmax(worst, std::fabs(d - expected));
      }
    return outcome::running;
  }
  double worst = 0.0;
  std::vector<int64> steps;  // points of each

 private:
  double &at(int64 i) { return store_[static_cast<std::size_t>(i)]; }

  const axis_link *links(const sparse_step &step, int n) const { return step.all.links + int64{n} * ndim_; }

  double sum_up(const sparse_step &step, int n, int c) {
    const sparse_index &q = step.all.indices[n];
    const int64 own = q.place + c * q.stride;
    axis_source sources[most_levels];
    axis_sums left(q, links(step, n));
    while (left.next()) {
      find_sources(step.all, ndim_, n, left.axis(), sources);
      for (int64 r = 0; r < left.size(); ++r)
        at(own + left.place() + r) = sum_over_axis(tables_, left.level(), sources, left.size(), r, store_.data(), c);
    }
    return at(own + left.place());
  }

  double by_definition(const sparse_step &step, int n, int c) const {
    std::vector<int> level, i(static_cast<std::size_t>(ndim_), 0);
    for (int j = 0; j < ndim_; ++j) level.push_back(level_of(links(step, n)[j]));
    const auto nd = static_cast<std::size_t>(ndim_), b = static_cast<std::size_t>(c / ncomp_);
    std::vector<double> x(nd);
    double sum = 0.0;
    for (;;) {
      double w = 1.0;
      for (std::size_t j = 0; j < nd; ++j) {
        w *= 0.5 * (weight(level[j], i[j]) - weight(level[j] - 1, i[j]));
        x[j] = domain_.centre[b * nd + j] + domain_.half[b * nd + j] * node(i[j]);
      }
      sum += w * f_(x.data(), c % ncomp_);
      std::size_t j = 0;
      while (j < nd && ++i[j] == (1 << level[j]) - 1) i[j++] = 0;
      if (j == nd) return sum;
    }
  }

  const int ndim_, ncomp_;
  const integrand f_;
  const sparse_tables tables_ = make_sparse_tables();
  sparse_domain domain_ = {};
  std::vector<double> store_;
};

}  // namespace tessera
