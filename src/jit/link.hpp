// One nvJitLink session.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "toolkit.hpp"

namespace tessera {

struct link_part {
  link_input kind;
  std::string name;   // in messages
  std::string bytes;  // PTX: without the final NUL
};

struct link_result {
  bool good = false;
  std::string cubin, log;
};

// Throws compile_error (load) when there is no linker.
link_result link_parts(const std::vector<link_part> &parts, const std::vector<std::string> &options);

// What a file of compiled device code is, by its first bytes.
link_input kind_of(const std::string &bytes);

}  // namespace tessera
