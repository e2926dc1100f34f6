// The integration rules against exact moments. Points are enumerated here from the definition of the orbits,
// independently of the library's own generator.
// SPDX-License-Identifier: BSD-3-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

extern "C" {
#include <cmocka.h>
}

#include "core/node.hpp"
#include "core/rule_build.hpp"
#include "tessera.h"

using namespace tessera;

namespace {

using real = long double;
using exponents = std::vector<int>;

constexpr int rows = 1 + null_rules;  // the rule, then its null rules
constexpr real tolerance = 1e-13L;    // of the 1-norm of the weights
constexpr real visible = 1e-7L;       // of the 1-norm: a moment that is wrong is wrong by more

int failures = 0;

void expect(bool good, const rule &r, const char *what, int detail) {
  if (good) return;
  ++failures;
  if (failures < 40) printf("FAILED: family %d, %d dimensions: %s (%d)\n", r.family, r.ndim, what, detail);
}

real weight_of(const rule &r, int row, int k) { return row == 0 ? r.weight[k] : r.null_weight[row - 1][k]; }

real one_norm(const rule &r, int row) {
  real sum = 0;
  for (int k = 0; k < r.orbits; ++k) sum += static_cast<real>(r.orb[k].count) * std::fabs(weight_of(r, row, k));
  return sum;
}

// ---- Points --------------------------------------------------------------------------------------------------------

struct point_list {
  int n;
  std::vector<double> x;
  int64 size() const { return static_cast<int64>(x.size()) / n; }
};

void add_signs(const std::vector<double> &magnitude, point_list &out) {
  std::vector<std::size_t> set;
  for (std::size_t j = 0; j < magnitude.size(); ++j)
    if (magnitude[j] != 0) set.push_back(j);
  for (unsigned s = 0; s < 1U << set.size(); ++s) {
    std::vector<double> x = magnitude;
    for (std::size_t i = 0; i < set.size(); ++i)
      if ((s >> i & 1U) != 0) x[set[i]] = -x[set[i]];
    out.x.insert(out.x.end(), x.begin(), x.end());
  }
}

point_list points_of(const rule &r, int k) {
  const orbit &o = r.orb[k];
  point_list out{r.ndim, {}};
  const std::size_t n = static_cast<std::size_t>(r.ndim);
  std::vector<double> magnitude(n, 0.0);
  if (o.kind == orbit_vertex) {
    for (uint32 m = 0; m < 1U << r.vertex_bits; ++m)
      for (int j = 0; j < r.ndim; ++j) out.x.push_back(__builtin_parity(m & r.vertex_mask[j]) != 0 ? -o.a : o.a);
    return out;
  }
  std::vector<double> set;
  switch (o.kind) {
    case orbit_axis:
      set = {o.a};
      break;
    case orbit_pair:
      set = {o.a, o.a};
      break;
    case orbit_pair2:
      set = {o.a, o.b};
      break;
    case orbit_triple:
      set = {o.a, o.a, o.a};
      break;
    case orbit_triple2:
      set = {o.a, o.a, o.b};
      break;
    default:
      break;
  }
  std::copy(set.begin(), set.end(), magnitude.begin());
  std::sort(magnitude.begin(), magnitude.end());
  do add_signs(magnitude, out);
  while (std::next_permutation(magnitude.begin(), magnitude.end()));
  return out;
}

std::vector<point_list> all_points(const rule &r) {
  std::vector<point_list> out;
  int64 total = 0;
  for (int k = 0; k < r.orbits; ++k) {
    out.push_back(points_of(r, k));
    total += out.back().size();
    expect(out.back().size() == r.orb[k].count, r, "number of points of an orbit", k);
    const bool inside = r.orb[k].a >= 0 && r.orb[k].a < 1 && r.orb[k].b >= 0 && r.orb[k].b < 1;
    expect(inside, r, "generator outside the cube", k);
  }
  expect(total == r.points, r, "number of points", static_cast<int>(total));
  return out;
}

// ---- Moments -------------------------------------------------------------------------------------------------------

// All non-increasing exponents of this total degree for at most n variables.
void partitions(int degree, int largest, int n, exponents &head, std::vector<exponents> &out) {
  if (degree == 0) out.push_back(head);
  if (degree == 0 || n == 0) return;
  for (int e = std::min(degree, largest); e > 0; --e) {
    head.push_back(e);
    partitions(degree - e, e, n - 1, head, out);
    head.pop_back();
  }
}

std::vector<exponents> monomials(int degree, int n) {
  std::vector<exponents> out;
  exponents head;
  partitions(degree, degree, n, head, out);
  return out;
}

real exact_mean(const exponents &e) {
  real mean = 1;
  for (const int k : e) mean *= k % 2 == 0 ? 1.0L / (k + 1) : 0;
  return mean;
}

real orbit_sum(const point_list &p, const exponents &e, const std::vector<int> &axis) {
  real sum = 0;
  for (int64 i = 0; i < p.size(); ++i) {
    const double *x = &p.x[static_cast<std::size_t>(i * p.n)];
    real term = 1;
    for (std::size_t j = 0; j < e.size(); ++j)
      for (int k = 0; k < e[j]; ++k) term *= x[axis[j]];
    sum += term;
  }
  return sum;
}

// What the rule and its null rules make of a monomial, less the exact value, per 1-norm.
void moment_errors(const rule &r, const std::vector<point_list> &points, const exponents &e,
                   const std::vector<int> &axis, real *error) {
  for (int row = 0; row < rows; ++row) error[row] = row == 0 ? -exact_mean(e) : 0;
  for (int k = 0; k < r.orbits; ++k) {
    const real sum = orbit_sum(points[static_cast<std::size_t>(k)], e, axis);
    for (int row = 0; row < rows; ++row) error[row] += weight_of(r, row, k) * sum;
  }
  for (int row = 0; row < rows; ++row) error[row] = std::fabs(error[row]) / one_norm(r, row);
}

int degree_of(const rule &r, int row) { return row == 0 ? r.degree : r.null_degree[row - 1]; }

// Every monomial up to degree + 1, on the first axes and, where signs are not symmetric in the axes, on random ones.
// Has the family fewer null rules than rows? Then the row is 0.
bool absent(const rule &r, int row) { return row > 0 && r.null_degree[row - 1] == no_null_rule; }

void check_degrees(const rule &r, int random_axes) {
  const std::vector<point_list> points = all_points(r);
  std::mt19937 engine(12345);
  std::vector<int> axis(static_cast<std::size_t>(r.ndim));
  for (int j = 0; j < r.ndim; ++j) axis[static_cast<std::size_t>(j)] = j;
  for (int degree = 0; degree <= r.degree + 1; ++degree) {
    real worst[rows] = {};
    for (const exponents &e : monomials(degree, r.ndim)) {
      for (int round = 0; round <= random_axes; ++round) {
        real error[rows];
        moment_errors(r, points, e, axis, error);
        for (int row = 0; row < rows; ++row) worst[row] = std::max(worst[row], error[row]);
        if (random_axes > 0) std::shuffle(axis.begin(), axis.end(), engine);
      }
    }
    for (int row = 0; row < rows; ++row) {
      if (absent(r, row)) continue;
      if (degree <= degree_of(r, row))
        expect(worst[row] < tolerance, r, "inexact: 100*row + degree", 100 * row + degree);
      if (degree == degree_of(r, row) + 1) expect(worst[row] > visible, r, "too exact: row", row);
    }
  }
}

// In one dimension Legendre polynomials, as high powers hardly tell degrees apart.
void check_degrees_1d(const rule &r) {
  const std::vector<point_list> points = all_points(r);
  for (int degree = 0; degree <= r.degree + 1; ++degree) {
    real sum[rows] = {};
    for (int k = 0; k < r.orbits; ++k) {
      for (const double x : points[static_cast<std::size_t>(k)].x) {
        real p = 1, before = 0;
        for (int i = 0; i < degree; ++i) {
          const real next = ((2 * i + 1) * static_cast<real>(x) * p - i * before) / (i + 1);
          before = p;
          p = next;
        }
        for (int row = 0; row < rows; ++row) sum[row] += weight_of(r, row, k) * p;
      }
    }
    if (degree == 0) sum[0] -= 1;
    for (int row = 0; row < rows; ++row) {
      const real error = std::fabs(sum[row]) / one_norm(r, row);
      if (degree <= degree_of(r, row)) expect(error < tolerance, r, "inexact: 100*row + degree", 100 * row + degree);
      if (degree == degree_of(r, row) + 1) expect(error > visible, r, "too exact: row", row);
    }
  }
}

// ---- What is derived from the weights ------------------------------------------------------------------------------

real inner(const rule &r, int i, int j) {
  real sum = 0;
  for (int k = 0; k < r.orbits; ++k) sum += static_cast<real>(r.orb[k].count) * weight_of(r, i, k) * weight_of(r, j, k);
  return sum;
}

void check_combinations(const rule &r) {
  for (int j = 0; j + 1 < null_rules; ++j) {
    for (int k = 0; k < r.orbits; ++k) {
      const double *x = r.null_weight[j], *y = r.null_weight[j + 1];
      const real scale = r.scale[j][k];
      real norm = 0;
      for (int i = 0; i < r.orbits; ++i) norm += static_cast<real>(r.orb[i].count) * std::fabs(y[i] + scale * x[i]);
      expect(std::fabs(norm * r.norm[j][k] - 1) < 1e-12L, r, "norm of a combination", 100 * j + k);
      const bool cancels = std::fabs(y[k] + scale * x[k]) <= 1e-15L * std::fabs(y[k]);
      expect(x[k] != 0 ? cancels : r.scale[j][k] == 100, r, "scale of a combination", 100 * j + k);
    }
  }
}

void check_structure(const rule &r) {
  expect(r.orbits <= max_orbits && r.orb[0].kind == orbit_centre, r, "orbits", r.orbits);
  const orbit &first = r.orb[r.difference_orbit[0]], &second = r.orb[r.difference_orbit[1]];
  expect(first.kind == orbit_axis && second.kind == orbit_axis, r, "orbits of the differences", 0);
  const double ratio = first.a * first.a / (second.a * second.a);
  expect(std::fabs(r.difference_ratio - ratio) < 1e-14 * ratio, r, "ratio of the differences", 0);
  for (int i = 1; i < rows; ++i) {
    if (absent(r, i)) {
      expect(inner(r, i, i) == 0, r, "weights of a null rule that is not there", i);
      continue;
    }
    for (int j = 1; j < i; ++j) {  // as independent as their degrees promise, even where these are equal
      if (absent(r, j)) continue;
      const real cosine = inner(r, i, j) / std::sqrt(inner(r, i, i) * inner(r, j, j));
      expect(std::fabs(cosine) < 0.99999L, r, "dependent null rules", 10 * i + j);
    }
  }
  check_combinations(r);
}

void check_orthogonal(const rule &r) {
  for (int i = 1; i < rows; ++i)
    for (int j = 1; j <= i; ++j) {
      if (absent(r, i) || absent(r, j)) continue;
      const real expected = i == j ? 1 : 0;
      expect(std::fabs(inner(r, i, j) / inner(r, null_rules, null_rules) - expected) < 1e-13L, r, "norms and angles",
             10 * i + j);
    }
}

bool same_constants(const rule &r, double c1, double c2, double c3, double c4, double c5) {
  return r.error.c1 == c1 && r.error.c2 == c2 && r.error.c3 == c3 && r.error.c4 == c4 && r.error.c5 == c5;
}

bool degrees_are(const rule &r, int degree, int a, int b, int c, int d) {
  const int *null = r.null_degree;
  return r.degree == degree && null[0] == a && null[1] == b && null[2] == c && null[3] == d;
}

rule built(int family, int ndim) {
  rule r;
  build_rule(family, ndim, r);
  expect(choose_rule(family, ndim) == family, r, "not chosen", 0);
  expect(r.family == family && r.ndim == ndim, r, "label", 0);
  return r;
}

// ---- Tests ---------------------------------------------------------------------------------------------------------

void finish_family(const char *name) {
  printf("%-10s %s\n", name, failures == 0 ? "verified" : "FAILED");
  const int found = failures;
  failures = 0;
  assert_int_equal(found, 0);
}

void test_degree13(void **) {
  const rule r = built(TESSERA_RULE_DEGREE13, 2);
  expect(r.points == 65 && r.orbits == 14, r, "size", 0);
  expect(degrees_are(r, 13, 11, 11, 9, 7), r, "degrees", 0);
  expect(same_constants(r, 10, 10, 1, 5, 0), r, "constants", 0);
  check_degrees(r, 0);
  check_structure(r);
  finish_family("degree 13");
}

void test_degree11(void **) {
  const rule r = built(TESSERA_RULE_DEGREE11, 3);
  expect(r.points == 127 && r.orbits == 13, r, "size", 0);
  expect(degrees_are(r, 11, 9, 9, 7, 5), r, "degrees", 0);
  expect(same_constants(r, 4, 4, 0.5, 3, 1), r, "constants", 0);
  check_degrees(r, 0);
  check_structure(r);
  finish_family("degree 11");
}

void test_degree9(void **) {
  const int64 published[] = {33, 77, 153, 273, 453, 717, 1105, 1689, 2605, 4117, 6745, 11521, 20501, 37789};
  for (int n = 2; n <= 25; ++n) {
    const rule r = built(TESSERA_RULE_DEGREE9, n);
    const int64 m = n, mixed = 6 * m * (m - 1) + 4 * m * (m - 1) * (m - 2) / 3;
    expect(r.points == 1 + 8 * m + mixed + (int64{1} << n), r, "number of points", 0);
    if (n <= 15) expect(r.points == published[n - 2], r, "published number of points", 0);
    expect(r.orbits == (n == 2 ? 8 : 9), r, "number of orbits", r.orbits);
    expect(degrees_are(r, 9, 7, 7, 5, 3), r, "degrees", 0);
    expect(same_constants(r, 5, 5, 1, 5, n < 3 ? 0 : 2), r, "constants", 0);
    if (n <= 10) check_degrees(r, 0);
    check_structure(r);
  }
  finish_family("degree 9");
}

void test_degree7(void **) {
  const int64 published[] = {21, 39, 65, 103, 161, 255, 417, 711, 1265, 2335, 4433, 8583, 16833, 33279};
  for (int n = 2; n <= 25; ++n) {
    const rule r = built(TESSERA_RULE_DEGREE7, n);
    const int64 m = n;
    expect(r.points == 1 + 6 * m + 2 * m * (m - 1) + (int64{1} << n), r, "number of points", 0);
    if (n <= 15) expect(r.points == published[n - 2], r, "published number of points", 0);
    expect(r.orbits == 6, r, "number of orbits", r.orbits);
    expect(degrees_are(r, 7, 5, 5, 3, 1), r, "degrees", 0);
    expect(same_constants(r, 5, 5, 1, 5, n < 3 ? 0 : 4), r, "constants", 0);
    if (n <= 10) check_degrees(r, 0);
    check_structure(r);
  }
  finish_family("degree 7");
}

void test_gm7(void **) {
  for (int n = 2; n <= 25; ++n) {
    const rule r = built(TESSERA_RULE_GM7, n);
    const int64 m = n;
    expect(r.points == (int64{1} << n) + 2 * m * m + 2 * m + 1 && r.orbits == 5, r, "size", 0);
    expect(degrees_are(r, 7, no_null_rule, 5, 3, 1), r, "degrees", 0);
    // Weights that Genz and Malik give in closed form.
    expect(std::fabs(r.weight[1] - 980.0L / 6561) < 1e-15L, r, "weight of the inner axis points", 0);
    expect(std::fabs(r.weight[3] - 200.0L / 19683) < 1e-16L, r, "weight of the pairs", 0);
    if (n <= 10) check_degrees(r, 0);
    check_structure(r);
    check_orthogonal(r);
  }
  finish_family("GM7");
}

void test_kronrod(void **) {
  for (const int points : {15, 21, 31, 41, 51, 61}) {
    const rule r = built(points, 1);
    const int gauss = (points - 1) / 2;
    const int degree = gauss % 2 == 0 ? 3 * gauss + 1 : 3 * gauss + 2;
    expect(r.points == points && r.orbits == gauss + 1, r, "size", 0);
    expect(degrees_are(r, degree, 2 * gauss - 1, 2 * gauss - 3, 2 * gauss - 5, 2 * gauss - 7), r, "degrees", 0);
    for (int k = 1; k < r.orbits; ++k) {
      expect(r.orb[k].a > r.orb[k - 1].a, r, "order of nodes", k);
      expect(r.weight[k] > 0 && r.weight[k] <= r.weight[k - 1] * 1.01, r, "weights positive", k);
    }
    check_degrees_1d(r);
    check_structure(r);
    check_orthogonal(r);
  }
  finish_family("Kronrod");
}

// Any 7 masks are independent: subsets of up to 3 have different sums, and no 4 have the sum of 3.
void check_strength(const rule &r) {
  std::vector<char> seen(std::size_t{1} << r.vertex_bits, 0);
  const int n = r.ndim;
  const uint32 *m = r.vertex_mask;
  int repeated = 0;
  const auto note = [&](uint32 sum) {
    repeated += seen[sum];
    seen[sum] = 1;
  };
  note(0);
  for (int i = 0; i < n; ++i) {
    note(m[i]);
    for (int j = 0; j < i; ++j) {
      note(m[i] ^ m[j]);
      for (int k = 0; k < j; ++k) note(m[i] ^ m[j] ^ m[k]);
    }
  }
  expect(repeated == 0, r, "strength below 6", repeated);
  int met = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j)
      for (int k = 0; k < j; ++k)
        for (int l = 0; l < k; ++l) met += seen[m[i] ^ m[j] ^ m[k] ^ m[l]];
  expect(met == 0, r, "strength below 7", met);
}

