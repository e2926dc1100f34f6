// Data of a Fortran program that a text speaks of: COMMON blocks and the variables of its modules.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <set>
#include <string>
#include <utility>

#include "../integrand_source.hpp"

namespace tessera {

struct fortran_data_names {
  std::set<std::string> commons;                              // blank COMMON: ""
  std::set<std::string> modules;                              // that the text defines
  std::set<std::pair<std::string, std::string>> allocatable;  // module, name
  std::set<std::string> saved;                                // names that SAVE variables may have; more than there are
};
fortran_data_names find_fortran_data(const integrand_source &source);

// The symbol of a variable in code of GNU's compiler, and in that of LLVM's.
std::string gnu_symbol(const integrand_source::variable &v);
std::string llvm_symbol(const integrand_source::variable &v);

// The variable of a procedure that a symbol is by one of the two: x of x.12, _QFfEx, _QMmFfEx; "" if it is none.
std::string variable_of_procedure(const std::string &symbol);

// Which variable of module `module` a symbol is, by one of the two; "" if it is none.
std::string variable_of_module(const std::string &symbol, const std::string &module);

}  // namespace tessera
