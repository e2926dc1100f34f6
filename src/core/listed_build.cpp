// SPDX-License-Identifier: BSD-3-Clause
#include "listed_build.hpp"

#include <algorithm>

#include "node_table.hpp"

namespace tessera {
namespace {

static_assert(listed_sums == 2 + null_rules, "");

int probes_of(const rule &r) { return r.probe_orbit >= 0 ? probes : 0; }

// Offsets that points of the rule have, on any axis. The probes' are others on each, and two nodes behind these.
std::vector<double> offsets_of(const rule &r) {
  std::vector<double> all = {0.0};
  for (int o = 0; o < r.orbits; ++o)
    for (const double a : {r.orb[o].a, r.orb[o].b})
      if (r.orb[o].kind != orbit_probe && std::find(all.begin(), all.end(), a) == all.end())
        all.insert(all.end(), {a, -a});
  return all;
}

int node_of(double offset, const std::vector<double> &offsets) {
  return static_cast<int>(std::find(offsets.begin(), offsets.end(), offset) - offsets.begin());
}

// Point p of an orbit, whose words start at `sparse`.
uint64 word_of(const rule &r, int o, const node_word *sparse, int64 p, const std::vector<double> &offsets) {
  const orbit &orb = r.orb[o];
  const node_word w = orb.kind < orbit_vertex ? sparse[p] : 0u;
  uint64 word = listed_word(o);
  for (int j = 0; j < r.ndim; ++j) {
    double offset = 0.0;
    if (orb.kind == orbit_vertex) offset = parity(static_cast<uint32>(p) & r.vertex_mask[j]) != 0u ? -orb.a : orb.a;
    for (int q = 0; q < node_moved(w); ++q)
      if (node_coordinate(w, q) == j) offset = node_offset(w, q, orb);
    word |= listed_at(
        r.ndim, j,
        orb.kind == orbit_probe ? static_cast<int>(offsets.size()) + static_cast<int>(p) : node_of(offset, offsets));
  }
  return word;
}

}  // namespace

int nodes_listed(const rule &r) {
  const int nodes = static_cast<int>(offsets_of(r).size()) + probes_of(r);
  return r.ndim <= listed_axes && nodes <= 1 << listed_bits(r.ndim) ? nodes : 0;
}

listed_tables build_listed(const rule &r) {
  listed_tables t;
  t.nodes = nodes_listed(r);
  if (t.nodes == 0) return t;
  const std::vector<double> offsets = offsets_of(r);
  for (int j = 0; j < r.ndim; ++j) {
    t.offsets.insert(t.offsets.end(), offsets.begin(), offsets.end());
    for (int p = 0; p < probes_of(r); ++p) t.offsets.push_back(probe_offset(p, j));
  }
  const std::vector<node_word> sparse = make_node_table(r);
  t.words.reserve(static_cast<std::size_t>(r.points));
  int64 start = 0;
  for (int o = 0; o < r.orbits; ++o) {
    const orbit &orb = r.orb[o];
    const node_word *const own = orb.kind < orbit_vertex ? sparse.data() + start : nullptr;
    for (int64 p = 0; p < orb.count; ++p) t.words.push_back(word_of(r, o, own, p, offsets));
    start += orb.count;
    t.weights.push_back(r.weight[o]);
    for (int i = 0; i < null_rules; ++i) t.weights.push_back(r.null_weight[i][o]);
    t.weights.push_back(orb.kind == orbit_probe ? 1.0 : 0.0);
  }
  return t;
}

}  // namespace tessera
