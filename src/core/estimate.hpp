// From orbit sums to value, raw error and the axes along which to divide.
//
// The raw error is that of Berntsen, Espelid and Genz (ACM TOMS 17 (1991) 437-451): four null rules, combined in
// neighbouring pairs, with a test for asymptotic behaviour.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "node.hpp"

namespace tessera {

struct rule_result {
  double value;     // integral over the region
  double error;     // raw estimate of its absolute error, before any comparison between levels
  bool asymptotic;  // the null rules fall with their degree as they do for smooth integrands
  double excess;    // the classic raw estimate over `error`; 1 if they are the same
};

// Largest combination of null rules i and i+1, scaled to the weight of the combined rule. Number: double, or several of them side by side.
template <class Number>
TESSERA_HD TESSERA_APART Number null_pair(const rule &r, int i, Number lower, Number upper) {
  Number e = Number();
  TESSERA_ROLLED
  for (int k = 0; k < r.orbits; ++k) e = larger(e, fabs(upper + r.scale[i][k] * lower) * r.norm[i][k]);
  return e;
}

constexpr double least_excess = 1e-6;  // the estimate for smooth integrands is at least this share of the classic one

// The classic estimate jumps where the test for asymptotic behaviour fails, from c3 E1 to c4 E3, which is a hundred times as
// much and more. A smooth integrand just short of the test has an error near c3 E1 all the same; that of a jump or a kink
// needs c4 E3. Between them: c5 E1 rho^3, where rho >= 1 says by how much the test was missed. For jumps and most kinks rho is
// 3 or more and this is no less than the classic estimate. Whether it holds is seen when the region is compared
// with its parent (engine/cubature/two_level_correction.hpp).
TESSERA_HD double smooth_error(const error_constants &c, const double *e, double classic) {
  const double rho = larger(c.c1 * e[0] / e[1], c.c2 * e[1] / e[2]);
  const double error = larger(c.c5 * e[0] * (rho * rho * rho), least_excess * classic);
  return error < classic ? error : classic;
}

// mean: the rule's mean of the integrand; centre: its value there; e: the largest combinations of neighbouring null rules;
// volume of the region. The robust estimate takes null rules below `noise` for round-off, not for a sign that the integrand is
// rough: a polynomial that the higher null rules annihilate is smooth.
TESSERA_HD rule_result judge_nulls(const error_constants &c, int estimate, double mean, double centre, double *e,
                                   double volume) {
  if (c.c6 > 0.0 && e[1] < e[2]) e[0] = larger(e[0], c.c6 * e[1] * (e[1] / e[2]));
  const double noise = estimate == 1 ? 0.0 : 1e-13 * larger(fabs(mean), fabs(centre));
  const bool asymptotic = (c.c1 * e[0] <= e[1] || e[1] <= noise) && (c.c2 * e[1] <= e[2] || e[2] <= noise);
  const double classic = asymptotic ? c.c3 * e[0] : c.c4 * larger(e[0], larger(e[1], e[2]));
  if (estimate == 1 || asymptotic || !(c.c5 > 0.0 && e[0] > noise && e[1] > noise && e[2] > noise))
    return {mean * volume, classic * volume, asymptotic, 1.0};
  const double error = smooth_error(c, e, classic);
  return {mean * volume, error * volume, asymptotic, classic / error};
}

// The rule's mean of the integrand, and the largest combinations of neighbouring null rules.
template <class Number>
struct null_sums {
  Number mean;
  Number e[null_rules - 1];
};

// sums[orbits]: sum of the integrand over each orbit.
template <class Number>
TESSERA_HD null_sums<Number> combine_nulls(const rule &r, const Number *sums) {
  null_sums<Number> n;
  n.mean = Number();
  Number null[null_rules];
  for (int i = 0; i < null_rules; ++i) null[i] = Number();
  TESSERA_ROLLED
  for (int k = 0; k < r.orbits; ++k) {
    n.mean += r.weight[k] * sums[k];
    TESSERA_ROLLED
    for (int i = 0; i < null_rules; ++i) null[i] += r.null_weight[i][k] * sums[k];
  }
  for (int i = 0; i < null_rules - 1; ++i) n.e[i] = null_pair(r, i, null[i], null[i + 1]);
  return n;
}

TESSERA_HD rule_result finish_rule(const rule &r, const double *sums, int estimate, double volume) {
  null_sums<double> n = combine_nulls(r, sums);
  return judge_nulls(r.error, estimate, n.mean, sums[0], n.e, volume);
}

// Adds to an axis' score the absolute fourth difference of one component: `difference` is linear in the integrand and still
// lacks the centre. A difference that does not show beside the centre value is round-off and left out: that of a linear function is a few last
// places of its values, and an axis chosen by it would be divided again and again. The classic estimate asks as the original does.
constexpr double difference_noise = 1e-13;
TESSERA_HD void add_difference(const rule &r, int estimate, double difference, double centre, double &score) {
  const double d = fabs(difference - 2.0 * (1.0 - r.difference_ratio) * centre);
  const bool shows = estimate == 1 ? centre + 0.25 * d != centre : d > difference_noise * fabs(centre);
  if (shows) score += d;
}

// What a feature can hide between a face and the points nearest to it is at most its size, the residual at the face point behind it,
// times the share of the region that lies there: at most 0.022 for degree 7 and 9.
constexpr double face_share = 0.03;

// The residuals at both ends of an axis, from the sums that still lack the centre; 0 where they are round-off.
TESSERA_HD double face_residuals(const rule &r, double low, double high, double centre) {
  const double c = r.face_centre * centre, both = fabs(low + c) + fabs(high + c);
  return both > 1e-13 * fabs(c) ? both : 0.0;
}

// residuals: sum of the absolute residuals at the face points, one component.
TESSERA_HD void add_face_error(rule_result &result, double residuals, double volume) {
  const double more = face_share * residuals * volume, error = result.error + more;
  if (!(more > result.error)) {
    if (error > 0.0) result.excess = (result.excess * result.error + more) / error;
  } else {  // nothing else shows what there is
    result.excess = 1.0 + (result.excess - 1.0) * result.error / error;
    result.asymptotic = false;
  }
  result.error = error;
}

// Where the integrand is next to nothing at the centre and along all axes, and not elsewhere, it begins somewhere between: in a corner, as behind
// jumps across two axes. The null rules have most of their weights on the axes, see little of it, and may fall all the same.
constexpr double seen_on_axes = 0.003;  // of the mean, below which that is so
constexpr double off_axes_error = 0.5;  // of the value
TESSERA_HD bool is_off_axes(const rule_result &result, double at, double volume) {
  return fabs(at) * volume < seen_on_axes * fabs(result.value);
}
// Where that is so at the centre. on_axes: mean of the values at the points on the axes.
TESSERA_HD void add_corner_error(rule_result &result, double on_axes, double volume) {
  if (!is_off_axes(result, on_axes, volume)) return;
  result.error = larger(result.error * result.excess, off_axes_error * fabs(result.value));
  result.excess = 1.0;
  result.asymptotic = false;
}

// A probe much larger than anything that the rule has seen, zero included, stands for what lies between its points.
constexpr double outlier = 20.0;
TESSERA_HD void add_probe_error(rule_result &result, double probe_sum, double centre, double volume) {
  const double probe = fabs(probe_sum) / probes * volume;
  if (!(probe > outlier * larger(larger(fabs(result.value), fabs(centre) * volume), result.error * result.excess)))
    return;
  const double more = 0.5 * probe;
  if (!(more > result.error)) return;
  result.excess = larger(1.0, result.excess * result.error / more);
  result.error = more;
  result.asymptotic = false;
}

// Points at which the integrand is not finite and counts as 0. What each stands for may be so many times the mean size of the others;
// where there are no others nothing is known, and the error becomes NaN.
constexpr double hole_size = 10.0;
struct region_holes {
  double count, size;  // how many there are; sum of the absolute values of the others
};
TESSERA_HD void add_hole_error(rule_result &result, const region_holes &holes, double points, double volume) {
  if (holes.count == 0.0) return;
  const double more = hole_size * holes.count / points * (holes.size / (points - holes.count)) * volume;
  if (!(result.error > more)) result.error = more;
  result.excess = 1.0;
  result.asymptotic = false;
}

constexpr int axes_kept = 4;  // axes of a region that can be divided at once
constexpr double comparable_score = 0.01;

// Axes are divided in this order: largest score first, among those without one the widest, then the lowest index. The place
// of axis j in it.
template <class Half>
TESSERA_HD int axis_place(int ndim, const double *score, Half half, int j) {
  const double own = score[j];
  int place = 0;
  TESSERA_OVERLAPPED
  for (int i = 0; i < ndim; ++i) {
    bool before = i < j;
    if (score[i] != own) {
      before = score[i] > own;
    } else if (own == 0.0 && half(i) != half(j)) {
      before = half(i) > half(j);
    }
    place += before ? 1 : 0;
  }
  return place;
}

// Axis j's part of the axes packed 6 bits each, first axis lowest; 0 if it is not among those kept.
TESSERA_HD uint32 packed_axis(int place, int j) {
  return place < axes_kept ? static_cast<uint32>(j) << (6 * place) : 0u;
}

// Is the score of the axis at `place` not much smaller than the largest? How many places behind the first are such is packed
// into bits 24 and 25.
TESSERA_HD uint32 comparable_place(int place, double score, double largest) {
  return place < axes_kept && score > 0.0 && score >= comparable_score * largest ? static_cast<uint32>(place) : 0u;
}

template <class Half>
TESSERA_HD uint32 rank_axes(int ndim, const double *score, Half half) {
  double largest = 0.0;
  for (int j = 0; j < ndim; ++j) largest = larger(largest, score[j]);
  uint32 packed = 0, comparable = 0;
  for (int j = 0; j < ndim; ++j) {
    const int place = axis_place(ndim, score, half, j);
    packed |= packed_axis(place, j);
    const uint32 c = comparable_place(place, score[j], largest);
    if (c > comparable) comparable = c;
  }
  return packed | comparable << 24;
}

// How many axes the integrand varies along: each counts by how many halvings its fourth difference is above a sixteenth of the
// largest, where the first cut along that axis comes to be worth as much as one along the first.
TESSERA_HD double axis_in_use(double score, double largest) {
  return score > 0.0 ? larger(0.0, 1.0 + 0.25 * log2_of(score / largest)) : 0.0;
}
TESSERA_HD double count_axes(int ndim, const double *score) {
  double largest = 0.0, axes = 0.0;
  for (int j = 0; j < ndim; ++j) largest = larger(largest, score[j]);
  for (int j = 0; j < ndim; ++j) axes += axis_in_use(score[j], largest);
  return axes;
}

// Makes sure that `axis` is among the ranked ones: in front, or in the last place if it was missing. Returns its place.
TESSERA_HD TESSERA_APART int include_axis(uint32 &packed, int ndim, int axis, bool in_front) {
  const int kept = ndim < axes_kept ? ndim : axes_kept;
  int place = 0;
  while (place < kept - 1 && static_cast<int>((packed >> (6 * place)) & 63u) != axis) ++place;
  TESSERA_ROLLED
  for (; in_front && place > 0; --place) {  // what stood before it moves back
    const uint32 before = (packed >> (6 * (place - 1))) & 63u;
    packed = (packed & ~(63u << (6 * place))) | before << (6 * place);
  }
  packed = (packed & ~(63u << (6 * place))) | static_cast<uint32>(axis) << (6 * place);
  return place;
}

TESSERA_HD int ranked_axis(uint32 packed, int which) { return static_cast<int>((packed >> (6 * which)) & 63u); }

}  // namespace tessera
