// A lane that is alone, where others of its kind are many that work on one item together.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../core/hd.hpp"

namespace tessera {

// Lanes that work on the same offer lane() and lanes(), and what they are asked for of these: meet(), behind which each sees what the others have
// written, total(v), the sum of what they have, either(bits), the bits that one of them has, all(v), whether all say so, fold(v, both), what both(a, b), which
// asks for no order, makes of what all have, highest(v, i), the i of the lane with the largest v (of several the least), and numbers.
struct lone_lane {
  TESSERA_HD static int lane() { return 0; }
  TESSERA_HD static int lanes() { return 1; }
  TESSERA_HD static void meet() {}
  template <class T>
  TESSERA_HD static T total(T v) {
    return v;
  }
  TESSERA_HD static uint32 either(uint32 bits) { return bits; }
  TESSERA_HD static bool all(bool v) { return v; }
  template <class T, class Both>
  TESSERA_HD static T fold(T v, Both) {
    return v;
  }
  TESSERA_HD static int highest(double, int i) { return i; }

  // A number of each of up to sixteen items: a lane writes and reads those of its own items, and reads those of others, which all do together.
  template <class T>
  struct numbers {
    T item[16];
    TESSERA_HD T &own(int q) { return item[q]; }
    TESSERA_HD const T &own(int q) const { return item[q]; }
    TESSERA_HD T of(const lone_lane &, int q) const { return item[q]; }
  };
};

}  // namespace tessera
