// Points at which the integrand is called together, and the calls.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "../integrand.hpp"
#include "raw_array.hpp"
#include "step_watch.hpp"

namespace tessera {

// Points, values and jacobians of one block. Coordinate j of point i is x[j*stride + i], component k f[k*stride + i].
struct point_block {
  int64 stride = 0;
  raw_array x, f, jacobian;
  std::vector<double> point, values;  // of one point
  step_watch watch;
};

// Doubles of a cache line.
constexpr int64 block_line = 8;
// An odd number of lines of a cache: the coordinates of a point do not get in each other's way there.
inline int64 block_stride(int64 points) { return ((points + block_line - 1) / block_line | 1) * block_line; }
// Room for so many points; what there was is lost where there is not.
void prepare_block(point_block &b, int64 points, int coordinates, int ncomp);
// The integrand, told of ndim variables, at n points of a block, in calls of `each` at most. Returns its status, or step_watch::ended: the block's
// watch says why.
int call_block(const host_integrand &f, int ndim, int coordinates, int ncomp, int64 n, int64 each, point_block &b);

}  // namespace tessera
