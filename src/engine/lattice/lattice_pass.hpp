// One pass over the points of a lattice rule, and their coordinates: plain data and functions that every backend can read.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../core/lattice.hpp"
#include "../../core/periodize.hpp"
#include "../known_axes.hpp"

namespace tessera {

// Points i = first, first + stride, ... (count of them) of the rule (n, z), moved by the shifts first_shift ... (shifts of
// them).
struct lattice_pass {
  const uint64 *z;
  uint64 n, first, stride;
  int64 count;
  int64 first_shift, shifts;
  lattice_shifts source;
  int transform;
  bool trial;  // for the choice of a change of variables
};

// The work of a pass is cut by index into items, the same for every backend and number of threads: of one shift and at most
// so many points.
constexpr int64 lattice_item = 16384;

TESSERA_HD int64 items_per_shift(const lattice_pass &p) { return (p.count + lattice_item - 1) / lattice_item; }

// Point q of the pass in the rule. From one to the next a coordinate takes a step of one integer addition, from a phase that is
// computed anew every `resynchronise` points: shift + lattice_phase(point, z_j, n).
TESSERA_HD uint64 point_of(const lattice_pass &p, int64 q) { return p.first + static_cast<uint64>(q) * p.stride; }

// Coordinate and complement of the integrand from a point of the unit interval, on axes of a known kind; the coordinate multiplies
// `jacobian`. `rounds`: a change of variables has made the point, which may have come out as 1.
template <int known, bool rounds>
TESSERA_HD double lattice_coordinate(const unit_axis &axis, const unit_point &p, double &jacobian) {
  if (known == axes_unit) return rounds ? unit_axis_value(p.x) : p.x;
  return known == axes_finite ? finite_axis_value(axis, p.x) : axis_value(axis, p, jacobian);
}
template <int known>
TESSERA_HD double lattice_complement(const unit_axis &axis, const unit_point &p) {
  return known == axes_unit ? p.y : axis_complement(axis, p);
}

}  // namespace tessera
