// SPDX-License-Identifier: BSD-3-Clause
#include "listed_build.hpp"

#include <algorithm>

#include "node_table.hpp"

namespace tessera {
namespace {

static_assert(listed_sums == 1 + null_rules && max_orbits <= 0xfff, "");

// The node of an offset; a new one where there is none yet.
int node_of(double offset, std::vector<double> &offsets) {
  const auto at = std::find(offsets.begin(), offsets.end(), offset);
  const int node = static_cast<int>(at - offsets.begin());
  if (at == offsets.end()) offsets.push_back(offset);
  return node;
}

// Point p of an orbit, whose words start at `sparse`. The second generator's axis has the first's node.
uint64 word_of(const rule &r, int o, const node_word *sparse, int64 p, std::vector<double> &offsets) {
  const orbit &orb = r.orb[o];
  const node_word w = orb.kind < orbit_vertex ? sparse[p] : 0u;
  const int second = node_uses_b(w) ? node_coordinate(w, node_moved(w) - 1) : -1;
  uint64 word = listed_word(o, second);
  for (int j = 0; j < r.ndim; ++j) {
    double offset = 0.0;
    if (orb.kind == orbit_probe) offset = probe_offset(p, j);
    if (orb.kind == orbit_vertex) offset = parity(static_cast<uint32>(p) & r.vertex_mask[j]) != 0u ? -orb.a : orb.a;
    for (int q = 0; q < node_moved(w); ++q)
      if (node_coordinate(w, q) == j) offset = node_minus(w, q) ? -orb.a : orb.a;
    word |= listed_at(j, node_of(offset, offsets));
  }
  return word;
}

}  // namespace

listed_tables build_listed(const rule &r) {
  listed_tables t;
  if (r.ndim > listed_axes) return t;
  const std::vector<node_word> sparse = make_node_table(r);
  t.words.reserve(static_cast<std::size_t>(r.points));
  t.offsets = {0.0};
  int64 start = 0;
  for (int o = 0; o < r.orbits; ++o) {
    const orbit &orb = r.orb[o];
    const node_word *const own = orb.kind < orbit_vertex ? sparse.data() + start : nullptr;
    for (int64 p = 0; p < orb.count; ++p) t.words.push_back(word_of(r, o, own, p, t.offsets));
    start += orb.count;
    t.weights.push_back(r.weight[o]);
    for (int i = 0; i < null_rules; ++i) t.weights.push_back(r.null_weight[i][o]);
    const bool two = orb.kind == orbit_pair2 || orb.kind == orbit_triple2;
    t.weights.push_back(two ? (orb.b - orb.a) / orb.a : 0.0);
  }
  if (t.offsets.size() > static_cast<std::size_t>(listed_nodes)) t.words.clear();
  return t;
}

}  // namespace tessera
