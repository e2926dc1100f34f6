// What sparse grids cost in a race with adaptive subdivision, and what they may cost; each place has one (sparse_race.hpp).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tessera {

// What a grid costs and what it may cost, in evaluations of the subdivision.
struct sparse_pace {
  double first_look = 0.0;          // after which the regions are looked at first: is the integrand a product?
  double start = 0.0, apart = 0.0;  // of the first turn of all grids, and from one turn to the next
  double step = 0.0;                // what a step costs besides its indices and points, of a grid or of the subdivision
  double index = 0.0, point = 0.0;  // what an index costs besides its points, and a point
  double share = 0.0;               // that a grid may have of what the subdivision has had,
  double foresight = 0.0;           // or of what that is going to need, as far as it can be foreseen
  double lead = 0.0;         // a grid is ahead that will cost less than this share of what the subdivision will need
  double patience = 0.0;     // that a grid may have of what the subdivision has had, while its error falls
  double check_share = 0.0;  // and to see whether the integrand is smooth, or of what the grid has had
  double map = 0.0, wide_map = 0.0;  // what a map has to save, of a product, and of another
  double seen_first = 0.0;  // share of the points of a look at a grid with a map that come first, lest all are in vain
  // Before the trend of the regions is looked at: their error, of what is tolerated, below which nothing is looked for.
  double early_excess = 0.0;
  double least_spread = 0.0;  // points of a look at such a grid where regions agree
  // Of a grid without a map: most points of the first step, where it may have more than the least, and up to how many each step doubles them, or
  // makes them three times as many as long as its errors are as large as its values.
  double first_points = 0.0, doubled = 0.0;
  double trial =
      0.0;  // what it may cost until something is seen of it, where the subdivision will need several times as much
  double vague = 0.0;  // up to how many it doubles them, from vague_points on, as long as its errors are as large
};

}  // namespace tessera
