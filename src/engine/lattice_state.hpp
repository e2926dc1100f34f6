// What a lattice run is asked for, and one pass of it, as plain data for every backend.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "../core/lattice.hpp"
#include "../core/periodize.hpp"
#include "../core/sum.hpp"

namespace tessera {

struct lattice_vector {
  std::vector<uint64> z;
  uint64 least = 0, most = 0;  // n, powers of two from least to most; equal: this n alone
};

struct lattice_settings {
  int ndim = 0, ncomp = 0;
  double reltol = 0.0, abstol = 0.0, confidence = 0.99;
  int64 maxeval = 0, mineval = 0;
  uint64 seed = 0;
  int transform = transform_none;  // enum tessera_transform, 0: a trial decides
  int shifts = 32;
  int median = 0;       // random vectors to choose from, 0: the vector given
  int copies = 0;       // m of a maximal-rank rule, 0: random shifts
  uint64 points = 1024; // n to begin with
};

struct lattice_statistics {
  int64 evaluations = 0;
  int64 passes = 0;
  uint64 points = 0;
  int64 shifts = 0;
  int transform = transform_none;
};

// Points i = first, first + stride, ... (count of them) of the rule (n, z), moved by the shifts first_shift ... (shifts of them).
struct lattice_pass {
  const uint64 *z;
  uint64 n, first, stride;
  int64 count;
  int64 first_shift, shifts;
  lattice_shifts source;
  int transform;
  bool trial;  // for the choice of a change of variables
};

// The work of a pass is cut by index into items, the same for every backend and number of threads: of one shift and at most so many
// points.
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
