// The tables of careful_kronrod.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "careful_kronrod.hpp"
#include "kronrod.hpp"

namespace tessera {

namespace rule_making {
constexpr long double root(long double v) {
  long double r = v > 1 ? v : 1;
  for (int i = 0; i < 200; ++i) r = (r + v / r) / 2;
  return r;
}
}  // namespace rule_making

// By the recurrence of the polynomials that are orthogonal with the rule's weights (Stieltjes).
template <class Real, int Pairs>
constexpr null_weights<Real, Pairs> make_null_weights() {
  constexpr auto rule = make_kronrod_pair<long double, Pairs>();
  null_weights<Real, Pairs> made = {};
  long double now[Pairs + 1] = {}, before[Pairs + 1] = {}, norm_before = 1;
  for (int i = 0; i <= Pairs; ++i) now[i] = 1;
  for (int degree = 0; degree <= 2 * Pairs; ++degree) {
    long double norm = 0;
    for (int i = 0; i <= Pairs; ++i) norm += (i < Pairs ? 2 : 1) * rule.weight[i] * now[i] * now[i];
    const int from_top = 2 * Pairs - degree;
    if (from_top < 2 * null_weights<Real, Pairs>::ranks) {
      const long double scale = 1 / rule_making::root(norm);
      for (int i = 0; i <= Pairs; ++i) {
        const Real v = static_cast<Real>(rule.weight[i] * now[i] * scale);
        if (from_top % 2 == 0)
          made.even[i][from_top / 2] = v;
        else if (i < Pairs)
          made.odd[i][from_top / 2] = v;
      }
    }
    for (int i = 0; i <= Pairs; ++i) {
      const long double x = i < Pairs ? rule.node[i] : 0;
      const long double next = x * now[i] - (degree > 0 ? norm / norm_before : 0) * before[i];
      before[i] = now[i];
      now[i] = next;
    }
    norm_before = norm;
  }
  // Lagrange's polynomials at 1, as products over pairs, and their derivatives by those of the logarithms.
  constexpr int at_value = null_weights<Real, Pairs>::value_sum, at_slope = null_weights<Real, Pairs>::slope_sum;
  for (int i = 0; i <= Pairs; ++i) {
    const long double x = i < Pairs ? rule.node[i] : 0;
    long double product = 1, slope = 0;
    for (int k = 0; k < Pairs; ++k)
      if (k != i) {
        product *= (1 - rule.node[k] * rule.node[k]) / (x * x - rule.node[k] * rule.node[k]);
        slope += 2 / (1 - rule.node[k] * rule.node[k]);
      }
    if (i == Pairs) {
      made.even[i][at_value] = static_cast<Real>(product);
      made.even[i][at_slope] = static_cast<Real>(product * slope);
      continue;
    }
    // Of +x and of -x: product (1 + x) / (2 x^2) and product (1 - x) / (2 x^2).
    const long double right = product * (1 + x) / (2 * x * x), left = product * (1 - x) / (2 * x * x);
    const long double right_slope = right * (slope + 1 + 1 / (1 + x)), left_slope = left * (slope + 1 + 1 / (1 - x));
    made.even[i][at_value] = static_cast<Real>((right + left) / 2);
    made.odd[i][at_value] = static_cast<Real>((right - left) / 2);
    made.even[i][at_slope] = static_cast<Real>((right_slope + left_slope) / 2);
    made.odd[i][at_slope] = static_cast<Real>((right_slope - left_slope) / 2);
  }
  made.gap = static_cast<Real>(1 - rule.node[kronrod_pair<long double, Pairs>::inward(0)]);
  return made;
}

template <class Real, int Pairs>
inline constexpr null_weights<Real, Pairs> null_weights_of = make_null_weights<Real, Pairs>();

}  // namespace tessera
