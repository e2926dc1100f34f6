// The state of a run in a file: what is needed to go on as if it had not been interrupted.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chi_square.hpp"

namespace cuba {

struct state {
  std::int64_t ndim = 0, ncomp = 0, rule = 0;  // what must agree
  std::int64_t evaluations = 0, regions = 0;
  std::vector<scatter> iterations;  // [ncomp]
  std::vector<double> records;      // [regions][2*ndim + 3*ncomp + 2], see tessera.h
};

// A new file takes the place of the old one in one step, so that there is always a whole one. False, with the reason, when it
// cannot be written.
bool write_state(const std::string &path, const state &s, std::string &reason);

enum class read_result { good, no_file, bad };

// Reads a file whose ndim, ncomp and rule are those of `s`; else, and when the file is damaged, it is bad, with the reason.
read_result read_state(const std::string &path, state &s, std::string &reason);

}  // namespace cuba
