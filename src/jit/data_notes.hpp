// What compiled code does with the data of the program around it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace tessera {

struct data_notes {
  std::string written;  // in words: what the integrand changes in copies
  std::string initial;  // in words: SAVE variables that begin with the text's values, for the program's cannot be found
  std::string arrays;   // allocatable arrays that it uses: see require_arrays
};

}  // namespace tessera
