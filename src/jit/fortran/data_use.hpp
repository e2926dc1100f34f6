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
  std::set<std::string> used;                            // in instructions
  std::set<std::string> written;                         // or given away, so that nobody knows
  std::set<std::string> pointed;                         // their address is in the value of another
  std::map<std::string, std::set<std::string>> users;    // functions that name them
  std::map<std::string, std::set<std::string>> writers;  // functions that write them, by what is seen in them
  // Of arrays that their records lead to:
  std::set<std::string> contents_written;  // or given away
  std::set<std::string> contents_used;
  std::set<std::string> asked_for;  // whether they are allocated
};

// Follows addresses through the code of all functions, and through their local variables. arrays: globals that are records of arrays whose
// contents are elsewhere.
data_use find_use(const ir_module &m, const ir_bodies &bodies, const std::set<std::string> &globals,
                  const std::set<std::string> &arrays = {});

// A record of an allocatable array or a pointer, as flang lays it out: base, length of an element, version, rank, ...
bool is_descriptor(const ir_type &t);
// Whether there is an address in it.
bool has_address(const ir_type &t);

}  // namespace tessera
