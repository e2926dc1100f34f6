// Signs of the vertex orbit: all 2^n patterns, or those of a two-level orthogonal array of strength 7 (host only).
//
// In a rule of degree 7 the vertices enter by moments of degree 7 or less, that is by products of at most 7 signs. Any
// set of patterns in which those average to zero serves (N. Victoir, Asymmetric cubature formulae with few points in
// high dimension for symmetric measures, SIAM J. Numer. Anal. 42 (2004) 209-227). The words of a linear code do if its
// dual has distance 8 (F. J. MacWilliams, N. J. A. Sloane, The Theory of Error-Correcting Codes, 1977: ch. 5 for
// orthogonal arrays, 9 for BCH codes, 20 for the Golay code). Bits, by dimension: 12: 10; 13..16: 11; 17..24: 12; 25,
// 26, 27: 13, 14, 15; 28..32: 16; 33: 17; 34..36: 18; 37..64: 19.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "rule.hpp"

namespace tessera::rule_making {

inline uint32 field_product(uint32 x, uint32 y, int m) {
  constexpr uint32 modulus[] = {0x13, 0x25, 0x43};  // primitive polynomials of degree 4, 5, 6
  uint32 z = 0;
  for (int i = m - 1; i >= 0; --i) {
    z <<= 1;
    if ((z >> m) != 0) z ^= modulus[m - 4];
    if (((y >> i) & 1U) != 0) z ^= x;
  }
  return z;
}

// Columns of parity check matrices of codes of distance 8, so that any 7 of them are linearly independent: (1, x, x^3,
// x^5) over the x of a field of 2^m elements for the extended BCH codes of length 2^m, and (1, x^j mod g) with a last
// (1, 0) for the extended Golay code.
inline uint32 bch_column(uint32 x, int m) {
  const uint32 x2 = field_product(x, x, m), x3 = field_product(x2, x, m), x5 = field_product(x2, x3, m);
  return 1U | x << 1 | x3 << (1 + m) | x5 << (1 + 2 * m);
}
inline uint32 golay_column(int j) {
  if (j == 23) return 1U;
  uint32 power_of_x = 1;
  for (int i = 0; i < j; ++i) {
    power_of_x <<= 1;
    if ((power_of_x >> 11) != 0) power_of_x ^= 0xC75U;  // x^11 + x^10 + x^6 + x^5 + x^4 + x^2 + 1
  }
  return 1U | power_of_x << 1;
}

// Coordinates beyond the length of a code get a bit of their own, which is cheaper than the next code for a few of
// them.
inline uint32 sign_column(int j, int n) {
  const int length = n <= 16 ? 16 : n <= 27 ? 24 : n <= 34 ? 32 : 64;
  if (j >= length) return 1U << (24 + j - length);
  if (length == 24) return golay_column(j);
  return bch_column(static_cast<uint32>(j), length == 16 ? 4 : length == 32 ? 5 : 6);
}

// Masks are the columns in a basis of the space they span: 2^rank points, none twice.
inline void low_point_signs(rule &r) {
  struct element {
    uint32 vector, lead, coordinates;
  };
  element basis[32];
  int rank = 0;
  for (int j = 0; j < r.ndim; ++j) {
    uint32 v = sign_column(j, r.ndim), coordinates = 0;
    for (int i = 0; i < rank; ++i) {
      if ((v & basis[i].lead) == 0) continue;
      v ^= basis[i].vector;
      coordinates ^= basis[i].coordinates;
    }
    if (v != 0) {
      const uint32 unit = 1U << rank;
      basis[rank++] = {v, v & (~v + 1U), coordinates ^ unit};
      coordinates = unit;
    }
    r.vertex_mask[j] = coordinates;
  }
  r.vertex_bits = rank;
}

inline void all_signs(rule &r) {
  r.vertex_bits = r.ndim;
  for (int j = 0; j < r.ndim; ++j) r.vertex_mask[j] = 1U << j;
}

}  // namespace tessera::rule_making
