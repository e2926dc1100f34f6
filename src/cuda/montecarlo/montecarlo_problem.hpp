// What the kernels of Monte Carlo are given; read by the host side of the plug-in and by the kernels.
//
// Plain sampling of a text with few components is fused, and that of Sobol points through a grid: a block makes, evaluates and sums the samples of a run of pieces. All else
// goes through memory in chunks of whole pieces: values of the samples, then the estimates of the pieces. Pieces of an iteration of VEGAS
// are listed by each device itself. They are cut into parts, which have sums of their own; a launch has several parts one behind the other, and a
// part is made by one of the devices and ranks that share the iteration.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../engine/montecarlo/strata_steps.hpp"
#include "../device/user_answer.hpp"

namespace tessera {

constexpr int sampling_block = 128;         // threads of the fused kernel
constexpr int sample_tile = 256;            // threads of the others, and samples that a block takes at a time
constexpr int marked_samples = 32;          // of a warp; where in the list its first one is, is known
constexpr int sampling_near_dim = 32;       // up to so many coordinates are kept in registers
constexpr int sampling_near_training = 64;  // up to so many axes are counted in near memory
constexpr int sampling_near_grid = 24;      // up to so many axes have their edges there
constexpr int sampling_most_fused = 8;      // components
constexpr int small_piece = 32;             // samples that one thread sums; of others a warp does

// Uniform numbers that are there already: the blocks of 2^log_samples samples made last, one coordinate after the other.
struct number_ring_shape {
  int log_samples;
  int64 blocks;  // a power of two
};
TESSERA_HD int64 place_in_ring(const number_ring_shape &r, int ndim, int64 sample, int j) {
  const int64 block = (sample >> r.log_samples) & (r.blocks - 1), within = sample & ((int64{1} << r.log_samples) - 1);
  return ((block * ndim + j) << r.log_samples) + within;
}
struct given_numbers {
  const double *numbers;  // in (0, 1]
  const double *shift;    // [ndim] modulo 1; null: none
  number_ring_shape ring;
};
// Into (0, 1): neither end is taken, as with Philox.
TESSERA_HD double shifted_number(double u, double shift) {
  const double v = u + shift;
  return between(v > 1.0 ? v - 1.0 : v, 1.1102230246251565404e-16, 0.99999999999999988898);  // 2^-53, 1 - 2^-53
}

// Threads that sum a piece, of so many samples in so many pieces: what they have is folded at the price of several samples for each.
TESSERA_HD int team_for(int64 samples, int64 pieces) {
  constexpr int64 each = 16;
  int team = 1;
  while (team < 32 && each * team * pieces < samples) team *= 2;
  return team;
}

struct listed_piece {
  int64 first;
  int cube, count;
  double weight, share;  // share: training_share()
  TESSERA_HD sample_piece piece() const { return {cube, first, count, weight}; }
};

// Grid and strata of VEGAS, which stay on the device. Chunks of cubes are in groups of group_chunks.
constexpr int group_chunks = chunk_cubes, most_chunk_groups = most_cube_chunks / group_chunks;
struct share_totals {
  double wishes[most_chunk_groups];           // of each group
  unsigned chunks_wished[most_chunk_groups];  // of each group those whose wishes are there
  int64 group_samples[most_chunk_groups], group_pieces[most_chunk_groups];
  int64 left, pieces;  // samples that rounding down has left; pieces of the cubes
  uint64 failed;       // the first piece whose sum is not finite; 2^64 - 1: none
  uint64 squares[2];   // of what each point has counted in the training, lower word first: the order does not matter
  unsigned arrived;
};
struct course_arguments {
  int ndim;
  shared_samples shared;
  int64 uniform;  // scouts, behind the samples of the cubes
  bool known;     // spread is that of earlier iterations
  double *spread, *wishes;
  int64 *counts, *cube_piece;           // of each cube: samples, and its first piece
  double *chunk_wishes;                 // of each chunk of cubes
  int64 *chunk_samples, *chunk_pieces;  // likewise
  share_totals *totals;
  int log_part;  // a part begins with the first piece behind 2^log_part samples more
  int parts;
  int part, part_end;               // those of a launch
  int together;                     // tiles whose pieces a block sums
  int groups;                       // of so many tiles that a part may have
  bool all_marks;                   // there are marks of all samples, not only of those of a launch
  int64 *part_piece, *part_sample;  // first ones of each part, and the ends
  unsigned *part_arrived;           // groups of each part whose pieces are summed
  listed_piece *list;
  int *marks;            // pieces that have every marked_samples-th sample; behind them the last one
  const double *before;  // spreads of the last cut, `cells` of which are those behind the new ones
  const int *cells;
  double *edges;
  double damping;
  bool believe_all;
};
// What a launch leaves on the host.
struct course_result {
  int64 failed;  // piece, -1: none
};

struct sampling_arguments {
  sample_pass pass;                       // its pointers are on the device
  sample_cells cells[sampling_near_dim];  // where there are no more axes
  philox_keys keys;
  // Pieces: of a plain pass by this formula, else by a list.
  sample_cut cut;
  int64 first, samples;
  course_arguments course;
  int64 first_piece, end_piece;
  int64 block_pieces;   // that a block sums
  int64 first_block;    // of the fused kernel: that of this launch among those of all devices
  int64 shift_blocks;   // of the fused kernel: blocks with the pieces of one shift
  int team;             // threads that sum a piece where none is long, a power of two
  given_numbers given;  // in place of Philox
  // A chunk's samples.
  int64 first_sample, count;
  double *x;  // coordinate j of point i: x[j*stride + i]; antithetic points come after all others
  double *f;  // component k: f[k*stride + i]
  int64 stride;
  const void *params;  // the user's parameter block
  // Results of the blocks.
  sample_sums *partial;  // [blocks][ncomp]
  int64 *failed;         // [blocks]: a block's first piece whose sum is not finite, -1: none
  double *spread;        // of each piece of the list
  uint64 *training;      // [ndim][grid_bins]
  course_result *result;
  sample_sums *part_sums;  // [parts][ncomp], of an iteration of VEGAS
  user_answer *answer;
};

}  // namespace tessera
