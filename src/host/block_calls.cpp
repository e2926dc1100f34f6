// SPDX-License-Identifier: BSD-3-Clause
#include "block_calls.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {

void block_calls::prepare(point_block &b, int64 points) const {
  if (b.stride >= points) return;
  constexpr int64 line =
      8;  // an odd number of lines of a cache: the coordinates of a point do not get in each other's way there
  b.stride = 0;
  const int64 stride = ((points + line - 1) / line | 1) * line;
  b.jacobian.resize(index(stride));
  b.f.resize(index(stride * ncomp_));
  b.point.resize(index(coordinates_));
  b.values.resize(index(ncomp_));
  b.x.resize(index(stride * coordinates_));
  b.stride = stride;
}

bool block_calls::call(int64 item, int64 n, int64 each, point_block &b) {
  const int status = call_all(n, each, b);
  if (status != 0) failure_.report(item, outcome::callback, status, "the integrand returned " + std::to_string(status));
  return status == 0;
}

int block_calls::call_all(int64 n, int64 each, point_block &b) const {
  int status = 0;
  // What the integrand does not write must not pass for a value.
  if (f_.batch) {
    for (int k = 0; k < ncomp_; ++k) std::fill_n(&b.f[index(k * b.stride)], n, nan_value());
    for (int64 i = 0; i < n && status == 0; i += each)
      status = f_.batch(std::min(each, n - i), ndim_, &b.x[index(i)], b.stride, ncomp_, &b.f[index(i)], b.stride,
                        f_.userdata);
    return status;
  }
  for (int64 i = 0; i < n; ++i) {
    for (int j = 0; j < coordinates_; ++j) b.point[index(j)] = b.x[index(j * b.stride + i)];
    std::fill(b.values.begin(), b.values.end(), nan_value());
    status = f_.point(ndim_, b.point.data(), ncomp_, b.values.data(), f_.userdata);
    if (status != 0) return status;
    for (int k = 0; k < ncomp_; ++k) b.f[index(k * b.stride + i)] = b.values[index(k)];
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
      return failure_.report(item, outcome::nonfinite, 0, nonfinite_message(k, f, x.data(), ndim_));
    }
  failure_.report(item, outcome::nonfinite, 0, "the weighted sum of the integrand overflows");
}

}  // namespace tessera
