// The integration rule of ADAPT: degree 7 on the points of Genz and Malik's family (SIAM J. Numer. Anal. 20 (1983) 580-588), with
// two null rules of degree 5 and one of degree 3 for the error estimate. docs/adapt.md.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace adapt {

using int64 = std::int64_t;

// In the order in which points are taken. An orbit is what a generator (a, 0, ..., 0), ... gives by permutations and signs.
enum orbit : int {
  centre = 0,
  axis_inner = 1,
  axis_outer = 2,
  axis_extra = 3,  // for the error estimate only
  pair = 4,        // (a, a, 0, ..., 0); not in one dimension
  far = 5,         // the vertices (a, ..., a); from `many_dimensions` on (a, a, 0, ..., 0), in one dimension (a)
  orbits = 6
};

constexpr int null_rules = 3;
constexpr int many_dimensions = 12;

// Weights are those of a single point; they are normalised to a mean: the rule's add up to 1 over all points.
struct rule {
  int ndim;
  double generator[orbits];  // in half-widths
  double weight[orbits];
  double null_weight[null_rules][orbits];  // orthogonal, of half the rule's 2-norm
};

// Calls of the integrand for one application; needs no rule. 1 <= ndim.
int64 rule_points(int64 ndim);

rule make_rule(int ndim);

// The error of a mean from the sums of the null rules.
double estimate_error(const double (&null_sum)[null_rules]);

}  // namespace adapt
