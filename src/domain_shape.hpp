// What a domain is beyond limits that are numbers: limits that are functions, or a simplex. The box is then (0, 1) on these axes.
// On a device the maps are part of the kernels (cuda/device/user_values.cuh).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "core/simplex.hpp"
#include "integrand.hpp"

namespace tessera {

struct axis_limits {
  limits_function function = nullptr;
  void *userdata = nullptr;
  bool is_text = false;  // compiled into `function` when the host needs it, which receives the parameter block then
  bool is_set() const { return function || is_text; }  // else they are those of the domain
};

struct domain_shape {
  std::vector<axis_limits> limits;  // of each axis
  bool has_limits = false;          // some are functions
  int map = simplex_none;           // from all axes to a simplex
  std::vector<double>
      corners;  // its vertices, with the first and the last numbers of their axes behind them; or none: the unit simplex
  double volume = 1.0;

  bool is_simplex() const { return map != simplex_none; }
  bool is_plain() const { return !has_limits && !is_simplex(); }
  const char *name() const { return is_simplex() ? "a simplex" : "limits that are functions"; }
  simplex as_simplex() const {
    const std::size_t n = limits.size();
    const double *v = corners.empty() ? nullptr : corners.data();
    return {map, v, v ? v + (n + 1) * n : nullptr, v ? v + (n + 2) * n : nullptr, volume};
  }
  // A point of the box to that of the simplex; `spare`: room for as many numbers. Returns the Jacobian.
  double to_simplex(double *x, double *spare) const {
    for (std::size_t j = 0; j < limits.size(); ++j) spare[j] = x[j];
    return simplex_point(as_simplex(), static_cast<int>(limits.size()), spare, x);
  }
};

}  // namespace tessera
