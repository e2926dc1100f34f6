// Grid and strata of VEGAS on the host, and the pieces of its iterations.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <vector>

#include "../engine/montecarlo/importance_grid.hpp"
#include "../engine/montecarlo/sampling_executor.hpp"

namespace tessera {

class vegas_pieces {
 public:
  explicit vegas_pieces(int ndim) : strata_(ndim), ndim_(ndim) {}

  void begin(const std::vector<double> &edges, const std::vector<int> &cells, const std::vector<double> &spread) {
    edges_ = edges;
    strata_.begin(cells, spread);
  }

  // run(pass, pieces, n, spread) adds the estimates of n pieces and sets their spreads.
  template <class Run>
  outcome iterate(const vegas_iteration &it, const Run &run, const std::function<outcome(int64)> &made) {
    strata_.share_out(it.cut, it.samples, it.exponent);
    cells_.clear();
    for (const int c : strata_.cells()) cells_.push_back(cells_of(c));
    sample_pass pass = it.pass;
    pass.cells = cells_.data();
    pass.edges = edges_.data();
    const std::vector<int64> &counts = strata_.counts();
    const std::size_t cubes = counts.size();
    const double each = weight_of_cube(it.cut.cubes());
    shown_.assign(cubes, 0.0);
    std::size_t cube = 0;
    int64 left = it.uniform, first = 0, within = 0;  // samples before, in all and in the cube
    while (cube < cubes || left > 0) {
      pieces_.clear();
      int64 in_slice = 0;
      while (cube < cubes && in_slice < cut_samples && pieces_.size() < most_pieces) {
        const int64 n = part_of(counts[cube] - within, cut_samples);
        add_pieces(pieces_, static_cast<int64>(cube), first, n, each, static_cast<double>(counts[cube]));
        first += n;
        in_slice += n;
        within += n;
        if (within == counts[cube]) {
          ++cube;
          within = 0;
        }
      }
      if (cube == cubes && left > 0 && in_slice < cut_samples) {
        const int64 n = part_of(left, cut_samples);
        add_pieces(pieces_, scouts, first, n, 1.0, static_cast<double>(it.uniform));
        first += n;
        in_slice += n;
        left -= n;
      }
      spread_.resize(pieces_.size());
      const outcome o = run(pass, pieces_.data(), static_cast<int64>(pieces_.size()), spread_.data());
      if (o != outcome::running) return o;
      for (std::size_t i = 0; i < pieces_.size(); ++i) {
        const sample_piece &p = pieces_[i];
        if (p.cube == scouts) continue;
        const auto h = static_cast<std::size_t>(p.cube);
        shown_[h] += spread_[i] * (static_cast<double>(p.count) / static_cast<double>(counts[h]));
      }
      const outcome pause = made(in_slice);
      if (pause != outcome::running && (cube < cubes || left > 0)) return pause;
    }
    return outcome::running;
  }

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
  static constexpr std::size_t most_pieces = std::size_t{1} << 17;  // of a call

  strata strata_;
  const int ndim_;
  std::vector<double> edges_;
  std::vector<sample_cells> cells_;
  std::vector<sample_piece> pieces_;
  std::vector<double> spread_, shown_;  // of the pieces of a call, and of the cubes
};

}  // namespace tessera
