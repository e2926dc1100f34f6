// The regions in the order in which they are handed out: that of the heap where it decides, else by age. The sums are taken in it too, so
// that a run in two parts gives the bits of the whole one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "region_queue.hpp"

namespace tessera {

class region_order {
 public:
  void forget() { order_.clear(); }
  void make(region_queue &queue, int64 regions) {
    by_age_ = queue.by_age();
    if (by_age_ || static_cast<int64>(order_.size()) == regions) return;
    order_.resize(static_cast<std::size_t>(regions));
    std::vector<bool> listed(order_.size());
    std::size_t n = 0;
    for (const queue_entry &e : queue) {
      order_[n++] = e.region();
      listed[static_cast<std::size_t>(e.region())] = true;
    }
    for (int64 i = 0; i < regions; ++i)  // those that cannot be divided
      if (!listed[static_cast<std::size_t>(i)]) order_[n++] = i;
  }
  int64 operator[](int64 i) const { return by_age_ ? i : order_[static_cast<std::size_t>(i)]; }

 private:
  bool by_age_ = true;
  std::vector<int64> order_;  // empty: not known
};

}  // namespace tessera
