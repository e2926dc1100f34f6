// The error of the mean of some independent means that are skewed, as those of nets are where the integrand is infinite at the boundary:
// few of them have met the largest values, and Student's interval is too narrow when none of those that count has.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "hd.hpp"

namespace tessera {

// Of a confidence interval for the means' expectation; v is sorted. student: Student's factor for v.size() - 1 degrees of freedom, z: the
// normal one.
//
// Spread and skewness are linear in the order statistics (L-moments; Hosking, J. R. Stat. Soc. B 52 (1990) 105-124), for one mean far off the
// others says little of the skewness and takes degrees of freedom already. The first term for skewness in the expansion of Fisher and
// Cornish has the factor z^2 - 1; that and the constants here are such that means of powers u^-a of uniform numbers, a up to 0.4, their sums
// and logarithms are covered, and that normal ones, whose skewness is below `chance` in nine of ten cases, have Student's error or hardly more.
inline double error_of_skewed(std::vector<double> &v, double z, double student) {
  constexpr std::size_t least = 16;  // of fewer the shape is not known
  constexpr double chance = 0.12, usual = 32.0, root_pi = 1.7724538509055160273;
  const std::size_t n = v.size();
  if (n < least) return 0.0;
  std::sort(v.begin(), v.end());
  const double r = static_cast<double>(n), rarer = std::sqrt(usual / r);
  double second = 0.0, third = 0.0;  // times r (r - 1) and r (r - 1) (r - 2)
  for (std::size_t i = 0; i < n; ++i) {
    const double below = static_cast<double>(i), above = r - 1.0 - below;
    second += (below - above) * v[i];
    third += (below * (below - 1.0) - 4.0 * below * above + above * (above - 1.0)) * v[i];
  }
  if (!(second > 0.0)) return 0.0;
  const double skewness = fabs(third / second) / (r - 2.0), excess = larger(skewness - rarer * chance, 0.0),
               deviation = root_pi * second / (r * (r - 1.0));
  return student * deviation / std::sqrt(r) * (1.0 + larger(z * z - 0.5, 0.0) * rarer * excess);
}

}  // namespace tessera
