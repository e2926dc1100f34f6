// What the tests of kernels have in common: the compiler is there, what it reports, and images that are kept to be looked at.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "jit/device_compiler.hpp"
#include "jit/toolkit.hpp"

namespace checks {

// False: it says why not.
inline bool there_is_a_compiler() {
  try {
    tessera::nvrtc();
    return true;
  } catch (const tessera::compile_error &e) {
    std::printf("skipped: %s\n", e.what());
    return false;
  }
}

// The number before a word of the compiler's report on a kernel, "bytes spill stores" or "registers".
inline long number_before(const std::string &log, const std::string &kernel, const std::string &word) {
  const std::size_t entry = log.find("'" + kernel + "'");
  const std::size_t at = entry == std::string::npos ? entry : log.find(" " + word, entry);
  if (at == std::string::npos) return -1;
  const std::size_t begin = log.find_last_not_of("0123456789", at - 1) + 1;
  return std::atol(log.substr(begin, at - begin).c_str());
}

// In the directory TESSERA_TEST_CUBINS, if it is set.
inline void keep_image(const std::string &name, const tessera::compiled_module &m) {
  const char *const directory = std::getenv("TESSERA_TEST_CUBINS");
  if (!directory) return;
  std::ofstream file(std::string(directory) + "/" + name + ".cubin", std::ios::binary);
  file << *m.image;
}

}  // namespace checks
