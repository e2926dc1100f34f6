// One pass over the points of a lattice rule, and its coordinates: plain data and functions that every backend can read.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../core/lattice.hpp"
#include "../../core/periodize.hpp"

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

// Part of one coordinate of the points of an item: steps of one integer addition from a phase that is computed anew every
// `resynchronise` points. q counts the points of the pass.
TESSERA_HD uint64 phase_at(const lattice_pass &p, int j, int64 q, uint64 shift) {
  return lattice_phase(p.first + static_cast<uint64>(q) * p.stride, p.z[j], p.n) + shift;
}
TESSERA_HD uint64 phase_step(const lattice_pass &p, int j) { return lattice_phase(p.stride, p.z[j], p.n); }

// A coordinate of the integrand from a phase; multiplies `jacobian`.
template <int T>
TESSERA_HD double lattice_coordinate(const unit_axis &axis, uint64 phase, double &jacobian) {
  const unit_point p = periodize<T>(unit_of(phase));
  if (has_weight(T)) jacobian *= p.weight;
  return axis_value(axis, p, jacobian);
}
// And its complement.
template <int T>
TESSERA_HD double lattice_coordinate(const unit_axis &axis, uint64 phase, double &jacobian, double &complement) {
  const unit_point p = periodize<T>(unit_of(phase));
  if (has_weight(T)) jacobian *= p.weight;
  complement = axis_complement(axis, p);
  return axis_value(axis, p, jacobian);
}

}  // namespace tessera
