// SPDX-License-Identifier: BSD-3-Clause
#include "rule.hpp"

#include <algorithm>
#include <cmath>

namespace adapt {
namespace {

// Squares of the two free generators. The original has them in single precision.
constexpr double far_square = static_cast<double>(0.4707f), extra_square = static_cast<double>(0.85f);

// Moments of a fully symmetric set of points are sums over it of 1, x^2, x^4, x^6 and x^2 y^2. Those of an orbit, for one
// point's weight of 1; s is the generator's square:
struct moments {
  double points, per_axis, per_pair;  // how many points; how many have x /= 0; how many x /= 0 and y /= 0
};

class designer {
 public:
  explicit designer(int ndim) : n_(ndim) {
    const double n = n_;
    count_[centre] = {1, 0, 0};
    for (const int o : {axis_inner, axis_outer, axis_extra}) count_[o] = {2 * n, 2, 0};
    count_[pair] = {2 * n * (n - 1), 4 * (n - 1), 4};
    if (ndim == 1) {
      count_[pair] = {0, 0, 0};
      count_[far] = {2, 2, 0};
    } else if (ndim < many_dimensions) {
      const double vertices = std::ldexp(1.0, ndim);
      count_[far] = {vertices, vertices, vertices};
    } else {
      count_[far] = count_[pair];
    }
  }

  rule make() {
    choose_generators();
    rule r;
    r.ndim = n_;
    for (int o = 0; o < orbits; ++o) r.generator[o] = std::sqrt(square_[o]);

    double(&w)[orbits] = r.weight;
    std::fill_n(w, orbits, 0.0);
    w[far] = far_weight_;
    w[pair] = pair_weight_;
    balance(w, 1.0, 1.0 / 3, 1.0 / 5);

    // The null rules of degree 5 without the extra points; then with them; the difference of the rule from one of degree 3 on
    // the centre and the inner points.
    double(&v)[null_rules][orbits] = r.null_weight;
    for (auto &row : v) std::fill_n(row, orbits, 0.0);
    v[0][far] = 1.0;
    if (n_ > 1) v[0][pair] = -count_[far].per_pair * square_[far] * square_[far] / (4 * square_[pair] * square_[pair]);
    balance(v[0], 0.0, 0.0, 0.0);
    v[1][axis_extra] = 1.0;
    balance(v[1], 0.0, 0.0, 0.0);
    std::copy_n(w, orbits, v[2]);
    const double inner = 1.0 / (6.0 * square_[axis_inner]);
    v[2][axis_inner] -= inner;
    v[2][centre] -= 1.0 - 2.0 * n_ * inner;

    const double length = 0.5 * std::sqrt(product(w, w));
    for (int i = 0; i < null_rules; ++i) {
      for (int again = 0; again < 2; ++again)
        for (int j = 0; j < i; ++j) add(v[i], -product(v[i], v[j]) / product(v[j], v[j]), v[j]);
      const double scale = length / std::sqrt(product(v[i], v[i]));
      for (double &weight : v[i]) weight *= scale;
    }
    return r;
  }

 private:
  // The far points take x^2 y^2 z^2 = 1/27 in up to 11 dimensions; from 12 on, where no orbit has three coordinates, they have
  // the weight that they have in two. The pairs then take x^2 y^2 = 1/9 and x^4 y^2 = 1/15, which fixes their generator, and
  // the axes x^2, x^4 and x^6, which fixes the inner one.
  void choose_generators() {
    const double a = far_square, whole = 1.0 / (27.0 * a * a * a);
    const double outer = (1.0 / 15 - 1.0 / 27) / (1.0 / 9 - 1.0 / (27.0 * a));
    square_[centre] = 0.0;
    square_[axis_extra] = extra_square;
    square_[far] = a;
    square_[axis_outer] = square_[pair] = outer;
    far_weight_ = whole / (n_ < many_dimensions ? count_[far].points : 4.0);
    pair_weight_ = n_ == 1 ? 0.0 : (1.0 / 9 - whole * a * a) / (4.0 * outer * outer);
    const double share = far_weight_ * count_[far].per_axis;
    const double m1 = 1.0 / 3 - share * a, m2 = 1.0 / 5 - share * a * a, m3 = 1.0 / 7 - share * a * a * a;
    square_[axis_inner] = (m3 - outer * m2) / (m2 - outer * m1);
  }

  // Chooses the weights of the inner and outer axes and of the centre so that the moments of 1, x^2 and x^4 are these.
  void balance(double (&w)[orbits], double one, double x2, double x4) const {
    for (const int o : {axis_extra, pair, far}) {
      x2 -= w[o] * count_[o].per_axis * square_[o];
      x4 -= w[o] * count_[o].per_axis * square_[o] * square_[o];
    }
    const double p = square_[axis_inner], q = square_[axis_outer];
    w[axis_inner] = (x4 - q * x2) / (2.0 * p * (p - q));
    w[axis_outer] = (x4 - p * x2) / (2.0 * q * (q - p));
    for (int o = axis_inner; o < orbits; ++o) one -= w[o] * count_[o].points;
    w[centre] = one;
  }

  double product(const double (&u)[orbits], const double (&v)[orbits]) const {
    double s = 0.0;
    for (int o = 0; o < orbits; ++o) s += count_[o].points * u[o] * v[o];
    return s;
  }
  static void add(double (&to)[orbits], double factor, const double (&v)[orbits]) {
    for (int o = 0; o < orbits; ++o) to[o] += factor * v[o];
  }

  const int n_;
  moments count_[orbits];
  double square_[orbits];
  double far_weight_, pair_weight_;
};

}  // namespace

int64 rule_points(int64 n) {
  if (n == 1) return 9;
  if (n < many_dimensions) return 1 + 2 * n * (n + 2) + (int64{1} << n);
  return 1 + 2 * n * (1 + 2 * n);
}

rule make_rule(int ndim) { return designer(ndim).make(); }

double estimate_error(const double (&null_sum)[null_rules]) {
  double fifth = std::hypot(null_sum[0], null_sum[1]);
  const double third = std::hypot(null_sum[1], null_sum[2]);
  if (4.0 * fifth < third) fifth *= 0.5;
  return 2.0 * fifth > third ? std::max(fifth, third) : fifth;
}

}  // namespace adapt