// No point twice: the masks span all of the bits.
void check_rank(const rule &r) {
  std::vector<uint32> basis;
  for (int j = 0; j < r.ndim; ++j) {
    uint32 v = r.vertex_mask[j];
    expect((v >> r.vertex_bits) == 0, r, "mask too long", j);
    for (const uint32 b : basis) v = std::min(v, v ^ b);
    if (v != 0) basis.push_back(v);
  }
  expect(static_cast<int>(basis.size()) == r.vertex_bits, r, "rank of the masks", static_cast<int>(basis.size()));
}

int expected_bits(int n) {
  if (n <= 12) return 10;
  if (n <= 16) return 11;
  if (n <= 24) return 12;
  if (n <= 27) return n - 12;
  if (n <= 32) return 16;
  if (n == 33) return 17;
  return n <= 36 ? 18 : 19;
}

void test_low(void **) {
  for (int n = 12; n <= 64; ++n) {
    const rule r = built(TESSERA_RULE_LOW, n);
    const int64 m = n;
    expect(r.vertex_bits == expected_bits(n), r, "bits", r.vertex_bits);
    expect(r.points == 1 + 6 * m + 2 * m * (m - 1) + (int64{1} << r.vertex_bits), r, "number of points", 0);
    expect(degrees_are(r, 7, 5, 5, 3, 1), r, "degrees", 0);
    expect(same_constants(r, 5, 5, 1, 5, 4), r, "constants", 0);
    check_structure(r);
    check_strength(r);
    check_rank(r);
  }
  for (const int n : {12, 13, 16, 17, 20, 24, 25, 28}) check_degrees(built(TESSERA_RULE_LOW, n), 3);
  check_degrees(built(TESSERA_RULE_LOW, 33), 0);
  finish_family("low-point");
}

