// Errors that cancel. The sum of the regions' errors bounds what they do together, and is far too large where their signs
// vary, as with oscillations and with jumps that lie across the axes.
//
// When a region is divided, the difference between its pieces and it shows the sign of its own error; an error stands for each
// of the pieces, so each takes that sign, unless its null rules do not fall as they do for smooth integrands: what a jump hides
// between the points errs to one side. The sign is kept in the last bit of the error. All regions are shared out to groups, and with
// S_g the sum of a group's errors with their signs and E that of all errors without,
//   min(E, caution sqrt(G (S_1^2 + ... + S_G^2)))
// is taken for the error. Signs that all regions share, or those of a group, leave it at E; signs without a pattern in n regions
// bring it down by the root of n/G. It never is below caution |S_1 + ... + S_G|, and no chance can make all groups small.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bulk_state.hpp"

namespace tessera {

constexpr int balance_groups = 64;
constexpr int64 least_balanced_chunks = 32;  // with fewer regions, 4096, there is little to gain for the time it takes
constexpr double balance_caution = 2.0;
constexpr double least_signed_error = 1e-300;  // one bit is a small part of it

TESSERA_HD double with_sign(double error, bool negative) {
  if (!(error > least_signed_error)) return error;
  return double_of((bits_of(error) & ~uint64{1}) | (negative ? 1u : 0u));
}
TESSERA_HD double signed_error(double error) { return (bits_of(error) & 1u) != 0u ? -error : error; }

// What is left of component k's error, 0 .. 1, by the chunks' sums. Group g has the chunks g, g + groups, ... A lane has a group.
template <class Team>
TESSERA_HD TESSERA_APART double balanced_share(Team &team, const bulk_state &st, int64 chunks, int k, double error) {
  if (st.set.estimate == 1 || chunks < least_balanced_chunks || !(error > 0.0)) return 1.0;
  const int64 groups = chunks < balance_groups ? chunks : balance_groups;
  compensated_sum t[3];
  TESSERA_ROLLED
  for (int64 g = team.lane(); g < groups; g += team.lanes()) {
    double sum = 0.0;
    TESSERA_OVERLAPPED
    for (int c = 0; c < most_chunks / balance_groups; ++c) {
      const int64 chunk = g + c * groups;
      if (chunk < chunks) sum += st.sums[chunk * st.set.ncomp + k].balance.value();
    }
    const double share = sum / error;
    t[0].add(share * share);
  }
  team.sum(t);
  const double left = balance_caution * sqrt(static_cast<double>(groups) * t[0].value());
  return left < 1.0 ? left : 1.0;
}

}  // namespace tessera
