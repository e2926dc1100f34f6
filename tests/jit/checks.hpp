// Counted checks for the tests of this directory: a failure is printed and the program goes on.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "jit/integrand_source.hpp"

namespace checks {

// NVRTC is not sanitized: what it makes of a text is the same there, and takes its time. A part is enough.
#ifdef __SANITIZE_ADDRESS__
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

inline int done = 0, failed = 0;

inline bool check(bool good, const std::string &what) {
  ++done;
  if (!good) {
    ++failed;
    std::printf("FAILED: %s\n", what.c_str());
  }
  return good;
}

inline bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

// `body` must throw a compile_error of this stage whose sentence contains `part`.
inline void fails(const std::string &what, tessera::jit_stage stage, const std::string &part,
                  const std::function<void()> &body) {
  try {
    body();
    check(false, what + ": no error");
  } catch (const tessera::compile_error &e) {
    check(e.stage() == stage, what + ": stage of: " + e.what());
    check(contains(e.what(), part), what + ": '" + part + "' in: " + e.what());
  }
}

inline int summary() {
  std::printf("%d checks, %d failed\n", done, failed);
  return failed == 0 ? 0 : 1;
}

}  // namespace checks