// ---- What the robust estimate adds ---------------------------------------------------------------------------------

bool same_orbit(const rule &a, int i, const rule &b, int j) {
  const orbit &x = a.orb[i], &y = b.orb[j];
  bool same = x.kind == y.kind && x.count == y.count && x.a == y.a && x.b == y.b && a.weight[i] == b.weight[j];
  for (int row = 0; row < null_rules; ++row) same = same && a.null_weight[row][i] == b.null_weight[row][j];
  for (int row = 0; row + 1 < null_rules; ++row)
    same = same && a.scale[row][i] == b.scale[row][j] && a.norm[row][i] == b.norm[row][j];
  return same;
}

bool weightless(const rule &r, int k) {
  bool none = r.weight[k] == 0;
  for (int row = 0; row < null_rules; ++row) none = none && r.null_weight[row][k] == 0;
  for (int row = 0; row + 1 < null_rules; ++row) none = none && r.norm[row][k] == 0;
  return none;
}

// The residual at +g of x^degree on an axis, over g^degree and the sum of the absolute coefficients, which is put into norm.
real face_residual(const rule &r, int degree, real &norm) {
  real sum = degree == 0 ? r.face_centre : 0;
  norm = std::fabs(r.face_centre);
  const real g = r.orb[r.face_orbit].a;
  for (int o = 1; o <= r.face_orbit; ++o) {
    const real v = std::pow(r.orb[o].a / g, static_cast<real>(degree));
    sum += (r.face_same[o] + (degree % 2 == 0 ? r.face_other[o] : -r.face_other[o])) * v;
    norm += std::fabs(r.face_same[o]) + std::fabs(r.face_other[o]);
  }
  return sum / norm;
}

