// The indices of a sparse grid: a set that has with each index all below it, each with links to its neighbours.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <vector>

#include "../../core/patterson.hpp"
#include "../machine.hpp"
#include "sparse_step.hpp"

namespace tessera {

// Axes as bits. visit(axis): those in the set, in their order.
using axis_set = uint64;
template <class Visit>
void each_axis(axis_set axes, Visit visit) {
  for (; axes != 0; axes &= axes - 1) visit(lowest_bit(axes));
}

class sparse_indices {
 public:
  static constexpr int none = -1;

  void start(int ndim) {
    ndim_ = ndim;
    above_.clear();
    links_.clear();
    for (std::vector<unsigned char> *marks : {&bits_, &expanded_, &at_top_}) marks->clear();
    for (std::vector<axis_set> *axes : {&active_, &expanded_above_}) axes->clear();
    put(none, 0);
  }

  int count() const { return static_cast<int>(expanded_.size()); }
  // [index][ndim]. They stay where they are until indices are added.
  const axis_link *links() const { return links_.data(); }
  int level(int i, int axis) const { return level_of(links_[at(i, axis)]); }
  int above(int i, int axis) const { return above_[at(i, axis)]; }               // none where there is none
  int below(int i, int axis) const { return below_of(links_[at(i, axis)]); }     // on an active axis
  axis_set active(int i) const { return active_[static_cast<std::size_t>(i)]; }  // above level 1
  // It adds 2^bits points.
  int bits(int i) const { return bits_[static_cast<std::size_t>(i)]; }
  bool is_expanded(int i) const { return expanded_[static_cast<std::size_t>(i)] != 0; }
  // Some axis has the highest level: what lies above is out of reach.
  bool is_at_top(int i) const { return at_top_[static_cast<std::size_t>(i)] != 0; }

  // Adds the neighbours above i of which all neighbours below are expanded.
  void expand(int i) {
    expanded_[static_cast<std::size_t>(i)] = 1;
    axis_set allowed = ~axis_set{0} >> (8 * static_cast<int>(sizeof(axis_set)) - ndim_);
    each_axis(active(i), [&](int j) {
      axis_set &expanded = expanded_above_[static_cast<std::size_t>(below(i, j))];
      const axis_set own = axis_set{1} << j;
      expanded |= own;
      allowed &= expanded | own;
    });
    each_axis(allowed, [&](int j) {
      if (level(i, j) < patterson_levels && above(i, j) == none) put(i, j);
    });
  }

  // Bytes for each index.
  static int64 bytes(int ndim) {
    return ndim * static_cast<int64>(sizeof(int) + sizeof(axis_link)) + 3 + 2 * static_cast<int64>(sizeof(axis_set));
  }

 private:
  std::size_t at(int i, int axis) const {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(ndim_) + static_cast<std::size_t>(axis);
  }

  // The neighbour above `from` on an axis, or the first index of all.
  void put(int from, int axis) {
    const int made = count();
    const bool is_first = from == none;
    const axis_set active = is_first ? 0 : this->active(from) | axis_set{1} << axis;
    expanded_.push_back(0);
    at_top_.push_back(is_first ? 0 : at_top_[static_cast<std::size_t>(from)]);
    bits_.push_back(is_first ? 0 : static_cast<unsigned char>(bits(from) + 1));
    active_.push_back(active);
    expanded_above_.push_back(0);
    above_.resize(above_.size() + static_cast<std::size_t>(ndim_), none);
    if (is_first) {
      links_.assign(static_cast<std::size_t>(ndim_), make_link(1, 0));
      return;
    }
    links_.resize(above_.size());
    std::copy_n(links_.begin() + static_cast<std::ptrdiff_t>(at(from, 0)), ndim_,
                links_.begin() + static_cast<std::ptrdiff_t>(at(made, 0)));
    const int level = this->level(from, axis) + 1;
    if (level == patterson_levels) at_top_.back() = 1;
    each_axis(active, [&](int j) {
      const int lower = j == axis ? from : above(below(from, j), axis);
      links_[at(made, j)] = make_link(j == axis ? level : this->level(from, j), lower);
      above_[at(lower, j)] = made;
    });
  }

  int ndim_ = 0;
  std::vector<unsigned char> bits_, expanded_, at_top_;
  std::vector<int> above_;
  std::vector<axis_link> links_;
  std::vector<axis_set> active_, expanded_above_;  // on which axes the neighbour above is expanded
};

}  // namespace tessera
