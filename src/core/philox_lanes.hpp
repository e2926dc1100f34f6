// Philox for consecutive counters on hosts: four at a time on processors with AVX2, whose product of the lower halves of 64-bit lanes is just what
// a round needs; compilers do not find that. The numbers are those of host_pair().
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "random123.hpp"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__CUDACC__)
#define TESSERA_PHILOX_LANES
#include <immintrin.h>
#endif

namespace tessera {

#ifdef TESSERA_PHILOX_LANES
#define TESSERA_LANES __attribute__((target("avx2")))
constexpr int64 philox_lanes = 4;

TESSERA_LANES inline __m256i all_lanes(uint64 bits) { return _mm256_set1_epi64x(static_cast<long long>(bits)); }
// Those whose words are in the lower halves, as uniform52() makes them.
TESSERA_LANES inline void store_uniform(double *to, __m256i low, __m256i high) {
  const __m256i bits = _mm256_or_si256(_mm256_and_si256(low, all_lanes(0xffffffffu)), _mm256_slli_epi64(high, 32)),
                above = _mm256_or_si256(_mm256_srli_epi64(bits, 12), all_lanes(0x3ff0000000000000u));
  _mm256_storeu_pd(to, _mm256_sub_pd(_mm256_castsi256_pd(above), _mm256_set1_pd(0.99999999999999988898)));
}

// n, a multiple of philox_lanes. A lane has a word in its lower half; what is in the upper one does not count.
TESSERA_LANES inline void philox_in_lanes(const philox_keys &keys, uint32 stream, uint64 first, int64 n, uint32 pair,
                                          double *u, double *v) {
  const __m256i multiplier0 = all_lanes(philox_multiplier0), multiplier1 = all_lanes(philox_multiplier1),
                own = _mm256_set_epi64x(3, 2, 1, 0);
  for (int64 i = 0; i < n; i += philox_lanes) {
    const __m256i index = _mm256_add_epi64(all_lanes(first + static_cast<uint64>(i)), own);
    __m256i a = index, b = _mm256_srli_epi64(index, 32), c = all_lanes(pair), d = all_lanes(stream);
    for (int round = 0; round < 10; ++round) {
      const __m256i p = _mm256_mul_epu32(a, multiplier0), q = _mm256_mul_epu32(c, multiplier1);
      a = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(q, 32), b), all_lanes(keys.word[2 * round]));
      c = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(p, 32), d), all_lanes(keys.word[2 * round + 1]));
      b = q;
      d = p;
    }
    store_uniform(u + i, a, b);
    store_uniform(v + i, c, d);
  }
}
#endif

// Coordinates 2*pair and 2*pair + 1 of the points first ... first + n - 1.
inline void host_pairs(const philox_keys &keys, uint32 stream, uint64 first, int64 n, uint32 pair, double *u,
                       double *v) {
  int64 i = 0;
#ifdef TESSERA_PHILOX_LANES
  if (__builtin_cpu_supports("avx2")) {
    i = n / philox_lanes * philox_lanes;
    philox_in_lanes(keys, stream, first, i, pair, u, v);
  }
#endif
  for (; i < n; ++i) host_pair(keys, stream, first + static_cast<uint64>(i), pair, u[i], v[i]);
}

}  // namespace tessera
