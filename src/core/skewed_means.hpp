// The mean of some independent means that are skewed, as those of nets are where the integrand is infinite at the boundary: few of them have
// met the largest values, Student's interval is too narrow when none of those that count has, and a run that goes on until it is narrow
// ends when none has.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "hd.hpp"

namespace tessera {

struct skewed_mean {
  double error = 0.0;     // half the width of the confidence interval, of the expectation
  double stopping = 0.0;  // what the mean lacks of it if the run ends because that error is small
};

// v is sorted. student: Student's factor for v.size() - 1 degrees of freedom, z: the normal one.
//
// Spread and skewness are linear in the order statistics (L-moments; Hosking, J. R. Stat. Soc. B 52 (1990) 105-124), for one mean far off the
// others says little of the skewness and takes degrees of freedom already. The first term for skewness in the expansion of Fisher and
// Cornish has the factor z^2 - 1; that and the constants here are such that means of powers u^-a of uniform numbers, a up to 0.4, their sums
// and logarithms are covered, and that normal ones, whose skewness is below `chance` in nine of ten cases, have Student's error or hardly more.
//
// Of skewed means value and spread are correlated, so that the value at which a sequential rule stops is biased by about the third moment over
// the variance and the number of means (Chow and Robbins, Ann. Math. Stat. 36 (1965) 457-462; the term is that of Johnson's t, J. Am. Stat.
// Assoc. 73 (1978) 536-544). It is taken back in part, for the skewness is uncertain: `most` is a factor at which the values of powers have
// half of the bias, and no larger scatter. Narrow intervals have no room for it.
inline skewed_mean mean_of_skewed(std::vector<double> &v, double z, double student) {
  constexpr std::size_t least = 16;  // of fewer the shape is not known
  constexpr double chance = 0.12, usual = 32.0, most = 2.0, root_pi = 1.7724538509055160273;
  const std::size_t n = v.size();
  if (n < least) return {};
  std::sort(v.begin(), v.end());
  const double r = static_cast<double>(n), rarer = std::sqrt(usual / r);
  double second = 0.0, third = 0.0;  // times r (r - 1) and r (r - 1) (r - 2)
  for (std::size_t i = 0; i < n; ++i) {
    const double below = static_cast<double>(i), above = r - 1.0 - below;
    second += (below - above) * v[i];
    third += (below * (below - 1.0) - 4.0 * below * above + above * (above - 1.0)) * v[i];
  }
  if (!(second > 0.0)) return {};
  const double skewness = third / second / (r - 2.0), excess = larger(fabs(skewness) - rarer * chance, 0.0),
               deviation = root_pi * second / (r * (r - 1.0)), factor = larger(z * z - 0.5, 0.0),
               lacking = std::fmin(factor, most) * deviation / std::sqrt(r) * rarer * excess;
  return {student * deviation / std::sqrt(r) * (1.0 + factor * rarer * excess), skewness > 0.0 ? lacking : -lacking};
}

}  // namespace tessera
