// SPDX-License-Identifier: BSD-3-Clause
#include "node_table.hpp"

namespace tessera {
namespace {

node_word make_word(const int *coordinate, int moved, unsigned signs, bool uses_b) {
  node_word w = 0;
  for (int q = 0; q < moved; ++q) w |= static_cast<node_word>(coordinate[q]) << (6 * q);
  return w | signs << 18 | static_cast<node_word>(moved) << 21 | (uses_b ? 1u << 23 : 0u);
}

void add_signs(std::vector<node_word> &words, const int *coordinate, int moved, bool uses_b) {
  for (unsigned signs = 0; signs < 1u << moved; ++signs) words.push_back(make_word(coordinate, moved, signs, uses_b));
}

void add_orbit(std::vector<node_word> &words, int n, int kind) {
  const bool two = kind == orbit_pair2 || kind == orbit_triple2;
  if (kind == orbit_centre) words.push_back(0);
  for (int i = 0; i < n; ++i) {
    int c[3] = {i, 0, 0};
    if (kind == orbit_axis) add_signs(words, c, 1, false);
    if (kind == orbit_centre || kind == orbit_axis || kind >= orbit_vertex) continue;
    for (int j = 0; j < n; ++j) {
      c[1] = j;
      if (j == i) continue;
      if (kind == orbit_pair2 || (kind == orbit_pair && j > i)) add_signs(words, c, 2, two);
      if (kind == orbit_pair || kind == orbit_pair2 || j < i) continue;
      for (int l = 0; l < n; ++l) {
        c[2] = l;
        if (l != i && l != j && (kind == orbit_triple2 || l > j)) add_signs(words, c, 3, two);
      }
    }
  }
}

}  // namespace

std::vector<node_word> make_node_table(const rule &r) {
  std::vector<node_word> words;
  words.reserve(static_cast<std::size_t>(sparse_points(r)));
  for (int o = 0; o < r.orbits; ++o) add_orbit(words, r.ndim, r.orb[o].kind);
  return words;
}

}  // namespace tessera
