// The limits of a domain.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace tessera {

// What is wrong with the limits of a domain; empty when nothing is.
std::string trouble_with_limits(int ndim, const double *lower, const double *upper);

// Of the finite axes: what is wrong with it; empty when nothing is.
std::string trouble_with_volume(double volume);
void require_normal_volume(double volume);  // throws failure

// What limits in the wrong order do to the value: -1, 1, or 0 where limits are equal.
int orientation(int ndim, const double *lower, const double *upper);

}  // namespace tessera
