// What the integrand does to the data that outlive a call: COMMON, modules, SAVE.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "ir.hpp"

namespace tessera {

using ir_bodies = std::map<std::string, std::vector<ir_block>>;

struct data_use {
  std::set<std::string> used;                          // in instructions
  std::set<std::string> written;                       // or given away, so that nobody knows
  std::set<std::string> pointed;                       // their address is in the value of another
  std::map<std::string, std::set<std::string>> users;  // functions that name them
};

// Follows addresses through the code of all functions.
data_use find_use(const ir_module &m, const ir_bodies &bodies, const std::set<std::string> &globals);

// A record of an allocatable array or a pointer, as flang lays it out: base, length of an element, version, rank, ...
bool is_descriptor(const ir_type &t);
// Whether there is an address in it.
bool has_address(const ir_type &t);

}  // namespace tessera
