// Integrals with the weight cos or sin(omega x) on one interval: Gauss-Kronrod where there is less than a period or so, else modified
// Clenshaw-Curtis with 25 points, as in QAWO of QUADPACK (R. Piessens and M. Branders, Computation of oscillating integrals, J.
// Comp. Appl. Math. 1, 1975; Piessens and others, 1983, section 2.2.3).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "chebyshev.hpp"
#include "kronrod.hpp"

namespace tessera {

// A tridiagonal system, which is solved in place: right becomes the solution. Rows are exchanged where that is the larger pivot.
// below[i] stands left of diagonal[i], i from 1; above[i] right of it. All of n elements.
template <class Real>
TESSERA_HD void solve_tridiagonal(int n, Real *below, Real *diagonal, Real *above, Real *right) {
  Real second[32];  // two places right of the diagonal, filled by exchanges
  for (int i = 0; i < n; ++i) second[i] = Real(0);
  above[n - 1] = Real(0);
  for (int i = 0; i + 1 < n; ++i) {
    Real lower[3] = {below[i + 1], diagonal[i + 1], above[i + 1]}, lower_right = right[i + 1];
    if (fabs(lower[0]) >= fabs(diagonal[i])) {
      const Real upper[3] = {diagonal[i], above[i], second[i]}, upper_right = right[i];
      diagonal[i] = lower[0];
      above[i] = lower[1];
      second[i] = lower[2];
      right[i] = lower_right;
      for (int k = 0; k < 3; ++k) lower[k] = upper[k];
      lower_right = upper_right;
    }
    const Real factor = -lower[0] / diagonal[i];
    diagonal[i + 1] = lower[1] + factor * above[i];
    above[i + 1] = lower[2] + factor * second[i];
    right[i + 1] = lower_right + factor * right[i];
  }
  right[n - 1] /= diagonal[n - 1];
  right[n - 2] = (right[n - 2] - above[n - 2] * right[n - 1]) / diagonal[n - 2];
  for (int i = n - 3; i >= 0; --i)
    right[i] = (right[i] - above[i] * right[i + 1] - second[i] * right[i + 2]) / diagonal[i];
}

// The integrals over [-1, 1] of T_k(x) cos(parameter x) for even k and T_k(x) sin(parameter x) for odd k, k from 0 to 24: those of degree k - 2, k
// and k + 2 are bound by a recurrence. Forward it is stable while k is less than the parameter, that is, for all k when the
// parameter is large; else it is solved as a boundary value problem, whose upper end has an asymptotic value.
template <class Real>
class oscillating_moments {
 public:
  TESSERA_HD explicit oscillating_moments(Real parameter)
      : p_(parameter), square_(parameter * parameter), sine_(sin(parameter)), cosine_(cos(parameter)) {}

  TESSERA_HD void cosine_moments(Real *moment, int64 stride) const {
    const Real p2 = square_;
    Real v[28];
    v[0] = Real(2) * sine_ / p_;
    v[1] = (Real(8) * cosine_ + (p2 + p2 - Real(8)) * sine_ / p_) / p2;
    v[2] = (Real(32) * (p2 - Real(12)) * cosine_ + (Real(2) * ((p2 - Real(80)) * p2 + Real(192)) * sine_) / p_) /
           (p2 * p2);
    const Real from_cosine = Real(8) * cosine_, from_sine = Real(24) * p_ * sine_;
    if (fabs(p_) > Real(24)) {
      forward(v, 3, 13, Real(4), -from_cosine, from_sine);
    } else {
      const Real s = p_ * sine_;
      const auto end = [&](Real an2) {
        return (((((Real(210) * p2 - Real(1)) * cosine_ - (Real(105) * p2 - Real(63)) * s) / an2 -
                  (Real(1) - Real(15) * p2) * cosine_ + Real(15) * s) /
                     an2 -
                 cosine_ + Real(3) * s) /
                    an2 -
                cosine_) /
               an2;
      };
      backward(v, 3, Real(6), -from_cosine, from_sine, Real(56) * p2 * v[2], end);
    }
    for (int j = 0; j < 13; ++j) moment[2 * j * stride] = v[j];
  }

  TESSERA_HD void sine_moments(Real *moment, int64 stride) const {
    const Real p2 = square_;
    Real v[28];
    v[0] = Real(2) * (sine_ - p_ * cosine_) / p2;
    v[1] = (Real(18) - Real(48) / p2) * sine_ / p2 + (Real(-2) + Real(48) / p2) * cosine_ / p_;
    const Real from_cosine = Real(-24) * p_ * cosine_, from_sine = Real(-8) * sine_;
    if (fabs(p_) > Real(24)) {
      forward(v, 2, 12, Real(3), from_sine, from_cosine);
    } else {
      const Real s = p_ * cosine_;
      const auto end = [&](Real an2) {
        return (((((Real(105) * p2 - Real(63)) * s + (Real(210) * p2 - Real(1)) * sine_) / an2 +
                  (Real(15) * p2 - Real(1)) * sine_ - Real(15) * s) /
                     an2 -
                 Real(3) * s - sine_) /
                    an2 -
                sine_) /
               an2;
      };
      backward(v, 2, Real(5), from_sine, from_cosine, Real(42) * p2 * v[1], end);
    }
    for (int j = 0; j < 12; ++j) moment[(2 * j + 1) * stride] = v[j];
  }

