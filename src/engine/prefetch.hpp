// Memory that will be read soon is asked for early. A hint: nothing depends on it. SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tessera {

inline void prefetch(const void *p) {
#if defined(__GNUC__)
  __builtin_prefetch(p);
#else
  (void)p;
#endif
}

}  // namespace tessera