void check_face_points(const rule &r) {
  const orbit &face = r.orb[r.face_orbit];
  expect(face.kind == orbit_axis && face.count == 2 * r.ndim, r, "orbit near the faces", r.face_orbit);
  expect(face.a > 0.99 && face.a < 1, r, "place near the faces", 0);
  expect(r.face_same[r.face_orbit] == 1 && r.face_other[r.face_orbit] == 0, r, "residual without the value", 0);
  for (int o = 0; o < r.orbits; ++o)
    expect((r.orb[o].kind == orbit_axis) == (o >= 1 && o <= r.face_orbit), r, "axis orbits not right behind the centre",
           o);
  const int through = r.face_orbit - 1;  // axis orbits: the polynomial goes through 2*through + 1 points
  real norm, remainder = 1;  // of the first powers that are not exact: what the polynomial with those zeros has at g
  for (int degree = 0; degree <= 2 * through; ++degree)
    expect(std::fabs(face_residual(r, degree, norm)) < tolerance, r, "residual of a polynomial", degree);
  for (int o = 1; o <= through; ++o) remainder *= 1 - std::pow(r.orb[o].a / static_cast<real>(face.a), real{2});
  for (int degree = 2 * through + 1; degree <= 2 * through + 2; ++degree) {
    const real residual = face_residual(r, degree, norm);
    expect(std::fabs(residual - remainder / norm) < tolerance, r, "residual", degree);
    if (through <= 10)
      expect(residual > visible, r, "no residual", degree);  // through more points it is next to nothing
  }
}

