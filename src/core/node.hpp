// The points of a rule, generated from a word per point that is common to all regions.
//
// A sparse point (at most three coordinates off the centre) is one 32-bit word: which coordinates, with which signs, and
// whether the last one uses the orbit's second generator. The table of words depends on the rule alone. Vertices need no
// table: their signs are parities of the point's index.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "rule.hpp"

namespace tessera {

// Bits 0-5, 6-11, 12-17: coordinates; 18-20: signs (1 = minus); 21-22: how many coordinates; 23: last one uses b.
using node_word = uint32;

TESSERA_HD int node_coordinate(node_word w, int which) { return static_cast<int>((w >> (6 * which)) & 63u); }
TESSERA_HD bool node_minus(node_word w, int which) { return ((w >> (18 + which)) & 1u) != 0u; }
TESSERA_HD int node_signs(node_word w) { return static_cast<int>((w >> 18) & 7u); }
TESSERA_HD int node_moved(node_word w) { return static_cast<int>((w >> 21) & 3u); }
TESSERA_HD bool node_uses_b(node_word w) { return ((w >> 23) & 1u) != 0u; }

// Offset of the which-th moved coordinate in units of the half-width.
TESSERA_HD double node_offset(node_word w, int which, const orbit &o) {
  const double g = (which + 1 == node_moved(w) && node_uses_b(w)) ? o.b : o.a;
  return node_minus(w, which) ? -g : g;
}

TESSERA_HD uint32 parity(uint32 v) {
  v ^= v >> 16;
  v ^= v >> 8;
  v ^= v >> 4;
  return (0x6996u >> (v & 15u)) & 1u;
}

// Vertices come in Gray code order: from one to the next a single bit of the code changes.
TESSERA_HD uint32 vertex_code(int64 m) {
  const uint32 u = static_cast<uint32>(m);
  return u ^ (u >> 1);
}

// Sign of coordinate j of the vertex with this code: true = minus.
TESSERA_HD bool vertex_minus(const rule &r, uint32 code, int j) { return parity(code & r.vertex_mask[j]) != 0u; }

// Probes: what an integrand is away from all points that symmetry ties together. Coordinates are multiples of the golden ratio
// without their whole part (Weyl), so that no two are alike.
constexpr int probes = 2;
TESSERA_HD double probe_offset(int64 p, int j) {
  const double t = 0.61803398874989485 * static_cast<double>(64 * p + j + 1);
  return 1.94 * (t - static_cast<double>(static_cast<int64>(t))) - 0.97;
}

// Points of the rule that have a word in the table: all but the vertices and the probes, which come last.
TESSERA_HD int64 sparse_points(const rule &r) {
  int64 n = 0;
  for (int o = 0; o < r.orbits; ++o)
    if (r.orb[o].kind < orbit_vertex) n += r.orb[o].count;
  return n;
}

// Offset in half-widths of coordinate j of point p of orbit o, whose words start at `words`. For single points (messages,
// tests); loops use the words directly.
TESSERA_HD double point_offset(const rule &r, int o, const node_word *words, int64 p, int j) {
  if (r.orb[o].kind == orbit_vertex) {
    return vertex_minus(r, vertex_code(p), j) ? -r.orb[o].a : r.orb[o].a;
  }
  if (r.orb[o].kind == orbit_probe) return probe_offset(p, j);
  const node_word w = words[p];
  for (int q = 0; q < node_moved(w); ++q)
    if (node_coordinate(w, q) == j) return node_offset(w, q, r.orb[o]);
  return 0.0;
}

}  // namespace tessera
