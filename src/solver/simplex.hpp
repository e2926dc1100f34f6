// The simplex of a domain.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "../domain_shape.hpp"

namespace tessera {

// map, vertices: of tessera_set_simplex. Throws failure, and the shape stays as it was.
void set_simplex(domain_shape &shape, int map, const double *vertices);

// The macros by which kernels know it; "" where there is none.
std::string simplex_text(const domain_shape &shape);

}  // namespace tessera
