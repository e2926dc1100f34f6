// What is in a cubin: its functions, what they take, their code.
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

// What a kernel takes, with all that it calls; of what is not known 0.
struct cubin_use {
  int registers = 0, stack = 0;  // of a thread; bytes
};
cubin_use cubin_use_of(const std::string &image, const std::string &kernel);

// The machine code of a kernel; "" when there is no such kernel.
std::string cubin_code(const std::string &image, const std::string &kernel);

}  // namespace tessera
