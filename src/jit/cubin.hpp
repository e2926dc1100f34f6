// The functions in a cubin, from its ELF symbol table.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace tessera {

struct cubin_function {
  std::string name;
  bool kernel;
};

// Empty when the bytes are no 64-bit ELF file.
std::vector<cubin_function> cubin_functions(const std::string &image);

// The machine code of a kernel; "" when there is no such kernel.
std::string cubin_code(const std::string &image, const std::string &kernel);

}  // namespace tessera
