// The indices of a sparse grid: a set that has with each index all below it, each with links to its neighbours.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <vector>

#include "../../core/patterson.hpp"
#include "sparse_step.hpp"

namespace tessera {

class sparse_indices {
 public:
  static constexpr int none = -1;

  void start(int ndim) {
    ndim_ = ndim;
    for (std::vector<int> *links : {&above_, &below_}) links->clear();
    levels_.clear();
    expanded_.clear();
    at_top_.clear();
    put(none, 0);
  }

  int count() const { return static_cast<int>(expanded_.size()); }
  int level(int i, int axis) const { return levels_[at(i, axis)]; }
  int above(int i, int axis) const { return above_[at(i, axis)]; }  // none where there is none
  int below(int i, int axis) const { return below_[at(i, axis)]; }
  bool is_expanded(int i) const { return expanded_[static_cast<std::size_t>(i)] != 0; }
  // Some axis has the highest level: what lies above is out of reach.
  bool is_at_top(int i) const { return at_top_[static_cast<std::size_t>(i)] != 0; }

  // Adds the neighbours above i of which all neighbours below are expanded.
  void expand(int i) {
    expanded_[static_cast<std::size_t>(i)] = 1;
    for (int j = 0; j < ndim_; ++j)
      if (level(i, j) < patterson_levels && above(i, j) == none && may_have(i, j)) put(i, j);
  }

  // visit(sibling): the indices with one level less on one axis and one more on another.
  template <class Visit>
  void each_sibling(int i, Visit visit) const {
    for (int j = 0; j < ndim_; ++j) {
      const int lower = below(i, j);
      if (lower == none) continue;
      for (int m = 0; m < ndim_; ++m)
        if (m != j && above(lower, m) != none) visit(above(lower, m));
    }
  }

  // Bytes for each index.
  static int64 bytes(int ndim) { return ndim * static_cast<int64>(2 * sizeof(int) + 1) + 2; }

 private:
  std::size_t at(int i, int axis) const {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(ndim_) + static_cast<std::size_t>(axis);
  }

  bool may_have(int i, int axis) const {
    for (int j = 0; j < ndim_; ++j) {
      if (j == axis || below(i, j) == none) continue;
      const int other = above(below(i, j), axis);
      if (other == none || !is_expanded(other)) return false;
    }
    return true;
  }

  // The neighbour above `from` on an axis, or the first index of all.
  void put(int from, int axis) {
    const int made = count();
    expanded_.push_back(0);
    at_top_.push_back(0);
    levels_.resize(levels_.size() + static_cast<std::size_t>(ndim_), 1);
    above_.resize(levels_.size(), none);
    below_.resize(levels_.size(), none);
    if (from == none) return;
    std::copy_n(levels_.begin() + static_cast<std::ptrdiff_t>(at(from, 0)), ndim_,
                levels_.begin() + static_cast<std::ptrdiff_t>(at(made, 0)));
    at_top_.back() = at_top_[static_cast<std::size_t>(from)];
    if (++levels_[at(made, axis)] == patterson_levels) at_top_.back() = 1;
    for (int j = 0; j < ndim_; ++j) {
      const int lower = j == axis ? from : (below(from, j) == none ? none : above(below(from, j), axis));
      if (lower == none) continue;
      below_[at(made, j)] = lower;
      above_[at(lower, j)] = made;
    }
  }

  int ndim_ = 0;
  std::vector<unsigned char> levels_, expanded_, at_top_;
  std::vector<int> above_, below_;
};

}  // namespace tessera
