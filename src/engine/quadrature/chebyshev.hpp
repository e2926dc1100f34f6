// The Clenshaw-Curtis part of QUADPACK's rules with weights: values at 25 points become series in Chebyshev polynomials of degree 12 and 24,
// which modified moments integrate exactly (C. W. Clenshaw and A. R. Curtis, Numer. Math. 2, 1960; R. Piessens and M. Branders,
// Modified Clenshaw-Curtis methods, 1975). SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "real.hpp"

namespace tessera {

// cos(pi i / 24), from 0 to all of the period.
template <class Real>
struct cosine_table {
  Real at[48];
};

template <class Real>
constexpr cosine_table<Real> make_cosine_table() {
  constexpr long double quarter[13] = {1.0L,
                                       0.9914448613738104111445575L,
                                       0.9659258262890682867497432L,
                                       0.9238795325112867561281832L,
                                       0.8660254037844386467637232L,
                                       0.7933533402912351645797770L,
                                       0.7071067811865475244008444L,
                                       0.6087614290087206394160975L,
                                       0.5L,
                                       0.3826834323650897717284600L,
                                       0.2588190451025207623488988L,
                                       0.1305261922200515915484062L,
                                       0.0L};
  cosine_table<Real> t = {};
  for (int i = 0; i < 48; ++i) {
    const int half = i <= 24 ? i : 48 - i;
    t.at[i] = static_cast<Real>(half <= 12 ? quarter[half] : -quarter[24 - half]);
  }
  return t;
}

template <class Real>
inline constexpr cosine_table<Real> cosines = make_cosine_table<Real>();

// Of the degrees 12 and 24; the first and the last coefficient are halved already, so that the function is the plain sum.
template <class Real>
struct chebyshev_series {
  Real low[13], high[25];
};

// `value[j]` stands for the point cos(pi j / 24) and is replaced by sums; the two at the ends have been halved.
template <class Real>
TESSERA_HD void expand(const cosine_table<Real> &cosine, Real *value, chebyshev_series<Real> &series) {
  const Real *const c = cosine.at;
  Real difference[12], even[13], odd[13];  // sums over even and over odd j, of degrees 0 to 12
  for (int j = 0; j < 12; ++j) {
    difference[j] = value[j] - value[24 - j];
    value[j] += value[24 - j];
  }
  for (int k = 1; k < 12; k += 2) {
    even[k] = odd[k] = 0;
    for (int j = 0; j < 12; j += 2) {
      even[k] += c[j * k % 48] * difference[j];
      odd[k] += c[(j + 1) * k % 48] * difference[j + 1];
    }
  }
  // Degrees that are even have the same symmetry once more.
  Real sum[7], rest[6];
  for (int j = 0; j < 6; ++j) {
    sum[j] = value[j] + value[12 - j];
    rest[j] = value[j] - value[12 - j];
  }
  sum[6] = value[6];
  for (int k = 0; k <= 12; k += 2) {
    const bool fold = k % 4 == 0;
    const Real *const v = fold ? sum : rest;
    even[k] = odd[k] = 0;
    for (int j = 0; j < 6; j += 2) {
      even[k] += c[j * k % 48] * v[j];
      odd[k] += c[(j + 1) * k % 48] * v[j + 1];
    }
    if (fold) even[k] += c[6 * k % 48] * v[6];
  }
  for (int k = 0; k < 12; ++k) {
    series.low[k] = even[k] / Real(6);
    series.high[k] = (even[k] + odd[k]) / Real(12);
    series.high[24 - k] = (even[k] - odd[k]) / Real(12);
  }
  series.low[12] = even[12] / Real(12);
  series.high[12] = even[12] / Real(12);
  series.low[0] *= Real(0.5);
  series.high[0] *= Real(0.5);
  series.high[24] *= Real(0.5);
}

// The integral of a series by its moments, of both degrees.
template <class Real>
struct two_values {
  Real low, high;

  TESSERA_HD Real difference() const { return fabs(high - low); }
};
template <class Real>
TESSERA_HD two_values<Real> integrate(const chebyshev_series<Real> &series, const Real *moment) {
  two_values<Real> sum = {0, 0};
  for (int k = 0; k < 13; ++k) {
    sum.low += series.low[k] * moment[k];
    sum.high += series.high[k] * moment[k];
  }
  for (int k = 13; k < 25; ++k) sum.high += series.high[k] * moment[k];
  return sum;
}

// The 25 points of an interval: 0 the upper end, 12 the centre, 24 the lower end.
template <class Real>
class chebyshev_points {
 public:
  TESSERA_HD chebyshev_points(const cosine_table<Real> &cosine, interval<Real> on)
      : cosine_(cosine), half_(Real(0.5) * (on.upper - on.lower)), centre_(Real(0.5) * (on.upper + on.lower)) {}

  TESSERA_HD Real half() const { return half_; }
  TESSERA_HD Real centre() const { return centre_; }
  // From the centre to the points j and 24 - j, j from 0 to 12.
  TESSERA_HD Real distance(int j) const { return half_ * cosine_.at[j]; }

  // f(x) at all points, the ends and the centre first; weigh(value, distance with its sign) makes the product with a weight.
  template <class Function, class Weigh>
  TESSERA_HD void evaluate(Function &&f, const Weigh &weigh, Real *value) const {
    value[0] = weigh(Real(0.5) * f(centre_ + half_), half_);
    value[12] = weigh(f(centre_), Real(0));
    value[24] = weigh(Real(0.5) * f(centre_ - half_), -half_);
    for (int j = 1; j < 12; ++j) {
      const Real d = distance(j);
      value[j] = weigh(f(centre_ + d), d);
      value[24 - j] = weigh(f(centre_ - d), -d);
    }
  }
  template <class Function>
  TESSERA_HD void evaluate(Function &&f, Real *value) const {
    evaluate(
        f, [](Real v, Real) { return v; }, value);
  }

 private:
  const cosine_table<Real> &cosine_;
  const Real half_, centre_;
};

}  // namespace tessera
