// Points of a lattice pass in arrays, one axis after the other: for the host, and to tell a point's coordinates.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "lattice_pass.hpp"

namespace tessera {

// Coordinate j of point i is x[j*ldx + i]; after all coordinates come their complements, if any.
struct point_arrays {
  double *x;
  int64 ldx;
  double *jacobian;  // multiplied where there are weights
};

// One axis of points first .. first+n-1 of the pass.
template <int T>
void fill_axis(const lattice_pass &pass, unit_axis axis, int j, uint64 shift, int64 first, int64 n, double *x,
               double *y, double *jacobian) {
  const uint64 step = lattice_phase(pass.stride, pass.z[j], pass.n);
  for (int64 begin = 0; begin < n;) {
    const int64 end = std::min(n, begin + resynchronise - (first + begin) % resynchronise);
    const int64 known = (first + begin) / resynchronise * resynchronise;
    uint64 phase = lattice_phase(point_of(pass, known), pass.z[j], pass.n) + shift +
                   static_cast<uint64>(first + begin - known) * step;
    const auto point = [&](int64 i) {
      const unit_point p = periodize<T>(unit_of(phase));
      if (has_weight(T)) jacobian[i] *= p.weight;
      return p;
    };
    if (axis.kind == axis_finite && !y) {  // without a branch inside
      for (int64 i = begin; i < end; ++i, phase += step)
        x[i] = lattice_coordinate<axes_finite, false>(axis, point(i), jacobian[i]);
    } else {
      for (int64 i = begin; i < end; ++i, phase += step) {
        const unit_point p = point(i);
        x[i] = lattice_coordinate<axes_any, false>(axis, p, jacobian[i]);
        if (y) y[i] = lattice_complement<axes_any>(axis, p);
      }
    }
    begin = end;
  }
}

inline void fill_points(const lattice_pass &pass, const unit_axis *axes, int ndim, bool complement, int64 shift,
                        int64 first, int64 n, const point_arrays &to) {
  for (int j = 0; j < ndim; ++j) {
    const uint64 s = shift_of(pass.source, static_cast<uint64>(shift), j);
    double *x = to.x + j * to.ldx, *y = complement ? x + ndim * to.ldx : nullptr;
    switch (pass.transform) {
#define TESSERA_CASE(t)                                             \
  case t:                                                           \
    fill_axis<t>(pass, axes[j], j, s, first, n, x, y, to.jacobian); \
    break;
      TESSERA_TRANSFORMS(TESSERA_CASE)
#undef TESSERA_CASE
    }
  }
}

}  // namespace tessera
