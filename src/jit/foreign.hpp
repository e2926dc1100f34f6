// Functions in code that someone else has compiled: what they are called there and how to call them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "integrand_source.hpp"

namespace tessera {

struct callee {
  std::string symbol;       // in the compiled code
  std::string declaration;  // CUDA C++ that defines tessera_f by a call; "" when the function is tessera_f itself
};

struct foreign_ptx {
  std::string text;  // parameters in the types that nvcc writes, the function visible
  callee function;
};

// "_Z1f", "_ZN2ns1fE": the name as C++ compilers write it, without the parameters.
std::string mangled_name(const std::string &function);

// What a function in LTO-IR may be, the likely first.
std::vector<callee> possible_callees(const integrand_source &source);

// Throws compile_error (translate) when the PTX has no such function or it cannot be an integrand.
foreign_ptx read_ptx(const integrand_source &source);

}  // namespace tessera
