// The rules that there are by the number of their pairs of nodes, from a number to a type. For the host.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tessera {

// body(pair_count<p>()) for the rule with so many pairs: 15, 21, 31, 41, 51, 61 points.
template <int Pairs>
struct pair_count {
  static constexpr int value = Pairs;
};
template <class Body>
auto with_pairs(int pairs, Body body) {
  switch (pairs) {
    case 7:
      return body(pair_count<7>());
    case 10:
      return body(pair_count<10>());
    case 15:
      return body(pair_count<15>());
    case 20:
      return body(pair_count<20>());
    case 25:
      return body(pair_count<25>());
    default:
      return body(pair_count<30>());
  }
}

}  // namespace tessera
