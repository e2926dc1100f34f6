// What the kernels of a sparse grid are given; read by the host side of the plug-in and by the kernels.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../engine/cubature/ranked_region.hpp"
#include "../../engine/sparse/sparse_step.hpp"
#include "../../engine/sparse/tested_points.hpp"

namespace tessera {

struct sparse_arguments {
  const sparse_tables *tables;
  sparse_domain domain;
  sparse_set all;
  int before;                // indices before those of the step
  int64 count, points;       // indices of the step, and points of one box
  int64 first, n;            // of the points of all boxes: those of one call of the integrand
  double *x, *jacobian, *f;  // [ndim][n], [n] where axes are mapped, [ncomp][n]
  double *store;
  double *differences;   // [boxes][ncomp][count]
  int stage, end_stage;  // active axes to sum over, of each index
  const int *flags;      // of the integrand's module, or null
  int *answer;           // its flags, and whether a value is not finite
};

struct tested_arguments {
  sparse_domain domain;
  int panels;  // of its map
  tested_set set;
  const double *means;                 // [ncomp]
  int64 first, n;                      // of the points: those of one call of the integrand
  double *x, *f, *jacobian, *density;  // [ndim][n], [ncomp][n], [n], [n]
  unsigned long long
      *sizes;        // [ncomp] bits of the largest so far; numbers that are not negative are in the order of their bits
  const int *flags;  // as above
  int *answer;
};

constexpr int few_regions = 1024;  // which one block looks at, and reads the records of as soon as it has found them
struct largest_arguments {
  region_view regions;
  int64 n;
  const double *weight;  // [ncomp]
  int wanted;            // of each block
  ranked_region *best;   // [blocks][wanted], and then, first, those of all
  double *records;       // of these, one after the other
  int *said;             // of few regions: that all is there
};

}  // namespace tessera
