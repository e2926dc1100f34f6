// What the tests of kernels have in common: the compiler is there, what it reports, and images that are kept to be looked at.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "jit/cache.hpp"
#include "jit/device_compiler.hpp"
#include "jit/toolkit.hpp"

namespace checks {

// A cache of this process alone, whose files tell what was compiled: one for a text, one for the steps that a text is linked with.
class counted_cache {
 public:
  counted_cache() : cache(settings()) {}
  ~counted_cache() {
    std::error_code ignored;
    std::filesystem::remove_all(directory(), ignored);
  }
  std::int64_t files() const { return cache.on_disk().files; }

  tessera::code_cache cache;

 private:
  static std::string directory() {
    return std::filesystem::temp_directory_path() / ("tessera_counted_cache_" + std::to_string(::getpid()));
  }
  static tessera::cache_settings settings() {
    tessera::cache_settings s;
    s.directory = directory();
    return s;
  }
};

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

// An integrand in PTX, f: every component is the first coordinate.
inline std::string ptx_function(int ncomp) {
  std::string text =
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .func f(.param .b64 f_0, .param .b64 f_1, .param .b64 f_2)\n{\n"
      "  .reg .b64 %x;\n  .reg .b64 %v;\n  .reg .f64 %d;\n"
      "  ld.param.u64 %x, [f_0];\n  ld.param.u64 %v, [f_1];\n  ld.f64 %d, [%x];\n";
  for (int k = 0; k < ncomp; ++k) text += "  st.f64 [%v+" + std::to_string(8 * k) + "], %d;\n";
  return text + "  ret;\n}\n";
}

// In the directory TESSERA_TEST_CUBINS, if it is set.
inline void keep_image(const std::string &name, const tessera::compiled_module &m) {
  const char *const directory = std::getenv("TESSERA_TEST_CUBINS");
  if (!directory) return;
  std::ofstream file(std::string(directory) + "/" + name + ".cubin", std::ios::binary);
  file << *m.image;
}

}  // namespace checks
