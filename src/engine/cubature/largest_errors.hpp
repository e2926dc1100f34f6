// The regions of a run with the largest errors, for whoever looks at them between its steps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "region_store.hpp"

namespace tessera {

// Regions as records: centre[ndim], half-width[ndim], error[ncomp] of one after the other, fewer than `wanted` where there are fewer. weight[ncomp]:
// what makes the errors of components comparable. None where more than so many bytes would be needed to look for them.
using largest_regions = std::function<std::vector<double>(int wanted, const double *weight, int64 memory)>;

// Of regions 0 ... n-1.
template <class Executor>
std::vector<double> read_largest_errors(const region_view &s, int64 n, int wanted, const double *weight, int64 memory) {
  const int nd = s.ndim(), nc = s.ncomp();
  if (n * static_cast<int64>(sizeof(double) * static_cast<std::size_t>(nc) + sizeof(std::pair<double, int64>)) > memory)
    return {};
  const auto regions = static_cast<std::size_t>(n);
  std::vector<double> errors(regions * static_cast<std::size_t>(nc));
  for (int k = 0; k < nc; ++k)
    Executor::read(&s.error(0, k), &s.error(1, k) - &s.error(0, k), n, &errors[static_cast<std::size_t>(k) * regions]);
  std::vector<std::pair<double, int64>> order(regions);
  for (std::size_t i = 0; i < regions; ++i) {
    double most = 0.0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(nc); ++k)
      most = std::fmax(most, std::fabs(errors[k * regions + i]) * weight[k]);
    order[i] = {-most, static_cast<int64>(i)};
  }
  const std::size_t found = std::min(regions, static_cast<std::size_t>(wanted));
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(found), order.end());
  const auto length = static_cast<std::size_t>(2 * nd + nc);
  std::vector<double> records(found * length);
  for (std::size_t r = 0; r < found; ++r) {
    const int64 i = order[r].second;
    Executor::read(&s.field(i, 0), &s.field(i, 1) - &s.field(i, 0), 2 * nd, &records[r * length]);
    for (std::size_t k = 0; k < static_cast<std::size_t>(nc); ++k)
      records[r * length + static_cast<std::size_t>(2 * nd) + k] =
          std::fabs(errors[k * regions + static_cast<std::size_t>(i)]);
  }
  return records;
}

}  // namespace tessera
