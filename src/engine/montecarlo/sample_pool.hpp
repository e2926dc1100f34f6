// Iterations of a Monte Carlo run combined to one result.
//
// Every iteration is weighted by its number of samples, which is fixed before its first sample is drawn. Weights from the estimated
// variances would be wrong: an iteration that has missed a peak has a low value and a low variance at the same time, and would
// get the largest weight. The variances enter the chi-square alone.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <vector>

#include "../../core/moments.hpp"
#include "../../core/normal.hpp"

namespace tessera {

class sample_pool {
 public:
  explicit sample_pool(int ncomp) : parts_(static_cast<std::size_t>(ncomp)) {}

  // sums[ncomp] of an iteration of so many samples.
  void add(const std::vector<sample_sums> &sums, double samples) {
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      part &p = parts_[k];
      const double mean = sums[k].value.value(), variance = error_of(sums[k].variance), w2 = samples * samples;
      p.value.add(samples * mean);
      p.variance.add(w2 * variance);
      p.doubt = root_sum(p.doubt, w2 * sums[k].doubt);
      if (iterations_ == 0) p.first = mean;
      const double d = mean - p.first, noise = 1e-15 * fabs(mean) + 1e-150;
      const double w = 1.0 / larger(variance, noise * noise);
      p.chi_weights += w;
      p.chi_weighted += w * d;
      p.chi_squares += w * d * d;
    }
    samples_ += samples;
    ++iterations_;
  }

  int64 iterations() const { return iterations_; }
  double samples() const { return samples_; }
  double value(int k) const { return at(k).value.value() / samples_; }
  double variance(int k) const { return error_of(at(k).variance) / (samples_ * samples_); }

  // Degrees of freedom of the variance as if it were a chi-square: twice the square of its mean over its variance (Satterthwaite
  // 1946).
  double freedom(int k) const {
    const double v = error_of(at(k).variance), d = at(k).doubt;
    if (v == 0.0) return std::numeric_limits<double>::infinity();
    const double ratio = v / d;
    return 2.0 * ratio * ratio;
  }

  // Of the iterations' values about their mean weighted by the inverse variances.
  double chi_square(int k) const {
    const part &p = at(k);
    if (iterations_ < 2) return 0.0;
    return larger(p.chi_squares - p.chi_weighted * p.chi_weighted / p.chi_weights, 0.0);
  }

  // What the error is multiplied with: 1, or the root of chi-square per degree of freedom when that is not likely by chance.
  double inflation(int k) const {
    if (iterations_ < 2) return 1.0;
    const double f = static_cast<double>(iterations_ - 1), c = chi_square(k) / f;
    return c > unlikely_chi_square(f) ? std::sqrt(c) : 1.0;
  }

  template <class Direction>
  void transfer(Direction &to) {
    to.real(samples_);
    to.whole(iterations_);
    for (part &p : parts_)
      for (double *v : {&p.value.sum, &p.value.lost, &p.variance.sum, &p.variance.lost, &p.doubt, &p.first,
                        &p.chi_weights, &p.chi_weighted, &p.chi_squares})
        to.real(*v);
  }
  // Empty, or with sums that iterations can have.
  bool is_possible() const {
    if (iterations_ == 0) return samples_ == 0.0;
    if (!(samples_ >= 1.0 && samples_ < infinity_value())) return false;
    for (const part &p : parts_)
      if (!(fabs(p.value.value()) < infinity_value() && p.doubt >= 0.0 && p.chi_weights > 0.0)) return false;
    return true;
  }

 private:
  struct part {
    compensated_sum value, variance;
    double doubt = 0.0, first = 0.0, chi_weights = 0.0, chi_weighted = 0.0, chi_squares = 0.0;
  };
  const part &at(int k) const { return parts_[static_cast<std::size_t>(k)]; }

  std::vector<part> parts_;
  double samples_ = 0.0;
  int64 iterations_ = 0;
};

}  // namespace tessera
