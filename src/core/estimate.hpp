// From orbit sums to value, raw error and the axes along which to divide.
//
// The raw error is that of Berntsen, Espelid and Genz (ACM TOMS 17 (1991) 437-451): four null rules, combined in
// neighbouring pairs, with a test for asymptotic behaviour.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "rule.hpp"

namespace tessera {

struct rule_result {
  double value;  // integral over the region
  double error;  // raw estimate of its absolute error, before any comparison between levels
  bool asymptotic;  // the null rules fall with their degree as they do for smooth integrands
};

// Largest combination of null rules i and i+1, scaled to the weight of the combined rule.
TESSERA_HD TESSERA_APART double null_pair(const rule &r, int i, double lower, double upper) {
  double e = 0.0;
  TESSERA_ROLLED
  for (int k = 0; k < r.orbits; ++k) e = larger(e, fabs(upper + r.scale[i][k] * lower) * r.norm[i][k]);
  return e;
}

// mean: the rule's mean of the integrand; e: the largest combinations of neighbouring null rules; volume of the region. Null
// rules below `noise` are round-off, not a sign that the integrand is rough: a polynomial that the higher null rules
// annihilate is smooth.
TESSERA_HD rule_result judge_nulls(const error_constants &c, double mean, const double *e, double noise, double volume) {
  const bool asymptotic = (c.c1 * e[0] <= e[1] || e[1] <= noise) && (c.c2 * e[1] <= e[2] || e[2] <= noise);
  const double error = asymptotic ? c.c3 * e[0] : c.c4 * larger(e[0], larger(e[1], e[2]));
  return {mean * volume, error * volume, asymptotic};
}

// What the null rules may show for a smooth integrand in double precision, where the estimate allows for it.
TESSERA_HD double null_noise(int estimate, double mean, double centre) {
  return estimate == 1 ? 0.0 : 1e-13 * larger(fabs(mean), fabs(centre));
}

// sums[orbits]: sum of the integrand over each orbit.
TESSERA_HD rule_result finish_rule(const rule &r, const double *sums, int estimate, double volume) {
  double mean = 0.0;
  double null[null_rules] = {0.0, 0.0, 0.0, 0.0};
  TESSERA_ROLLED
  for (int k = 0; k < r.orbits; ++k) {
    mean += r.weight[k] * sums[k];
    TESSERA_ROLLED
    for (int i = 0; i < null_rules; ++i) null[i] += r.null_weight[i][k] * sums[k];
  }
  double e[null_rules - 1];
  for (int i = 0; i < null_rules - 1; ++i) e[i] = null_pair(r, i, null[i], null[i + 1]);
  return judge_nulls(r.error, mean, e, null_noise(estimate, mean, sums[0]), volume);
}

// Adds to an axis' score the absolute fourth difference of one component: `difference` is linear in the integrand and still
// lacks the centre. A difference that does not show beside the centre value is round-off and left out.
TESSERA_HD void add_difference(const rule &r, double difference, double centre, double &score) {
  const double d = fabs(difference - 2.0 * (1.0 - r.difference_ratio) * centre);
  if (centre + 0.25 * d != centre) score += d;
}

constexpr int axes_kept = 4;  // axes of a region that can be divided at once
constexpr double comparable_score = 0.01;

// Axes are divided in this order: largest score first, among those without one the widest, then the lowest index. The place
// of axis j in it.
template <class Half>
TESSERA_HD int axis_place(int ndim, const double *score, Half half, int j) {
  const double own = score[j];
  int place = 0;
  TESSERA_ROLLED
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
TESSERA_HD uint32 packed_axis(int place, int j) { return place < axes_kept ? static_cast<uint32>(j) << (6 * place) : 0u; }

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
