// One integral over one variable as a thread of a device evaluates it: in turns of as many points as the Gauss-Kronrod rule has, those of one
// interval or of a part of a level, or of the few next to ends, so that threads side by side are at their integrands together. Weights and holes are the host's.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "integral_turns.hpp"

namespace tessera {

template <int Pairs, int Comps>
class integral_lane : public integral_turns<Pairs> {
  using turns = integral_turns<Pairs>;
  using turns::bad_, turns::bad_x_, turns::next_, turns::only_middle_, turns::part_, turns::points_, turns::s_,
      turns::steps_;

 public:
  using turns::turn_points;

  // The points of a turn, which end_turn follows. Not ended. f(x, v): x[0] and the distance x[1] to v[Comps]; value [Comps][turn_points].
  template <class Function>
  TESSERA_HD void evaluate(const kronrod_tables<Pairs> &t, Function &&f, double *value) {
    const bool level = steps_.wish() == integral_wish::level, points = !level && steps_.wants_points();
    const int count = points ? steps_.missing() : turn_points;
    const interval<double> on = level ? interval<double>{0.0, 1.0} : steps_.missing(part_);
    const double centre = 0.5 * (on.lower + on.upper), half = turns::half_of(on);
    const range_map map = steps_.map();
    TESSERA_ROLLED
    for (int i = 0; i < count; ++i) {
      double x[2], weight = 1.0, v[Comps];
      exponential_sample at = {0.0, 0.0, 0.0, 0.0};
      if (level) {
        if (!find_sample(next_ + i, at)) continue;
        x[0] = at.x;
        x[1] = steps_.exponential().complement(at);
      } else {
        const int pair = i == 0 ? 0 : (i - 1) % Pairs;
        const double distance = i == 0 ? 0.0 : half * t.rule.node[pair];
        const mapped_point p =
            map.at(points ? steps_.missing(i).lower : (i <= Pairs ? centre - distance : centre + distance));
        x[0] = p.x;
        x[1] = s_->complement == 1 ? map.complement(p) : p.away;
        weight = p.jacobian;
      }
      f(x, v);
      ++points_;
      for (int k = 0; k < Comps; ++k) {
        if (!is_finite(v[k]) && !bad_) bad_ = true, bad_x_ = x[0];
        if (level) {
          if (v[k] != 0.0) steps_.see_nonzero();
          steps_.exponential().level_sums(k).add(at, v[k]);
        } else {
          value[k * turn_points + i] = weighted(v[k], weight);
        }
      }
    }
  }

  // A whole turn. asked(): has the integrand asked to end the run?
  template <class Function, class Asked>
  TESSERA_HD void turn(const kronrod_tables<Pairs> &t, Function &&f, Asked &&asked) {
    double value[Comps * turn_points];
    evaluate(t, f, value);
    turns::end_turn(t, value, asked());
  }

 private:
  TESSERA_HD bool find_sample(int i, exponential_sample &at) {
    if (!only_middle_) return i < steps_.exponential().candidates() && steps_.exponential().sample(i, at);
    at = steps_.exponential().middle();
    return i == 0;
  }
};

}  // namespace tessera
