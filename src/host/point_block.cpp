// SPDX-License-Identifier: BSD-3-Clause
#include "point_block.hpp"

#include <algorithm>

namespace tessera {
namespace {

std::size_t index(int64 i) { return static_cast<std::size_t>(i); }

int call_points(const host_integrand &f, int ndim, int coordinates, int ncomp, int64 n, point_block &b) {
  const bool watched = b.watch.is_wanted(), single = coordinates == 1 && ncomp == 1;
  double *const x = single ? b.x.data() : b.point.data(), *const values = single ? b.f.data() : b.values.data();
  const double *const from = b.x.data();
  double *const to = b.f.data();
  const int64 stride = b.stride;
  for (int64 i = 0; i < n; ++i) {
    int status;
    if (single) {
      values[i] = nan_value();
      status = f.point(ndim, x + i, 1, values + i, f.userdata);
    } else {
      for (int j = 0; j < coordinates; ++j) x[j] = from[j * stride + i];
      std::fill_n(values, ncomp, nan_value());
      status = f.point(ndim, x, ncomp, values, f.userdata);
    }
    if (status != 0) return status;
    if (!single)
      for (int k = 0; k < ncomp; ++k) to[k * stride + i] = values[k];
    if (watched && !b.watch.goes_on(1)) return step_watch::ended;
  }
  return 0;
}

}  // namespace

void prepare_block(point_block &b, int64 points, int coordinates, int ncomp) {
  if (b.stride >= points) return;
  b.stride = 0;
  const int64 stride = block_stride(points);
  b.jacobian.resize(index(stride));
  b.f.resize(index(stride * ncomp));
  b.point.resize(index(coordinates));
  b.values.resize(index(ncomp));
  b.x.resize(index(stride * coordinates));
  b.stride = stride;
}

// What the integrand does not write must not pass for a value.
int call_block(const host_integrand &f, int ndim, int coordinates, int ncomp, int64 n, int64 each, point_block &b) {
  if (!f.batch) return call_points(f, ndim, coordinates, ncomp, n, b);
  for (int k = 0; k < ncomp; ++k) std::fill_n(&b.f[index(k * b.stride)], n, nan_value());
  return b.watch.each_batch(n, each, [&](int64 i, int64 points) {
    return f.batch(points, ndim, &b.x[index(i)], b.stride, ncomp, &b.f[index(i)], b.stride, f.userdata);
  });
}

}  // namespace tessera
