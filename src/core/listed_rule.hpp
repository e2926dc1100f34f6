// A rule as a list of points, each with the numbers of its orbit's weights at hand: the lanes of a device that share a region go through
// the list together, whatever the orbits' sizes. Rules of higher degree (raised_rule.hpp) have no other form.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hd.hpp"

namespace tessera {

constexpr int listed_axes = 8;     // most variables
constexpr int listed_sums = 6;     // weighted sums that are made at a time, an even number
constexpr int listed_beyond = 32;  // words that a device has behind the last, for lanes that look ahead

// A point: the nodes of the axes, one after the other, in the lower half of a word, and its orbit in the upper.
TESSERA_HD constexpr int listed_bits(int ndim) { return ndim <= 4 ? 8 : 32 / ndim; }  // of a node
TESSERA_HD int listed_node(uint64 word, int ndim, int j) {
  return static_cast<int>(word >> (listed_bits(ndim) * j)) & ((1 << listed_bits(ndim)) - 1);
}
TESSERA_HD int listed_orbit(uint64 word) { return static_cast<int>(word >> 32); }
TESSERA_HD uint64 listed_word(int orbit) { return static_cast<uint64>(orbit) << 32; }
TESSERA_HD uint64 listed_at(int ndim, int j, int node) { return static_cast<uint64>(node) << (listed_bits(ndim) * j); }

struct listed_rule {
  const uint64 *words;    // of the points, orbit after orbit
  const double *offsets;  // [ndim][nodes], in half-widths
  const double *weights;  // [orbits][listed_sums], of a mean
  int nodes;
};

}  // namespace tessera
