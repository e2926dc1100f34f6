// One pass of Monte Carlo as plain data for every backend, and the work on one sample, which is the same for all.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../core/moments.hpp"
#include "../../core/sample_map.hpp"
#include "../../core/sobol.hpp"
#include "../../core/threefry.hpp"
#include "../known_axes.hpp"

namespace tessera {

// A pass evaluates pieces of strata: consecutive samples `first` ... of one cube of the stratification, two at least. The estimate is
// the sum over the pieces of weight times mean. A sample is a point, or the mean over an antithetic pair.
// Pieces of cube -1 are scouts: uniform samples, so that what the grid has lost sight of can still be found.
struct sample_piece {
  int64 cube, first, count;
  double weight;
};

constexpr int64 scouts = -1;
constexpr int64 least_samples = 2;             // of a piece and of a cube
constexpr int64 most_piece = 16384;            // samples
constexpr int64 cut_samples = int64{1} << 20;  // of which pieces are made together

// How consecutive samples are cut into pieces: pieces of most_piece samples for every cut_samples of them, and what is left in
// pieces of nearly equal size. So samples may be cut into stretches of whole cut_samples first.
struct sample_cut {
  int64 whole;        // pieces of most_piece samples, which come first
  int64 rest, parts;  // samples of the others, and their number
};
TESSERA_HD sample_cut cut_into_pieces(int64 samples) {
  int64 rest = samples % cut_samples;
  if (rest > 0 && rest < least_samples && samples > cut_samples) rest += cut_samples;
  return {(samples - rest) / most_piece, rest, (rest + most_piece - 1) / most_piece};
}
TESSERA_HD int64 pieces_of(const sample_cut &c) { return c.whole + c.parts; }
// Samples before piece p.
TESSERA_HD int64 samples_before(const sample_cut &c, int64 p) {
  if (p <= c.whole) return p * most_piece;
  const int64 i = p - c.whole, least = c.rest / c.parts, longer = c.rest % c.parts;
  return c.whole * most_piece + i * least + (i < longer ? i : longer);
}

// Cells of the stratification along an axis. cube/cells is ((cube + 1) * inverse) >> 32 for 2^20 cubes and up to most_divided cells; an axis
// with more is the only one that has several, and its cell is the cube's index.
constexpr int most_divided = 2048;
struct sample_cells {
  double width;
  uint32 inverse, less;  // less: -cells, by which a device can multiply as it is
  int cells;
};
TESSERA_HD sample_cells cells_of(int cells) {
  const uint32 n = static_cast<uint32>(cells);
  return {1.0 / cells, cells <= most_divided ? 0xffffffffu / n : 0, 0 - n, cells};
}
// The cell along this axis; leaves the rest of the cube's index.
TESSERA_HD int take_cell(const sample_cells &c, uint32 &cube) {
  const uint32 rest = high_product(cube + 1, c.inverse), cell = cube + rest * c.less;
  cube = rest;
  return static_cast<int>(cell);
}

// Pieces of samples of a cube; first: its first sample, of: samples that weigh `weight` together.
template <class Pieces>
void add_pieces(Pieces &to, int64 cube, int64 first, int64 samples, double weight, double of) {
  if (samples <= most_piece) {  // as most cubes have
    to.push_back({cube, first, samples, weight * static_cast<double>(samples) / of});
    return;
  }
  const sample_cut cut = cut_into_pieces(samples);
  for (int64 p = 0; p < pieces_of(cut); ++p) {
    const int64 before = samples_before(cut, p), n = samples_before(cut, p + 1) - before;
    to.push_back({cube, first + before, n, weight * static_cast<double>(n) / of});
  }
}

// Of `left` samples those of the next call: no rest that is too small.
TESSERA_HD int64 part_of(int64 left, int64 most) {
  const int64 n = left < most ? left : most;
  return left - n < least_samples ? left : n;
}

struct sample_pass {
  uint64 seed;
  uint32 stream;
  bool antithetic;
  int64 shift;                // that its points have; -1: none
  int64 cube;                 // of which all samples are, where there is no list of pieces; scouts: none
  sobol_net sobol;            // of the shift
  bool threefry;              // the points are Threefry's; otherwise and without Sobol points Philox's
  const sample_cells *cells;  // of each axis; the first one's is the cube's index modulo their number; null: one cube
  const double *edges;        // grid_edges for each axis; null: no importance sampling
  const double *scale;        // inverse mean squares of the components, for training and for spreads
  double samples;             // of the grid in the whole iteration
  double scouting;            // scouts for each sample of the grid
  double most_quantum;        // of the training
  uint32 training_skip;       // see is_training_sample()
  double
      point_weight;  // of a point in the estimate of its iteration, where a piece counts as its samples; see weight_of_point()
  double iteration;  // 1, 2, ...
  double unit;       // a power of two by which all values are multiplied, so that their squares stay in range
};

// Points of nets do not train the grid.
TESSERA_HD bool is_training(const sample_pass &p) { return p.edges && !p.sobol.axes; }
// Of an iteration with more samples than the grid needs to learn, one group of 32 in 2^k counts, k from 0 on. They are chosen as by chance,
// so that this has nothing to do with the order of the cubes.
constexpr int64 training_samples = int64{1} << 20;
constexpr int training_group = 32;
TESSERA_HD uint32 training_skip_of(double samples) {
  uint32 skip = 0;
  while (skip < 0x00ffffffu && samples >= 2.0 * training_samples * (skip + 1.0)) skip = 2 * skip + 1;
  return skip;
}
TESSERA_HD bool is_training_sample(const sample_pass &p, int64 index) {
  const uint64 group = static_cast<uint64>(index) / training_group;
  uint32 mixed = (static_cast<uint32>(group) ^ static_cast<uint32>(group >> 32)) * 0xd2511f53u;
  mixed = (mixed ^ mixed >> 15) * 0xcd9e8d57u;
  return (mixed >> 8 & p.training_skip) == 0;
}

// Piece p of samples that are the only ones of a pass.
TESSERA_HD sample_piece plain_piece(const sample_cut &c, int64 cube, int64 first, int64 samples, int64 p) {
  const int64 before = samples_before(c, p), n = samples_before(c, p + 1) - before;
  return {cube, first + before, n, static_cast<double>(n) / static_cast<double>(samples)};
}

TESSERA_HD int points_of_sample(const sample_pass &p) { return p.antithetic ? 2 : 1; }

// What the value at a point of a piece counts, times the point's jacobian, in the integral over the user's domain.
TESSERA_HD double weight_of_point(const sample_pass &p, const sample_piece &piece) {
  return p.point_weight * (piece.weight / static_cast<double>(piece.count));
}
constexpr int weight_coordinates = 2;  // weight and iteration, behind the others

TESSERA_HD double place_in_cell(double cell, double width, double u) { return rounded_product(cell + u, width); }

// And on to the user's coordinate, on axes of a known kind.
template <int known>
TESSERA_HD double user_coordinate(const sample_axis &a, double u, double &jacobian) {
  if (known == axes_unit) return u;
  return known == axes_finite ? between(a.lower + a.length * u, a.map.first, a.map.last)
                              : sample_coordinate(a, u, jacobian);
}

// What a point tells the grid: its share of the integral of the squared components, in 2^-16 of the mean over the points. Integers,
// so that the order in which points are counted does not matter.
TESSERA_HD uint64 training_quantum(const sample_pass &p, double squares, double share) {
  const double q = 65536.0 * squares * share;
  // most_quantum is far below 2^63, and conversions to signed integers are the faster ones.
  return static_cast<uint64>(static_cast<int64>(q < p.most_quantum ? q : p.most_quantum));
}
// The number of points that a point of the piece stands for, 1 on the average.
TESSERA_HD double training_share(const sample_pass &p, const sample_piece &piece) {
  return p.samples * piece.weight / static_cast<double>(piece.count);
}

}  // namespace tessera
