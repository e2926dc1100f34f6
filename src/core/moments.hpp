// What the samples of one stratum say of its mean: value, variance of the mean, and how far that variance can be relied on.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "sum.hpp"

namespace tessera {

// Sums about the first sample, so that a small spread around a large value keeps its digits.
struct sample_moments {
  double first = 0.0, sum = 0.0, squares = 0.0, least = 0.0, most = 0.0;
  int64 count = 0;

  TESSERA_HD void add(double v) {
    if (count++ == 0)
      first = v;
    else
      add_deviation(v - first);
  }
  // Of one sample from the first, uncounted.
  TESSERA_HD void add_deviation(double d) {
    sum += d;
    squares += d * d;
    least = d < least ? d : least;
    most = d > most ? d : most;
  }
  // Deviations from the same first sample, uncounted.
  TESSERA_HD void add_deviations(const sample_moments &other) {
    sum += other.sum;
    squares += other.squares;
    least = other.least < least ? other.least : least;
    most = other.most > most ? other.most : most;
  }
};

struct stratum_estimate {
  double mean;
  double spread;    // unbiased estimate of the variance of one sample
  double variance;  // of the mean
  double doubt;     // bound of the standard deviation of `variance`
  double square;    // mean square of the samples
};

// Two samples or more. The variance of a sample variance s^2 of n samples is (m4 - s^4)/n, m4 the fourth central moment, which is at
// most s^2 times the largest squared deviation; for normal samples it is 2 s^4/(n-1). The larger of the two counts.
TESSERA_HD stratum_estimate estimate_stratum(const sample_moments &m) {
  const double n = static_cast<double>(m.count), shift = m.sum / n;
  // A spread whose squares underflow must not look like none.
  const double scatter = m.most > m.least ? larger(m.squares - m.sum * shift, 2.2250738585072014e-308) : 0.0;
  const double low = shift - m.least, high = m.most - shift, far = larger(low * low, high * high);
  stratum_estimate e;
  e.mean = m.first + shift;
  e.spread = scatter / (n - 1.0);
  e.variance = e.spread / n;
  const double relative = scatter > 0.0 ? larger(2.0 / (n - 1.0), far / (e.spread * n)) : 0.0;
  e.doubt = e.variance * sqrt(relative);
  e.square = scatter / n + e.mean * e.mean;
  return e;
}

// sqrt(a^2 + b^2) of numbers that are not negative, without overflow of the squares.
TESSERA_HD double root_sum(double a, double b) {
  const double most = larger(a, b), least = a < b ? a : b;
  if (least == 0.0 || !(most < infinity_value())) return most;
  const double r = least / most;
  return most * sqrt(1.0 + r * r);
}

// Sums over strata of weight times mean, and what belongs to them.
struct sample_sums {
  compensated_sum value, variance, square;
  double doubt = 0.0;  // root of the sum of squares

  TESSERA_HD void add(const stratum_estimate &e, double weight) {
    const double w2 = weight * weight;
    value.add(weight * e.mean);
    variance.add(w2 * e.variance);
    square.add(weight * e.square);
    doubt = root_sum(doubt, w2 * e.doubt);
  }
  TESSERA_HD void add(const sample_sums &other) {
    value.add(other.value);
    variance.add(other.variance);
    square.add(other.square);
    doubt = root_sum(doubt, other.doubt);
  }
  // The same with weights that are larger by a factor.
  TESSERA_HD sample_sums times(double factor) const {
    sample_sums s;
    s.value.add(factor * value.value());
    s.variance.add(factor * factor * variance.value());
    s.square.add(factor * square.value());
    s.doubt = factor * factor * doubt;
    return s;
  }
};

}  // namespace tessera
