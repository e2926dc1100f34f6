// The estimates of both halves of an interval together, with the bits that they have one by one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/quadrature/null_rules.hpp"

namespace tessera {

// value: at the 2 * pairs + 1 points of the first half, then of the second.
void estimate_halves(int pairs, const interval<double> *halves, const double *value, interval_estimate<double> *e);

}  // namespace tessera
