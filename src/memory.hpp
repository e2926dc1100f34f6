// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <unistd.h>

#include "core/hd.hpp"

namespace tessera {

// Three quarters of the memory that is free now.
inline int64 free_memory_share() {
  const long pages = sysconf(_SC_AVPHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  const int64 free = pages > 0 && size > 0 ? int64{pages} * size : int64{1} << 30;
  return free / 4 * 3;
}

}  // namespace tessera
