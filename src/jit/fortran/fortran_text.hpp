// As much of a Fortran text as is needed to call a procedure in it: where it is, and which arguments it has.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "../integrand_source.hpp"

namespace tessera {

// A statement in small letters, without blanks, label and what stands between quotation marks.
struct fortran_statement {
  std::string text;
  int line = 0;  // at which it begins, from 1
};
std::vector<fortran_statement> fortran_statements(const std::string &text, bool fixed_form);

struct fortran_entry {
  std::string module, name;
  bool function = false;
  std::vector<std::string> arguments;
  std::vector<bool> assumed_shape;  // of each argument: a(:)
  int line = 0;
};

// The procedure source.function: "name" or "module::name". Throws compile_error (translate).
fortran_entry find_fortran_entry(const integrand_source &source);

// Of `include 'file'` and #include "file": the files' texts by their names. What cannot be found is left to the compiler.
std::vector<integrand_source::file> fortran_includes(const integrand_source &source);

// Fixed form by the suffix of the file: .f, .for, .ftn, .f77; with the preprocessor when it is in capitals.
bool fixed_by_suffix(const std::string &path);
bool preprocessed_by_suffix(const std::string &path);

}  // namespace tessera
