// A lane that is alone, where others of its kind are many that work on one item together.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../core/hd.hpp"

namespace tessera {

// Lanes that work on the same offer lane(), lanes(), meet(), behind which each sees what the others have written, total(v), the sum of what they
// have, and either(bits), the bits that one of them has.
struct lone_lane {
  TESSERA_HD static int lane() { return 0; }
  TESSERA_HD static int lanes() { return 1; }
  TESSERA_HD static void meet() {}
  template <class T>
  TESSERA_HD static T total(T v) {
    return v;
  }
  TESSERA_HD static uint32 either(uint32 bits) { return bits; }
};

}  // namespace tessera
