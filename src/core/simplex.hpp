// From the unit cube to a simplex, by a change of variables that is the same for host and device.
//
// Duffy's: M. G. Duffy, Quadrature over a pyramid or cube of integrands with a singularity at a vertex, SIAM J. Numer. Anal. 19 (1982)
// 1260-1262. The face t[0] = 0 of the cube becomes vertex 0, so powers of the distance from there become powers of t[0]. A polynomial.
// The symmetric one: the shares of the vertices are the lengths into which t cuts the unit interval (order statistics: L. Devroye, Non-uniform random
// variate generation, Springer 1986, V.2; for points of low discrepancy T. Pillards, R. Cools, J. Comput. Appl. Math. 174 (2005) 29-42). It
// treats vertices alike and has a constant Jacobian, but kinks where two of t are equal.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transform.hpp"

namespace tessera {

enum simplex_map : int { simplex_none = 0, simplex_duffy = 1, simplex_symmetric = 2 };  // enum tessera_simplex
constexpr int most_simplex_ndim = 128;  // beyond, volumes leave the range of double

struct simplex {
  int map;
  const double *vertices;  // [ndim + 1][ndim]; null: the origin and the unit vectors
  const double *first,
      *last;      // [ndim], with vertices: numbers next to the ends of what they enclose, to which rounding is moved
  double volume;  // of the parallelepiped, ndim! times that of the simplex
};

// The image of t[n] to x[n], and its Jacobian. t is left in ascending order by the symmetric map.
TESSERA_HD double simplex_point(const simplex &s, int n, double *t, double *x) {
  const bool sorted = s.map == simplex_symmetric;
  double jacobian = s.volume, left = 1.0;
  for (int j = 1; j < n; ++j) {
    if (sorted) {
      const double v = t[j];
      int i = j;
      for (; i > 0 && t[i - 1] > v; --i) t[i] = t[i - 1];
      t[i] = v;
      jacobian /= j + 1;
    } else {
      left *= t[j - 1];
      jacobian *= left;
    }
  }
  left = 1.0;
  for (int v = 0; v <= n; ++v) {
    double share;
    if (sorted) {
      const double length = (v < n ? t[v] : 1.0) - (v > 0 ? t[v - 1] : 0.0);
      share = v > 0 && length < 5.5511151231257827e-17 ? 5.5511151231257827e-17
                                                       : length;  // half the spacing of numbers below 1
    } else {
      share = v < n ? left * (1.0 - t[v]) : left;
      if (v < n) left *= t[v];
    }
    if (s.vertices)
      for (int j = 0; j < n; ++j) x[j] = (v > 0 ? x[j] : 0.0) + share * s.vertices[v * n + j];
    else if (v > 0)
      x[v - 1] = between(share, 2.2250738585072014e-308, 1.0 - 1.1102230246251565e-16);
  }
  if (s.vertices)
    for (int j = 0; j < n; ++j) x[j] = between(x[j], s.first[j], s.last[j]);
  return jacobian;
}

}  // namespace tessera
