// The queue of a run that goes worst first: a binary heap with one entry for every region that can be divided.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <vector>

#include "../../core/hd.hpp"
#include "heap.hpp"

namespace tessera {

// 16 bytes, since there is one for every region.
struct queue_entry {
  static constexpr int slot_bits = 20;
  static constexpr int64 no_slot = (int64{1} << slot_bits) - 1;
  double key;
  int64 tag;  // region and slot, where the pieces lie into which it has been divided ahead of time, if it has one

  queue_entry(double k, int64 region) : key(k), tag(region << slot_bits | no_slot) {}
  int64 region() const { return tag >> slot_bits; }
  int64 slot() const { return tag & no_slot; }
  bool ahead() const { return slot() != no_slot; }
  void set_slot(int64 slot) { tag = region() << slot_bits | slot; }
};

class region_queue {
 public:
  // by_age: of equal keys that of the older region comes first; else the heap itself decides.
  void start(bool by_age) {
    entries_.clear();
    by_age_ = by_age;
  }
  bool by_age() const { return by_age_; }

  void reserve(int64 regions) { entries_.reserve(static_cast<std::size_t>(regions)); }

  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  queue_entry &front() { return entries_.front(); }
  queue_entry &operator[](std::size_t i) { return entries_[i]; }
  auto begin() { return entries_.begin(); }
  auto end() { return entries_.end(); }

  void push(double key, int64 region, int64 slot = queue_entry::no_slot) {
    queue_entry e(key, region);
    e.set_slot(slot);
    heap_push(entries_, e, below());
  }
  void pop() {
    if (by_age_)
      heap_pop(entries_, below());
    else
      heap_pop(entries_, key_comparison());
  }
  // This region alone, or all, which have no keys yet.
  void hold(int64 region) { entries_.assign(1, {0.0, region}); }
  void hold_all(int64 regions) {
    for (int64 i = 0; i < regions; ++i) entries_.push_back({0.0, i});
  }
  // Keys have changed.
  void reorder() {
    if (!std::is_heap(begin(), end(), below())) std::make_heap(begin(), end(), below());
  }
  // The half with the smallest keys; drop(region) for each.
  template <class Drop>
  void drop_half(Drop drop) {
    const auto half = begin() + static_cast<std::ptrdiff_t>(size() / 2);
    std::nth_element(begin(), half, end(),
                     [less = below()](const queue_entry &x, const queue_entry &y) { return less(y, x); });
    for (auto e = half; e != end(); ++e) drop(e->region());
    entries_.erase(half, end());
    std::make_heap(begin(), end(), below());
  }

  // The places of the `most` largest entries for which good(entry) holds.
  template <class Good>
  void pick(int64 most, Good good, std::vector<std::size_t> &places) {
    places.clear();
    if (empty()) return;
    if (most == 1 && good(entries_[0])) {
      places.push_back(0);
      return;
    }
    const auto smaller = [this, less = below()](std::size_t x, std::size_t y) {
      return less(entries_[x], entries_[y]);
    };
    candidates_.assign(1, 0);
    while (!candidates_.empty() && static_cast<int64>(places.size()) < most) {
      std::pop_heap(candidates_.begin(), candidates_.end(), smaller);
      const std::size_t i = candidates_.back();
      candidates_.pop_back();
      if (good(entries_[i])) places.push_back(i);
      for (std::size_t c = 2 * i + 1; c <= 2 * i + 2 && c < size(); ++c) {
        candidates_.push_back(c);
        std::push_heap(candidates_.begin(), candidates_.end(), smaller);
      }
    }
  }

 private:
  struct comparison {
    bool by_age;
    bool operator()(const queue_entry &a, const queue_entry &b) const {
      return a.key < b.key || (by_age && a.key == b.key && a.region() > b.region());
    }
  };
  struct key_comparison {
    bool operator()(const queue_entry &a, const queue_entry &b) const { return a.key < b.key; }
  };
  comparison below() const { return {by_age_}; }

  std::vector<queue_entry> entries_;
  bool by_age_ = true;
  std::vector<std::size_t> candidates_;  // work space
};

}  // namespace tessera
