// SPDX-License-Identifier: BSD-3-Clause
#include "rule_points.hpp"

#include <cmath>

#include "../../core/node_table.hpp"

namespace tessera {

rule_points::rule_points(const rule &r) : rule_(r), words_(make_node_table(r)) {}

void rule_points::fill(const double *box, int64 first, int64 n, double *x) const {
  int64 start = 0;
  for (int o = 0; o < rule_.orbits; ++o) {
    const int64 next = start + rule_.orb[o].count;
    for (int64 p = first > start ? first : start; p < next && p < first + n; ++p)
      fill_point(box, rule_.orb[o], p - start, p, n, x + (p - first));
    start = next;
  }
}

// device_evaluator.cuh rounds in these places: the first generator times the half-width, the sum with the centre in one
// operation, and a second generator as a share of that product.
void rule_points::fill_point(const double *box, const orbit &o, int64 index, int64 point, int64 stride,
                             double *x) const {
  const double *centre = box, *half = box + rule_.ndim;
  for (int j = 0; j < rule_.ndim; ++j) {
    const double ah = (o.kind == orbit_probe ? probe_offset(index, j) : o.a) * half[j];
    double factor = 0.0, b_more = 0.0;
    if (o.kind == orbit_vertex) {
      factor = parity(static_cast<uint32>(index) & rule_.vertex_mask[j]) != 0u ? -1.0 : 1.0;
    } else if (o.kind == orbit_probe) {
      factor = 1.0;
    } else {
      const node_word w = words_[static_cast<std::size_t>(point)];
      for (int q = 0; q < node_moved(w); ++q)
        if (node_coordinate(w, q) == j) {
          factor = node_minus(w, q) ? -1.0 : 1.0;
          if (q + 1 == node_moved(w) && node_uses_b(w)) b_more = (o.b - o.a) / o.a;
        }
    }
    double at = std::fma(factor, ah, centre[j]);
    if (b_more != 0.0) at = std::fma(factor, b_more * ah, at);
    x[j * stride] = at;
  }
}

}  // namespace tessera