void check_probes(const rule &r) {
  const orbit &probe = r.orb[r.probe_orbit];
  expect(probe.kind == orbit_probe && probe.count == probes && r.probe_orbit == r.orbits - 1, r, "probes",
         r.probe_orbit);
  std::vector<double> all;
  for (int64 p = 0; p < probes; ++p)
    for (int j = 0; j < r.ndim; ++j) all.push_back(std::fabs(probe_offset(p, j)));
  std::sort(all.begin(), all.end());
  expect(all.front() > 0 && all.back() < 1, r, "a probe on the centre or outside", 0);
  for (std::size_t i = 1; i < all.size(); ++i)  // on no plane of symmetry
    expect(all[i] - all[i - 1] > 1e-9, r, "coordinates of probes alike", static_cast<int>(i));
}

// The same rule with orbits that have no weight.
void check_added(int family, int n) {
  const rule old = built(family, n);
  rule r;
  build_rule(family, n, r, true);
  const bool with_probes = n > 1;
  expect(r.faces && !old.faces && old.face_orbit < 0 && old.probe_orbit < 0, r, "label of what is added", 0);
  expect(r.face_orbit > 0, r, "points near the faces", r.face_orbit);
  expect((r.probe_orbit >= 0) == with_probes, r, "probes", r.probe_orbit);
  expect(r.points == old.points + 2 * n + (with_probes ? 2 : 0), r, "number of points", 0);
  expect(r.orbits == old.orbits + 1 + (with_probes ? 1 : 0) && r.orbits <= max_orbits, r, "orbits", r.orbits);
  expect(r.degree == old.degree && r.difference_ratio == old.difference_ratio, r, "degree", r.degree);
  int64 points = 0;
  real sum = 0;
  int at = 0;
  for (int k = 0; k < r.orbits; ++k) {
    points += r.orb[k].count;
    sum += static_cast<real>(r.orb[k].count) * r.weight[k];
    if (k == r.face_orbit || k == r.probe_orbit) {
      expect(weightless(r, k), r, "an added orbit has weight", k);
      continue;
    }
    expect(at < old.orbits && same_orbit(r, k, old, at), r, "an orbit of the rule is not as it was", k);
    for (int i = 0; i < 2; ++i)
      expect((r.difference_orbit[i] == k) == (old.difference_orbit[i] == at), r, "orbits of the differences", k);
    ++at;
  }
  expect(at == old.orbits && points == r.points, r, "an orbit is missing", at);
  expect(std::fabs(sum - 1) < 1e-12L * one_norm(r, 0), r, "sum of the weights", 0);
  if (r.face_orbit > 0) check_face_points(r);
  if (with_probes && r.probe_orbit >= 0) check_probes(r);
}

