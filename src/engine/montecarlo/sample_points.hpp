// Points of a Monte Carlo pass in arrays, one axis after the other: for the host, and to tell a point's coordinates.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "../../core/random123.hpp"
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
    for (int64 i = 0; i < samples; ++i)
      host_pair(keys, pass.stream, static_cast<uint64>(first + i), static_cast<uint32>(j / 2), x[i], next[i]);
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

// Uniform numbers to the user's coordinates, for points from .. to-1, which are of one cube.
inline void map_samples(const sample_pass &pass, const sample_axis *axes, int ndim, int64 cube, int64 from, int64 to,
                        const sample_arrays &points) {
  double *jacobian = points.jacobian, *grid = points.grid;
  const bool scout = cube == scouts;
  uint32 cells = static_cast<uint32>(cube);  // of the axes to come
  if (pass.edges) std::fill(grid + from, grid + to, 1.0);
  for (int j = 0; j < ndim; ++j) {
    const sample_axis axis = axes[j];
    double *x = points.x + j * points.ldx;
    if (pass.edges) {
      const grid_table edges = {pass.edges + j * grid_edges};
      const sample_cells c = pass.cells[j];
      const int cell = scout ? 0 : take_cell(c, cells);
      unsigned char *bins = points.bins + j * points.ldx;
      for (int64 i = from; i < to; ++i) {
        int bin;
        x[i] = place_on_axis(edges, scout, cell, c.width, x[i], grid[i], bin);
        bins[i] = static_cast<unsigned char>(bin);
      }
    }
    if (axis.map.kind == axis_finite) {
      for (int64 i = from; i < to; ++i) x[i] = user_coordinate<axes_finite>(axis, x[i], jacobian[i]);
    } else {
      for (int64 i = from; i < to; ++i) x[i] = user_coordinate<axes_any>(axis, x[i], jacobian[i]);
    }
  }
  if (!pass.edges) return;
  for (int64 i = from; i < to; ++i) {
    const sample_weight weight = weight_of_sample(grid[i], pass.share, scout);
    jacobian[i] *= weight.factor;
    points.boost[i] = weight.boost;
  }
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
