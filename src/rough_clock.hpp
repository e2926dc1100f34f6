// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <time.h>

#include <chrono>

namespace tessera {

// Seconds since some moment, known to some milliseconds, in less time than a call of an integrand takes.
inline double rough_seconds() {
#ifdef CLOCK_MONOTONIC_COARSE
  timespec t;
  if (clock_gettime(CLOCK_MONOTONIC_COARSE, &t) == 0)
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
#endif
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace tessera
