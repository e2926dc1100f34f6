// Points of shifted rank-1 lattice rules as 64-bit fractions: one integer addition takes a coordinate to the next point, and
// its overflow is the modulo. Host and device have the same points bit by bit.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "number.hpp"

namespace tessera {

// floor(2^64 r/n), r < n < 2^32.
TESSERA_HD uint64 fraction_of(uint64 r, uint64 n) {
  const uint64 high = (r << 32) / n, rest = (r << 32) % n;
  return (high << 32) | ((rest << 32) / n);
}

// {i z/n} for i, z < 2^32. Exact when n is a power of two, else below by less than 2^-64.
TESSERA_HD uint64 lattice_phase(uint64 i, uint64 z, uint64 n) { return fraction_of((i % n) * (z % n) % n, n); }

// The same without a division: what a device, which has none for integers, uses.
struct lattice_modulus {
  uint64 n;
  uint64 inverse;  // floor((2^64 - 1)/n)
  uint64 rest;     // 2^64 - n inverse, in 1 .. n
};
TESSERA_HD lattice_modulus modulus_of(uint64 n) {
  const uint64 inverse = ~uint64{0} / n;
  return {n, inverse, uint64{0} - n * inverse};
}
// v mod n and floor(v/n): the estimate of the quotient is at most two too small.
TESSERA_HD uint64 reduced(uint64 v, const lattice_modulus &m, uint64 &quotient) {
  quotient = high_product(v, m.inverse);
  uint64 r = v - quotient * m.n;
  for (int i = 0; i < 2; ++i)
    if (r >= m.n) {
      r -= m.n;
      ++quotient;
    }
  return r;
}
TESSERA_HD uint64 lattice_phase(uint64 i, uint64 z, const lattice_modulus &m) {
  uint64 quotient;
  const uint64 r = reduced(reduced(i, m, quotient) * reduced(z, m, quotient), m, quotient);
  reduced(r * m.rest, m, quotient);
  return r * m.inverse + quotient;
}

// With another n steps add up their truncation: after this many points the phase is computed anew (an error below 2^-53).
constexpr int64 resynchronise = 1024;

// A number in (0, 1) from a fraction: an odd multiple of 2^-53, so that 1 - t is exact and neither end is ever taken.
TESSERA_HD double unit_of(uint64 fraction) {
  return one_and_fraction(static_cast<uint32>(fraction), static_cast<uint32>(fraction >> 32)) -
         0.99999999999999988898;  // 1 - 2^-53
}

// 64 random bits from a counter: two rounds of a multiply-xorshift mixer (Stafford's variant 13 of the finaliser in
// MurmurHash3) over an odd-constant sequence, as in SplitMix64 (Steele, Lea and Flood 2014).
TESSERA_HD uint64 mix_bits(uint64 v) {
  v = (v ^ (v >> 30)) * uint64{0xbf58476d1ce4e5b9};
  v = (v ^ (v >> 27)) * uint64{0x94d049bb133111eb};
  return v ^ (v >> 31);
}
TESSERA_HD uint64 random_bits(uint64 seed, uint64 stream, uint64 index, uint64 coordinate) {
  constexpr uint64 step = uint64{0x9e3779b97f4a7c15};
  uint64 v = mix_bits(seed + step);
  v = mix_bits(v + step * (stream + 1));
  v = mix_bits(v + step * (index + 1));
  return mix_bits(v + step * (coordinate + 1));
}

// What moves a rule: random shifts, or the copies of a maximal-rank rule, whose digits to the base m say how many m-ths each
// coordinate is moved beside the one random shift that all have.
struct lattice_shifts {
  uint64 seed, stream;
  uint64 copies;  // m; 0: random shifts
};

TESSERA_HD uint64 shift_of(const lattice_shifts &s, uint64 index, int coordinate) {
  const uint64 c = static_cast<uint64>(coordinate);
  if (s.copies == 0) return random_bits(s.seed, s.stream, index, c);
  uint64 digit = index;
  for (int j = 0; j < coordinate && digit != 0; ++j) digit /= s.copies;
  return random_bits(s.seed, s.stream, 0, c) + fraction_of(digit % s.copies, s.copies);
}

}  // namespace tessera
