// SAVE variables of a text, and which of the program's variables they are.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "../integrand_source.hpp"
#include "ir.hpp"
#include "nvvm_text.hpp"
#include "reach.hpp"

namespace tessera {

// Of the variables that the integrand reaches and that something in the text writes; the others have the text's values for good.
struct saved_data {
  std::vector<host_value> values;              // of those that have been found in the program
  std::map<std::string, std::string> missing;  // symbol in the code: why it has not been found
  std::set<std::string> set_elsewhere;         // of these: procedures write them that the integrand does not reach
  std::set<std::string> all() const;
};

// `m`: the whole text, before anything is optimised. Nothing where there is no program around it.
saved_data find_saved(const ir_module &m, const ir_reached &reached, const integrand_source &source);

// After that the code is known as it runs. Throws ir_error for a variable that has not been found and whose value somebody else sets;
// returns the others in words, which begin with the text's values.
std::string require_saved(const saved_data &saved, const std::vector<nvvm_data> &data);

}  // namespace tessera
