// Lists of points, and a rule's, made once per rule (host only).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "listed_rule.hpp"
#include "rule.hpp"

namespace tessera {

struct listed_tables {
  std::vector<uint64> words;  // empty: the rule has more variables or offsets than a word has room for
  std::vector<double> offsets, weights;
  int nodes = 0;  // of an axis
};

// Nodes that an axis has in a rule's list; 0: it has none.
int nodes_listed(const rule &r);

// The sums are those of the rule and its null rules, in their order, and that of the probes. Vertices in the order of their indices.
listed_tables build_listed(const rule &r);

}  // namespace tessera
