// Division of a region into equal pieces, by the policies of TESSERA_SPLITTING.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../core/estimate.hpp"
#include "region_store.hpp"

namespace tessera {

struct splitting {
  int pieces;  // 2, 4, 8 or 16
  int axes;    // how many ranked axes are halved (pieces = 2^axes), or 1 with `slabs`
  bool slabs;  // cut one axis into all the pieces
  bool widest; // the widest axis in place of the ranked one
};

// policy: a value of enum tessera_splitting. Fewer axes than dimensions there are.
TESSERA_HD splitting make_splitting(int policy, int ndim) {
  switch (policy) {
    case 1: return {4, 1, true, true};
    case 2: return {4, 1, true, false};
    case 3: break;
    case 4: break;
    case 5: break;
    default: return {2, 1, false, false};
  }
  const int axes = policy - 1 < ndim ? policy - 1 : ndim;
  return {1 << axes, axes, false, false};
}

TESSERA_HD int widest_axis(const region_view &s, int64 i) {
  int best = 0;
  TESSERA_ROLLED
  for (int j = 1; j < s.ndim(); ++j)
    if (s.half(i, j) > s.half(i, best)) best = j;
  return best;
}

// Writes the box of piece `piece` of region `parent` of `from` to region `child` of `to`. The parent may be overwritten by
// its own piece as long as that is done last.
TESSERA_HD TESSERA_APART void make_piece(const splitting &p, const region_view &from, int64 parent, int piece, const region_view &to,
                           int64 child) {
  const uint32 axes = from.state(parent).word;
  const int slab_axis = p.slabs ? (p.widest ? widest_axis(from, parent) : ranked_axis(axes, 0)) : -1;
  TESSERA_ROLLED
  for (int j = 0; j < from.ndim(); ++j) {
    double c = from.centre(parent, j);
    double h = from.half(parent, j);
    if (j == slab_axis) {
      h /= p.pieces;
      c += (2 * piece + 1 - p.pieces) * h;
    } else if (!p.slabs) {
      TESSERA_ROLLED
      for (int q = 0; q < p.axes; ++q)
        if (ranked_axis(axes, q) == j) {
          h *= 0.5;
          c += ((piece >> q) & 1) != 0 ? h : -h;
        }
    }
    to.centre(child, j) = c;
    to.half(child, j) = h;
  }
}

// A region whose pieces would not differ in double precision cannot be divided.
TESSERA_HD TESSERA_APART bool divisible(const splitting &p, const region_view &s, int64 i) {
  const uint32 axes = s.state(i).word;
  TESSERA_ROLLED
  for (int q = 0; q < p.axes; ++q) {
    const int j = p.slabs && p.widest ? widest_axis(s, i) : ranked_axis(axes, q);
    const double c = s.centre(i, j);
    const double step = s.half(i, j) / p.pieces / 64.0;
    if (c + step == c || c - step == c || step == 0.0) return false;
  }
  return true;
}

}  // namespace tessera
