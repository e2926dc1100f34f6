// A rule as a list of points, each with the numbers of its orbit's weights at hand: where regions are few the lanes that share one go through
// the list together, whatever the orbits' sizes. Rules of higher degree (raised_rule.hpp) have no other form.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hd.hpp"

namespace tessera {

constexpr int listed_axes = 8;    // most variables
constexpr int listed_nodes = 64;  // most different offsets
constexpr int listed_sums = 5;    // weighted sums that are made at a time
// Numbers of an orbit: their weights, and by what share of the first generator the second is larger.
constexpr int listed_weights = listed_sums + 1;

// A point: the node of axis j in bits 6j to 6j+5, its orbit in bits 48 to 59, above that one more than the axis that moves by the orbit's
// second generator, or 0.
TESSERA_HD int listed_node(uint64 word, int j) { return static_cast<int>(word >> (6 * j)) & 63; }
TESSERA_HD int listed_orbit(uint64 word) { return static_cast<int>(word >> 48) & 0xfff; }
TESSERA_HD int listed_second(uint64 word) { return static_cast<int>(word >> 60) - 1; }
TESSERA_HD uint64 listed_word(int orbit, int second) {
  return static_cast<uint64>(orbit) << 48 | static_cast<uint64>(second + 1) << 60;
}
TESSERA_HD uint64 listed_at(int j, int node) { return static_cast<uint64>(node) << (6 * j); }

struct listed_rule {
  const uint64 *words;    // of the points, orbit after orbit
  const double *offsets;  // of the nodes, in half-widths
  const double *weights;  // [orbits][listed_weights], of a mean
};

}  // namespace tessera
