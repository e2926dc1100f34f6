// Arithmetic modulo n below 2^32, where products fit into 64 bits.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hd.hpp"

namespace tessera {

// a^e mod n.
TESSERA_HD uint64 power_mod(uint64 a, uint64 e, uint64 n) {
  uint64 result = 1 % n;
  a %= n;
  for (; e != 0; e >>= 1) {
    if ((e & 1u) != 0) result = result * a % n;
    a = a * a % n;
  }
  return result;
}

TESSERA_HD uint64 common_divisor(uint64 a, uint64 b) {
  while (b != 0) {
    const uint64 r = a % b;
    a = b;
    b = r;
  }
  return a;
}

TESSERA_HD bool is_power_of_two(uint64 n) { return n != 0 && (n & (n - 1)) == 0; }

// By trial division: at most 2^15 divisions.
TESSERA_HD bool is_prime(uint64 n) {
  if (n < 4) return n > 1;
  if (n % 2 == 0) return false;
  for (uint64 p = 3; p * p <= n; p += 2)
    if (n % p == 0) return false;
  return true;
}

// The largest prime factor of n, 1 for n = 1.
TESSERA_HD uint64 largest_factor(uint64 n) {
  uint64 largest = 1;
  for (uint64 p = 2; p * p <= n; ++p)
    while (n % p == 0) {
      largest = p;
      n /= p;
    }
  return n > largest ? n : largest;
}

// The least primitive root of a prime n.
TESSERA_HD uint64 primitive_root(uint64 n) {
  if (n == 2) return 1;
  for (uint64 g = 2;; ++g) {
    uint64 rest = n - 1;
    bool root = true;
    for (uint64 p = 2; root && p * p <= rest; ++p)
      if (rest % p == 0) {
        root = power_mod(g, (n - 1) / p, n) != 1;
        while (rest % p == 0) rest /= p;
      }
    if (root && rest > 1) root = power_mod(g, (n - 1) / rest, n) != 1;
    if (root) return g;
  }
}

}  // namespace tessera
