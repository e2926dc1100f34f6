// From the finite box that is divided to the user's coordinates, one axis at a time.
//
// A finite axis is used as it is. Half-infinite and infinite axes use the rational maps of QUADPACK (Piessens et al. 1983):
// x = a + t/(1-t), x = b - t/(1-t) for t in [0,1), and x = t/(1-t^2) for t in (-1,1).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hd.hpp"

namespace tessera {

// axis_narrow: a finite axis whose length is next to nothing beside its limits; it is counted from the lower one.
enum axis_kind : int { axis_finite = 0, axis_up = 1, axis_down = 2, axis_both = 3, axis_narrow = 4 };

struct axis_map {
  int kind;
  double anchor;       // the finite limit of a half-infinite axis, the lower one of a narrow axis
  double first, last;  // numbers next to the limits: what the map rounds to a limit, or beyond, is moved there
};

TESSERA_HD double between(double v, double least, double most) { return v < least ? least : (v > most ? most : v); }

// Widths in t below which the user's coordinates are the same number: near an anchor they are as coarse as the anchor is.
TESSERA_HD double grain_of(const axis_map &m) {
  const bool coarse = m.kind == axis_up || m.kind == axis_down || m.kind == axis_narrow;
  return coarse ? 16.0 * 2.220446049250313e-16 * fabs(m.anchor) : 0.0;
}

// x at t; multiplies `jacobian` by dx/dt.
TESSERA_HD double map_axis(const axis_map &m, double t, double &jacobian) {
  if (m.kind == axis_finite) return t;
  if (m.kind == axis_narrow) return between(m.anchor + t, m.first, m.last);
  if (m.kind == axis_both) {
    const double u = 1.0 / ((1.0 - t) * (1.0 + t));
    jacobian *= (1.0 + t * t) * u * u;
    return t * u;
  }
  const double u = 1.0 / (1.0 - t);
  jacobian *= u * u;
  return between(m.kind == axis_up ? m.anchor + t * u : m.anchor - t * u, m.first, m.last);
}

// f times the jacobian, with 0 * infinity = 0: an integrand that has vanished at the far end contributes nothing.
TESSERA_HD double weighted(double f, double jacobian) { return f == 0.0 ? 0.0 : f * jacobian; }

}  // namespace tessera
