// The regions of a run with the largest errors, for whoever looks at them between its steps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include "../problem.hpp"
#include "ranked_region.hpp"

namespace tessera {

// Regions as records: centre[ndim], half-width[ndim], error[ncomp] of one after the other, fewer than `wanted` where there are fewer. weight[ncomp]:
// what makes the errors of components comparable.
using largest_regions = std::function<std::vector<double>(int wanted, const double *weight)>;

// Regions 0 ... n-1, in memory of the place; none where they are not the whole domain.
struct listed_regions {
  region_view view;
  int64 n;
  bool are_there = true;  // else there is no more than their number: they are of a look that is made again
};
// How one looks at the regions of a run.
struct region_looks {
  largest_regions largest;
  std::function<listed_regions()> all;
  std::function<int64()> steps;   // so far
  std::function<int64()> breaks;  // break points that are known; empty: none
};

// Whoever looks asks for so many at most, one of which may be in a peak.
constexpr int looked_at_regions = 12;
// What makes the components of a run comparable: one over what is tolerated of each.
inline std::vector<double> weights_of(const run_settings &set, const double *value, const double *error) {
  std::vector<double> weights;
  for (int k = 0; k < set.ncomp; ++k) {
    const double t = tolerated(set, k, value_and_error_arrays{value, error});
    weights.push_back(t > 0.0 ? 1.0 / t : 1.0);
  }
  return weights;
}

// Of regions 0 ... n-1 in memory that the host can read.
inline std::vector<int64> find_largest_errors(const region_view &s, int64 n, int wanted, const double *weight) {
  std::vector<ranked_region> best;
  for (int64 i = 0; i < n; ++i) {
    const ranked_region r = ranked(s, i, weight);
    if (static_cast<int>(best.size()) == wanted && !ranks_before(r, best.back())) continue;
    best.insert(std::upper_bound(best.begin(), best.end(), r, ranks_before), r);
    if (static_cast<int>(best.size()) > wanted) best.pop_back();
  }
  std::vector<int64> found;
  for (const ranked_region &r : best) found.push_back(r.region);
  return found;
}

// As records, in memory that the host can read.
inline std::vector<double> read_largest_errors(const region_view &s, int64 n, int wanted, const double *weight) {
  std::vector<double> records;
  for (const int64 region : find_largest_errors(s, n, wanted, weight))
    for (int i = 0; i < numbers_of_record(s); ++i) records.push_back(number_of_record(s, region, i));
  return records;
}

}  // namespace tessera
