// Points of Monte Carlo in a kernel, by their index or one after the other. Part of a text that is compiled at run time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../device/user_function.cuh"
#include "piece_sums.cuh"

#ifndef TESSERA_ANTITHETIC
#define TESSERA_ANTITHETIC 0
#define TESSERA_GIVEN 0
#define TESSERA_THREEFRY 0
#endif
// TESSERA_GRID, TESSERA_SOBOL, TESSERA_LIST: piece_sums.cuh. TESSERA_GIVEN: the random numbers are in memory. TESSERA_SOBOL, TESSERA_THREEFRY: these make the points;
// otherwise Philox.

extern "C" {
__constant__ tessera::sample_axis tessera_axes[TESSERA_NDIM];
}

namespace tessera {

constexpr int pairs = (dim + 1) / 2;
constexpr int halves = TESSERA_ANTITHETIC ? 2 : 1;
static_assert(!TESSERA_WEIGHTS || coordinates == dim + weight_coordinates, "");
constexpr bool near_point = dim <= sampling_near_dim;
constexpr bool near_training = dim <= sampling_near_training;
constexpr bool near_grid = dim <= sampling_near_grid;
constexpr bool weights = TESSERA_AXES == axes_any || TESSERA_GRID;

// ---- Points --------------------------------------------------------------------------------------------------------------
// The coordinates in (0,1) of point `half` of a sample go to take(j, u); inner(pair) is the pair's half of Philox.
template <class Inner, class Take>
__device__ __forceinline__ void each_coordinate(const philox_keys &keys, const philox_half &outer, int half,
                                                Inner inner, Take take) {
#pragma unroll(near_point ? pairs : 1)
  for (int pair = 0; pair < pairs; ++pair) {
    double u, v;
    uniform_pair(keys, outer, inner(pair), u, v);
    take(2 * pair, TESSERA_ANTITHETIC && half != 0 ? 1.0 - u : u);
    if (2 * pair + 1 < dim) take(2 * pair + 1, TESSERA_ANTITHETIC && half != 0 ? 1.0 - v : v);
  }
}

template <class Take>
__device__ __forceinline__ void each_threefry_coordinate(const sample_pass &pass, uint64 index, int half, Take take) {
#pragma unroll(near_point ? (dim + 3) / 4 : 1)
  for (int group = 0; group < (dim + 3) / 4; ++group) {
    double u[4];
    uniform_four(pass.seed, pass.stream, index, static_cast<uint32>(group), u);
#pragma unroll
    for (int i = 0; i < 4; ++i)
      if (4 * group + i < dim) take(4 * group + i, TESSERA_ANTITHETIC && half != 0 ? 1.0 - u[i] : u[i]);
  }
}

// The same of Sobol points, one by one.
template <class Take>
__device__ __forceinline__ void each_sobol_coordinate(const sobol_net &net, uint64 index, int half, Take take) {
#pragma unroll(near_point ? dim : 1)
  for (int j = 0; j < dim; ++j) {
    const double u = uniform52(sobol_digits(sobol_axis(net, j), net.columns, index));
    take(j, TESSERA_ANTITHETIC && half != 0 ? 1.0 - u : u);
  }
}

// The same from memory.
template <class Take>
__device__ __forceinline__ void each_given_coordinate(const given_numbers &g, int64 index, int half, Take take) {
  const double *const numbers = g.numbers + place_in_ring(g.ring, dim, index, 0);
#pragma unroll(near_point ? dim : 1)
  for (int j = 0; j < dim; ++j) {
    const double u = shifted_number(numbers[static_cast<int64>(j) << g.ring.log_samples], g.shift ? g.shift[j] : 0.0);
    take(j, TESSERA_ANTITHETIC && half != 0 ? 1.0 - u : u);
  }
}

__device__ __forceinline__ double coordinate_of(int j, double u, double &jacobian) {
  return user_coordinate<TESSERA_AXES>(tessera_axes[j], u, jacobian);
}

// Weight and iteration behind the coordinates of a point of a piece.
__device__ __forceinline__ void add_weight(const sample_pass &pass, const sample_piece &piece, double jacobian,
                                           double *x) {
#if TESSERA_WEIGHTS
  x[dim] = weight_of_point(pass, piece) * jacobian;
  x[dim + 1] = pass.iteration;
#endif
}

// The grid of axis j: in far memory, or the intervals in near memory.
struct far_grid {
  const double *edges;
  __device__ __forceinline__ grid_table axis(int j) const { return {edges + j * grid_edges}; }
};
struct near_table {
  const grid_interval *intervals;
  __device__ __forceinline__ double edge(int b) const { return intervals[b].low; }
  __device__ __forceinline__ grid_interval at(int b) const {
    const double2 both = *reinterpret_cast<const double2 *>(intervals + b);  // one access
    return {both.x, both.y};
  }
};
struct near_grid_of_axes {
  const double *edges;
  const grid_interval *intervals;
  __device__ __forceinline__ near_table axis(int j) const { return {intervals + j * grid_bins}; }
};
struct far_grid_of_axes {
  const double *edges;
  const grid_interval *intervals;
  __device__ __forceinline__ grid_table axis(int j) const { return {edges + j * grid_edges}; }
};
template <bool near>
struct choice_of_grid {
  using type = far_grid_of_axes;
};
template <>
struct choice_of_grid<true> {
  using type = near_grid_of_axes;
};
using grid_of_axes = choice_of_grid<near_grid>::type;

// A point of a sample by its index, with what the grid has to say.
struct sample_point {
  double x[coordinates];
  double jacobian, boost;
  unsigned bins[TESSERA_LIST ? (dim + 3) / 4 : 1];  // four to a word

