// Threefry4x64-20: random numbers as a function of a key and a counter by additions, rotations and exclusive ors (Salmon, Moraes, Dror and Shaw,
// SC'11). Held against Random123 in tests/core.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "philox.hpp"

namespace tessera {

struct threefry_block {
  uint64 word[4];
};

TESSERA_HD uint64 rotated(uint64 v, int by) { return v << by | v >> (64 - by); }
TESSERA_HD void threefry_mix(uint64 &a, uint64 &b, int by) {
  a += b;
  b = rotated(b, by) ^ a;
}

TESSERA_HD threefry_block threefry20(const threefry_block &counter, const threefry_block &key) {
  constexpr int turns[8][2] = {{14, 16}, {52, 57}, {23, 40}, {5, 37}, {25, 33}, {46, 12}, {58, 22}, {32, 32}};
  uint64 k[5] = {key.word[0], key.word[1], key.word[2], key.word[3], 0x1bd11bdaa9fc1a22u};
  TESSERA_UNROLLED
  for (int i = 0; i < 4; ++i) k[4] ^= k[i];
  threefry_block x = counter;
  TESSERA_UNROLLED
  for (int i = 0; i < 4; ++i) x.word[i] += k[i];
  TESSERA_UNROLLED
  for (int round = 0; round < 20; ++round) {
    const int other = round % 2 == 0 ? 1 : 3;
    threefry_mix(x.word[0], x.word[other], turns[round % 8][0]);
    threefry_mix(x.word[2], x.word[4 - other], turns[round % 8][1]);
    if (round % 4 != 3) continue;
    const int injected = (round + 1) / 4;
    TESSERA_UNROLLED
    for (int i = 0; i < 4; ++i) x.word[i] += k[(injected + i) % 5];
    x.word[3] += static_cast<uint64>(injected);
  }
  return x;
}

// Coordinates 4*group ... 4*group + 3 of a point; seed, stream and index as with Philox.
TESSERA_HD void uniform_four(uint64 seed, uint32 stream, uint64 index, uint32 group, double *u) {
  const threefry_block r = threefry20({{index, group, stream, 0}}, {{seed, 0, 0, 0}});
  TESSERA_UNROLLED
  for (int i = 0; i < 4; ++i) u[i] = uniform52(r.word[i]);
}

}  // namespace tessera
