// Can the means under independent random shifts be believed? Where many points carry the integral they are nearly normal. Where few do,
// as beside a singularity without a variance, some of them lie far off, or will with more points; the others agree with each other and miss
// the same part.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "../../core/student.hpp"
#include "../problem.hpp"

namespace tessera {

// The largest squared deviation of `shifts` normal numbers from their mean, as a share of the sum of all, that is exceeded with this
// probability (Grubbs 1950; the bound by Bonferroni's inequality).
inline double far_share(double probability, int64 shifts) {
  if (shifts < 4) return 1.0;
  const double r = static_cast<double>(shifts);
  const int freedom = static_cast<int>(std::min<int64>(shifts - 2, 1000));
  const double t = student_factor(1.0 - probability / r, freedom), t2 = t * t;
  return (r - 1.0) / r * t2 / (r - 2.0 + t2);
}

// Remembers the two rules before, since what one of them has met is there in the next as well, seen or not.
class shift_trust {
 public:
  explicit shift_trust(int ncomp) : before_(static_cast<std::size_t>(ncomp)) {}

  struct verdict {
    double freedom =
        infinity_value();  // of the variance, as far as the shares tell; there are not more than shifts - 1
    bool believed = true;
  };

  // Component k of the next rule; share: that of the largest squared deviation in their sum.
  verdict add(int k, int64 shifts, double share) {
    if (shifts != shifts_) {
      shifts_ = shifts;
      doubtful_ = far_share(0.05, shifts);
      incredible_ = far_share(0.003, shifts);
    }
    verdict now;
    const double r = static_cast<double>(shifts);
    now.freedom = r - 1.0;
    if (share > doubtful_) now.freedom = std::fmin(now.freedom, std::fmax(1.0, 2.0 * r / ((r - 1.0) * share)));
    now.believed = !(share > incredible_);
    verdict *const last = before_[static_cast<std::size_t>(k)].rule;
    verdict worst = now;
    for (int i = 0; i < 2; ++i) {
      worst.freedom = std::fmin(worst.freedom, last[i].freedom);
      worst.believed = worst.believed && last[i].believed;
    }
    last[1] = last[0];
    last[0] = now;
    return worst;
  }

 private:
  struct history {
    verdict rule[2];
  };
  std::vector<history> before_;
  int64 shifts_ = 0;
  double doubtful_ = 1.0, incredible_ = 1.0;
};

}  // namespace tessera
