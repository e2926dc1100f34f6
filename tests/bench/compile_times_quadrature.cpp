// Of compile_times.cpp, apart because Monte Carlo has an `interval` of its own. SPDX-License-Identifier: BSD-3-Clause
#include "compile_times.hpp"
#include "cuda/quadrature/kernel.hpp"

using namespace tessera;

void add_quadrature(std::vector<method> &all) {
  const auto quadrature = [&](const char *name, const quadrature_shape &shape) {
    all.push_back({name, "tessera_quadrature", shape.ndim, quadrature_kernel_text(shape), false});
  };
  using part = quadrature_shape::part;
  quadrature("one variable, own lists", {part::own_lists, 10, 0, false, 1, false});
  quadrature("one variable, slots", {part::slots, 10, 0, false, 1, false});
  quadrature("last of three variables", {part::own_lists, 10, 0, false, 3, true});
  all.push_back({"values at points, 3-D", "tessera_points", 3, points_kernel_text(false), false});
}
