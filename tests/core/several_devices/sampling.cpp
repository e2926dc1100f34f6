// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels.hpp"
#include "cuda/lattice/lattice_problem.hpp"
#include "cuda/montecarlo/montecarlo_problem.hpp"
#include "engine/lattice/lattice_points.hpp"
#include "engine/montecarlo/grid_steps.hpp"
#include "engine/montecarlo/sample_points.hpp"

using namespace tessera;

namespace {

// ---- Lattice rules -----------------------------------------------------------------------------------------------------------
void lattice(const lattice_arguments &a, int64 many) {
  const int nd = ndim(), nc = ncomp();
  lattice_pass pass = a.pass;
  if (nd <= lattice_near_dim) pass.z = reinterpret_cast<const uint64 *>(&a + 1);
  const std::vector<unit_axis> axes(static_cast<std::size_t>(nd), {axis_finite, 0.0, 1.0, 0.0, 1.0, 0.0});
  for (int64 b = 0; b < many; ++b) {
    const int64 run = a.first_run + b, shift = run / a.runs_per_shift,
                begin = (run - shift * a.runs_per_shift) * a.units_per_run,
                lowest = a.first_unit - shift * a.units_per_shift, highest = a.end_unit - shift * a.units_per_shift;
    const int64 from = std::max(begin, lowest), to = std::min({begin + a.units_per_run, a.units_per_shift, highest});
    std::vector<compensated_sum> sums(static_cast<std::size_t>(nc));
    const int64 first = std::min(pass.count, from * unit_points(a.lanes)),
                n = std::min(pass.count, to * unit_points(a.lanes)) - first;
    std::vector<double> x(static_cast<std::size_t>(nd * n)), jacobian(static_cast<std::size_t>(n), 1.0),
        f(static_cast<std::size_t>(nc));
    fill_points(pass, axes.data(), nd, false, pass.first_shift + shift, first, n, {x.data(), n, jacobian.data()});
    for (int64 i = 0; i < n; ++i) {
      values_at(&x[static_cast<std::size_t>(i)], n, f.data());
      for (int k = 0; k < nc; ++k)
        sums[static_cast<std::size_t>(k)].add(f[static_cast<std::size_t>(k)] * jacobian[static_cast<std::size_t>(i)]);
    }
    std::copy(sums.begin(), sums.end(), a.partial + b * nc);
  }
}

// ---- Monte Carlo -------------------------------------------------------------------------------------------------------------
// Weighted values v[k * count + i] of the samples of a piece; train(points' bins, squares, boost) for each point.
template <class Train>
std::vector<double> values_of(const sampling_arguments &a, const sample_pass &pass, const sample_piece &piece,
                              const Train &train) {
  const int nd = ndim(), nc = ncomp();
  const int64 n = piece.count, points = n * points_of_sample(pass);
  const auto many = static_cast<std::size_t>(points);
  std::vector<double> x(many * static_cast<std::size_t>(nd)), jacobian(many), grid(many), boost(many),
      f(static_cast<std::size_t>(nc)), v(static_cast<std::size_t>(n * nc), 0.0);
  std::vector<unsigned char> bins(many * static_cast<std::size_t>(nd));
  const sample_arrays to = {x.data(), points, jacobian.data(), grid.data(), boost.data(), bins.data()};
  fill_uniform(pass, nd, piece.first, n, to);
  complete_samples(pass, nd, n, n, to);
  sample_axis axis = {};
  axis.map.kind = axis_finite;
  axis.length = 1.0;
  axis.map.last = 1.0;
  const std::vector<sample_axis> axes(static_cast<std::size_t>(nd), axis);
  std::vector<sample_cells> one(static_cast<std::size_t>(nd), cells_of(1));
  sample_pass cut = pass;
  if (pass.edges && !pass.cells) cut.cells = one.data();
  points_of_cube all = {piece.cube, 0, points, 0};
  map_samples(cut, axes.data(), nd, &all, 1, to);
  for (int64 i = 0; i < points; ++i) {
    values_at(&x[static_cast<std::size_t>(i)], points, f.data());
    double squares = 0.0;
    for (int k = 0; k < nc; ++k) {
      const double w = pass.unit * f[static_cast<std::size_t>(k)] * jacobian[static_cast<std::size_t>(i)];
      v[static_cast<std::size_t>(k * n + i % n)] += pass.antithetic ? 0.5 * w : w;
      if (pass.scale) squares += w * w * a.pass.scale[k];
    }
    train(&bins[static_cast<std::size_t>(i)], points, squares, boost[static_cast<std::size_t>(i)]);
  }
  return v;
}
void no_training(const unsigned char *, int64, double, double) {}

stratum_estimate estimate_of(const double *v, int64 n) {
  sample_moments m;
  for (int64 i = 0; i < n; ++i) m.add(v[i]);
  return estimate_stratum(m);
}

void sample_sums_of(const sampling_arguments &a, int64 many) {
  for (int64 b = 0; b < many; ++b) {
    const int64 block = a.first_block + b, shift = block / a.shift_blocks,
                begin = (block - shift * a.shift_blocks) * a.block_pieces;
    sample_pass pass = a.pass;
    if (pass.sobol.axes) pass.sobol.axes += shift * sobol_words(ndim(), pass.sobol.columns);
    std::vector<sample_sums> sums(static_cast<std::size_t>(ncomp()));
    for (int64 p = begin; p < std::min(begin + a.block_pieces, a.end_piece); ++p) {
      const sample_piece piece = plain_piece(a.cut, a.pass.cube, a.first, a.samples, p);
      const std::vector<double> v = values_of(a, pass, piece, no_training);
      for (int k = 0; k < ncomp(); ++k)
        sums[static_cast<std::size_t>(k)].add(estimate_of(&v[static_cast<std::size_t>(k * piece.count)], piece.count),
                                              piece.weight);
    }
    std::copy(sums.begin(), sums.end(), a.partial + b * ncomp());
    a.failed[b] = -1;
  }
}

void values_of_chunk(const sampling_arguments &a) {
  for (int64 p = a.first_piece; p < a.end_piece; ++p) {
    const sample_piece piece = plain_piece(a.cut, a.pass.cube, a.first, a.samples, p);
    const std::vector<double> v = values_of(a, a.pass, piece, no_training);
    for (int k = 0; k < ncomp(); ++k)
      std::copy_n(&v[static_cast<std::size_t>(k * piece.count)], piece.count,
                  a.f + k * a.stride + piece.first - a.first_sample);
  }
}
void sums_of_chunk(const sampling_arguments &a, int64 many) {
  for (int64 b = 0; b < many; ++b) {
    std::vector<sample_sums> sums(static_cast<std::size_t>(ncomp()));
    const int64 begin = a.first_piece + b * a.block_pieces;
    for (int64 p = begin; p < std::min(begin + a.block_pieces, a.end_piece); ++p) {
      const sample_piece piece = plain_piece(a.cut, a.pass.cube, a.first, a.samples, p);
      for (int k = 0; k < ncomp(); ++k)
        sums[static_cast<std::size_t>(k)].add(
            estimate_of(a.f + k * a.stride + piece.first - a.first_sample, piece.count), piece.weight);
    }
    std::copy(sums.begin(), sums.end(), a.partial + b * ncomp());
    a.failed[b] = -1;
  }
}

// ---- VEGAS -------------------------------------------------------------------------------------------------------------------
void wishes(const course_arguments &c) {
  c.totals->wishes[0] = 0.0;
  for (int64 h = 0; h < c.shared.cubes; ++h)
    c.totals->wishes[0] += c.wishes[h] = c.known ? wish_of_cube(c.shared, c.spread[h]) : 1.0;
  c.totals->failed = ~uint64{0};
}
void whole(const course_arguments &c) {
  c.totals->left = c.shared.samples;
  for (int64 h = 0; h < c.shared.cubes; ++h)
    c.totals->left -= c.counts[h] = whole_samples(c.shared, c.totals->wishes[0], c.wishes[h]);
}
void all_samples(const course_arguments &c) {
  const left_samples left = share_left(c.shared, c.totals->left);
  c.totals->pieces = 0;
  for (int64 h = 0; h < c.shared.cubes; ++h) {
    c.counts[h] = samples_of_cube(left, h, c.counts[h]);
    c.totals->pieces += pieces_of(cut_into_pieces(c.counts[h]));
  }
}
void list_pieces(const sampling_arguments &a) {
  const course_arguments &c = a.course;
  std::vector<sample_piece> pieces;
  int64 first = 0;
  for (int64 h = 0; h < c.shared.cubes; first += c.counts[h++]) {
    c.cube_piece[h] = static_cast<int64>(pieces.size());
    add_pieces(pieces, h, first, c.counts[h], weight_of_cube(c.shared.cubes), static_cast<double>(c.counts[h]));
  }
  if (c.uniform > 0) add_pieces(pieces, scouts, first, c.uniform, 1.0, static_cast<double>(c.uniform));
  c.part_piece[0] = c.part_sample[0] = 0;
  int part = 1;
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    const sample_piece &q = pieces[p];
    c.list[p] = {q.first, static_cast<int>(q.cube), static_cast<int>(q.count), q.weight, training_share(a.pass, q)};
    const int64 end = q.first + q.count;
    for (; part <= c.parts && (end >> c.log_part >= part || p + 1 == pieces.size()); ++part) {
      c.part_piece[part] = static_cast<int64>(p) + 1;
      c.part_sample[part] = end;
    }
  }
}
void values_of_parts(const sampling_arguments &a) {
  const course_arguments &c = a.course;
  sample_pass pass = a.pass;
  pass.edges = c.edges;
  for (int64 p = c.part_piece[c.part]; p < c.part_piece[c.part_end]; ++p) {
    const listed_piece listed = c.list[p];
    const auto train = [&](const unsigned char *bins, int64 apart, double squares, double boost) {
      const uint64 quantum = training_quantum(pass, squares * boost, listed.share);
      for (int j = 0; j < ndim(); ++j) a.training[j * grid_bins + bins[j * apart]] += quantum;
      const auto square = static_cast<unsigned __int128>(quantum) * quantum;
      const uint64 low = static_cast<uint64>(square);
      c.totals->squares[0] += low;
      c.totals->squares[1] += static_cast<uint64>(square >> 64) + (c.totals->squares[0] < low ? 1 : 0);
    };
    const std::vector<double> v = values_of(a, pass, listed.piece(), train);
    for (int k = 0; k < ncomp(); ++k)
      std::copy_n(&v[static_cast<std::size_t>(k * listed.count)], listed.count,
                  a.f + k * a.stride + listed.first - c.part_sample[c.part]);
  }
}
void sums_of_parts(const sampling_arguments &a) {
  const course_arguments &c = a.course;
  for (int part = c.part; part < c.part_end; ++part)
    for (int k = 0; k < ncomp(); ++k) {
      sample_sums sums;
      for (int64 p = c.part_piece[part]; p < c.part_piece[part + 1]; ++p) {
        const listed_piece piece = c.list[p];
        const stratum_estimate e = estimate_of(a.f + k * a.stride + piece.first - c.part_sample[c.part], piece.count);
        sums.add(e, piece.weight);
        a.spread[p] = (k == 0 ? 0.0 : a.spread[p]) + e.spread * a.pass.scale[k];
      }
      a.part_sums[static_cast<int64>(part) * ncomp() + k] = sums;
    }
  a.result->failed = -1;
}
void learn(const sampling_arguments &a) {
  const course_arguments &c = a.course;
  const double squares = c.believe_all ? 0.0
                                       : static_cast<double>(c.totals->squares[1]) * 18446744073709551616.0 +
                                             static_cast<double>(c.totals->squares[0]);
  axis_refinement work;
  for (int j = 0; j < ndim(); ++j)
    refine_axis(one_lane(), work, a.training + j * grid_bins, squares, c.damping, c.edges + j * grid_edges);
  std::fill_n(a.training, ndim() * grid_bins, uint64{0});
  for (int64 h = 0; h < c.shared.cubes; ++h) {
    const int64 end = h + 1 < c.shared.cubes ? c.cube_piece[h + 1] : c.totals->pieces;
    double shown = 0.0;
    for (int64 p = c.cube_piece[h]; p < end; ++p)
      shown += a.spread[p] * (static_cast<double>(c.list[p].count) / static_cast<double>(c.counts[h]));
    c.spread[h] = learnt_spread(c.known, c.known ? c.spread[h] : 0.0, shown);
  }
}

