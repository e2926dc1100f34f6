// Construction of the rules of higher degree (host only).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "listed_build.hpp"
#include "raised_rule.hpp"

namespace tessera {

struct raised_tables : listed_tables {
  int ndim = 0, orbits = 0;
  int64 points[raised_levels] = {};  // of each level

  raised_rules view() const { return {{words.data(), offsets.data(), weights.data(), nodes}, orbits}; }
  int64 bytes() const { return 8 * static_cast<int64>(words.size() + offsets.size() + weights.size()); }
};

// For raised_least_ndim to raised_most_ndim variables.
raised_tables build_raised(int ndim);
int64 raised_bytes(int ndim);  // that its tables will take

}  // namespace tessera
