// The limits of a domain.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "../problem.hpp"

namespace tessera {

// What is wrong with the limits of a domain; empty when nothing is.
std::string trouble_with_limits(int ndim, const double *lower, const double *upper);

// The finite box that is divided and the way from there to the user's limits, which may be reversed and infinite.
void set_box(cubature_problem &p, int ndim, const double *lower, const double *upper);

// The way from (0, 1) to the interval between two limits.
struct limited_axis {
  axis_map map;
  double lower, length;  // of a finite one, otherwise 0 and 1
};
limited_axis axis_between(double a, double b);
// Of the finite axes. Throws failure.
void require_normal_volume(double volume);

// What limits in the wrong order do to the value: -1, 1, or 0 where limits are equal.
int orientation(int ndim, const double *lower, const double *upper);

}  // namespace tessera
