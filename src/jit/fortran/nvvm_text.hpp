// From LLVM's representation of today to NVVM IR, LLVM 7's with typed pointers, which libNVVM reads for every device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "ir.hpp"

namespace tessera {

// Data that the program has, and where their bytes are in the parameter block.
struct host_value {
  std::string symbol;  // in the code
  unsigned long long offset = 0, bytes = 0;
  int rank = -1;  // of an allocatable array: its record is there (program_array.hpp)
};

struct nvvm_data {
  std::string symbol, name;  // in the code; in the user's words
  unsigned long long bytes = 0;
  bool written = false;  // private to each evaluation
};

struct nvvm_code {
  std::string text;
  std::vector<nvvm_data> data;  // that the program might have
  std::string arrays;           // of the program, that are used: see require_arrays
};

// The function tessera_f of `m` and all that it reaches. Written data are private to each call of tessera_f and begin with the values they
// have in the program, or, where that has none, in the text. Throws ir_error.
nvvm_code write_nvvm(const ir_module &m, const std::vector<host_value> &values);

}  // namespace tessera
