// Grids of importance sampling as text.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace tessera {

// Throw failure with TESSERA_ERR_FILE.
void write_grid(const char *path, int ndim, const std::vector<double> &edges);
std::vector<double> read_grid(const char *path, int &ndim);

}  // namespace tessera
