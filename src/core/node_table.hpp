// The words of a rule's sparse points (node.hpp), made once per rule.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "node.hpp"

namespace tessera {

// In the order of the orbits; within an orbit the signs run fastest.
std::vector<node_word> make_node_table(const rule &r);

}  // namespace tessera
