// After the pieces of a region have their raw estimates: compare with the parent and correct.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../core/two_level.hpp"
#include "problem.hpp"
#include "region_store.hpp"
#include "split.hpp"

namespace tessera {

// Piece q of region `parent` of `parents` is region piece(q) of `children`.
template <class Piece>
TESSERA_HD void settle(int estimate, const splitting &split, const region_view &parents, int64 parent, const region_view &children, int64 pieces,
                       Piece piece) {
  const region_state before = parents.state(parent);
  double pessimism = 0.0;
  for (int k = 0; k < parents.ncomp(); ++k) {
    const parent_estimate p = {parents.value(parent, k), parents.error(parent, k), before.pessimism};
    level_check check = {p.value, 0.0, pieces};
    for (int64 q = 0; q < pieces; ++q) {
      check.difference -= children.value(piece(q), k);
      check.raw += children.error(piece(q), k);
    }
    check.difference = fabs(check.difference);
    if (estimate == 1) {
      for (int64 q = 0; q < pieces; ++q) {
        double &e = children.error(piece(q), k);
        e = corrected_classic(check, e);
      }
    } else {
      const double seen = seen_pessimism(p, check);
      pessimism = fmax(pessimism, seen);
      for (int64 q = 0; q < pieces; ++q) {
        double &e = children.error(piece(q), k);
        e = corrected_robust(p, check, seen, e);
      }
    }
  }
  const uint32 level = region_level(before.axes) + 1;
  for (int64 q = 0; q < pieces; ++q) {
    region_state &s = children.state(piece(q));
    s.pessimism = static_cast<float>(pessimism);
    s.axes = pack_axes(s.axes, level, !divisible(split, children, piece(q)));
  }
}

}  // namespace tessera