void test_added(void **) {
  check_added(TESSERA_RULE_DEGREE13, 2);
  check_added(TESSERA_RULE_DEGREE11, 3);
  for (int n = 2; n <= 25; ++n) {
    check_added(TESSERA_RULE_DEGREE9, n);
    check_added(TESSERA_RULE_DEGREE7, n);
    check_added(TESSERA_RULE_GM7, n);
  }
  for (int n = 12; n <= 64; ++n) check_added(TESSERA_RULE_LOW, n);
  for (const int points : {15, 21, 31, 41, 51, 61}) check_added(points, 1);
  finish_family("added");
}

// The automatic choice, and the edges of what exists.
void test_choice(void **) {
  const rule none{};
  for (int n = -1; n <= 66; ++n) {
    const int expected = n < 1 || n > 64 ? -1 : n == 1 ? 21 : n == 2 ? 1 : n == 3 ? 2 : n < 12 ? 3 : 12;
    expect(choose_rule(TESSERA_RULE_AUTO, n) == expected, none, "automatic choice", n);
  }
  const struct {
    int family, lowest, highest;
  } ranges[] = {{7, 2, 25}, {4, 2, 25}, {3, 2, 25}, {2, 3, 3},  {1, 2, 2},  {12, 12, 64},
                {15, 1, 1}, {21, 1, 1}, {31, 1, 1}, {41, 1, 1}, {51, 1, 1}, {61, 1, 1}};
  for (int family = -2; family < 130; ++family) {
    if (family == 0) continue;
    for (int n = -1; n <= 1025; ++n) {
      int expected = -1;
      for (const auto &range : ranges)
        if (range.family == family && n >= range.lowest && n <= range.highest) expected = family;
      expect(choose_rule(family, n) == expected, none, "choice of family", family);
    }
  }
  finish_family("choice");
}

}  // namespace

int main() {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_degree13), cmocka_unit_test(test_degree11), cmocka_unit_test(test_degree9),
      cmocka_unit_test(test_degree7),  cmocka_unit_test(test_gm7),      cmocka_unit_test(test_kronrod),
      cmocka_unit_test(test_low),      cmocka_unit_test(test_added),    cmocka_unit_test(test_choice)};
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
