// Points of a Monte Carlo pass in arrays, one axis after the other: for the host, and to tell a point's coordinates.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "../../core/philox_lanes.hpp"
#include "../machine.hpp"
#include "sampling_pass.hpp"

namespace tessera {

// Coordinate j of point i is x[j*ldx + i]. Antithetic points come after all others. grid, boost and bins are for passes with a grid.
struct sample_arrays {
  double *x;
  int64 ldx;
  double *jacobian;
  double *grid, *boost;  // the grid's jacobian, and sample_weight::boost
  unsigned char *bins;   // bins[j*ldx + i]
};

inline void fill_sobol(const sobol_net &net, int ndim, int64 first, int64 samples, const sample_arrays &to) {
  for (int j = 0; j < ndim; ++j) {
    const uint64 *axis = sobol_axis(net, j);
    double *x = to.x + j * to.ldx;
    uint64 digits = sobol_digits(axis, net.columns, static_cast<uint64>(first));
    x[0] = uniform52(digits);
    for (int64 i = 1; i < samples; ++i) {
      digits ^= axis[lowest_bit(static_cast<uint64>(first + i))];
      x[i] = uniform52(digits);
    }
  }
}

inline void fill_threefry(const sample_pass &pass, int ndim, int64 first, int64 samples, const sample_arrays &to) {
  for (int j = 0; j < ndim; j += 4) {
    double u[4];
    for (int64 i = 0; i < samples; ++i) {
      host_four(pass.seed, pass.stream, static_cast<uint64>(first + i), static_cast<uint32>(j / 4), u);
      for (int l = 0; l < 4 && j + l < ndim; ++l) to.x[(j + l) * to.ldx + i] = u[l];
    }
  }
}

// Uniform numbers of the samples from `first` on, which follow each other.
inline void fill_uniform(const sample_pass &pass, int ndim, int64 first, int64 samples, const sample_arrays &to) {
  if (pass.sobol.axes) return fill_sobol(pass.sobol, ndim, first, samples, to);
  if (pass.threefry) return fill_threefry(pass, ndim, first, samples, to);
  const philox_keys keys = keys_of(pass.seed);
  for (int j = 0; j < ndim; j += 2) {
    double *x = to.x + j * to.ldx,
           *next = j + 1 < ndim ? x + to.ldx : to.jacobian;  // of the last pair half may be unused
    host_pairs(keys, pass.stream, static_cast<uint64>(first), samples, static_cast<uint32>(j / 2), x, next);
  }
}

// Antithetic points beside n of them, `mirror` places behind, and jacobians of 1.
inline void complete_samples(const sample_pass &pass, int ndim, int64 n, int64 mirror, const sample_arrays &to) {
  std::fill_n(to.jacobian, n, 1.0);
  if (!pass.antithetic) return;
  for (double *x = to.x; x != to.x + ndim * to.ldx; x += to.ldx)
    for (int64 i = 0; i < n; ++i) x[mirror + i] = 1.0 - x[i];
  std::fill_n(to.jacobian + mirror, n, 1.0);
}

// Samples of the grid that are in its coordinate already to their places, in steps that a processor can take for several at a time.
inline void place_in_grid_of(const grid_table &edges, int64 n, double *x, double *jacobian, unsigned char *bins) {
  constexpr int together = 64;
  double behind[together], low[together], slope[together];
  int bin[together];
  for (int64 i = 0; i < n; i += together, x += together, jacobian += together, bins += together) {
    const int m = static_cast<int>(n - i < together ? n - i : together);
    for (int l = 0; l < m; ++l) {
      const place_in_grid place = find_in_grid(x[l]);
      behind[l] = place.behind;
      bin[l] = place.bin;
    }
    for (int l = 0; l < m; ++l) {
      const grid_interval in = edges.at(bin[l]);
      low[l] = in.low;
      slope[l] = in.slope;
    }
    for (int l = 0; l < m; ++l) x[l] = below_one(go_to_place({low[l], slope[l]}, behind[l], jacobian[l]));
    for (int l = 0; l < m; ++l) bins[l] = static_cast<unsigned char>(bin[l]);
  }
}

// What the grid says of scouts, which are uniform: their intervals and its jacobian, for several at a time.
inline void look_up_in_grid(const grid_table &edges, int64 n, const double *x, double *jacobian, unsigned char *bins) {
  constexpr int together = 16;
  for (int64 i = 0; i < n; i += together) {
    const int m = static_cast<int>(n - i < together ? n - i : together);
    double u[together] = {};
    int bin[together];
    for (int l = 0; l < m; ++l) u[l] = x[i + l];
    intervals_of<together>(edges, u, bin);
    for (int l = 0; l < m; ++l) jacobian[i + l] *= edges.at(bin[l]).slope;
    for (int l = 0; l < m; ++l) bins[i + l] = static_cast<unsigned char>(bin[l]);
  }
}

// Points from .. to-1 of one cube, or scouts, which come behind all others.
struct points_of_cube {
  int64 cube, from, to;
  uint32 rest;  // of the cube's index, for the axes to come
};

// Samples to their cells along an axis, each of the cubes, which follow each other. A cube has few samples, now more, now less: loops over
// them would be guessed wrong. So the cells are written for a fixed number first, those of later cubes over what is too many. room[]: as x.
inline void place_in_cells(const sample_cells &cells, points_of_cube *cubes, int64 many, double *x, double *room) {
  constexpr int64 usual = 8;
  const int64 first = cubes[0].from, end = cubes[many - 1].to;
  for (points_of_cube *c = cubes; c < cubes + many; ++c) {
    const double cell = whole_number(take_cell(cells, c->rest));
    if (c->from + usual <= end)
      for (int64 i = 0; i < usual; ++i) room[c->from + i] = cell;
    for (int64 i = c->from + usual <= end ? c->from + usual : c->from; i < c->to; ++i) room[i] = cell;
  }
  for (int64 i = first; i < end; ++i) x[i] = place_in_cell(room[i], cells.width, x[i]);
}

// Uniform numbers to the user's coordinates, for points that follow each other, of `many` cubes.
inline void map_samples(const sample_pass &pass, const sample_axis *axes, int ndim, points_of_cube *cubes, int64 many,
                        const sample_arrays &points) {
  double *jacobian = points.jacobian, *grid = points.grid;
  const int64 from = cubes[0].from, to = cubes[many - 1].to;
  int64 of_grid = 0;
  while (of_grid < many && cubes[of_grid].cube != scouts) ++of_grid;
  const int64 end = of_grid == 0 ? from : cubes[of_grid - 1].to;
  if (pass.edges) std::fill(grid + from, grid + to, 1.0);
  for (int64 c = 0; c < many; ++c) cubes[c].rest = static_cast<uint32>(cubes[c].cube);
  for (int j = 0; j < ndim; ++j) {
    const sample_axis axis = axes[j];
    double *x = points.x + j * points.ldx;
    if (pass.edges) {
      const grid_table edges = {pass.edges + j * grid_edges};
      const sample_cells cells = pass.cells[j];
      unsigned char *bins = points.bins + j * points.ldx;
      if (cells.cells > 1 && of_grid > 0) place_in_cells(cells, cubes, of_grid, x, points.boost);
      place_in_grid_of(edges, end - from, x + from, grid + from, bins + from);
      look_up_in_grid(edges, to - end, x + end, grid + end, bins + end);
    }
    if (axis.map.kind == axis_finite) {
      for (int64 i = from; i < to; ++i) x[i] = user_coordinate<axes_finite>(axis, x[i], jacobian[i]);
    } else {
      for (int64 i = from; i < to; ++i) x[i] = user_coordinate<axes_any>(axis, x[i], jacobian[i]);
    }
  }
  if (!pass.edges) return;
  const auto weigh = [&](int64 first, int64 behind, bool scout) {
    for (int64 i = first; i < behind; ++i) {
      const sample_weight weight = weight_of_sample(grid[i], pass.scouting, scout);
      jacobian[i] *= weight.factor;
      points.boost[i] = weight.boost;
    }
  };
  weigh(from, end, false);
  weigh(end, to, true);
}

// Weight and iteration behind the coordinates of points from .. to-1, which are of one piece and have their jacobians.
inline void fill_weights(const sample_pass &pass, const sample_piece &piece, int ndim, int64 from, int64 to,
                         const sample_arrays &points) {
  const double one = weight_of_point(pass, piece);
  double *weight = points.x + ndim * points.ldx;
  for (int64 i = from; i < to; ++i) weight[i] = one * points.jacobian[i];
  std::fill(weight + points.ldx + from, weight + points.ldx + to, pass.iteration);
}

}  // namespace tessera
