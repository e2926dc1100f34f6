// A rule in the making: moment equations of fully symmetric rules, and null rules by orthogonalisation (host only).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>

#include "rule.hpp"

namespace tessera::rule_making {

using real = long double;

constexpr int rows = 1 + null_rules;  // of weights: the rule, then its null rules

// A rule in the making. Weights belong to a point, as in struct rule; row 0 is the rule. Rows 1.. hold lower rules
// until subtract_rule turns them into null rules.
struct draft {
  rule &r;
  real a2[max_orbits];  // squares of the generators: the moment equations want nothing else
  real b2[max_orbits];
  real w[rows][max_orbits];
};

inline real power(real x, int k) {
  real p = 1;
  for (; k > 0; --k) p *= x;
  return p;
}

// Coordinates of a point of the orbit that are +-a, and +-b.
inline int coordinates_a(int kind, int n) {
  constexpr int of_kind[] = {0, 1, 2, 1, 3, 2};
  return kind == orbit_vertex ? n : of_kind[kind];
}
inline int coordinates_b(int kind) { return kind == orbit_pair2 || kind == orbit_triple2 ? 1 : 0; }

inline int64 orbit_points(int kind, int64 n, int vertex_bits) {
  switch (kind) {
    case orbit_axis:
      return 2 * n;
    case orbit_pair:
      return 2 * n * (n - 1);
    case orbit_pair2:
      return 4 * n * (n - 1);
    case orbit_triple:
      return 4 * n * (n - 1) * (n - 2) / 3;
    case orbit_triple2:
      return 4 * n * (n - 1) * (n - 2);
    case orbit_vertex:
      return int64{1} << vertex_bits;
    default:
      return 1;
  }
}

// Appends an orbit, given the squares of its generators.
inline void add_squares(draft &d, int kind, real a2 = 0, real b2 = 0) {
  rule &r = d.r;
  const int64 count = orbit_points(kind, r.ndim, r.vertex_bits);
  if (count == 0) return;
  r.orb[r.orbits] = {kind, count, static_cast<double>(std::sqrt(a2)), static_cast<double>(std::sqrt(b2))};
  d.a2[r.orbits] = a2;
  d.b2[r.orbits] = b2;
  ++r.orbits;
}

inline real count_of(const draft &d, int orbit) { return static_cast<real>(d.r.orb[orbit].count); }

// What a row of weights makes of x^(2k), k > 0. A coordinate is as often +-a as any other.
inline real axis_moment(const draft &d, const real *w, int k) {
  const int n = d.r.ndim;
  real sum = 0;
  for (int i = 0; i < d.r.orbits; ++i) {
    const int kind = d.r.orb[i].kind;
    const real powers = static_cast<real>(coordinates_a(kind, n)) * power(d.a2[i], k) +
                        static_cast<real>(coordinates_b(kind)) * power(d.b2[i], k);
    sum += w[i] * count_of(d, i) * powers / static_cast<real>(n);
  }
  return sum;
}

// Finds the weights of `q` (2 or 3) axis orbits such that x^2, x^4, ... get the moments 1/3, `fourth`, 1/7, and the
// weight of the centre such that the row sums to 1. All other weights of the row must be set.
//
// With u = 2*a2*w of an axis orbit the equations are sum u*a2^(k-1) = m_k. So u belongs to the functional t^(k-1) ->
// m_k applied to the Lagrange polynomial of its a2.
inline void solve_axes(draft &d, real *w, const int *axes, int q, real fourth = 1.0L / 5) {
  real m[3] = {1.0L / 3, fourth, 1.0L / 7};
  for (int i = 0; i < q; ++i) w[axes[i]] = 0;
  for (int k = 0; k < q; ++k) m[k] -= axis_moment(d, w, k + 1);
  real solved[3] = {};
  for (int i = 0; i < q; ++i) {
    const real t = d.a2[axes[i]];
    real c[3] = {1, 0, 0};  // coefficients of the Lagrange polynomial
    for (int j = 0; j < q; ++j) {
      if (j == i) continue;
      const real s = d.a2[axes[j]];
      for (int k = q - 1; k >= 0; --k) c[k] = ((k > 0 ? c[k - 1] : 0) - s * c[k]) / (t - s);
    }
    for (int k = 0; k < q; ++k) solved[i] += c[k] * m[k];
    solved[i] /= 2 * t;
  }
  for (int i = 0; i < q; ++i) w[axes[i]] = solved[i];
  w[0] = 1;
  for (int i = 1; i < d.r.orbits; ++i) w[0] -= w[i] * count_of(d, i);
}

inline void subtract_rule(draft &d) {
  for (int j = 1; j < rows; ++j)
    for (int i = 0; i < d.r.orbits; ++i) d.w[j][i] -= d.w[0][i];
}

inline void set_degrees(rule &r, int degree, int null1, int null2, int null3, int null4, const error_constants &error) {
  r.degree = degree;
  const int null[null_rules] = {null1, null2, null3, null4};
  std::copy(null, null + null_rules, r.null_degree);
  r.error = error;
  if (r.ndim < 3)
    r.error.c5 = 0;  // with so few variables the null rules of a jump may fall as fast: a fifth of all jumps
}

// The first four: Berntsen, Espelid and Genz (1991). The fifth is 2 c3, as measured on Genz's families; and 4 c3 for degree 7,
// where 2 let through a false success that the classic constants do not have.
constexpr error_constants constants13 = {10, 10, 1, 5, 0, 0};
constexpr error_constants constants11 = {4, 4, 0.5, 3, 1, 0};
constexpr error_constants constants9 = {5, 5, 1, 5, 2, 0};
constexpr error_constants constants7 = {5, 5, 1, 5, 4, 0};
constexpr error_constants constants_gm7 = {5, 5, 1, 5, 4, 0.25};

// ---- Null rules by orthogonalisation -------------------------------------------------------------------------------

inline real inner(const draft &d, const real *x, const real *y) {
  real sum = 0;
  for (int i = 0; i < d.r.orbits; ++i) sum += count_of(d, i) * x[i] * y[i];
  return sum;
}

// Adds null rules 2..4 to null rule 1. basis[0..orbits-2] are functions on the orbits (means over their points), of
// ascending degree, that null rule 1 annihilates; they are overwritten. The weights of null rule 1 are orthogonal to
// all of them, in the inner product of the points. So the last function, made orthogonal to those before, is the null
// rule that annihilates all but the last, and so on down: mutually orthogonal and of one norm, as Berntsen and Espelid
// recommend.
inline void orthogonal_null_rules(draft &d, real (*basis)[max_orbits]) {
  const int n = d.r.orbits;
  for (int j = 0; j < n - 1; ++j) {
    for (int pass = 0; pass < 2; ++pass) {  // once leaves rounding errors of the size of the condition number
      for (int i = 0; i < j; ++i) {
        const real c = inner(d, basis[j], basis[i]);
        for (int k = 0; k < n; ++k) basis[j][k] -= c * basis[i][k];
      }
      const real norm = std::sqrt(inner(d, basis[j], basis[j]));
      for (int k = 0; k < n; ++k) basis[j][k] /= norm;
    }
  }
  const real norm = std::sqrt(inner(d, d.w[1], d.w[1]));
  for (int j = 2; j < rows; ++j)
    for (int k = 0; k < n; ++k) d.w[j][k] = norm * basis[n - j][k];
}

}  // namespace tessera::rule_making
