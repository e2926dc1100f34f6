// What the kernels of lattice rules are given; read by the host side of the plug-in and by the kernels.
//
// The points of a shift are cut into units of lattice_block * resynchronise / lanes points, the same number of them in every item;
// each is the work of one block at a time, which has `lanes` threads for each stretch of `resynchronise` points. Consecutive units
// of a shift make a run, with one partial sum.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../core/sum.hpp"
#include "../../engine/lattice/lattice_pass.hpp"
#include "../device/user_answer.hpp"

namespace tessera {

constexpr int lattice_block = 128;
constexpr int lattice_least_lanes = 8, lattice_most_lanes = 128;
constexpr int lattice_near_dim =
    32;  // up to so many phases are kept in registers, and steps among the kernel's arguments

TESSERA_HD constexpr int64 unit_points(int lanes) { return int64{lattice_block} * resynchronise / lanes; }

struct lattice_arguments {
  lattice_pass pass;        // z: on the device, where ndim > lattice_near_dim
  lattice_modulus modulus;  // of n
  int lanes;
  int64 first_unit, end_unit;  // counted over the shifts
  int64 units_per_shift, units_per_run, runs_per_shift;
  int64 first_run;
  const void *params;        // the user's parameter block
  compensated_sum *partial;  // [runs][ncomp]
  user_answer *answer;
  // Of a device callback:
  double *x;        // [coordinates, and one more for the weights][stride_x]
  const double *f;  // [ncomp][stride_x]
  int64 stride_x;
  int64 first_point;  // point of the first column, counted over the shifts
};

// Behind the arguments come, for ndim <= lattice_near_dim, z, steps by one point and by `lanes` points: three arrays of ndim.
TESSERA_HD constexpr int near_arrays(int ndim) { return ndim <= lattice_near_dim ? ndim : 1; }

}  // namespace tessera
