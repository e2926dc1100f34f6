// Loop integrals by another way: the contour is moved off the zeros of D, which leaves a smooth integrand (D. E. Soper, Phys. Rev. D 62 (2000)
// 014009; the form for Feynman parameters is that of sector decomposition codes). z_j = t_j - i lambda t_j (1 - t_j) d(D/C)/dt_j, so that Im D/C < 0 to first
// order; t: Duffy's variables. Cauchy's theorem asks for no other relation between t and z, so the values do not depend on lambda, which the caller checks.
// SPDX-License-Identifier: BSD-3-Clause
#include "loops_contour.h"

#include <complex>

#include "loop_polynomials.h"

namespace {

using complex = std::complex<double>;

// A number with its first and second derivatives with respect to n variables.
template <int n>
struct jet {
  double v = 0.0, d[n] = {}, dd[n][n] = {};
  jet(double value = 0.0) : v(value) {}
  friend jet operator+(const jet &a, const jet &b) { return combined(a, b, 1.0); }
  friend jet operator-(const jet &a, const jet &b) { return combined(a, b, -1.0); }
  friend jet operator*(const jet &a, const jet &b) {
    jet r(a.v * b.v);
    for (int i = 0; i < n; ++i) {
      r.d[i] = a.d[i] * b.v + a.v * b.d[i];
      for (int j = 0; j < n; ++j) r.dd[i][j] = a.dd[i][j] * b.v + a.d[i] * b.d[j] + a.d[j] * b.d[i] + a.v * b.dd[i][j];
    }
    return r;
  }
  friend jet operator/(const jet &a, const jet &b) {
    jet inverse(1.0 / b.v);
    for (int i = 0; i < n; ++i) {
      inverse.d[i] = -b.d[i] / (b.v * b.v);
      for (int j = 0; j < n; ++j) inverse.dd[i][j] = (2.0 * b.d[i] * b.d[j] / b.v - b.dd[i][j]) / (b.v * b.v);
    }
    return a * inverse;
  }

 private:
  static jet combined(const jet &a, const jet &b, double sign) {
    jet r(a.v + sign * b.v);
    for (int i = 0; i < n; ++i) {
      r.d[i] = a.d[i] + sign * b.d[i];
      for (int j = 0; j < n; ++j) r.dd[i][j] = a.dd[i][j] + sign * b.dd[i][j];
    }
    return r;
  }
};

// Duffy's map: shares of n + 1 parameters from n variables, and its Jacobian.
template <int n, class T>
T parameters(const T *t, T *x) {
  T left(1.0), jacobian(1.0);
  for (int j = 0; j < n; ++j) {
    x[j] = left * (T(1.0) - t[j]);
    left = left * t[j];
    if (j + 1 < n) jacobian = jacobian * left;
  }
  x[n] = left;
  return jacobian;
}

struct pentagon {
  static constexpr int n = 4, power = 3;
  static constexpr double factor = -2.0;
  template <class T>
  static T C(const T *) {
    return T(1.0);
  }
  template <class T>
  static T D(const double *s, const T *x) {
    const T x1 = x[0], x2 = x[1], x3 = x[2], x4 = x[3], x5 = x[4];
    return PENTAGON_D(T(s[0]), T(s[1]), T(s[2]), T(s[3]), T(s[4]), T(s[5]));
  }
};
struct ladder {
  static constexpr int n = 5, power = 2;
  static constexpr double factor = 1.0;
  template <class T>
  static T C(const T *x) {
    const T x1 = x[0], x2 = x[1], x3 = x[2], x4 = x[3], x5 = x[4], x6 = x[5];
    return LADDER_C;
  }
  template <class T>
  static T D(const double *s, const T *x) {
    const T x1 = x[0], x2 = x[1], x3 = x[2], x4 = x[3], x5 = x[4], x6 = x[5];
    return LADDER_D(T(s[0]));
  }
};

template <int n>
complex determinant(complex (&a)[n][n]) {
  complex product = 1.0;
  for (int k = 0; k < n; ++k) {  // diagonally dominant for the lambdas that are used
    product *= a[k][k];
    for (int i = k + 1; i < n; ++i)
      for (int j = k + 1; j < n; ++j) a[i][j] -= a[i][k] / a[k][k] * a[k][j];
  }
  return product;
}

template <class Loop>
int value(const double *t, double *f, const loop_contour &c) {
  constexpr int n = Loop::n;
  jet<n> variable[n], x[n + 1];
  for (int j = 0; j < n; ++j) {
    variable[j].v = t[j];
    variable[j].d[j] = 1.0;
  }
  parameters<n>(variable, x);
  const jet<n> D = Loop::D(c.s, x) / Loop::C(x);
  complex z[n], moved[n][n], xs[n + 1];
  for (int j = 0; j < n; ++j) {
    const double way = t[j] * (1.0 - t[j]);
    z[j] = complex(t[j], -c.lambda * way * D.d[j]);
    for (int k = 0; k < n; ++k)
      moved[j][k] = complex(j == k, -c.lambda * ((j == k ? (1.0 - 2.0 * t[j]) * D.d[j] : 0.0) + way * D.dd[j][k]));
  }
  const complex jacobian = parameters<n>(z, xs) * determinant<n>(moved), there = Loop::D(c.s, xs);
  complex v = Loop::factor * jacobian;
  for (int k = 0; k < Loop::power; ++k) v /= there;
  f[0] = v.real();
  f[1] = v.imag();
  return 0;
}

}  // namespace

int loop_pentagon_contour(int, const double *t, int, double *f, void *userdata) {
  return value<pentagon>(t, f, *static_cast<const loop_contour *>(userdata));
}
int loop_ladder_contour(int, const double *t, int, double *f, void *userdata) {
  return value<ladder>(t, f, *static_cast<const loop_contour *>(userdata));
}
