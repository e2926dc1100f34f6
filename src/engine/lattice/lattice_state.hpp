// What a lattice run is asked for and what it answers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "../../core/sum.hpp"
#include "../problem.hpp"
#include "lattice_pass.hpp"

namespace tessera {

struct lattice_vector {
  std::vector<uint64> z;
  uint64 least = 0, most = 0;  // n, powers of two from least to most; equal: this n alone
};

struct lattice_settings : run_settings {
  double confidence = 0.99;
  uint64 seed = 0;
  int transform = transform_none;  // enum tessera_transform, 0: a trial decides
  int shifts = 32;
  int median = 0;        // random vectors to choose from, 0: the vector given
  int copies = 0;        // m of a maximal-rank rule, 0: random shifts
  uint64 points = 1024;  // n to begin with
};

struct lattice_statistics {
  int64 evaluations = 0;
  int64 passes = 0;
  uint64 points = 0;
  int64 shifts = 0;
  int transform = transform_none;
};

}  // namespace tessera
