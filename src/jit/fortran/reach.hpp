// Of a whole file's intermediate code, what the integrand reaches.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <set>
#include <string>
#include <vector>

#include "ir.hpp"

namespace tessera {

// A name in the code as the Fortran text has it: '_QMmodelPweight' is 'weight of module model', 'pars_' is 'pars'.
std::string fortran_name(const std::string &symbol);

struct ir_reached {
  std::set<std::string> functions, globals;  // functions: those that are defined
  std::set<std::string> recursive;
};

// Throws ir_error, with the caller and its line, when a function is called that neither the text nor the device has.
ir_reached ir_reach(const ir_module &m, const std::string &entry);

// Names of globals and functions in a value, those of constants included.
void ir_names(const ir_value &v, std::set<std::string> &names);

// The code of what is reached, all of it inside and inlined into the entry when an optimiser has gone over it. whole: data that no optimiser
// is to take apart or to believe their first values.
std::string ir_inside(const ir_module &m, const ir_reached &reached, const std::string &entry,
                      const std::set<std::string> &whole = {});

}  // namespace tessera
