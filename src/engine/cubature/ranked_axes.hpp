// The axes of a region in the order in which it is divided along them, and the face among them behind which something may hide.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../core/estimate.hpp"
#include "region_store.hpp"

namespace tessera {

// Makes `axis` the first of a region's ranked axes. Which one a suspected face is across stays known.
TESSERA_HD void put_in_front(region_state &state, int ndim, int axis) {
  uint32 word = state.word;
  const int face = ranked_axis(word, static_cast<int>((word & region_face_place) >> 24));
  include_axis(word, ndim, axis, true);
  if (state.suspicion > 0.0f) {
    const auto place = static_cast<uint32>(include_axis(word, ndim, face, false));
    word = (word & ~region_face_place) | place << 24;
  }
  state.word = word;
}

}  // namespace tessera
