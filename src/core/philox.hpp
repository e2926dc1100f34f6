// Philox4x32-10: random numbers as a function of a key and a counter, so that the i-th point of a run can be made by any
// thread at any time (Salmon, Moraes, Dror and Shaw, SC'11). Held against Random123's known answers in tests/core.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hd.hpp"

namespace tessera {

struct philox_block {
  uint32 word[4];
};

TESSERA_HD philox_block philox10(philox_block counter, uint32 key0, uint32 key1) {
  constexpr uint64 multiplier0 = 0xd2511f53u, multiplier1 = 0xcd9e8d57u;
  constexpr uint32 step0 = 0x9e3779b9u, step1 = 0xbb67ae85u;  // of the key, from round to round
  uint32 a = counter.word[0], b = counter.word[1], c = counter.word[2], d = counter.word[3];
  for (int round = 0; round < 10; ++round) {
    const uint64 p = multiplier0 * a, q = multiplier1 * c;
    a = static_cast<uint32>(q >> 32) ^ b ^ key0;
    b = static_cast<uint32>(q);
    c = static_cast<uint32>(p >> 32) ^ d ^ key1;
    d = static_cast<uint32>(p);
    key0 += step0;
    key1 += step1;
  }
  return {{a, b, c, d}};
}

// A number in (0, 1) from 64 random bits: an odd multiple of 2^-53, so that 1 - u is exact and neither end is ever taken.
TESSERA_HD double uniform52(uint32 low, uint32 high) {
  const uint64 bits = static_cast<uint64>(high) << 32 | low;
  return double_of((bits >> 12) | uint64{0x3ff0000000000000}) - 0.99999999999999988898;  // 1 - 2^-53
}

// Coordinates 2*pair and 2*pair + 1 of a point. Streams are independent sequences of points.
TESSERA_HD void uniform_pair(uint64 seed, uint32 stream, uint64 index, uint32 pair, double &u, double &v) {
  const philox_block r = philox10({{static_cast<uint32>(index), static_cast<uint32>(index >> 32), pair, stream}},
                                  static_cast<uint32>(seed), static_cast<uint32>(seed >> 32));
  u = uniform52(r.word[0], r.word[1]);
  v = uniform52(r.word[2], r.word[3]);
}

}  // namespace tessera
