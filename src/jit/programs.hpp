// Where a program is.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace tessera {

// Full path of a program, "" if it is not in PATH.
std::string find_program(const std::string &name);

}  // namespace tessera
