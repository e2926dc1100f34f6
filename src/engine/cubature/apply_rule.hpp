// The rule applied to values of the integrand: from the values at its points, or at a part of them, the sums that it needs, and
// from all sums of a region its record. One text for the host and for the kernels behind a device batch callback.
//
// It is written for lanes that share the work on one region, and that say in which order they add, which decides the last bits:
//   lane(), lanes()        this one, and how many there are
//   sum(v), most(v)        over the lanes, for each of them
//   total(from, to, value) sum of value(p), for each of them
//   difference(near, far, ratio), add_residuals(same, other, pair, low, high)   of the values at both points of an axis
// All sums are made in an order that depends on the rule alone.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../core/estimate.hpp"
#include "region_store.hpp"

namespace tessera {

// Numbers that are kept of a region and component: the sums of the orbits, then the fourth differences, then the residuals at both
// ends of each axis where there are points near the faces; differences and residuals without the centre.
TESSERA_HD int sum_fields(const rule &r) { return r.orbits + (r.face_orbit >= 0 ? 3 : 1) * r.ndim; }

// The values at both points of an axis orbit on one axis.
template <class Number>
struct axis_values {
  Number plus, minus;
};
using axis_pair = axis_values<double>;

// One component, or several side by side in a Number: to[sum_fields] from the points [begin, end) of the rule, whose values are value(p).
template <class Lanes, class Value, class Number>
TESSERA_HD void sum_points(const Lanes &lanes, const rule &r, int64 begin, int64 end, Value value, Number *to) {
  int64 start = 0;
  TESSERA_ROLLED
  for (int o = 0; o < r.orbits; ++o) {
    const int64 next = start + r.orb[o].count;
    const Number v = lanes.total(begin > start ? begin : start, end < next ? end : next, value);
    if (lanes.lane() == 0) to[o] = v;
    start = next;
  }
  TESSERA_ROLLED
  for (int j = lanes.lane(); j < r.ndim; j += lanes.lanes()) {
    const auto pair = [&](int o) -> axis_values<Number> {  // axis orbits come right behind the centre
      const int64 p = 1 + 2 * (int64{r.ndim} * (o - 1) + j);
      return {p >= begin && p < end ? value(p) : Number(), p + 1 >= begin && p + 1 < end ? value(p + 1) : Number()};
    };
    to[r.orbits + j] = lanes.difference(pair(r.difference_orbit[1]), pair(r.difference_orbit[0]), r.difference_ratio);
    if (r.face_orbit < 0) continue;
    Number low = Number(), high = Number();
    TESSERA_ROLLED
    for (int o = 1; o <= r.face_orbit; ++o) lanes.add_residuals(r.face_same[o], r.face_other[o], pair(o), low, high);
    to[r.orbits + r.ndim + 2 * j] = low;
    to[r.orbits + r.ndim + 2 * j + 1] = high;
  }
}

// The combinations of null rules of component k, from sums[ncomp][sum_fields].
struct own_nulls {
  TESSERA_HD null_sums<double> operator()(const rule &r, const double *sums, int k) const {
    return combine_nulls(r, sums + int64{k} * sum_fields(r));
  }
};

// Value, raw error and ranked axes of a region from its sums[ncomp][sum_fields]. False when they are not finite.
// score[ndim] is work space of each lane. holes[ncomp]: null where there are none.
template <class Lanes, class Nulls = own_nulls>
TESSERA_HD bool finish_region(const Lanes &lanes, const rule &r, int estimate, const region_view &regions, int64 region,
                              const double *sums, double *score, const region_holes *holes = nullptr,
                              Nulls nulls = Nulls()) {
  const double volume = regions.volume(region);
  const int fields = sum_fields(r);
  double rough = 0.0, infinite = 0.0;  // how many components
  double excess = 1.0;
  for (int j = 0; j < r.ndim; ++j) score[j] = 0.0;
  TESSERA_ROLLED
  for (int k = lanes.lane(); k < regions.ncomp(); k += lanes.lanes()) {
    const double *const own = sums + int64{k} * fields;
    null_sums<double> n = nulls(r, sums, k);
    rule_result result = judge_nulls(r.error, estimate, n.mean, own[0], n.e, volume);
    if (r.face_orbit >= 0) {
      const double *const residuals = own + r.orbits + r.ndim;
      if (is_off_axes(result, own[0], volume)) {
        double sum = 0.0;
        for (int o = 1; o <= r.face_orbit; ++o) sum += own[o];
        add_corner_error(result, sum / (2.0 * r.ndim * r.face_orbit), volume);
      }
      double all = 0.0;
      for (int j = 0; j < r.ndim; ++j) {
        const double both = face_residuals(r, residuals[2 * j], residuals[2 * j + 1], own[0]);
        all += both;
        score[j] += both;
      }
      add_face_error(result, all, volume);
    }
    if (r.probe_orbit >= 0) add_probe_error(result, own[r.probe_orbit], own[0], volume);
    if (holes) add_hole_error(result, holes[k], static_cast<double>(r.points), volume);
    regions.value(region, k) = result.value;
    regions.error(region, k) = result.error;
    if (!result.asymptotic) rough += 1.0;
    excess = larger(excess, result.excess);
    if (!(fabs(result.value) < infinity_value() && fabs(result.error) < infinity_value())) infinite += 1.0;
    for (int j = 0; j < r.ndim; ++j) add_difference(r, estimate, own[r.orbits + j], own[0], score[j]);
  }
  for (int j = 0; j < r.ndim; ++j) score[j] = lanes.sum(score[j]);
  rough = lanes.sum(rough);
  infinite = lanes.sum(infinite);
  excess = lanes.most(excess);
  if (lanes.lane() == 0) {
    const uint32 axes = rank_axes(r.ndim, score, [&](int j) { return regions.half(region, j); });
    regions.state(region) = fresh_state(axes, rough > 0.0, excess, r.raises ? count_axes(r.ndim, score) : 0.0);
  }
  return infinite == 0.0;
}

}  // namespace tessera
