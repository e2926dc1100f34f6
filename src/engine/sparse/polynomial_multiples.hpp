// Components that are another one times a polynomial in the user's coordinates, as moments are of a density: wherever that one is known they follow.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../core/hd.hpp"

namespace tessera {

constexpr int highest_power = 4;  // of one coordinate

struct polynomial_term {
  double coefficient;
  int axis[2], power[2];  // of two coordinates, or of one with the power 0 for the other
};

struct polynomial_multiples {
  int base;                           // the component that others are multiples of
  const double *origin, *over_width;  // [ndim] polynomials are in (x - origin) * over_width
  const int
      *first;  // [ncomp + 1] term of each component; one that is no multiple has none. Null: there are no multiples
  const polynomial_term *terms;

  TESSERA_HD bool has(int k) const { return first && first[k] < first[k + 1]; }
};

// The value of a component that is a multiple of the one that a map is of, over the value of that one; the sum of the sizes of its terms, and what it may be off by.
struct multiple_value {
  bool is_known = false;
  double times = 0.0, sizes = 0.0, uncertainty = 0.0;
};

TESSERA_HD double power_of(double t, int power) {
  double product = 1.0;
  for (int p = 0; p < power; ++p) product *= t;
  return product;
}

// What component k is at the point x[j*ldx], of what the base is. sizes: the sum of the terms' sizes.
TESSERA_HD double multiple_at(const polynomial_multiples &m, int k, const double *x, int64 ldx, double &sizes) {
  double sum = 0.0;
  sizes = 0.0;
  for (int i = m.first[k]; i < m.first[k + 1]; ++i) {
    double term = m.terms[i].coefficient;
    for (int side = 0; side < 2; ++side) {
      const int j = m.terms[i].axis[side];
      term *= power_of((x[j * ldx] - m.origin[j]) * m.over_width[j], m.terms[i].power[side]);
    }
    sum += term;
    sizes += fabs(term);
  }
  return sum;
}

// The size of what component k has at a point that it would not have as a multiple, beyond what rounding explains. base: the value of that component.
TESSERA_HD double unlike_multiple(const polynomial_multiples &m, int k, double value, double base, const double *x,
                                  int64 ldx) {
  constexpr double same = 1e-8;
  if (base == 0.0) return fabs(value);  // a power far away may be infinite
  double sizes;
  const double difference = fabs(value - multiple_at(m, k, x, ldx, sizes) * base);
  return difference <= same * sizes * fabs(base) ? 0.0 : difference;
}

}  // namespace tessera
