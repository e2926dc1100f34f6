// What a Monte Carlo run is asked for and what it answers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../problem.hpp"
#include "sampling_pass.hpp"

namespace tessera {

enum sampling_kind : int { sampling_auto = 0, sampling_plain = 1, sampling_vegas = 2 };  // enum tessera_sampling
enum generator_kind : int {                                                              // enum tessera_generator
  generator_philox = 0,
  generator_xorwow = 1,
  generator_mrg32k3a = 2,
  generator_curand_sobol = 3,
  generator_sobol = 4,
  generator_threefry = 5,
  generator_auto = 6
};
inline bool is_of_curand(int generator) { return generator >= generator_xorwow && generator <= generator_curand_sobol; }

struct sampling_settings : run_settings {
  double confidence = 0.99;
  uint64 seed = 0;
  int sampling = sampling_auto;
  bool antithetic = false;
  bool weights = false;              // each point is followed by its weight and the number of its iteration
  int generator = generator_philox;  // generator_auto: what the choice of a way of sampling finds best
  int64 shifts = 0;                  // randomisations of one sequence of points; 0: the points are independent
  int64 points = 1024;               // of the first iteration
  int64 increase = 0;                // more in each iteration, 0: by half
  int warmup = -1;                   // iterations that train only, -1: as long as they gain
  int64 constant_evaluations = int64{1} << 20;  // from which on equal values are believed to be a constant
  double damping = 0.5;                         // alpha of the grid
  double stratify = 0.75;                       // beta of the allocation
};

inline bool has_nets(const sampling_settings &s) {
  return s.generator == generator_sobol || s.generator == generator_auto;
}
// Randomisations of Sobol points that are kept at a time, one at least.
inline int64 nets_together(const sampling_settings &s, int columns) {
  const int64 bytes = s.memory / 4 < int64{1} << 25 ? s.memory / 4 : int64{1} << 25;
  return bytes / (8 * sobol_words(s.ndim, columns)) + 1;
}

// Bytes that a pass of so many samples takes in the host's memory: cubes, pieces, and the sums of what threads work at.
inline int64 sampling_bytes(const sampling_settings &s, double samples, bool grid) {
  constexpr double most_cubes = 1 << 20, most_pieces = 1 << 17;
  const double items = 2.0 * (samples < 2.0 * cut_samples ? samples : 2.0 * cut_samples) / most_piece + 4.0;
  const double cubes = !grid ? 0.0 : (samples / 4.0 < most_cubes ? samples / 4.0 : most_cubes);
  const double pieces = items + (cubes < most_pieces ? cubes : most_pieces);
  return static_cast<int64>(64.0 * cubes + 3.0 * (sizeof(sample_piece) + 16.0) * pieces +
                            2.0 * items * s.ncomp * sizeof(sample_sums)) +
         s.shifts * s.ncomp * static_cast<int64>(2 * sizeof(compensated_sum) + sizeof(sample_sums)) +
         (has_nets(s) ? (grid ? 16 : 8) * sobol_words(s.ndim, sobol_most_log) : 0);
}
struct sampling_statistics {
  int64 evaluations = 0;
  int64 iterations = 0;
  int64 strata = 0;
  int64 bytes = 0;
  int sampling = sampling_plain;
  double chi_square = 0.0;  // largest one per degree of freedom
};

}  // namespace tessera
