// Do the results of a run's iterations agree within their errors? The chi-square of their scatter about the mean that is
// weighted with 1/error^2, and the probability that it would be smaller by chance.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <math.h>

#include <cmath>
#include <limits>

namespace cuba {

// The sums of one component, about its first value so that they do not cancel. Four plain numbers: they are written to files.
struct scatter {
  double first = 0.0, weights = 0.0, weighted = 0.0, squares = 0.0;

  void add(double value, double error) {
    if (weights == 0.0) first = value;
    const double least = 1e-15 * std::fabs(value) + 1e-150;  // an error of 0 is not to be believed to more digits
    const double e = std::fmax(error, least), w = 1.0 / (e * e), d = value - first;
    if (!std::isfinite(w * d * d)) return;
    weights += w;
    weighted += w * d;
    squares += w * d * d;
  }
  double chi_square() const { return weights > 0.0 ? std::fmax(squares - weighted * weighted / weights, 0.0) : 0.0; }
};

// std::lgamma writes a variable that all threads share.
inline double log_gamma(double x) {
  int sign;
  return ::lgamma_r(x, &sign);
}

// The regularised incomplete gamma function P(a, x): its power series for x < a + 1, else Lentz's continued fraction for 1 - P.
inline double lower_gamma(double a, double x) {
  constexpr double precise = std::numeric_limits<double>::epsilon();
  constexpr int most = 10000;
  if (!(x > 0.0)) return 0.0;
  const double front = std::exp(a * std::log(x) - x - log_gamma(a));
  if (x < a + 1.0) {
    double term = 1.0 / a, sum = term;
    for (int n = 1; n < most && term > precise * sum; ++n) {
      term *= x / (a + n);
      sum += term;
    }
    return front * sum;
  }
  double b = x + 1.0 - a, c = 1e300, d = 1.0 / b, h = d;
  for (int n = 1; n < most; ++n) {
    const double numerator = -n * (n - a);
    b += 2.0;
    d = 1.0 / (numerator * d + b);
    c = b + numerator / c;
    h *= c * d;
    if (std::fabs(c * d - 1.0) <= precise) break;
  }
  return 1.0 - front * h;
}

// Distribution function of chi-square with `freedom` degrees of freedom. For very many of them by Wilson and Hilferty (1931).
inline double chi_square_probability(double chi_square, double freedom) {
  if (freedom > 10000.0) {
    const double s = 2.0 / (9.0 * freedom);
    return 0.5 * std::erfc(-(std::cbrt(chi_square / freedom) - 1.0 + s) / std::sqrt(2.0 * s));
  }
  return lower_gamma(0.5 * freedom, 0.5 * chi_square);
}

}  // namespace cuba
