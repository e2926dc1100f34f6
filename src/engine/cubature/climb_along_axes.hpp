// A climb from a place to the top of the peak there, along the axes, by the lanes of a team, or by one alone that asks for the points of a round at once. It finds how wide the peak is too:
// where it has fallen to the square of 1/e. For a look at one integral (mode_climbs.hpp) and a check of many (mode_check.hpp).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mode_lines.hpp"

namespace tessera {

// What a climb works with, the team's.
struct climb_memory {
  double *sizes;                     // [ndim][points_on_line], and one more
  double *together, *tops, *widths;  // [ndim]
  TESSERA_HD static int64 numbers(int ndim) { return (points_on_line + 3) * int64{ndim} + 1; }
  TESSERA_HD static climb_memory in(double *numbers, int ndim) {
    double *const behind = numbers + points_on_line * int64{ndim} + 1;
    return {numbers, behind, behind + ndim, behind + 2 * int64{ndim}};
  }
};

// at[ndim] and width[ndim]: a place of that size, and then where the climb ends; returns the size there. Points, of which all functions are collective:
//   measure_lines(at, width, sizes)   the sizes at offset_on_line(width[j], i) from the place, [j][i]; false: the climb ends
//   measure(at, size)                 that at a point; the same
//   keep_of_line(i)                   point i of the lines may become the place
//   take(is_of_line)                  that one has, or the one that was measured alone
template <class Team, class Points>
TESSERA_HD double climb_along_axes(Team &team, int ndim, const climb_memory &m, Points &points, peak_side side,
                                   int rounds, double *at, double *width, double size) {
  TESSERA_ROLLED
  for (int round = 0; round < rounds; ++round) {
    if (!points.measure_lines(at, width, m.sizes)) break;
    team.meet();
    bool moves = false, refines = false;
    TESSERA_ROLLED
    for (int j = team.lane(); j < ndim; j += team.lanes()) {
      const climb_on_line c = climb_line(m.sizes + j * points_on_line, size, width[j], side);
      m.tops[j] = j * points_on_line + c.top;
      m.widths[j] = c.width;
      m.together[j] = at[j] + (c.goes_on ? offset_on_line(width[j], c.top) : 0.0);
      moves = moves || c.goes_on;
      refines = refines || c.width < offset_on_line(width[j], 0);
    }
    moves = team.total(int64{moves ? 1 : 0}) > 0;
    refines = team.total(int64{refines ? 1 : 0}) > 0;  // no point of the lines was within the peak
    team.meet();
    if (moves) {
      int best = 0;
      TESSERA_ROLLED
      for (int j = 0; j < ndim; ++j)
        if (m.sizes[static_cast<int>(m.tops[j])] > m.sizes[best]) best = static_cast<int>(m.tops[j]);
      const double on_line = m.sizes[best];
      points.keep_of_line(best);
      double all = 0.0;
      if (!points.measure(m.together, all)) break;
      const bool goes_together = all > on_line;
      points.take(!goes_together);
      size = goes_together ? all : on_line;
      TESSERA_ROLLED
      for (int j = team.lane(); j < ndim; j += team.lanes())
        at[j] = goes_together                ? m.together[j]
                : j == best / points_on_line ? at[j] + offset_on_line(width[j], best % points_on_line)
                                             : at[j];
    }
    TESSERA_ROLLED
    for (int j = team.lane(); j < ndim; j += team.lanes()) width[j] = m.widths[j];
    team.meet();
    if (!moves && !refines) break;
  }
  return size;
}

}  // namespace tessera
