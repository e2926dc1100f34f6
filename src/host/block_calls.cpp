// SPDX-License-Identifier: BSD-3-Clause
#include "block_calls.hpp"

#include <algorithm>
#include <cmath>

#include "holes.hpp"

namespace tessera {

bool block_calls::call(int64 item, int64 n, int64 each, point_block &b) {
  const int status = call_block(f_, ndim_, coordinates_, ncomp_, n, each, b);
  if (b.watch.end() != outcome::running)
    failure_.report(item, b.watch.end(), 0, {});
  else if (status != 0)
    failure_.report(item, outcome::callback, status, "the integrand returned " + std::to_string(status));
  else if (zero_)
    zeroed_ += fill_holes(b.f.data(), n, ncomp_, b.stride, 1);
  return status == 0;
}

void block_calls::report_nonfinite(int64 item, int64 n, const point_block &b) {
  for (int64 i = 0; i < n; ++i)
    for (int k = 0; k < ncomp_; ++k) {
      const double f = b.f[index(k * b.stride + i)];
      if (std::isfinite(f)) continue;
      std::vector<double> x;
      for (int j = 0; j < ndim_; ++j) x.push_back(b.x[index(j * b.stride + i)]);
      show_in_domain(shape_, f_.params, x.data());
      return failure_.report(item, outcome::nonfinite, 0, nonfinite_message(k, f, x.data(), ndim_));
    }
  failure_.report(item, outcome::nonfinite, 0, "the weighted sum of the integrand overflows");
}

}  // namespace tessera
