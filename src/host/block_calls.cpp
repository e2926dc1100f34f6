// SPDX-License-Identifier: BSD-3-Clause
#include "block_calls.hpp"

#include <algorithm>
#include <cmath>

#include "holes.hpp"

namespace tessera {

void block_calls::prepare(point_block &b, int64 points) const {
  if (b.stride >= points) return;
  b.stride = 0;
  const int64 stride = stride_for(points);
  b.jacobian.resize(index(stride));
  b.f.resize(index(stride * ncomp_));
  b.point.resize(index(coordinates_));
  b.values.resize(index(ncomp_));
  b.x.resize(index(stride * coordinates_));
  b.stride = stride;
}

bool block_calls::call(int64 item, int64 n, int64 each, point_block &b) {
  const int status = f_.batch ? call_batch(n, each, b) : call_points(n, b);
  if (b.watch.end() != outcome::running)
    failure_.report(item, b.watch.end(), 0, {});
  else if (status != 0)
    failure_.report(item, outcome::callback, status, "the integrand returned " + std::to_string(status));
  else if (zero_)
    zeroed_ += fill_holes(b.f.data(), n, ncomp_, b.stride, 1);
  return status == 0;
}

// What the integrand does not write must not pass for a value.
int block_calls::call_batch(int64 n, int64 each, point_block &b) const {
  for (int k = 0; k < ncomp_; ++k) std::fill_n(&b.f[index(k * b.stride)], n, nan_value());
  return b.watch.each_batch(n, each, [&](int64 i, int64 points) {
    return f_.batch(points, ndim_, &b.x[index(i)], b.stride, ncomp_, &b.f[index(i)], b.stride, f_.userdata);
  });
}

int block_calls::call_points(int64 n, point_block &b) const {
  const bool watched = b.watch.is_wanted();
  for (int64 i = 0; i < n; ++i) {
    for (int j = 0; j < coordinates_; ++j) b.point[index(j)] = b.x[index(j * b.stride + i)];
    std::fill(b.values.begin(), b.values.end(), nan_value());
    const int status = f_.point(ndim_, b.point.data(), ncomp_, b.values.data(), f_.userdata);
    if (status != 0) return status;
    for (int k = 0; k < ncomp_; ++k) b.f[index(k * b.stride + i)] = b.values[index(k)];
    if (watched && !b.watch.goes_on(1)) return step_watch::ended;
  }
  return 0;
}

void block_calls::report_nonfinite(int64 item, int64 n, const point_block &b) {
  for (int64 i = 0; i < n; ++i)
    for (int k = 0; k < ncomp_; ++k) {
      const double f = b.f[index(k * b.stride + i)];
      if (std::isfinite(f)) continue;
      std::vector<double> x;
      for (int j = 0; j < ndim_; ++j) x.push_back(b.x[index(j * b.stride + i)]);
      show_in_domain(limits_, x.data());
      return failure_.report(item, outcome::nonfinite, 0, nonfinite_message(k, f, x.data(), ndim_));
    }
  failure_.report(item, outcome::nonfinite, 0, "the weighted sum of the integrand overflows");
}

}  // namespace tessera
