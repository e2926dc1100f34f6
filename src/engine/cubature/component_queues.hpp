// One priority queue for each component that has ever been the one farthest from its tolerance.
//
// A queue is built when its component is first asked for. Regions that have been divided stay in the queues until they come
// to the front: an entry is good only if it carries its region's present version. A queue never holds more than twice the
// regions there are, since a division adds two entries and leaves one behind.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <vector>

#include "../../core/hd.hpp"
#include "heap.hpp"

namespace tessera {

class component_queues {
 public:
  void start(int ncomp) {
    queues_.assign(static_cast<std::size_t>(ncomp), {});
    built_.clear();
    version_.clear();
  }

  // With what the next division of so many regions adds: queues that grow, and a new one.
  int64 bytes(int64 regions) const {
    std::size_t n = 0, most = 0;
    for (const int k : built_) {
      const std::vector<entry> &q = queues_[static_cast<std::size_t>(k)];
      n += (q.size() + 32 > q.capacity() ? 2 : 1) * q.capacity();
      most = std::max(most, q.capacity());
    }
    if (built_.size() < queues_.size()) n += 3 * static_cast<std::size_t>(regions);
    return static_cast<int64>((n + most) * sizeof(entry) + 4 * version_.capacity());
  }

  // The region with the largest error of component k, the first of equals; -1 when none is left. error(region, k).
  template <class Error>
  int64 front(int k, int64 regions, Error error) {
    std::vector<entry> &q = queues_[static_cast<std::size_t>(k)];
    if (q.empty() && !is_built(k)) {
      built_.push_back(k);
      for (int64 i = 0; i < regions; ++i)
        if (alive(i)) heap_push(q, entry{error(i, k), i, version(i)}, below);
    }
    while (!q.empty() && q.front().version != version(q.front().region)) heap_pop(q, below);
    return q.empty() ? -1 : q.front().region;
  }

  // The region is new, or another one has taken its place.
  template <class Error>
  void replace(int64 region, Error error) {
    if (region >= static_cast<int64>(version_.size())) version_.resize(static_cast<std::size_t>(region) + 1, 0);
    uint32 &v = version_[static_cast<std::size_t>(region)];
    v = (v | 1u) + 1u;
    for (const int k : built_)
      heap_push(queues_[static_cast<std::size_t>(k)], entry{error(region, k), region, version(region)}, below);
  }

  // The region shall not come to the front again.
  void drop(int64 region) {
    if (region >= static_cast<int64>(version_.size())) version_.resize(static_cast<std::size_t>(region) + 1, 0);
    version_[static_cast<std::size_t>(region)] |= 1u;
  }

 private:
  struct entry {
    double key;
    int64 region;
    uint32 version;
  };
  static bool below(const entry &a, const entry &b) { return a.key < b.key || (a.key == b.key && a.region > b.region); }

  // Odd: dropped.
  uint32 version(int64 region) const {
    return region < static_cast<int64>(version_.size()) ? version_[static_cast<std::size_t>(region)] : 0u;
  }
  bool alive(int64 region) const { return (version(region) & 1u) == 0u; }
  bool is_built(int k) const {
    for (const int b : built_)
      if (b == k) return true;
    return false;
  }

  std::vector<std::vector<entry>> queues_;
  std::vector<int> built_;
  std::vector<uint32> version_;
};

}  // namespace tessera
