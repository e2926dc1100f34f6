// Four components of the integrand side by side in vector registers. Each has the operations that it would have alone, in the same
// order, so that no bit depends on how many there are.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstring>

#include "../core/estimate.hpp"
#include "../engine/cubature/apply_rule.hpp"

namespace tessera {

#if defined(__GNUC__)

struct component_pack {
  static constexpr int size = 4;
  using pair = double __attribute__((vector_size(16)));
  pair a, b;

  static component_pack from(const double *v) {
    component_pack p;
    std::memcpy(&p.a, v, sizeof p.a);
    std::memcpy(&p.b, v + 2, sizeof p.b);
    return p;
  }
  double operator[](int i) const { return i < 2 ? a[i] : b[i - 2]; }
  component_pack &operator+=(const component_pack &o) {
    a += o.a;
    b += o.b;
    return *this;
  }
  friend component_pack operator+(component_pack x, const component_pack &y) { return x += y; }
  friend component_pack operator-(component_pack x, const component_pack &y) {
    x.a -= y.a;
    x.b -= y.b;
    return x;
  }
  friend component_pack operator*(double s, component_pack x) {
    x.a *= s;
    x.b *= s;
    return x;
  }
  friend component_pack operator*(const component_pack &x, double s) { return s * x; }
  friend component_pack larger(component_pack x, const component_pack &y) {
    x.a = x.a < y.a ? y.a : x.a;
    x.b = x.b < y.b ? y.b : x.b;
    return x;
  }
  friend component_pack fabs(component_pack x) {
    using bits = long long __attribute__((vector_size(16)));
    constexpr long long magnitude = 0x7fffffffffffffff;
    x.a = reinterpret_cast<pair>(reinterpret_cast<bits>(x.a) & magnitude);
    x.b = reinterpret_cast<pair>(reinterpret_cast<bits>(x.b) & magnitude);
    return x;
  }
};

#else

struct component_pack {
  static constexpr int size = 0;  // there is none
};

#endif

// The combinations of null rules of the components of which there are such, and of the others.
struct kept_nulls {
  const null_sums<double> *kept;
  int count;
  null_sums<double> operator()(const rule &r, const double *sums, int k) const {
    return k < count ? kept[k] : own_nulls()(r, sums, k);
  }
};

}  // namespace tessera
