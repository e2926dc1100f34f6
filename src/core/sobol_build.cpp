// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>

#include "sobol.hpp"

namespace tessera {
namespace {

#include "sobol_table.inc"

constexpr int digits = 64;
constexpr uint32 stream_scrambling = 0xffffffffu;  // no pass of samples has this one

// Two random words for a randomisation and an axis.
void random_words(const philox_keys &keys, uint32 which, int axis, int pair, uint64 *to) {
  const philox_block b =
      philox10({{which, static_cast<uint32>(pair), static_cast<uint32>(axis), stream_scrambling}}, keys);
  to[0] = uint64{b.word[1]} << 32 | b.word[0];
  to[1] = uint64{b.word[3]} << 32 | b.word[2];
}

}  // namespace

// A row of the table has the polynomial in its first 14 bits, then of m_2, m_3, ... all bits but the last, which is 1: m_k has k - 1 of them.
// The second word begins with m_11. The recurrence is that of Bratley and Fox, ACM Trans. Math. Softw. 14 (1988) 88-100, with the binary
// points of all numbers at the left.
void fill_sobol_columns(int axis, int columns, uint64 *to) {
  if (axis == 0) {
    for (int k = 0; k < columns; ++k) to[k] = uint64{1} << (digits - 1 - k);
    return;
  }
  const std::uint64_t *const row = sobol_table[axis - 1];
  const uint64 polynomial = row[0] & 0x3fffu;
  int degree = 0;
  while (polynomial >> (degree + 1) != 0) ++degree;
  int at = 14;
  for (int k = 0; k < columns; ++k) {
    if (k < degree) {
      if (k == 10) at = 0;
      const uint64 m = ((row[k < 10 ? 0 : 1] >> at & ((uint64{1} << k) - 1)) << 1) | 1u;
      to[k] = m << (digits - 1 - k);
      at += k;
      continue;
    }
    uint64 v = to[k - degree] ^ (to[k - degree] >> degree);
    for (int i = 1; i < degree; ++i)
      if ((polynomial >> (degree - i) & 1u) != 0) v ^= to[k - i];
    to[k] = v;
  }
}

// The random matrix by its columns: ones on the diagonal, random digits below. Only the first `columns` of them meet digits that are not 0.
void scramble_sobol(uint64 seed, uint32 which, int ndim, int columns, uint64 *to) {
  const philox_keys keys = keys_of(seed);
  for (int j = 0; j < ndim; ++j, to += columns + 1) {
    uint64 matrix[digits], shift[2];
    for (int k = 0; k < columns; k += 2) random_words(keys, which, j, k / 2, matrix + k);
    for (int k = 0; k < columns; ++k) {
      const uint64 diagonal = uint64{1} << (digits - 1 - k);
      matrix[k] = (matrix[k] & (diagonal - 1)) | diagonal;
    }
    random_words(keys, which, j, digits / 2, shift);
    fill_sobol_columns(j, columns, to);
    for (int c = 0; c < columns; ++c) {
      uint64 scrambled = 0;
      for (int k = 0; k <= c; ++k) scrambled ^= matrix[k] & (0 - (to[c] >> (digits - 1 - k) & 1u));
      to[c] = scrambled;
    }
    to[columns] = shift[0];
  }
}

}  // namespace tessera
