// Principal values, integrals with the weight 1 / (x - c): Clenshaw-Curtis with modified moments where the pole is in or near the interval, else
// Gauss-Kronrod, as in QAWC of QUADPACK (R. Piessens, M. Van Roy-Branders and I. Mertens, The automatic evaluation of Cauchy principal
// value integrals, Angewandte Informatik 18, 1976; Piessens and others, 1983, section 2.2.3).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "chebyshev.hpp"
#include "kronrod.hpp"

namespace tessera {

template <class Real>
class pole_rule {
 public:
  TESSERA_HD pole_rule(const kronrod_pair<Real, 7> &pair, const cosine_table<Real> &cosine, Real pole)
      : pair_(pair), cosine_(cosine), pole_(pole) {}

  // With the pole at hand the spread is the error: signs of rounding do not count there.
  template <class Function>
  TESSERA_HD interval_estimate<Real> apply(interval<Real> on, Function &&f) const {
    const Real place = (Real(2) * pole_ - on.upper - on.lower) / (on.upper - on.lower);
    if (!(fabs(place) < Real(1.1)))
      return apply_weighted_kronrod(
          pair_, on, [this](Real x) { return Real(1) / (x - pole_); }, f);
    const chebyshev_points<Real> points(cosine_, on);
    Real value[25];
    chebyshev_series<Real> series;
    points.evaluate(f, value);
    expand(cosine_, value, series);
    // Integrals of T_k(x) / (x - place), by their recurrence.
    Real before = log(fabs((Real(1) - place) / (Real(1) + place))), moment = Real(2) + place * before;
    Real low = series.low[0] * before + series.low[1] * moment,
         high = series.high[0] * before + series.high[1] * moment;
    for (int k = 2; k < 25; ++k) {
      Real next = Real(2) * place * moment - before;
      if (k % 2 == 1) next -= Real(4) / (Real((k - 1) * (k - 1)) - Real(1));
      if (k < 13) low += series.low[k] * next;
      high += series.high[k] * next;
      before = moment;
      moment = next;
    }
    const Real error = fabs(high - low);
    return {high, error, Real(0), error};
  }

 private:
  const kronrod_pair<Real, 7> &pair_;
  const cosine_table<Real> &cosine_;
  const Real pole_;
};

}  // namespace tessera
