// The estimate of a Gauss-Kronrod pair with a second opinion: by the size of the highest coefficients that the values have in orthogonal
// polynomials on the points (null rules, J. N. Lyness 1965, J. Berntsen and T. O. Espelid, Error estimation in automatic quadrature
// routines, TOMS 17, 1991). Those of a smooth function fall from one degree to the next; where they do not, the difference of the two rules may be
// small by accident, and the error is at least of their size.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kronrod_pair.hpp"

namespace tessera {

// Weights of pairs of points, the centre last, for sums that are odd or even. Null rules of the eight highest degrees come first, the highest before
// the others, each of norm 1 in the weights of the rule. Then the value of the polynomial through all points, and its derivative, at
// the upper end as sums of an even and an odd part; at the lower end the odd part of the value and the even part of the derivative count negative.
template <class Real, int Pairs>
struct null_weights {
  static constexpr int ranks = 4, sums = ranks + 2, value_sum = ranks, slope_sum = ranks + 1;

  Real even[Pairs + 1][sums], odd[Pairs][sums];
  Real gap;  // from the outermost point to the end
};

// Sums over the values of an interval, or of as many as a Value has numbers.
template <class Value>
struct careful_sums {
  static constexpr int count = null_weights<double, 7>::sums;

  Value fine, coarse, size, spread, even[count], odd[count];
};

// Place of a point among the values of an interval: the centre first, then the left points of all pairs, then the right ones.
// value[2 * Pairs + 1].
template <class Value, class Real, int Pairs>
TESSERA_IN_CALLER careful_sums<Value> sum_carefully(const kronrod_pair<Real, Pairs> &rule,
                                                    const null_weights<Real, Pairs> &null, const Value *value) {
  using pair = kronrod_pair<Real, Pairs>;
  constexpr int sums = null_weights<Real, Pairs>::sums;
  careful_sums<Value> s;
  s.fine = rule.weight[Pairs] * value[0];
  s.size = fabs(s.fine);
  s.coarse = (pair::centre_shared ? rule.gauss[pair::shared] : Real(0)) * value[0];
  for (int q = 0; q < sums; ++q) {
    s.even[q] = null.even[Pairs][q] * value[0];
    s.odd[q] = Real(0) * value[0];
  }
  TESSERA_UNROLLED
  for (int p = 0; p < Pairs; ++p) {
    const Value left = value[1 + p], right = value[1 + Pairs + p], both = left + right;
    if (p < pair::shared) s.coarse = s.coarse + rule.gauss[p] * both;
    s.fine = s.fine + rule.weight[p] * both;
    s.size = s.size + rule.weight[p] * (fabs(left) + fabs(right));
    for (int q = 0; q < sums; ++q) s.even[q] = s.even[q] + null.even[p][q] * both;
  }
  TESSERA_UNROLLED
  for (int p = 0; p < Pairs; ++p) {
    const Value across = value[1 + Pairs + p] - value[1 + p];
    for (int q = 0; q < sums; ++q) s.odd[q] = s.odd[q] + null.odd[p][q] * across;
  }
  const Value mean = Real(0.5) * s.fine;
  s.spread = rule.weight[Pairs] * fabs(value[0] - mean);
  TESSERA_UNROLLED
  for (int p = 0; p < Pairs; ++p)
    s.spread = s.spread + rule.weight[p] * (fabs(value[1 + p] - mean) + fabs(value[1 + Pairs + p] - mean));
  return s;
}

// half: of the interval's length.
template <class Real, int Pairs>
TESSERA_HD interval_estimate<Real> estimate_of_sums(const null_weights<Real, Pairs> &null, Real half,
                                                    const careful_sums<Real> &s) {
  constexpr Real spacing = real_limits<Real>::spacing;
  using tables = null_weights<Real, Pairs>;
  const Real width = fabs(half), *even = s.even, *odd = s.odd;
  interval_estimate<Real> e = {s.fine * half, Real(0), s.size * width, s.spread * width};
  e.error = error_of_difference((s.fine - s.coarse) * half, e.size, e.spread);
  e.lower_end = even[tables::value_sum] - odd[tables::value_sum];
  e.upper_end = even[tables::value_sum] + odd[tables::value_sum];
  e.lower_slope = (odd[tables::slope_sum] - even[tables::slope_sum]) / half;
  e.upper_slope = (odd[tables::slope_sum] + even[tables::slope_sum]) / half;
  e.gap = null.gap * width;

  // Squares of the sizes of pairs of degrees, the highest first. Smooth: each is less than half of the next, or rounding.
  constexpr Real fall = Real(0.45), factor = Real(2), share = Real(0.03);
  const Real rounding = Real(10) * spacing * s.size;
  Real top[tables::ranks], largest = 0;
  bool falls = true;
  for (int q = 0; q < tables::ranks; ++q) {
    top[q] = even[q] * even[q] + odd[q] * odd[q];
    largest = larger_of(largest, top[q]);
    if (q > 0 && top[q - 1] > larger_of(fall * top[q], rounding * rounding)) falls = false;
  }
  e.tail = sqrt(top[0]);
  const Real least = (falls ? share * sqrt(top[1]) : factor * sqrt(largest)) * width;
  if (least <= Real(50) * spacing * e.size) return e;  // rounding
  e.rough = !falls;
  e.error = larger_of(e.error, least);
  return e;
}

template <class Real, int Pairs>
TESSERA_HD interval_estimate<Real> estimate_carefully(const kronrod_pair<Real, Pairs> &rule,
                                                      const null_weights<Real, Pairs> &null, Real half,
                                                      const Real *value) {
  return estimate_of_sums(null, half, sum_carefully(rule, null, value));
}

}  // namespace tessera
