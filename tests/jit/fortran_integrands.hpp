// The texts of the integrands in fortran/.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>

#include "fortran/list.h"
#include "jit/fortran/fortran_text.hpp"
#include "text_file.hpp"

using integrand = fortran_integrand;

inline tessera::integrand_source read_integrand(const std::string &directory, const integrand &i) {
  tessera::integrand_source s;
  s.language = tessera::source_language::fortran;
  s.function = i.function;
  s.file_name = directory.empty() ? i.file : directory + "/" + i.file;
  s.fixed_form = tessera::fixed_by_suffix(s.file_name);
  const std::string why = tessera::read_text_file(s.file_name, s.text);
  if (!why.empty()) throw std::runtime_error(s.file_name + ": " + why);
  return s;
}
