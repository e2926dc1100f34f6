// Philox4x32-10: random numbers as a function of a key and a counter, so that the i-th point of a run can be made by any
// thread at any time (Salmon, Moraes, Dror and Shaw, SC'11). Held against Random123 in tests/core.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hd.hpp"

namespace tessera {

struct philox_block {
  uint32 word[4];
};

// The keys of the ten rounds: those of round r are word[2 r] and word[2 r + 1].
struct philox_keys {
  uint32 word[20];
};
TESSERA_HD philox_keys philox_schedule(uint32 key0, uint32 key1) {
  philox_keys k;
  for (int round = 0; round < 10; ++round) {
    k.word[2 * round] = key0;
    k.word[2 * round + 1] = key1;
    key0 += 0x9e3779b9u;
    key1 += 0xbb67ae85u;
  }
  return k;
}

// In the first two rounds words 0 and 3 of the counter do not meet words 1 and 2: blocks that differ in one of these halves alone
// share the work on the other.
struct philox_half {
  uint32 x, y, z;
};
constexpr uint64 philox_multiplier0 = 0xd2511f53u, philox_multiplier1 = 0xcd9e8d57u;
TESSERA_HD philox_half philox_outer(uint32 word0, uint32 word3, const philox_keys &k) {
  const uint64 p = philox_multiplier0 * word0;
  const uint64 q = philox_multiplier1 * (static_cast<uint32>(p >> 32) ^ word3 ^ k.word[1]);
  return {static_cast<uint32>(q >> 32), static_cast<uint32>(q), static_cast<uint32>(p)};
}
TESSERA_HD philox_half philox_inner(uint32 word1, uint32 word2, const philox_keys &k) {
  const uint64 q = philox_multiplier1 * word2;
  const uint64 p = philox_multiplier0 * (static_cast<uint32>(q >> 32) ^ word1 ^ k.word[0]);
  return {static_cast<uint32>(q) ^ k.word[2], static_cast<uint32>(p >> 32) ^ k.word[3], static_cast<uint32>(p)};
}
TESSERA_HD philox_block philox_join(const philox_half &outer, const philox_half &inner, const philox_keys &k) {
  uint32 a = outer.x ^ inner.x, b = outer.y, c = outer.z ^ inner.y, d = inner.z;
  TESSERA_UNROLLED
  for (int round = 2; round < 10; ++round) {
    const uint64 p = philox_multiplier0 * a, q = philox_multiplier1 * c;
    a = static_cast<uint32>(q >> 32) ^ b ^ k.word[2 * round];
    b = static_cast<uint32>(q);
    c = static_cast<uint32>(p >> 32) ^ d ^ k.word[2 * round + 1];
    d = static_cast<uint32>(p);
  }
  return {{a, b, c, d}};
}
TESSERA_HD philox_block philox10(const philox_block &counter, const philox_keys &k) {
  const uint32 *w = counter.word;
  return philox_join(philox_outer(w[0], w[3], k), philox_inner(w[1], w[2], k), k);
}

// A number in (0, 1) from 64 random bits: an odd multiple of 2^-53, so that 1 - u is exact and neither end is ever taken.
TESSERA_HD double uniform52(uint32 low, uint32 high) {
  return one_and_fraction(low, high) - 0.99999999999999988898;  // 1 - 2^-53
}
TESSERA_HD double uniform52(uint64 bits) {
  return uniform52(static_cast<uint32>(bits), static_cast<uint32>(bits >> 32));
}

// Coordinates 2*pair and 2*pair + 1 of a point. Streams are independent sequences of points. The keys are those of the seed. The
// index and the pair are the two halves, so that points and pairs share work.
TESSERA_HD philox_keys keys_of(uint64 seed) {
  return philox_schedule(static_cast<uint32>(seed), static_cast<uint32>(seed >> 32));
}
TESSERA_HD philox_half half_of_index(const philox_keys &k, uint32 stream, uint64 index) {
  return philox_outer(static_cast<uint32>(index), stream, k);
}
TESSERA_HD philox_half half_of_pair(const philox_keys &k, uint64 index, uint32 pair) {
  return philox_inner(static_cast<uint32>(index >> 32), pair, k);
}
TESSERA_HD void uniform_pair(const philox_keys &k, const philox_half &index, const philox_half &pair, double &u,
                             double &v) {
  const philox_block r = philox_join(index, pair, k);
  u = uniform52(r.word[0], r.word[1]);
  v = uniform52(r.word[2], r.word[3]);
}
TESSERA_HD void uniform_pair(const philox_keys &k, uint32 stream, uint64 index, uint32 pair, double &u, double &v) {
  uniform_pair(k, half_of_index(k, stream, index), half_of_pair(k, index, pair), u, v);
}

}  // namespace tessera
