// The random numbers of hosts: by Random123's headers where the build has found them, elsewhere by our text, which devices have. The numbers
// are the same (tests/core/test_sampling.cpp). Not for run-time compilers, which have no <iostream>, and which these headers want.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "threefry.hpp"

#ifdef TESSERA_RANDOM123
#include <Random123/philox.h>
#include <Random123/threefry.h>
#endif

namespace tessera {

// As uniform_pair and uniform_four.
inline void host_pair(const philox_keys &keys, uint32 stream, uint64 index, uint32 pair, double &u, double &v) {
#ifdef TESSERA_RANDOM123
  const philox4x32_ctr_t counter = {{static_cast<uint32>(index), static_cast<uint32>(index >> 32), pair, stream}};
  const philox4x32_key_t key = {{keys.word[0], keys.word[1]}};
  const philox4x32_ctr_t r = philox4x32_R(10, counter, key);
  u = uniform52(r.v[0], r.v[1]);
  v = uniform52(r.v[2], r.v[3]);
#else
  uniform_pair(keys, stream, index, pair, u, v);
#endif
}

inline void host_four(uint64 seed, uint32 stream, uint64 index, uint32 group, double *u) {
#ifdef TESSERA_RANDOM123
  const threefry4x64_ctr_t counter = {{index, group, stream, 0}};
  const threefry4x64_key_t key = {{seed, 0, 0, 0}};
  const threefry4x64_ctr_t r = threefry4x64_R(20, counter, key);
  for (int i = 0; i < 4; ++i) u[i] = uniform52(uint64{r.v[i]});
#else
  uniform_four(seed, stream, index, group, u);
#endif
}

}  // namespace tessera
