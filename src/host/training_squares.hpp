// What the points of VEGAS count for its grid: the sum of the squares.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../core/hd.hpp"

namespace tessera {

// Squares of what the points of an item have counted. They are added up over stretches that neither a piece nor a block of so many
// samples of the item is part of twice, then over these: so their rounding does not depend on what a call has of them.
struct training_squares {
  double sum = 0.0, open[2] = {};  // open: of the stretch, its samples and their mirror images
  int64 block = 0, left = 0;       // samples; left: of the block

  void begin_item(int64 samples) {
    *this = {};
    block = left = samples;
  }
  void take(int64 samples) {
    left -= samples;
    if (left > 0) return;
    close();
    left = block;
  }
  void close() {
    for (double &o : open) {
      sum += o;
      o = 0.0;
    }
  }
};

}  // namespace tessera
