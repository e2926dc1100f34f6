// Items of a step that are shared out among the ranks of a run: each rank works at consecutive ones, and all have what every one of them
// leaves behind, in the order of the items. So what is made of it is the same, to the last bit, on any number of ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <initializer_list>
#include <vector>

#include "ranks.hpp"
#include "first_failure.hpp"

namespace tessera {

struct item_range {
  int64 first, end;
};

// Item i, counted from the first one of the step, leaves elements at(i) ... at(i + 1) - 1 of so many bytes.
struct item_array {
  void *data;
  std::size_t bytes;
  const int64 *places = nullptr;  // null: i
  int64 each = 1;                 // then times this

  int64 at(int64 i) const { return (places ? places[i] : i) * each; }
};

class shared_items {
 public:
  explicit shared_items(ranks *all) : all_(all) {}
  int parts() const { return all_ ? all_->size() : 1; }

  // The part of items first ... end - 1 that is this rank's.
  item_range begin(int64 first, int64 end) {
    range_ = {first, end};
    if (!all_) return range_;
    turn_ = next_turn_;
    next_turn_ = (turn_ + (end - first) % all_->size()) % all_->size();
    return of_rank(all_->rank());
  }
  // The first failure of all ranks, the points that counted as 0, and what the items have left. Throws common_failure.
  void exchange(first_failure &failure, std::atomic<int64> &zeroed, std::initializer_list<item_array> left);
  // counts[n] become the sums over the ranks.
  void add_up(uint64 *counts, int64 n);

 private:
  // Equal numbers, and what is left to one rank after the other, beginning behind those that had it the step before.
  item_range of_rank(int r) const {
    const int64 size = all_->size(), n = range_.end - range_.first, whole = n / size, rest = n % size;
    const int64 wrapped = turn_ + rest - size;  // of them are the first ranks again
    const auto before = [&](int64 of) {
      const int64 more = std::min(std::max(of - turn_, int64{0}), rest) + std::max(int64{0}, std::min(of, wrapped));
      return range_.first + of * whole + more;
    };
    return {before(r), before(r + 1)};
  }

  ranks *all_;
  item_range range_ = {0, 0};
  int64 turn_ = 0, next_turn_ = 0;  // the rank that has one item more in this step and in the next
  int64 told_zeroed_ = 0;
  std::vector<unsigned char> own_;
};

}  // namespace tessera
