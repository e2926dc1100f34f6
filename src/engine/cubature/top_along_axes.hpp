// A narrow peak upon the top of a wide one, as two normal densities about one centre: rules have the wide one after a few regions, and no point of theirs need be near enough to the centre, nor a climb end there, for
// around the top nothing is much higher. So the top is found as that of parabolas through the logarithms of the integrand, along all axes at once, each time through points nearer to it; where the integrand is much
// higher than they say, something stands upon it. By the lanes of a team, for a look at one integral (mode_climbs.hpp) and a check of many (mode_check.hpp).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "climb_along_axes.hpp"

namespace tessera {

// Through the logarithms of three sizes: its top, in distances between them from the middle one, and how much higher it is there.
struct parabola_top {
  double at, rises;
};
TESSERA_HD parabola_top top_of_parabola(double below, double here, double above) {
  constexpr double farthest = 2.0;
  if (!(here > 0.0)) return {0.0, 0.0};
  const bool are_inside = below != outside_size && above != outside_size;
  const double l = log_of_size(here), down = log_of_size(below) - l, up = log_of_size(above) - l;
  if (!are_inside || up + down >= 0.0) {  // to the higher side
    const double rises = larger(up, down);
    return rises > 0.0 ? parabola_top{up > down ? 1.0 : -1.0, rises} : parabola_top{0.0, 0.0};
  }
  const double slope = 0.5 * (up - down), bend = -(up + down);
  const double top = larger(-farthest, smaller(farthest, slope / bend));
  return {top, slope * top - 0.5 * bend * top * top};
}

// Points around a centre: it, and 2 j + 1 and 2 j + 2 below and above it on axis j.
TESSERA_HD double offset_around(const double *away, int i, int j) {
  return (i - 1) / 2 != j || i == 0 ? 0.0 : i % 2 == 1 ? -away[j] : away[j];
}

// at[ndim], width[ndim] and size: a place on a peak that has such widths. True where something stands upon its top: they are a point of that then, with the distances to the next points as widths. Of points:
//   measure_around(centre, away, sizes)   the 2 ndim + 1 sizes around it; false: the search ends
//   take_around(i)                        point i of these has become the place
template <class Team, class Points>
TESSERA_HD bool find_upon_top(Team &team, int ndim, const climb_memory &m, Points &points, const user_range &range,
                              double *at, double *width, double &size) {
  constexpr int least_rounds = 2, most_rounds = 6;
  constexpr double nearer = 1.0 / 8;
  double *const centre = m.together, *const best = m.tops, *const away = m.widths, *const sizes = m.sizes;
  const int count = 2 * ndim + 1;
  TESSERA_ROLLED
  for (int j = team.lane(); j < ndim; j += team.lanes()) {
    centre[j] = best[j] = at[j];
    away[j] = 0.5 * width[j];
  }
  team.meet();
  double best_size = size, expected = size;
  TESSERA_ROLLED
  for (int round = 0; round < most_rounds; ++round) {
    if (!points.measure_around(centre, away, sizes)) return false;
    team.meet();
    int highest = 0;
    TESSERA_ROLLED
    for (int i = 1; i < count; ++i)
      if (sizes[i] > sizes[highest]) highest = i;
    const double own = sizes[0], top = sizes[highest];
    if (top > mode_rise * expected) {
      points.take_around(highest);
      TESSERA_ROLLED
      for (int j = team.lane(); j < ndim; j += team.lanes()) {
        at[j] = centre[j] + offset_around(away, highest, j);
        width[j] = away[j];
      }
      size = top;
      team.meet();
      return true;
    }
    const bool has_risen = own >= best_size;  // not beside a jump, or where variables depend on each other
    double rises = 0.0, farthest = 0.0;
    TESSERA_ROLLED
    for (int j = 0; j < ndim && has_risen; ++j) {
      const parabola_top p = top_of_parabola(sizes[1 + 2 * j], own, sizes[2 + 2 * j]);
      if (range.is_inside(j, centre[j] + away[j] * p.at)) rises += p.rises, farthest = larger(farthest, fabs(p.at));
    }
    team.meet();
    TESSERA_ROLLED
    for (int j = team.lane(); j < ndim; j += team.lanes()) {
      if (top > best_size) best[j] = centre[j] + offset_around(away, highest, j);
      const parabola_top p = top_of_parabola(sizes[1 + 2 * j], own, sizes[2 + 2 * j]);
      const double next = centre[j] + away[j] * p.at;
      centre[j] = !has_risen ? best[j] : range.is_inside(j, next) ? next : centre[j];
      away[j] *= has_risen ? larger(nearer, smaller(0.5, fabs(p.at))) : 0.5;
    }
    team.meet();
    best_size = larger(best_size, top);
    expected = has_risen ? larger(best_size, own * exp(rises)) : larger(expected, best_size);
    if (round >= least_rounds && has_risen && farthest <= 1.0) return false;
  }
  return false;
}

}  // namespace tessera
