// What compilers for hosts have beyond the language. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../core/hd.hpp"

namespace tessera {

// Memory that will be read soon. A hint: nothing depends on it.
inline void prefetch(const void *p) {
#if defined(__GNUC__)
  __builtin_prefetch(p);
#else
  (void)p;
#endif
}

// Place of the lowest bit of a number that is not 0.
inline int lowest_bit(uint64 v) {
#if defined(__GNUC__)
  return __builtin_ctzll(v);
#else
  int b = 0;
  for (; (v & 1u) == 0u; v >>= 1) ++b;
  return b;
#endif
}

}  // namespace tessera
