// What of TESSERA_MAX_MEMORY goes where, so that no result depends on the number of threads: what grows has a share of what one thread
// leaves, and further threads and larger calls have the rest.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../core/hd.hpp"

namespace tessera {

// Bytes of a run at least.
struct memory_needs {
  int64 fixed;  // tables, and the work space of its threads
  int64 grows;  // regions or sums, of which there will be more
};

struct memory_shares {
  int64 grows, fixed;
};
// fixed: bytes for one thread.
inline memory_shares share_memory(int64 memory, int64 fixed) {
  const int64 left = memory > fixed ? memory - fixed : 0, spare = left / 4;
  return {left - spare, memory - (left - spare)};
}
inline int64 least_memory(const memory_needs &n) { return n.fixed + n.grows / 3 * 4 + 8; }

}  // namespace tessera
