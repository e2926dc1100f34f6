// Changes of variables of the unit interval that make an integrand periodic, and the way on to the user's coordinates. All keep
// x and 1-x to full relative accuracy: the one below 1/2 is computed and gives the other.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hd.hpp"
#include "transform.hpp"

#if !defined(__CUDACC_RTC__)
namespace tessera {
using std::exp;
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

// All of them, for what must have the number as a constant.
// clang-format off
#define TESSERA_TRANSFORMS(X) \
  X(transform_none) X(transform_baker) X(transform_tanh) \
  X(transform_korobov + 1) X(transform_korobov + 2) X(transform_korobov + 3) \
  X(transform_korobov + 4) X(transform_korobov + 5) X(transform_korobov + 6) \
  X(transform_sidi + 1) X(transform_sidi + 2) X(transform_sidi + 3) X(transform_sidi + 4) X(transform_sidi + 5) X(transform_sidi + 6)
// clang-format on

// Is dx/dt anything but 1?
TESSERA_HD constexpr bool has_weight(int transform) {
  return transform != transform_none && transform != transform_baker;
}

struct unit_point {
  double x, y;        // y = 1 - x
  double weight;      // dx/dt
  double root = 1.0;  // weight = weight_of<T>(root); 1 where the weight is
};

// v^m
template <int m>
TESSERA_HD double whole_power(double v) {
  if (m == 1) return v;
  const double half = whole_power < m == 1 ? 1 : m / 2 > (v);
  return m % 2 == 0 ? half * half : half * half * v;
}

// C(2M, M), and (2M+1)!/(M!)^2.
template <int M>
TESSERA_HD constexpr double central_binomial() {
  double v = 1.0;
  for (int k = 1; k <= M; ++k) v = v * (M + k) / k;
  return v;
}
template <int M>
TESSERA_HD constexpr double beta_factor() {
  return central_binomial<M>() * (2 * M + 1);
}

// C(M+k, k)
template <int M>
TESSERA_HD constexpr double beta_binomial(int k) {
  double v = 1.0;
  for (int i = 1; i <= k; ++i) v = v * (M + i) / i;
  return v;
}

// The incomplete beta function I_a(M+1, M+1), b = 1 - a: a^(M+1) times the sum over k <= M of C(M+k, k) b^k. Its derivative is
// beta_factor (ab)^M.
template <int M, int k>
struct beta_series {
  static TESSERA_HD double sum(double b, double above) {
    constexpr double term = beta_binomial<M>(k);
    return beta_series<M, k - 1>::sum(b, above * b + term);
  }
};
template <int M>
struct beta_series<M, -1> {
  static TESSERA_HD double sum(double, double above) { return above; }
};
template <int M>
TESSERA_HD double symmetric_beta(double a, double b) {
  constexpr double first = central_binomial<M>();
  return whole_power<M + 1>(a) * beta_series<M, M - 1>::sum(b, first);
}

// sin(pi a/2) and cos(pi a/2) for 0 <= a <= 1/2, to the last digits: polynomials in a^2 that interpolate at Chebyshev points.
TESSERA_HD void quarter_turn(double a, double &s, double &c) {
  const double q = a * a;
  s = 5.633933781537854e-08 * q - 3.59864335298231e-06;
  s = s * q + 0.0001604411507421909;
  s = s * q - 0.004681754132340976;
  s = s * q + 0.07969262624604301;
  s = s * q - 0.6459640975062443;
  s = (s * q + 1.5707963267948966) * a;
  c = 4.710609726757823e-07 - 6.321256869628588e-09 * q;
  c = c * q - 2.520203677046026e-05;
  c = c * q + 0.0009192602741831558;
  c = c * q - 0.02086348076331121;
  c = c * q + 0.2536695079010467;
  c = c * q - 1.2337005501361697;
  c = c * q + 1.0;
}

// What sin(pi t)^M integrates to from 0 to 1, for M = 2, 4, 6.
TESSERA_HD constexpr double sine_whole(int M) { return M == 2 ? 0.5 : (M == 4 ? 0.375 : 0.3125); }

// The integral of sin(pi t)^M from 0 to a <= 1/2 over that from 0 to 1, for an even M; s = sin(pi a), c = cos(pi a).
template <int M>
TESSERA_HD double even_sine(double a, double s, double c) {
  constexpr double pi = 3.14159265358979323846;
  constexpr double whole = sine_whole(M);
  const double y = s * s;
  if (y < 0.25) {  // the recurrence below would cancel: series of the incomplete beta function in sin^2
    double term = 1.0, sum = 0.0;
    TESSERA_UNROLLED
    for (int k = 0; k < 26; ++k) {
      sum += term * (1.0 / (k + 0.5 * (M + 1)));
      term *= y * ((k + 0.5) / (k + 1));
    }
    return whole_power<M + 1>(s) * sum * (0.5 / (pi * whole));
  }
  double value = a, power = s;
  TESSERA_UNROLLED
  for (int k = 2; k <= M; k += 2) {
    value = value * ((k - 1.0) / k) - c * power * (1.0 / (k * pi));
    power *= y;
  }
  return value * (1.0 / whole);
}

// Weights are powers of simple functions: products of weights are best taken as a power of the product of these roots.
// `count` of them were multiplied.
TESSERA_HD constexpr int weight_power(int T) {
  return T > transform_sidi ? T - transform_sidi : (T > transform_korobov ? T - transform_korobov : 1);
}
template <int T>
TESSERA_HD constexpr double weight_factor() {
  constexpr double pi = 3.14159265358979323846;
  constexpr int m = weight_power(T);
  if (T > transform_korobov && T < transform_sidi) return beta_factor<m>();
  if (T > transform_sidi) return m % 2 == 1 ? pi * beta_factor<m / 2>() : 1.0 / sine_whole(m);
  return 1.0;
}
template <int T, int count = 1>
TESSERA_HD double weight_of(double root) {
  constexpr double factor = weight_factor<T>();
  if (!has_weight(T)) return 1.0;
  return whole_power<weight_power(T)>(root) * whole_power<count>(factor);
}

// T is a number of enum tessera_transform. The point is a, or where `low` is false 1 - a; 0 < a <= 1/2.
template <int T>
TESSERA_HD unit_point periodize_folded(double a, bool low) {
  const double b = 1.0 - a;  // exact
  if (T == transform_none) return {low ? a : b, low ? b : a, 1.0, 1.0};
  if (T == transform_baker) return {2.0 * a, b - a, 1.0, 1.0};
  double v, root;  // the smaller of x and y
  if (T == transform_tanh) {
    double d = (b - a) / (a * b);
    d = d < 350.0 ? d : 350.0;
    const double e = exp(-2.0 * d), one = 1.0 / (1.0 + e);
    v = e * one;
    root = 2.0 * v * one * (1.0 / (a * a) + 1.0 / (b * b));
  } else if (T < transform_sidi) {
    constexpr int m = T > transform_korobov && T < transform_sidi ? T - transform_korobov : 1;
    v = symmetric_beta<m>(a, b);
    root = a * b;
  } else {
    constexpr int m = T > transform_sidi ? T - transform_sidi : 1;
    double s, c;
    quarter_turn(a, s, c);
    if (m % 2 == 1) {
      v = symmetric_beta<m / 2>(s * s, c * c);
      root = s * c;
    } else {
      constexpr int e = m % 2 == 0 ? m : 2;
      root = 2.0 * s * c;
      v = even_sine<e>(a, root, (c - s) * (c + s));
    }
  }
  return {low ? v : 1.0 - v, low ? 1.0 - v : v, weight_of<T>(root), root};
}

template <int T>
TESSERA_HD unit_point periodize(double t) {
  const bool low = t < 0.5;
  return periodize_folded<T>(low ? t : 1.0 - t, low);
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
  double first, last;    // numbers next to the limits: where the map rounds to a limit, these are taken
  double anchor;         // finite limit of half-infinite ones
};

// The user's coordinate on a finite axis; rounded twice everywhere, so that all machines have the same.
TESSERA_HD double finite_axis_value(const unit_axis &m, double x) {
  const double v = rounded_sum(m.lower, rounded_product(m.length, x));
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
  return between(m.kind == axis_up ? m.anchor + p.x * q : m.anchor - p.x * q, m.first, m.last);
}

// The same on the unit interval itself: no change of variables gets nearer to 0 than its first number.
TESSERA_HD bool is_unit(const unit_axis &m) { return m.kind == axis_finite && m.lower == 0.0 && m.length == 1.0; }
TESSERA_HD double unit_axis_value(double x) { return below_one(x); }

// Any axis; the length of finite ones is left out of the jacobian.
TESSERA_HD double axis_value(const unit_axis &m, const unit_point &p, double &jacobian) {
  return m.kind == axis_finite ? finite_axis_value(m, p.x) : infinite_axis_value(m, p, jacobian);
}

// Its distance from the upper limit; for infinite ranges 1 - x on the unit interval.
TESSERA_HD double axis_complement(const unit_axis &m, const unit_point &p) {
  return m.kind == axis_finite ? m.length * p.y : p.y;
}

}  // namespace tessera
