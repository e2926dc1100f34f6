// The estimates of intervals that have been evaluated, for the components that come after, found by the bits of their ends. In the caller's memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "real.hpp"

namespace tessera {

class kept_estimates {
 public:
  using estimate_type = interval_estimate<double>;

  // ends[capacity], estimates[capacity][ncomp], slots[slots], a power of two above the capacity.
  struct arrays {
    interval<double> *ends = nullptr;
    estimate_type *estimates = nullptr;
    int *slots = nullptr;
    int capacity = 0, slot_count = 0;
  };

  TESSERA_HD void set_memory(const arrays &a) {
    a_ = a;
    lacks_room_ = false;
  }
  TESSERA_HD TESSERA_APART void clear(int ncomp) {
    ncomp_ = ncomp;
    size_ = 0;
    lacks_room_ = false;
    for (int i = 0; i < a_.slot_count; ++i) a_.slots[i] = 0;
  }
  // The elements have been copied there.
  TESSERA_HD void move_to(const arrays &a) {
    a_ = a;
    for (int i = 0; i < a_.slot_count; ++i) a_.slots[i] = 0;
    for (int n = 0; n < size_; ++n) a_.slots[slot_of(a_.ends[n])] = n + 1;
  }

  TESSERA_HD int size() const { return size_; }
  TESSERA_HD int ncomp() const { return ncomp_; }
  TESSERA_HD bool full() const { return size_ >= a_.capacity; }
  TESSERA_HD bool lacks_room() const { return lacks_room_; }
  // Its number, or -1.
  TESSERA_HD TESSERA_APART int find(interval<double> on) const {
    return a_.slot_count == 0 ? -1 : a_.slots[slot_of(on)] - 1;
  }
  TESSERA_HD const estimate_type &estimate(int number, int k) const { return a_.estimates[at(number, k)]; }
  // One component after the other; with the last one the interval is kept.
  TESSERA_HD TESSERA_APART void keep(interval<double> on, int k, const estimate_type &e) {
    if (full()) {
      lacks_room_ = true;
      return;
    }
    a_.estimates[at(size_, k)] = e;
    if (k + 1 < ncomp_) return;
    a_.ends[size_] = on;
    a_.slots[slot_of(on)] = ++size_;
  }

 private:
  TESSERA_HD int64 at(int number, int k) const { return int64{number} * ncomp_ + k; }
  // Where it is, or the place for it.
  TESSERA_HD TESSERA_APART int slot_of(interval<double> on) const {
    const uint64 lower = bits_of(on.lower), upper = bits_of(on.upper);
    const uint64 mixed = (lower * 0x9e3779b97f4a7c15u) ^ ((upper + (lower >> 29)) * 0xbf58476d1ce4e5b9u);
    int i = static_cast<int>((mixed ^ (mixed >> 32)) & static_cast<uint64>(a_.slot_count - 1));
    for (; a_.slots[i] != 0; i = (i + 1) & (a_.slot_count - 1)) {
      const interval<double> &there = a_.ends[a_.slots[i] - 1];
      if (bits_of(there.lower) == lower && bits_of(there.upper) == upper) break;
    }
    return i;
  }

  arrays a_;
  int ncomp_ = 1, size_ = 0;
  bool lacks_room_ = false;
};

}  // namespace tessera
