// Where a program is, and which of the system's compilers are used.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace tessera {

// Full path of a program, "" if it is not in PATH.
std::string find_program(const std::string &name);

// A compiler of the system for code on the host.
enum class host_language { c, cxx, fortran };

struct system_compiler {
  std::vector<std::string> command;
  std::string identity;  // path, size and time: another release is another compiler
};

// The one that $CC, $CXX or $FC names, else the first of the usual names in PATH. Throws compile_error (load) with advice.
system_compiler find_compiler(host_language language);

}  // namespace tessera