// What a kernel reads and writes is the current device's or the host's.
bool is_all_here(const sampling_arguments &a) {
  for (const void *p : {static_cast<const void *>(a.pass.scale), static_cast<const void *>(a.pass.edges),
                        static_cast<const void *>(a.pass.sobol.axes), static_cast<const void *>(a.f),
                        static_cast<const void *>(a.spread), static_cast<const void *>(a.training),
                        static_cast<const void *>(a.course.list), static_cast<const void *>(a.course.counts),
                        static_cast<const void *>(a.course.edges), static_cast<const void *>(a.course.spread),
                        static_cast<const void *>(a.course.before), static_cast<const void *>(a.partial)})
    if (!is_here(p)) return false;
  return true;
}

}  // namespace

bool run_sampling(const std::string &name, int64 many, void *arguments, bool &here) {
  if (name == "tessera_lattice") {
    const auto &a = *static_cast<const lattice_arguments *>(arguments);
    here = is_here(a.partial) && is_here(a.answer);
    if (here) lattice(a, many);
    return true;
  }
  const auto &a = *static_cast<const sampling_arguments *>(arguments);
  const course_arguments &c = a.course;
  const bool listed = c.list != nullptr;
  here = is_all_here(a);
  if (!here) return true;
  if (name == "tessera_sample_sums")
    sample_sums_of(a, many);
  else if (name == "tessera_sample_values")
    listed ? values_of_parts(a) : values_of_chunk(a);
  else if (name == "tessera_sample_pieces")
    listed ? sums_of_parts(a) : sums_of_chunk(a, many);
  else if (name == "tessera_cut_again")
    for (int64 h = 0; h < c.shared.cubes; ++h)
      c.spread[h] = c.before[cube_at_centre(h, ndim(), c.cells, c.cells + ndim())];
  else if (name == "tessera_wishes")
    wishes(c);
  else if (name == "tessera_whole_samples")
    whole(c);
  else if (name == "tessera_all_samples")
    all_samples(c);
  else if (name == "tessera_list_pieces")
    list_pieces(a);
  else if (name == "tessera_learn")
    learn(a);
  else if (name != "tessera_mark_pieces")
    return false;
  return true;
}
