// From the finite box that is divided to the user's coordinates, one axis at a time.
//
// A finite axis is used as it is. Half-infinite and infinite axes use the rational maps of QUADPACK (Piessens et al. 1983):
// x = a + t/(1-t), x = b - t/(1-t) for t in [0,1), and x = t/(1-t^2) for t in (-1,1).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hd.hpp"

namespace tessera {

enum axis_kind : int { axis_finite = 0, axis_up = 1, axis_down = 2, axis_both = 3 };

struct axis_map {
  int kind;
  double anchor;  // the finite limit of a half-infinite axis
};

// x at t; multiplies `jacobian` by dx/dt.
TESSERA_HD double map_axis(const axis_map &m, double t, double &jacobian) {
  if (m.kind == axis_finite) return t;
  if (m.kind == axis_both) {
    const double u = 1.0 / ((1.0 - t) * (1.0 + t));
    jacobian *= (1.0 + t * t) * u * u;
    return t * u;
  }
  const double u = 1.0 / (1.0 - t);
  jacobian *= u * u;
  return m.kind == axis_up ? m.anchor + t * u : m.anchor - t * u;
}

// f times the jacobian, with 0 * infinity = 0: an integrand that has vanished at the far end contributes nothing.
TESSERA_HD double weighted(double f, double jacobian) { return f == 0.0 ? 0.0 : f * jacobian; }

}  // namespace tessera
