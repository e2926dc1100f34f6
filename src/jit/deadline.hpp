// The point in time at which a run must have ended, for what takes its time before the first step: compiling, comparing.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <optional>

namespace tessera {

using deadline = std::optional<std::chrono::steady_clock::time_point>;  // nothing: there is none

// 0 seconds: none.
inline deadline deadline_in(double seconds) {
  using clock = std::chrono::steady_clock;
  if (!(seconds > 0.0)) return {};
  return clock::now() + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(seconds));
}

inline bool is_over(const deadline &d) { return d && std::chrono::steady_clock::now() >= *d; }

}  // namespace tessera
