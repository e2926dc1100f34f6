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

// Bytes of the sums of so many shifts or copies while others are made beside them.
TESSERA_HD int64 lattice_sum_bytes(const lattice_settings &s, int64 shifts) {
  return 2 * shifts * s.ncomp * static_cast<int64>(sizeof(compensated_sum));
}
// Bytes of a run that grows no further: also those of the trial, of the random vectors' values and of a slice of one item.
TESSERA_HD int64 lattice_bytes(const lattice_settings &s) {
  const int64 trial = s.transform == 0 ? 64 : 0, first = s.copies > s.shifts ? s.copies : s.shifts;
  return 2 * lattice_sum_bytes(s, first + trial / 2 + s.median / 2 + 2);
}

struct lattice_statistics {
  int64 evaluations = 0;
  int64 passes = 0;
  uint64 points = 0;
  int64 shifts = 0;
  int transform = transform_none;
};

}  // namespace tessera
