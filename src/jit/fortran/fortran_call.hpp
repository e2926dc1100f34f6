// The Fortran text that calls the integrand, and the files that a compiler is given.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "../integrand_source.hpp"
#include "../process.hpp"
#include "fortran_text.hpp"

namespace tessera {

// A subroutine tessera_f(x, f, p), bind(c), that calls the integrand at one point; valid in free and fixed form alike. It calls
// tessera_m_status(status) when the integrand asks to stop. Throws compile_error (translate): no form that is known.
std::string fortran_call(const fortran_entry &entry, const integrand_source &source, int ndim, int ncomp,
                         int coordinates);

struct fortran_files {
  std::vector<std::string>
      compiled;  // paths, in the order in which they are compiled; the last has the call at its end
  std::vector<bool> fixed;
  bool preprocess = false;    // at least one
  bool any_argument = false;  // the call hands over what has another type
  std::string key;            // all of their text
};

// Several files are compiled as one text. There file k, from 0, begins with line (k + 1)*lines_of_file + 1.
constexpr int lines_of_file = 1000000;
// "file(line)" of such a line, or of a line of the source alone.
std::string fortran_place(const integrand_source &source, int line);

// Where they are written; nothing is, when work is null.
fortran_files put_fortran_files(const integrand_source &source, const std::string &call, const fortran_entry &entry,
                                const temporary_directory *work);

// The first error in what a compiler said, as file(line): error: text.
std::string fortran_error(const std::string &log, const integrand_source &source);

}  // namespace tessera