  // cells: of the axes, where there is a list.
  template <class Grid>
  __device__ __forceinline__ void make(const sampling_arguments &a, const Grid &edges, const sample_cells *cells,
                                       uint64 index, int64 cube, int half) {
    const auto take = [&](int j, double u) { x[j] = u; };
    if (TESSERA_GIVEN)
      each_given_coordinate(a.given, static_cast<int64>(index), half, take);
    else if (TESSERA_SOBOL)
      each_sobol_coordinate(a.pass.sobol, index, half, take);
    else if (TESSERA_THREEFRY)
      each_threefry_coordinate(a.pass, index, half, take);
    else
      each_coordinate(
          a.keys, half_of_index(a.keys, a.pass.stream, index), half,
          [&](int pair) { return half_of_pair(a.keys, index, static_cast<uint32>(pair)); }, take);
#if TESSERA_GRID
    sample_weight w;
    if (cube == scouts)
      w = place<true>(edges, cells, 0, a.pass.scouting);
    else
      w = place<false>(edges, cells, static_cast<uint32>(cube), a.pass.scouting);
#else
    constexpr sample_weight w = {1.0, 1.0};
#endif
    jacobian = 1.0;
#pragma unroll(near_point ? dim : 1)
    for (int j = 0; j < dim; ++j) x[j] = coordinate_of(j, x[j], jacobian);
    jacobian *= w.factor;
    boost = w.boost;
  }

  // Samples of the grid go to their cells of its coordinate, and on; scouts stay where they are, and learn its jacobian there.
  template <bool scout, class Grid>
  __device__ __forceinline__ sample_weight place(const Grid &edges, const sample_cells *cells, uint32 cube,
                                                 double scouting) {
    double grid = 1.0;
    int upper = 0;  // the largest upper word of a place
#pragma unroll(near_point ? dim : 1)
    for (int j = 0; j < dim; ++j) {
      int bin;
      if (scout) {
        grid *= grid_width(edges.axis(j), x[j], bin);
      } else {
        if (TESSERA_LIST) {
          const sample_cells c = cells[j];
          x[j] = place_in_cell(whole_number(take_cell(c, cube)), c.width, x[j]);
        }
        const place_in_grid place = find_in_grid(x[j]);
        bin = place.bin;
        x[j] = go_to_place(edges.axis(j).at(bin), place.behind, grid);
        upper = max(upper, __double2hiint(x[j]));
      }
      if (!TESSERA_LIST) continue;
      const unsigned shifted = static_cast<unsigned>(bin) << (8 * (j % 4));
      unsigned &word = bins[TESSERA_LIST ? j / 4 : 0];
      word = j % 4 == 0 ? shifted : word | shifted;
    }
    if (upper >= __double2hiint(1.0)) {  // hardly ever
#pragma unroll(near_point ? dim : 1)
      for (int j = 0; j < dim; ++j) x[j] = below_one(x[j]);
    }
    return weight_of_sample(grid, scouting, scout);
  }
};

// ---- Sobol points of the fused kernel ------------------------------------------------------------------------------------
// A thread takes every 128th point of a piece. The Gray code is taken of the lower seven bits of the index and of the others apart: then a
// thread's next point differs by one column, the same one for all threads where the piece begins at a multiple of 128. (Column 6 is in
// all those behind it, which puts right what becomes of bit 6.)
constexpr int lower_columns = 7;
static_assert(sampling_block == 1 << lower_columns, "");
__device__ __forceinline__ uint64 code_of(uint64 index) {
  const uint64 upper = index >> lower_columns;
  return gray_code(index & (sampling_block - 1)) | gray_code(upper) << lower_columns;
}

// The columns of a block's shift, and a point; in near memory where coordinates are in registers.
struct near_net {
  uint64 columns[near_point ? sobol_most_log : 1][near_point ? dim : 1];
  uint64 point[near_point ? dim : 1];
};
__device__ __forceinline__ uint64 column_at(const sobol_net &net, int j, int c) {
  const uint64 *const axis = sobol_axis(net, j);
  return c < lower_columns ? axis[c] : axis[c] ^ axis[lower_columns - 1];
}
__device__ __forceinline__ void fetch_columns(const sobol_net &net, near_net &near) {
  if (!near_point) return;
  for (int i = static_cast<int>(threadIdx.x); i < net.columns * dim; i += sampling_block)
    near.columns[near_point ? i / dim : 0][near_point ? i % dim : 0] = column_at(net, i % dim, i / dim);
}
__device__ __forceinline__ void fetch_point(const sobol_net &net, int64 index, near_net &near) {
  const int j = static_cast<int>(threadIdx.x);
  if (near_point && j < dim)
    near.point[near_point ? j : 0] = sobol_digits(sobol_axis(net, j), net.columns, static_cast<uint64>(index));
}

// The point as a thread has it.
struct walking_point {
  uint64 digits[dim];

  __device__ __forceinline__ void change(const sobol_net &net, const near_net &near, int c) {
#pragma unroll(near_point ? dim : 1)
    for (int j = 0; j < dim; ++j)
      digits[j] ^= near_point ? near.columns[near_point ? c : 0][near_point ? j : 0] : column_at(net, j, c);
  }
  // The piece's first point.
  __device__ __forceinline__ void begin(const sobol_net &net, const near_net &near, int64 first) {
#pragma unroll(near_point ? dim : 1)
    for (int j = 0; j < dim; ++j)
      digits[j] = near_point ? near.point[near_point ? j : 0]
                             : sobol_digits(sobol_axis(net, j), net.columns, static_cast<uint64>(first));
  }
};

}  // namespace tessera
