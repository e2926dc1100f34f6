// A text that NVRTC compiles, and what comes out.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "device_compiler.hpp"

namespace tessera {

enum class product { cubin, ptx, ltoir };

struct program {
  std::string text, name;
  std::vector<kernel_text::header> headers;
  std::vector<std::string> options;
  product wanted = product::cubin;
};

struct product_and_log {
  std::string bytes, log;
};

struct architecture {
  std::string option;
  bool real;  // machine code, not PTX
};

// The best that NVRTC can do for the device. Throws compile_error (compile).
architecture choose_architecture(const target &where);

std::string nvrtc_version();

// Common to all texts; ndim and ncomp where they know the integrand.
std::vector<std::string> common_options(const architecture &arch);
std::vector<std::string> common_options(const target &where, const architecture &arch);

// Of a function that the user's text declares and calls.
std::string undefined_message(const integrand_source &source, const std::string &function);

// Throws compile_error, with a message in the terms of the user's text.
product_and_log compile_program(const program &p, const integrand_source &source);

}  // namespace tessera
