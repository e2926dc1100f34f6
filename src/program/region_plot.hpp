// A drawing of the regions of a cubature. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "program.hpp"

namespace tessera {

// Of the last run of s, which has kept its regions: each as a rectangle in the first two variables (of one variable: as high as
// its error), dark where its error is large. Writes an SVG file and says so. Throws command_failure.
void plot_regions(const solver &s, const std::vector<double> &lower, const std::vector<double> &upper,
                  const std::string &path, const streams &to);

}  // namespace tessera
