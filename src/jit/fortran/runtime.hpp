// What Fortran's compiled code calls, and what there is for it on a device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace tessera {

enum class runtime_kind {
  unknown,  // nothing: it is refused
  nothing,  // says something to the optimiser only
  memory,   // llvm.memcpy, memmove, memset
  order,    // minimum, maximum, absolute value of integers
  same,     // NVVM has it under the same name
  value,    // a function of its arguments alone
  reader,   // reads what its arguments point to
  writer,   // writes there
  output,   // write and print; the output is lost
  stop,     // ends the program; ends the run
  allocate,
  release
};

struct runtime_function {
  runtime_kind kind = runtime_kind::unknown;
  std::string name;  // of the function in fortran_runtime_text
  std::string why;   // unknown: what it wants, when that can be said
};

runtime_function runtime_of(const std::string &symbol);

// The definition of a function that an optimiser has to see through, in LLVM's representation; "" if there is none.
std::string runtime_definition(const std::string &symbol);

// CUDA C++: the functions. Needs tessera_flags.
extern const char *const fortran_runtime_text;

}  // namespace tessera
