// What a domain is beyond limits that are numbers: limits that are functions, or a simplex. The box is then (0, 1) on these axes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "core/simplex.hpp"

namespace tessera {

// Sets the limits of an axis from the coordinates x[0 ... axis-1]; same type as in tessera.h.
using limits_function = int (*)(int ndim, int axis, const double *x, double *lower, double *upper, void *userdata);

struct axis_limits {
  limits_function function = nullptr;  // null: those of the domain
  void *userdata = nullptr;
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
  void show_in_simplex(double *x) const {
    std::vector<double> spare(limits.size());
    if (is_simplex()) to_simplex(x, spare.data());
  }
};

}  // namespace tessera
