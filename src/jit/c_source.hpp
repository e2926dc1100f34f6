// C for the host as CUDA C++. The common subset of C99; for the rest there is an
// error with file and line, from here or from the compiler.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "integrand_source.hpp"

namespace tessera {

struct device_c {
  std::string
      text;  // the user's text in a namespace, tessera_f or, of limits, tessera_limits_ with the number of the axis
  std::vector<std::string> options;  // for NVRTC
};

// Throws compile_error (translate).
device_c translate_c(const integrand_source &source);

// A message that helps with messages of NVRTC about C: "" if there is none.
std::string hint_about_c(const std::string &log);

}  // namespace tessera
