// Changes of variables of the unit interval that make an integrand periodic, and the way on to the user's coordinates. All keep
// x and 1-x to full relative accuracy: the one below 1/2 is computed and gives the other.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hd.hpp"
#include "transform.hpp"

#if !defined(__CUDACC_RTC__)
namespace tessera {
using std::cos;
using std::exp;
using std::sin;
}  // namespace tessera
#endif

namespace tessera {

// Numbers of enum tessera_transform.
enum transform_kind : int {
  transform_none = 1,
  transform_baker = 2,
  transform_tanh = 3,
  transform_korobov = 10,
  transform_sidi = 20
};

// Is dx/dt anything but 1?
TESSERA_HD bool has_weight(int transform) { return transform != transform_none && transform != transform_baker; }

struct unit_point {
  double x, y;    // y = 1 - x
  double weight;  // dx/dt
};

// The incomplete beta function I_a(M+1, M+1), b = 1 - a: a^(M+1) times the sum over k <= M of C(M+k, k) b^k.
template <int M>
TESSERA_HD double symmetric_beta(double a, double b) {
  double binomial = 1.0;  // C(2M, M), then downwards by C(M+k-1, k-1) = C(M+k, k) k/(M+k)
  for (int k = 1; k <= M; ++k) binomial = binomial * (M + k) / k;
  double sum = binomial, power = a;
  for (int k = M; k > 0; --k) {
    binomial = binomial * k / (M + k);
    sum = sum * b + binomial;
    power *= a;
  }
  return power * sum;
}

// Derivative of the same: (2M+1)!/(M!)^2 (ab)^M.
template <int M>
TESSERA_HD double symmetric_beta_weight(double ab) {
  double w = 1.0;
  for (int k = 1; k <= M; ++k) w = w * (M + k) / k * ab;
  return w * (2 * M + 1);
}

// The integral of sin(pi t)^M from 0 to a <= 1/2 over that from 0 to 1, for an even M; s = sin(pi a), c = cos(pi a).
template <int M>
TESSERA_HD double even_sine(double a, double s, double c) {
  constexpr double pi = 3.14159265358979323846;
  constexpr double whole = M == 2 ? 0.5 : (M == 4 ? 0.375 : 0.3125);
  const double y = s * s;
  if (y < 0.25) {  // the recurrence below would cancel: series of the incomplete beta function in sin^2
    double term = 1.0, sum = 0.0, power = s;
    for (int k = 0; k < 26; ++k) {
      sum += term / (k + 0.5 * (M + 1));
      term *= y * (k + 0.5) / (k + 1);
    }
    for (int k = 0; k < M / 2; ++k) power *= y;
    return power * sum / (2.0 * pi * whole);
  }
  double value = a, power = s;
  for (int k = 2; k <= M; k += 2) {
    value = value * (k - 1) / k - c * power / (k * pi);
    power *= y;
  }
  return value / whole;
}

// T is a number of enum tessera_transform.
template <int T>
TESSERA_HD unit_point periodize(double t) {
  constexpr double pi = 3.14159265358979323846;
  const double u = 1.0 - t;  // exact
  if (T == transform_none) return {t, u, 1.0};
  const bool low = t < 0.5;
  const double a = low ? t : u, b = low ? u : t;
  if (T == transform_baker) return {2.0 * a, b - a, 1.0};
  double v, w;  // the smaller of x and y, and the weight
  if (T == transform_tanh) {
    double d = (b - a) / (a * b);
    d = d < 350.0 ? d : 350.0;
    const double e = exp(-2.0 * d), one = 1.0 / (1.0 + e);
    v = e * one;
    w = 2.0 * v * one * (1.0 / (a * a) + 1.0 / (b * b));
  } else if (T < transform_sidi) {
    constexpr int m = T > transform_korobov && T < transform_sidi ? T - transform_korobov : 1;
    v = symmetric_beta<m>(a, b);
    w = symmetric_beta_weight<m>(a * b);
  } else {
    constexpr int m = T > transform_sidi ? T - transform_sidi : 1;
    const double s = sin(0.5 * pi * a), c = cos(0.5 * pi * a);
    if (m % 2 == 1) {
      v = symmetric_beta<(m - 1) / 2>(s * s, c * c);
      w = symmetric_beta_weight<(m - 1) / 2>(s * s * c * c) * pi * s * c;
    } else {
      constexpr int e = m % 2 == 0 ? m : 2;
      constexpr double whole = e == 2 ? 0.5 : (e == 4 ? 0.375 : 0.3125);
      const double sine = 2.0 * s * c;
      v = even_sine<e>(a, sine, (c - s) * (c + s));
      w = 1.0 / whole;
      for (int k = 0; k < e; ++k) w *= sine;
    }
  }
  return {low ? v : 1.0 - v, low ? 1.0 - v : v, w};
}

#if !defined(__CUDACC_RTC__)
// The mean square of the weight of one axis: B(2m+1, 2m+1)/B(m+1, m+1)^2, for the sines the same of their powers.
inline double weight_mean_square(int transform) {
  if (!has_weight(transform)) return 1.0;
  if (transform == transform_tanh) return 2.82476276191574;  // by quadrature
  const bool sine = transform > transform_sidi;
  const double m = transform - (sine ? transform_sidi : transform_korobov);
  // the integrals of (t(1-t))^p, or of sin(pi t)^p times the square root of pi
  const auto integral = [sine](double p) {
    return sine ? std::tgamma(0.5 * p + 0.5) / std::tgamma(0.5 * p + 1.0)
                : std::tgamma(p + 1.0) * std::tgamma(p + 1.0) / std::tgamma(2.0 * p + 2.0);
  };
  return integral(2.0 * m) / (integral(m) * integral(m)) * (sine ? 1.7724538509055160273 : 1.0);
}
#endif

// One axis of the user's domain, of which the unit interval is the image.
struct unit_axis {
  int kind;              // enum axis_kind
  double lower, length;  // finite axes
  double first, last;    // the numbers next to the limits: where the map rounds to a limit, these are taken
  double anchor;         // finite limit of half-infinite ones
};

// The user's coordinate on a finite axis.
TESSERA_HD double finite_axis_value(const unit_axis &m, double x) {
  const double v = m.lower + m.length * x;
  const double w = v < m.first ? m.first : v;
  return w > m.last ? m.last : w;
}

// The same on an infinite one; multiplies `jacobian` by its derivative.
TESSERA_HD double infinite_axis_value(const unit_axis &m, const unit_point &p, double &jacobian) {
  const bool both = m.kind == axis_both;
  const double q = both ? 0.25 / (p.x * p.y) : 1.0 / p.y, d = p.x - p.y;
  jacobian *= q;  // one after the other: the square might overflow
  jacobian *= q;
  if (both) {
    jacobian *= 2.0 * (1.0 + d * d);
    return d * q;
  }
  return m.kind == axis_up ? m.anchor + p.x * q : m.anchor - p.x * q;
}

// Any axis; the length of finite ones is left out of the jacobian.
TESSERA_HD double axis_value(const unit_axis &m, const unit_point &p, double &jacobian) {
  return m.kind == axis_finite ? finite_axis_value(m, p.x) : infinite_axis_value(m, p, jacobian);
}

// Its distance from the upper limit; for infinite ranges 1 - x on the unit interval.
TESSERA_HD double axis_complement(const unit_axis &m, const unit_point &p) {
  return m.kind == axis_finite ? m.length * p.y : p.y;
}

}  // namespace tessera
