// The integration rules. Weights come from the moment equations of fully symmetric rules, solved in closed form and in
// long double, so that only the rounding of the results to double is left; constants that have no closed form are in
// rule_tables.hpp.
//
//   A. C. Genz, A. A. Malik, An adaptive algorithm for numerical integration over an n-dimensional rectangular region,
//     J. Comput. Appl. Math. 6 (1980) 295-302.
//   A. C. Genz, A. A. Malik, An imbedded family of fully symmetric numerical integration rules, SIAM J. Numer. Anal. 20
//     (1983) 580-588.
//   J. Berntsen, T. O. Espelid, A. Genz, An adaptive algorithm for the approximate calculation of multiple integrals,
//     and Algorithm 698: DCUHRE, ACM Trans. Math. Softw. 17 (1991) 437-451 and 452-456.
//   J. Berntsen, T. O. Espelid, Error estimation in automatic quadrature routines, ACM Trans. Math. Softw. 17 (1991)
//     233-252.
// SPDX-License-Identifier: BSD-3-Clause
#include "rule_build.hpp"

#include <algorithm>
#include <cmath>

#include "node.hpp"
#include "rule_draft.hpp"
#include "rule_signs.hpp"
#include "rule_tables.hpp"
#include "tessera.h"

namespace tessera {
namespace {

using namespace rule_making;

// ---- Degree 7 ------------------------------------------------------------------------------------------------------

// The squares of the generators of the rules of degree 7 and 9 follow from that of the vertices. Single precision is
// meant: DCUHRE has always run with these values, and the same points make its results comparable.
struct squares {
  real l0, l1, l2, l3;
};

squares generator_squares() {
  squares s{};
  s.l0 = static_cast<real>(0.4707F);
  s.l1 = 4 / (15 - 5 / s.l0);
  real ratio = (1 - s.l1 / s.l0) / 27;
  s.l2 = (5 - 7 * s.l1 - 35 * ratio) / (7 - 35 * s.l1 / 3 - 35 * ratio / s.l0);
  ratio *= (1 - s.l2 / s.l0) / 3;
  s.l3 = (7 - 9 * (s.l2 + s.l1) + 63 * s.l2 * s.l1 / 5 - 63 * ratio) /
         (9 - 63 * (s.l2 + s.l1) / 5 + 21 * s.l2 * s.l1 - 63 * ratio / s.l0);
  return s;
}

// A rule of centre, axes, pairs and, last, vertices, which have the total weight v: x^2 y^2 gets the moment part/9, x^4
// part/5. The pairs are at index orbits-2.
void fill7(draft &d, int row, real v, int axis_a, int axis_b, real part = 1) {
  const int vertex = d.r.orbits - 1, pair = vertex - 1;
  real *w = d.w[row];
  w[vertex] = v / count_of(d, vertex);
  w[pair] = (part - 9 * v * power(d.a2[vertex], 2)) / (36 * power(d.a2[pair], 2));
  const int axes[2] = {axis_a, axis_b};
  solve_axes(d, w, axes, 2, part / 5);
}

// Berntsen, Espelid and Genz (1991), after Genz and Malik (1983). Also the low-point family: see rule_signs.hpp.
void build_degree7(draft &d) {
  const squares s = generator_squares();
  add_squares(d, orbit_centre);
  add_squares(d, orbit_axis, s.l2);
  add_squares(d, orbit_axis, s.l1);
  add_squares(d, orbit_axis, 0.5625L);
  add_squares(d, orbit_pair, s.l1);
  add_squares(d, orbit_vertex, s.l0);
  const real l03 = power(s.l0, 3);
  fill7(d, 0, 1 / (27 * l03), 1, 2);
  fill7(d, 1, 1 / (36 * l03), 1, 2);
  fill7(d, 2, 5 / (108 * l03), 3, 2);
  fill7(d, 3, 1 / (54 * l03), 1, 2, 0.5L);
  d.w[4][0] = 1;  // the midpoint rule
  subtract_rule(d);
  set_degrees(d.r, 7, 5, 5, 3, 1, constants7);
}

void build_gm7(draft &d) {
  add_squares(d, orbit_centre);
  add_squares(d, orbit_axis, 9.0L / 70);
  add_squares(d, orbit_axis, 0.9L);
  add_squares(d, orbit_pair, 0.9L);
  add_squares(d, orbit_vertex, 9.0L / 19);
  fill7(d, 0, power(19.0L / 27, 3), 1, 2);
  fill7(d, 1, 0, 1, 2);  // their embedded rule of degree 5 does without the vertices
  subtract_rule(d);
  // Means over the orbits of 1, x^2, x^4, x^2 y^2.
  const real n = static_cast<real>(d.r.ndim);
  real basis[max_orbits][max_orbits] = {};
  for (int i = 0; i < d.r.orbits; ++i) {
    const real c = static_cast<real>(coordinates_a(d.r.orb[i].kind, d.r.ndim));
    basis[0][i] = 1;
    basis[1][i] = d.a2[i] * c / n;
    basis[2][i] = power(d.a2[i], 2) * c / n;
    basis[3][i] = power(d.a2[i], 2) * c * (c - 1) / (n * (n - 1));
  }
  orthogonal_null_rules(d, basis);
  // Five orbits have one null rule of degree 5, two of degree 3 and one of degree 1, and estimates from pairs of them in this order
  // fall as h^4, h^4, h^2: never as the test for asymptotic behaviour wants them to. So the first has no partner, and those of degree
  // 3 are one: x^4 and x^2 y^2 show in it with the same sign.
  for (int i = 0; i < d.r.orbits; ++i) {
    d.w[3][i] = (d.w[2][i] + d.w[3][i]) / std::sqrt(2.0L);
    d.w[2][i] = d.w[1][i];
    d.w[1][i] = 0;
  }
  set_degrees(d.r, 7, no_null_rule, 5, 3, 1, constants_gm7);
}

// ---- Degree 9 ------------------------------------------------------------------------------------------------------

// Orbits of the rule of degree 9; in two dimensions there are no triples and the vertices move up.
enum : int { axis_l1 = 1, axis_l2 = 2, axis_l3 = 3, axis_lp = 4, pairs = 5, unequal_pairs = 6 };

struct mixed_weights {
  real v, triple, pair, pair2;  // v: of all vertices together
};

void set_mixed(draft &d, int row, const mixed_weights &m) {
  const int vertex = d.r.orbits - 1;
  real *w = d.w[row];
  w[pairs] = m.pair;
  w[unequal_pairs] = m.pair2;
  if (d.r.ndim > 2) w[vertex - 1] = m.triple;
  w[vertex] = m.v / count_of(d, vertex);
}

// The weight of the pairs that gives x^2 y^2 its moment 1/9.
real pair_weight(const squares &s, int n, const mixed_weights &m) {
  return (1 - 9 * (8 * s.l1 * s.l2 * m.pair2 + m.v * power(s.l0, 2))) / (36 * power(s.l1, 2)) -
         2 * static_cast<real>(n - 2) * m.triple;
}

// Exact for x^2 y^2 z^2, x^2 y^2 and x^4 y^2, and for x^2, x^4, x^6 by the weights at three axis orbits.
void fill9(draft &d, int row, const squares &s, real v, int last_axis) {
  mixed_weights m{v, 0, 0, 0};
  m.triple = (1 - 27 * v * power(s.l0, 3)) / power(6 * s.l1, 3);
  m.pair2 = (1 - 5 * s.l1 / 3 - 15 * v * power(s.l0, 2) * (s.l0 - s.l1)) / (60 * s.l1 * s.l2 * (s.l2 - s.l1));
  m.pair = pair_weight(s, d.r.ndim, m);
  set_mixed(d, row, m);
  const int axes[3] = {axis_l1, axis_l2, last_axis};
  solve_axes(d, d.w[row], axes, 3);
}

// The lower rule of degree 5. Any values of the higher moments would do; these are DCUHRE's, whose error constants were
// tuned with them, down to an l0 where one expects its square.
void fill9_degree5(draft &d, int row, const squares &s) {
  mixed_weights m{2 / (81 * power(s.l0, 4)), 0, 0, 0};
  m.triple = (2 - 27 * m.v * power(s.l0, 3)) / power(6 * s.l1, 3);
  m.pair2 = (2 - 15 * s.l1 / 9 - 15 * m.v * s.l0 * (s.l0 - s.l1)) / (60 * s.l1 * s.l2 * (s.l2 - s.l1));
  m.pair = pair_weight(s, d.r.ndim, m);
  set_mixed(d, row, m);
  const real rest = (s.l1 + s.l2) / 5 - s.l1 * s.l2 / 3 + m.v * s.l0 * (s.l0 - s.l1) * (s.l0 - s.l2);
  d.w[row][axis_l3] = (2 - 7 * rest) / (14 * s.l3 * (s.l3 - s.l1) * (s.l3 - s.l2));
  const int axes[2] = {axis_l1, axis_l2};
  solve_axes(d, d.w[row], axes, 2);
}

void build_degree9(draft &d) {
  const squares s = generator_squares();
  add_squares(d, orbit_centre);
  for (const real l : {s.l1, s.l2, s.l3, 0.0625L}) add_squares(d, orbit_axis, l);
  add_squares(d, orbit_pair, s.l1);
  add_squares(d, orbit_pair2, s.l1, s.l2);
  add_squares(d, orbit_triple, s.l1);
  add_squares(d, orbit_vertex, s.l0);
  const real l04 = power(s.l0, 4);
  fill9(d, 0, s, 1 / (81 * l04), axis_l3);
  fill9(d, 1, s, 1 / (108 * l04), axis_l3);
  fill9(d, 2, s, 5 / (324 * l04), axis_lp);
  fill9_degree5(d, 3, s);
  d.w[4][axis_l1] = 1 / (6 * s.l1);
  d.w[4][0] = 1 - d.w[4][axis_l1] * count_of(d, axis_l1);
  subtract_rule(d);
  set_degrees(d.r, 9, 7, 7, 5, 3, constants9);
}

// ---- Tabulated rules -----------------------------------------------------------------------------------------------

template <int orbits>
void from_table(draft &d, const generator (&generators)[orbits], const real (&weights)[rows][orbits], real volume) {
  for (int i = 0; i < orbits; ++i) {
    const generator &g = generators[i];
    add_squares(d, g.kind, g.a * g.a, g.b * g.b);
    d.r.orb[i].a = static_cast<double>(g.a);  // not by way of the square: exactly the table's
    d.r.orb[i].b = static_cast<double>(g.b);
    for (int j = 0; j < rows; ++j) d.w[j][i] = weights[j][i] / volume;
  }
}

// Null rules: the Gauss rule less Kronrod's, then the orthogonal ones of 2, 4 and 6 degrees less.
void build_kronrod(draft &d, int points) {
  const int gauss = (points - 1) / 2;
  int first = 0;
  for (const int before : {15, 21, 31, 41, 51})
    if (before < points) first += (before + 1) / 2;
  real basis[max_orbits][max_orbits] = {};
  for (int k = 0; k <= gauss; ++k) {
    const kronrod_point &p = kronrod_points[first + k];
    add_squares(d, k == 0 ? orbit_centre : orbit_axis, p.node * p.node);
    d.r.orb[k].a = static_cast<double>(p.node);
    d.w[0][k] = p.weight;
    d.w[1][k] = p.gauss - p.weight;
    // Chebyshev polynomials of even degree: nearly orthogonal on these nodes already, so orthogonalising them is
    // harmless.
    const real x = 2 * p.node * p.node - 1;
    for (int j = 0; j < gauss; ++j) basis[j][k] = j == 0 ? 1 : j == 1 ? x : 2 * x * basis[j - 1][k] - basis[j - 2][k];
  }
  orthogonal_null_rules(d, basis);
  const int degree = gauss % 2 == 0 ? 3 * gauss + 1 : 3 * gauss + 2;
  set_degrees(d.r, degree, 2 * gauss - 1, 2 * gauss - 3, 2 * gauss - 5, 2 * gauss - 7, constants9);
}

// ---- What is derived from the weights ------------------------------------------------------------------------------

void combine_null_rules(rule &r) {
  for (int j = 0; j + 1 < null_rules; ++j) {
    const double *x = r.null_weight[j], *y = r.null_weight[j + 1];
    for (int k = 0; k < r.orbits; ++k) {
      // 100 where no multiple of the null rule cancels orbit k: DCUHRE's stand-in for infinity.
      const double scale = x[k] != 0 ? -y[k] / x[k] : 100;
      real norm = 0;
      for (int i = 0; i < r.orbits; ++i) {
        const real combined = static_cast<real>(y[i]) + static_cast<real>(scale) * x[i];
        norm += static_cast<real>(r.orb[i].count) * std::fabs(combined);
      }
      r.scale[j][k] = scale;
      r.norm[j][k] = static_cast<double>(1 / norm);
    }
  }
}

void finish(const draft &d) {
  rule &r = d.r;
  for (int i = 0; i < r.orbits; ++i) {
    r.points += r.orb[i].count;
    r.weight[i] = static_cast<double>(d.w[0][i]);
    for (int j = 0; j < null_rules; ++j) r.null_weight[j][i] = static_cast<double>(d.w[j + 1][i]);
  }
  combine_null_rules(r);
  r.difference_orbit[0] = 2;
  r.difference_orbit[1] = 1;
  r.difference_ratio = static_cast<double>(d.a2[2] / d.a2[1]);
}

// ---- Points near the faces -----------------------------------------------------------------------------------------

// Measured: the narrower gap hides less, and costs more where an integrand is singular at the faces, the more the more there are.
constexpr double face_generator(int ndim) { return ndim <= 3 ? 1 - 0x1p-12 : 1 - 0x1p-10; }
constexpr int least_axis_orbits = 2;  // through fewer points a polynomial says too little

void insert_orbit(rule &r, int at, const orbit &o) {
  const auto shift = [&](double *v) {
    std::copy_backward(v + at, v + r.orbits, v + r.orbits + 1);
    v[at] = 0;
  };
  shift(r.weight);
  for (auto &v : r.null_weight) shift(v);
  for (auto &v : r.scale) shift(v);
  for (auto &v : r.norm) shift(v);  // 0: no combination of null rules is made for it
  std::copy_backward(r.orb + at, r.orb + r.orbits, r.orb + r.orbits + 1);
  r.orb[at] = o;
  ++r.orbits;
  r.points += o.count;
}

// The polynomial through the points of an axis: its even part in x^2 through all, the odd part over x through all but the centre.
void add_face_points(rule &r) {
  int at = 1;
  while (r.orb[at].kind == orbit_axis) ++at;
  if (at <= least_axis_orbits) return;
  insert_orbit(r, at, {orbit_axis, 2 * r.ndim, face_generator(r.ndim), 0});
  r.face_orbit = at;
  const real g = face_generator(r.ndim), g2 = g * g;
  real centre = 1;
  for (int i = 1; i < at; ++i) {
    const real a2 = power(static_cast<real>(r.orb[i].a), 2);
    real odd = g / static_cast<real>(r.orb[i].a), even = g2 / a2;
    centre *= (g2 - a2) / -a2;
    for (int k = 1; k < at; ++k) {
      if (k == i) continue;
      const real b2 = power(static_cast<real>(r.orb[k].a), 2), ratio = (g2 - b2) / (a2 - b2);
      odd *= ratio;
      even *= ratio;
    }
    r.face_same[i] = static_cast<double>(-(even + odd) / 2);
    r.face_other[i] = static_cast<double>(-(even - odd) / 2);
  }
  r.face_same[at] = 1;
  r.face_centre = static_cast<double>(-centre);
}

void add_probes(rule &r) {
  if (r.ndim < 2) return;
  insert_orbit(r, r.orbits, {orbit_probe, probes, 0, 0});
  r.probe_orbit = r.orbits - 1;
}

}  // namespace

int choose_rule(int family, int ndim) {
  const auto within = [&](int lo, int hi) { return ndim >= lo && ndim <= hi ? family : -1; };
  switch (family) {
    case TESSERA_RULE_AUTO:
      if (ndim < 1 || ndim > max_cubature_ndim) return -1;
      if (ndim == 1) return TESSERA_RULE_KRONROD21;
      if (ndim == 2) return TESSERA_RULE_DEGREE13;
      if (ndim == 3) return TESSERA_RULE_DEGREE11;
      return ndim < 12 ? TESSERA_RULE_DEGREE9 : TESSERA_RULE_LOW;
    case TESSERA_RULE_GM7:
    case TESSERA_RULE_DEGREE7:
    case TESSERA_RULE_DEGREE9:
      return within(2, 25);
    case TESSERA_RULE_DEGREE11:
      return within(3, 3);
    case TESSERA_RULE_DEGREE13:
      return within(2, 2);
    case TESSERA_RULE_LOW:
      return within(12, max_cubature_ndim);
    case TESSERA_RULE_KRONROD15:
    case TESSERA_RULE_KRONROD21:
    case TESSERA_RULE_KRONROD31:
    case TESSERA_RULE_KRONROD41:
    case TESSERA_RULE_KRONROD51:
    case TESSERA_RULE_KRONROD61:
      return within(1, 1);
    default:
      return -1;
  }
}

void build_rule(int family, int ndim, rule &r, bool faces) {
  r = rule{};
  r.family = family;
  r.ndim = ndim;
  r.faces = faces;
  r.face_orbit = r.probe_orbit = -1;
  draft d{r, {}, {}, {}};
  if (family == TESSERA_RULE_LOW)
    low_point_signs(r);
  else if (ndim <= 25)
    all_signs(r);
  switch (family) {
    case TESSERA_RULE_GM7:
      build_gm7(d);
      break;
    case TESSERA_RULE_DEGREE7:
    case TESSERA_RULE_LOW:
      build_degree7(d);
      break;
    case TESSERA_RULE_DEGREE9:
      build_degree9(d);
      break;
    case TESSERA_RULE_DEGREE11:
      from_table(d, generators11, weights11, 8);
      set_degrees(r, 11, 9, 9, 7, 5, constants11);
      break;
    case TESSERA_RULE_DEGREE13:
      from_table(d, generators13, weights13, 4);
      set_degrees(r, 13, 11, 11, 9, 7, constants13);
      break;
    default:
      build_kronrod(d, family);
      break;
  }
  finish(d);
  if (!faces) return;
  add_face_points(r);
  add_probes(r);
}

}  // namespace tessera