 private:
  // Of degree `an`, with the right-hand side (an^2 - 4) slope + constant.
  TESSERA_HD void forward(Real *v, int first, int count, Real an, Real slope, Real constant) const {
    for (int i = first; i < count; ++i, an += Real(2)) {
      const Real an2 = an * an;
      v[i] = ((an2 - Real(4)) * (Real(2) * (square_ + Real(2) - an2 - an2) * v[i - 1] + slope) + constant -
              square_ * (an + Real(1)) * (an + Real(2)) * v[i - 2]) /
             (square_ * (an - Real(1)) * (an - Real(2)));
    }
  }

  template <class End>
  TESSERA_HD void backward(Real *v, int first, Real an, Real slope, Real constant, Real known, const End &end) const {
    constexpr int n = 25;
    Real below[n], diagonal[n], above[n], *const right = v + first;
    for (int i = 0; i < n; ++i, an += Real(2)) {
      const Real an2 = an * an;
      diagonal[i] = Real(-2) * (an2 - Real(4)) * (square_ + Real(2) - an2 - an2);
      above[i] = (an - Real(1)) * (an - Real(2)) * square_;
      if (i + 1 < n) below[i + 1] = (an + Real(3)) * (an + Real(4)) * square_;
      right[i] = constant + (an2 - Real(4)) * slope;
    }
    an -= Real(2);
    right[0] -= known;
    right[n - 1] -= Real(2) * end(an * an) * square_ * (an - Real(1)) * (an - Real(2));
    solve_tridiagonal(n, below, diagonal, above, right);
  }

  const Real p_, square_, sine_, cosine_;
};

// Moments for the lengths |b - a| / 2^l, l = 0, 1 ..: the parameter is that of the length. In columns of `rows` elements in the caller's
// memory, with a last row for lengths beyond the others.
template <class Real, class Int>
struct moment_table {
  Real *moment;  // [25][rows]
  Int rows;      // at least 1
  Int computed;  // rows that are kept, less than `rows`
};

template <class Real, class Int>
class oscillating_rule {
 public:
  // The frequency is not negative.
  TESSERA_HD oscillating_rule(const kronrod_pair<Real, 7> &pair, const cosine_table<Real> &cosine, Real frequency,
                              bool sine, const moment_table<Real, Int> &table)
      : pair_(pair), cosine_(cosine), frequency_(frequency), sine_(sine), table_(table) {}

  TESSERA_HD Int computed() const { return table_.computed; }

  // `level` as in quadrature_request.
  template <class Function>
  TESSERA_HD interval_estimate<Real> apply(interval<Real> on, Int level, Function &&f) {
    const Real parameter = frequency_ * (Real(0.5) * (on.upper - on.lower));
    if (fabs(parameter) <= Real(2))
      return apply_weighted_kronrod(
          pair_, on, [this](Real x) { return sine_ ? sin(frequency_ * x) : cos(frequency_ * x); }, f);
    const chebyshev_points<Real> points(cosine_, on);
    const Real *const moment = moments(parameter, level);
    const Int rows = table_.rows;
    Real value[25];
    chebyshev_series<Real> series;
    points.evaluate(f, value);
    expand(cosine_, value, series);
    two_values<Real> c = {series.low[12] * moment[12 * rows], series.high[24] * moment[24 * rows]}, s = {0, 0};
    for (int k = 10; k >= 0; k -= 2) {
      c.low += series.low[k] * moment[k * rows];
      s.low += series.low[k + 1] * moment[(k + 1) * rows];
    }
    Real size = fabs(series.high[24]);
    for (int k = 22; k >= 0; k -= 2) {
      c.high += series.high[k] * moment[k * rows];
      s.high += series.high[k + 1] * moment[(k + 1) * rows];
      size += fabs(series.high[k]) + fabs(series.high[k + 1]);
    }
    const Real with_cosine = points.half() * cos(points.centre() * frequency_);
    const Real with_sine = points.half() * sin(points.centre() * frequency_);
    interval_estimate<Real> e = {0, 0, size * fabs(points.half()), real_limits<Real>::greatest};
    if (sine_) {
      e.value = with_cosine * s.high + with_sine * c.high;
      e.error = fabs(with_cosine * s.difference()) + fabs(with_sine * c.difference());
    } else {
      e.value = with_cosine * c.high - with_sine * s.high;
      e.error = fabs(with_cosine * c.difference()) + fabs(with_sine * s.difference());
    }
    return e;
  }

 private:
  // Those of the level, made when they are wanted first. Where the table is full, the last row holds those of the level that was
  // wanted last.
  TESSERA_HD const Real *moments(Real parameter, Int level) {
    if (level < table_.computed) return table_.moment + level;
    Real *const row = table_.moment + table_.computed;
    if (level == level_of_last_row_) return row;
    const oscillating_moments<Real> made(parameter);
    made.cosine_moments(row, table_.rows);
    made.sine_moments(row, table_.rows);
    if (table_.computed < table_.rows - 1)
      ++table_.computed;
    else
      level_of_last_row_ = level;
    return row;
  }

  const kronrod_pair<Real, 7> &pair_;
  const cosine_table<Real> &cosine_;
  const Real frequency_;
  const bool sine_;
  moment_table<Real, Int> table_;
  Int level_of_last_row_ = -1;
};

}  // namespace tessera
