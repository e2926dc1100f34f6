// Grid and strata of VEGAS on the host, and the pieces of its iterations.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <vector>

#include "../engine/montecarlo/importance_grid.hpp"
#include "../engine/montecarlo/sampling_executor.hpp"

namespace tessera {

// Pieces of cubes, cut slice by slice.
struct pieces_call {
  std::vector<sample_piece> pieces;
  std::vector<int64> slices;   // pieces slices[i] ... slices[i + 1] - 1
  std::vector<double> spread;  // of each piece
  int64 samples = 0;

  int64 bytes() const { return static_cast<int64>(pieces.capacity() * sizeof(sample_piece) + spread.capacity() * 8); }
};

class vegas_pieces {
 public:
  explicit vegas_pieces(int ndim) : strata_(ndim), ndim_(ndim) {}

  void begin(const std::vector<double> &edges, const std::vector<int> &cells, const std::vector<double> &spread) {
    edges_ = edges;
    strata_.begin(cells, spread);
  }

  // run(pass, call, meanwhile) adds the estimates of the pieces of a call and sets their spreads; meanwhile() prepares the next call, of so
  // many slices. each: see strata.hpp.
  template <class Run, class Each>
  outcome iterate(const vegas_iteration &it, int slices, const Run &run, const Each &each,
                  const std::function<outcome(int64)> &made) {
    strata_.share_out(it.cut, it.samples, it.exponent, each);
    cells_.clear();
    for (const int c : strata_.cells()) cells_.push_back(cells_of(c));
    sample_pass pass = it.pass;
    pass.cells = cells_.data();
    pass.edges = edges_.data();
    const std::vector<int64> &counts = strata_.counts();
    shown_.assign(counts.size(), 0.0);
    place at = {0, it.uniform, 0, 0};
    pieces_call &now = calls_[0], &next = calls_[1];
    for (cut_slices(it, 1, at, next); next.samples > 0;) {  // one at first: nobody works before it is there
      std::swap(now, next);
      now.spread.resize(now.pieces.size());
      const outcome o = run(pass, now, [&] { cut_slices(it, slices, at, next); });
      if (o != outcome::running) return o;
      for (std::size_t i = 0; i < now.pieces.size(); ++i) {
        const sample_piece &p = now.pieces[i];
        if (p.cube == scouts) continue;
        const auto h = static_cast<std::size_t>(p.cube);
        shown_[h] += now.spread[i] * (static_cast<double>(p.count) / static_cast<double>(counts[h]));
      }
      const outcome pause = made(now.samples);
      if (pause != outcome::running && next.samples > 0) return pause;
    }
    return outcome::running;
  }

  int64 bytes() const { return calls_[0].bytes() + calls_[1].bytes(); }

  // counts[ndim*grid_bins] and the sum of the squares of what each point has counted; see refine_axis().
  void learn(const std::vector<uint64> &counts, double squares, double damping) {
    refine_grid(ndim_, counts, squares, damping, edges_);
    strata_.learn(shown_);
  }

  void recall(std::vector<double> &edges, std::vector<double> *spread) const {
    edges = edges_;
    if (spread) *spread = strata_.spread();
  }

 private:
  static constexpr std::size_t most_pieces = std::size_t{1} << 17;  // of a slice

  // Where the next one begins.
  struct place {
    std::size_t cube;
    int64 uniform_left, first, within;  // samples before: in all, and in the cube
  };

  void cut_slices(const vegas_iteration &it, int slices, place &at, pieces_call &to) const {
    const std::size_t cubes = strata_.counts().size() - at.cube;
    to.pieces.clear();
    to.pieces.reserve(std::min(cubes, static_cast<std::size_t>(slices) * most_pieces) +
                      static_cast<std::size_t>(2 * slices * (cut_samples / most_piece) + 4));
    to.slices.assign(1, 0);
    to.samples = 0;
    for (int64 made = 1; made > 0 && slices > 0; --slices) {
      made = cut_slice(it, at, to.pieces);
      to.samples += made;
      if (made > 0) to.slices.push_back(static_cast<int64>(to.pieces.size()));
    }
  }

  // Returns its samples.
  int64 cut_slice(const vegas_iteration &it, place &at, std::vector<sample_piece> &to) const {
    const std::vector<int64> &counts = strata_.counts();
    const std::size_t cubes = counts.size(), most = to.size() + most_pieces;
    const double each = weight_of_cube(it.cut.cubes());
    int64 samples = 0;
    const auto add = [&](int64 cube, int64 n, double weight, int64 of) {
      add_pieces(to, cube, at.first, n, weight, static_cast<double>(of));
      at.first += n;
      samples += n;
    };
    while (at.cube < cubes && samples < cut_samples && to.size() < most) {
      const int64 n = part_of(counts[at.cube] - at.within, cut_samples);
      add(static_cast<int64>(at.cube), n, each, counts[at.cube]);
      at.within += n;
      if (at.within == counts[at.cube]) {
        ++at.cube;
        at.within = 0;
      }
    }
    if (at.cube == cubes && at.uniform_left > 0 && samples < cut_samples) {
      const int64 n = part_of(at.uniform_left, cut_samples);
      add(scouts, n, 1.0, it.uniform);
      at.uniform_left -= n;
    }
    return samples;
  }

  strata strata_;
  const int ndim_;
  std::vector<double> edges_;
  std::vector<sample_cells> cells_;
  std::vector<double> shown_;  // of the cubes
  pieces_call calls_[2];       // this and the next, in memory that stays: new memory is slow
};

}  // namespace tessera
