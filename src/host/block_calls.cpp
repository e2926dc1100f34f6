// SPDX-License-Identifier: BSD-3-Clause
#include "block_calls.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {

void block_calls::prepare(point_block &b) const {
  if (!b.x.empty()) return;
  b.jacobian.resize(index(block_));
  b.f.resize(index(block_ * ncomp_));
  b.point.resize(index(coordinates_));
  b.values.resize(index(ncomp_));
  b.x.resize(index(block_ * coordinates_));
}

bool block_calls::call(int64 item, int64 n, point_block &b) {
  const int status = call_all(n, b);
  if (status != 0) failure_.report(item, outcome::callback, status, "the integrand returned " + std::to_string(status));
  if (status == 0 && zero_) zeroed_ += fill_holes(n, b);
  return status == 0;
}

// Makes values that are not finite 0. Returns at how many points.
int64 block_calls::fill_holes(int64 n, point_block &b) const {
  int64 points = 0;
  for (int64 i = 0; i < n; ++i) {
    bool hole = false;
    for (int k = 0; k < ncomp_; ++k) {
      double &f = b.f[index(k * block_ + i)];
      if (std::isfinite(f)) continue;
      hole = true;
      f = 0.0;
    }
    points += hole ? 1 : 0;
  }
  return points;
}

int block_calls::call_all(int64 n, point_block &b) const {
  int status = 0;
  // What the integrand does not write must not pass for a value.
  if (f_.batch) {
    for (int k = 0; k < ncomp_; ++k) std::fill_n(&b.f[index(k * block_)], n, nan_value());
    for (int64 i = 0; i < n && status == 0; i += batch_points_)
      status = f_.batch(std::min(batch_points_, n - i), ndim_, &b.x[index(i)], block_, ncomp_, &b.f[index(i)], block_,
                        f_.userdata);
    return status;
  }
  for (int64 i = 0; i < n; ++i) {
    for (int j = 0; j < coordinates_; ++j) b.point[index(j)] = b.x[index(j * block_ + i)];
    std::fill(b.values.begin(), b.values.end(), nan_value());
    status = f_.point(ndim_, b.point.data(), ncomp_, b.values.data(), f_.userdata);
    if (status != 0) return status;
    for (int k = 0; k < ncomp_; ++k) b.f[index(k * block_ + i)] = b.values[index(k)];
  }
  return 0;
}

void block_calls::report_nonfinite(int64 item, int64 n, const point_block &b) {
  for (int64 i = 0; i < n; ++i)
    for (int k = 0; k < ncomp_; ++k) {
      const double f = b.f[index(k * block_ + i)];
      if (std::isfinite(f)) continue;
      std::vector<double> x;
      for (int j = 0; j < ndim_; ++j) x.push_back(b.x[index(j * block_ + i)]);
      return failure_.report(item, outcome::nonfinite, 0, nonfinite_message(k, f, x.data(), ndim_));
    }
  failure_.report(item, outcome::nonfinite, 0, "the weighted sum of the integrand overflows");
}

}  // namespace tessera
