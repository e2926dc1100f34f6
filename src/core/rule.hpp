// An embedded family of integration rules on [-1,1]^n as plain data, read by every backend.
//
// A rule is a list of orbits: the points that one generator gives by permuting coordinates and changing signs. All points
// of an orbit have the same weight, so only the sum of the integrand over each orbit is needed, and `finish_rule` in
// estimate.hpp turns one sum an orbit into the value and four null rules. Points are generated, never stored.
//
// Weights are normalised to a mean: the sum over all points is 1 for the rule and 0 for the null rules.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hd.hpp"

namespace tessera {

constexpr int max_orbits = 32;
constexpr int max_cubature_ndim = 64;
constexpr int null_rules = 4;
constexpr int no_null_rule = -1;

enum orbit_kind : int {
  orbit_centre = 0,   // (0, ..., 0)                       1 point
  orbit_axis = 1,     // (a, 0, ..., 0)                    2n
  orbit_pair = 2,     // (a, a, 0, ..., 0)                 2n(n-1)
  orbit_pair2 = 3,    // (a, b, 0, ..., 0), a /= b         4n(n-1)
  orbit_triple = 4,   // (a, a, a, 0, ..., 0)              4n(n-1)(n-2)/3
  orbit_triple2 = 5,  // (a, a, b, 0, ..., 0), a /= b      4n(n-1)(n-2)
  orbit_vertex = 6,   // (a, a, ..., a) with the signs of a two-level orthogonal array, 2^vertex_bits points:
                      // coordinate j of point m is -a where the parity of (m & vertex_mask[j]) is odd, else +a
  orbit_probe = 7     // points in no symmetric place, without a weight: node.hpp
};

struct orbit {
  int kind;
  int64 count;  // number of points
  double a, b;  // generator
};

// The constants of the error estimate of Berntsen, Espelid and Genz (docs/methods.md):
// E_i from the null rules; if c1*E1 <= E2 and c2*E2 <= E3 the error is c3*E1, else c4*max(E1, E2, E3). Ours is c5, for the
// robust estimate: what the error may be instead where the integrand turns out to be smooth; 0 if never (core/estimate.hpp). And c6,
// where E1 is from one null rule alone, which may be 0 by accident: E1 is at least c6*E2^2/E3, which falls as fast; else 0.
struct error_constants {
  double c1, c2, c3, c4, c5, c6;
};

struct rule {
  int family;  // value of enum tessera_rule
  int ndim;
  int degree;
  int null_degree[null_rules];  // of the null rules, highest first; no_null_rule where the weights are 0
  int orbits;
  int64 points;  // sum of the orbits' counts
  orbit orb[max_orbits];
  double weight[max_orbits];
  double null_weight[null_rules][max_orbits];

  // Combinations of neighbouring null rules i and i+1 (Berntsen, Espelid, Genz 1991, section 2): the estimate is the
  // largest |n[i+1] + scale[i][k]*n[i]| * norm[i][k] over the orbits k; norm is one over the 1-norm of the combined weights.
  double scale[null_rules - 1][max_orbits];
  double norm[null_rules - 1][max_orbits];
  error_constants error;

  // Fourth differences use two axis orbits with generators p and q:
  // (f(p)+f(-p)-2f(0)) - (p/q)^2 (f(q)+f(-q)-2f(0)), up to a factor.
  int difference_orbit[2];
  double difference_ratio;

  // Points on the axes just inside the faces, which have no weight: orbit face_orbit, -1 where there is none. The value at each,
  // less what the polynomial through the other points of its axis says there, is its residual. Of the value at a point of axis
  // orbit o it takes face_same[o] times on its own side of the centre and face_other[o] times on the other, and of that at the
  // centre face_centre times.
  bool faces;  // asked for
  int face_orbit;
  double face_same[max_orbits], face_other[max_orbits], face_centre;

  bool raises;  // regions may be given a higher degree (raised_rule.hpp): which axes are in use is asked for

  // The last orbit where there are probes; else -1.
  int probe_orbit;

  int vertex_bits;
  uint32 vertex_mask[max_cubature_ndim];
};

// Distance of the outermost points from the faces, in half-widths.
inline double rule_margin(const rule &r) {
  double g = 0.0;
  for (int o = 0; o < r.orbits; ++o) g = larger(g, larger(r.orb[o].a, r.orb[o].b));
  return 1.0 - g;
}

}  // namespace tessera
